//! The only place, beside the supervisor, that reads a clock.
//!
//! [`Timeline`] turns raw readings into the scheduler's two clocks and notices what happened
//! between two of them: sleep, and being off.

use nix::time::{ClockId, clock_gettime};

use crate::base::{At, Mono, Span, Wall};
use crate::model::ports::Clock;
use crate::model::ports::clock::Reading;

/// The machine's clocks.
pub struct SystemClock;

impl Clock for SystemClock {
    fn read(&self) -> Reading {
        let millis = |id| {
            let time = clock_gettime(id).map_or(Default::default(), std::time::Duration::from);
            u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
        };
        Reading {
            boot_ms: millis(ClockId::CLOCK_BOOTTIME),
            awake_ms: millis(ClockId::CLOCK_MONOTONIC),
            wall: Wall(i64::try_from(millis(ClockId::CLOCK_REALTIME)).unwrap_or(i64::MAX)),
        }
    }

    fn boot_id(&self) -> String {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
        id.map_or_else(|_| String::from("unknown"), |id| id.trim().to_owned())
    }
}

/// A sleep shorter than this is scheduling noise between two clock reads.
const SLEEP_LEAST: u64 = 1000;

/// From raw readings to [`At`].
#[derive(Debug, Clone)]
pub struct Timeline {
    /// What is added to `CLOCK_BOOTTIME`.
    offset: i128,
    last: Reading,
    last_wall: Wall,
}

impl Timeline {
    /// Continues a journal whose last instant was `last`. In the same boot (`offset` is known)
    /// the scheduler's clock goes on with `CLOCK_BOOTTIME`; after a reboot it jumps by the gap
    /// of the calendar, which is never taken as negative.
    pub fn resume(last: At, offset: Option<i64>, reading: Reading) -> Timeline {
        let boot_ms = i128::from(reading.boot_ms);
        let after_reboot = last.now + reading.wall.since(last.wall);
        let offset = offset.map_or(i128::from(after_reboot.0) - boot_ms, i128::from);
        Timeline { offset, last: reading, last_wall: reading.wall.max(last.wall) }
    }

    /// What `CLOCK_BOOTTIME` lacks to the scheduler's clock, in milliseconds.
    pub fn offset(&self) -> i64 {
        i64::try_from(self.offset).unwrap_or(i64::MAX)
    }

    /// The instant of a reading, and how long the machine slept since the one before.
    pub fn at(&mut self, reading: Reading) -> (At, Option<Span>) {
        let passed = reading.boot_ms.saturating_sub(self.last.boot_ms);
        let awake = reading.awake_ms.saturating_sub(self.last.awake_ms);
        let slept = passed.saturating_sub(awake);
        self.last = reading;
        // The calendar of the journal does not go back when somebody sets the date back: it
        // stands still until real time has caught up.
        self.last_wall = self.last_wall.max(reading.wall);
        let at = At { now: self.now(reading), wall: self.last_wall };
        (at, (slept >= SLEEP_LEAST).then_some(Span(slept)))
    }

    fn now(&self, reading: Reading) -> Mono {
        let now = i128::from(reading.boot_ms) + self.offset;
        Mono(u64::try_from(now).unwrap_or(0))
    }

    /// `CLOCK_BOOTTIME` at which the scheduler's clock shows `now`.
    pub fn boot_ms(&self, now: Mono) -> u64 {
        u64::try_from(i128::from(now.0) - self.offset).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(boot_ms: u64, awake_ms: u64, wall: i64) -> Reading {
        Reading { boot_ms, awake_ms, wall: Wall(wall) }
    }

    #[test]
    fn the_clock_goes_on_over_a_restart_in_the_same_boot_and_counts_the_gap() {
        let last = At { now: Mono(10_000), wall: Wall(1_000_000) };
        let mut line = Timeline::resume(last, Some(5_000), reading(9_000, 9_000, 1_004_000));
        let (at, slept) = line.at(reading(9_500, 9_500, 1_004_500));
        assert_eq!((at.now, at.wall, slept), (Mono(14_500), Wall(1_004_500), None));
        assert_eq!(line.boot_ms(at.now), 9_500);
        assert_eq!(line.offset(), 5_000);
    }

    #[test]
    fn after_a_reboot_it_jumps_by_the_calendar_gap_and_never_back() {
        let last = At { now: Mono(10_000), wall: Wall(1_000_000) };
        let mut line = Timeline::resume(last, None, reading(50, 50, 1_060_000));
        assert_eq!(line.at(reading(51, 51, 1_060_001)).0.now, Mono(70_001));
        let mut line = Timeline::resume(last, None, reading(50, 50, 1));
        let at = line.at(reading(51, 51, 2)).0;
        assert_eq!((at.now, at.wall), (Mono(10_001), Wall(1_000_000)));
    }

    #[test]
    fn sleep_is_noticed_and_setting_the_date_is_not_sleep() {
        let mut line = Timeline::resume(At::default(), None, reading(0, 0, 0));
        assert_eq!(line.at(reading(1_000, 1_000, 9_999_999)).1, None);
        assert_eq!(line.at(reading(61_000, 2_000, 0)).1, Some(Span(59_000)));
    }
}
