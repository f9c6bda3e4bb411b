//! Starts the server in the background if none answers, once, however many callers race.
//!
//! The caller's half is [`ensure`]; the server's half is [`detach`], which `serve --background`
//! calls first of all. They talk over a pipe that ends when the server answers or gives up.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::exit::{Failure, REFUSED, UNREACHABLE};
use super::places::Places;

/// What the server writes into the pipe once it answers; anything else is why it gave up.
const READY: &str = "ready";
/// How long a start may take: it may have a long journal to read.
const START_MAX: Duration = Duration::from_secs(120);
/// Bytes of a server's farewell that are read.
const FAREWELL_MAX: usize = 8 * 1024;

/// Somebody accepts connections at this socket.
pub fn answers(socket: &Path) -> bool {
    UnixStream::connect(socket).is_ok()
}

/// Somebody accepts connections at this socket, now or soon: a server may be restarting.
pub fn answers_within(socket: &Path, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    while !answers(socket) {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}

/// Returns once a server answers at the socket; starts one if there is none. True if this call
/// started it.
///
/// # Errors
/// When it cannot be started or gives up; the text says why and names its log.
pub fn ensure(places: &Places) -> Result<bool, Failure> {
    places.check_socket()?;
    if answers(&places.paths.socket) {
        return Ok(false);
    }
    places.prepare()?;
    let turn = take_turn(places)?;
    if answers(&places.paths.socket) {
        return Ok(false);
    }
    start(&turn, places).map(|()| true)
}

/// Returns once a server answers at the socket where one went away; starts one after a crash.
/// False if it was ended on purpose: an ordered end removes the socket, a crash leaves it.
///
/// # Errors
/// As [`ensure`].
pub fn bring_back(places: &Places) -> Result<bool, Failure> {
    let socket = &places.paths.socket;
    if answers(socket) {
        return Ok(true);
    }
    if !socket.exists() {
        return Ok(false);
    }
    // Whoever ends it holds the turn until it is gone.
    let turn = take_turn(places)?;
    if answers(socket) {
        return Ok(true);
    }
    if !socket.exists() {
        return Ok(false);
    }
    start(&turn, places).map(|()| true)
}

/// The right to start or end the server of a socket; one process has it at a time.
pub struct Turn(#[expect(dead_code, reason = "it is held, not read")] Flock<File>);

/// Waits for whoever is starting or ending a server for this socket.
///
/// # Errors
/// When the file that stands for it cannot be used.
pub fn take_turn(places: &Places) -> Result<Turn, Failure> {
    let path = places.paths.socket.with_extension("start");
    let failed = |error: io::Error| {
        if error.kind() == io::ErrorKind::PermissionDenied {
            let socket = places.paths.socket.display();
            let what = format!("{socket} belongs to somebody else, who alone may start its server");
            return Failure::new(REFUSED, what, "ask them, or use your own: leave out --socket");
        }
        let what = format!("cannot use {}; {error}", path.display());
        Failure::failed(what, "free it or give another: --socket PATH")
    };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    let locked = Flock::lock(file, FlockArg::LockExclusive);
    locked.map(Turn).map_err(|(_, errno)| failed(errno.into()))
}

/// Starts a server and returns once it answers.
///
/// # Errors
/// As [`ensure`].
pub fn start(_turn: &Turn, places: &Places) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        let what = format!("cannot start the server; {error}");
        Failure::new(UNREACHABLE, what, "try it in the foreground: holdshort serve")
    };
    let (reader, writer) = io::pipe().map_err(failed)?;
    let log = open_log(&places.log).map_err(failed)?;
    // The write end becomes the child's stdin, so that it is inherited without a moment in
    // which another thread's child could inherit it too.
    let child = Command::new(own_program())
        .arg0("holdshort")
        .arg("serve")
        .args(["--background", "--ready-fd", "0"])
        .args(places.as_flags())
        .stdin(writer)
        .stdout(Stdio::from(log.try_clone().map_err(failed)?))
        .stderr(Stdio::from(log))
        .spawn()
        .map_err(failed)?;
    let said = read_until_closed(reader.as_fd(), &mut &reader, START_MAX).map_err(failed)?;
    if said.trim() == READY {
        reap_later(child);
        return Ok(());
    }
    Err(gave_up(&said, &places.log))
}

