//! What configuration told the core, as an event shows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireError;
use super::amounts::Amounts;
use super::groups::GraceShown;
use super::hold::Hold;
use super::pool::PoolShown;
use super::review::rule::PolicyShown;
use super::review::target::TargetShown;
use super::terms::Terms;
use super::window::WindowShown;
use super::words::Word as _;
use crate::base::Span;
use crate::model::people::{Grant, Role, User};
use crate::model::setup::{Countable, Cycle, Defaults, PlaceBy, ReclaimProtection, Setup, Tier};
use crate::model::team::Team;

/// Everything the core knows of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SetupShown {
    /// Countable resources by name.
    pub resources: BTreeMap<String, CountableShown>,
    /// Teams.
    pub teams: Vec<TeamShown>,
    /// People.
    pub users: Vec<UserShown>,
    /// The uid that owns the server and is its admin.
    pub owner_uid: u32,
    /// What a job asks for if it does not say.
    pub defaults: DefaultsShown,
    /// Terms of teams for some hours of the week.
    #[serde(default)]
    pub windows: Vec<WindowShown>,
    /// Elastic pools.
    #[serde(default)]
    pub pools: Vec<PoolShown>,
    /// Who decides what agents ask for.
    #[serde(default)]
    pub review_policies: Vec<PolicyShown>,
    /// Who is told of reviews.
    #[serde(default)]
    pub notify: Vec<TargetShown>,
    /// How the cycle decides.
    pub cycle: CycleShown,
}

/// A countable resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CountableShown {
    /// Units that may be held at once.
    pub count: u64,
    /// Units that may be taken in any 60 seconds.
    pub per_minute: Option<u64>,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamShown {
    /// Its path.
    pub name: String,
    /// What it is owed and may hold.
    pub terms: Terms,
    /// Its age among teams.
    pub created: u64,
    /// The configuration names it.
    #[serde(default)]
    pub configured: bool,
    /// Held back.
    pub paused: Option<Hold>,
}

/// How the scheduling cycle decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CycleShown {
    /// Actions and policies that are switched off.
    pub off: Vec<String>,
    /// `bin_pack`, `spread` or `least_fragmentation`, for tasks with GPUs.
    pub place_gpu: String,
    /// The same for tasks without.
    pub place_cpu: String,
    /// How long a gang may stay below its minimum.
    pub stale_grace: GraceShown,
    /// Weight of past use in thousandths.
    pub usage_weight: u64,
    /// Past use counts half after so many milliseconds; null does not look at it.
    pub usage_half_life_ms: Option<u64>,
    /// `lca` or `queue`.
    pub reclaim_protection: String,
    /// Saturation multiplier in thousandths.
    pub saturation: u64,
    /// A reclaim may move a victim.
    pub move_victims: bool,
    /// Jobs a consolidation may move at most; null is no bound.
    pub consolidation_victims: Option<u32>,
    /// A job that has waited so many milliseconds is first to get a reservation.
    pub patience_ms: u64,
    /// Shapes of waiting jobs times nodes from which on full cycles are a second apart.
    pub large: u64,
}

impl From<&Cycle> for CycleShown {
    fn from(from: &Cycle) -> CycleShown {
        CycleShown {
            off: from.off.iter().map(ToString::to_string).collect(),
            place_gpu: from.place_gpu.to_word(),
            place_cpu: from.place_cpu.to_word(),
            stale_grace: from.stale_grace.into(),
            usage_weight: from.usage_weight,
            usage_half_life_ms: from.usage_half_life.map(|span| span.0),
            reclaim_protection: from.reclaim_protection.to_word(),
            saturation: from.saturation,
            move_victims: from.move_victims,
            consolidation_victims: from.consolidation_victims,
            patience_ms: from.patience.0,
            large: from.large,
        }
    }
}

impl TryFrom<CycleShown> for Cycle {
    type Error = WireError;

    fn try_from(from: CycleShown) -> Result<Cycle, WireError> {
        Ok(Cycle {
            off: from.off.into_iter().map(Into::into).collect(),
            place_gpu: PlaceBy::of_word(&from.place_gpu)?,
            place_cpu: PlaceBy::of_word(&from.place_cpu)?,
            stale_grace: from.stale_grace.into(),
            usage_weight: from.usage_weight,
            usage_half_life: from.usage_half_life_ms.map(Span),
            reclaim_protection: ReclaimProtection::of_word(&from.reclaim_protection)?,
            saturation: from.saturation,
            move_victims: from.move_victims,
            consolidation_victims: from.consolidation_victims,
            patience: Span(from.patience_ms),
            large: from.large,
        })
    }
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserShown {
    /// The name that is shown.
    pub name: String,
    /// The operating system's user.
    pub os_user: String,
    /// Its uid here.
    pub uid: Option<u32>,
    /// What they may do.
    pub grants: Vec<GrantShown>,
}

/// A role in a team's subtree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantShown {
    /// Path of the team; empty for all.
    pub team: String,
    /// `viewer`, `submitter`, `operator` or `admin`.
    pub role: String,
}

