//! How long one job will run, before and after it has run longer than predicted.
//!
//! The rules of batch scheduling, where every job comes with a requested time: predictions from
//! the request or from the user's last runs (Tsafrir, Etsion and Feitelson 2007), and what is
//! done once a prediction proves too short. What is learned from a class of runs is in
//! [`history`](super::history).

use crate::base::Span;
use crate::model::estimate::{Confidence, Estimate, Origin};

/// A second, the grain of requested times.
const SECOND: u64 = 1000;

/// What a prediction is made from. It is made once, when the job is submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prediction {
    /// The requested time.
    Request,
    /// The true run time, which only a simulator knows.
    Exact,
    /// Twice the requested time: people who overestimate leave holes to fill.
    Doubled,
    /// The mean of the user's last two completed runs.
    LastTwo,
}

/// A user's last two completed runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LastTwo {
    last: Option<Span>,
    before: Option<Span>,
}

/// What becomes of a prediction that was too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correction {
    /// Longer by the next of a list of increments.
    Stepwise,
    /// The requested time at once.
    ToRequest,
}

/// What a prediction was lengthened by in all, before and after each correction.
const STEPS: [Span; 12] = [
    Span::ZERO,
    Span::mins(1),
    Span::mins(5),
    Span::mins(15),
    Span::mins(30),
    Span::hours(1),
    Span::hours(2),
    Span::hours(5),
    Span::hours(10),
    Span::hours(20),
    Span::hours(50),
    Span::hours(100),
];

impl LastTwo {
    /// A run has completed.
    pub fn note(&mut self, run: Span) {
        self.before = self.last.replace(run);
    }

    /// Their mean in whole seconds, rounded down, and at most the request; the request until
    /// there are two.
    pub fn predict(self, request: Span) -> Span {
        let (Some(last), Some(before)) = (self.last, self.before) else { return request };
        let mean = last.0.midpoint(before.0) / SECOND * SECOND;
        request.min(Span(mean))
    }
}

impl Prediction {
    /// The prediction for a job that asks for `request` and will run for `run`.
    pub fn of(self, request: Span, run: Span, recent: LastTwo) -> Span {
        match self {
            Prediction::Request => request,
            Prediction::Exact => run,
            Prediction::Doubled => request + request,
            Prediction::LastTwo => recent.predict(request),
        }
    }
}

impl Correction {
    /// The next prediction for a job that has outlived `prediction`, which was corrected so
    /// often before. Never more than the request; past the end of the list, the request.
    pub fn next(self, prediction: Span, request: Span, corrected: usize) -> Span {
        let step = STEPS.get(corrected).zip(STEPS.get(corrected + 1));
        match (self, step) {
            (Correction::Stepwise, Some((before, after))) => {
                request.min(prediction + Span(after.0 - before.0))
            }
            _ => request,
        }
    }
}

/// What a job is expected to take that nobody stops to ask: what it says itself, else what was
/// learned from others, else its limit, else the prior. A limit holds whatever is expected.
pub fn live(
    own: Option<Span>,
    limit: Option<Span>,
    learned: Option<Estimate>,
    prior: Span,
) -> Estimate {
    let both =
        |length, origin, confidence| Estimate { median: length, p90: length, origin, confidence };
    let trusted = learned.filter(|learned| learned.confidence > Confidence::None);
    let estimate = match (own, trusted, limit) {
        (Some(own), ..) => both(own, Origin::Own, Confidence::Low),
        (None, Some(learned), _) => learned,
        (None, None, Some(limit)) => both(limit, Origin::Limit, Confidence::High),
        (None, None, None) => {
            learned.unwrap_or_else(|| both(prior, Origin::Prior, Confidence::None))
        }
    };
    let within = |length: Span| limit.map_or(length, |limit| limit.min(length));
    Estimate { median: within(estimate.median), p90: within(estimate.p90), ..estimate }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_own_word_comes_before_what_was_learned_and_the_limit_holds_whatever_is_said() {
        let secs = Span::secs;
        let learned = |confidence| Estimate {
            median: secs(20),
            p90: secs(90),
            origin: Origin::Name,
            confidence,
        };
        let of = |own: Option<u64>, limit: Option<u64>, confidence| {
            let known = Some(learned(confidence));
            let all = live(own.map(secs), limit.map(secs), known, secs(600));
            (all.median.0 / 1000, all.p90.0 / 1000, all.origin, all.confidence)
        };
        let (none, low, high) = (Confidence::None, Confidence::Low, Confidence::High);
        assert_eq!(of(Some(40), None, high), (40, 40, Origin::Own, low));
        assert_eq!(of(Some(40), Some(30), high), (30, 30, Origin::Own, low));
        assert_eq!(of(None, Some(60), low), (20, 60, Origin::Name, low));
        assert_eq!(of(None, Some(60), none), (60, 60, Origin::Limit, high));
        assert_eq!(of(None, None, none), (20, 90, Origin::Name, none), "a prior that was outlived");
        let bare = live(None, None, None, secs(600));
        assert_eq!((bare.p90, bare.origin, bare.confidence), (secs(600), Origin::Prior, none));
    }

    #[test]
    fn two_completed_runs_make_a_prediction_and_the_request_bounds_it() {
        let mut recent = LastTwo::default();
        recent.note(Span::secs(10));
        assert_eq!(recent.predict(Span::secs(99)), Span::secs(99));
        recent.note(Span::secs(15));
        assert_eq!(recent.predict(Span::secs(99)), Span::secs(12), "12.5, rounded down");
        assert_eq!(recent.predict(Span::secs(7)), Span::secs(7));
        recent.note(Span::secs(25));
        assert_eq!(recent.predict(Span::secs(99)), Span::secs(20), "the first is forgotten");
    }

    #[test]
    fn each_prediction_has_its_source() {
        let (request, run) = (Span::secs(60), Span::secs(40));
        let of = |prediction: Prediction| prediction.of(request, run, LastTwo::default());
        let all = [Prediction::Request, Prediction::Exact, Prediction::Doubled];
        assert_eq!(all.map(of), [60, 40, 120].map(Span::secs));
        assert_eq!(of(Prediction::LastTwo), request);
    }

    #[test]
    fn steps_grow_to_the_request_and_stay_there() {
        let request = Span::hours(400);
        let mut prediction = Span::mins(10);
        let mut reached = Vec::new();
        for corrected in 0..13 {
            prediction = Correction::Stepwise.next(prediction, request, corrected);
            reached.push(prediction.0 / 60_000);
        }
        let hours = |hours: u64| hours * 60 + 10;
        let early = [11, 15, 25, 40, hours(1), hours(2), hours(5), hours(10), hours(20)];
        assert_eq!(reached[..9], early);
        assert_eq!(reached[9..], [hours(50), hours(100), 24_000, 24_000]);
        let short = Span::secs(630);
        assert_eq!(Correction::Stepwise.next(Span::secs(600), short, 0), short);
        assert_eq!(Correction::ToRequest.next(Span::secs(1), request, 0), request);
    }
}
