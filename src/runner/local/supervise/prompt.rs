//! When a task with a terminal waits for a person.
//!
//! Two roads lead to a prompt: the job called for somebody and then fell silent, or it has been
//! silent for a while and its foreground process is blocked in a line-mode read. The next input
//! or output ends it. Only one-shot deadlines; silence is looked into less and less often.

use std::time::{Duration, Instant};

use crate::runner::local::supervise::screen::Heard;

/// Silence after a call that makes it a question.
const SETTLE: Duration = Duration::from_millis(200);
/// A call that is not followed by silence within this was no question.
const STALE: Duration = Duration::from_secs(2);
/// Silence after which the foreground process is looked at.
const QUIET: Duration = Duration::from_secs(5);
/// Later looks are twice as far apart each time, up to this.
const QUIET_MAX: Duration = Duration::from_secs(600);

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A question stands.
    Asks,
    /// It does not any more.
    Over,
}

/// Whether a question stands at a prompt.
#[derive(Debug)]
pub struct Prompt {
    stands: bool,
    called: Option<Instant>,
    active: Instant,
    look_at: Option<Instant>,
    pause: Duration,
}

impl Prompt {
    /// A terminal on which nothing has happened yet.
    pub fn new(now: Instant) -> Prompt {
        Prompt {
            stands: false,
            called: None,
            active: now,
            look_at: Some(now + QUIET),
            pause: QUIET,
        }
    }

    /// A question stands.
    pub fn stands(&self) -> bool {
        self.stands
    }

    /// Output came.
    pub fn output(&mut self, heard: Heard, now: Instant) -> Option<Change> {
        if heard.working || self.called.is_some_and(|at| now.duration_since(at) > STALE) {
            self.called = None;
        }
        if heard.call {
            self.called = Some(now);
        }
        self.activity(now)
    }

    /// Input came.
    pub fn input(&mut self, now: Instant) -> Option<Change> {
        self.called = None;
        self.activity(now)
    }

    fn activity(&mut self, now: Instant) -> Option<Change> {
        self.active = now;
        self.pause = QUIET;
        self.look_at = Some(now + QUIET);
        std::mem::take(&mut self.stands).then_some(Change::Over)
    }

    /// When to look again.
    pub fn deadline(&self) -> Option<Instant> {
        let settled = self.called.map(|_| self.active + SETTLE);
        [settled, self.look_at].into_iter().flatten().min()
    }

    /// What is due; `blocked` looks whether the foreground process is blocked in a line-mode
    /// read and is asked only when that matters.
    pub fn tick(&mut self, now: Instant, blocked: impl FnOnce() -> bool) -> Option<Change> {
        let settled = self.called.is_some() && now >= self.active + SETTLE;
        let quiet = self.look_at.is_some_and(|at| at <= now);
        if !settled && !quiet {
            return None;
        }
        if settled || blocked() {
            self.called = None;
            self.look_at = None;
            self.stands = true;
            return Some(Change::Asks);
        }
        self.pause = (self.pause * 2).min(QUIET_MAX);
        self.look_at = Some(now + self.pause);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Heard = Heard { call: true, working: false };
    const PLAIN: Heard = Heard { call: false, working: false };

    #[test]
    fn a_call_is_a_question_once_silence_follows() {
        let t = Instant::now();
        let ms = |n| t + Duration::from_millis(n);
        let mut prompt = Prompt::new(t);
        assert_eq!(prompt.output(CALL, t), None);
        assert_eq!(prompt.output(PLAIN, ms(100)), None, "the question's own text");
        assert_eq!(prompt.deadline(), Some(ms(300)));
        assert_eq!(prompt.tick(ms(200), || true), None);
        assert_eq!(prompt.tick(ms(300), || false), Some(Change::Asks));
        assert_eq!(prompt.deadline(), None, "nothing to look for until something happens");
        assert_eq!(prompt.input(ms(900)), Some(Change::Over));
        assert_eq!(prompt.input(ms(901)), None);
    }

    #[test]
    fn a_call_in_the_midst_of_output_is_no_question() {
        let t = Instant::now();
        let ms = |n| t + Duration::from_millis(n);
        let mut prompt = Prompt::new(t);
        prompt.output(CALL, t);
        for n in 1..30 {
            assert_eq!(prompt.output(PLAIN, ms(n * 100)), None);
        }
        assert_eq!(prompt.tick(ms(4000), || false), None);
    }

    #[test]
    fn silence_is_looked_into_ever_less_often() {
        let t = Instant::now();
        let mut prompt = Prompt::new(t);
        let mut looks = Vec::new();
        while looks.len() < 4 {
            let at = prompt.deadline().unwrap();
            looks.push(at.duration_since(t).as_secs());
            assert_eq!(prompt.tick(at, || false), None);
        }
        assert_eq!(looks, [5, 15, 35, 75]);
        let at = prompt.deadline().unwrap();
        assert_eq!(prompt.tick(at, || true), Some(Change::Asks));
        assert_eq!(prompt.output(PLAIN, at), Some(Change::Over));
    }
}
