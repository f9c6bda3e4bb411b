//! Why a job had to give room, in numbers that explain it later.

use serde::{Deserialize, Serialize};

use crate::base::{JobId, Name};
use crate::model::job::Placement;
use crate::model::reason::Numbers;

/// Why a job had to give room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eviction {
    /// The rule that allowed it.
    pub rule: Rule,
    /// The job that gets the room, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taker: Option<JobId>,
    /// The ranks that are stopped; empty if the whole job is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<u32>,
    /// It is promised room elsewhere at once: a move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// Where the ranks go that move, those included that have moved before and are still being
    /// stopped. Until they have stopped that room is held for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<(u32, Placement)>,
    /// The person who ordered it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Name>,
    /// What was compared: use, quota and share of both teams, priorities.
    #[serde(default, skip_serializing_if = "Numbers::is_empty")]
    pub numbers: Numbers,
}

impl Eviction {
    /// A person ordered it.
    pub fn by_person(by: Name) -> Eviction {
        let numbers = Numbers::new();
        Eviction { by: Some(by), ..Eviction::whole(Rule::Person, None, numbers) }
    }

    /// A rule makes the whole job give room to another.
    pub fn whole(rule: Rule, taker: Option<JobId>, numbers: Numbers) -> Eviction {
        let (ranks, to) = (Vec::new(), Vec::new());
        Eviction { rule, taker, ranks, moved: false, to, by: None, numbers }
    }
}

/// The rule that makes a job give room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Others are packed closer so that a larger chunk fits.
    Consolidate,
    /// Its team holds more than its fair share.
    ReclaimFairness,
    /// Its team is over quota, the taker's stays within.
    ReclaimQuota,
    /// A job of its team with a higher priority.
    Preempt,
    /// Its gang has been below its minimum for too long.
    StaleGang,
    /// It was let in before a reservation and stayed longer than it said.
    Overstayed,
    /// Its node is about to vanish.
    Spot,
    /// A person said so.
    Person,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 8] = [
        Rule::Consolidate,
        Rule::ReclaimFairness,
        Rule::ReclaimQuota,
        Rule::Preempt,
        Rule::StaleGang,
        Rule::Overstayed,
        Rule::Spot,
        Rule::Person,
    ];

    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Rule::Consolidate => "consolidate",
            Rule::ReclaimFairness => "reclaim_fairness",
            Rule::ReclaimQuota => "reclaim_quota",
            Rule::Preempt => "preempt",
            Rule::StaleGang => "stale_gang",
            Rule::Overstayed => "overstayed",
            Rule::Spot => "spot",
            Rule::Person => "person",
        }
    }
}
