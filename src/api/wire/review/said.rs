//! What is said around a review.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::wire::time::{Time, join, split};
use crate::model::review::{Delegation, Delivery, Moment, Said};

/// A question or an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SaidShown {
    /// Who.
    pub by: String,
    /// It is the asker's answer.
    pub answer: bool,
    /// What.
    pub text: String,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// Somebody handed a seat on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DelegationShown {
    /// Whose seat.
    pub from: String,
    /// To whom.
    pub to: String,
    /// Until when; null for as long as the review is open.
    pub until: Option<Time>,
}

/// Somebody was told, or should have been.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryShown {
    /// Whom.
    pub to: String,
    /// How.
    pub via: String,
    /// At which moment: `asked`, `reminded`, `escalated`, `expiring`, `decided`, `expired`.
    #[serde(default)]
    pub moment: Option<String>,
    /// Why it did not arrive the last time; null if it did, or was not tried to the end yet.
    pub failed: Option<String>,
    /// How often it was tried.
    #[serde(default)]
    pub tries: u32,
    /// It is still being tried.
    #[serde(default)]
    pub open: bool,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

impl From<&Said> for SaidShown {
    fn from(from: &Said) -> SaidShown {
        let (at, at_mono) = split(from.at);
        let (by, answer, text) = (from.by.to_string(), from.answer, from.text.clone());
        SaidShown { by, answer, text, at, at_mono }
    }
}

impl From<SaidShown> for Said {
    fn from(from: SaidShown) -> Said {
        let at = join(from.at, from.at_mono);
        Said { by: from.by.into(), answer: from.answer, text: from.text, at }
    }
}

impl From<&Delegation> for DelegationShown {
    fn from(from: &Delegation) -> DelegationShown {
        DelegationShown {
            from: from.from.to_string(),
            to: from.to.to_string(),
            until: from.until.map(Time),
        }
    }
}

impl From<DelegationShown> for Delegation {
    fn from(from: DelegationShown) -> Delegation {
        let until = from.until.map(|time| time.0);
        Delegation { from: from.from.into(), to: from.to.into(), until }
    }
}

impl From<&Delivery> for DeliveryShown {
    fn from(from: &Delivery) -> DeliveryShown {
        let (at, at_mono) = split(from.at);
        let (to, via, failed) = (from.to.to_string(), from.via.to_string(), from.failed.clone());
        let (moment, tries, open) = (Some(from.moment.word().to_owned()), from.tries, from.open);
        DeliveryShown { to, via, moment, failed, tries, open, at, at_mono }
    }
}

impl From<DeliveryShown> for Delivery {
    fn from(from: DeliveryShown) -> Delivery {
        let at = join(from.at, from.at_mono);
        // What a later version calls by another word is shown as the first of all.
        let moment = from.moment.as_deref().and_then(Moment::of).unwrap_or_default();
        let (failed, tries, open) = (from.failed, from.tries, from.open);
        Delivery { to: from.to.into(), via: from.via.into(), moment, failed, tries, open, at }
    }
}
