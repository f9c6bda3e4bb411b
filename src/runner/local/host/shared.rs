//! What the callers of the runner and its thread share, and the steps that both take.
//!
//! Callers never tell events themselves: they put them into the table and wake the thread, so
//! that an engine that calls while it is behind with events cannot block itself.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::eventfd::{EfdFlags, EventFd};

use crate::base::{Name, TaskId};
use crate::model::Resources;
use crate::model::job::Exit;
use crate::model::ports::runner::{Machine, RunnerEvent};
use crate::runner::local::cgroup::{Group, Groups};
use crate::runner::local::gpu::Gpus;
use crate::runner::local::host::connection::Connection;
use crate::runner::local::host::table::{Entry, Phase, Table, unknown_end};
use crate::runner::local::host::zygote::Zygote;
use crate::runner::local::spool::{self, Claim, Found};
use crate::runner::local::wire::{Down, ExitNote, Stamp, encode};
use crate::runner::local::{capacity, supervise, tree};

/// Supervisors asked for one task before it is given up: each vanished, or found the task in the
/// hands of one that gave way, before it began.
const ATTEMPTS_MAX: u32 = 40;
/// Directories kept for tasks to come.
const SPARES_MAX: usize = 64;
/// What the wake-up descriptor is called among connections.
pub const WAKE: u64 = u64::MAX;

/// Everything behind a [`super::LocalRunner`].
pub struct Shared {
    /// Directory of all tasks.
    pub spool: PathBuf,
    /// This server's turn.
    pub epoch: u64,
    /// The kernel's id of this boot.
    pub boot: String,
    /// The machine's name.
    pub node: Name,
    /// Capacity that was given instead of found.
    pub cpu_milli: Option<u64>,
    /// As above.
    pub mem_bytes: Option<u64>,
    /// Where control groups are made, or why there are none.
    pub groups: Result<Groups, String>,
    /// The devices.
    pub gpus: Gpus,
    /// GPUs for which a thread waits until they are free.
    pub awaited: Mutex<BTreeSet<u32>>,
    /// What is waited on.
    pub epoll: Epoll,
    wake: EventFd,
    table: Mutex<Table>,
    /// Every event has been told.
    pub told: Condvar,
    zygote: Mutex<Zygote>,
}

