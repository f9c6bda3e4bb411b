//! Wakes the owner loop when something is due, and never otherwise.
//!
//! One thread sleeps on two kernel timers: one on `CLOCK_BOOTTIME`, which also fires after a
//! sleep of the machine, and one on the calendar, which also fires when the date is set.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use crate::base::Wall;

/// The two timers.
pub struct Alarm {
    boot: Arc<TimerFd>,
    wall: Arc<TimerFd>,
    armed: (Option<u64>, Option<Wall>),
}

impl Alarm {
    /// Starts the thread; it calls `ring` each time a timer fires and ends when `ring` says so
    /// by returning false.
    ///
    /// # Errors
    /// When the kernel gives no timer or no thread.
    pub fn start(ring: impl Fn() -> bool + Send + 'static) -> std::io::Result<Alarm> {
        let flags = TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK;
        let boot = Arc::new(TimerFd::new(ClockId::CLOCK_BOOTTIME, flags)?);
        let wall = Arc::new(TimerFd::new(ClockId::CLOCK_REALTIME, flags)?);
        let alarm = Alarm { boot: boot.clone(), wall: wall.clone(), armed: (None, None) };
        std::thread::Builder::new().name("alarm".into()).spawn(move || {
            loop {
                let watch = |fd| PollFd::new(fd, PollFlags::POLLIN);
                let mut fds = [watch(boot.as_fd()), watch(wall.as_fd())];
                if poll(&mut fds, PollTimeout::NONE).is_err() {
                    continue;
                }
                // A read resets the timer; it fails when the date was set, which is news too.
                let mut drain = [0u8; 8];
                for fd in [boot.as_fd(), wall.as_fd()] {
                    let _ = nix::unistd::read(fd, &mut drain);
                }
                if !ring() {
                    return;
                }
            }
        })?;
        Ok(alarm)
    }

    /// Sets both timers: milliseconds of `CLOCK_BOOTTIME`, and a calendar instant. `None` turns
    /// one off.
    pub fn arm(&mut self, boot_ms: Option<u64>, wall: Option<Wall>) {
        if self.armed == (boot_ms, wall) {
            return;
        }
        self.armed = (boot_ms, wall);
        let absolute = TimerSetTimeFlags::TFD_TIMER_ABSTIME;
        set(&self.boot, boot_ms, absolute);
        let wall = wall.map(|wall| u64::try_from(wall.0).unwrap_or(1));
        set(&self.wall, wall, absolute | TimerSetTimeFlags::TFD_TIMER_CANCEL_ON_SET);
    }
}

fn set(timer: &TimerFd, millis: Option<u64>, flags: TimerSetTimeFlags) {
    let result = match millis {
        // Zero would turn the timer off; a millisecond of the past fires at once.
        Some(millis) => {
            let due = TimeSpec::from(Duration::from_millis(millis.max(1)));
            timer.set(Expiration::OneShot(due), flags)
        }
        None => timer.unset(),
    };
    if let Err(error) = result {
        tracing::error!("cannot set a timer: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::clock::SystemClock;
    use crate::model::ports::Clock;

    #[test]
    fn both_timers_ring_when_they_are_due() {
        let (tx, rx) = std::sync::mpsc::channel();
        let mut alarm = Alarm::start(move || tx.send(()).is_ok()).unwrap();
        let soon = SystemClock.read();
        alarm.arm(Some(soon.boot_ms + 5), None);
        rx.recv_timeout(Duration::from_secs(5)).expect("the boot timer");
        alarm.arm(None, Some(soon.wall));
        rx.recv_timeout(Duration::from_secs(5)).expect("a calendar instant in the past");
        alarm.arm(None, None);
        assert!(rx.recv_timeout(Duration::from_millis(20)).is_err(), "rings although off");
    }
}
