//! The tree of teams, and what is asked of it.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::amounts::Amounts;
use super::hold::Hold;
use super::terms::Terms;
use super::time::{Time, join, split};
use super::window::{InForce, Opening};
use super::{SCHEMA_VERSION, WireError, check_version};
use crate::base::{JobId, Span};
use crate::model::page::{TeamPage, TeamRow};
use crate::model::team::{BoundsChange, TermsChange, WeightsChange};

/// All teams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamList {
    /// 1.
    pub schema_version: u32,
    /// The teams, each after the one above it.
    pub teams: Vec<Team>,
    /// When windows of theirs are open over the next seven days, by window, then by time.
    #[serde(default)]
    pub openings: Vec<Opening>,
    /// The last record of the journal it includes.
    pub seq: u64,
    /// When it was made.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// A team; amounts and numbers of jobs are those of its whole subtree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Team {
    /// Its path.
    pub name: String,
    /// What it is owed and may hold.
    pub terms: Terms,
    /// The window that makes these of its own terms, if one is open.
    #[serde(default)]
    pub window: Option<InForce>,
    /// A person holds it back.
    pub paused: Option<Hold>,
    /// What its jobs hold.
    pub held: Amounts,
    /// The part of that which jobs hold that are not preemptible.
    pub firm: Amounts,
    /// What its waiting jobs want.
    pub pending: Amounts,
    /// What it may hold now, all teams considered; null while nobody worked it out.
    pub share: Option<Amounts>,
    /// Jobs that hold room.
    pub running: u64,
    /// Jobs that wait for room.
    pub queued: u64,
    /// Since when it holds more than it may.
    pub over_since: Option<Time>,
    /// The same on the scheduler's clock.
    pub over_since_mono: Option<u64>,
    /// Since when the oldest job waits that it is owed room for.
    #[serde(default)]
    pub owed_since: Option<Time>,
    /// The same on the scheduler's clock.
    #[serde(default)]
    pub owed_since_mono: Option<u64>,
    /// The job that would have to give room first.
    #[serde(default)]
    pub next_victim: Option<u64>,
}

/// A new team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTeam {
    /// Its path.
    pub name: String,
    /// Its terms; what is missing is the default.
    #[serde(default)]
    pub terms: TermsRequest,
}

/// Terms, or changes of them: a missing key leaves a thing as it is, null removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TermsRequest {
    /// What it is owed; null removes every bound.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BoundsRequest>)]
    pub quota: Option<Option<BoundsRequest>>,
    /// What it may never exceed; null removes every bound.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BoundsRequest>)]
    pub limit: Option<Option<BoundsRequest>>,
    /// Over-quota weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<WeightsRequest>,
    /// Queue priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
    /// Minimum run time before a preemption, in milliseconds; null asks the parent.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub preempt_min_runtime_ms: Option<Option<u64>>,
    /// Minimum run time before a reclaim, in milliseconds; null asks the parent.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub reclaim_min_runtime_ms: Option<Option<u64>>,
}

/// Bounds by resource; a missing key leaves one as it is, null removes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BoundsRequest {
    /// Thousandths of a core.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub cpu_milli: Option<Option<u64>>,
    /// Bytes.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub mem_bytes: Option<Option<u64>>,
    /// Thousandths of a GPU.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub gpu_milli: Option<Option<u64>>,
}

/// Weights by resource in thousandths; a missing key leaves one as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WeightsRequest {
    /// For cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u64>,
    /// For memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem: Option<u64>,
    /// For GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<u64>,
}

/// Tells null from a missing key.
fn given<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

impl From<&TeamPage> for TeamList {
    fn from(from: &TeamPage) -> TeamList {
        let (at, at_mono) = split(from.at);
        let teams = from.teams.iter().map(Team::from).collect();
        let openings = from.openings.iter().map(Opening::from).collect();
        TeamList { schema_version: SCHEMA_VERSION, teams, openings, seq: from.seq, at, at_mono }
    }
}

impl TryFrom<TeamList> for TeamPage {
    type Error = WireError;

    fn try_from(from: TeamList) -> Result<TeamPage, WireError> {
        check_version(from.schema_version)?;
        let teams = from.teams.into_iter().map(TeamRow::from).collect();
        let openings = from.openings.into_iter().map(Into::into).collect();
        Ok(TeamPage { teams, openings, seq: from.seq, at: join(from.at, from.at_mono) })
    }
}

