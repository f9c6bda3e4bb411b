//! What readers get: pages of rows, made from the world and sent to screens and wires.
//!
//! Rows are complete (INTERFACE.md, JSON): every field is there, `None` if unknown. Pages know
//! nothing of JSON and nothing of screens.

mod asked;
pub mod habits;
mod kept;
pub mod reviews;
mod teams;
pub mod usage;

use std::collections::BTreeMap;

use crate::base::{At, JobId, Name, ReviewId, Span, Wall};
use crate::model::Finding;
use crate::model::estimate::{Estimate, Forecast};
use crate::model::fact::Eviction;
use crate::model::filter::Filter;
use crate::model::finding::Signal;
use crate::model::job::{
    ArrayPlace, AttemptRecord, Checkpoint, Dependency, Exit, Gang, Hold, Job, Progress, Prompt,
    State, Task,
};
use crate::model::node::{Drain, Gpu, Traits, Warning};
use crate::model::reason::Reason;
use crate::model::review::Step;
use crate::model::setup::Limited;
use crate::model::{Resources, fact::Record};

pub use asked::Asked;
pub use kept::{EvictedBy, KeptDay, KeptFor, KeptRoom, OnGpu};
pub use reviews::{ReviewCard, ReviewPage, ReviewQuery, ReviewRow};
pub use teams::{Opening, TeamPage, TeamRow};

/// Which jobs, in which order, how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Which.
    pub filter: Filter,
    /// Which ended jobs.
    pub ended: Ended,
    /// Rows at most.
    pub limit: usize,
    /// Go on after this row of an earlier page.
    pub cursor: Option<Cursor>,
    /// Go back from this row instead: the page that ends before it.
    pub before: Option<Cursor>,
    /// Only these jobs, if any are named.
    pub ids: Vec<JobId>,
}

/// Which ended jobs belong to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// None.
    None,
    /// Those that ended after this.
    Since(Wall),
    /// All that are still in the world.
    All,
}

/// The place of a row in the list by urgency. Opaque outside; its text form is stable only for
/// the length of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// Lane, then order inside it.
    pub lane: Lane,
    /// Place inside the lane.
    pub place: (u64, u64, u64),
}

/// The lanes of the home list, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Waits on a person.
    Human,
    /// Holds room.
    Running,
    /// Does not.
    Queued,
    /// Ended.
    Ended,
}

impl Cursor {
    /// Behind every row.
    pub const END: Cursor = Cursor { lane: Lane::Ended, place: (u64::MAX, u64::MAX, u64::MAX) };
}

impl Lane {
    /// All of them, most urgent first.
    pub const ALL: [Lane; 4] = [Lane::Human, Lane::Running, Lane::Queued, Lane::Ended];

    /// The lane of a job. A question counts only while the job runs.
    pub fn of(job: &Job) -> Lane {
        match job.state {
            State::Ended(_) => Lane::Ended,
            State::InReview => Lane::Human,
            State::Starting | State::Running if job.prompt.is_some() => Lane::Human,
            State::Starting | State::Running if job.asking.holds().is_some() => Lane::Human,
            State::Starting | State::Running | State::Stopping(_) => Lane::Running,
            State::Paused | State::Waiting(_) | State::Queued => Lane::Queued,
        }
    }

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Lane::Human => "human",
            Lane::Running => "running",
            Lane::Queued => "queued",
            Lane::Ended => "ended",
        }
    }
}

/// Jobs by urgency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPage {
    /// The rows.
    pub jobs: Vec<JobRow>,
    /// Where the next page starts, if there is one; of a page that goes back, where the one
    /// before it ends.
    pub next: Option<Cursor>,
    /// How many jobs there are, whatever the filter says.
    pub counts: Counts,
    /// The last record the page includes.
    pub seq: u64,
    /// When it was made.
    pub at: At,
}

/// How many jobs are where. A stuck job counts in its lane too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Wait on a person.
    pub human: u64,
    /// Hold room.
    pub running: u64,
    /// Wait for room or for something else.
    pub queued: u64,
    /// Have a finding at suspect or above, or can never start.
    pub stuck: u64,
    /// Ended, still in the world.
    pub ended: u64,
}

