//! When a task is warned, asked and made to end: plain rules over a clock that stands still
//! while the machine sleeps.
//!
//! Nothing here touches a process; [`Stopping`] answers what to do next and when to look again.

use std::time::{Duration, Instant};

use crate::model::job::StopFor;

/// What is left of a tree gets this long after its command ended by itself.
const LEFTOVER_GRACE: Duration = Duration::from_secs(2);
/// A connected server ends a task at its limit; after this the supervisor does it.
const SERVER_SLACK: Duration = Duration::from_secs(5);
/// Kills are repeated this often in the beginning, then less and less.
const KILL_AGAIN: Duration = Duration::from_millis(5);
const KILL_AGAIN_MAX: Duration = Duration::from_millis(500);
/// Processes that survive KILL this long (another user's, or stuck in the kernel) are left.
const GIVE_UP: Duration = Duration::from_secs(30);

/// What must be done with the tree now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Send the warn signal.
    Warn,
    /// Send TERM.
    Term,
    /// Send KILL.
    Kill,
    /// Wait no longer for what is left.
    GiveUp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Warned { term_at: Instant, grace: Duration },
    Asked { kill_at: Instant },
    Killing { again_at: Instant, pause: Duration, give_up_at: Instant },
    GaveUp,
}

/// The way of one task to its end.
#[derive(Debug)]
pub struct Stopping {
    phase: Phase,
    warn_before: Option<Duration>,
    warned: bool,
    limit: Option<Instant>,
    frozen: bool,
    left_while_frozen: Option<Duration>,
    grace: Duration,
    by_limit: bool,
}

impl Stopping {
    /// A task that runs. `grace` counts when its time limit is enforced here.
    pub fn new(warn_before: Option<Duration>, grace: Duration) -> Stopping {
        Stopping {
            phase: Phase::Running,
            warn_before,
            warned: false,
            limit: None,
            frozen: false,
            left_while_frozen: None,
            grace,
            by_limit: false,
        }
    }

    /// Its end was asked for or has come.
    pub fn is_ending(&self) -> bool {
        self.phase != Phase::Running
    }

    /// It was this supervisor that ended it, for its time limit.
    pub fn by_limit(&self) -> bool {
        self.by_limit
    }

    /// Sets what is left of the time limit.
    pub fn set_limit(&mut self, left: Option<Duration>, now: Instant) {
        self.warned = self.warned && self.is_ending();
        if self.frozen {
            self.left_while_frozen = left;
        } else {
            self.limit = left.map(|left| now + left);
        }
    }

    /// Frozen time does not count.
    pub fn freeze(&mut self, now: Instant) {
        if !self.frozen {
            self.frozen = true;
            self.left_while_frozen =
                self.limit.take().map(|limit| limit.saturating_duration_since(now));
        }
    }

    /// Counts on from where it was frozen.
    pub fn thaw(&mut self, now: Instant) {
        if self.frozen {
            self.frozen = false;
            self.limit = self.left_while_frozen.take().map(|left| now + left);
        }
    }

    /// Its end is asked for. Asked again, the earlier end counts.
    pub fn stop(&mut self, why: StopFor, grace: Duration, now: Instant) -> Option<Action> {
        let can_wait = matches!(why, StopFor::Pause | StopFor::Requeue | StopFor::Preempt);
        match (self.phase, self.warn_before) {
            (Phase::Running, Some(before)) if can_wait && !self.warned => {
                self.warned = true;
                self.phase = Phase::Warned { term_at: now + before, grace };
                Some(Action::Warn)
            }
            (Phase::Warned { term_at, grace: earlier }, _) if can_wait => {
                self.phase = Phase::Warned { term_at, grace: earlier.min(grace) };
                None
            }
            (Phase::Running | Phase::Warned { .. }, _) => Some(self.ask(grace, now)),
            (Phase::Asked { kill_at }, _) => {
                self.phase = Phase::Asked { kill_at: kill_at.min(now + grace) };
                None
            }
            (Phase::Killing { .. } | Phase::GaveUp, _) => None,
        }
    }

