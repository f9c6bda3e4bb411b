//! What every reader's header shows.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::hold::Hold;
use super::limited::Limited;
use super::list::Counts;
use super::node::{KeptDay, Node};
use super::time::{Time, join, split};
use super::{SCHEMA_VERSION, WireError};
use crate::model::page;

/// Nodes, countable resources, counts, holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Summary {
    /// 1.
    pub schema_version: u32,
    /// Jobs by lane.
    pub counts: Counts,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Countable resources that are configured or held.
    pub resources: Vec<Countable>,
    /// Everything is held back.
    pub paused: Option<Hold>,
    /// Teams that are held back.
    pub paused_teams: Vec<PausedTeam>,
    /// What was kept for waiting jobs over the last 24 hours; null while it is being added up.
    #[serde(default)]
    pub reserved_24h: Option<KeptDay>,
    /// Somebody uses teams.
    #[serde(default)]
    pub teams: bool,
    /// The last record of the journal it includes.
    pub seq: u64,
    /// When it was made.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// A countable resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Countable {
    /// Its name.
    pub name: String,
    /// Units there are.
    pub count: u64,
    /// Units held.
    pub used: u64,
    /// Units that may be taken a minute.
    pub per_minute: Option<u64>,
    /// Units taken in the last minute.
    pub taken: u64,
    /// Nobody may take any for a while; null if they may.
    pub limited: Option<Limited>,
}

/// A team that is held back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PausedTeam {
    /// Its path.
    pub team: String,
    /// By whom, since when, why.
    pub hold: Hold,
}

impl From<&page::Summary> for Summary {
    fn from(from: &page::Summary) -> Summary {
        let (at, at_mono) = split(from.at);
        let paused_team = |(team, hold): &(crate::base::Name, _)| PausedTeam {
            team: team.to_string(),
            hold: Hold::from(hold),
        };
        Summary {
            schema_version: SCHEMA_VERSION,
            counts: Counts::from(from.counts),
            nodes: from.nodes.iter().map(Node::from).collect(),
            resources: from.countables.iter().map(Countable::from).collect(),
            paused: from.paused.as_ref().map(Hold::from),
            paused_teams: from.paused_teams.iter().map(paused_team).collect(),
            reserved_24h: from.kept_day.as_ref().map(KeptDay::from),
            teams: from.teams,
            seq: from.seq,
            at,
            at_mono,
        }
    }
}

impl TryFrom<Summary> for page::Summary {
    type Error = WireError;

    fn try_from(from: Summary) -> Result<page::Summary, WireError> {
        super::check_version(from.schema_version)?;
        let paused_team = |paused: PausedTeam| (paused.team.into(), paused.hold.into());
        Ok(page::Summary {
            counts: from.counts.into(),
            nodes: from.nodes.into_iter().map(Into::into).collect(),
            countables: from.resources.into_iter().map(Into::into).collect(),
            paused: from.paused.map(Into::into),
            paused_teams: from.paused_teams.into_iter().map(paused_team).collect(),
            kept_day: from.reserved_24h.map(TryInto::try_into).transpose()?,
            teams: from.teams,
            seq: from.seq,
            at: join(from.at, from.at_mono),
        })
    }
}

impl From<&page::CountableRow> for Countable {
    fn from(from: &page::CountableRow) -> Countable {
        Countable {
            name: from.name.to_string(),
            count: from.count,
            used: from.used,
            per_minute: from.per_minute,
            taken: from.taken,
            limited: from.limited.as_ref().map(Into::into),
        }
    }
}

impl From<Countable> for page::CountableRow {
    fn from(from: Countable) -> page::CountableRow {
        page::CountableRow {
            name: from.name.into(),
            count: from.count,
            used: from.used,
            per_minute: from.per_minute,
            taken: from.taken,
            limited: from.limited.map(Into::into),
        }
    }
}
