//! What must hold after every step (DESIGN.md section 5). Asserted in tests and simulation, and
//! cheaply in release.

use crate::base::At;
use crate::model::job::{Job, State, TaskState};
use crate::sched::index::Index;
use crate::sched::plan::Plan;
use crate::sched::world::World;

/// Everything that does not hold, in words; empty when all does.
pub fn check(world: &World, at: At) -> Vec<String> {
    let mut broken = Vec::new();
    let mut rebuilt = Index::default();
    for job in world.jobs() {
        rebuilt.insert(job);
        check_job(job, &mut broken);
    }
    if rebuilt != *world.index() {
        broken.push("the index differs from one built anew".into());
    }
    check_room(world, &mut broken);
    let mut plan = Plan::new(world, at);
    crate::sched::actions::cycle(&mut plan);
    let (facts, _) = plan.commit();
    if let Some(fact) = facts.first() {
        broken.push(format!("a second cycle changes something: {fact:?}"));
    }
    broken
}

/// No placement takes more than there is. Capacity that shrank later is no fault of a placement,
/// so only nodes whose tasks are all younger than the node's last change could be blamed; the
/// check here is the plain sum, for worlds whose nodes do not shrink.
fn check_room(world: &World, broken: &mut Vec<String>) {
    for node in world.nodes() {
        let used = world.index().used(&node.name);
        if used.held.cpu_milli > node.capacity.cpu_milli
            || used.held.mem_bytes > node.capacity.mem_bytes
            || used.gpus.values().any(|milli| *milli > 1000)
        {
            broken.push(format!("node {} holds more than it has: {used:?}", node.name));
        }
    }
    for (name, held) in world.index().custom() {
        if world.countable(name).is_none_or(|countable| held > countable.count) {
            broken.push(format!("{held} units of {name} are held"));
        }
    }
}

fn check_job(job: &Job, broken: &mut Vec<String>) {
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            broken.push(format!("job {}: {what} ({:?})", job.id, job.state));
        }
    };
    let active = job.active_tasks().count();
    let min = job.spec.gang.min as usize;
    match &job.state {
        State::Ended(_) => expect(active == 0, "has ended and holds room"),
        State::Waiting(_) => expect(active == 0, "waits and holds room"),
        State::Queued => expect(active == 0 || job.frozen, "is queued and holds room"),
        State::Paused => {
            expect(active == 0 || job.frozen, "is paused and runs");
            expect(job.hold.is_some(), "is paused by nobody");
        }
        State::Starting | State::Running => {
            let ended = job.tasks.iter().filter(|t| t.state == TaskState::Ended).count();
            expect(active + ended >= min, "runs below the minimum of its gang");
            expect(active > 0, "runs without a task");
        }
        State::Stopping(_) => expect(active > 0, "is being stopped and has no process"),
    }
    let placed = job.active_tasks().all(|task| task.placement.is_some());
    expect(placed, "has an active task without a place");
    expect(job.is_live() == job.ended.is_none(), "has an end and lives, or the reverse");
}