    /// Everything must be over after `left`. The warning comes as early as it can, and TERM early
    /// enough for the usual grace.
    pub fn stop_within(&mut self, left: Duration, now: Instant) -> Option<Action> {
        let grace = self.grace.min(left);
        let warn = self.warn_before.map(|before| before.min(left - grace));
        match (self.phase, warn) {
            (Phase::Running, Some(warn)) if !self.warned => {
                self.warned = true;
                self.phase = Phase::Warned { term_at: now + warn, grace: left - warn };
                Some(Action::Warn)
            }
            (Phase::Warned { term_at, .. }, _) => {
                let term_at = term_at.min(now + (left - grace));
                let grace = (now + left).saturating_duration_since(term_at);
                self.phase = Phase::Warned { term_at, grace };
                None
            }
            _ => self.stop(StopFor::Spot, left, now),
        }
    }

    /// The command ended but others of its tree live on.
    pub fn left_over(&mut self, now: Instant) -> Option<Action> {
        match self.phase {
            Phase::Running | Phase::Warned { .. } => {
                Some(self.ask(self.grace.min(LEFTOVER_GRACE), now))
            }
            // They were asked already and keep the time they were given.
            Phase::Asked { .. } | Phase::Killing { .. } | Phase::GaveUp => None,
        }
    }

    fn ask(&mut self, grace: Duration, now: Instant) -> Action {
        self.phase = Phase::Asked { kill_at: now + grace };
        Action::Term
    }

    /// When to look again.
    pub fn deadline(&self, connected: bool) -> Option<Instant> {
        match self.phase {
            Phase::Running => {
                let warn = self.warn_at().filter(|_| !self.warned);
                [warn, self.enforced_at(connected)].into_iter().flatten().min()
            }
            Phase::Warned { term_at, .. } => Some(term_at),
            Phase::Asked { kill_at } => Some(kill_at),
            Phase::Killing { again_at, give_up_at, .. } => Some(again_at.min(give_up_at)),
            Phase::GaveUp => None,
        }
    }

    fn warn_at(&self) -> Option<Instant> {
        // A limit shorter than the warning time warns at once.
        self.limit.zip(self.warn_before).map(|(at, before)| at.checked_sub(before).unwrap_or(at))
    }

    fn enforced_at(&self, connected: bool) -> Option<Instant> {
        self.limit.map(|at| if connected { at + SERVER_SLACK } else { at })
    }

