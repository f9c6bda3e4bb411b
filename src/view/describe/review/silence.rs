//! What happens to a review if nobody answers, and when.

use crate::base::{Span, duration};
use crate::model::action::EffectClass;
use crate::model::review::{Fallback, Review, Wait};
use crate::view::line::Role;
use crate::view::sight::Sight;

/// From this on it is said aloud.
pub const SOON: Span = Span::mins(15);

/// Time is short: its end is near and its clock runs.
pub fn is_pressing(review: &Review, sight: &Sight) -> bool {
    review.is_open() && review.stopped.is_none() && review.left(sight.now.wall) <= SOON
}

/// What becomes of it at the end, in a word: `DENIED`.
pub fn verdict(review: &Review) -> &'static str {
    match &review.rule.fallback {
        _ if review.ask.wait == Wait::Go => "left as it is",
        Fallback::Deny | Fallback::RunAlternative(_) => "DENIED",
        Fallback::DenyAndCancel => "DENIED, job cancelled",
        Fallback::KeepWaiting => "asked again",
        Fallback::Approve => "DONE without you",
    }
}

/// The last column of a row: `denied in 12m`.
pub fn countdown(review: &Review, sight: &Sight) -> String {
    let left = duration::short(review.left(sight.now.wall));
    if review.stopped.is_some() {
        return format!("asked back, clock stands, {left} left");
    }
    let what = verdict(review);
    let what = if what.starts_with("DENIED") || what.starts_with("DONE") {
        what.to_lowercase()
    } else {
        what.to_owned()
    };
    format!("{what} in {left}")
}

/// The sentence under the title, and how it is meant.
pub fn sentence(review: &Review, sight: &Sight) -> (String, Role) {
    let role = if is_pressing(review, sight) { Role::Bad } else { Role::NeedsYou };
    let left = duration::short(review.left(sight.now.wall));
    let at = sight.day(review.deadline);
    if let Some(since) = review.stopped {
        let since = sight.day(since);
        let text = format!(
            "The clock stands since {since}: it was asked back. {left} left after the answer."
        );
        return (text, Role::Muted);
    }
    let job = review.job;
    let waits = review.blocks();
    let then = match &review.rule.fallback {
        _ if !waits => format!("nothing changes at {at} ({left}). Job {job} goes on already."),
        Fallback::Deny => format!("DENIED at {at} ({left}). {}", without(review)),
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
fn without(review: &Review) -> String {
    let job = review.job;
    match review.ask.effect {
        EffectClass::Money => {
            format!("Nothing is paid. Job {job} stays paused until somebody resumes it.")
        }
        _ => format!("It is not done. Job {job} is told so and goes on."),
    }
}
