//! What a server does first: load what was made durable, and look at what earlier servers
//! started.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::TaskId;
use crate::engine::intake::{Door, Inbox, Request};
use crate::engine::metering::read_snapshot;
use crate::engine::replay;
use crate::ledger::Meter;
use crate::model::job::TaskState;
use crate::model::ports::journal::StorageError;
use crate::model::ports::runner::RunnerEvent;
use crate::model::ports::{Journal, Runner};
use crate::sched::World;

/// A world as the journal has it.
pub(super) struct Loaded {
    pub world: World,
    pub meter: Meter,
    pub seq: u64,
    pub snapshot_seq: u64,
}

/// The newest snapshot, and every record after it applied. What those close in the ledger was
/// stored with them.
pub(super) fn load(journal: &dyn Journal) -> Result<Loaded, StorageError> {
    let ((mut world, mut meter), snapshot_seq) = match journal.snapshot()? {
        Some(snapshot) => (read_snapshot(&snapshot.body)?, snapshot.seq),
        None => ((World::new(), Meter::new()), 0),
    };
    let mut last = snapshot_seq;
    journal.replay(snapshot_seq, &mut |seq, bytes| {
        let record = replay::read_record(seq, bytes)?;
        let mut stored = Vec::new();
        for fact in &record.facts {
            world.apply(record.at, fact);
            meter.apply(record.at, fact, &mut stored);
        }
        last = seq;
        Ok(())
    })?;
    Ok(Loaded { world, meter, seq: last, snapshot_seq })
}

/// Lets the runner look, on a thread of its own, and collects what it says meanwhile: it may
/// have more to say than the channel holds.
pub(super) fn look(
    runner: &Arc<dyn Runner>,
    inbox: &Inbox,
    door: &Door,
) -> (Vec<TaskId>, Vec<RunnerEvent>) {
    let mut events = Vec::new();
    let found = std::thread::scope(|scope| {
        scope.spawn(|| door.send(Request::Recovered(runner.recover())));
        loop {
            match inbox.receiver.recv() {
                Ok(Request::Recovered(found)) => return found,
                Ok(Request::Runner(event)) => events.push(event),
                Ok(_) => {}
                Err(_) => return Vec::new(),
            }
        }
    });
    (found, events)
}

/// Tasks that ran and of which nothing is left, not even an end: nobody can know how they ended.
pub(super) fn vanished(world: &World, found: &[TaskId]) -> Vec<TaskId> {
    let found: BTreeSet<&TaskId> = found.iter().collect();
    let live = world.jobs().filter(|job| job.is_live());
    let ran = live.flat_map(|job| {
        let ran = job.active_tasks().filter(|task| task.state != TaskState::Starting);
        let ran = ran.filter(|task| task.started.is_some());
        ran.map(|task| TaskId { job: job.id, attempt: job.attempt, rank: task.rank })
    });
    ran.filter(|task| !found.contains(task)).collect()
}
