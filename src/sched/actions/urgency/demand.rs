//! Whether the work of all deadlines up to one fits in what the nodes can do until then. Asked
//! when a job with a deadline comes or changes; a no is a notice, never a refusal.

use std::collections::BTreeMap;

use crate::base::{Span, Wall};
use crate::model::job::Job;
use crate::sched::board::teams::total;
use crate::sched::plan::Plan;
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::deadline::{Work, overdemand};
use crate::sched::world::World;

/// Jobs with a deadline that are looked at; with more of them nothing is said.
const LOOKS: usize = 4096;
/// Deadlines that are asked about in one decision.
const ANSWERS: usize = 16;

/// The answers of one decision: the demand in percent of what there is, if it is more.
#[derive(Debug, Default)]
pub(super) struct Demands(BTreeMap<(Wall, Kind), Option<u64>>);

impl Demands {
    /// For the resource that counts for a job that waits: devices if it asks for some, else
    /// cores.
    pub(super) fn of(&mut self, plan: &Plan, job: &Job, deadline: Wall) -> Option<u64> {
        let asks = Amounts::from(&job.spec.request_of_all());
        let kind = if asks.gpu_milli > 0 { Kind::Gpu } else { Kind::Cpu };
        if let Some(known) = self.0.get(&(deadline, kind)) {
            return *known;
        }
        if self.0.len() >= ANSWERS {
            return None;
        }
        let percent = percent(plan, deadline, kind);
        self.0.insert((deadline, kind), percent);
        percent
    }
}

fn percent(plan: &Plan, deadline: Wall, kind: Kind) -> Option<u64> {
    let world = plan.world();
    let with_deadline = &world.index().due;
    if with_deadline.len() > LOOKS {
        return None;
    }
    let jobs = with_deadline.iter().filter_map(|(_, id)| world.job(*id));
    let works: Vec<Work> = jobs.filter_map(|job| work(plan, world, job, kind)).collect();
    let capacity = total(world).get(kind);
    let (demand, there) = overdemand(plan.at().wall, deadline, &works, capacity)?;
    u64::try_from(demand.saturating_mul(100) / there.max(1)).ok()
}

fn work(plan: &Plan, world: &World, job: &Job, kind: Kind) -> Option<Work> {
    let deadline = job.spec.deadline?;
    let ran = job.run_time(world.active(plan.at().now));
    let left = Span(super::p90(plan.world(), job).0.saturating_sub(ran.0));
    let amount = Amounts::from(&job.spec.request_of_all()).get(kind);
    Some(Work { deadline, volume: u128::from(amount) * u128::from(left.0) })
}
