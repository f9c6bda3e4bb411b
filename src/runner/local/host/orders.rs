//! Starting and finding tasks.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crate::base::{Name, TaskId};
use crate::model::ports::runner::{Launch, RunnerEvent};
use crate::runner::local::gpu::{Claimed, DeviceLock, Gpus};
use crate::runner::local::host::shared::Shared;
use crate::runner::local::host::table::{Entry, Phase, unknown_end};
use crate::runner::local::spool::{self, Found};
use crate::runner::local::wire::{CgroupOrder, Down, Order, encode};

/// Looks at a supervisor that has only just claimed its task, until it is settled.
const LOOKS_MAX: u32 = 2000;

/// Between looks at a device that a foreign process uses.
const GPU_LOOK: Duration = Duration::from_secs(10);

/// Starts a task, or says again what became of it.
pub fn start(shared: &Arc<Shared>, launch: Launch, log_bytes: u64) {
    let task = launch.task;
    let mut table = shared.table();
    if table.entries.contains_key(&task) {
        table.repeat(task);
        drop(table);
        shared.wake();
        return;
    }
    // Taken before the locks are, so that a second call finds it.
    table.entries.insert(task, Entry::new(Phase::Starting));
    drop(table);

    let locks = match claim_gpus(shared, &launch) {
        Ok(locks) => locks,
        Err((index, by)) => {
            shared.table().entries.remove(&task);
            shared.tell(RunnerEvent::GpuTaken { task, index, by });
            await_gpu(shared, index);
            return;
        }
    };
    let (log, pty) = (launch.log.clone(), launch.pty);
    let order = order(shared, launch, log_bytes);
    match encode(&Down::Start(Box::new(order))) {
        Ok(frame) => {
            if let Some(entry) = shared.table().entries.get_mut(&task) {
                entry.order = Some(frame);
                entry.locks = locks;
                entry.log = log;
                entry.pty = pty;
                entry.fresh = true;
            }
            shared.launch(task);
        }
        Err(error) => shared.not_started(task, format!("it cannot be handed over: {error}")),
    }
}

fn order(shared: &Shared, launch: Launch, log_bytes: u64) -> Order {
    let group = shared.groups.as_ref().ok();
    let limits = match group {
        Some(groups) if launch.hard => groups.limits(&launch.request),
        _ => Vec::new(),
    };
    let by_group = group.is_some_and(|groups| groups.has("memory"));
    let mut env = launch.env;
    // A program can act as if it used the memory of a device that is not there.
    let memory = launch.gpus.iter().filter_map(|share| shared.gpus.pretend_memory(share.index));
    let memory: Vec<String> = memory.map(|path| path.display().to_string()).collect();
    if !memory.is_empty() {
        env.push(("HOLDSHORT_PRETEND_MEMORY".to_owned(), memory.join(":")));
    }
    let data_max = (launch.hard && !by_group && launch.request.mem_bytes > 0)
        .then_some(launch.request.mem_bytes);
    Order {
        task: launch.task,
        argv: launch.argv,
        env,
        cwd: launch.cwd,
        log: launch.log,
        log_max: if launch.log_bytes_max > 0 { launch.log_bytes_max } else { log_bytes },
        pty: launch.pty,
        limit_ms: launch.time_limit.map(|span| span.0),
        grace_ms: launch.grace.0,
        warn: launch.warn.map(|warn| (warn.signal, warn.before.0)),
        spool: shared.spool.clone(),
        spare: shared.table().spares.pop(),
        epoch: shared.epoch,
        boot: shared.boot.clone(),
        cgroup: group.map(|groups| CgroupOrder { dir: groups.dir(launch.task), limits }),
        data_max,
        gpus: launch.gpus.iter().map(|share| share.index).collect(),
    }
}

type Locks = Vec<Arc<DeviceLock>>;

fn claim_gpus(shared: &Shared, launch: &Launch) -> Result<Locks, (u32, Name)> {
    let mut locks = Vec::new();
    for share in &launch.gpus {
        match shared.gpus.claim(share.index, |pid| shared.task_of(pid).is_some()) {
            Claimed::Held(lock) => locks.push(lock),
            Claimed::Ours => {}
            Claimed::Taken(by) => return Err((share.index, by)),
        }
    }
    Ok(locks)
}

/// Has the machine told anew once a device that somebody else uses may be free.
pub fn await_gpu(shared: &Arc<Shared>, index: u32) {
    let Some(path) = shared.gpus.lock_path(index) else { return };
    let mut awaited = shared.awaited.lock().unwrap_or_else(PoisonError::into_inner);
    if !awaited.insert(index) {
        return;
    }
    drop(awaited);
    let own = Arc::downgrade(shared);
    let wait = move || {
        Gpus::wait_until_free(&path);
        // A process that took the device without a lock can only be looked for.
        let used = |shared: Arc<Shared>| {
            shared.gpus.used_by(index, |pid| shared.task_of(pid).is_some()).is_some()
        };
        while own.upgrade().is_some_and(used) {
            std::thread::sleep(GPU_LOOK);
        }
        let Some(shared) = own.upgrade() else { return };
        shared.awaited.lock().unwrap_or_else(PoisonError::into_inner).remove(&index);
        let machine = shared.machine();
        shared.tell(RunnerEvent::Machine(machine));
    };
    // Without a thread the next start finds out.
    let _ = std::thread::Builder::new().name("gpu-wait".to_owned()).spawn(wait);
}

/// Looks at one directory of the spool; true when a task is to be heard of.
pub fn recover(shared: &Shared, task: TaskId) -> bool {
    let mut table = shared.table();
    if table.entries.contains_key(&task) {
        table.repeat(task);
        return true;
    }
    drop(table);
    let dir = shared.dir(task);
    for _ in 0..LOOKS_MAX {
        let found = spool::inspect(&dir);
        let enter = |phase| shared.table().entries.insert(task, Entry::new(phase));
        match found {
            Ok(Found::Nothing) => {
                spool::remove(&dir);
                return false;
            }
            // It has not written down yet that it will start; it may still give way to us.
            Ok(Found::Alive(None)) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            Ok(Found::Alive(Some(_))) => {
                enter(Phase::Adopting);
                shared.table().adopt(task);
            }
            Ok(Found::Ended(note)) => {
                enter(Phase::Starting);
                shared.table().ended(task, note);
            }
            Ok(Found::Abandoned(claim)) => {
                shared.clear(&claim);
                enter(Phase::Starting);
                shared.table().ended(task, unknown_end());
            }
            Err(_) => {
                enter(Phase::Starting);
                shared.table().ended(task, unknown_end());
            }
        }
        return true;
    }
    shared.table().entries.insert(task, Entry::new(Phase::Adopting));
    shared.table().adopt(task);
    true
}
