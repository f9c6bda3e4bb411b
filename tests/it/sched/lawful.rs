//! Whether what was taken from a team could be taken at all, worked out from jobs and terms
//! alone: a reclaim's victim stands above what its side may come to hold, or above its quota
//! while the taker's side stays within its own.

use holdshort::base::{At, JobId, Name};
use holdshort::model::fact::Rule;
use holdshort::model::job::{Job, State, Task, TaskState};
use holdshort::model::team::{Bounds, parent};
use holdshort::model::{Fact, Resources};
use holdshort::sched::World;
use holdshort::sched::explain::standings;

use super::conserving;

/// Cores, memory, devices.
type Three = [u64; 3];

/// Reclaims for which neither strategy can have held when the chunk was taken.
///
/// What happened on the way within one decision is not known here, so each side is given the
/// benefit of the doubt: the victim's may hold all it had or got in the decision and was not yet
/// taken from it, the taker's may have lost all that was taken from it.
pub fn unlawful(before: &World, facts: &[Fact], at: At) -> Vec<String> {
    let mut world = before.clone();
    let mut broken = Vec::new();
    let mut moved: Vec<(JobId, Three)> = Vec::new();
    for (n, fact) in facts.iter().enumerate() {
        if let Fact::JobEvicted { job, eviction } = fact
            && matches!(eviction.rule, Rule::ReclaimFairness | Rule::ReclaimQuota)
            // One that finds another place loses nothing: it is not judged (see `policy::taking`).
            && !eviction.moved
            && let (Some(victim), Some(taker)) = (world.job(*job), eviction.taker)
            && let Some(taker) = world.job(taker)
        {
            let (from, to) = split(&victim.spec.team, &taker.spec.team);
            let mut more = later(&world, &facts[n..], at);
            // A place that is held for one that moves counts for its team.
            let held = conserving::moving(&world, at).into_iter();
            more.extend(held.map(|(job, task, _)| (job.id, of(job.spec.request_of_task(task)))));
            more.extend(&moved);
            let most = sum(&world, from, &more);
            let shares = standings(&world, at);
            let share = shares.get(from).map(|standing| of(&standing.share)).unwrap_or_default();
            let fair = exceeds(most, &allocatable(&world, from, share));
            let least = lost(&world, to, &facts[n..]);
            let need = of(&taker.spec.request);
            let after: Three = std::array::from_fn(|i| least[i] + need[i]);
            let owed = !exceeds(after, &quota(&world, to)) && exceeds(most, &quota(&world, from));
            if !fair && !owed {
                broken.push(format!(
                    "job {job} of {from} (at most {most:?}, share {share:?}) gave room to {} of \
                     {to} \
                     ({least:?} and {need:?}): {eviction:?}",
                    taker.id
                ));
            }
        }
        moved.extend(moves(&world, fact));
        world.apply(at, fact);
    }
    broken
}

/// What tasks hold that are about to leave for another place: their team goes on holding it.
fn moves(world: &World, fact: &Fact) -> Vec<(JobId, Three)> {
    let Fact::JobEvicted { job, eviction } = fact else { return Vec::new() };
    let Some(job) = world.job(*job).filter(|_| eviction.moved) else { return Vec::new() };
    let ranks = &eviction.ranks;
    let goes = |task: &&Task| counts(task) && (ranks.is_empty() || ranks.contains(&task.rank));
    let tasks = job.tasks.iter().filter(goes);
    tasks.map(|task| (job.id, of(job.spec.request_of_task(task)))).collect()
}

/// The teams of two lines below the last they have in common.
fn split<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let line = |team: &'a str| {
        let mut line: Vec<&'a str> = std::iter::successors(Some(team), |t| parent(t)).collect();
        line.reverse();
        line
    };
    let (a, b) = (line(a), line(b));
    let pairs = || a.iter().zip(&b);
    let (a, b) = pairs().find(|(a, b)| a != b).or_else(|| pairs().next_back()).unwrap();
    (a, b)
}

