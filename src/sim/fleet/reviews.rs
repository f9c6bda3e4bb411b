//! What becomes of made-up processes while people are asked: they park or wait, come back with
//! the answer, and use the right that a yes gave.

use crate::base::{JobId, ReviewId, Span, TaskId};
use crate::model::fact::ReviewFact;
use crate::model::job::{Exit, state::EXIT_PARKED};
use crate::model::review::{ReviewAct, ReviewCommand, ReviewState, ReviewVerb, Wait};
use crate::model::{Actor, Command};
use crate::sim::fleet::{Due, Fleet};

/// Between the request and the end of a program that saves itself for it, in milliseconds.
const SAVING: (u64, u64) = (800, 4000);
/// Between the answer and the use of the right.
const USING: Span = Span(1500);

impl Fleet {
    /// Something became so of a review.
    pub(super) fn review_news(&mut self, review: ReviewId, job: JobId, fact: &ReviewFact) {
        let now = self.at.now;
        match fact {
            ReviewFact::Requested(asked) if asked.ask.wait == Wait::Park => {
                for task in self.tasks_of(job) {
                    let delay = Span(self.dice.between(SAVING.0, SAVING.1));
                    self.with(task, |process| process.leave(now));
                    let exit = Exit::Code(EXIT_PARKED);
                    self.agenda.put(now + delay, Due::Gone(task, exit));
                }
            }
            ReviewFact::Requested(asked) if matches!(asked.ask.wait, Wait::Hold { .. }) => {
                for task in self.tasks_of(job) {
                    self.with(task, |process| process.petitions(now));
                }
            }
            ReviewFact::Decided { .. } => {
                let at = self.at;
                for task in self.tasks_of(job) {
                    self.with(task, |process| process.heard(at));
                    self.plan(task);
                }
                self.agenda.put(now + USING, Due::Use(review));
            }
            _ => {}
        }
    }

    /// A job is back: it uses the rights that were given to it meanwhile.
    pub(super) fn use_rights(&mut self, job: JobId) {
        let given: Vec<ReviewId> = self
            .world
            .desk()
            .of_job(job)
            .filter(|review| review.state == ReviewState::Approved)
            .map(|review| review.id)
            .collect();
        for review in given {
            self.agenda.put(self.at.now + USING, Due::Use(review));
        }
    }

    /// Uses a right if it is there and takes effect.
    pub(super) fn use_right(&mut self, id: ReviewId) {
        let Some(review) = self.world.desk().get(id).cloned() else { return };
        let grant = review.grant.as_ref().filter(|_| review.state == ReviewState::Approved);
        let Some(grant) = grant.filter(|grant| grant.left() > 0) else { return };
        let early = grant.from.since(self.at.wall);
        if early > Span::ZERO {
            return self.agenda.put(self.at.now + early, Due::Use(id));
        }
        let runs = self.tasks_of(review.job).iter().any(|task| self.runs(*task));
        if !runs {
            return;
        }
        let (user, uid) = (review.owner.clone(), review.owner_uid);
        let by = Actor { user, uid, in_job: Some(review.job), job_by: None };
        let known = review.ask.conditions.iter();
        let conditions = known.map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
        let verb = ReviewVerb::Redeem { hash: Some(review.hash), action: None, conditions };
        let act = ReviewAct { review: id, verb, by, key: None };
        self.say(Command::Review(Box::new(ReviewCommand::Act(act))));
    }

    /// Tasks of a job whose processes live.
    fn tasks_of(&self, job: JobId) -> Vec<TaskId> {
        self.of_job(job).filter(|process| process.over.is_none()).map(|p| p.task).collect()
    }
}
