//! Processes and their descendants, seen through /proc.
//!
//! A supervisor is the subreaper of its task: whatever a job forks, however often it changes
//! its session or lets its parents die, stays below the supervisor. So a walk over children
//! finds all of it, and a kill repeated until no child is left ends all of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::runner::local::sys;
use crate::runner::local::wire::Stamp;

/// Passes over a tree before a loop over it gives up and leaves the rest to its caller.
const PASSES_MAX: usize = 1000;

/// What /proc says about one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Its id.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its session.
    pub session: u32,
    /// The letter of its state.
    pub state: u8,
    /// When it started, in clock ticks since boot.
    pub start: u64,
}

impl Stat {
    /// Neither a zombie nor gone.
    pub fn is_alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Does not run before somebody lets it.
    fn is_still(&self) -> bool {
        !self.is_alive() || matches!(self.state, b'T' | b't' | b'D')
    }

    /// Tells it apart from a later process with its number.
    pub fn stamp(&self) -> Stamp {
        Stamp { pid: self.pid, start: self.start }
    }
}

/// Looks at a process.
pub fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// This process.
pub fn own_stat() -> Option<Stat> {
    parse_stat(&fs::read("/proc/self/stat").ok()?)
}

/// The name a process gave itself, at most 15 bytes.
pub fn name(pid: u32) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/comm")).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// A process has a file open.
pub fn has_open(pid: u32, file: &Path) -> bool {
    let Ok(wanted) = file.metadata() else { return false };
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let same = |found: fs::Metadata| found.dev() == wanted.dev() && found.ino() == wanted.ino();
    open.flatten().any(|entry| fs::metadata(entry.path()).is_ok_and(same))
}

/// The name in the middle is any bytes, parentheses included: fields count from the last one.
fn parse_stat(bytes: &[u8]) -> Option<Stat> {
    let close = bytes.iter().rposition(|byte| *byte == b')')?;
    let pid = std::str::from_utf8(bytes.get(..bytes.iter().position(|b| *b == b' ')?)?).ok()?;
    let mut fields = std::str::from_utf8(bytes.get(close + 1..)?).ok()?.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let mut number = || fields.next()?.parse::<i64>().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    let start = fields.nth(15)?.parse().ok()?;
    let id = |n: i64| u32::try_from(n).unwrap_or(0);
    Some(Stat {
        pid: pid.parse().ok()?,
        parent: id(parent),
        group: id(group),
        session: id(session),
        state,
        start,
    })
}

/// Every process of this machine that can be seen.
pub fn all() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(stat).collect()
}

/// All processes below `root`, parents before children.
pub fn descendants(root: u32) -> Vec<u32> {
    visit(root, |_| {})
}

/// Calls `visit` for each process below `root` as soon as it is found and before its children
/// are looked for; all of them.
fn visit(root: u32, visit: impl FnMut(u32)) -> Vec<u32> {
    if Path::new("/proc/thread-self/children").exists() {
        walk(root, visit, children)
    } else {
        let mut by_parent: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for process in all() {
            by_parent.entry(process.parent).or_default().push(process.pid);
        }
        walk(root, visit, |pid| by_parent.remove(&pid).unwrap_or_default())
    }
}

fn walk(
    root: u32,
    mut visit: impl FnMut(u32),
    mut children_of: impl FnMut(u32) -> Vec<u32>,
) -> Vec<u32> {
    let mut found = children_of(root);
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        visit(pid);
        found.extend(children_of(pid));
        next += 1;
    }
    found
}

/// Children of all threads of a process.
fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        let Ok(text) = fs::read_to_string(thread.path().join("children")) else { continue };
        found.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    found
}

/// Sends a signal to every process below `root`; how many it reached.
pub fn signal(root: u32, signal: i32) -> usize {
    descendants(root).into_iter().filter(|pid| send(*pid, signal)).count()
}

fn send(pid: u32, signal: i32) -> bool {
    i32::try_from(pid).is_ok_and(|pid| sys::kill(pid, signal).is_ok())
}

/// Stops every process below `root` and looks again until nothing new appears and nothing
/// moves. False when it was still moving after many looks.
pub fn freeze(root: u32) -> bool {
    let mut stopped = BTreeSet::new();
    for _ in 0..PASSES_MAX {
        let mut stable = true;
        for pid in descendants(root) {
            if stopped.insert(pid) && send(pid, libc::SIGSTOP) {
                stable = false;
            } else if stat(pid).is_some_and(|process| !process.is_still()) {
                // One that was continued by somebody else is stopped again.
                send(pid, libc::SIGSTOP);
                stable = false;
            }
        }
        if stable {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

/// Lets every process below `root` go on.
pub fn thaw(root: u32) {
    signal(root, libc::SIGCONT);
}

/// Kills what is below `root` now, each as soon as it is seen; all it saw. Whoever is killed
/// leaves its children to `root`, if that is their subreaper, so repeating this until nothing
/// new is seen ends a whole tree, also one that forks without end: the killed fork no more.
pub fn kill(root: u32) -> Vec<u32> {
    visit(root, |pid| {
        send(pid, libc::SIGKILL);
    })
}

/// Ends what is left of a task whose supervisor vanished: the session of its command and
/// everything below it. True when nothing of that is alive any more.
pub fn kill_orphans(main: Stamp) -> bool {
    for _ in 0..PASSES_MAX {
        let taken_over = stat(main.pid).is_some_and(|process| process.start != main.start);
        let of_task = |process: &Stat| {
            process.start >= main.start && process.session == main.pid && !taken_over
        };
        let mut left: BTreeSet<u32> = BTreeSet::new();
        for process in all().iter().filter(|process| process.is_alive() && of_task(process)) {
            left.insert(process.pid);
            left.extend(descendants(process.pid));
        }
        left.retain(|pid| send(*pid, libc::SIGKILL));
        if left.is_empty() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

/// The first of `pid` and its ancestors for which `known` has an answer. A parent that started
/// after its child is another process with the number of the real one; the walk ends there.
pub fn find_ancestor<T>(pid: u32, known: impl Fn(Stamp) -> Option<T>) -> Option<T> {
    let mut process = stat(pid)?;
    loop {
        if let Some(answer) = known(process.stamp()) {
            return Some(answer);
        }
        if process.parent == 0 {
            return None;
        }
        let parent = stat(process.parent)?;
        if parent.start > process.start {
            return None;
        }
        process = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_does_not_shift_the_fields() {
        let line = b"42 (a) R 1 (b\n) S 7 42 43 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 9876 1 2\n";
        let parsed = parse_stat(line).unwrap();
        let want = Stat { pid: 42, parent: 7, group: 42, session: 43, state: b'S', start: 9876 };
        assert_eq!(parsed, want);
        for bad in [&b""[..], b"1", b"1 (x", b"1 (x) S", b"1 (x) S 1 2 3"] {
            assert_eq!(parse_stat(bad), None);
        }
    }

    #[test]
    fn this_process_is_found_below_its_own_ancestors() {
        let own = own_stat().unwrap();
        assert_eq!(
            stat(own.pid),
            Some(own).map(|s| Stat { state: stat(own.pid).unwrap().state, ..s })
        );
        let parent = stat(own.parent).unwrap();
        let found = find_ancestor(own.pid, |stamp| (stamp == parent.stamp()).then_some(()));
        assert_eq!(found, Some(()));
        assert!(descendants(parent.pid).contains(&own.pid));
    }
}