impl From<&TeamRow> for Team {
    fn from(row: &TeamRow) -> Team {
        let (over, owed) = (row.over_since.map(split), row.owed_since.map(split));
        Team {
            name: row.name.to_string(),
            terms: Terms::from(&row.terms),
            window: row.window.as_deref().map(InForce::from),
            paused: row.paused.as_ref().map(Hold::from),
            held: Amounts::from(&row.held),
            firm: Amounts::from(&row.firm),
            pending: Amounts::from(&row.pending),
            share: row.share.as_ref().map(Amounts::from),
            running: row.running,
            queued: row.queued,
            over_since: over.map(|(time, _)| time),
            over_since_mono: over.map(|(_, mono)| mono),
            owed_since: owed.map(|(time, _)| time),
            owed_since_mono: owed.map(|(_, mono)| mono),
            next_victim: row.next_victim.map(|job| job.0),
        }
    }
}

impl From<Team> for TeamRow {
    fn from(from: Team) -> TeamRow {
        TeamRow {
            name: from.name.into(),
            terms: from.terms.into(),
            window: from.window.map(|window| Box::new(window.into())),
            paused: from.paused.map(Into::into),
            held: from.held.into(),
            firm: from.firm.into(),
            pending: from.pending.into(),
            share: from.share.map(Into::into),
            running: from.running,
            queued: from.queued,
            over_since: from
                .over_since
                .zip(from.over_since_mono)
                .map(|(time, mono)| join(time, mono)),
            owed_since: from
                .owed_since
                .zip(from.owed_since_mono)
                .map(|(time, mono)| join(time, mono)),
            next_victim: from.next_victim.map(JobId),
        }
    }
}

impl From<&TermsChange> for TermsRequest {
    fn from(from: &TermsChange) -> TermsRequest {
        let spans = |change: Option<Option<Span>>| change.map(|span| span.map(|span| span.0));
        let WeightsChange { cpu, mem, gpu } = from.weight;
        let weight =
            (from.weight != WeightsChange::default()).then_some(WeightsRequest { cpu, mem, gpu });
        TermsRequest {
            quota: bounds_out(from.quota),
            limit: bounds_out(from.limit),
            weight,
            priority: from.priority,
            preempt_min_runtime_ms: spans(from.preempt_min_runtime),
            reclaim_min_runtime_ms: spans(from.reclaim_min_runtime),
        }
    }
}

impl From<TermsRequest> for TermsChange {
    fn from(from: TermsRequest) -> TermsChange {
        let spans = |change: Option<Option<u64>>| change.map(|span| span.map(Span));
        let WeightsRequest { cpu, mem, gpu } = from.weight.unwrap_or_default();
        TermsChange {
            quota: bounds_in(from.quota),
            limit: bounds_in(from.limit),
            weight: WeightsChange { cpu, mem, gpu },
            priority: from.priority,
            preempt_min_runtime: spans(from.preempt_min_runtime_ms),
            reclaim_min_runtime: spans(from.reclaim_min_runtime_ms),
        }
    }
}

fn bounds_out(from: BoundsChange) -> Option<Option<BoundsRequest>> {
    let BoundsChange { cpu_milli, mem_bytes, gpu_milli } = from;
    let said = from != BoundsChange::default();
    said.then_some(Some(BoundsRequest { cpu_milli, mem_bytes, gpu_milli }))
}

fn bounds_in(from: Option<Option<BoundsRequest>>) -> BoundsChange {
    match from {
        None => BoundsChange::default(),
        Some(None) => BoundsChange::NONE,
        Some(Some(BoundsRequest { cpu_milli, mem_bytes, gpu_milli })) => {
            BoundsChange { cpu_milli, mem_bytes, gpu_milli }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_through_whole_and_null_removes() {
        let change = TermsChange {
            quota: BoundsChange {
                cpu_milli: Some(None),
                gpu_milli: Some(Some(8000)),
                ..BoundsChange::default()
            },
            limit: BoundsChange::NONE,
            weight: WeightsChange { gpu: Some(2500), ..WeightsChange::default() },
            priority: Some(7),
            preempt_min_runtime: Some(None),
            reclaim_min_runtime: Some(Some(Span::secs(90))),
        };
        for change in [change, TermsChange::default()] {
            let text = serde_json::to_string(&TermsRequest::from(&change)).unwrap();
            let read: TermsRequest = serde_json::from_str(&text).unwrap();
            assert_eq!(TermsChange::from(read), change, "{text}");
        }
        let read: TermsRequest = serde_json::from_str(r#"{"limit": null}"#).unwrap();
        assert_eq!(TermsChange::from(read).limit, BoundsChange::NONE);
        assert!(serde_json::from_str::<TermsRequest>(r#"{"quta": null}"#).is_err());
    }
}
