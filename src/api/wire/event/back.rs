//! From a shape back to the fact.

use std::collections::BTreeMap;

use super::fact::FactShown as Shown;
use crate::api::wire::amounts::Amounts;
use crate::api::wire::exit::exit_of;
use crate::api::wire::review::review_of;
use crate::api::wire::spec::Spec;
use crate::api::wire::state::{cause_of, outcome_of};
use crate::api::wire::task::placement_of;
use crate::api::wire::words::Word;
use crate::api::wire::{WireError, name_map};
use crate::base::{At, JobId, Mono, Name, TaskId};
use crate::model::job::Front;
use crate::model::{Fact, JobSpec, Resources};

impl Shown {
    /// The fact, about `job` if it is about one.
    ///
    /// # Errors
    /// When the job is missing or a word is unknown.
    pub fn into_fact(self, job: Option<JobId>) -> Result<Fact, WireError> {
        match job {
            Some(job) => self.of_task(job),
            None => self.of_no_job(),
        }
    }

    fn of_no_job(self) -> Result<Fact, WireError> {
        Ok(match self {
            Shown::KeyUsed { key, first, count, body } => {
                Fact::KeyUsed { key, first: JobId(first), count, body }
            }
            Shown::Looked { user, mark } => Fact::Looked { user: user.into(), mark: mark.0 },
            Shown::ResourceLimited { resource, limited } => {
                Fact::ResourceLimited { resource: resource.into(), limited: limited.into() }
            }
            Shown::LimitLifted { resource, by } => {
                Fact::LimitLifted { resource: resource.into(), by: by.into() }
            }
            Shown::CycleDue { at_mono } => Fact::CycleDue { at: at_mono.map(Mono) },
            Shown::RateUsed { resource, units } => {
                Fact::RateUsed { resource: resource.into(), units }
            }
            Shown::TeamSet { team, terms, by } => {
                Fact::TeamSet { team: team.into(), terms: Box::new(terms.into()), by: by.into() }
            }
            Shown::TeamRemoved { team, by } => {
                Fact::TeamRemoved { team: team.into(), by: by.into() }
            }
            Shown::TeamPaused { team, hold } => {
                Fact::TeamPaused { team: team.map(Into::into), hold: hold.into() }
            }
            Shown::TeamResumed { team, by } => {
                Fact::TeamResumed { team: team.map(Into::into), by: by.into() }
            }
            Shown::NodeSeen { name, capacity, gpus, traits } => Fact::NodeSeen {
                name: name.into(),
                capacity: capacity.into(),
                gpus: gpus.into_iter().map(Into::into).collect(),
                traits: traits.into(),
            },
            Shown::NodeDrained { node, on, by, reason } => {
                Fact::NodeDrained { node: node.into(), on, by: by.into(), reason }
            }
            Shown::NodeWarned { node, due, due_mono, by } => {
                let due = At { now: Mono(due_mono), wall: due.0 };
                Fact::NodeWarned { node: node.into(), due, by: by.into() }
            }
            Shown::GpuForeign { node, index, by } => {
                Fact::GpuForeign { node: node.into(), index, by: by.map(Into::into) }
            }
            Shown::Configured { setup } => Fact::Configured(Box::new((*setup).try_into()?)),
            Shown::Started { boot, offset_ms } => Fact::Started { boot, offset: offset_ms },
            Shown::Down { from_mono, to_mono, class } => {
                let (from, to) = (Mono(from_mono), Mono(to_mono));
                Fact::Down { from, to, class: of(&class)? }
            }
            other => return other.of_what_comes_and_goes(),
        })
    }

    /// About windows of teams and nodes of pools.
    fn of_what_comes_and_goes(self) -> Result<Fact, WireError> {
        Ok(match self {
            Shown::WindowOpened { team, window, zone, until, terms } => Fact::WindowOpened {
                team: team.into(),
                window: window.into(),
                zone: zone.into(),
                until: until.0,
                terms: Box::new(terms.into()),
            },
            Shown::WindowClosed { team, window } => {
                Fact::WindowClosed { team: team.into(), window: window.into() }
            }
            Shown::PoolGrew { pool, node } => {
                Fact::PoolGrew { pool: pool.into(), node: node.into() }
            }
            Shown::PoolShrank { pool, node } => {
                Fact::PoolShrank { pool: pool.into(), node: node.into() }
            }
            Shown::PoolFailed { pool, node, up, said } => {
                Fact::PoolFailed { pool: pool.into(), node: node.into(), up, said }
            }
            Shown::SeatsHandedOn { from, to, until, by } => Fact::SeatsHandedOn {
                from: from.into(),
                to: to.map(Into::into),
                until: until.map(|time| time.0),
                by: by.into(),
            },
            _ => return Err(WireError::missing("job")),
        })
    }

