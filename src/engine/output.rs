//! Where a job's output, checkpoints and results lie: `jobs/ID/` in the data directory, with
//! `ATTEMPT/RANK.log` (and its rotations `.1`, `.2`), `checkpoint/` and `output`.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::base::{JobId, TaskId};

/// The directory of all output.
#[derive(Debug, Clone)]
pub(super) struct Output {
    jobs: PathBuf,
}

impl Output {
    pub(super) fn new(data_dir: &Path) -> Output {
        Output { jobs: data_dir.join("jobs") }
    }

    fn job(&self, job: JobId) -> PathBuf {
        self.jobs.join(job.to_string())
    }

    pub(super) fn checkpoint_dir(&self, job: JobId) -> PathBuf {
        self.job(job).join("checkpoint")
    }

    pub(super) fn result_file(&self, job: JobId) -> PathBuf {
        self.job(job).join("output")
    }

    pub(super) fn log(&self, task: TaskId) -> PathBuf {
        self.job(task.job).join(task.attempt.to_string()).join(format!("{}.log", task.rank))
    }

    /// Makes the directories a task needs, for its owner only.
    pub(super) fn prepare(&self, task: TaskId) -> std::io::Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(self.job(task.job).join(task.attempt.to_string()))?;
        builder.create(self.checkpoint_dir(task.job))
    }

    /// Removes all output of a job; a job without any is no trouble.
    pub(super) fn remove(&self, job: JobId) {
        match std::fs::remove_dir_all(self.job(job)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!("cannot remove the output of job {job}: {error}");
            }
            _ => {}
        }
    }

    /// The files of one task, oldest first.
    pub(super) fn files(&self, task: TaskId) -> Vec<PathBuf> {
        let log = self.log(task);
        let rotated = |n: u32| log.with_extension(format!("log.{n}"));
        [rotated(2), rotated(1), log.clone()].into_iter().filter(|path| path.exists()).collect()
    }
}
