//! The unix socket: bound so that nobody else can connect for a moment, taken over only from
//! the dead, and bound again when its file vanishes (a session's end sweeps runtime
//! directories).

use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, UnixAddr, bind as bind_fd, connect, listen, socket,
};
use nix::sys::stat::{Mode, fchmod};
use nix::unistd::{Gid, chown};
use tokio::net::UnixListener;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// Bytes of a path the kernel takes.
const PATH_MAX: usize = 107;

/// Why a socket could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// A server answers there.
    #[error("a server answers at {0} already; stop it with `holdshort server stop`")]
    InUse(PathBuf),
    /// Something else lies there.
    #[error("{0} is not a socket; move it away or name another socket")]
    NotASocket(PathBuf),
    /// The kernel takes no path of this length.
    #[error("the path {0} is longer than the {PATH_MAX} bytes a socket may have; name another")]
    TooLong(PathBuf),
    /// Anything else.
    #[error("cannot listen at {path} ({error}); name another socket or set XDG_RUNTIME_DIR")]
    Failed {
        /// Where.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// A bound socket and what is needed to bind it again.
#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    mode: u32,
    group: Option<u32>,
    listener: UnixListener,
    /// Device and inode of the file, to know it again.
    file: (u64, u64),
}

/// Binds a socket at `path` with permission bits `mode` (0600 unless a group shares it) and
/// owner group `group`. A missing parent directory is made for this user alone. Needs a runtime
/// with I/O.
///
/// # Errors
/// When a server answers there, something else lies there, or the system refuses.
pub fn bind(path: &Path, mode: u32, group: Option<u32>) -> Result<Socket, BindError> {
    let failed = |error| BindError::Failed { path: path.to_owned(), error };
    if path.as_os_str().len() > PATH_MAX {
        return Err(BindError::TooLong(path.to_owned()));
    }
    let parent = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed)?;
    remove_stale(path)?;
    let listener = listen_at(path, mode, group).map_err(failed)?;
    let meta = fs::symlink_metadata(path).map_err(failed)?;
    let file = (meta.dev(), meta.ino());
    Ok(Socket { path: path.to_owned(), mode, group, listener, file })
}

fn listen_at(path: &Path, mode: u32, group: Option<u32>) -> io::Result<UnixListener> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let fd = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    // The file takes its bits from the descriptor when it is made: there is no moment in
    // which they are wider.
    fchmod(&fd, Mode::S_IRUSR | Mode::S_IWUSR)?;
    bind_fd(fd.as_raw_fd(), &UnixAddr::new(path)?)?;
    if let Some(group) = group {
        chown(path, None, Some(Gid::from_raw(group)))?;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    listen(&fd, Backlog::new(BACKLOG)?)?;
    UnixListener::from_std(std::os::unix::net::UnixListener::from(fd))
}

/// Removes the file of a server that no longer lives; one that answers is left alone.
fn remove_stale(path: &Path) -> Result<(), BindError> {
    let failed = |error| BindError::Failed { path: path.to_owned(), error };
    match fs::symlink_metadata(path) {
        Ok(meta) if !meta.file_type().is_socket() => {
            return Err(BindError::NotASocket(path.to_owned()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    }
    match knock(path) {
        Err(Errno::ECONNREFUSED) => fs::remove_file(path).map_err(failed),
        Err(Errno::ENOENT) => Ok(()),
        // A full queue has somebody behind it.
        Ok(_) | Err(Errno::EAGAIN) => Err(BindError::InUse(path.to_owned())),
        Err(errno) => Err(failed(errno.into())),
    }
}

/// Connects without waiting.
fn knock(path: &Path) -> nix::Result<OwnedFd> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let fd = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    connect(fd.as_raw_fd(), &UnixAddr::new(path)?)?;
    Ok(fd)
}

impl Socket {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The listener.
    pub(super) fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// The file at the path is the one that was bound. Its number cannot have been given to
    /// another file, for the listener keeps the inode.
    pub fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|meta| (meta.dev(), meta.ino()) == self.file)
    }

    /// Binds again if the file vanished. Connections that were accepted live on.
    ///
    /// # Errors
    /// As [`bind`]; the old listener is kept then.
    pub fn restore(&mut self) -> Result<bool, BindError> {
        if self.is_there() {
            return Ok(false);
        }
        let bound = bind(&self.path, self.mode, self.group)?;
        drop(std::mem::replace(self, bound));
        Ok(true)
    }

    /// The directory that lists the file, or the nearest above it that exists.
    pub(super) fn nearest_directory(&self) -> &Path {
        let exists = |dir: &&Path| dir.is_dir();
        self.path.ancestors().skip(1).find(exists).unwrap_or(Path::new("/"))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.is_there() {
            // A file that stays is stale and the next server removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o777
    }

    #[tokio::test]
    async fn the_socket_and_a_new_directory_are_this_users_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/s");
        let socket = bind(&path, 0o600, None).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert!(UnixStream::connect(&path).is_ok());
        drop(socket);
        assert!(!path.exists(), "an ended server leaves no file");
        let shared = bind(&path, 0o660, Some(nix::unistd::getgid().as_raw())).unwrap();
        assert_eq!(mode(shared.path()), 0o660);
    }

    #[tokio::test]
    async fn a_socket_that_answers_is_never_taken_and_a_stale_one_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let first = bind(&path, 0o600, None).unwrap();
        assert!(matches!(bind(&path, 0o600, None), Err(BindError::InUse(_))));
        assert!(first.is_there());
        drop(first);
        // A server that was killed leaves its file.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        assert!(bind(&path, 0o600, None).is_ok());
    }

    #[tokio::test]
    async fn a_file_that_is_no_socket_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        fs::write(&path, "precious").unwrap();
        assert!(matches!(bind(&path, 0o600, None), Err(BindError::NotASocket(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        let long = dir.path().join("x".repeat(120));
        assert!(matches!(bind(&long, 0o600, None), Err(BindError::TooLong(_))));
    }

    #[tokio::test]
    async fn a_vanished_socket_is_bound_again_and_somebody_elses_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run/s");
        let mut socket = bind(&path, 0o600, None).unwrap();
        assert!(!socket.restore().unwrap());
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(socket.nearest_directory(), dir.path());
        assert!(socket.restore().unwrap());
        assert!(UnixStream::connect(&path).is_ok());

        fs::remove_file(&path).unwrap();
        let other = bind(&path, 0o600, None).unwrap();
        assert!(matches!(socket.restore(), Err(BindError::InUse(_))));
        drop(socket);
        assert!(other.is_there(), "only the own file is removed");
    }
}