/// The server outlives this process as a rule; where it does not, it must not stay a zombie.
fn reap_later(mut child: Child) {
    let wait = move || drop(child.wait());
    // Without a thread nothing is lost but the reaping.
    let _ = std::thread::Builder::new().name("reap".into()).spawn(wait);
}

fn gave_up(said: &str, log: &Path) -> Failure {
    let hint = format!("its log has more: {}", log.display());
    let said = crate::base::text::sanitise(said.trim());
    let what = if said.is_empty() {
        "the server ended before it answered".to_owned()
    } else {
        format!("the server did not start; {said}")
    };
    Failure::new(UNREACHABLE, what, hint)
}

/// Everything until the other end is closed, or a timeout.
fn read_until_closed(
    fd: std::os::fd::BorrowedFd<'_>,
    from: &mut dyn Read,
    within: Duration,
) -> io::Result<String> {
    let until = Instant::now() + within;
    let mut said = Vec::new();
    let mut chunk = [0u8; 512];
    while said.len() < FAREWELL_MAX {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(fd, PollFlags::POLLIN)], timeout) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::TimedOut, "it takes too long")),
            Err(nix::errno::Errno::EINTR) => continue,
            Err(errno) => return Err(errno.into()),
            Ok(_) => {}
        }
        match from.read(&mut chunk)? {
            0 => break,
            n => said.extend(chunk.iter().take(n)),
        }
    }
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn open_log(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

/// This very program, even if its file was replaced meanwhile.
fn own_program() -> PathBuf {
    match std::env::current_exe() {
        Ok(path) if path.exists() => path,
        _ => PathBuf::from("/proc/self/exe"),
    }
}

/// The server's end of the pipe.
#[derive(Debug)]
pub struct Ready(File);

impl Ready {
    /// Tells the caller that the socket answers.
    pub fn ready(mut self) {
        // A caller that has gone away needs no answer.
        let _ = self.0.write_all(READY.as_bytes());
    }

    /// Tells the caller why the server gives up: one or two sentences.
    pub fn gave_up(mut self, why: &str) {
        let _ = self.0.write_all(why.as_bytes());
    }
}

/// Leaves the caller's session, directory and descriptors behind; `fd` is the caller's pipe.
/// Stdout and stderr stay: they are the log. Call it before anything else opens a file.
///
/// # Errors
/// When the pipe is not one, or the system refuses.
pub fn detach(fd: RawFd) -> io::Result<Ready> {
    // A group leader cannot leave its session, but then it is in nobody's way either.
    let _ = nix::unistd::setsid();
    let pipe = OpenOptions::new().write(true).open(format!("/proc/self/fd/{fd}"))?;
    let null = File::open("/dev/null")?;
    nix::unistd::dup2_stdin(&null)?;
    drop(null);
    close_all_but(&pipe)?;
    std::env::set_current_dir("/")?;
    Ok(Ready(pipe))
}

/// Closes every inherited descriptor above stderr: a caller's open files, locks and pipes would
/// otherwise live as long as the server.
fn close_all_but(keep: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let listed: Vec<RawFd> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for fd in listed {
        if fd > 2 && fd != keep.as_raw_fd() {
            // The descriptor of the listing itself is closed already.
            let _ = nix::unistd::close(fd);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_socket_answers_only_while_somebody_listens() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("s");
        assert!(!answers(&socket), "there is no file");
        let listener = UnixListener::bind(&socket).unwrap();
        assert!(answers(&socket));
        drop(listener);
        assert!(!answers(&socket), "the file is stale");
    }

    #[test]
    fn what_a_server_says_is_read_to_its_end_and_a_silent_one_times_out() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"the data directory is locked by 7").unwrap();
        drop(writer);
        let said = read_until_closed(reader.as_fd(), &mut &reader, START_MAX).unwrap();
        let failure = gave_up(&said, Path::new("/l/server.log"));
        assert_eq!(failure.code, UNREACHABLE);
        assert!(failure.what.contains("locked by 7"));
        assert!(failure.hint.contains("/l/server.log"));

        let (reader, _writer) = io::pipe().unwrap();
        let silent = read_until_closed(reader.as_fd(), &mut &reader, Duration::ZERO);
        assert_eq!(silent.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
