//! A decision in the making: a world of its own and the facts that led to it.
//!
//! Every step goes through [`Plan::note`], which applies the fact at once, so that what is
//! decided next sees it. A checkpoint is a clone of the world, which shares everything, so
//! rolling back costs nothing.

use std::sync::Arc;

use crate::base::{At, JobId, Mono, ReviewId};
use crate::model::Fact;
use crate::model::job::Job;
use crate::sched::world::World;

/// A decision in the making.
#[derive(Debug, Clone)]
pub struct Plan {
    world: World,
    facts: Vec<Fact>,
    at: At,
    review: Option<ReviewId>,
}

/// A point to go back to.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    world: World,
    facts: usize,
}

impl Plan {
    /// Starts from a world; time never goes back.
    pub fn new(world: &World, at: At) -> Plan {
        let last = world.at();
        let at = At { now: at.now.max(last.now), wall: at.wall.max(last.wall) };
        Plan { world: world.clone(), facts: Vec::new(), at, review: None }
    }

    /// The world with everything that was noted.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The caller is told that its command was about this review.
    pub fn answer(&mut self, review: ReviewId) {
        self.review = Some(review);
    }

    /// The review the command was about, if it was about one.
    pub fn review(&self) -> Option<ReviewId> {
        self.review
    }

    /// What was noted so far.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// When this is decided.
    pub fn at(&self) -> At {
        self.at
    }

    /// Now, on the clock that leaves out down time.
    pub fn active(&self) -> Mono {
        self.world.active(self.at.now)
    }

    /// A job as it is now.
    pub fn job(&self, id: JobId) -> Option<Arc<Job>> {
        self.world.job(id).cloned()
    }

    /// Adds a fact and makes it so.
    pub fn note(&mut self, fact: Fact) {
        self.world.apply(self.at, &fact);
        self.facts.push(fact);
    }

    /// A point to go back to.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { world: self.world.clone(), facts: self.facts.len() }
    }

    /// Goes back: everything noted since is as if it had never been.
    pub fn rollback(&mut self, checkpoint: Checkpoint) {
        self.world = checkpoint.world;
        self.facts.truncate(checkpoint.facts);
    }

    /// Ends planning: the facts and the world they lead to.
    pub fn commit(self) -> (Vec<Fact>, World) {
        (self.facts, self.world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_back_restores_the_world_and_the_facts() {
        let mut plan = Plan::new(&World::new(), At::default());
        plan.note(Fact::Started { boot: "a".into(), offset: 0 });
        let before = plan.world().clone();
        let checkpoint = plan.checkpoint();
        plan.note(Fact::Started { boot: "b".into(), offset: 0 });
        assert_ne!(*plan.world(), before);
        plan.rollback(checkpoint);
        let (facts, world) = plan.commit();
        assert_eq!(world, before);
        assert_eq!(facts.len(), 1);
    }
}
