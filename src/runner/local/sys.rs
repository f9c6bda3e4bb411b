//! The system calls that need `unsafe`, each behind a function that does not.
//!
//! Nothing here decides anything; start with [`SingleThreaded`], the proof that a process may
//! fork and go on in the child.

#![expect(unsafe_code, reason = "fork, exec and descriptor passing have no checked form")]

use std::ffi::{CStr, CString};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, UnixAddr, recvmsg, sendmsg};

/// Descriptors that may travel with one message.
pub const DESCRIPTORS_MAX: usize = 32;

/// `CLONE_INTO_CGROUP` of linux/sched.h; the constant of the libc crate is too narrow for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Proof that this process has one thread, so that a fork leaves no lock held in the child.
/// Whoever holds it must not start threads.
#[derive(Debug)]
pub struct SingleThreaded(());

impl SingleThreaded {
    /// Looks how many threads there are.
    ///
    /// # Errors
    /// When there is more than one, or /proc cannot be read.
    pub fn check() -> io::Result<SingleThreaded> {
        let threads = std::fs::read_dir("/proc/self/task")?.count();
        if threads == 1 {
            Ok(SingleThreaded(()))
        } else {
            Err(io::Error::other(format!("{threads} threads where there must be one")))
        }
    }
}

/// Which side of a fork this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forked {
    /// The parent; the child's process id.
    Parent(i32),
    /// The child.
    Child,
}