/// A job in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Its number.
    pub id: JobId,
    /// Its name.
    pub name: Name,
    /// Its team.
    pub team: Name,
    /// Its priority.
    pub priority: u16,
    /// The priority it is sorted by: lifted by boosts, by `next` and by those who wait for it.
    pub lifted: u16,
    /// Who owns it.
    pub owner: Name,
    /// Where it stands.
    pub state: State,
    /// Since when.
    pub since: At,
    /// A person holds it back.
    pub hold: Option<Hold>,
    /// Its processes are frozen.
    pub frozen: bool,
    /// Its lane.
    pub lane: Lane,
    /// Why it stands there.
    pub reason: Reason,
    /// What each task asks for.
    pub request: Resources,
    /// Its gang.
    pub gang: Gang,
    /// Tasks that run.
    pub gang_running: u32,
    /// The attempt.
    pub attempt: u32,
    /// When it was submitted.
    pub submitted: At,
    /// When its attempt began.
    pub started: Option<At>,
    /// When it ended.
    pub ended: Option<At>,
    /// When it will probably start, if it waits for room.
    pub expected_start: Option<Forecast>,
    /// When it is over if it keeps its estimate or its limit.
    pub expected_end: Option<Wall>,
    /// When it is over if it takes as long as nine of ten like it do.
    pub latest_end: Option<Wall>,
    /// Room that is kept for it while it waits.
    pub kept: Option<KeptRoom>,
    /// It gave its room to somebody and does not run again yet.
    pub evicted_by: Option<EvictedBy>,
    /// How it ended last.
    pub exit: Option<Exit>,
    /// Its labels.
    pub labels: BTreeMap<Name, Name>,
    /// Its command; empty if the store no longer has it.
    pub command: Vec<String>,
    /// Its directory.
    pub cwd: String,
    /// Where it runs.
    pub nodes: Vec<Name>,
    /// Its parent.
    pub parent: Option<JobId>,
    /// It does what its parent asked in this review.
    pub step: Option<ReviewId>,
    /// Its place in an array.
    pub array: Option<ArrayPlace>,
    /// What it holds now.
    pub holds: Resources,
    /// Its open reviews.
    pub open_reviews: Vec<ReviewId>,
    /// The answer with which it comes back while it waits for room.
    pub answered: Option<ReviewId>,
    /// The question at its prompt.
    pub prompt: Option<Prompt>,
    /// What it said of its progress.
    pub progress: Option<Progress>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// When it is cancelled by itself, unless somebody takes that back.
    pub cancel_at: Option<Wall>,
    /// Who acknowledged it.
    pub acked: Option<Name>,
    /// It has a terminal.
    pub pty: bool,
    /// May be stopped to make room for others.
    pub preemptible: bool,
    /// Should have ended by then.
    pub deadline: Option<Wall>,
    /// Its place inside its lane; smaller comes first.
    pub order: (u64, u64),
}

impl JobRow {
    /// The word of its state (INTERFACE.md).
    pub fn word(&self) -> &'static str {
        crate::model::job::state::word(&self.state, self.answered.is_some())
    }

    /// Its place in the list by urgency.
    pub fn place(&self) -> Cursor {
        Cursor { lane: self.lane, place: (self.order.0, self.order.1, self.id.0) }
    }
}

/// Everything about one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobDetail {
    /// The row.
    pub row: JobRow,
    /// The tasks of its current or last attempt.
    pub tasks: Vec<Task>,
    /// Its past attempts.
    pub attempts: Vec<AttemptRecord>,
    /// Jobs it comes after.
    pub after: Vec<Dependency>,
    /// Its checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// What it reported to have used.
    pub usage: BTreeMap<Name, u64>,
    /// The rest of what was asked for.
    pub start_at: Option<Wall>,
    /// Time limit per attempt.
    pub time_limit: Option<Span>,
    /// The submitter's guess.
    pub estimate: Option<Span>,
    /// How long it is expected to run; `None` once it ended.
    pub expected: Option<Estimate>,
    /// May be started again.
    pub requeue: bool,
    /// Continues by itself.
    pub resumable: bool,
    /// Further attempts after a failure.
    pub retry: u32,
    /// How it wants to be scheduled.
    pub asked: Asked,
    /// Why it last had to give room, and when, until it runs again.
    pub evicted: Option<(Eviction, At)>,
    /// Small jobs that did, or do, what it was allowed to do.
    pub steps: Vec<(ReviewId, Step)>,
    /// Names of its environment.
    pub env_names: Vec<String>,
}

