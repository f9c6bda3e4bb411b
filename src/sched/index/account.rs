//! What the jobs of a team hold and want, kept as they change.

use crate::model::Resources;
use crate::model::job::{Job, State, StopFor, Task, TaskState};
use crate::model::page::Lane;
use crate::sched::index::holdings;
use crate::sched::policy::amounts::Amounts;

/// What a team holds and wants, of the resources that teams share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// What its jobs hold; what is being given back is left out.
    pub held: Amounts,
    /// What of that jobs hold that never give way.
    pub firm: Amounts,
    /// What its jobs wait for, those included that come back after they gave way.
    pub wanted: Amounts,
    /// Jobs that hold room.
    pub running: u64,
    /// Jobs that wait for room.
    pub queued: u64,
}

impl Account {
    /// With another account, as of the teams above both.
    #[must_use]
    pub fn plus(&self, other: &Account) -> Account {
        Account {
            held: self.held.plus(&other.held),
            firm: self.firm.plus(&other.firm),
            wanted: self.wanted.plus(&other.wanted),
            running: self.running + other.running,
            queued: self.queued + other.queued,
        }
    }

    pub(super) fn minus(&self, other: &Account) -> Account {
        Account {
            held: self.held.minus(&other.held),
            firm: self.firm.minus(&other.firm),
            wanted: self.wanted.minus(&other.wanted),
            running: self.running.saturating_sub(other.running),
            queued: self.queued.saturating_sub(other.queued),
        }
    }
}

/// What a job holds and wants.
pub(super) fn account(job: &Job) -> Account {
    let mut part = Account::default();
    let add = |sum: &mut Amounts, n: &Resources| *sum = sum.plus(&Amounts::from(n));
    for holding in holdings(job).filter(|holding| !holding.stops) {
        add(&mut part.held, &holding.held);
    }
    if !job.spec.preemptible {
        part.firm = part.held;
    }
    part.running = u64::from(matches!(Lane::of(job), Lane::Human | Lane::Running));
    part.queued = u64::from(part.running == 0 && job.state == State::Queued);
    let comes_back = |why| matches!(why, StopFor::Preempt | StopFor::Requeue | StopFor::Gang);
    match job.state {
        State::Queued if job.frozen => {
            for task in job.active_tasks().filter(|task| task.state != TaskState::Stopping) {
                part.wanted.cpu_milli += job.spec.request_of(task.group).cpu_milli;
                part.wanted.gpu_milli += task.lent.iter().map(|share| share.milli).sum::<u64>();
            }
        }
        State::Queued => add(&mut part.wanted, &job.spec.request_of_all()),
        State::Stopping(why) if comes_back(why) && job.hold.is_none() => {
            add(&mut part.wanted, &job.spec.request_of_all());
        }
        State::Starting | State::Running if !job.tasks.iter().any(Task::is_over) => {
            let waits = |t: &&Task| matches!(t.state, TaskState::Pending | TaskState::Nominated);
            let leaves = |t: &&Task| t.given_up && t.state == TaskState::Stopping;
            for task in job.tasks.iter().filter(|t| waits(t) || leaves(t)) {
                add(&mut part.wanted, job.spec.request_of(task.group));
            }
        }
        _ => {}
    }
    part
}
