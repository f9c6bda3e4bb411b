//! Use and queue over the last two hours, a value a minute: what charts show.

use crate::base::Wall;

/// Minutes that are remembered.
pub const MINUTES: usize = 120;

/// How a minute ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Minute {
    /// Thousandths of cores in use, over all nodes.
    pub cpu_milli: u64,
    /// Thousandths of GPUs in use.
    pub gpu_milli: u64,
    /// Jobs that hold room.
    pub running: u64,
    /// Jobs that wait.
    pub queued: u64,
}

/// Values by minute, oldest first, without gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    minutes: Vec<Minute>,
    last: i64,
}

impl History {
    /// Values up to the minute of an instant.
    pub fn new(at: Wall, minutes: Vec<Minute>) -> History {
        let mut history = History { minutes, last: minute_of(at) };
        history.cut();
        history
    }

    /// The values, oldest first.
    pub fn minutes(&self) -> &[Minute] {
        &self.minutes
    }

    /// The beginning of the last minute.
    pub fn last(&self) -> Wall {
        Wall(self.last.saturating_mul(60_000))
    }

    /// The state of a moment. Minutes since the last one keep that one's value.
    pub fn put(&mut self, at: Wall, now: Minute) {
        let minute = minute_of(at);
        let gap = usize::try_from(minute.saturating_sub(self.last)).unwrap_or(0);
        match self.minutes.last_mut() {
            Some(last) if minute <= self.last => *last = now,
            Some(last) => {
                let last = *last;
                self.minutes.extend(std::iter::repeat_n(last, gap.saturating_sub(1).min(MINUTES)));
                self.minutes.push(now);
            }
            None => self.minutes.push(now),
        }
        self.last = self.last.max(minute);
        self.cut();
    }

    /// Another minute than the last one has begun.
    pub fn is_over(&self, at: Wall) -> bool {
        self.minutes.is_empty() || minute_of(at) > self.last
    }

    /// At an instant something is about to change; until then it was so since the last change.
    pub fn close(&mut self, at: Wall, held: Minute) {
        if self.is_over(at) {
            if let Some(last) = self.minutes.last_mut() {
                *last = held;
            }
            self.put(at, held);
        }
    }

    fn cut(&mut self) {
        let over = self.minutes.len().saturating_sub(MINUTES);
        self.minutes.drain(..over);
    }
}

fn minute_of(at: Wall) -> i64 {
    at.0.div_euclid(60_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Wall {
        Wall(minute * 60_000 + 7)
    }

    fn queued(n: u64) -> Minute {
        Minute { queued: n, ..Minute::default() }
    }

    fn values(history: &History) -> Vec<u64> {
        history.minutes().iter().map(|minute| minute.queued).collect()
    }

    #[test]
    fn a_quiet_time_keeps_its_value_and_two_hours_are_the_end() {
        let mut history = History::default();
        history.put(at(1000), queued(4));
        history.put(at(1000), queued(5));
        history.put(at(1003), queued(9));
        assert_eq!(values(&history), [5, 5, 5, 9]);
        history.put(at(90_000), queued(1));
        assert_eq!(history.minutes().len(), MINUTES);
        assert_eq!(history.last(), Wall(90_000 * 60_000));
    }

    #[test]
    fn what_held_until_a_change_fills_the_minutes_before_it() {
        let mut history = History::default();
        history.close(at(10), queued(0));
        // Within the minute it went to 3, then to 7, which nobody had to note.
        history.close(at(10), queued(3));
        history.close(at(13), queued(7));
        assert_eq!(values(&history), [7, 7, 7, 7]);
        history.put(at(13), queued(2));
        history.close(at(14), queued(2));
        assert_eq!(values(&history), [7, 7, 7, 2, 2]);
    }
}
