//! What facts about reviews mean for the job that asks.

use crate::base::{At, Mono, ReviewId};
use crate::model::fact::{Fact, ReviewFact};
use crate::model::job::{Job, OpenReview, State};
use crate::model::review::Wait;
use crate::sched::apply::jobs::{enter, stop_clock};

/// Makes such a fact so.
pub(super) fn change(job: &mut Job, fact: &Fact, at: At, active: Mono) {
    match fact {
        Fact::JobInReview { .. } => {
            job.asking.waits = true;
            job.asking.returning = false;
            enter(job, State::InReview, at);
        }
        Fact::Review { review, fact, .. } => of_review(job, *review, fact, at, active),
        _ => {}
    }
}

fn of_review(job: &mut Job, review: ReviewId, fact: &ReviewFact, at: At, active: Mono) {
    match fact {
        ReviewFact::Requested(asked) => {
            let wait = asked.ask.wait;
            job.asking.open.push(OpenReview { review, wait, asked: at });
            if matches!(wait, Wait::Hold { .. }) {
                // Waiting for people is no run time.
                stop_clock(job, active);
            }
        }
        ReviewFact::Decided { .. } => {
            let held = job.asking.holds().is_some();
            job.asking.open.retain(|open| open.review != review);
            let runs = matches!(job.state, State::Starting | State::Running) && !job.frozen;
            let began = job.tasks.iter().any(|task| task.started.is_some());
            if held && job.asking.holds().is_none() && runs && began && job.ran_since.is_none() {
                job.ran_since = Some(active);
            }
        }
        ReviewFact::JobReturns => {
            job.asking.waits = false;
            job.asking.returning = true;
            job.asking.answered = Some(review);
            job.asking.saved |= !job.frozen;
        }
        // How room is booked is the meter's.
        _ => {}
    }
}
