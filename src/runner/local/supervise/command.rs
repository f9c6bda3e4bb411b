//! From a claimed task to a running command: what happens in the child between fork and exec,
//! and why a command could not be started, in words.

use std::ffi::CString;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use crate::runner::local::spool::{Claim, Held};
use crate::runner::local::supervise::IGNORED;
use crate::runner::local::sys::{self, Forked, Image, SingleThreaded};
use crate::runner::local::wire::{Order, Stamp};
use crate::runner::local::{cgroup::Group, tree};

/// Where commands are looked for when the environment has no PATH.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// How far a child came before it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Stage {
    Session = 1,
    Claim = 2,
    Output = 3,
    Limits = 4,
    Directory = 5,
    Exec = 6,
}

const STAGES: [Stage; 6] =
    [Stage::Session, Stage::Claim, Stage::Output, Stage::Limits, Stage::Directory, Stage::Exec];

/// Where the command's output goes.
#[derive(Debug, Clone, Copy)]
pub enum Output<'a> {
    /// A pipe; input is /dev/null.
    Pipe(BorrowedFd<'a>),
    /// A terminal for input and output.
    Terminal(BorrowedFd<'a>),
}

/// All that the child needs, made before the fork.
#[derive(Debug)]
pub struct Command<'a> {
    order: &'a Order,
    image: Image,
    candidates: Vec<String>,
}

