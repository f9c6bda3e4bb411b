//! Reasons that lie in what a team may hold.

use crate::model::Resources;
use crate::model::job::Job;
use crate::model::reason::{Code, Reason};
use crate::model::team::{is_within, parent};
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::gates::{Over, over};
use crate::sched::world::World;

/// The bounds that keep a job's next tasks from starting, those of its team before those above.
pub(super) fn reasons(world: &World, job: &Job, chunk: &Resources) -> Vec<Reason> {
    let need = Amounts::from(chunk);
    let mut reasons = Vec::new();
    let mut above = Some(&*job.spec.team);
    while let Some(name) = above {
        above = parent(name);
        let Some(team) = world.teams.get(name) else { continue };
        let (held, firm) = in_all(world, name);
        if let Some(found) = over(&team.terms.limit, &held, &need) {
            reasons.push(reason(Code::OverLimit, name, &found));
        }
        let quota = over(&team.terms.quota, &firm, &need).filter(|_| !job.spec.preemptible);
        reasons.extend(quota.map(|found| reason(Code::OverQuota, name, &found)));
    }
    reasons
}

/// What a team and all below it hold, and what of it jobs hold that never give way.
pub(in crate::sched) fn in_all(world: &World, name: &str) -> (Amounts, Amounts) {
    let accounts = world.index().accounts.iter().filter(|(team, _)| is_within(team, name));
    accounts.fold(Default::default(), |(held, firm), (_, account)| {
        (Amounts::plus(&held, &account.held), Amounts::plus(&firm, &account.firm))
    })
}

fn reason(code: Code, team: &str, over: &Over) -> Reason {
    let unit = match over.kind {
        Kind::Cpu => "cpu_milli",
        Kind::Mem => "mem_bytes",
        Kind::Gpu => "gpu_milli",
    };
    Reason::bare(code)
        .with("team", team)
        .with(&format!("need_{unit}"), over.need)
        .with(&format!("used_{unit}"), over.have)
        .with(&format!("bound_{unit}"), over.bound)
}
