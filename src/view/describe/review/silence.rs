//! What happens to a review if nobody answers, and when.

use crate::base::{JobId, Span, Wall, duration};
use crate::model::action::EffectClass;
use crate::model::page::ReviewRow;
use crate::model::review::{Fallback, Review, ReviewState, Wait};
use crate::view::line::Role;
use crate::view::sight::Sight;

/// From this on it is said aloud.
pub const SOON: Span = Span::mins(15);

/// What of a review says how it ends by itself.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'a> {
    job: JobId,
    effect: EffectClass,
    wait: Wait,
    fallback: &'a Fallback,
    deadline: Wall,
    stopped: Option<Wall>,
    open: bool,
}

impl<'a> From<&'a Review> for Ending<'a> {
    fn from(review: &'a Review) -> Ending<'a> {
        Ending {
            job: review.job,
            effect: review.ask.effect,
            wait: review.ask.wait,
            fallback: &review.rule.fallback,
            deadline: review.deadline,
            stopped: review.stopped,
            open: review.is_open(),
        }
    }
}

impl<'a> From<&'a ReviewRow> for Ending<'a> {
    fn from(row: &'a ReviewRow) -> Ending<'a> {
        Ending {
            job: row.job,
            effect: row.effect,
            wait: row.wait,
            fallback: &row.fallback,
            deadline: row.deadline,
            stopped: row.stopped,
            open: row.state == ReviewState::Open,
        }
    }
}

impl Ending<'_> {
    /// Time that is left; it stands still while somebody was asked back.
    pub fn left(&self, now: Wall) -> Span {
        self.deadline.since(self.stopped.unwrap_or(now))
    }
}

/// Time is short: its end is near and its clock runs.
pub fn is_pressing<'a>(review: impl Into<Ending<'a>>, sight: &Sight) -> bool {
    let ending = review.into();
    ending.open && ending.stopped.is_none() && ending.left(sight.now.wall) <= SOON
}

/// What becomes of it at the end, in a word: `DENIED`.
pub fn verdict<'a>(review: impl Into<Ending<'a>>) -> &'static str {
    let ending = review.into();
    match ending.fallback {
        _ if ending.wait == Wait::Go => "left as it is",
        Fallback::Deny | Fallback::RunAlternative(_) => "DENIED",
        Fallback::DenyAndCancel => "DENIED, job cancelled",
        Fallback::KeepWaiting => "asked again",
        Fallback::Approve => "DONE without you",
    }
}

/// The last column of a row: `denied in 12m`.
pub fn countdown<'a>(review: impl Into<Ending<'a>>, sight: &Sight) -> String {
    let ending = review.into();
    let left = duration::short(ending.left(sight.now.wall));
    if ending.stopped.is_some() {
        return format!("asked back, clock stands, {left} left");
    }
    if ending.wait == Wait::Go {
        return format!("goes on meanwhile, {left} left to undo it");
    }
    let what = verdict(ending);
    let what = if what.starts_with("DENIED") || what.starts_with("DONE") {
        what.to_lowercase()
    } else {
        what.to_owned()
    };
    format!("{what} in {left}")
}

/// The sentence under the title, and how it is meant.
pub fn sentence<'a>(review: impl Into<Ending<'a>>, sight: &Sight) -> (String, Role) {
    let ending = review.into();
    let role = if is_pressing(ending, sight) { Role::Bad } else { Role::NeedsYou };
    let left = duration::short(ending.left(sight.now.wall));
    let at = sight.day(ending.deadline);
    if let Some(since) = ending.stopped {
        let since = sight.day(since);
        let text = format!(
            "The clock stands since {since}: it was asked back. {left} left after the answer."
        );
        return (text, Role::Muted);
    }
    let job = ending.job;
    let then = match ending.fallback {
        _ if ending.wait == Wait::Go => {
            format!("nothing changes at {at} ({left}). Job {job} goes on already.")
        }
        Fallback::Deny => format!("DENIED at {at} ({left}). {}", without(ending)),
        Fallback::DenyAndCancel => {
            format!("DENIED at {at} ({left}), and job {job} is CANCELLED.")
        }
        Fallback::KeepWaiting => {
            format!("everybody who may decide is asked again at {at} ({left}). Job {job} waits on.")
        }
        Fallback::RunAlternative(name) => {
            format!("DENIED at {at} ({left}); job {job} is told to do {name} instead.")
        }
        Fallback::Approve => format!("it is DONE at {at} ({left}) without an answer."),
    };
    (format!("If nobody answers: {then}"), role)
}

/// What a no by silence leaves.
fn without(ending: Ending<'_>) -> String {
    let job = ending.job;
    match ending.effect {
        EffectClass::Money => {
            format!("Nothing is paid. Job {job} stays paused until somebody resumes it.")
        }
        _ => format!("It is not done. Job {job} is told so and goes on."),
    }
}
