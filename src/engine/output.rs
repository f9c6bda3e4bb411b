//! Where output, checkpoints and results lie: in the data directory, `jobs/SHARD/` has for each
//! job of a thousand `ID.ATTEMPT.RANK.log` (and its rotations `.1`, `.2`), the directory
//! `ID.checkpoint` and, if the job wrote one, `ID.output`; for a job that came back with an answer
//! of people, `ID.decision.json`.
//!
//! A job costs one directory: making one is the dearest thing that a start does to the disk.

use std::collections::BTreeSet;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::base::{JobId, TaskId};

/// Jobs in one shard.
const SHARD: u64 = 1000;

/// The directory of all output.
#[derive(Debug, Clone)]
pub(super) struct Output {
    jobs: PathBuf,
}

impl Output {
    pub(super) fn new(data_dir: &Path) -> Output {
        Output { jobs: data_dir.join("jobs") }
    }

    fn shard(&self, job: JobId) -> PathBuf {
        self.jobs.join((job.0 / SHARD).to_string())
    }

    pub(super) fn checkpoint_dir(&self, job: JobId) -> PathBuf {
        self.shard(job).join(format!("{job}.checkpoint"))
    }

    pub(super) fn result_file(&self, job: JobId) -> PathBuf {
        self.shard(job).join(format!("{job}.output"))
    }

    pub(super) fn decision_file(&self, job: JobId) -> PathBuf {
        self.shard(job).join(format!("{job}.decision.json"))
    }

    /// Puts an answer where its job reads it: whole or not at all, for its owner only.
    pub(super) fn write_decision(&self, job: JobId, bytes: &[u8]) -> std::io::Result<()> {
        let file = self.decision_file(job);
        let new = file.with_extension("new");
        let mut options = std::fs::OpenOptions::new();
        let mut writer = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        std::io::Write::write_all(&mut writer, bytes)?;
        std::fs::rename(&new, &file)
    }

    pub(super) fn log(&self, task: TaskId) -> PathBuf {
        self.shard(task.job).join(format!("{task}.log"))
    }

    /// Makes the directories a task needs, for its owner only.
    pub(super) fn prepare(&self, task: TaskId) -> std::io::Result<()> {
        let dir = self.checkpoint_dir(task.job);
        let mut builder = std::fs::DirBuilder::new();
        builder.mode(0o700);
        match builder.create(&dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                builder.recursive(true).create(&dir)
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }

    /// Removes the shards that lie wholly before `before`, except those with a job in `keep`.
    pub(super) fn remove_before(&self, before: JobId, keep: impl Iterator<Item = JobId>) {
        let Ok(shards) = std::fs::read_dir(&self.jobs) else { return };
        let number = |name: &std::ffi::OsStr| name.to_str().and_then(|n| n.parse::<u64>().ok());
        let old = shards.flatten().filter_map(|entry| number(&entry.file_name()));
        let mut old: BTreeSet<u64> = old.filter(|shard| *shard < before.0 / SHARD).collect();
        if old.is_empty() {
            return;
        }
        for job in keep {
            old.remove(&(job.0 / SHARD));
        }
        for shard in old {
            if let Err(error) = std::fs::remove_dir_all(self.jobs.join(shard.to_string())) {
                tracing::warn!("cannot remove old output in shard {shard}: {error}");
            }
        }
    }

    /// The files of one task, oldest first.
    pub(super) fn files(&self, task: TaskId) -> Vec<PathBuf> {
        let log = self.log(task);
        let rotated = |n: u32| log.with_extension(format!("log.{n}"));
        [rotated(2), rotated(1), log.clone()].into_iter().filter(|path| path.exists()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_shards_go_whole_unless_a_job_of_theirs_is_still_known() {
        let dir = tempfile::tempdir().unwrap();
        let output = Output::new(dir.path());
        for id in [5, 1_500, 2_500, 3_500] {
            let task = TaskId { job: JobId(id), attempt: 1, rank: 0 };
            output.prepare(task).unwrap();
            output.prepare(task).unwrap();
            std::fs::write(output.log(task), "x").unwrap();
        }
        output.remove_before(JobId(3_200), [JobId(1_999)].into_iter());
        let left = |id| output.checkpoint_dir(JobId(id)).exists();
        assert_eq!([5, 1_500, 2_500, 3_500].map(left), [false, true, false, true]);
    }
}
