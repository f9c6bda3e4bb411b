//! From attempt to attempt until the job's output is over.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::super::app::App;
use super::live::Live;
use super::pour::{Pour, Stop};
use crate::base::{JobId, TaskId};
use crate::engine::LogFiles;
use crate::model::Actor;
use crate::model::fact::Record;
use crate::model::job::State;
use crate::model::page::LogQuery;

/// One reader of one job's output.
pub(super) struct Follower {
    pub(super) app: App,
    pub(super) by: Actor,
    pub(super) job: JobId,
    pub(super) query: LogQuery,
    /// New records of the journal.
    pub(super) bell: broadcast::Receiver<Arc<Record>>,
    pub(super) pour: Pour,
}

/// What the engine says of the output.
struct Stand {
    files: Vec<PathBuf>,
    live: Option<TaskId>,
    /// Nothing will be added any more.
    over: bool,
}

impl Follower {
    /// Pours `files` and what comes after them.
    pub(super) async fn run(mut self, files: LogFiles) {
        let app = self.app.clone();
        let poured = tokio::select! {
            poured = self.pour_all(files) => poured,
            () = app.ended() => Err(Stop::Gone),
        };
        if let Err(Stop::Failed(error)) = poured {
            tracing::warn!(job = %self.job, %error, "output cannot be read");
            self.pour.fail(error).await;
        }
    }

    async fn pour_all(&mut self, files: LogFiles) -> Result<(), Stop> {
        self.pour.skip = match self.query.tail_bytes {
            Some(tail) => total(&files.files).await.saturating_sub(tail),
            None => 0,
        };
        if !self.query.follow {
            return self.pour_once(files).await;
        }
        let mut stand = self.look().await?;
        // The path up to which everything has been poured.
        let mut done: Option<PathBuf> = None;
        loop {
            let fresh = after(&stand.files, done.as_ref());
            let (whole, live) = divide(&fresh, stand.live.is_some());
            for path in whole {
                self.pour.drain_path(path).await?;
            }
            done = fresh.last().cloned().or(done);
            if let (Some(path), Some(task)) = (live, stand.live) {
                stand = self.pour_live(path.clone(), task).await?;
                continue;
            }
            if stand.over {
                return Ok(());
            }
            self.heard().await?;
            stand = self.look().await?;
        }
    }

    /// What is there now and no more.
    async fn pour_once(&mut self, files: LogFiles) -> Result<(), Stop> {
        let (whole, live) = divide(&files.files, files.live.is_some());
        for path in whole {
            self.pour.drain_path(path).await?;
        }
        match live {
            Some(path) => Live::new(path.clone(), None).advance(&mut self.pour).await,
            None => Ok(()),
        }
    }

    /// The output of a running task, until it no longer is; what the engine says then.
    async fn pour_live(&mut self, path: PathBuf, task: TaskId) -> Result<Stand, Stop> {
        let mut live = Live::new(path, self.app.watches.clone());
        loop {
            live.advance(&mut self.pour).await?;
            let record = tokio::select! {
                () = live.changed() => false,
                heard = heard(&mut self.bell, self.job) => { heard?; true }
                () = self.pour.gone() => return Err(Stop::Gone),
            };
            if !record {
                continue;
            }
            let stand = self.look().await?;
            let moved = stand.files.last().map(PathBuf::as_path) != Some(live.path());
            if stand.live != Some(task) || moved {
                // It has ended: what it wrote before that is in the file.
                live.advance(&mut self.pour).await?;
                return Ok(stand);
            }
        }
    }

    /// Returns when something was recorded about the job.
    async fn heard(&mut self) -> Result<(), Stop> {
        tokio::select! {
            heard = heard(&mut self.bell, self.job) => heard,
            () = self.pour.gone() => Err(Stop::Gone),
        }
    }