impl Shared {
    /// Puts it together.
    ///
    /// # Errors
    /// When too many descriptors are open.
    #[expect(clippy::too_many_arguments, reason = "called once, with everything")]
    pub fn new(
        spool: PathBuf,
        epoch: u64,
        boot: String,
        node: Name,
        capacity: (Option<u64>, Option<u64>),
        groups: Result<Groups, String>,
        gpus: Gpus,
        zygote: Zygote,
    ) -> io::Result<Shared> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let wake = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
        epoll.add(&wake, EpollEvent::new(EpollFlags::EPOLLIN, WAKE))?;
        Ok(Shared {
            spool,
            epoch,
            boot,
            node,
            cpu_milli: capacity.0,
            mem_bytes: capacity.1,
            groups,
            gpus,
            awaited: Mutex::default(),
            epoll,
            wake,
            table: Mutex::default(),
            told: Condvar::new(),
            zygote: Mutex::new(zygote),
        })
    }

    /// The table. Held for moments only, never while an event is told.
    pub fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until every event that is known now has been told.
    pub fn wait_until_told(&self) {
        let untold =
            |table: &mut Table| !table.closing && (table.telling || !table.unheard.is_empty());
        drop(self.told.wait_while(self.table(), untold));
    }

    /// The zygote.
    pub fn zygote(&self) -> MutexGuard<'_, Zygote> {
        self.zygote.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the thread.
    pub fn wake(&self) {
        let _ = self.wake.write(1);
    }

    /// Takes a wake-up.
    pub fn woken(&self) {
        let _ = self.wake.read();
    }

    /// Directory of a task.
    pub fn dir(&self, task: TaskId) -> PathBuf {
        spool::dir(&self.spool, task)
    }

    /// A process is below one of our supervisors.
    pub fn task_of(&self, pid: u32) -> Option<TaskId> {
        tree::find_ancestor(pid, |stamp| {
            let known = self.table().by_supervisor.get(&stamp.pid).copied();
            let known = known.filter(|(start, _)| *start == stamp.start).map(|(_, task)| task);
            known.or_else(|| self.unheard_supervisor(stamp))
        })
    }

    /// The task of a supervisor that has not been heard of yet: its command may speak to us
    /// before its own news arrives. It is known by its name, and by its claim.
    fn unheard_supervisor(&self, stamp: Stamp) -> Option<TaskId> {
        let task = supervise::task_of_name(&tree::name(stamp.pid)?)?;
        match spool::inspect(&self.dir(task)) {
            Ok(Found::Alive(claim)) if claim.as_ref().is_none_or(|c| c.supervisor == stamp) => {
                Some(task)
            }
            _ => None,
        }
    }

    /// What the machine has now.
    pub fn machine(&self) -> Machine {
        let gpus = self.gpus.list(|pid| self.task_of(pid).is_some());
        let capacity = Resources {
            cpu_milli: self.cpu_milli.unwrap_or_else(capacity::cpu_milli),
            mem_bytes: self.mem_bytes.unwrap_or_else(capacity::mem_bytes),
            gpu_milli: self.gpus.count() * 1000,
            ..Resources::default()
        };
        Machine { name: self.node.clone(), capacity, gpus }
    }

    /// Has a supervisor forked for a task that has an order. Must not hold the table.
    pub fn launch(&self, task: TaskId) {
        if let Err(error) = self.try_launch(task) {
            let text = format!("cannot start a supervisor: {error}");
            self.not_started(task, text);
        }
    }

    fn try_launch(&self, task: TaskId) -> io::Result<()> {
        let (mut ours, theirs) = Connection::pair()?;
        let mut table = self.table();
        table.disconnect(task);
        let Some(entry) = table.entries.get_mut(&task) else { return Ok(()) };
        let Some(order) = &entry.order else { return Ok(()) };
        ours.send(order)?;
        ours.send(&entry.wishes.frames())?;
        entry.attempts += 1;
        entry.phase = Phase::Starting;
        let locks = entry.locks.clone();
        self.register(&mut table, task, ours)?;
        drop(table);
        let mut fds = vec![theirs.as_fd()];
        fds.extend(locks.iter().map(|lock| lock.as_fd()));
        self.zygote().fork(&fds)
    }

    /// Makes a connection a task's own and waits for what comes over it.
    ///
    /// # Errors
    /// When the kernel takes no more.
    pub fn register(
        &self,
        table: &mut Table,
        task: TaskId,
        connection: Connection,
    ) -> io::Result<()> {
        let Some(entry) = table.entries.get_mut(&task) else { return Ok(()) };
        let number = u64::try_from(connection.number()).unwrap_or_default();
        self.epoll.add(&connection, EpollEvent::new(interest(&connection), number))?;
        table.by_connection.insert(connection.number(), task);
        entry.connection = Some(connection);
        Ok(())
    }

    /// Sends a message to a task's supervisor if there is a line to it.
    pub fn send(&self, entry: &mut Entry, message: &Down) -> bool {
        let Some(connection) = &mut entry.connection else { return false };
        let Ok(frame) = encode(message) else { return false };
        // A supervisor that is gone is noticed by the thread.
        connection.send(&frame).is_ok() && self.rearm(connection).is_ok()
    }

    /// Waits for room too as long as something is unsent.
    ///
    /// # Errors
    /// When the connection is not waited on.
    pub fn rearm(&self, connection: &Connection) -> io::Result<()> {
        let number = u64::try_from(connection.number()).unwrap_or_default();
        Ok(self.epoll.modify(connection, &mut EpollEvent::new(interest(connection), number))?)
    }

    /// Records that a task never ran.
    pub fn not_started(&self, task: TaskId, text: String) {
        let note = ExitNote { exit: Exit::NotStarted(text), wall_ms: 0, by_limit: false };
        self.table().ended(task, note);
        self.wake();
    }

    /// Finds out from its directory what became of a task to which there is no line any more.
    /// Must not hold the table.
    pub fn look_after(&self, task: TaskId) {
        let found = spool::inspect(&self.dir(task));
        let mut table = self.table();
        table.disconnect(task);
        let Some(entry) = table.entries.get(&task) else { return };
        let (can_start, attempts) = (entry.order.is_some(), entry.attempts);
        match found {
            Ok(Found::Ended(note)) => table.ended(task, note),
            Ok(Found::Alive(_)) => table.adopt(task),
            Ok(Found::Abandoned(claim)) => {
                drop(table);
                self.clear(&claim);
                self.table().ended(task, unknown_end());
            }
            Ok(Found::Nothing) if can_start && attempts < ATTEMPTS_MAX => {
                drop(table);
                self.launch(task);
            }
            Ok(Found::Nothing) if can_start => {
                drop(table);
                let text = format!("{attempts} supervisors vanished before they could start it");
                self.not_started(task, text);
            }
            Ok(Found::Nothing) | Err(_) => table.ended(task, unknown_end()),
        }
    }

    /// Ends what is left of a task whose supervisor vanished. After a reboot nothing is.
    pub fn clear(&self, claim: &Claim) {
        if claim.boot != self.boot {
            return;
        }
        if let Some(dir) = &claim.cgroup {
            Group::at(dir.clone()).end();
        }
        tree::kill_orphans(claim.main);
    }

    /// Sets a forgotten task's directory aside for another one, if there is need.
    pub fn spare(&self, table: &mut Table, dir: &Path) -> bool {
        if table.spares.len() >= SPARES_MAX {
            return false;
        }
        let name = spool::spare(self.epoch, table.spared);
        let spared = std::fs::rename(dir, self.spool.join(&name)).is_ok();
        if spared {
            table.spared += 1;
            table.spares.push(name);
        }
        spared
    }

    /// Puts events into the table's list and wakes the thread.
    pub fn tell(&self, event: RunnerEvent) {
        self.table().unheard.push_back(event);
        self.wake();
    }

    /// Hands back what a supervisor sent along with its greeting.
    pub fn share_locks(&self, entry: &mut Entry, gpus: &[u32], locks: Vec<OwnedFd>) {
        if entry.locks.is_empty() {
            let shared = gpus.iter().zip(locks).map(|(gpu, lock)| self.gpus.share(*gpu, lock));
            entry.locks = shared.collect();
        }
    }
}

fn interest(connection: &Connection) -> EpollFlags {
    if connection.has_unsent() {
        EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT
    } else {
        EpollFlags::EPOLLIN
    }
}
