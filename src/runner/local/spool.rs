//! The directory of a task: who claimed it, how it ended, where its supervisor listens.
//!
//! `SPOOL/JOB.ATTEMPT.RANK/claim` is made once and for all by the supervisor that may start the
//! task, and locked for as long as that supervisor, or its child before the exec, lives. Its
//! first half says who runs the task, its second half how it ended: both are there from the
//! start, so that the end of a task finds room on a full disk. Beside it `sock` appears when
//! the server is gone: there a later one finds the supervisor. `SPOOL/epoch` counts servers.
//!
//! Directories of forgotten tasks are used again, as `free.EPOCH.N` in between: making and
//! removing files by the thousand is what file systems are slowest at.
//!
//! Nothing here is flushed to the disk: these files are for a server that died, not for a
//! machine that did. After a reboot nothing of a task runs, which the boot id in its claim shows.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::TaskId;
use crate::runner::local::wire::{ExitNote, Stamp};

/// Name of the claim file.
pub const CLAIM: &str = "claim";
/// Name of the socket.
pub const SOCKET: &str = "sock";
const FREE: &str = "free.";
const EPOCH: &str = "epoch";

/// Half a claim file.
const HALF: usize = 2048;

/// Who runs a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The boot in which it was claimed.
    pub boot: String,
    /// The supervisor.
    pub supervisor: Stamp,
    /// The command, leader of its own session.
    pub main: Stamp,
    /// Its cgroup, if it has one.
    #[serde(default)]
    pub cgroup: Option<PathBuf>,
}

/// What a task's directory says.
#[derive(Debug)]
pub enum Found {
    /// It was never started.
    Nothing,
    /// Its supervisor lives; without a claim it has only just begun.
    Alive(Option<Claim>),
    /// It ended.
    Ended(ExitNote),
    /// Its supervisor is gone and did not say how it ended.
    Abandoned(Claim),
}

/// The directory of one task.
pub fn dir(spool: &Path, task: TaskId) -> PathBuf {
    spool.join(task.to_string())
}

/// Makes a directory for this user alone; one that is there already is fine.
///
/// # Errors
/// When it can be neither made nor found.
pub fn make_private_dir(path: &Path, with_parents: bool) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).recursive(with_parents).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Starts the turn of a new server and returns its number.
///
/// # Errors
/// When the spool cannot be written.
pub fn next_epoch(spool: &Path) -> io::Result<u64> {
    let epoch = read_epoch(spool).saturating_add(1);
    let fresh = spool.join("epoch.new");
    fs::write(&fresh, epoch.to_string())?;
    fs::rename(fresh, spool.join(EPOCH))?;
    Ok(epoch)
}

