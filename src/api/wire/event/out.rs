//! From a fact to its shape.

use std::collections::BTreeMap;

use super::fact::FactShown as Shown;
use crate::api::wire::amounts::Amounts;
use crate::api::wire::spec::Spec;
use crate::api::wire::task::shares;
use crate::api::wire::text_map;
use crate::api::wire::time::Time;
use crate::api::wire::words::Word as _;
use crate::base::{At, Mono, Name, TaskId, Wall};
use crate::model::fact::Class;
use crate::model::finding::{Level, Signal};
use crate::model::job::{
    self, BoostCause, Cause, FailureClass, Front, Inherited, Outcome, StopFor,
};
use crate::model::node::{Gpu, Traits};
use crate::model::reason::Numbers;
use crate::model::setup::Limited;
use crate::model::team::Terms;
use crate::model::{Fact, JobSpec, Resources};

impl From<&Fact> for Shown {
    fn from(fact: &Fact) -> Shown {
        match fact {
            Fact::JobSubmitted { spec, owner, uid, .. } => submitted(spec, owner, *uid),
            Fact::KeyUsed { key, first, count, body } => key_used(key, first.0, *count, body),
            Fact::Looked { user, mark } => looked(user, *mark),
            Fact::JobQueued { .. } => Shown::JobQueued {},
            Fact::JobWaits { cause, .. } => waits(*cause),
            Fact::JobHeld { hold, .. } => Shown::JobHeld { hold: hold.into() },
            Fact::JobReleased { by, .. } => Shown::JobReleased { by: by.to_string() },
            Fact::JobPaused { .. } => Shown::JobPaused {},
            Fact::JobFrozen { class, .. } => Shown::JobFrozen { class: class.to_word() },
            Fact::JobThawed { class, .. } => Shown::JobThawed { class: class.to_word() },
            Fact::JobInReview { .. } | Fact::Review { .. } | Fact::SeatsHandedOn { .. } => {
                asked(fact)
            }
            Fact::AttemptBegan { attempt, resume, .. } => began(*attempt, *resume),
            Fact::TaskPlaced { task, placement, class, .. } => placed(*task, placement, *class),
            Fact::TaskNominated { task, placement } => nominated(*task, placement),
            Fact::NominationOver { task } => nomination_over(*task),
            Fact::ReservationMade { .. }
            | Fact::ReservationMoved { .. }
            | Fact::ReservationOver { .. } => reservation(fact),
            Fact::TaskStopping { task, class } => task_stopping(*task, *class),
            Fact::JobEvicted { eviction, .. } => evicted(eviction),
            Fact::TaskStarted { task, pid, class } => started(*task, *pid, *class),
            Fact::JobRunning { .. } => Shown::JobRunning {},
            Fact::CancelScheduled { due, by, reason, .. } => cancel_scheduled(*due, by, reason),
            Fact::CancelRevoked { by, .. } => Shown::CancelRevoked { by: by.to_string() },
            Fact::JobStopping { why, by, reason, class, .. } => stopping(*why, by, reason, *class),
            Fact::TaskEnded { task, exit, ended } => task_ended(*task, exit, *ended),
            Fact::TaskUnplaced { task } => unplaced(*task),
            Fact::DevicesLent { task } => lent(*task),
            Fact::AttemptEnded { stopped_for: why, exit, .. } => attempt_ended(*why, exit.as_ref()),
            Fact::RetryCounted { .. } => Shown::RetryCounted {},
            Fact::ServiceRestarts { short, .. } => Shown::ServiceRestarts { short: *short },
            Fact::JobEnded { outcome, .. } => ended(*outcome),
            Fact::JobForgotten { .. } => Shown::JobForgotten {},
            Fact::JobChanged { spec, by, .. } => changed(spec, by),
            Fact::JobMovedUp { front, by, .. } => moved_up(*front, by),
            Fact::ReasonGiven { by, reason, .. } => reason_given(by, reason),
            Fact::JobBoosted { cause, steps, .. } => boosted(*cause, *steps),
            Fact::JobDue { latest_start, .. } => due(*latest_start),
            Fact::JobInherits { from, .. } => inherits(from.as_ref()),
            Fact::JobAcked { by, .. } => Shown::JobAcked { by: by.to_string() },
            Fact::JobReported { report, .. } => Shown::JobReported { report: report.into() },
            Fact::AtPrompt { task, text } => at_prompt(*task, text),
            Fact::PromptOver { by, .. } => Shown::PromptOver { by: known(by.as_ref()) },
            Fact::Found { signal, level, evidence, .. } => found(*signal, *level, evidence),
            Fact::FindingOver { signal, .. } => Shown::FindingOver { signal: signal.to_word() },
            Fact::ResourceLimited { resource, limited } => resource_limited(resource, limited),
            Fact::LimitLifted { resource, by } => limit_lifted(resource, by),
            Fact::CycleDue { at } => Shown::CycleDue { at_mono: at.map(|at| at.0) },
            Fact::RateUsed { resource, units } => rate_used(resource, *units),
            Fact::TeamSet { team, terms, by } => team_set(team, terms, by),
            Fact::TeamRemoved { team, by } => team_removed(team, by),
            Fact::TeamPaused { team, hold } => team_paused(team.as_ref(), hold),
            Fact::TeamResumed { team, by } => team_resumed(team.as_ref(), by),
            Fact::NodeSeen { name, capacity, gpus, traits } => {
                node_seen(name, capacity, gpus, traits)
            }
            Fact::NodeDrained { node, on, by, reason } => drained(node, *on, by, reason.as_ref()),
            Fact::NodeWarned { node, due, by } => warned(node, *due, by),
            Fact::GpuForeign { node, index, by } => foreign(node, *index, by.as_ref()),
            Fact::Configured(setup) => Shown::Configured { setup: Box::new((&**setup).into()) },
            Fact::Started { boot, offset } => server_started(boot, *offset),
            Fact::Down { from, to, class } => down(*from, *to, *class),
            Fact::WindowOpened { .. } | Fact::WindowClosed { .. } => window(fact),
            Fact::PoolGrew { .. } | Fact::PoolShrank { .. } | Fact::PoolFailed { .. } => pool(fact),
        }
    }
}

