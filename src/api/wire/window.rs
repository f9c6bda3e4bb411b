//! Terms of a team that hold for some hours of the week.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::terms::{Bounds, Terms, Weights};
use super::time::Time;
use crate::base::calendar::Weekly;
use crate::model::{page, window};

/// A window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WindowShown {
    /// Its name.
    pub name: String,
    /// The team.
    pub team: String,
    /// Time zone of its hours.
    pub zone: String,
    /// Days on which it opens, Monday in the lowest bit.
    pub days: u8,
    /// Minute of the day at which it opens.
    pub from: u16,
    /// Minute at which it closes; not after `from`: on the next day.
    pub to: u16,
    /// What the team is owed meanwhile; null leaves its own.
    pub quota: Option<Bounds>,
    /// What it may never exceed meanwhile; null leaves its own.
    pub limit: Option<Bounds>,
    /// Over-quota weights meanwhile; null leaves its own.
    pub weight: Option<Weights>,
    /// Queue priority meanwhile; null leaves its own.
    pub priority: Option<u16>,
}

/// The window of a team that is open now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InForce {
    /// Its name.
    pub name: String,
    /// The zone of its hours.
    pub zone: String,
    /// When it closes.
    pub until: Time,
    /// The team's own terms, which hold again then.
    pub own: Terms,
}

/// A time at which a window of a team is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Opening {
    /// The team.
    pub team: String,
    /// The window.
    pub window: String,
    /// The zone of its hours.
    pub zone: String,
    /// From when on.
    pub from: Time,
    /// Until when.
    pub until: Time,
}

impl From<&page::Opening> for Opening {
    fn from(from: &page::Opening) -> Opening {
        Opening {
            team: from.team.to_string(),
            window: from.window.to_string(),
            zone: from.zone.to_string(),
            from: Time(from.from),
            until: Time(from.until),
        }
    }
}

impl From<Opening> for page::Opening {
    fn from(from: Opening) -> page::Opening {
        page::Opening {
            team: from.team.into(),
            window: from.window.into(),
            zone: from.zone.into(),
            from: from.from.0,
            until: from.until.0,
        }
    }
}

impl From<&window::Window> for WindowShown {
    fn from(from: &window::Window) -> WindowShown {
        let Weekly { zone, days, from: opens, to } = &from.weekly;
        WindowShown {
            name: from.name.to_string(),
            team: from.team.to_string(),
            zone: zone.to_string(),
            days: *days,
            from: *opens,
            to: *to,
            quota: from.terms.quota.map(Into::into),
            limit: from.terms.limit.map(Into::into),
            weight: from.terms.weight.map(Into::into),
            priority: from.terms.priority,
        }
    }
}

impl From<WindowShown> for window::Window {
    fn from(from: WindowShown) -> window::Window {
        let (zone, days) = (from.zone.into(), from.days);
        window::Window {
            name: from.name.into(),
            team: from.team.into(),
            weekly: Weekly { zone, days, from: from.from, to: from.to },
            terms: window::WindowTerms {
                quota: from.quota.map(Into::into),
                limit: from.limit.map(Into::into),
                weight: from.weight.map(Into::into),
                priority: from.priority,
            },
        }
    }
}

impl From<&window::InForce> for InForce {
    fn from(from: &window::InForce) -> InForce {
        InForce {
            name: from.name.to_string(),
            zone: from.zone.to_string(),
            until: Time(from.until),
            own: (&from.own).into(),
        }
    }
}

impl From<InForce> for window::InForce {
    fn from(from: InForce) -> window::InForce {
        let (name, zone, until) = (from.name.into(), from.zone.into(), from.until.0);
        window::InForce { name, zone, until, own: from.own.into() }
    }
}