/// The turn of the newest server; 0 before the first.
pub fn read_epoch(spool: &Path) -> u64 {
    fs::read_to_string(spool.join(EPOCH)).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A held claim. The lock goes with the last copy of the descriptor.
#[derive(Debug)]
pub struct Held {
    file: File,
}

impl Held {
    /// Claims the task whose directory is `here` (given so that the caller's current directory
    /// can serve). None when it is claimed already.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn claim(here: &Path) -> io::Result<Option<Held>> {
        let path = here.join(CLAIM);
        let made =
            OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
        let file = match made {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        // Waits for a server that looks at this claim just now; it may find it empty and
        // unlocked, and remove it.
        file.lock()?;
        Ok((file.metadata()?.nlink() > 0).then_some(Held { file }))
    }

    /// Claims a task by giving it a directory that another task does not need any more. None
    /// when the task is claimed already.
    ///
    /// # Errors
    /// When the spare directory cannot be had; any other way to claim is as good.
    pub fn claim_with(spare: &Path, here: &Path) -> io::Result<Option<Held>> {
        let file = OpenOptions::new().read(true).write(true).open(spare.join(CLAIM))?;
        // Waits for the last breath of the supervisor that had it before.
        file.lock()?;
        file.write_all_at(&[b' '; 2 * HALF], 0)?;
        // A directory with a claim in it is never replaced, an empty one is nobody's.
        match fs::rename(spare, here) {
            // A server that comes takes the spare ones of the last one away.
            Ok(()) if file.metadata()?.nlink() == 0 => Err(io::ErrorKind::NotFound.into()),
            Ok(()) => Ok(Some(Held { file })),
            Err(error) => match error.kind() {
                io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Writes the claim down and keeps room for the note on the end, so that a full disk is met
    /// before the task runs and not after.
    ///
    /// # Errors
    /// When there is no room.
    pub fn record(&self, claim: &Claim) -> io::Result<()> {
        self.file.write_all_at(&half(claim)?, 0)?;
        self.file.write_all_at(&[b' '; HALF], HALF as u64)
    }

    /// Gives the claim back: nothing was started.
    pub fn withdraw(self, here: &Path) {
        let _ = fs::remove_file(here.join(CLAIM));
    }

    /// Writes how the task ended. It is one write into one page, which is done or not done
    /// whoever is killed meanwhile, and it counts only with its line end.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn record_exit(&self, note: &ExitNote) -> io::Result<()> {
        self.file.write_all_at(&half(note)?, HALF as u64)
    }
}

/// A record, filled up to half a claim file.
fn half<T: Serialize>(record: &T) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(record)?;
    if bytes.len() >= HALF {
        return Err(io::Error::other("the record is too long"));
    }
    bytes.push(b'\n');
    bytes.resize(HALF, b' ');
    Ok(bytes)
}

/// Looks at a task's directory. An empty claim that nobody holds is taken away.
///
/// # Errors
/// When it cannot be read.
pub fn inspect(here: &Path) -> io::Result<Found> {
    let file = match File::open(here.join(CLAIM)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(error),
    };
    let (_, note) = read_claim(&file)?;
    if let Some(note) = note {
        return Ok(Found::Ended(note));
    }
    let locked = file.try_lock().is_ok();
    // Read again: with the lock what is there is final, without it newer.
    match read_claim(&file)? {
        (_, Some(note)) => Ok(Found::Ended(note)),
        (claim, None) if !locked => Ok(Found::Alive(claim)),
        (Some(claim), None) => Ok(Found::Abandoned(claim)),
        (None, None) => {
            remove(here);
            Ok(Found::Nothing)
        }
    }
}

fn read_claim(file: &File) -> io::Result<(Option<Claim>, Option<ExitNote>)> {
    let mut bytes = [0; 2 * HALF];
    let read = file.read_at(&mut bytes, 0)?;
    let (claim, note) = bytes.split_at(HALF.min(read));
    Ok((first_line(claim), first_line(note)))
}

/// Reads a record that is whole only with its line end.
fn first_line<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Option<T> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    serde_json::from_slice(bytes.get(..end)?).ok()
}

/// Removes a task's directory; what is not there is fine.
pub fn remove(here: &Path) {
    for name in [SOCKET, CLAIM] {
        let _ = fs::remove_file(here.join(name));
    }
    let _ = fs::remove_dir(here);
}

/// Name of the spare directory number `n` of a server's turn.
pub fn spare(epoch: u64, n: u64) -> String {
    format!("{FREE}{epoch}.{n}")
}

/// Removes the spare directories of earlier servers.
pub fn remove_spares(spool: &Path) {
    for entry in fs::read_dir(spool).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(FREE)) {
            remove(&entry.path());
        }
    }
}

