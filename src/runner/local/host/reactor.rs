//! The runner's thread: waits on supervisors, keeps the table and tells events.

use std::os::fd::RawFd;
use std::sync::Arc;

use nix::sys::epoll::{EpollEvent, EpollFlags, EpollTimeout};

use crate::base::TaskId;
use crate::model::ports::runner::{Events, RunnerEvent};
use crate::runner::local::host::connection::Connection;
use crate::runner::local::host::shared::{Shared, WAKE};
use crate::runner::local::host::table::{Phase, Table};
use crate::runner::local::spool::{self, Found};
use crate::runner::local::tree;
use crate::runner::local::wire::Up;

/// Connections looked at in one turn.
const BATCH: usize = 64;
/// Between two attempts to reach a supervisor that is alive but does not listen yet.
const AGAIN_MS: u16 = 5;
/// Attempts at that pace; one whose socket was removed is looked for less often then.
const QUICK_TRIES: u32 = 1000;
const SLOW_AGAIN_MS: u16 = 1000;

/// Runs until the runner is given up.
pub fn run(shared: &Arc<Shared>, events: &Events) {
    let mut ready = [EpollEvent::empty(); BATCH];
    loop {
        let timeout = pause(&shared.table());
        let count = match shared.epoll.wait(&mut ready, timeout) {
            Ok(count) => count,
            Err(nix::errno::Errno::EINTR) => 0,
            Err(_) => return,
        };
        for event in ready.iter().take(count) {
            match event.data() {
                WAKE => shared.woken(),
                number => {
                    let fd = RawFd::try_from(number).unwrap_or(-1);
                    serve(shared, fd, event.events());
                }
            }
        }
        adopt_waiting(shared);
        loop {
            let mut table = shared.table();
            if table.closing {
                return;
            }
            let Some(event) = table.unheard.pop_front() else {
                table.telling = false;
                shared.told.notify_all();
                break;
            };
            table.telling = true;
            drop(table);
            events(event);
        }
    }
}

/// How long to wait at most; for ever, unless a supervisor must be reached.
fn pause(table: &Table) -> EpollTimeout {
    match table.adopting.values().min() {
        None => EpollTimeout::NONE,
        Some(tries) if *tries < QUICK_TRIES => EpollTimeout::from(AGAIN_MS),
        Some(_) => EpollTimeout::from(SLOW_AGAIN_MS),
    }
}

fn serve(shared: &Shared, fd: RawFd, ready: EpollFlags) {
    let mut table = shared.table();
    let Some(task) = table.by_connection.get(&fd).copied() else { return };
    let mut open = true;
    if ready.contains(EpollFlags::EPOLLOUT) {
        open = flush(shared, &mut table, task);
    }
    if ready.intersects(EpollFlags::EPOLLIN | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR) {
        open = read(shared, &mut table, task) && open;
    }
    if open {
        return;
    }
    table.disconnect(task);
    let over = table.entries.get(&task).is_none_or(|e| matches!(e.phase, Phase::Ended(_)));
    drop(table);
    if !over {
        shared.look_after(task);
    }
}

fn flush(shared: &Shared, table: &mut Table, task: TaskId) -> bool {
    let entry = table.entries.get_mut(&task);
    let Some(connection) = entry.and_then(|entry| entry.connection.as_mut()) else { return true };
    connection.flush().is_ok() && shared.rearm(connection).is_ok()
}

/// False when the line is dead. What came before its end is still heard.
fn read(shared: &Shared, table: &mut Table, task: TaskId) -> bool {
    let connection = |table: &mut Table| -> Option<Connection> {
        table.entries.get_mut(&task)?.connection.take()
    };
    // Taken out of the table while its messages change the table.
    let Some(mut line) = connection(table) else { return true };
    let open = line.fill();
    let mut sane = true;
    loop {
        match line.take() {
            Ok(Some(message)) => hear(shared, table, task, message, &mut line),
            Ok(None) => break,
            Err(_) => {
                sane = false;
                break;
            }
        }
    }
    match table.entries.get_mut(&task) {
        Some(entry) => entry.connection = Some(line),
        None => drop(table.by_connection.remove(&line.number())),
    }
    open && sane
}

fn hear(shared: &Shared, table: &mut Table, task: TaskId, message: Up, line: &mut Connection) {
    match message {
        Up::Started { pid, supervisor, gpus, log, pty, rotated } => {
            if let Some(entry) = table.entries.get_mut(&task) {
                entry.log = log;
                entry.pty = pty;
                entry.rotated = rotated;
                entry.typed = 0;
                shared.share_locks(entry, &gpus, std::mem::take(&mut line.locks));
                entry.gpus = gpus;
            }
            table.started(task, pid, supervisor);
        }
        Up::Ended { note } => table.ended(task, note),
        // Whoever has it is found when this line ends, which it does now.
        Up::Lost => {}
        Up::Froze => froze(shared, table, task),
        Up::Prompt { text } => table.unheard.push_back(RunnerEvent::AtPrompt { task, text }),
        Up::PromptOver => table.unheard.push_back(RunnerEvent::PromptOver { task }),
        Up::Rotated { bytes } => {
            if let Some(entry) = table.entries.get_mut(&task) {
                entry.rotated = bytes;
            }
        }
        Up::Taken { bytes } => {
            if let Some(entry) = table.entries.get_mut(&task) {
                entry.typed = entry.typed.saturating_sub(bytes);
            }
        }
    }
}

/// Looks whether a tree that stands still has something in its devices' memory.
fn froze(shared: &Shared, table: &mut Table, task: TaskId) {
    let Some(entry) = table.entries.get(&task) else { return };
    let Some(supervisor) = entry.supervisor else { return };
    let pids = tree::descendants(supervisor.pid);
    let in_devices = entry.gpus.iter().any(|gpu| shared.gpus.has_memory_of(*gpu, &pids));
    table.unheard.push_back(RunnerEvent::Froze { task, in_devices });
}

/// Tries to reach the supervisors that live and are not connected.
fn adopt_waiting(shared: &Shared) {
    let waiting: Vec<(TaskId, u32)> = {
        let table = shared.table();
        table.adopting.iter().map(|(task, tries)| (*task, *tries)).collect()
    };
    for (task, tries) in waiting {
        let reached = Connection::open(&shared.dir(task));
        let mut table = shared.table();
        table.adopting.remove(&task);
        let Some(entry) = table.entries.get_mut(&task) else { continue };
        if entry.phase != Phase::Adopting {
            continue;
        }
        if let Ok(mut connection) = reached {
            let said = connection.send(&entry.wishes.frames());
            entry.wishes.limit = None;
            if said.is_ok() && shared.register(&mut table, task, connection).is_ok() {
                continue;
            }
        }
        drop(table);
        try_later(shared, task, tries);
    }
}

fn try_later(shared: &Shared, task: TaskId, tries: u32) {
    match spool::inspect(&shared.dir(task)) {
        Ok(Found::Alive(claim)) => {
            let mut table = shared.table();
            table.adopting.insert(task, tries + 1);
            if let Some(claim) = claim.filter(|_| tries == QUICK_TRIES) {
                // It runs, although it cannot be spoken to; its end will be seen.
                table.started(task, claim.main.pid, claim.supervisor);
                if let Some(entry) = table.entries.get_mut(&task) {
                    entry.phase = Phase::Adopting;
                }
            }
        }
        // Looked at once more, with all the consequences.
        _ => shared.look_after(task),
    }
}
