//! Terms of a team that hold for some hours of the week.

use serde::{Deserialize, Serialize};

use crate::base::calendar::{Open, Weekly};
use crate::base::{Name, Wall};
use crate::model::team::{Bounds, Terms, Weights};

/// While it is open, what it says replaces the team's own terms. Of several open windows of a team
/// the first counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Its name.
    pub name: Name,
    /// The team.
    pub team: Name,
    /// When it is open.
    pub weekly: Weekly,
    /// What it says.
    pub terms: WindowTerms,
}

/// What a window says; `None` leaves the team's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowTerms {
    /// What the team is owed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<Bounds>,
    /// What it may never exceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Bounds>,
    /// Its part of the surplus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weights>,
    /// Its queue priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
}

/// The window of a team that is open now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForce {
    /// Its name.
    pub name: Name,
    /// The zone of its hours.
    pub zone: Name,
    /// When it closes.
    pub until: Wall,
    /// The team's own terms, which hold again then.
    pub own: Terms,
}

impl WindowTerms {
    /// `own` with what is said here in its place.
    #[must_use]
    pub fn over(&self, own: &Terms) -> Terms {
        Terms {
            quota: self.quota.unwrap_or(own.quota),
            limit: self.limit.unwrap_or(own.limit),
            weight: self.weight.unwrap_or(own.weight),
            priority: self.priority.unwrap_or(own.priority),
            ..own.clone()
        }
    }

    /// Nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == WindowTerms::default()
    }
}

impl Window {
    /// This window as it is in force over a team's own terms, and the terms that hold then.
    pub fn in_force(&self, open: Open, own: &Terms) -> (InForce, Terms) {
        let (name, zone) = (self.name.clone(), self.weekly.zone.clone());
        let force = InForce { name, zone, until: open.until, own: own.clone() };
        (force, self.terms.over(own))
    }
}
