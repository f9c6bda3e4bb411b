//! Where a job stands: a plain word, and beside it what INTERFACE writes in braces.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireError;
use super::time::Time;
use super::words::Word as _;
use crate::base::ReviewId;
use crate::model::job::state::{RESUMING, word};
use crate::model::job::{Cause, FailureClass, Hold, Outcome, State, StopFor};

/// What stands behind the word of a state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateDetail {
    /// `paused`: by whom.
    pub by: Option<String>,
    /// `stopping`: for what.
    #[serde(rename = "for")]
    pub stopping_for: Option<String>,
    /// `waiting`: for what.
    pub cause: Option<String>,
    /// `failed`: what kind of failure.
    pub class: Option<String>,
    /// `waiting{backoff}`: until when.
    pub until: Option<Time>,
    /// `resuming`: the review whose answer it comes back with.
    #[serde(default)]
    pub review: Option<String>,
}

/// Word and detail of a state.
pub(super) fn state_words(
    state: &State,
    hold: Option<&Hold>,
    answered: Option<ReviewId>,
) -> (String, StateDetail) {
    let review = answered.map(|review| review.to_string());
    let mut detail = StateDetail { review, ..StateDetail::default() };
    match state {
        State::Paused => detail.by = hold.map(|hold| hold.by.to_string()),
        State::Waiting(cause) => {
            detail.cause = Some(cause.word().to_owned());
            if let Cause::Backoff(until) = cause {
                detail.until = Some(Time(*until));
            }
        }
        State::Stopping(why) => detail.stopping_for = Some(why.to_word()),
        State::Ended(Outcome::Failed(class)) => detail.class = Some(class.to_word()),
        State::InReview | State::Queued | State::Starting | State::Running | State::Ended(_) => {}
    }
    (word(state, answered.is_some()).to_owned(), detail)
}

/// The state behind word and detail.
pub(super) fn state_of(word: &str, detail: &StateDetail) -> Result<State, WireError> {
    let need = |value: &Option<String>, key: &str| {
        value.clone().ok_or_else(|| WireError::missing(&format!("state_detail.{key}")))
    };
    Ok(match word {
        "paused" => State::Paused,
        "waiting" => State::Waiting(cause_of(&need(&detail.cause, "cause")?, detail.until)?),
        "in_review" => State::InReview,
        "queued" | RESUMING => State::Queued,
        "starting" => State::Starting,
        "running" => State::Running,
        "stopping" => State::Stopping(StopFor::of_word(&need(&detail.stopping_for, "for")?)?),
        other => State::Ended(outcome_of(other, detail.class.as_deref())?),
    })
}

/// The cause behind its word.
pub(super) fn cause_of(word: &str, until: Option<Time>) -> Result<Cause, WireError> {
    Ok(match word {
        "after" => Cause::After,
        "start_at" => Cause::StartAt,
        "children" => Cause::Children,
        "backoff" => Cause::Backoff(until.ok_or_else(|| WireError::missing("until"))?.0),
        other => return Err(WireError::unknown("cause", other)),
    })
}

/// The outcome behind its word and the class of a failure.
pub(super) fn outcome_of(word: &str, class: Option<&str>) -> Result<Outcome, WireError> {
    Ok(match word {
        "succeeded" => Outcome::Succeeded,
        "failed" => {
            let class = class.ok_or_else(|| WireError::missing("class"))?;
            Outcome::Failed(FailureClass::of_word(class)?)
        }
        "cancelled" => Outcome::Cancelled,
        "denied" => Outcome::Denied,
        "timed_out" => Outcome::TimedOut,
        "lost" => Outcome::Lost,
        other => return Err(WireError::unknown("state", other)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;

    #[test]
    fn every_state_reads_back() {
        let states = [
            State::Paused,
            State::InReview,
            State::Waiting(Cause::After),
            State::Waiting(Cause::StartAt),
            State::Waiting(Cause::Children),
            State::Waiting(Cause::Backoff(Wall(5_000))),
            State::Queued,
            State::Starting,
            State::Running,
            State::Stopping(StopFor::Timeout),
            State::Ended(Outcome::Succeeded),
            State::Ended(Outcome::Failed(FailureClass::ParkedWithoutAsking)),
            State::Ended(Outcome::Cancelled),
            State::Ended(Outcome::Denied),
            State::Ended(Outcome::TimedOut),
            State::Ended(Outcome::Lost),
        ];
        for state in states {
            let (word, detail) = state_words(&state, None, None);
            assert!(State::WORDS.contains(&word.as_str()));
            assert_eq!(state_of(&word, &detail), Ok(state));
        }
        assert!(state_of("dreaming", &StateDetail::default()).is_err());
        assert!(state_of("failed", &StateDetail::default()).is_err());
    }
}
