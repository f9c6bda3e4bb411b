//! A bench for the local runner: real processes in a directory of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench fails loudly")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use holdshort::base::{JobId, Span, TaskId};
use holdshort::model::Resources;
use holdshort::model::job::{Exit, StopFor};
use holdshort::model::ports::Runner;
use holdshort::model::ports::runner::{Launch, RunnerEvent};
use holdshort::runner::local::{LocalRunner, Options, spool, tree};
use tempfile::TempDir;

/// Longer than anything here takes on the slowest machine.
pub const DEADLINE: Duration = Duration::from_secs(30);

pub struct Bench {
    pub dir: Arc<TempDir>,
    runner: Option<LocalRunner>,
    events: Receiver<RunnerEvent>,
    seen: RefCell<VecDeque<RunnerEvent>>,
    options: Options,
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Options)) -> Bench {
        let dir = Arc::new(tempfile::tempdir().unwrap());
        let mut options = options(dir.path());
        change(&mut options);
        Bench::over(dir, options)
    }

    /// A runner on a directory that may have a past.
    pub fn over(dir: Arc<TempDir>, options: Options) -> Bench {
        let (sender, events) = channel();
        let tell = Arc::new(move |event| drop(sender.send(event)));
        let runner = LocalRunner::new(options.clone(), tell).unwrap();
        Bench { dir, runner: Some(runner), events, seen: RefCell::default(), options }
    }

    /// The server ends, its tasks live on, another one comes.
    pub fn restart(mut self) -> Bench {
        drop(self.runner.take());
        Bench::over(Arc::clone(&self.dir), self.options.clone())
    }

    pub fn runner(&self) -> &LocalRunner {
        self.runner.as_ref().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path(name)).unwrap_or_default()).into_owned()
    }

    /// The process id that a script writes into a file.
    pub fn pid_in(&self, name: &str) -> u32 {
        until(name, || self.read(name).ends_with('\n'));
        self.read(name).trim().parse().unwrap()
    }

    /// A shell script as task `n.1.0`, with this directory as its own.
    pub fn script(&self, n: u64, script: &str) -> Launch {
        launch(self.dir.path(), n, script)
    }

    /// Starts a script and waits until it runs.
    pub fn run(&self, n: u64, script: &str) -> u32 {
        self.runner().start(self.script(n, script));
        self.started(n)
    }

    pub fn event<T>(&self, what: &str, fits: impl Fn(&RunnerEvent) -> Option<T>) -> T {
        let end = Instant::now() + DEADLINE;
        loop {
            let mut seen = self.seen.borrow_mut();
            if let Some(at) = seen.iter().position(|event| fits(event).is_some()) {
                return fits(&seen.remove(at).unwrap()).unwrap();
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(event) => seen.push_back(event),
                Err(error) => panic!("no {what}: {error}; seen {seen:?}"),
            }
        }
    }

    pub fn started(&self, n: u64) -> u32 {
        self.event(&format!("start of {n}"), |event| match event {
            RunnerEvent::Started { task, pid } if task.job.0 == n => Some(*pid),
            RunnerEvent::Ended { task, exit: Exit::NotStarted(why) } if task.job.0 == n => {
                panic!("{n} did not start: {why}")
            }
            _ => None,
        })
    }

    pub fn ended(&self, n: u64) -> Exit {
        self.event(&format!("end of {n}"), |event| match event {
            RunnerEvent::Ended { task, exit } if task.job.0 == n => Some(exit.clone()),
            _ => None,
        })
    }

    pub fn end_of(&self, n: u64, script: &str) -> Exit {
        self.runner().start(self.script(n, script));
        self.ended(n)
    }

    pub fn not_started(&self, launch: Launch) -> String {
        let n = launch.task.job.0;
        self.runner().start(launch);
        match self.ended(n) {
            Exit::NotStarted(why) => why,
            other => panic!("{other:?}"),
        }
    }
}

/// Leaves nothing running, whatever a test came to.
impl Drop for Bench {
    fn drop(&mut self) {
        let Some(runner) = &self.runner else { return };
        for task in spool::tasks(&self.path("spool")).unwrap_or_default() {
            runner.stop(task, StopFor::Cancel, Span::ZERO);
        }
    }
}

pub fn options(dir: &Path) -> Options {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_holdshort"));
    let mut options = Options::new(dir.join("spool"), program, "here".into());
    options.gpu_locks = dir.to_owned();
    options
}

pub fn launch(dir: &Path, n: u64, script: &str) -> Launch {
    Launch {
        task: task(n),
        argv: ["/bin/sh", "-c", script].map(str::to_owned).into(),
        env: [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOLDSHORT_JOB_ID", "7")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        cwd: dir.to_owned(),
        log: dir.join(format!("{n}.log")),
        log_bytes_max: 1 << 20,
        pty: false,
        request: Resources::default(),
        gpus: Vec::new(),
        hard: false,
        time_limit: None,
        grace: Span::secs(30),
        warn: None,
    }
}

pub fn task(n: u64) -> TaskId {
    TaskId { job: JobId(n), attempt: 1, rank: 0 }
}

/// Waits for a fact.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < end, "never came true: {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

pub fn is_alive(pid: u32) -> bool {
    tree::stat(pid).is_some_and(|process| process.is_alive())
}

pub fn gone(pid: u32) {
    until(&format!("{pid} is gone"), || !is_alive(pid));
}

/// Ends a process that a test started.
pub fn kill_hard(pid: u32) {
    use nix::sys::signal::{Signal, kill};
    kill(nix::unistd::Pid::from_raw(pid.try_into().unwrap()), Signal::SIGKILL).unwrap();
}

/// Processes that run with this word among their arguments.
pub fn with_argument(word: &str) -> Vec<u32> {
    let has = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes())
    };
    tree::all().into_iter().filter(|one| one.is_alive()).map(|one| one.pid).filter(has).collect()
}

#[test]
fn the_spool_of_an_ended_task_is_small_and_goes_when_it_is_forgotten() {
    let bench = Bench::new();
    assert_eq!(bench.end_of(1, "exit 3"), Exit::Code(3));
    let dir = spool::dir(&bench.path("spool"), task(1));
    assert!(dir.exists());
    let bytes: u64 =
        std::fs::read_dir(&dir).unwrap().map(|f| f.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 8192, "{bytes}");
    assert!(bench.runner().end_note(task(1)).unwrap().wall.is_some());
    bench.runner().forget(task(1));
    assert!(!dir.exists());
    assert_eq!(bench.runner().end_note(task(1)), None);
}
