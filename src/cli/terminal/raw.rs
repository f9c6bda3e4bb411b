//! Takes the keyboard: raw mode for as long as a guard lives, and its bytes as they come.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;

use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};
use tokio::io::unix::AsyncFd;

/// The keyboard in raw mode. Dropping it, in whatever way, gives it back as it was.
pub struct Keyboard {
    before: Termios,
    /// A description of our own: making the shared one of stdin non-blocking would do the same
    /// to every program that shares it.
    tty: AsyncFd<File>,
}

impl Keyboard {
    /// Takes the terminal behind stdin; `None` when stdin is not one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn take() -> io::Result<Option<Keyboard>> {
        if !io::stdin().is_terminal() {
            return Ok(None);
        }
        let tty = OpenOptions::new()
            .read(true)
            .custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY)
            .open("/proc/self/fd/0")?;
        let before = tcgetattr(tty.as_fd())?;
        let tty = registered(tty)?;
        let mut raw = before.clone();
        cfmakeraw(&mut raw);
        tcsetattr(tty.get_ref().as_fd(), SetArg::TCSANOW, &raw)?;
        Ok(Some(Keyboard { before, tty }))
    }

    /// The next keys; empty when the terminal is gone.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn keys(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0u8; 4096];
        loop {
            let mut guard = self.tty.readable().await?;
            match guard.try_io(|tty| tty.get_ref().read(&mut bytes)) {
                Ok(Ok(n)) => {
                    bytes.truncate(n);
                    return Ok(bytes);
                }
                // A terminal that hung up.
                Ok(Err(error)) if error.raw_os_error() == Some(nix::libc::EIO) => {
                    return Ok(Vec::new());
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }
}

#[allow(
    deprecated,
    reason = "its successor is unsafe for the sake of types that may swap their descriptor; a \
              `File` never does"
)]
fn registered(tty: File) -> io::Result<AsyncFd<File>> {
    AsyncFd::new(tty)
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        // On a terminal that is gone there is nothing to give back.
        let _ = tcsetattr(self.tty.get_ref().as_fd(), SetArg::TCSADRAIN, &self.before);
    }
}
