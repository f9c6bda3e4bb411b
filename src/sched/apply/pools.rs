//! Facts about the nodes of elastic pools.

use crate::base::At;
use crate::model::fact::Fact;
use crate::model::pool::{Member, Stage};
use crate::sched::world::World;

impl World {
    /// Makes a fact about a pool so.
    pub(super) fn change_pool(&mut self, at: At, fact: &Fact) {
        match fact {
            Fact::PoolGrew { pool, node } => {
                let member = Member { stage: Stage::Coming, since: at, used: at.now };
                let state = self.pools.entry(pool.clone()).or_default();
                state.members.insert(node.clone(), member);
            }
            Fact::PoolShrank { pool, node } => {
                let state = self.pools.entry(pool.clone()).or_default();
                if let Some(member) = state.members.get_mut(node) {
                    (member.stage, member.since) = (Stage::Going, at);
                }
            }
            Fact::PoolFailed { pool, node, up: true, .. } => {
                let state = self.pools.entry(pool.clone()).or_default();
                state.members.remove(node);
                state.failed = Some(at.now);
            }
            // One that could not be taken away is out of our books all the same.
            _ => {}
        }
    }

    /// A node of a pool came or went.
    pub(super) fn see_member(&mut self, at: At, node: &str, up: bool) {
        let Some(pool) = self.pool_of(node) else { return };
        let Some(state) = self.pools.get_mut(&pool) else { return };
        if up {
            state.failed = None;
            if let Some(member) = state.members.get_mut(node)
                && member.stage == Stage::Coming
            {
                *member = Member { stage: Stage::Here, since: at, used: at.now };
            }
        } else {
            state.members.remove(node);
            if state.members.is_empty() && state.failed.is_none() {
                self.pools.remove(&pool);
            }
        }
    }

    /// A task that leaves a node of a pool used it until now.
    pub(super) fn note_use(&mut self, at: At, fact: &Fact) {
        let (Fact::TaskEnded { task, .. } | Fact::TaskUnplaced { task }) = fact else { return };
        if self.pools.is_empty() {
            return;
        }
        let rank = usize::try_from(task.rank).unwrap_or(usize::MAX);
        let task = self.jobs.get(&task.job).and_then(|job| job.tasks.get(rank));
        let node = task.and_then(|task| Some(task.placement.as_ref()?.node.clone()));
        let Some((node, pool)) = node.and_then(|node| Some((node.clone(), self.pool_of(&node)?)))
        else {
            return;
        };
        if let Some(member) = self.pools.get_mut(&pool).and_then(|s| s.members.get_mut(&node)) {
            member.used = member.used.max(at.now);
        }
    }

    fn pool_of(&self, node: &str) -> Option<crate::base::Name> {
        let mut pools = self.pools.iter();
        pools.find(|(_, state)| state.members.contains_key(node)).map(|(pool, _)| pool.clone())
    }
}
