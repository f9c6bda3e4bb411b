//! The first milliseconds of a supervisor: claim the task, start its command.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::base::TaskId;
use crate::model::job::Exit;
use crate::runner::local::cgroup::Group;
use crate::runner::local::spool::{self, Held};
use crate::runner::local::supervise::command::{Command, Output};
use crate::runner::local::supervise::control::Control;
use crate::runner::local::supervise::log::Log;
use crate::runner::local::supervise::stopping::Stopping;
use crate::runner::local::supervise::terminal::Terminal;
use crate::runner::local::supervise::watch::{Source, Task, Watch};
use crate::runner::local::sys::SingleThreaded;
use crate::runner::local::wire::{ExitNote, Order, Stamp, Up};
use crate::runner::local::{sys, tree};

/// What a supervisor calls itself, before its task's id. The kernel keeps 15 bytes.
const NAME_PREFIX: &str = "hs:";

/// Longer spans than this are as good as for ever, and add up without overflow.
const SPAN_MAX: Duration = Duration::from_secs(100 * 365 * 86_400);
/// An order longer than this leaves memory behind that is worth giving back.
const LONG_ORDER: usize = 64 << 10;
/// Attempts to claim in a directory that somebody else takes away at the same time.
const CLAIM_TRIES: u32 = 100;
/// What is told of why a command did not start.
const WHY_MAX: usize = 1500;

/// Becomes the supervisor of the task whose order comes over the first descriptor; the others
/// are locks to hold. Returns when the task has ended or is not ours.
pub fn run(proof: &SingleThreaded, mut fds: Vec<OwnedFd>) {
    if fds.is_empty() {
        return;
    }
    let socket = fds.remove(0);
    let _ = nix::unistd::setsid();
    let _ = nix::sys::prctl::set_child_subreaper(true);
    let Ok(signals) = catch_signals() else { return };
    let Some((mut control, order)) = Control::receive_order(socket) else { return };
    name_process(&order);
    match claim(&order) {
        Ok(Some(held)) => {
            if let Some(watch) = begin(proof, order, control, held, signals, fds) {
                watch.stay();
            }
        }
        Ok(None) => drop(control.send(&Up::Lost, &[])),
        Err(error) => {
            let text = format!("cannot write to the spool {}: {error}", order.spool.display());
            drop(control.send(&Up::Ended { note: not_started(text) }, &[]));
        }
    }
}

/// Child ends and a polite request to end arrive over a descriptor.
fn catch_signals() -> io::Result<SignalFd> {
    let mut set = SigSet::empty();
    set.add(Signal::SIGCHLD);
    set.add(Signal::SIGTERM);
    set.thread_block()?;
    sys::default_signals(&[libc::SIGCHLD]);
    Ok(SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?)
}

/// The task in a supervisor's name; `None` for any other process. A process that only calls
/// itself so gains nothing: its claim must be the task's.
pub fn task_of_name(name: &str) -> Option<TaskId> {
    name.strip_prefix(NAME_PREFIX)?.parse().ok()
}

fn name_process(order: &Order) {
    if let Ok(name) = std::ffi::CString::new(format!("{NAME_PREFIX}{}", order.task)) {
        let _ = nix::sys::prctl::set_name(&name);
    }
}

/// Claims the task and makes its directory the current one. None when another supervisor has
/// it, or when a newer server has come, which decides anew whether to start it.
fn claim(order: &Order) -> io::Result<Option<Held>> {
    let dir = spool::dir(&order.spool, order.task);
    let spare = order.spare.as_ref().map(|name| order.spool.join(name));
    let claimed = match spare.map(|spare| Held::claim_with(&spare, &dir)) {
        Some(Ok(claimed)) => claimed,
        Some(Err(_)) | None => claim_anew(&dir)?,
    };
    let Some(held) = claimed else { return Ok(None) };
    if spool::read_epoch(&order.spool) != order.epoch {
        held.withdraw(&dir);
        let _ = fs::remove_dir(&dir);
        return Ok(None);
    }
    std::env::set_current_dir(&dir)?;
    Ok(Some(held))
}