    fn of_task(self, job: JobId) -> Result<Fact, WireError> {
        let id = |attempt, rank| TaskId { job, attempt, rank };
        Ok(match self {
            Shown::TaskPlaced { attempt, rank, node, gpus, class } => Fact::TaskPlaced {
                task: id(attempt, rank),
                placement: placement_of(node, &gpus),
                class: of(&class)?,
                group: None,
            },
            Shown::TaskNominated { attempt, rank, node, gpus } => Fact::TaskNominated {
                task: id(attempt, rank),
                placement: placement_of(node, &gpus),
            },
            Shown::NominationOver { attempt, rank } => {
                Fact::NominationOver { task: id(attempt, rank) }
            }
            Shown::ReservationMade { at_mono, from_mono, room, class } => {
                let (at, from, room) = (Mono(at_mono), Mono(from_mono), by_node(room));
                Fact::ReservationMade { job, at, from, room, class: of(&class)? }
            }
            Shown::ReservationMoved { at_mono, from_mono, room, class } => {
                let (at, from, room) = (Mono(at_mono), Mono(from_mono), by_node(room));
                Fact::ReservationMoved { job, at, from, room, class: of(&class)? }
            }
            Shown::ReservationOver {} => Fact::ReservationOver { job },
            Shown::TaskStopping { attempt, rank, class } => {
                Fact::TaskStopping { task: id(attempt, rank), class: of(&class)? }
            }
            Shown::JobEvicted { eviction } => {
                Fact::JobEvicted { job, eviction: Box::new(eviction.try_into()?) }
            }
            Shown::TaskStarted { attempt, rank, pid, class } => {
                Fact::TaskStarted { task: id(attempt, rank), pid, class: of(&class)? }
            }
            Shown::TaskEnded { attempt, rank, exit, ended_at, ended_mono } => {
                let ended = ended_at.zip(ended_mono);
                let ended = ended.map(|(wall, now)| At { now: Mono(now), wall: wall.0 });
                Fact::TaskEnded { task: id(attempt, rank), exit: exit.try_into()?, ended }
            }
            Shown::TaskUnplaced { attempt, rank } => Fact::TaskUnplaced { task: id(attempt, rank) },
            Shown::DevicesLent { attempt, rank } => Fact::DevicesLent { task: id(attempt, rank) },
            Shown::AtPrompt { attempt, rank, text } => {
                Fact::AtPrompt { task: id(attempt, rank), text }
            }
            Shown::JobReported { report } => Fact::JobReported { job, report: report.try_into()? },
            Shown::PromptOver { by } => Fact::PromptOver { job, by: by.map(Into::into) },
            Shown::Found { signal, level, evidence } => Fact::Found {
                job,
                signal: of(&signal)?,
                level: of(&level)?,
                evidence: name_map(evidence),
            },
            Shown::FindingOver { signal } => Fact::FindingOver { job, signal: of(&signal)? },
            other => other.of_job(job)?,
        })
    }

    fn of_job(self, job: JobId) -> Result<Fact, WireError> {
        Ok(match self {
            Shown::JobSubmitted { spec, owner, uid } => {
                Fact::JobSubmitted { job, spec: spec_of(*spec)?, owner: owner.into(), uid }
            }
            Shown::JobQueued {} => Fact::JobQueued { job },
            Shown::JobWaits { cause, until } => {
                Fact::JobWaits { job, cause: cause_of(&cause, until)? }
            }
            Shown::JobHeld { hold } => Fact::JobHeld { job, hold: hold.into() },
            Shown::JobReleased { by } => Fact::JobReleased { job, by: by.into() },
            Shown::JobPaused {} => Fact::JobPaused { job },
            Shown::JobFrozen { class } => Fact::JobFrozen { job, class: of(&class)? },
            Shown::JobThawed { class } => Fact::JobThawed { job, class: of(&class)? },
            Shown::AttemptBegan { attempt, resume } => Fact::AttemptBegan { job, attempt, resume },
            Shown::JobRunning {} => Fact::JobRunning { job },
            Shown::CancelScheduled { due, due_mono, by, reason } => {
                let due = At { now: Mono(due_mono), wall: due.0 };
                Fact::CancelScheduled { job, due, by: by.into(), reason }
            }
            Shown::CancelRevoked { by } => Fact::CancelRevoked { job, by: by.into() },
            Shown::JobStopping { why, by, reason, class } => {
                let (why, class) = (of(&why)?, of(&class)?);
                Fact::JobStopping { job, why, by: by.into(), reason, class }
            }
            Shown::AttemptEnded { stopped_for, exit } => {
                let stopped_for = stopped_for.map(|why| of(&why)).transpose()?;
                Fact::AttemptEnded { job, stopped_for, exit: exit_of(exit)? }
            }
            Shown::RetryCounted {} => Fact::RetryCounted { job },
            Shown::ServiceRestarts { short } => Fact::ServiceRestarts { job, short },
            Shown::JobEnded { state, class } => {
                Fact::JobEnded { job, outcome: outcome_of(&state, class.as_deref())? }
            }
            Shown::JobForgotten {} => Fact::JobForgotten { job },
            Shown::JobChanged { spec, by } => {
                Fact::JobChanged { job, spec: spec_of(*spec)?, by: by.into() }
            }
            Shown::JobMovedUp { rank, priority, by } => {
                Fact::JobMovedUp { job, front: Front { rank, priority }, by: by.into() }
            }
            Shown::ReasonGiven { by, reason } => Fact::ReasonGiven { job, by: by.into(), reason },
            Shown::JobBoosted { cause, steps } => {
                Fact::JobBoosted { job, cause: of(&cause)?, steps }
            }
            Shown::JobDue { latest_start } => {
                Fact::JobDue { job, latest_start: latest_start.map(|at| at.0) }
            }
            Shown::JobInherits { from } => Fact::JobInherits { job, from: from.map(Into::into) },
            Shown::JobInReview {} => Fact::JobInReview { job },
            Shown::Review { review, fact } => {
                let review = review_of(&review)?;
                Fact::Review { review, job, fact: Box::new(fact.try_into()?) }
            }
            Shown::JobAcked { by } => Fact::JobAcked { job, by: by.into() },
            other => return Err(WireError(format!("{other:?} is about no job"))),
        })
    }
}

fn of<W: Word>(word: &str) -> Result<W, WireError> {
    W::of_word(word)
}

fn spec_of(spec: Spec) -> Result<Box<JobSpec>, WireError> {
    Ok(Box::new(spec.try_into()?))
}

/// Amounts by node.
fn by_node(room: BTreeMap<String, Amounts>) -> BTreeMap<Name, Resources> {
    room.into_iter().map(|(node, amounts)| (node.into(), amounts.into())).collect()
}
