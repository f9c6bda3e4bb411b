//! What configuration tells the core. It arrives as a command, so that a replay needs no file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::{At, JobId, Name, Span, Wall};
use crate::model::job::Grace;
use crate::model::people::User;
use crate::model::pool::Pool;
use crate::model::review::{ReviewPolicy, Target};
use crate::model::window::Window;
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
    /// Terms of teams that hold for some hours of the week.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
    /// Elastic pools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<Pool>,
    /// Who decides what agents ask for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review_policies: Vec<ReviewPolicy>,
    /// Who is told of that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<Target>,
    /// How the cycle decides.
    #[serde(skip_serializing_if = "Cycle::is_default")]
    pub cycle: Cycle,
}

/// Names of actions and policies that can be switched off: the actions of the cycle first.
pub const SWITCHES: &[&str] = &[
    "allocate",
    "consolidate",
    "reclaim",
    "preempt",
    "stale_gang",
    "overstayed",
    "fair_share",
    "reservation",
    "backfill",
    "returns",
    "estimate",
    "ageing",
    "deadline",
    "retry",
    "inheritance",
    "window",
    "spot",
    "pool",
    "rate",
];

/// Shapes of waiting jobs times nodes that make an installation large, unless configured: where a
/// full cycle begins to take milliseconds.
pub const LARGE: u64 = 20_000;

/// How the scheduling cycle decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cycle {
    /// Actions and policies that are switched off, by name.
    pub off: BTreeSet<Name>,
    /// How nodes are chosen for tasks with GPUs.
    pub place_gpu: PlaceBy,
    /// How nodes are chosen for tasks without.
    pub place_cpu: PlaceBy,
    /// How long a gang may stay below its minimum.
    pub stale_grace: Grace,
    /// How much past use counts against a team's part of the surplus, in thousandths.
    pub usage_weight: u64,
    /// Past use counts half after this; `None` does not look at past use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_half_life: Option<Span>,
    /// From whose team a reclaim's minimum runtime is read.
    pub reclaim_protection: ReclaimProtection,
    /// A taker must stay this many thousandths below the saturation of those it takes from.
    pub saturation: u64,
    /// A reclaim may move a victim to another node instead of stopping it.
    pub move_victims: bool,
    /// Jobs a consolidation may move at most; `None` is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consolidation_victims: Option<u32>,
    /// A job that has waited so long comes first among those that get a reservation.
    pub patience: Span,
    /// Shapes of waiting jobs times nodes from which on full cycles are a second apart.
    pub large: u64,
}

/// How a node is chosen among those with room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceBy {
    /// The fullest.
    #[default]
    BinPack,
    /// The emptiest.
    Spread,
    /// The one where least of the free devices becomes useless for the tasks that are usual here;
    /// of those the fullest.
    LeastFragmentation,
}

/// From whose team a reclaim's minimum runtime is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReclaimProtection {
    /// From the victim's side below the lowest common ancestor of both teams, upwards.
    #[default]
    Lca,
    /// From the victim's team, upwards.
    Queue,
}

impl Cycle {
    /// Nothing was configured.
    pub fn is_default(&self) -> bool {
        *self == Cycle::default()
    }

    /// Whether an action or policy is in force.
    pub fn on(&self, name: &str) -> bool {
        !self.off.contains(name)
    }
}

impl Default for Cycle {
    fn default() -> Cycle {
        Cycle {
            off: BTreeSet::new(),
            place_gpu: PlaceBy::BinPack,
            place_cpu: PlaceBy::BinPack,
            stale_grace: Grace::After(Span::secs(60)),
            usage_weight: 1000,
            usage_half_life: None,
            reclaim_protection: ReclaimProtection::Lca,
            saturation: 1000,
            move_victims: true,
            consolidation_victims: None,
            patience: Span::mins(30),
            large: LARGE,
        }
    }
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

/// Nobody may take units of a countable resource for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limited {
    /// Until then; lifts by itself.
    pub until: Wall,
    /// Who said so.
    pub by: Name,
    /// The job that was told so by the other side, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Since when.
    pub since: At,
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