/// About what is asked of people.
fn asked(fact: &Fact) -> Shown {
    match fact {
        Fact::Review { review, fact, .. } => {
            Shown::Review { review: review.to_string(), fact: (&**fact).into() }
        }
        Fact::SeatsHandedOn { from, to, until, by } => Shown::SeatsHandedOn {
            from: from.to_string(),
            to: known(to.as_ref()),
            until: until.map(Time),
            by: by.to_string(),
        },
        _ => Shown::JobInReview {},
    }
}

fn window(fact: &Fact) -> Shown {
    match fact {
        Fact::WindowOpened { team, window, zone, until, terms } => Shown::WindowOpened {
            team: team.to_string(),
            window: window.to_string(),
            zone: zone.to_string(),
            until: Time(*until),
            terms: (&**terms).into(),
        },
        Fact::WindowClosed { team, window } => {
            Shown::WindowClosed { team: team.to_string(), window: window.to_string() }
        }
        other => Shown::from(other),
    }
}

fn pool(fact: &Fact) -> Shown {
    match fact {
        Fact::PoolGrew { pool, node } => {
            Shown::PoolGrew { pool: pool.to_string(), node: node.to_string() }
        }
        Fact::PoolShrank { pool, node } => {
            Shown::PoolShrank { pool: pool.to_string(), node: node.to_string() }
        }
        Fact::PoolFailed { pool, node, up, said } => pool_failed(pool, node, *up, said),
        other => Shown::from(other),
    }
}

fn known(name: Option<&Name>) -> Option<String> {
    name.map(ToString::to_string)
}

fn submitted(spec: &JobSpec, owner: &Name, uid: Option<u32>) -> Shown {
    Shown::JobSubmitted { spec: Box::new(Spec::from(spec)), owner: owner.to_string(), uid }
}

fn key_used(key: &str, first: u64, count: u32, body: &str) -> Shown {
    Shown::KeyUsed { key: key.to_owned(), first, count, body: body.to_owned() }
}

fn server_started(boot: &str, offset_ms: i64) -> Shown {
    Shown::Started { boot: boot.to_owned(), offset_ms }
}