fn is_below(team: &str, above: &str) -> bool {
    team.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Tasks that get room in the rest of a decision.
fn later(world: &World, facts: &[Fact], at: At) -> Vec<(JobId, Three)> {
    let mut world = world.clone();
    let mut all = Vec::new();
    for fact in facts {
        let was = world.clone();
        world.apply(at, fact);
        let (Fact::TaskPlaced { task, .. } | Fact::TaskNominated { task, .. }) = fact else {
            continue;
        };
        let rank = task.rank as usize;
        let Some(job) = world.job(task.job) else { continue };
        let had = was.job(task.job).and_then(|job| job.tasks.get(rank).cloned());
        if !had.is_some_and(|task| counts(&task)) {
            all.push((job.id, of(job.spec.request_of_task(&job.tasks[rank]))));
        }
    }
    all
}

fn counts(task: &Task) -> bool {
    let holds = [TaskState::Starting, TaskState::Running, TaskState::Nominated];
    holds.contains(&task.state)
}

fn sum(world: &World, team: &str, later: &[(JobId, Three)]) -> Three {
    let mut sum = [0; 3];
    let mut add = |three: Three| (0..3).for_each(|i| sum[i] += three[i]);
    for job in world.jobs().filter(|job| is_below(&job.spec.team, team)) {
        job.tasks.iter().filter(|task| counts(task)).for_each(|task| add(at_most(job, task)));
        later.iter().filter(|(id, _)| *id == job.id).for_each(|(_, three)| add(*three));
    }
    sum
}

/// What a team holds at least while a decision goes on: neither what is taken from it nor what
/// it was promised, for promises are made anew.
fn lost(world: &World, team: &str, facts: &[Fact]) -> Three {
    let taken = |job: &Job, task: &Task| {
        facts.iter().any(|fact| match fact {
            Fact::JobEvicted { job: id, eviction } => {
                let whole = eviction.ranks.is_empty();
                *id == job.id && (whole || eviction.ranks.contains(&task.rank))
            }
            _ => false,
        })
    };
    let mut sum = [0; 3];
    for job in world.jobs().filter(|job| is_below(&job.spec.team, team)) {
        let stays = |task: &&Task| {
            matches!(task.state, TaskState::Starting | TaskState::Running) && !taken(job, task)
        };
        for task in job.tasks.iter().filter(stays) {
            let three = held(job, task);
            (0..3).for_each(|i| sum[i] += three[i]);
        }
    }
    sum
}

/// What a task holds, or would if its job were let go on where it is frozen.
fn at_most(job: &Job, task: &Task) -> Three {
    match job.state {
        State::Queued => of(job.spec.request_of_task(task)),
        _ => held(job, task),
    }
}

fn held(job: &Job, task: &Task) -> Three {
    let mut three = of(job.spec.request_of_task(task));
    if job.frozen {
        three[0] = 0;
    }
    if !task.lent.is_empty() {
        three[2] = 0;
    }
    three
}

fn of(resources: &Resources) -> Three {
    [resources.cpu_milli, resources.mem_bytes, resources.gpu_milli]
}

fn bounds(bounds: &Bounds) -> [Option<u64>; 3] {
    [bounds.cpu_milli, bounds.mem_bytes, bounds.gpu_milli]
}

fn team<'a>(world: &'a World, name: &str) -> Option<&'a holdshort::model::Team> {
    world.teams().find(|team| team.name == Name::from(name))
}

fn quota(world: &World, name: &str) -> [Option<u64>; 3] {
    team(world, name).map_or([None; 3], |team| bounds(&team.terms.quota))
}

/// The larger of quota and share within the limit; without a quota the limit.
fn allocatable(world: &World, name: &str, share: Three) -> [Option<u64>; 3] {
    let limit = team(world, name).map_or([None; 3], |team| bounds(&team.terms.limit));
    let quota = quota(world, name);
    std::array::from_fn(|i| match quota[i] {
        None => limit[i],
        Some(quota) => {
            let owed = quota.max(share[i]);
            Some(limit[i].map_or(owed, |limit| limit.min(owed)))
        }
    })
}

fn exceeds(held: Three, bounds: &[Option<u64>; 3]) -> bool {
    (0..3).any(|i| bounds[i].is_some_and(|bound| held[i] > bound))
}
