//! How long people will probably take to answer, from how long they took before to what was asked
//! at such an hour of the week. Plain numbers in, an estimate and where it comes from out.
//!
//! What is asked on a Friday evening waits longer than what is asked on a Tuesday morning, and a
//! week has too many hours to know each of them soon. So the closest answers count of which there
//! are enough: those to what was asked at this hour of the week, else at this hour of such a day,
//! else at any time. Of none of them, a prior speaks that nobody trusts.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::base::{Span, Wall};
use crate::model::estimate::Confidence;
use crate::sched::policy::history::{Estimate, History, Sample};

/// Hours of a week.
const WEEK: u8 = 168;
/// Answers of one group that are remembered.
const REMEMBERED: usize = 256;
/// So many real answers are enough to go by.
const ENOUGH: usize = 5;

/// Whether two hours of the week are alike enough.
type Close = fn(u8, u8) -> bool;

/// One answer, or that none came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The hour of the week at which it was asked ([`hour_of_week`]).
    pub hour: u8,
    /// How long it took.
    pub took: Span,
    /// People answered; else it was not answered within that time.
    pub complete: bool,
}

/// How long the people of one group took, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Waits {
    answers: VecDeque<Answer>,
}

/// Which answers an estimate goes by, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Those to what was asked at this hour of the week, an hour more or less.
    Hour,
    /// Those to what was asked at this hour of a working day, or of a day at the weekend.
    Day,
    /// All of them.
    People,
    /// None: nothing is known.
    Prior,
}

impl Basis {
    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Basis::Hour => "hour",
            Basis::Day => "day",
            Basis::People => "people",
            Basis::Prior => "prior",
        }
    }
}

/// The hour of the week at an instant, Monday 00:00 UTC being 0. UTC does for every place: a week
/// looks the same there, begun at another hour, but for an hour when its clocks change.
pub fn hour_of_week(at: Wall) -> u8 {
    const HOUR: i64 = 3_600_000;
    // The epoch began on a Thursday.
    let hours = at.0.div_euclid(HOUR) + 72;
    u8::try_from(hours.rem_euclid(i64::from(WEEK))).unwrap_or(0)
}

/// Room is kept for whoever is expected back within so long, and nobody is held back for longer.
pub const NEAR: Span = Span::mins(15);

/// After how long a wait its end is expected next, of which so much is known: when half of such
/// waits are over, once that has passed when nine of ten are. After that nobody can say.
pub fn expected_next(waited: Span, estimate: &Estimate) -> Option<Span> {
    let known = estimate.confidence > Confidence::None;
    let next = [estimate.median, estimate.p90].into_iter().find(|then| *then > waited);
    next.filter(|_| known)
}

impl Waits {
    /// An answer came, or none did; the oldest is forgotten for it.
    pub fn note(&mut self, answer: Answer) {
        if self.answers.len() >= REMEMBERED {
            self.answers.pop_front();
        }
        self.answers.push_back(answer);
    }

    /// How long what is asked at an hour of the week will probably wait in all, with a prior for
    /// what is not known.
    pub fn estimate(&self, hour: u8, prior: Span) -> (Estimate, Basis) {
        let close: [(Basis, Close); 2] = [(Basis::Hour, near), (Basis::Day, alike)];
        for (basis, counts) in close {
            let estimate = self.of(prior, |answer| counts(answer.hour, hour));
            if estimate.complete >= ENOUGH {
                return (estimate, basis);
            }
        }
        let estimate = self.of(prior, |_| true);
        match estimate.confidence {
            Confidence::None => (estimate, Basis::Prior),
            Confidence::Low | Confidence::High => (estimate, Basis::People),
        }
    }

    fn of(&self, prior: Span, counts: impl Fn(&Answer) -> bool) -> Estimate {
        let mut history = History::default();
        for answer in self.answers.iter().filter(|answer| counts(answer)) {
            history.note(Sample { ran: answer.took, complete: answer.complete });
        }
        history.estimate(prior)
    }
}

/// At most an hour apart, around the week.
fn near(a: u8, b: u8) -> bool {
    let apart = a.abs_diff(b);
    apart.min(WEEK.saturating_sub(apart)) <= 1
}

