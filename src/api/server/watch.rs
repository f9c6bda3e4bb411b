//! Changes of files, as events of the kernel: one inotify instance for the whole server,
//! because a user has few of them.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// Watches files and directories. Needs a runtime with I/O.
#[derive(Debug)]
pub struct Watches {
    inner: Arc<Inner>,
    reader: AbortHandle,
}

#[derive(Debug)]
struct Inner {
    fd: AsyncFd<Fd>,
    listeners: Mutex<HashMap<WatchDescriptor, Vec<Weak<Notify>>>>,
}

#[derive(Debug)]
struct Fd(Inotify);

impl AsRawFd for Fd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

/// One thing that is watched, until this is dropped.
#[derive(Debug)]
pub struct Watch {
    wd: WatchDescriptor,
    bell: Arc<Notify>,
    inner: Arc<Inner>,
}

/// Everything that changes a file's bytes or name, and what a directory lists.
fn flags() -> AddWatchFlags {
    AddWatchFlags::IN_MODIFY
        | AddWatchFlags::IN_ATTRIB
        | AddWatchFlags::IN_CREATE
        | AddWatchFlags::IN_DELETE
        | AddWatchFlags::IN_MOVE
        | AddWatchFlags::IN_DELETE_SELF
        | AddWatchFlags::IN_MOVE_SELF
}

impl Watches {
    /// Opens the way to the kernel's events.
    ///
    /// # Errors
    /// When the system has no further inotify instance for this user.
    pub fn new() -> io::Result<Watches> {
        let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        #[expect(deprecated, reason = "the new form is unsafe; `Fd` owns its one descriptor")]
        let fd = AsyncFd::new(Fd(inotify))?;
        let inner = Arc::new(Inner { fd, listeners: Mutex::default() });
        let reader = tokio::spawn(read(inner.clone())).abort_handle();
        Ok(Watches { inner, reader })
    }

    /// Watches a file, or what a directory lists.
    ///
    /// # Errors
    /// When it is not there, or the system has no further watch.
    pub fn watch(&self, path: &Path) -> io::Result<Watch> {
        // Held over the call, so that a watch that is being dropped cannot take away the
        // descriptor it shares with this one.
        let mut listeners = self.inner.lock();
        let wd = self.inner.fd.get_ref().0.add_watch(path, flags())?;
        let bell = Arc::new(Notify::new());
        listeners.entry(wd).or_default().push(Arc::downgrade(&bell));
        drop(listeners);
        Ok(Watch { wd, bell, inner: self.inner.clone() })
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Inner {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<WatchDescriptor, Vec<Weak<Notify>>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rings for every event that is there.
    fn dispatch(&self) -> io::Result<()> {
        let events = match self.fd.get_ref().0.read_events() {
            Err(Errno::EAGAIN) => return Err(io::ErrorKind::WouldBlock.into()),
            read => read?,
        };
        let mut listeners = self.lock();
        for event in events {
            if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
                listeners.values().flatten().for_each(ring);
                continue;
            }
            if event.mask.contains(AddWatchFlags::IN_IGNORED) {
                listeners.remove(&event.wd).iter().flatten().for_each(ring);
                continue;
            }
            listeners.get(&event.wd).into_iter().flatten().for_each(ring);
        }
        Ok(())
    }
}

fn ring(bell: &Weak<Notify>) {
    if let Some(bell) = bell.upgrade() {
        bell.notify_one();
    }
}

async fn read(inner: Arc<Inner>) {
    loop {
        let Ok(mut ready) = inner.fd.readable().await else { return };
        if let Ok(Err(error)) = ready.try_io(|_| inner.dispatch()) {
            tracing::warn!(%error, "file events are lost");
            return;
        }
    }
}

impl Watch {
    /// Returns when something changed since the last call; what changed is for the caller to
    /// look at.
    pub async fn changed(&self) {
        self.bell.notified().await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut listeners = self.inner.lock();
        let Some(left) = listeners.get_mut(&self.wd) else { return };
        left.retain(|bell| !std::ptr::eq(bell.as_ptr(), Arc::as_ptr(&self.bell)));
        if left.is_empty() {
            listeners.remove(&self.wd);
            // It may be gone with its file already.
            let _ = self.inner.fd.get_ref().0.rm_watch(self.wd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    async fn rings(watch: &Watch) {
        tokio::time::timeout(Duration::from_secs(20), watch.changed()).await.expect("an event");
    }

    #[tokio::test]
    async fn each_watch_of_a_file_hears_of_its_changes() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "a").unwrap();
        let watches = Watches::new().unwrap();
        let (one, two) = (watches.watch(&file).unwrap(), watches.watch(&file).unwrap());
        let parent = watches.watch(dir.path()).unwrap();
        std::fs::write(&file, "ab").unwrap();
        rings(&one).await;
        rings(&two).await;
        drop(one);
        std::fs::rename(&file, dir.path().join("g")).unwrap();
        rings(&two).await;
        rings(&parent).await;
        assert!(watches.watch(&file).is_err(), "it is not there any more");
        drop(two);
        drop(parent);
        assert!(watches.inner.lock().is_empty(), "a dropped watch leaves nothing behind");
    }

    #[tokio::test]
    async fn a_watch_hears_of_the_end_of_what_it_watches() {
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("d");
        std::fs::create_dir(&inside).unwrap();
        let watches = Watches::new().unwrap();
        let watch = watches.watch(&inside).unwrap();
        std::fs::remove_dir(&inside).unwrap();
        rings(&watch).await;
    }
}
