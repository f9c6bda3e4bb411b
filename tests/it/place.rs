//! A holdshort of one's own for a test: private home, data and runtime directories, the real
//! binary, and waits that look for a fact instead of sleeping.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a fact may take on a busy machine before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// One installation in a temporary directory. Its server, if any, is ended with it.
pub struct Place {
    dir: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    /// A place with a configuration; `[[node]]` decides how much runs at once.
    pub fn new(config: &str) -> Place {
        let dir = tempfile::Builder::new().prefix("hs").tempdir_in("/tmp").unwrap();
        for sub in ["home", "run", "config/holdshort"] {
            std::fs::create_dir_all(dir.path().join(sub)).unwrap();
        }
        let place = Place { dir };
        std::fs::write(place.path("config/holdshort/config.toml"), config).unwrap();
        place
    }

    /// A place where `slots` jobs of one core run at once.
    pub fn with_slots(slots: u32) -> Place {
        Place::new(&format!("[[node]]\nname = \"n1\"\ncpu = \"{slots}\"\nmem = \"64Gi\"\n"))
    }

    pub fn path(&self, rest: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(rest)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data/holdshort")
    }

    /// The binary with this place's environment and nothing of the caller's.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdshort"));
        command.args(args).env_clear().stdin(Stdio::null());
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.path("home"));
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command.env("XDG_DATA_HOME", self.path("data")).env("LANG", "C.UTF-8");
        command.env("XDG_STATE_HOME", self.path("state"));
        command.env("XDG_RUNTIME_DIR", self.path("run"));
        command
    }

    pub fn run(&self, line: &str) -> Ran {
        self.args(line.split_whitespace())
    }

    pub fn args<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        self.command(args).output().unwrap().into()
    }

    /// Runs a command that must succeed and returns its output without the last newline.
    pub fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        ran.out.trim_end().to_owned()
    }

    /// Submits a shell script with options and returns the job's number.
    pub fn submit(&self, options: &str, script: &str) -> u64 {
        let mut args = vec!["submit"];
        args.extend(options.split_whitespace());
        args.extend(["--", "sh", "-c", script]);
        let ran = self.args(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out.trim().parse().unwrap()
    }

    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{line} --json"))).unwrap()
    }

    pub fn job(&self, id: u64) -> Value {
        self.json(&format!("show {id}"))["job"].clone()
    }

    /// Waits until a job's JSON meets a condition.
    pub fn until(&self, id: u64, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        wait_for(&format!("job {id}: {what}"), || {
            last = self.job(id);
            holds(&last)
        });
        last
    }

    pub fn until_state(&self, id: u64, state: &str) -> Value {
        self.until(id, state, |job| job["state"] == state)
    }

    /// The server's process, if one runs.
    pub fn server(&self) -> Option<i32> {
        let ran = self.run("server status --json");
        let status: Value = serde_json::from_str(&ran.out).ok()?;
        i32::try_from(status["pid"].as_i64()?).ok()
    }

    /// Kills the server with a signal that cannot be caught, and waits until it is gone.
    pub fn kill_server(&self) {
        if let Some(pid) = self.server() {
            kill(pid, 9);
            // Its first thread is gone before its last one lets go of the socket.
            let socket = self.path("run/holdshort/socket");
            let answers = || std::os::unix::net::UnixStream::connect(&socket).is_ok();
            wait_for("the server's end", || !alive(pid) && !answers());
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.run("server stop --with-jobs");
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}

/// Waits until something holds, looking often; a deadline turns a hang into a failure.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "gave up waiting for {what}");
        std::thread::yield_now();
        let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(5u8));
    }
}

pub fn kill(pid: i32, signal: i32) {
    let signal = nix::sys::signal::Signal::try_from(signal).unwrap();
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal);
}

/// The process exists and is no zombie.
pub fn alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}
