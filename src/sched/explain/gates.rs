//! Reasons that lie in what a team may hold.

use crate::base::Mono;
use crate::model::Resources;
use crate::model::job::{Job, TaskState};
use crate::model::reason::{Code, Reason};
use crate::model::team::{is_within, parent};
use crate::sched::board::moved::held;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::gates::{Over, over};
use crate::sched::world::World;

/// The bounds that keep a job's next tasks from starting, those of its team before those above.
pub(super) fn reasons(world: &World, job: &Job, chunk: &Resources, now: Mono) -> Vec<Reason> {
    let need = Amounts::from(chunk);
    let mut reasons = Vec::new();
    let mut above = Some(&*job.spec.team);
    while let Some(name) = above {
        above = parent(name);
        let Some(team) = world.teams.get(name) else { continue };
        let (mut held, mut firm) = in_all(world, name);
        for (other, promised) in promises(world, now, job, name) {
            held = held.plus(&promised);
            if !other.spec.preemptible {
                firm = firm.plus(&promised);
            }
        }
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

/// What is promised to others in a team and below it, or held for those who move.
fn promises<'a>(
    world: &'a World,
    now: Mono,
    but: &'a Job,
    name: &'a str,
) -> impl Iterator<Item = (&'a Job, Amounts)> {
    let jobs = world.index().promised.iter().filter(|id| **id != but.id);
    let jobs = jobs.filter_map(|id| world.job(*id)).map(|job| &**job);
    let inside = move |job: &&Job| is_within(&job.spec.team, name);
    let promised = jobs.filter(inside).flat_map(|job| {
        let tasks = job.tasks.iter().filter(|task| task.state == TaskState::Nominated);
        tasks.map(move |task| (job, Amounts::from(job.spec.request_of(task.group))))
    });
    let moving = held(world, now).filter(move |(job, ..)| inside(&&***job));
    let moving =
        moving.map(|(job, _, group, _)| (&**job, Amounts::from(job.spec.request_of(group))));
    promised.chain(moving)
}

fn reason(code: Code, team: &str, over: &Over) -> Reason {
    let unit = over.kind.unit_name();
    Reason::bare(code)
        .with("team", team)
        .with(&format!("need_{unit}"), over.need)
        .with(&format!("used_{unit}"), over.have)
        .with(&format!("bound_{unit}"), over.bound)
}