/// Forks this process.
///
/// # Errors
/// `EAGAIN` and `ENOMEM` when the machine has no room for another process.
pub fn fork(_: &SingleThreaded) -> io::Result<Forked> {
    // SAFETY: the proof says that no other thread can hold a lock that the child would inherit.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

/// Forks this process with the child in another cgroup (v2) from its first instruction.
///
/// # Errors
/// As [`fork`]; `ENOSYS` or `EINVAL` on a kernel that cannot, and what joining a cgroup can
/// give: `EBUSY`, `EACCES`, `ENODEV`.
pub fn fork_into_cgroup(_: &SingleThreaded, cgroup: BorrowedFd<'_>) -> io::Result<Forked> {
    // SAFETY: `clone_args` is plain data for which zero is valid in every field.
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    args.flags = CLONE_INTO_CGROUP;
    args.exit_signal = u64::from(libc::SIGCHLD.unsigned_abs());
    args.cgroup = u64::try_from(cgroup.as_raw_fd()).unwrap_or(0);
    // SAFETY: without CLONE_VM the child gets a copy of this address space, stack included, as
    // with fork; one thread, so no lock is left held. The kernel reads `args` during the call.
    let got = unsafe {
        libc::syscall(libc::SYS_clone3, ptr::from_mut(&mut args), size_of::<libc::clone_args>())
    };
    match i32::try_from(got) {
        Ok(0) => Ok(Forked::Child),
        Ok(pid) if pid > 0 => Ok(Forked::Parent(pid)),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Ends this process at once, without running what is registered for its end.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` takes any number and does not return.
    unsafe { libc::_exit(code) }
}

/// Sends a signal by number, real-time ones included.
///
/// # Errors
/// `ESRCH` when there is no such process, `EPERM` when it is not ours.
pub fn kill(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: `kill` touches no memory of ours.
    if unsafe { libc::kill(pid, signal) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Closes every descriptor from `first` on.
pub fn close_from(first: u32) {
    // SAFETY: closing takes descriptors away from whoever thinks to own them; callers do it as
    // the first thing in a new process, before anything there owns one.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0u32) };
}

/// Replaces descriptor `target` by a copy of `source` that stays open over an exec.
///
/// # Errors
/// What `dup2` gives.
pub fn place(source: BorrowedFd<'_>, target: RawFd) -> io::Result<()> {
    // SAFETY: callers pass 0, 1 or 2, which no owned descriptor of ours uses.
    if unsafe { libc::dup2(source.as_raw_fd(), target) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// A copy of a descriptor with number 3 or more, closed on exec.
///
/// # Errors
/// `EMFILE` when too many are open.
pub fn duplicate_above_stdio(source: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: F_DUPFD_CLOEXEC returns a new descriptor that nobody else owns, or -1.
    unsafe {
        let fd = libc::fcntl(source.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3);
        if fd == -1 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// Sets every signal back to its default and blocks none, as a new program expects.
pub fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: the default disposition runs no code of ours; KILL, STOP and the two signals
        // the C library keeps for itself are refused, which is right.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    restore_signals(&[]);
}

/// Sets the given signals back to their default and blocks none, before a command takes over.
pub fn restore_signals(ignored: &[i32]) {
    default_signals(ignored);
    // Cannot fail with these arguments.
    let _ = nix::sys::signal::SigSet::empty().thread_set_mask();
}

/// Sets the given signals back to their default.
pub fn default_signals(signals: &[i32]) {
    for signal in signals {
        // SAFETY: the default disposition runs no code of ours.
        unsafe { libc::signal(*signal, libc::SIG_DFL) };
    }
}

/// Sets signals to be ignored.
pub fn ignore_signals(signals: &[i32]) {
    for signal in signals {
        // SAFETY: ignoring a signal runs no code of ours.
        unsafe { libc::signal(*signal, libc::SIG_IGN) };
    }
}

/// Reaps one ended child, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaped {
    /// This child ended with this wait status.
    One(i32, i32),
    /// Children live, none ended.
    NoneYet,
    /// No children at all.
    NoChildren,
}

/// Looks for an ended child without waiting.
pub fn reap() -> Reaped {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) } {
        0 => Reaped::NoneYet,
        -1 => Reaped::NoChildren,
        pid => Reaped::One(pid, status),
    }
}

/// Moves bytes from a pipe to a place in a file without copying them through this process.
/// Zero means that the pipe has no writers any more.
///
/// # Errors
/// `EAGAIN` when the pipe is empty, `EINVAL` when the file system cannot, else the file's error.
pub fn splice(
    pipe: BorrowedFd<'_>,
    file: BorrowedFd<'_>,
    at: u64,
    most: usize,
) -> io::Result<usize> {
    let mut offset = libc::loff_t::try_from(at).map_err(|_| io::Error::other("file too long"))?;
    let flags = libc::SPLICE_F_NONBLOCK | libc::SPLICE_F_MOVE;
    // SAFETY: both descriptors are borrowed for the call and `offset` outlives it.
    let moved = unsafe {
        libc::splice(
            pipe.as_raw_fd(),
            ptr::null_mut(),
            file.as_raw_fd(),
            &raw mut offset,
            most,
            flags,
        )
    };
    usize::try_from(moved).map_err(|_| io::Error::last_os_error())
}

/// A program ready to be executed, its strings already in the kernel's form.
#[derive(Debug)]
pub struct Image {
    candidates: Vec<CString>,
    _strings: Vec<CString>,
    argv: Vec<*const libc::c_char>,
    envp: Vec<*const libc::c_char>,
}

impl Image {
    /// `candidates` are the paths to try in order.
    pub fn new(candidates: Vec<CString>, argv: Vec<CString>, env: Vec<CString>) -> Image {
        let pointers = |list: &[CString]| {
            list.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect::<Vec<_>>()
        };
        let (argv_pointers, envp) = (pointers(&argv), pointers(&env));
        // The heap buffers of the strings stay where they are when the vector is moved.
        let strings = argv.into_iter().chain(env).collect();
        Image { candidates, _strings: strings, argv: argv_pointers, envp }
    }

    /// Becomes the first candidate that exists and may be executed; returns only with the
    /// error that says most: the first that is not "no such file".
    pub fn exec(&self) -> (usize, i32) {
        let mut said = (0, libc::ENOENT);
        for (index, path) in self.candidates.iter().enumerate() {
            let path: &CStr = path;
            // SAFETY: both arrays end with a null pointer and point into strings that live in
            // `self`, each ended by NUL.
            unsafe { libc::execve(path.as_ptr(), self.argv.as_ptr(), self.envp.as_ptr()) };
            let error = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
            match error {
                libc::ENOENT | libc::ENOTDIR => {}
                libc::EACCES => {
                    if said.1 == libc::ENOENT {
                        said = (index, error);
                    }
                }
                _ => return (index, error),
            }
        }
        said
    }
}

/// Makes a terminal the controlling one of this session.
///
/// # Errors
/// `EPERM` when the session has one or the terminal belongs to another session.
pub fn take_terminal(terminal: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: TIOCSCTTY takes a number, no pointer.
    if unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSCTTY, 0) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Sets a terminal's size; the kernel tells its foreground processes.
///
/// # Errors
/// When it is no terminal.
pub fn resize_terminal(terminal: BorrowedFd<'_>, rows: u16, cols: u16) -> io::Result<()> {
    let size = libc::winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCSWINSZ reads one `winsize`, which outlives the call.
    if unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Asks for the processor before all others, which only root is given.
pub fn hurry() {
    // SAFETY: touches no memory of ours.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
}

/// Gives memory that was freed back to the kernel.
pub fn release_free_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: only touches memory that the allocator holds as free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Sends bytes and descriptors as one message.
///
/// # Errors
/// `EPIPE` when the other end is closed, `EAGAIN` when it is full and does not block.
pub fn send(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let raw: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    let rights = [ControlMessage::ScmRights(&raw)];
    let control = if raw.is_empty() { &rights[..0] } else { &rights[..] };
    let parts = [IoSlice::new(bytes)];
    let flags = MsgFlags::MSG_NOSIGNAL;
    Ok(sendmsg::<UnixAddr>(socket.as_raw_fd(), &parts, control, flags, None)?)
}

/// Receives bytes and, into `fds`, the descriptors that came with them.
///
/// # Errors
/// `EAGAIN` when there is nothing and the socket does not block.
pub fn receive(
    socket: BorrowedFd<'_>,
    bytes: &mut [u8],
    fds: &mut Vec<OwnedFd>,
) -> io::Result<usize> {
    let mut space = nix::cmsg_space!([RawFd; DESCRIPTORS_MAX]);
    let mut parts = [IoSliceMut::new(bytes)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<UnixAddr>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(received) = control {
            for fd in received {
                // SAFETY: the kernel has just made this descriptor for us; nobody else owns it.
                fds.push(unsafe { OwnedFd::from_raw_fd(fd) });
            }
        }
    }
    Ok(message.bytes)
}

/// The user at the other end of a unix socket, as it was when the connection was made.
///
/// # Errors
/// When it is no unix socket.
pub fn peer_uid(socket: impl AsFd) -> io::Result<u32> {
    let peer = nix::sys::socket::getsockopt(&socket, nix::sys::socket::sockopt::PeerCredentials)?;
    Ok(peer.uid())
}
