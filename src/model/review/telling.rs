//! Who is told of a review, and when: `[[notify]]` as far as the core knows it. Addresses and
//! secrets stay with whoever delivers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Review;
use crate::base::Name;
use crate::model::action::EffectClass;
use crate::model::team::is_within;

/// Targets at most.
pub const TARGETS_MAX: usize = 16;

/// A moment in the life of a review at which people are told.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// It was asked.
    #[default]
    Asked,
    /// Part of its time is over.
    Reminded,
    /// The next people are asked too.
    Escalated,
    /// Its time is nearly over.
    Expiring,
    /// People decided, or it was taken back.
    Decided,
    /// Nobody decided in time.
    Expired,
}

impl Moment {
    /// All of them, in the order in which they come.
    pub const ALL: [Moment; 6] = [
        Moment::Asked,
        Moment::Reminded,
        Moment::Escalated,
        Moment::Expiring,
        Moment::Decided,
        Moment::Expired,
    ];

    /// Words of all.
    pub const WORDS: [&'static str; 6] =
        ["asked", "reminded", "escalated", "expiring", "decided", "expired"];

    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Moment::Asked => "asked",
            Moment::Reminded => "reminded",
            Moment::Escalated => "escalated",
            Moment::Expiring => "expiring",
            Moment::Decided => "decided",
            Moment::Expired => "expired",
        }
    }

    /// The moment behind a word.
    pub fn of(word: &str) -> Option<Moment> {
        Moment::ALL.into_iter().find(|moment| moment.word() == word)
    }

    /// It asks somebody to decide; the others say that it is over.
    pub const fn asks(self) -> bool {
        !matches!(self, Moment::Decided | Moment::Expired)
    }
}

/// Somebody who is told: one `[[notify]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// Its name.
    pub name: Name,
    /// Of reviews of these teams and those below them; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<Name>,
    /// Of these classes; empty for all.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub effects: BTreeSet<EffectClass>,
    /// At these moments; empty for all.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub moments: BTreeSet<Moment>,
    /// It reaches these people: told when one of them is asked; empty for a place that nobody in
    /// particular reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<Name>,
}

impl Target {
    /// It wants to hear of a review at all.
    pub fn is_for(&self, review: &Review) -> bool {
        let team = self.teams.is_empty() || self.teams.iter().any(|t| is_within(&review.team, t));
        team && (self.effects.is_empty() || self.effects.contains(&review.ask.effect))
    }

    /// It wants to hear at that moment.
    pub fn wants(&self, moment: Moment) -> bool {
        self.moments.is_empty() || self.moments.contains(&moment)
    }
}
