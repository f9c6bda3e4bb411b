//! A fresh home with a data directory of its own, and the program in it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a test waits for a fact before it fails.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// A home of its own. When it goes, its server and jobs go.
pub struct World {
    dir: TempDir,
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World {
    pub fn new() -> World {
        let dir = tempfile::Builder::new().prefix("hs").tempdir().unwrap();
        for part in ["home", "run", "work"] {
            std::fs::create_dir(dir.path().join(part)).unwrap();
        }
        World { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("work").join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Any program, in this home.
    pub fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("HOLDSHORT_") || text.starts_with("XDG_") {
                command.env_remove(&name);
            }
        }
        command
            .env("HOME", self.dir.path().join("home"))
            .env("XDG_RUNTIME_DIR", self.dir.path().join("run"))
            .env("HOLDSHORT_DATA_DIR", self.dir.path().join("data"))
            .env("BIN", env!("CARGO_BIN_EXE_holdshort"))
            .current_dir(self.dir.path().join("work"))
            .stdin(Stdio::null());
        command
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.program(Path::new(env!("CARGO_BIN_EXE_holdshort")));
        command.args(words);
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, words: &[&str]) -> Said {
        Said::of(&self.command(words).output().unwrap())
    }

    /// Runs a command that must succeed; its stdout.
    pub fn ok(&self, words: &[&str]) -> String {
        let said = self.run(words);
        assert_eq!(said.code, 0, "{words:?}: {said:?}");
        said.out
    }

    /// Queues a shell line; its number.
    pub fn submit(&self, options: &[&str], line: &str) -> String {
        let words = [&["submit"], options, &["--", "sh", "-c", line]].concat();
        self.ok(&words).trim().to_owned()
    }

    /// Runs a command beside the test.
    pub fn start(&self, words: &[&str]) -> Child {
        self.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The document a command prints.
    pub fn json(&self, words: &[&str]) -> serde_json::Value {
        let text = self.ok(&[words, &["--json"]].concat());
        let document: serde_json::Value = serde_json::from_str(&text).expect(&text);
        assert_eq!(document["schema_version"], 1, "{words:?}");
        document
    }

    /// Waits until a job is in a state.
    pub fn until_state(&self, job: &str, state: &str) {
        self.until(&format!("{job} {state}"), || {
            self.json(&["show", job])["job"]["state"] == state
        });
    }

    /// Waits for a fact.
    pub fn until(&self, what: &str, mut fact: impl FnMut() -> bool) {
        let end = Instant::now() + DEADLINE;
        while !fact() {
            assert!(Instant::now() < end, "it did not come to this: {what}");
            std::thread::yield_now();
        }
    }

    /// The server's process.
    pub fn server(&self) -> nix::unistd::Pid {
        let pid = self.json(&["server", "status"])["pid"].as_i64().unwrap();
        nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap())
    }
}

impl Said {
    pub fn of(output: &Output) -> Said {
        use std::os::unix::process::ExitStatusExt;
        let status = output.status;
        Said {
            code: status.code().or(status.signal().map(|signal| -signal)).unwrap(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Waits for a child and what it said, with a deadline.
pub fn end_of(child: Child) -> Said {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    Said::of(&receiver.recv_timeout(DEADLINE).expect("it did not end").unwrap())
}

impl Drop for World {
    fn drop(&mut self) {
        // Nothing of a test may outlive it, whether it passed or not; jobs outlive a killed
        // server, and the next one finds them.
        if self.dir.path().join("data").exists() {
            let _ = self.command(&["server", "start"]).output();
        }
        // A job that ends by itself at this very moment may make it refuse once.
        let end = Instant::now() + DEADLINE;
        while self.run(&["server", "stop", "--with-jobs"]).code != 0 && Instant::now() < end {}
    }
}