fn looked(user: &Name, mark: Wall) -> Shown {
    Shown::Looked { user: user.to_string(), mark: Time(mark) }
}

fn waits(cause: Cause) -> Shown {
    let until = match cause {
        Cause::Backoff(until) => Some(Time(until)),
        Cause::After | Cause::StartAt | Cause::Children => None,
    };
    Shown::JobWaits { cause: cause.word().to_owned(), until }
}

fn began(attempt: u32, resume: bool) -> Shown {
    Shown::AttemptBegan { attempt, resume }
}

fn placed(task: TaskId, placement: &job::Placement, class: Class) -> Shown {
    Shown::TaskPlaced {
        attempt: task.attempt,
        rank: task.rank,
        node: placement.node.to_string(),
        gpus: shares(&placement.gpus),
        class: class.to_word(),
    }
}

fn started(task: TaskId, pid: u32, class: Class) -> Shown {
    let TaskId { attempt, rank, .. } = task;
    Shown::TaskStarted { attempt, rank, pid, class: class.to_word() }
}

fn stopping(why: StopFor, by: &Name, reason: &Option<String>, class: Class) -> Shown {
    Shown::JobStopping {
        why: why.to_word(),
        by: by.to_string(),
        reason: reason.clone(),
        class: class.to_word(),
    }
}

fn cancel_scheduled(due: At, by: &Name, reason: &Option<String>) -> Shown {
    let (due, due_mono) = (Time(due.wall), due.now.0);
    Shown::CancelScheduled { due, due_mono, by: by.to_string(), reason: reason.clone() }
}

fn task_ended(task: TaskId, exit: &job::Exit, ended: Option<At>) -> Shown {
    let TaskId { attempt, rank, .. } = task;
    let (ended_at, ended_mono) = (ended.map(|at| Time(at.wall)), ended.map(|at| at.now.0));
    Shown::TaskEnded { attempt, rank, exit: exit.into(), ended_at, ended_mono }
}

fn unplaced(task: TaskId) -> Shown {
    Shown::TaskUnplaced { attempt: task.attempt, rank: task.rank }
}

fn lent(task: TaskId) -> Shown {
    Shown::DevicesLent { attempt: task.attempt, rank: task.rank }
}

fn attempt_ended(stopped: Option<StopFor>, exit: Option<&job::Exit>) -> Shown {
    let stopped_for = stopped.map(StopFor::to_word);
    Shown::AttemptEnded { stopped_for, exit: exit.map(Into::into) }
}

fn ended(outcome: Outcome) -> Shown {
    let class = match outcome {
        Outcome::Failed(class) => Some(FailureClass::to_word(class)),
        Outcome::Succeeded
        | Outcome::Cancelled
        | Outcome::Denied
        | Outcome::TimedOut
        | Outcome::Lost => None,
    };
    Shown::JobEnded { state: outcome.word().to_owned(), class }
}

fn changed(spec: &JobSpec, by: &Name) -> Shown {
    Shown::JobChanged { spec: Box::new(Spec::from(spec)), by: by.to_string() }
}

fn moved_up(front: Front, by: &Name) -> Shown {
    let Front { rank, priority } = front;
    Shown::JobMovedUp { rank, priority, by: by.to_string() }
}

fn at_prompt(task: TaskId, text: &str) -> Shown {
    Shown::AtPrompt { attempt: task.attempt, rank: task.rank, text: text.to_owned() }
}

fn found(signal: Signal, level: Level, evidence: &Numbers) -> Shown {
    let (signal, level) = (signal.to_word(), level.to_word());
    Shown::Found { signal, level, evidence: text_map(evidence) }
}

fn reason_given(by: &Name, reason: &str) -> Shown {
    Shown::ReasonGiven { by: by.to_string(), reason: reason.to_owned() }
}

fn boosted(cause: BoostCause, steps: u8) -> Shown {
    Shown::JobBoosted { cause: cause.to_word(), steps }
}

fn due(latest_start: Option<Wall>) -> Shown {
    Shown::JobDue { latest_start: latest_start.map(Time) }
}

