//! How long a job is expected to run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireError;
use super::words::Word as _;
use crate::base::Span;
use crate::model;
use crate::model::estimate::{Confidence, Origin};

/// How long a job is expected to run in all, pauses left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Estimate {
    /// As likely shorter as longer.
    pub median_ms: u64,
    /// Nine of ten are no longer.
    pub p90_ms: u64,
    /// `own`, `name`, `executable`, `team`, `limit` or `prior`.
    pub origin: String,
    /// `none`, `low` or `high`.
    pub confidence: String,
}

impl From<model::estimate::Estimate> for Estimate {
    fn from(from: model::estimate::Estimate) -> Estimate {
        Estimate {
            median_ms: from.median.0,
            p90_ms: from.p90.0,
            origin: from.origin.to_word(),
            confidence: from.confidence.to_word(),
        }
    }
}

impl TryFrom<Estimate> for model::estimate::Estimate {
    type Error = WireError;

    fn try_from(from: Estimate) -> Result<model::estimate::Estimate, WireError> {
        Ok(model::estimate::Estimate {
            median: Span(from.median_ms),
            p90: Span(from.p90_ms),
            origin: Origin::of_word(&from.origin)?,
            confidence: Confidence::of_word(&from.confidence)?,
        })
    }
}