    async fn look(&self) -> Result<Stand, Stop> {
        let detail = self.app.handle.job(&self.by, self.job).await.map_err(|_| Stop::Gone)?;
        let over = match self.query.attempt {
            _ if matches!(detail.row.state, State::Ended(_)) => true,
            Some(attempt) => {
                let past = detail.attempts.iter().any(|past| past.attempt == attempt);
                past || detail.row.attempt > attempt
            }
            None => false,
        };
        // Looked up after the state: a job that is over has all its files.
        let files = self.app.handle.log_files(&self.by, self.job, self.query).await;
        let LogFiles { files, live } = files.map_err(|_| Stop::Gone)?;
        let live = live.filter(|_| !over);
        Ok(Stand { files, live, over })
    }
}

/// Returns when a record tells of the job, or when one may have been missed.
async fn heard(bell: &mut broadcast::Receiver<Arc<Record>>, job: JobId) -> Result<(), Stop> {
    loop {
        match bell.recv().await {
            Ok(record) if !record.facts.iter().any(|fact| fact.job() == Some(job)) => {}
            Ok(_) | Err(RecvError::Lagged(_)) => return Ok(()),
            Err(RecvError::Closed) => return Err(Stop::Gone),
        }
    }
}

/// The files after `done`; all of them if it is not among them.
fn after(files: &[PathBuf], done: Option<&PathBuf>) -> Vec<PathBuf> {
    let place = done.and_then(|done| files.iter().position(|path| path == done));
    files.iter().skip(place.map_or(0, |place| place + 1)).cloned().collect()
}

/// The files that are no longer written, and the one that is: its own rotations, which come
/// right before it, are read through it.
fn divide(files: &[PathBuf], live: bool) -> (&[PathBuf], Option<&PathBuf>) {
    match files.split_last() {
        Some((last, before)) if live => {
            let rotation = |path: &PathBuf| is_rotation(path, last);
            let whole = before.iter().rposition(|path| !rotation(path)).map_or(0, |at| at + 1);
            (before.get(..whole).unwrap_or_default(), Some(last))
        }
        _ => (files, None),
    }
}

/// `NAME.1` of `NAME`.
fn is_rotation(path: &std::path::Path, of: &std::path::Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let rest = path.as_os_str().as_bytes().strip_prefix(of.as_os_str().as_bytes());
    matches!(rest, Some([b'.', digits @ ..]) if digits.iter().all(u8::is_ascii_digit))
}

async fn total(files: &[PathBuf]) -> u64 {
    let mut sum: u64 = 0;
    for path in files {
        let bytes = tokio::fs::metadata(path).await.map_or(0, |meta| meta.len());
        sum = sum.saturating_add(bytes);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn the_rotations_of_a_file_that_is_still_written_are_read_through_it() {
        let files = paths(&["/l/1.0", "/l/2.0.2", "/l/2.0.1", "/l/2.0"]);
        let (whole, live) = divide(&files, true);
        assert_eq!((whole.len(), live), (1, Some(&files[3])));
        let (whole, live) = divide(&files, false);
        assert_eq!((whole.len(), live), (4, None));
        let others = paths(&["/l/1.1.1", "/l/1.1", "/l/1.10"]);
        assert_eq!(divide(&others, true).0.len(), 2, "another attempt's file is no rotation");
        assert_eq!(divide(&[], true), (&[][..], None));
    }

    #[test]
    fn what_was_poured_is_not_poured_again() {
        let files = paths(&["a", "b", "c.1", "c"]);
        assert_eq!(after(&files, Some(&"b".into())), paths(&["c.1", "c"]));
        assert_eq!(after(&files, Some(&"c".into())), paths(&[]));
        assert_eq!(after(&files, None), files);
    }

    #[tokio::test]
    async fn a_tail_starts_that_many_bytes_before_the_end_of_all_files() {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<PathBuf> = ["a", "b", "c"].map(|name| dir.path().join(name)).into();
        for path in &files {
            std::fs::write(path, "0123456789").unwrap();
        }
        assert_eq!(total(&files).await, 30);
        let (into, mut out) = tokio::sync::mpsc::channel(10);
        let mut pour = Pour::new(into);
        pour.skip = 15;
        for path in &files {
            pour.drain_path(path).await.unwrap();
        }
        drop(pour);
        let mut text = Vec::new();
        while let Some(piece) = out.recv().await {
            text.extend(piece.unwrap());
        }
        assert_eq!(text, b"567890123456789");
    }
}