impl<'a> Command<'a> {
    /// Prepares an order's command.
    ///
    /// # Errors
    /// Why it can never be executed.
    pub fn prepare(order: &'a Order) -> Result<Command<'a>, String> {
        let name = order.argv.first().filter(|name| !name.is_empty());
        let Some(name) = name else { return Err("there is no command".to_owned()) };
        let candidates = candidates(name, &order.env);
        let zero =
            |what: &str| format!("{what} contains a zero byte, which no program can be given");
        let image = Image::new(
            c_strings(candidates.iter()).map_err(|_| zero("the command's name"))?,
            c_strings(order.argv.iter()).map_err(|_| zero("an argument"))?,
            c_strings(environment(order)).map_err(|_| zero("the environment"))?,
        );
        Ok(Command { order, image, candidates })
    }

    /// Forks and executes. Returns the process id once the command runs.
    ///
    /// # Errors
    /// Why it does not, for people.
    pub fn start(
        &self,
        proof: &SingleThreaded,
        held: &Held,
        supervisor: Stamp,
        output: Output<'_>,
        group: Option<&Group>,
    ) -> Result<i32, String> {
        let system = |error: io::Error| format!("cannot start a process: {error}");
        let (mut status, report) = io::pipe().map_err(system)?;
        let place = group.and_then(|group| group.open().ok());
        let (forked, joined) = match &place {
            Some(place) => match sys::fork_into_cgroup(proof, place.as_fd()) {
                Ok(forked) => (forked, true),
                Err(_) => (sys::fork(proof).map_err(system)?, false),
            },
            None => (sys::fork(proof).map_err(system)?, true),
        };
        let Forked::Parent(pid) = forked else {
            let failed = self.run_child(held, supervisor, output, group.filter(|_| !joined));
            let _ = (&report).write_all(&failed);
            sys::exit_now(127);
        };
        drop(report);
        let mut failed = [0; REPORT];
        let read = status.read(&mut failed).unwrap_or(0);
        if read < REPORT { Ok(pid) } else { Err(self.explain(failed)) }
    }

    /// Runs in the child; returns only with what went wrong.
    fn run_child(
        &self,
        held: &Held,
        supervisor: Stamp,
        output: Output<'_>,
        join: Option<&Group>,
    ) -> [u8; REPORT] {
        let steps = || -> Result<(), (Stage, io::Error)> {
            nix::unistd::setsid().map_err(|e| (Stage::Session, e.into()))?;
            self.record(held, supervisor).map_err(|e| (Stage::Claim, e))?;
            connect(output).map_err(|e| (Stage::Output, e))?;
            if let Some(group) = join {
                group.join().map_err(|e| (Stage::Limits, e))?;
            }
            if let Some(max) = self.order.data_max {
                let data = nix::sys::resource::Resource::RLIMIT_DATA;
                nix::sys::resource::setrlimit(data, max, max)
                    .map_err(|e| (Stage::Limits, e.into()))?;
            }
            std::env::set_current_dir(&self.order.cwd).map_err(|e| (Stage::Directory, e))
        };
        if let Err((stage, error)) = steps() {
            return report(stage, 0, error.raw_os_error().unwrap_or(libc::EIO));
        }
        sys::restore_signals(&IGNORED);
        let (index, errno) = self.image.exec();
        report(Stage::Exec, index, errno)
    }

    /// Written by the child itself, so that no command ever runs whose process is not known.
    fn record(&self, held: &Held, supervisor: Stamp) -> io::Result<()> {
        let own = tree::own_stat().ok_or_else(|| io::Error::other("/proc cannot be read"))?;
        held.record(&Claim {
            boot: self.order.boot.clone(),
            supervisor,
            main: own.stamp(),
            cgroup: self.order.cgroup.as_ref().map(|group| group.dir.clone()),
        })
    }

    fn explain(&self, failed: [u8; REPORT]) -> String {
        let [stage, index, rest @ ..] = failed;
        let errno = i32::from_le_bytes(rest);
        let error = io::Error::from_raw_os_error(errno);
        let stage = STAGES.into_iter().find(|known| *known as u8 == stage);
        match stage {
            Some(Stage::Exec) => self.explain_exec(usize::from(index), errno),
            Some(Stage::Directory) => {
                let cwd = self.order.cwd.display();
                match errno {
                    libc::ENOENT => format!("the working directory {cwd} does not exist"),
                    libc::ENOTDIR => format!("the working directory {cwd} is not a directory"),
                    _ => format!("cannot enter the working directory {cwd}: {error}"),
                }
            }
            Some(Stage::Claim) => format!("cannot write to the spool: {error}"),
            Some(Stage::Limits) => format!("cannot set the task's limits: {error}"),
            Some(Stage::Output) => format!("cannot connect the task's output: {error}"),
            Some(Stage::Session) | None => format!("cannot start a process: {error}"),
        }
    }

    fn explain_exec(&self, index: usize, errno: i32) -> String {
        let name = self.order.argv.first().map_or("", String::as_str);
        let path = self.candidates.get(index).map_or(name, String::as_str);
        let there = Path::new(path);
        let from = |path: &str| self.order.cwd.join(path);
        let half_there = self.candidates.iter().find(|path| from(path).exists());
        match (errno, half_there) {
            (libc::ENOENT, Some(path)) => {
                format!("{path} is there, but the interpreter or loader it names is not")
            }
            (libc::ENOENT | libc::ENOTDIR, _) if !name.contains('/') => {
                let path = path_of(&self.order.env);
                format!("command not found: {name} (PATH is {path})")
            }
            (libc::ENOENT | libc::ENOTDIR, _) if there.is_relative() => {
                format!("command not found: {path} (in {})", self.order.cwd.display())
            }
            (libc::ENOENT | libc::ENOTDIR, _) => format!("command not found: {path}"),
            (libc::EACCES, _) if from(path).is_dir() => {
                format!("{path} is a directory, not a program")
            }
            (libc::EACCES, _) => format!(
                "{path} may not be executed: permission denied (chmod +x makes a file executable)"
            ),
            (libc::E2BIG, _) => {
                let size = |list: &mut dyn Iterator<Item = usize>| list.sum::<usize>() / 1024;
                let args = size(&mut self.order.argv.iter().map(String::len));
                let env = size(&mut self.order.env.iter().map(|(k, v)| k.len() + v.len() + 2));
                format!(
                    "the arguments ({args} KiB) and the environment ({env} KiB) are longer than \
                     the kernel takes; pass large values in files"
                )
            }
            (libc::ENOEXEC, _) => format!(
                "{path} is neither a program for this machine nor a script with a #! line \
                 (start it as: sh {path})"
            ),
            _ => format!("cannot execute {path}: {}", io::Error::from_raw_os_error(errno)),
        }
    }
}

/// Stage, index of the candidate, error number.
const REPORT: usize = 6;

fn report(stage: Stage, index: usize, errno: i32) -> [u8; REPORT] {
    let [a, b, c, d] = errno.to_le_bytes();
    [stage as u8, u8::try_from(index).unwrap_or(u8::MAX), a, b, c, d]
}

/// Descriptors 0, 1 and 2 of the command. 0 is /dev/null already.
fn connect(output: Output<'_>) -> io::Result<()> {
    match output {
        Output::Pipe(pipe) => {
            sys::place(pipe, 1)?;
            sys::place(pipe, 2)
        }
        Output::Terminal(slave) => {
            sys::take_terminal(slave)?;
            (0..=2).try_for_each(|fd| sys::place(slave, fd))
        }
    }
}

fn path_of(env: &[(String, String)]) -> &str {
    env.iter().find(|(name, _)| name == "PATH").map_or(DEFAULT_PATH, |(_, path)| path)
}

/// The paths at which a command may be, in order; relative ones count from its directory.
fn candidates(name: &str, env: &[(String, String)]) -> Vec<String> {
    if name.contains('/') {
        return vec![name.to_owned()];
    }
    let in_dir =
        |dir: &str| if dir.is_empty() { format!("./{name}") } else { format!("{dir}/{name}") };
    path_of(env).split(':').map(in_dir).collect()
}

fn environment(order: &Order) -> Vec<String> {
    let mut env: Vec<String> =
        order.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if order.pty && !order.env.iter().any(|(name, _)| name == "TERM") {
        env.push("TERM=xterm-256color".to_owned());
    }
    env
}

fn c_strings<S: AsRef<str>>(list: impl IntoIterator<Item = S>) -> Result<Vec<CString>, ()> {
    list.into_iter().map(|text| CString::new(text.as_ref()).map_err(|_| ())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_looked_for_where_the_jobs_own_path_says() {
        let env = |path: &str| vec![("PATH".to_owned(), path.to_owned())];
        assert_eq!(candidates("ls", &env("/a::/b")), ["/a/ls", "./ls", "/b/ls"]);
        assert_eq!(candidates("./ls", &env("/a")), ["./ls"]);
        assert_eq!(candidates("ls", &[]).len(), 3);
    }

    #[test]
    fn a_report_reads_back() {
        let [stage, index, rest @ ..] = report(Stage::Exec, 300, libc::EACCES);
        assert_eq!((stage, index), (Stage::Exec as u8, 255));
        assert_eq!(i32::from_le_bytes(rest), libc::EACCES);
    }
}