/// At most an hour of the day apart, both from Monday to Friday or both not.
fn alike(a: u8, b: u8) -> bool {
    let apart = (a % 24).abs_diff(b % 24);
    let works = |hour: u8| hour / 24 < 5;
    apart.min(24 - apart) <= 1 && works(a) == works(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: Span = Span::hours(12);

    /// Monday 09:00 and the same hour of other days.
    fn at(day: u8, hour: u8) -> u8 {
        day * 24 + hour
    }

    fn waits(answers: &[(u8, u64)]) -> Waits {
        let mut waits = Waits::default();
        for (hour, mins) in answers {
            waits.note(Answer { hour: *hour, took: Span::mins(*mins), complete: true });
        }
        waits
    }

    fn mins(waits: &Waits, hour: u8) -> (u64, u64, Basis) {
        let (estimate, basis) = waits.estimate(hour, PRIOR);
        (estimate.median.0 / 60_000, estimate.p90.0 / 60_000, basis)
    }

    #[test]
    fn hours_count_from_monday_and_come_again_every_week() {
        let thursday = Wall(0);
        assert_eq!(hour_of_week(thursday), at(3, 0));
        assert_eq!(hour_of_week(thursday + Span::hours(4 * 24 + 9)), at(0, 9));
        assert_eq!(hour_of_week(thursday + Span::hours(11 * 24 + 9)), at(0, 9));
        assert_eq!(hour_of_week(Wall(-1)), at(2, 23));
    }

    #[test]
    fn the_closest_hours_of_which_enough_is_known_speak() {
        let friday = [(at(4, 17), 900); 5];
        let mornings: Vec<_> = (0..5).map(|day| (at(day, 9), 10 + u64::from(day))).collect();
        let all = waits(&[&friday[..], &mornings].concat());
        assert_eq!(mins(&all, at(4, 17)), (900, 900, Basis::Hour));
        assert_eq!(mins(&all, at(4, 18)), (900, 900, Basis::Hour), "an hour more or less");
        assert_eq!(mins(&all, at(1, 10)), (12, 14, Basis::Day));
        assert_eq!(mins(&all, at(5, 10)), (14, 900, Basis::People), "a Saturday is another day");
    }

    #[test]
    fn the_week_and_the_day_are_round() {
        let midnight = waits(&[(at(6, 23), 3); 5]);
        assert_eq!(mins(&midnight, at(0, 0)).2, Basis::Hour);
        let nights = waits(&[(at(1, 0), 3); 5]);
        assert_eq!(mins(&nights, at(3, 23)).2, Basis::Day);
    }

    #[test]
    fn the_end_of_a_wait_is_expected_twice_and_then_no_more() {
        let known = |confidence| Estimate {
            median: Span::mins(10),
            p90: Span::mins(40),
            confidence,
            complete: 3,
        };
        let next = |waited| expected_next(Span::mins(waited), &known(Confidence::Low));
        assert_eq!(next(0), Some(Span::mins(10)));
        assert_eq!(next(10), Some(Span::mins(40)), "half of them are over by then");
        assert_eq!(next(40), None);
        assert_eq!(expected_next(Span::ZERO, &known(Confidence::None)), None);
    }

    #[test]
    fn without_an_answer_the_prior_speaks_and_nobody_trusts_it() {
        let nobody = Waits::default();
        let (estimate, basis) = nobody.estimate(0, PRIOR);
        assert_eq!((estimate.median, estimate.confidence), (PRIOR, Confidence::None));
        assert_eq!(basis, Basis::Prior);
        let mut silent = Waits::default();
        silent.note(Answer { hour: 0, took: Span::hours(20), complete: false });
        let (estimate, basis) = silent.estimate(0, PRIOR);
        assert_eq!((estimate.median, basis), (Span::hours(24), Basis::Prior));
    }

    #[test]
    fn silence_counts_as_at_least_so_long_and_old_answers_are_forgotten() {
        let mut waits = waits(&[(0, 5); 5]);
        (0..5).for_each(|_| {
            waits.note(Answer { hour: 0, took: Span::hours(1), complete: false });
        });
        assert_eq!(mins(&waits, 0).0, 5);
        assert_eq!(waits.estimate(0, PRIOR).0.p90, PRIOR);
        (0..REMEMBERED).for_each(|_| {
            waits.note(Answer { hour: 0, took: Span::mins(7), complete: true });
        });
        assert_eq!(mins(&waits, 0), (7, 7, Basis::Hour));
    }
}
