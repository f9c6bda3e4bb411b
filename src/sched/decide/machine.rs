//! What the machine, its configuration and the server's start change.

use std::collections::BTreeMap;

use crate::base::JobId;
use crate::model::fact::Class;
use crate::model::job::State;
use crate::model::{Command, Fact, Resources};
use crate::sched::decide::life;
use crate::sched::explain::never_fits;
use crate::sched::plan::Plan;

/// Takes one such command.
pub(super) fn decide(plan: &mut Plan, command: &Command) {
    match command {
        Command::NodeSeen { name, capacity, gpus, traits } => {
            // Countable resources belong to the whole installation, not to a node.
            let capacity = Resources { custom: BTreeMap::new(), ..capacity.clone() };
            let known = plan.world().node(name);
            let up = capacity.cpu_milli > 0;
            let same = known.is_some_and(|node| {
                node.up == up
                    && node.capacity == capacity
                    && node.gpus == *gpus
                    && node.traits == *traits
            });
            if !same {
                let (name, gpus, traits) = (name.clone(), gpus.clone(), traits.clone());
                plan.note(Fact::NodeSeen { name, capacity, gpus, traits });
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

/// Looks anew at which jobs without processes could never start. Most ask for the same as
/// others, so each request is looked at once.
fn judge_all(plan: &mut Plan) {
    let waiting = plan.world().jobs().filter(|job| {
        matches!(job.state, State::Queued | State::Waiting(_) | State::Paused) && !job.frozen
    });
    let specs: Vec<_> = waiting.map(|job| (job.id, job.spec.clone())).collect();
    let mut verdicts = BTreeMap::new();
    for (id, spec) in &specs {
        let verdict = verdicts
            .entry((&spec.request, spec.gang.min))
            .or_insert_with(|| never_fits(plan.world(), spec));
        if let Some(outcome) = life::judge(plan, *id, verdict.as_ref()) {
            life::end(plan, *id, outcome);
        }
    }
}
