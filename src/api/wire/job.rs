//! A job in a list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::amounts::Amounts;
use super::cursor::{cursor_of, cursor_text};
use super::eviction::EvictedBy;
use super::exit::Exit;
use super::finding::Finding;
use super::hold::Hold;
use super::reason::Reason;
use super::state::{StateDetail, state_of, state_words};
use super::time::{Time, join, join_known, split, split_known};
use super::words::Word as _;
use super::{WireError, Words, labels_out, name_map, names, texts};
use crate::base::JobId;
use crate::model;
use crate::model::estimate::Forecast;
use crate::model::page::{Cursor, JobRow, KeptRoom, Lane};
use crate::model::setup::Tier;

/// A job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its team.
    pub team: String,
    /// Who owns it.
    pub owner: String,
    /// The tier its priority belongs to.
    pub tier: String,
    /// 0 to 1000, higher goes first.
    pub priority: u16,
    /// The priority it is sorted by.
    #[serde(default)]
    pub lifted_priority: u16,
    /// Where it stands.
    pub state: String,
    /// What stands behind that word.
    pub state_detail: StateDetail,
    /// Since when it stands there.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
    /// `human`, `running`, `queued` or `ended`.
    pub lane: String,
    /// Why it stands there.
    pub reason: Reason,
    /// A person holds it back.
    pub hold: Option<Hold>,
    /// Its processes are frozen.
    pub frozen: bool,
    /// What each task asks for.
    pub request: Amounts,
    /// Its gang.
    pub gang: Gang,
    /// The number of its current or last attempt; 0 before the first.
    pub attempt: u32,
    /// When it was submitted.
    pub submitted_at: Time,
    /// The same on the scheduler's clock.
    pub submitted_mono: u64,
    /// When its attempt began.
    pub started_at: Option<Time>,
    /// The same on the scheduler's clock.
    pub started_mono: Option<u64>,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// The same on the scheduler's clock.
    pub ended_mono: Option<u64>,
    /// When it will probably start.
    pub expected_start_at: Option<Expected>,
    /// When it is over if it keeps its estimate or its limit.
    pub expected_end_at: Option<Time>,
    /// When it is over if it takes as long as nine of ten like it do.
    #[serde(default)]
    pub latest_end_at: Option<Time>,
    /// Room that is kept for it while it waits.
    #[serde(default)]
    pub kept: Option<Kept>,
    /// Who took its room, until it runs again.
    #[serde(default)]
    pub evicted_by: Option<EvictedBy>,
    /// When it should be done.
    pub deadline: Option<Time>,
    /// The code it ended with.
    pub exit_code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// How it ended, with what has neither code nor signal.
    pub exit: Option<Exit>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its command; empty if the store no longer has it.
    pub command: Vec<String>,
    /// Its directory.
    pub cwd: String,
    /// Where it runs.
    pub nodes: Vec<String>,
    /// The job that submitted it.
    pub parent: Option<u64>,
    /// It does what its parent asked in this review, once: `R17`.
    #[serde(default)]
    pub step: Option<String>,
    /// Its place in an array.
    pub array: Option<Array>,
    /// What it holds now.
    pub holds: Amounts,
    /// It has a terminal.
    pub pty: bool,
    /// The question at its prompt.
    pub prompt: Option<Prompt>,
    /// What it said of its progress.
    pub progress: Option<Progress>,
    /// Its open reviews.
    pub open_reviews: Vec<String>,
    /// What it cost so far.
    pub cost: Option<Cost>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// Who acknowledged its end or its trouble.
    pub acked_by: Option<String>,
    /// When it is cancelled by itself, unless somebody takes that back.
    pub cancel_at: Option<Time>,
    /// Its place in the list by urgency, as a cursor.
    pub place: String,
    /// May be stopped to make room for others.
    #[serde(default)]
    pub preemptible: bool,
}

/// How many tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Gang {
    /// Tasks it wants.
    pub size: u32,
    /// Tasks it needs.
    pub min: u32,
    /// Tasks that run.
    pub running: u32,
}

/// A place in an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Array {
    /// The array: the number of its first element.
    pub id: u64,
    /// The index.
    pub index: u32,
    /// Elements that may run at once.
    pub throttle: Option<u32>,
}

/// A range of time with the trust one may put in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Expected {
    /// Not before.
    pub from: Time,
    /// Probably not after.
    pub to: Time,
    /// The hit rate of such forecasts so far: `83%`, or `unknown` while there were few.
    pub confidence: String,
    /// It waits for ends of which nothing is known: a guess.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guess: bool,
}