/// All tasks that have a directory, in order.
///
/// # Errors
/// When the spool cannot be read.
pub fn tasks(spool: &Path) -> io::Result<Vec<TaskId>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(spool)? {
        if let Some(task) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) {
            found.push(task);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A path to a task's socket that is short enough for the kernel however deep the spool lies;
/// good while the descriptor is open.
///
/// # Errors
/// When the directory is gone.
pub fn socket_path(here: &Path) -> io::Result<(OwnedFd, PathBuf)> {
    use std::os::fd::AsRawFd as _;
    let flags = libc::O_PATH | libc::O_DIRECTORY;
    let held: OwnedFd = OpenOptions::new().read(true).custom_flags(flags).open(here)?.into();
    let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", held.as_raw_fd()));
    Ok((held, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::Exit;

    fn claim_of(pid: u32) -> Claim {
        let stamp = Stamp { pid, start: 7 };
        Claim { boot: "b".into(), supervisor: stamp, main: stamp, cgroup: None }
    }

    fn note(code: i32) -> ExitNote {
        ExitNote { exit: Exit::Code(code), wall_ms: 1, by_limit: false }
    }

    #[test]
    fn a_task_is_claimed_once_and_its_directory_tells_its_story() {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path();
        assert!(matches!(inspect(here).unwrap(), Found::Nothing));
        let held = Held::claim(here).unwrap().unwrap();
        assert!(Held::claim(here).unwrap().is_none());
        assert!(matches!(inspect(here).unwrap(), Found::Alive(None)));
        held.record(&claim_of(3)).unwrap();
        assert!(
            matches!(inspect(here).unwrap(), Found::Alive(Some(claim)) if claim == claim_of(3))
        );
        held.record_exit(&note(4)).unwrap();
        assert!(matches!(inspect(here).unwrap(), Found::Ended(n) if n == note(4)));
        assert!(Held::claim(here).unwrap().is_none(), "an ended task is never claimed again");
    }

    #[test]
    fn of_many_that_claim_at_once_one_gets_it() {
        for _ in 0..50 {
            let dir = tempfile::tempdir().unwrap();
            let barrier = std::sync::Barrier::new(8);
            let claim = || {
                barrier.wait();
                Held::claim(dir.path()).unwrap()
            };
            let won = std::thread::scope(|scope| {
                let all: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
                all.into_iter().filter_map(|one| one.join().unwrap()).count()
            });
            assert_eq!(won, 1);
        }
    }

    #[test]
    fn a_dead_supervisor_leaves_an_abandoned_task_and_an_empty_claim_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path().join("1.1.0");
        make_private_dir(&here, false).unwrap();
        drop(Held::claim(&here).unwrap());
        assert!(matches!(inspect(&here).unwrap(), Found::Nothing));
        make_private_dir(&here, false).unwrap();
        let held = Held::claim(&here).unwrap().unwrap();
        held.record(&claim_of(3)).unwrap();
        drop(held);
        assert!(matches!(inspect(&here).unwrap(), Found::Abandoned(_)));
    }

    #[test]
    fn a_spare_directory_serves_again_but_never_for_a_task_that_is_claimed() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("1.1.0"), dir.path().join("2.1.0"));
        let spares = [spare(3, 0), spare(3, 1)].map(|name| dir.path().join(name));
        make_private_dir(&one, false).unwrap();
        let held = Held::claim(&one).unwrap().unwrap();
        held.record(&claim_of(3)).unwrap();
        held.record_exit(&note(9)).unwrap();
        drop(held);
        fs::rename(&one, &spares[0]).unwrap();
        assert!(Held::claim_with(&spares[1], &two).is_err(), "there is none of that name");
        let held = Held::claim_with(&spares[0], &two).unwrap().unwrap();
        assert!(matches!(inspect(&two).unwrap(), Found::Alive(None)), "the past is wiped out");
        held.record_exit(&note(8)).unwrap();
        drop(held);

        make_private_dir(&spares[1], false).unwrap();
        fs::write(spares[1].join(CLAIM), "").unwrap();
        assert!(Held::claim_with(&spares[1], &two).unwrap().is_none());
        assert!(matches!(inspect(&two).unwrap(), Found::Ended(n) if n == note(8)));
        remove_spares(dir.path());
        assert_eq!(tasks(dir.path()).unwrap().len(), 1);
        assert!(!spares[1].exists());
    }

    #[test]
    fn epochs_count_up() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read_epoch(dir.path()), 0);
        assert_eq!(next_epoch(dir.path()).unwrap(), 1);
        assert_eq!(next_epoch(dir.path()).unwrap(), 2);
        assert_eq!(read_epoch(dir.path()), 2);
    }
}
