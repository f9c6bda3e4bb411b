//! The shapes of `data`, one for each kind of fact. The job is said beside it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::wire::amounts::Amounts;
use crate::api::wire::eviction::Eviction;
use crate::api::wire::exit::Exit;
use crate::api::wire::hold::Hold;
use crate::api::wire::limited::Limited;
use crate::api::wire::node::Gpu;
use crate::api::wire::reason::Value;
use crate::api::wire::report::Report;
use crate::api::wire::review::fact::ReviewFactShown;
use crate::api::wire::setup::SetupShown;
use crate::api::wire::spec::Spec;
use crate::api::wire::task::Share;
use crate::api::wire::terms::Terms;
use crate::api::wire::time::Time;
use crate::api::wire::traits::Traits;
use crate::api::wire::urgency::Inherited;

/// What became so: `kind` is the fact's word, `data` what belongs to it. `class` is always the
/// ledger class that room is booked under from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are those of the facts in the model, documented there")]
pub enum FactShown {
    JobSubmitted {
        spec: Box<Spec>,
        owner: String,
        uid: Option<u32>,
    },
    KeyUsed {
        key: String,
        first: u64,
        count: u32,
        body: String,
    },
    Looked {
        user: String,
        mark: Time,
    },
    JobQueued {},
    JobWaits {
        cause: String,
        until: Option<Time>,
    },
    JobHeld {
        hold: Hold,
    },
    JobReleased {
        by: String,
    },
    JobPaused {},
    JobFrozen {
        class: String,
    },
    JobThawed {
        class: String,
    },
    JobInReview {},
    Review {
        review: String,
        #[serde(flatten)]
        fact: ReviewFactShown,
    },
    SeatsHandedOn {
        from: String,
        to: Option<String>,
        until: Option<Time>,
        by: String,
    },
    AttemptBegan {
        attempt: u32,
        resume: bool,
    },
    TaskPlaced {
        attempt: u32,
        rank: u32,
        node: String,
        gpus: Vec<Share>,
        class: String,
    },
    TaskNominated {
        attempt: u32,
        rank: u32,
        node: String,
        gpus: Vec<Share>,
    },
    NominationOver {
        attempt: u32,
        rank: u32,
    },
    ReservationMade {
        at_mono: u64,
        from_mono: u64,
        room: BTreeMap<String, Amounts>,
        class: String,
    },
    ReservationMoved {
        at_mono: u64,
        from_mono: u64,
        room: BTreeMap<String, Amounts>,
        class: String,
    },
    ReservationOver {},
    TaskStopping {
        attempt: u32,
        rank: u32,
        class: String,
    },
    JobEvicted {
        eviction: Eviction,
    },
    TaskStarted {
        attempt: u32,
        rank: u32,
        pid: u32,
        class: String,
    },
    JobRunning {},
    CancelScheduled {
        due: Time,
        due_mono: u64,
        by: String,
        reason: Option<String>,
    },
    CancelRevoked {
        by: String,
    },
    JobStopping {
        #[serde(rename = "for")]
        why: String,
        by: String,
        reason: Option<String>,
        class: String,
    },
    TaskEnded {
        attempt: u32,
        rank: u32,
        exit: Exit,
        ended_at: Option<Time>,
        ended_mono: Option<u64>,
    },
    TaskUnplaced {
        attempt: u32,
        rank: u32,
    },
    DevicesLent {
        attempt: u32,
        rank: u32,
    },
    AttemptEnded {
        stopped_for: Option<String>,
        exit: Option<Exit>,
    },
    RetryCounted {},
    ServiceRestarts {
        short: u32,
    },
    JobEnded {
        state: String,
        class: Option<String>,
    },
    JobForgotten {},
    JobChanged {
        spec: Box<Spec>,
        by: String,
    },
    JobMovedUp {
        rank: u64,
        priority: u16,
        by: String,
    },
    ReasonGiven {
        by: String,
        reason: String,
    },
    JobBoosted {
        cause: String,
        steps: u8,
    },
    JobDue {
        latest_start: Option<Time>,
    },
    JobInherits {
        from: Option<Inherited>,
    },
    JobAcked {
        by: String,
    },
    JobReported {
        report: Report,
    },
    AtPrompt {
        attempt: u32,
        rank: u32,
        text: String,
    },
    PromptOver {
        by: Option<String>,
    },
    Found {
        signal: String,
        level: String,
        evidence: BTreeMap<String, Value>,
    },
    FindingOver {
        signal: String,
    },
    ResourceLimited {
        resource: String,
        limited: Limited,
    },
    LimitLifted {
        resource: String,
        by: String,
    },
    CycleDue {
        #[serde(skip_serializing_if = "Option::is_none")]
        at_mono: Option<u64>,
    },
    RateUsed {
        resource: String,
        units: u64,
    },
    TeamSet {
        team: String,
        terms: Terms,
        by: String,
    },
    TeamRemoved {
        team: String,
        by: String,
    },
    WindowOpened {
        team: String,
        window: String,
        zone: String,
        until: Time,
        terms: Terms,
    },
    WindowClosed {
        team: String,
        window: String,
    },
    TeamPaused {
        team: Option<String>,
        hold: Hold,
    },
    TeamResumed {
        team: Option<String>,
        by: String,
    },
    NodeSeen {
        name: String,
        capacity: Amounts,
        gpus: Vec<Gpu>,
        #[serde(default)]
        traits: Traits,
    },
    NodeDrained {
        node: String,
        on: bool,
        by: String,
        #[serde(default)]
        reason: Option<String>,
    },
    NodeWarned {
        node: String,
        due: Time,
        due_mono: u64,
        by: String,
    },
    PoolGrew {
        pool: String,
        node: String,
    },
    PoolShrank {
        pool: String,
        node: String,
    },
    PoolFailed {
        pool: String,
        node: String,
        up: bool,
        said: String,
    },
    GpuForeign {
        node: String,
        index: u32,
        by: Option<String>,
    },
    Configured {
        setup: Box<SetupShown>,
    },
    Started {
        boot: String,
        offset_ms: i64,
    },
    Down {
        from_mono: u64,
        to_mono: u64,
        class: String,
    },
}
