//! The small job that does what was approved, there and back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::review_of;
use crate::api::wire::WireError;
use crate::api::wire::time::{Time, join, split};
use crate::base::{JobId, ReviewId};
use crate::model::review::{Step, StepState};

/// The small job that does what was approved while the asker waits for its room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepShown {
    /// Its number; its output is that job's.
    pub job: u64,
    /// How far it came.
    #[serde(flatten)]
    pub state: StepStateShown,
    /// Since when.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
}

/// How far a step came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepStateShown {
    /// `waits`, `runs` (it used the right), `done`, `lost` (nobody knows how it ended; it is never
    /// run again) or `unused` (nothing ran).
    pub state: String,
    /// `done`: the code of what was approved.
    pub exit_code: Option<i32>,
    /// `unused`: why.
    pub reason: Option<String>,
}

/// A step of a job, with the review it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepOf {
    /// The review.
    pub review: String,
    /// The step.
    #[serde(flatten)]
    pub step: StepShown,
}

impl From<&StepState> for StepStateShown {
    fn from(from: &StepState) -> StepStateShown {
        let (exit_code, reason) = match from {
            StepState::Done(code) => (Some(*code), None),
            StepState::Unused(why) => (None, Some(why.clone())),
            StepState::Waits | StepState::Runs | StepState::Lost => (None, None),
        };
        StepStateShown { state: from.word().to_owned(), exit_code, reason }
    }
}

impl TryFrom<StepStateShown> for StepState {
    type Error = WireError;

    fn try_from(from: StepStateShown) -> Result<StepState, WireError> {
        Ok(match from.state.as_str() {
            "waits" => StepState::Waits,
            "runs" => StepState::Runs,
            "done" => {
                let code = from.exit_code.ok_or_else(|| WireError::missing("exit_code"))?;
                StepState::Done(code)
            }
            "lost" => StepState::Lost,
            "unused" => StepState::Unused(from.reason.unwrap_or_default()),
            other => return Err(WireError::unknown("state of a step", other)),
        })
    }
}

impl From<&Step> for StepShown {
    fn from(from: &Step) -> StepShown {
        let (since, since_mono) = split(from.since);
        StepShown { job: from.job.0, state: (&from.state).into(), since, since_mono }
    }
}

impl TryFrom<StepShown> for Step {
    type Error = WireError;

    fn try_from(from: StepShown) -> Result<Step, WireError> {
        let since = join(from.since, from.since_mono);
        Ok(Step { job: JobId(from.job), state: from.state.try_into()?, since })
    }
}

impl From<&(ReviewId, Step)> for StepOf {
    fn from((review, step): &(ReviewId, Step)) -> StepOf {
        StepOf { review: review.to_string(), step: step.into() }
    }
}

impl TryFrom<StepOf> for (ReviewId, Step) {
    type Error = WireError;

    fn try_from(from: StepOf) -> Result<(ReviewId, Step), WireError> {
        Ok((review_of(&from.review)?, from.step.try_into()?))
    }
}