/// The answer to `why`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The job.
    pub job: JobId,
    /// Where it stands.
    pub state: State,
    /// The dominant reason.
    pub reason: Reason,
    /// The others.
    pub also: Vec<Reason>,
    /// What would change it.
    pub would_change: Vec<Reason>,
    /// When it will probably start, if it waits for room.
    pub expected_start: Option<Forecast>,
    /// Its place among the queued jobs that could take the same room, from 1.
    pub position: Option<u64>,
}

/// A node in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRow {
    /// Its name.
    pub name: Name,
    /// False once lost.
    pub up: bool,
    /// What it has.
    pub capacity: Resources,
    /// What our tasks hold.
    pub used: Resources,
    /// What is free, and kept for waiting jobs.
    pub reserved: Resources,
    /// For whom, who is first first.
    pub kept: Vec<KeptFor>,
    /// What foreign programs hold (GPUs only).
    pub foreign: Resources,
    /// Its devices.
    pub gpus: Vec<Gpu>,
    /// Our jobs on them, by device.
    pub on_gpus: Vec<OnGpu>,
    /// A person keeps work away.
    pub drain: Option<Drain>,
    /// It will vanish.
    pub warning: Option<Warning>,
    /// Tasks on it.
    pub tasks: u64,
    /// What it is beside its amounts.
    pub traits: Traits,
}

/// A countable resource in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountableRow {
    /// Its name.
    pub name: Name,
    /// Units there are.
    pub count: u64,
    /// Units held.
    pub used: u64,
    /// Units that may be taken a minute.
    pub per_minute: Option<u64>,
    /// Units taken in the last minute.
    pub taken: u64,
    /// Nobody may take any for a while.
    pub limited: Option<Limited>,
}

/// What every reader's header shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Jobs by lane.
    pub counts: Counts,
    /// The nodes.
    pub nodes: Vec<NodeRow>,
    /// Countable resources that are configured or held.
    pub countables: Vec<CountableRow>,
    /// Everything is held back.
    pub paused: Option<Hold>,
    /// Teams that are held back.
    pub paused_teams: Vec<(Name, Hold)>,
    /// What was kept for waiting jobs over the last day; `None` while it is being added up.
    pub kept_day: Option<KeptDay>,
    /// Somebody uses teams.
    pub teams: bool,
    /// The last record.
    pub seq: u64,
    /// When it was made.
    pub at: At,
}

/// Findings a row shows as stuck: at suspect or above, not acknowledged, or a job that can
/// never start.
pub fn is_stuck(findings: &[Finding]) -> bool {
    use crate::model::finding::Level;
    let stuck = |f: &Finding| f.level >= Level::Suspect || f.signal == Signal::NeverFits;
    findings.iter().any(|f| f.acked.is_none() && stuck(f))
}

/// What changed: journal records in order, for readers that follow.
pub type Delta = std::sync::Arc<Vec<Record>>;

/// One fact of the journal, as `events` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// The record.
    pub seq: u64,
    /// When.
    pub at: At,
    /// Who caused it, if a person or job did.
    pub by: Option<Name>,
    /// What became so.
    pub fact: crate::model::Fact,
}

/// The server itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its process.
    pub pid: u32,
    /// The program's version.
    pub version: String,
    /// Where its journal lies.
    pub data_dir: String,
    /// Where it listens.
    pub socket: String,
    /// Since when it runs.
    pub since: Wall,
    /// Jobs by lane.
    pub counts: Counts,
    /// How freeze, kill and limits are done here.
    pub mechanism: String,
    /// What people should know: a note each, e.g. that the disk is full.
    pub notes: Vec<String>,
    /// The last record.
    pub seq: u64,
}

/// Which part of a job's output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// One attempt; all of them in order if not given.
    pub attempt: Option<u32>,
    /// One task; rank 0 if not given.
    pub rank: Option<u32>,
    /// Go on until the job ends.
    pub follow: bool,
    /// Start this many bytes before the end.
    pub tail_bytes: Option<u64>,
    /// Say when each piece was written.
    pub times: bool,
}