/// The hit rate of forecasts of which there were few.
const UNKNOWN: &str = "unknown";

impl From<Forecast> for Expected {
    fn from(from: Forecast) -> Expected {
        let percent = from.hits_percent.map(|percent| format!("{percent}%"));
        let confidence = percent.unwrap_or_else(|| UNKNOWN.to_owned());
        Expected { from: Time(from.from), to: Time(from.to), confidence, guess: from.guess }
    }
}

impl TryFrom<Expected> for Forecast {
    type Error = WireError;

    fn try_from(from: Expected) -> Result<Forecast, WireError> {
        let hits_percent = match from.confidence.as_str() {
            UNKNOWN => None,
            percent => {
                let read = percent.strip_suffix('%').and_then(|n| n.parse().ok());
                Some(read.ok_or_else(|| WireError::unknown("confidence", percent))?)
            }
        };
        Ok(Forecast { from: from.from.0, to: from.to.0, hits_percent, guess: from.guess })
    }
}

/// Room that is kept for a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Kept {
    /// From then on nothing else gets it.
    pub from: Time,
    /// Where.
    pub nodes: Vec<String>,
}

impl From<&KeptRoom> for Kept {
    fn from(from: &KeptRoom) -> Kept {
        Kept { from: Time(from.from), nodes: texts(&from.nodes) }
    }
}

impl From<Kept> for KeptRoom {
    fn from(from: Kept) -> KeptRoom {
        KeptRoom { from: from.from.0, nodes: names(from.nodes) }
    }
}

/// Money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cost {
    /// A decimal number.
    pub amount: String,
    /// ISO 4217.
    pub currency: String,
}

/// A question at a job's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Prompt {
    /// The rank that asks.
    pub rank: u32,
    /// The last line, as the job wrote it.
    pub text: String,
    /// Since when.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
}

/// What a job said of its progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    /// Hundredths of a percent.
    pub basis_points: Option<u32>,
    /// In words.
    pub text: Option<String>,
    /// When.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

impl Job {
    /// The document of a row.
    pub fn new(row: &JobRow, words: &dyn Words) -> Job {
        let (state, state_detail) = state_words(&row.state, row.hold.as_ref(), row.answered);
        let (since, since_mono) = split(row.since);
        let (submitted_at, submitted_mono) = split(row.submitted);
        let (started_at, started_mono) = split_known(row.started);
        let (ended_at, ended_mono) = split_known(row.ended);
        let exit = row.exit.as_ref().map(Exit::from);
        Job {
            id: row.id.0,
            name: row.name.to_string(),
            team: row.team.to_string(),
            owner: row.owner.to_string(),
            tier: Tier::of(row.priority).to_word(),
            priority: row.priority,
            lifted_priority: row.lifted,
            state,
            state_detail,
            since,
            since_mono,
            lane: row.lane.to_word(),
            reason: Reason::new(&row.reason, words),
            hold: row.hold.as_ref().map(Hold::from),
            frozen: row.frozen,
            request: Amounts::from(&row.request),
            gang: Gang { size: row.gang.size, min: row.gang.min, running: row.gang_running },
            attempt: row.attempt,
            submitted_at,
            submitted_mono,
            started_at,
            started_mono,
            ended_at,
            ended_mono,
            expected_start_at: row.expected_start.map(Expected::from),
            expected_end_at: row.expected_end.map(Time),
            latest_end_at: row.latest_end.map(Time),
            kept: row.kept.as_ref().map(Kept::from),
            evicted_by: row.evicted_by.as_ref().map(EvictedBy::from),
            deadline: row.deadline.map(Time),
            exit_code: row.exit.as_ref().and_then(code_of),
            signal: exit.as_ref().and_then(|exit| exit.signal),
            exit,
            labels: labels_out(&row.labels),
            command: row.command.clone(),
            cwd: row.cwd.clone(),
            nodes: texts(&row.nodes),
            parent: row.parent.map(|parent| parent.0),
            step: row.step.map(|review| review.to_string()),
            array: row.array.map(Array::from),
            holds: Amounts::from(&row.holds),
            pty: row.pty,
            prompt: row.prompt.as_ref().map(Prompt::from),
            progress: row.progress.as_ref().map(Progress::from),
            open_reviews: row.open_reviews.iter().map(ToString::to_string).collect(),
            cost: None,
            findings: row.findings.iter().map(|found| Finding::new(found, words)).collect(),
            acked_by: row.acked.as_ref().map(ToString::to_string),
            cancel_at: row.cancel_at.map(Time),
            place: cursor_text(row.place()),
            preemptible: row.preemptible,
        }
    }
}