fn claim_anew(dir: &Path) -> io::Result<Option<Held>> {
    // A server that looks around may take an empty directory away under our feet.
    for _ in 0..CLAIM_TRIES {
        spool::make_private_dir(dir, false)?;
        match Held::claim(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            claimed => return claimed,
        }
    }
    Err(io::Error::from(io::ErrorKind::NotFound))
}

fn begin(
    proof: &SingleThreaded,
    order: Box<Order>,
    mut control: Control,
    held: Held,
    signals: SignalFd,
    locks: Vec<OwnedFd>,
) -> Option<Watch> {
    let (own, group, begun) = match set_up(proof, &order, &held) {
        Ok(ready) => ready,
        Err(text) => {
            refuse(&order, &mut control, &held, text);
            return None;
        }
    };
    let now = std::time::Instant::now();
    let warn_before = order.warn.map(|(_, before)| span(before));
    let mut stopping = Stopping::new(warn_before, span(order.grace_ms));
    stopping.set_limit(order.limit_ms.map(span), now);
    let task = Task {
        main: begun.pid,
        supervisor: own,
        gpus: order.gpus.clone(),
        locks,
        warn_signal: order.warn.map(|(signal, _)| signal),
        grace: span(order.grace_ms),
        group,
        held,
    };
    let long = order.env.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
    drop(order);
    if long > LONG_ORDER {
        sys::release_free_memory();
    }
    Some(Watch::new(task, control, signals, begun.log, begun.source, stopping))
}

struct Begun {
    pid: i32,
    log: Log,
    source: Source,
}

type Ready = (Stamp, Option<Group>, Begun);

fn set_up(proof: &SingleThreaded, order: &Order, held: &Held) -> Result<Ready, String> {
    let own = tree::own_stat().ok_or("/proc cannot be read")?.stamp();
    let command = Command::prepare(order)?;
    let group = match &order.cgroup {
        // Without limits a group only makes things easier; the tree can be had without it.
        Some(wanted) if wanted.limits.is_empty() => Group::create(wanted.dir.clone(), &[]).ok(),
        Some(wanted) => Some(Group::create(wanted.dir.clone(), &wanted.limits)?),
        None => None,
    };
    match launch(proof, order, held, &command, own, group.as_ref()) {
        Ok(begun) => Ok((own, group, begun)),
        Err(text) => {
            if let Some(group) = group {
                group.end();
            }
            Err(text)
        }
    }
}

fn launch(
    proof: &SingleThreaded,
    order: &Order,
    held: &Held,
    command: &Command<'_>,
    own: Stamp,
    group: Option<&Group>,
) -> Result<Begun, String> {
    let log = Log::open(order.log.clone(), order.log_max);
    let (source, pid) = if order.pty {
        let terminal = Terminal::open().map_err(|e| format!("no terminal to be had: {e}"))?;
        let output = Output::Terminal(terminal.slave());
        let pid = command.start(proof, held, own, output, group)?;
        (Source::Terminal(Box::new(terminal)), pid)
    } else {
        let pipe = || -> io::Result<_> {
            let (reader, writer) = io::pipe()?;
            fcntl(&reader, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
            Ok((reader, writer))
        };
        let (reader, writer) = pipe().map_err(|e| format!("cannot make a pipe: {e}"))?;
        let pid = command.start(proof, held, own, Output::Pipe(writer.as_fd()), group)?;
        (Source::Pipe(reader.into()), pid)
    };
    Ok(Begun { pid, log, source })
}

/// Writes down and says that the command never ran.
fn refuse(order: &Order, control: &mut Control, held: &Held, text: String) {
    let note = not_started(text);
    // A full disk may refuse the note as it refused the claim; then the task was not claimed
    // either and the server hears it from the message.
    if held.record_exit(&note).is_err() {
        let _ = fs::remove_file(spool::CLAIM);
        let _ = fs::remove_dir(spool::dir(&order.spool, order.task));
    }
    let _ = control.send(&Up::Ended { note }, &[]);
}

fn not_started(mut text: String) -> ExitNote {
    let mut end = text.len().min(WHY_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    ExitNote { exit: Exit::NotStarted(text), wall_ms: wall_ms(), by_limit: false }
}

/// The calendar, in milliseconds since the Unix epoch.
pub fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A span that came as a number, in a size that can be counted with.
pub fn span(ms: u64) -> Duration {
    Duration::from_millis(ms).min(SPAN_MAX)
}