/// Defaults of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DefaultsShown {
    /// What each task asks for.
    pub request: Amounts,
    /// The tier.
    pub tier: String,
    /// Between TERM and KILL, in milliseconds.
    pub grace_ms: u64,
    /// A job without a time limit gets a notice after this many milliseconds.
    pub long_running_ms: u64,
    /// Ended jobs kept at hand.
    pub keep_ended: u64,
}

impl From<&Setup> for SetupShown {
    fn from(from: &Setup) -> SetupShown {
        let countable = |(name, countable): (&crate::base::Name, &Countable)| {
            let shown = CountableShown { count: countable.count, per_minute: countable.per_minute };
            (name.to_string(), shown)
        };
        let team = |team: &Team| TeamShown {
            name: team.name.to_string(),
            terms: (&team.terms).into(),
            created: team.created,
            configured: team.configured,
            paused: team.paused.as_ref().map(Hold::from),
        };
        SetupShown {
            resources: from.resources.iter().map(countable).collect(),
            teams: from.teams.iter().map(team).collect(),
            users: from.users.iter().map(UserShown::from).collect(),
            owner_uid: from.owner_uid,
            defaults: DefaultsShown {
                request: Amounts::from(&from.defaults.request),
                tier: from.defaults.tier.to_word(),
                grace_ms: from.defaults.grace.0,
                long_running_ms: from.defaults.long_running.0,
                keep_ended: from.defaults.keep_ended as u64,
            },
            windows: from.windows.iter().map(WindowShown::from).collect(),
            review_policies: from.review_policies.iter().map(Into::into).collect(),
            notify: from.notify.iter().map(Into::into).collect(),
            pools: from.pools.iter().map(PoolShown::from).collect(),
            cycle: (&from.cycle).into(),
        }
    }
}

impl TryFrom<SetupShown> for Setup {
    type Error = WireError;

    fn try_from(from: SetupShown) -> Result<Setup, WireError> {
        let countable = |(name, shown): (String, CountableShown)| {
            (name.into(), Countable { count: shown.count, per_minute: shown.per_minute })
        };
        let team = |team: TeamShown| Team {
            name: team.name.into(),
            terms: team.terms.into(),
            created: team.created,
            configured: team.configured,
            paused: team.paused.map(Into::into),
            window: None,
        };
        let policies: Result<Vec<_>, _> =
            from.review_policies.into_iter().map(TryInto::try_into).collect();
        let notify: Result<Vec<_>, _> = from.notify.into_iter().map(TryInto::try_into).collect();
        let users: Result<Vec<_>, _> = from.users.into_iter().map(User::try_from).collect();
        Ok(Setup {
            resources: from.resources.into_iter().map(countable).collect(),
            teams: from.teams.into_iter().map(team).collect(),
            users: users?,
            owner_uid: from.owner_uid,
            windows: from.windows.into_iter().map(Into::into).collect(),
            pools: from.pools.into_iter().map(Into::into).collect(),
            review_policies: policies?,
            notify: notify?,
            cycle: from.cycle.try_into()?,
            defaults: Defaults {
                request: from.defaults.request.into(),
                tier: Tier::of_word(&from.defaults.tier)?,
                grace: Span(from.defaults.grace_ms),
                long_running: Span(from.defaults.long_running_ms),
                keep_ended: usize::try_from(from.defaults.keep_ended).unwrap_or(usize::MAX),
            },
        })
    }
}

impl From<&User> for UserShown {
    fn from(from: &User) -> UserShown {
        let grant =
            |grant: &Grant| GrantShown { team: grant.team.to_string(), role: grant.role.to_word() };
        UserShown {
            name: from.name.to_string(),
            os_user: from.os_user.to_string(),
            uid: from.uid,
            grants: from.grants.iter().map(grant).collect(),
        }
    }
}

impl TryFrom<UserShown> for User {
    type Error = WireError;

    fn try_from(from: UserShown) -> Result<User, WireError> {
        let grant = |shown: GrantShown| {
            let role = Role::of_word(&shown.role)?;
            Ok(Grant { team: shown.team.into(), role })
        };
        let grants: Result<Vec<_>, WireError> = from.grants.into_iter().map(grant).collect();
        Ok(User {
            name: from.name.into(),
            os_user: from.os_user.into(),
            uid: from.uid,
            grants: grants?,
        })
    }
}