fn inherits(from: Option<&Inherited>) -> Shown {
    Shown::JobInherits { from: from.map(Into::into) }
}

fn resource_limited(resource: &Name, limited: &Limited) -> Shown {
    Shown::ResourceLimited { resource: resource.to_string(), limited: limited.into() }
}

fn limit_lifted(resource: &Name, by: &Name) -> Shown {
    Shown::LimitLifted { resource: resource.to_string(), by: by.to_string() }
}

fn team_set(team: &Name, terms: &Terms, by: &Name) -> Shown {
    Shown::TeamSet { team: team.to_string(), terms: terms.into(), by: by.to_string() }
}

fn team_removed(team: &Name, by: &Name) -> Shown {
    Shown::TeamRemoved { team: team.to_string(), by: by.to_string() }
}

fn rate_used(resource: &Name, units: u64) -> Shown {
    Shown::RateUsed { resource: resource.to_string(), units }
}

fn team_paused(team: Option<&Name>, hold: &job::Hold) -> Shown {
    Shown::TeamPaused { team: known(team), hold: hold.into() }
}

fn team_resumed(team: Option<&Name>, by: &Name) -> Shown {
    Shown::TeamResumed { team: known(team), by: by.to_string() }
}

fn node_seen(name: &Name, capacity: &Resources, gpus: &[Gpu], traits: &Traits) -> Shown {
    Shown::NodeSeen {
        name: name.to_string(),
        capacity: capacity.into(),
        gpus: gpus.iter().map(Into::into).collect(),
        traits: traits.into(),
    }
}

fn nomination_over(task: TaskId) -> Shown {
    Shown::NominationOver { attempt: task.attempt, rank: task.rank }
}

fn evicted(eviction: &crate::model::fact::Eviction) -> Shown {
    Shown::JobEvicted { eviction: eviction.into() }
}

fn nominated(task: TaskId, placement: &job::Placement) -> Shown {
    let (attempt, rank) = (task.attempt, task.rank);
    let node = placement.node.to_string();
    Shown::TaskNominated { attempt, rank, node, gpus: shares(&placement.gpus) }
}

fn reservation(fact: &Fact) -> Shown {
    match fact {
        Fact::ReservationMade { at, from, room, class, .. } => {
            let (at_mono, from_mono, class) = (at.0, from.0, class.to_word());
            Shown::ReservationMade { at_mono, from_mono, room: by_node(room), class }
        }
        Fact::ReservationMoved { at, from, room, class, .. } => {
            let (at_mono, from_mono, class) = (at.0, from.0, class.to_word());
            Shown::ReservationMoved { at_mono, from_mono, room: by_node(room), class }
        }
        _ => Shown::ReservationOver {},
    }
}

fn task_stopping(task: TaskId, class: Class) -> Shown {
    let TaskId { attempt, rank, .. } = task;
    Shown::TaskStopping { attempt, rank, class: class.to_word() }
}

/// Amounts by node.
fn by_node(room: &BTreeMap<Name, Resources>) -> BTreeMap<String, Amounts> {
    room.iter().map(|(node, amounts)| (node.to_string(), amounts.into())).collect()
}

fn drained(node: &Name, on: bool, by: &Name, reason: Option<&String>) -> Shown {
    let (node, by) = (node.to_string(), by.to_string());
    Shown::NodeDrained { node, on, by, reason: reason.cloned() }
}

fn warned(node: &Name, due: At, by: &Name) -> Shown {
    let (due, due_mono) = (Time(due.wall), due.now.0);
    Shown::NodeWarned { node: node.to_string(), due, due_mono, by: by.to_string() }
}

fn pool_failed(pool: &Name, node: &Name, up: bool, said: &str) -> Shown {
    let (pool, node) = (pool.to_string(), node.to_string());
    Shown::PoolFailed { pool, node, up, said: said.to_owned() }
}

fn foreign(node: &Name, index: u32, by: Option<&Name>) -> Shown {
    Shown::GpuForeign { node: node.to_string(), index, by: known(by) }
}

fn down(from: Mono, to: Mono, class: Class) -> Shown {
    Shown::Down { from_mono: from.0, to_mono: to.0, class: class.to_word() }
}