impl TryFrom<Job> for JobRow {
    type Error = WireError;

    fn try_from(from: Job) -> Result<JobRow, WireError> {
        let findings: Result<Vec<_>, _> =
            from.findings.into_iter().map(model::Finding::try_from).collect();
        let review = |text: &String| super::review::review_of(text);
        let open_reviews: Result<Vec<_>, _> = from.open_reviews.iter().map(review).collect();
        let answered = from.state_detail.review.as_ref().map(review).transpose();
        let Cursor { place, .. } = cursor_of(&from.place)?;
        Ok(JobRow {
            id: JobId(from.id),
            name: from.name.into(),
            team: from.team.into(),
            priority: from.priority,
            lifted: from.lifted_priority.max(from.priority),
            owner: from.owner.into(),
            state: state_of(&from.state, &from.state_detail)?,
            answered: answered?,
            open_reviews: open_reviews?,
            since: join(from.since, from.since_mono),
            hold: from.hold.map(Into::into),
            frozen: from.frozen,
            lane: Lane::of_word(&from.lane)?,
            reason: from.reason.try_into()?,
            request: from.request.into(),
            gang: model::job::Gang { size: from.gang.size, min: from.gang.min },
            gang_running: from.gang.running,
            attempt: from.attempt,
            submitted: join(from.submitted_at, from.submitted_mono),
            started: join_known(from.started_at, from.started_mono),
            ended: join_known(from.ended_at, from.ended_mono),
            expected_start: from.expected_start_at.map(TryInto::try_into).transpose()?,
            expected_end: from.expected_end_at.map(|time| time.0),
            latest_end: from.latest_end_at.map(|time| time.0),
            kept: from.kept.map(Into::into),
            evicted_by: from.evicted_by.map(TryInto::try_into).transpose()?,
            exit: super::exit::exit_of(from.exit)?,
            labels: name_map(from.labels),
            command: from.command,
            cwd: from.cwd,
            nodes: names(from.nodes),
            parent: from.parent.map(JobId),
            step: from.step.as_ref().map(review).transpose()?,
            array: from.array.map(Into::into),
            holds: from.holds.into(),
            prompt: from.prompt.map(Into::into),
            progress: from.progress.map(Into::into),
            findings: findings?,
            acked: from.acked_by.map(Into::into),
            cancel_at: from.cancel_at.map(|time| time.0),
            pty: from.pty,
            order: (place.0, place.1),
            preemptible: from.preemptible,
            deadline: from.deadline.map(|time| time.0),
        })
    }
}

impl From<model::job::ArrayPlace> for Array {
    fn from(from: model::job::ArrayPlace) -> Array {
        Array { id: from.id.0, index: from.index, throttle: from.throttle }
    }
}

impl From<Array> for model::job::ArrayPlace {
    fn from(from: Array) -> model::job::ArrayPlace {
        model::job::ArrayPlace { id: JobId(from.id), index: from.index, throttle: from.throttle }
    }
}

impl From<&model::job::Prompt> for Prompt {
    fn from(from: &model::job::Prompt) -> Prompt {
        let (since, since_mono) = split(from.since);
        Prompt { rank: from.rank, text: from.text.clone(), since, since_mono }
    }
}

impl From<Prompt> for model::job::Prompt {
    fn from(from: Prompt) -> model::job::Prompt {
        let since = join(from.since, from.since_mono);
        model::job::Prompt { rank: from.rank, text: from.text, since }
    }
}

impl From<&model::job::Progress> for Progress {
    fn from(from: &model::job::Progress) -> Progress {
        let (at, at_mono) = split(from.at);
        Progress { basis_points: from.basis_points, text: from.text.clone(), at, at_mono }
    }
}

impl From<Progress> for model::job::Progress {
    fn from(from: Progress) -> model::job::Progress {
        let at = join(from.at, from.at_mono);
        model::job::Progress { basis_points: from.basis_points, text: from.text, at }
    }
}

/// The code a shell would show, for an end that has one: 127 for a command that never ran; a
/// signal has a key of its own.
fn code_of(exit: &crate::model::job::Exit) -> Option<i32> {
    use crate::model::job::Exit;
    match exit {
        Exit::Signal(_) => None,
        other => other.shell_code(),
    }
}
