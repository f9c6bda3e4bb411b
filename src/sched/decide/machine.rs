//! What the machine, its configuration and the server's start change.

use crate::base::JobId;
use crate::model::fact::Class;
use crate::model::finding::{Level, Signal};
use crate::model::job::{FailureClass, Outcome, State};
use crate::model::{Command, Fact};
use crate::sched::decide::life;
use crate::sched::explain::never_fits;
use crate::sched::plan::Plan;

/// Takes one such command.
pub(super) fn decide(plan: &mut Plan, command: &Command) {
    match command {
        Command::NodeSeen { name, capacity, gpus } => {
            let known = plan.world().node(name);
            let same = known
                .is_some_and(|node| node.up && node.capacity == *capacity && node.gpus == *gpus);
            if !same {
                let (name, capacity, gpus) = (name.clone(), capacity.clone(), gpus.clone());
                plan.note(Fact::NodeSeen { name, capacity, gpus });
                judge_all(plan);
            }
        }
        Command::Configure(setup)
            if (plan.world().setup() != setup || plan.world().teams().next().is_none()) =>
        {
            plan.note(Fact::Configured(Box::new(setup.clone())));
            judge_all(plan);
        }
        Command::Started { boot, offset } => {
            let rebooted = !plan.world().boot().is_empty() && plan.world().boot() != boot;
            plan.note(Fact::Started { boot: boot.clone(), offset: *offset });
            if rebooted {
                lose_all(plan);
            }
        }
        Command::Down { from, to, off } => {
            plan.note(Fact::Down { from: *from, to: *to, class: Class::Down });
            if *off {
                lose_all(plan);
            }
        }
        _ => {}
    }
}

/// No process survived.
fn lose_all(plan: &mut Plan) {
    let active = plan.world().jobs().filter(|job| job.active_tasks().next().is_some());
    let ids: Vec<JobId> = active.map(|job| job.id).collect();
    for id in ids {
        life::lose_tasks(plan, id);
    }
}

/// Looks anew at which waiting jobs could never start.
fn judge_all(plan: &mut Plan) {
    let waiting = plan.world().jobs().filter(|job| {
        matches!(job.state, State::Queued | State::Waiting(_) | State::Paused) && !job.frozen
    });
    let ids: Vec<JobId> = waiting.map(|job| job.id).collect();
    for id in ids {
        let Some(job) = plan.job(id) else { continue };
        match never_fits(plan.world(), &job.spec) {
            Some(_) if job.spec.must_fit => {
                life::end(plan, id, Outcome::Failed(FailureClass::NeverFits));
            }
            Some(reason) => {
                life::find(plan, id, Signal::NeverFits, Some(Level::Stuck), &reason.numbers);
            }
            None => life::find(plan, id, Signal::NeverFits, None, &Default::default()),
        }
    }
}
