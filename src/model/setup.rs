//! What configuration tells the core. It arrives as a command, so that a replay needs no file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::{Name, Span};
use crate::model::people::User;
use crate::model::{Resources, Team};

/// Everything the core must know of the configuration file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// Countable resources by name.
    pub resources: BTreeMap<Name, Countable>,
    /// Teams by path. The team `default` always exists.
    pub teams: Vec<Team>,
    /// People by configuration.
    pub users: Vec<User>,
    /// The uid that owns the server and is its admin.
    pub owner_uid: u32,
    /// What a job asks for if it does not say.
    pub defaults: Defaults,
}

/// A countable resource: a number that may be held at once and, if wished, a rate of starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Countable {
    /// Units that may be held at once.
    pub count: u64,
    /// Units that may be taken in any 60 seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<u64>,
}

/// Units of any `api:*` resource that nobody configured.
pub const API_DEFAULT_COUNT: u64 = 6;

/// Defaults of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Defaults {
    /// Request of a job that names none: 1 core, 2 GiB.
    pub request: Resources,
    /// Priority by tier name decides unless a number is given; this is the tier if neither is.
    pub tier: Tier,
    /// Between TERM and KILL.
    pub grace: Span,
    /// A job without a time limit gets a notice after this.
    pub long_running: Span,
    /// Ended jobs that stay in the world; older ones are kept as summaries.
    pub keep_ended: usize,
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults {
            request: Resources { cpu_milli: 1000, mem_bytes: 2 << 30, ..Resources::default() },
            tier: Tier::Research,
            grace: Span::secs(30),
            long_running: Span::hours(12),
            keep_ended: 2000,
        }
    }
}

/// Names for default priorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// 100.
    Batch,
    /// 200.
    Research,
    /// 300.
    Deadline,
    /// 400.
    Production,
}

/// The highest priority that may be given; the lowest is 0.
pub const PRIORITY_MAX: u16 = 1000;

impl Tier {
    /// All of them, lowest first.
    pub const ALL: [Tier; 4] = [Tier::Batch, Tier::Research, Tier::Deadline, Tier::Production];

    /// The priority a job of this tier has unless it says a number.
    pub const fn priority(self) -> u16 {
        match self {
            Tier::Batch => 100,
            Tier::Research => 200,
            Tier::Deadline => 300,
            Tier::Production => 400,
        }
    }

    /// The tier a priority belongs to: the highest whose default it reaches, else batch.
    pub fn of(priority: u16) -> Tier {
        let reached = |tier: &&Tier| tier.priority() <= priority;
        Tier::ALL.iter().rev().find(reached).copied().unwrap_or(Tier::Batch)
    }

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Tier::Batch => "batch",
            Tier::Research => "research",
            Tier::Deadline => "deadline",
            Tier::Production => "production",
        }
    }
}

impl std::str::FromStr for Tier {
    type Err = ();
    fn from_str(s: &str) -> Result<Tier, ()> {
        Tier::ALL.into_iter().find(|t| t.word() == s).ok_or(())
    }
}