    /// What is due.
    pub fn tick(&mut self, connected: bool, now: Instant) -> Option<Action> {
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        match self.phase {
            Phase::Running if due(self.enforced_at(connected)) => {
                self.by_limit = true;
                Some(self.ask(self.grace, now))
            }
            Phase::Running if !self.warned && due(self.warn_at()) => {
                self.warned = true;
                Some(Action::Warn)
            }
            Phase::Warned { term_at, grace } if term_at <= now => Some(self.ask(grace, now)),
            Phase::Asked { kill_at } if kill_at <= now => {
                let (pause, give_up_at) = (KILL_AGAIN, now + GIVE_UP);
                self.phase = Phase::Killing { again_at: now + pause, pause, give_up_at };
                Some(Action::Kill)
            }
            Phase::Killing { give_up_at, .. } if give_up_at <= now => {
                self.phase = Phase::GaveUp;
                Some(Action::GiveUp)
            }
            Phase::Killing { again_at, pause, give_up_at } if again_at <= now => {
                let pause = (pause * 2).min(KILL_AGAIN_MAX);
                self.phase = Phase::Killing { again_at: now + pause, pause, give_up_at };
                Some(Action::Kill)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEC: Duration = Duration::from_secs(1);

    #[test]
    fn term_then_kill_until_it_gives_up() {
        let (t, mut s) = (Instant::now(), Stopping::new(None, SEC));
        assert_eq!(s.deadline(false), None);
        assert_eq!(s.stop(StopFor::Cancel, 10 * SEC, t), Some(Action::Term));
        assert_eq!(s.tick(true, t + 9 * SEC), None);
        assert_eq!(s.stop(StopFor::Cancel, SEC, t + SEC), None, "a second stop hurries it");
        assert_eq!(s.stop(StopFor::Cancel, 60 * SEC, t + SEC), None, "and never slows it");
        assert_eq!(s.deadline(true), Some(t + 2 * SEC));
        assert_eq!(s.tick(true, t + 2 * SEC), Some(Action::Kill));
        assert_eq!(s.tick(true, t + 3 * SEC), Some(Action::Kill));
        assert_eq!(s.tick(true, t + 40 * SEC), Some(Action::GiveUp));
        assert_eq!((s.tick(true, t + 99 * SEC), s.deadline(true)), (None, None));
    }

    #[test]
    fn only_a_stop_that_can_wait_is_announced() {
        let (t, mut s) = (Instant::now(), Stopping::new(Some(5 * SEC), SEC));
        assert_eq!(s.stop(StopFor::Pause, 3 * SEC, t), Some(Action::Warn));
        assert_eq!(s.stop(StopFor::Requeue, 2 * SEC, t), None);
        assert_eq!(s.tick(true, t + 5 * SEC), Some(Action::Term));
        assert_eq!(s.deadline(true), Some(t + 7 * SEC));

        let mut s = Stopping::new(Some(5 * SEC), SEC);
        assert_eq!(s.stop(StopFor::Pause, SEC, t), Some(Action::Warn));
        assert_eq!(s.stop(StopFor::Cancel, SEC, t), Some(Action::Term), "a cancel does not wait");
        let mut s = Stopping::new(Some(5 * SEC), SEC);
        assert_eq!(s.stop(StopFor::Timeout, SEC, t), Some(Action::Term));
    }

    #[test]
    fn a_node_that_vanishes_gets_the_warning_and_the_grace_that_fit() {
        let t = Instant::now();
        let mut s = Stopping::new(Some(60 * SEC), 10 * SEC);
        assert_eq!(s.stop_within(100 * SEC, t), Some(Action::Warn));
        assert_eq!(s.deadline(true), Some(t + 60 * SEC), "there is time for all of it");
        assert_eq!(s.tick(true, t + 60 * SEC), Some(Action::Term));
        assert_eq!(s.deadline(true), Some(t + 100 * SEC), "and the rest is grace");

        let mut s = Stopping::new(Some(60 * SEC), 10 * SEC);
        assert_eq!(s.stop_within(30 * SEC, t), Some(Action::Warn));
        assert_eq!(s.deadline(true), Some(t + 20 * SEC), "a short time keeps the usual grace");
        assert_eq!(s.stop_within(15 * SEC, t + SEC), None, "and may get shorter");
        assert_eq!(s.deadline(true), Some(t + 6 * SEC));
        assert_eq!(s.tick(true, t + 6 * SEC), Some(Action::Term));
        assert_eq!(s.deadline(true), Some(t + 16 * SEC));

        let mut s = Stopping::new(None, 10 * SEC);
        assert_eq!(s.stop_within(30 * SEC, t), Some(Action::Term));
        assert_eq!(s.deadline(true), Some(t + 30 * SEC));
        assert_eq!(s.stop_within(5 * SEC, t), None);
        assert_eq!(s.deadline(true), Some(t + 5 * SEC));
    }

    #[test]
    fn the_limit_is_the_servers_to_enforce_while_it_is_there() {
        let (t, mut s) = (Instant::now(), Stopping::new(Some(4 * SEC), SEC));
        s.set_limit(Some(10 * SEC), t);
        assert_eq!(s.deadline(true), Some(t + 6 * SEC));
        assert_eq!(s.tick(true, t + 6 * SEC), Some(Action::Warn));
        assert_eq!(s.deadline(true), Some(t + 15 * SEC));
        assert_eq!(s.deadline(false), Some(t + 10 * SEC));
        s.freeze(t + 7 * SEC);
        assert_eq!(s.deadline(false), None);
        s.thaw(t + 100 * SEC);
        assert_eq!(s.deadline(false), Some(t + 103 * SEC));
        assert_eq!(s.tick(false, t + 103 * SEC), Some(Action::Term));
        assert!(s.by_limit());
    }

    #[test]
    fn leftovers_get_a_short_grace_unless_a_longer_one_was_given() {
        let (t, mut s) = (Instant::now(), Stopping::new(None, 30 * SEC));
        assert_eq!(s.left_over(t), Some(Action::Term));
        assert_eq!(s.deadline(true), Some(t + LEFTOVER_GRACE));
        let mut s = Stopping::new(None, 30 * SEC);
        s.stop(StopFor::Cancel, 30 * SEC, t);
        assert_eq!(s.left_over(t + SEC), None);
        assert_eq!(s.deadline(true), Some(t + 30 * SEC));
    }
}
