//! How long a run is expected to take, with where that comes from and what it is worth.

use serde::{Deserialize, Serialize};

use crate::base::{Span, Wall};

/// How long a job is expected to run in all, pauses left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// As likely shorter as longer: orders go by it.
    pub median: Span,
    /// Nine of ten are no longer: promises go by it.
    pub p90: Span,
    /// Where it comes from.
    pub origin: Origin,
    /// How much it is worth.
    pub confidence: Confidence,
}

/// When a job will probably start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// If all that runs takes as long as half of its like do.
    pub from: Wall,
    /// If it takes as long as nine of ten do.
    pub to: Wall,
    /// How many of a hundred such forecasts came true so far; `None` while there were few.
    pub hits_percent: Option<u8>,
    /// It waits for ends of which nothing is known, or that are later than anybody thought.
    pub guess: bool,
}

/// Where an estimate comes from, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Whoever submitted it said so.
    Own,
    /// Earlier runs of the same name in the same team.
    Name,
    /// Earlier runs of the same executable in the same team.
    Executable,
    /// Earlier runs of its team.
    Team,
    /// It is stopped then at the latest.
    Limit,
    /// Nothing is known.
    Prior,
}

/// How much an estimate is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// No run of the class has ended by itself: this is the prior. Nothing is promised on it.
    None,
    /// Somebody's guess, or fewer than ten runs.
    Low,
    /// Ten runs or more, or a hard limit.
    High,
}

impl Origin {
    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Origin::Own => "own",
            Origin::Name => "name",
            Origin::Executable => "executable",
            Origin::Team => "team",
            Origin::Limit => "limit",
            Origin::Prior => "prior",
        }
    }
}

impl Confidence {
    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Confidence::None => "none",
            Confidence::Low => "low",
            Confidence::High => "high",
        }
    }
}
