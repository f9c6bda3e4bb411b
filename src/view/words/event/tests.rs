//! A sentence for every kind of fact, harmless whatever the fact carries.

use super::*;

use crate::model::Resources;
use crate::model::command::Until;
use crate::model::fact::Eviction;
use crate::model::finding::{Level, Signal};
use crate::model::job::{
    BoostCause, Exit, FailureClass, Front, Gang, GpuShare, Inherited, Outcome, StopFor,
};
use crate::model::node::Traits;
use crate::model::reason::Numbers;
use crate::model::setup::Limited;
use crate::model::team::Terms;
use crate::view::sample::at;

const BAD: &str = "x\x1b]0;t\x07\n\u{202e}";

fn spec() -> Box<JobSpec> {
    Box::new(JobSpec {
        name: BAD.into(),
        team: "ml".into(),
        priority: 200,
        request: Resources { gpu_milli: 2000, ..Resources::default() },
        gang: Gang { size: 4, min: 2 },
        ..JobSpec::default()
    })
}

fn reservations() -> Vec<Fact> {
    let (job, class) = (JobId(42), Class::Reserved);
    let by = || crate::base::Name::from(BAD);
    vec![
        Fact::ReservationMade {
            job,
            at: Mono(3_600_000),
            from: Mono(0),
            room: [(by(), Resources { gpu_milli: 2000, ..Resources::default() })].into(),
            class,
        },
        Fact::ReservationMoved { job, at: Mono(0), from: Mono(0), room: [].into(), class },
        Fact::ReservationOver { job },
    ]
}

fn all() -> Vec<Fact> {
    let job = JobId(42);
    let task = TaskId { job, attempt: 2, rank: 1 };
    let hold =
        || Hold { by: BAD.into(), since: at(0), until: Some(at(0).wall), reason: Some(BAD.into()) };
    let class = Class::Held;
    let placement = Placement { node: "n1".into(), gpus: vec![GpuShare { index: 3, milli: 1000 }] };
    let by = || crate::base::Name::from(BAD);
    let usage = Report::Usage { amounts: [(by(), 7)].into(), key: None };
    let saved = Report::Checkpoint { path: Some(BAD.into()), basis_points: Some(4250) };
    let progress = Report::Progress { basis_points: None, text: Some(BAD.into()) };
    let (signal, level) = (Signal::LongRunning, Level::Notice);
    vec![
        Fact::JobSubmitted { job, spec: spec(), owner: by(), uid: None },
        Fact::KeyUsed { key: BAD.into(), first: job, count: 1, body: BAD.into() },
        Fact::JobQueued { job },
        Fact::JobWaits { job, cause: Cause::Backoff(at(0).wall) },
        Fact::JobHeld { job, hold: hold() },
        Fact::JobReleased { job, by: by() },
        Fact::JobPaused { job },
        Fact::JobFrozen { job, class },
        Fact::JobThawed { job, class },
        Fact::AttemptBegan { job, attempt: 2, resume: true },
        Fact::TaskNominated { task, placement: placement.clone() },
        Fact::NominationOver { task },
        Fact::TaskStopping { task, class },
        Fact::DevicesLent { task },
        Fact::JobEvicted { job, eviction: Box::new(Eviction::by_person(BAD.into())) },
        Fact::TaskPlaced { task, placement, class, group: None },
        Fact::TaskStarted { task, pid: 77, class },
        Fact::JobRunning { job },
        Fact::JobStopping { job, why: StopFor::Cancel, by: by(), reason: Some(BAD.into()), class },
        Fact::TaskEnded { task, exit: Exit::NotStarted(BAD.into()), ended: Some(at(3)) },
        Fact::Looked { user: by(), mark: crate::base::Wall(0) },
        Fact::AttemptEnded { job, stopped_for: Some(StopFor::Gang), exit: Some(Exit::Signal(9)) },
        Fact::RetryCounted { job },
        Fact::JobEnded { job, outcome: Outcome::Failed(FailureClass::Exit) },
        Fact::JobForgotten { job },
        Fact::JobChanged { job, spec: spec(), by: by() },
        Fact::JobMovedUp { job, front: Front { rank: 1, priority: 1 }, by: by() },
        Fact::CancelScheduled { job, due: at(9), by: by(), reason: Some(BAD.into()) },
        Fact::CancelRevoked { job, by: by() },
        Fact::JobAcked { job, by: by() },
        Fact::JobReported { job, report: saved },
        Fact::JobReported { job, report: progress },
        Fact::JobReported { job, report: Report::Heartbeat },
        Fact::JobReported { job, report: usage },
        Fact::AtPrompt { task, text: BAD.into() },
        Fact::PromptOver { job, by: Some(by()) },
        Fact::Found { job, signal, level, evidence: Numbers::new() },
        Fact::FindingOver { job, signal },
        Fact::RateUsed { resource: by(), units: 1 },
        Fact::TeamPaused { team: None, hold: hold() },
        Fact::TeamResumed { team: Some(by()), by: by() },
        Fact::NodeSeen {
            name: by(),
            capacity: Resources::default(),
            gpus: vec![],
            traits: Traits::default(),
        },
        Fact::TeamSet { team: by(), terms: Box::new(Terms::default()), by: by() },
        Fact::TeamRemoved { team: by(), by: by() },
        Fact::NodeDrained { node: by(), on: true, by: by(), reason: None },
        Fact::GpuForeign { node: by(), index: 0, by: Some(by()) },
        Fact::Configured(Box::default()),
        Fact::Started { boot: BAD.into(), offset: 0 },
        Fact::Down { from: Mono(0), to: Mono(90_000), class },
    ]
}

/// What lifts a job, and resources that are closed.
fn lifted() -> Vec<Fact> {
    let job = JobId(42);
    let by = || crate::base::Name::from(BAD);
    vec![
        Fact::ReasonGiven { job, by: by(), reason: BAD.into() },
        Fact::JobBoosted { job, cause: BoostCause::Ageing, steps: 2 },
        Fact::JobBoosted { job, cause: BoostCause::Deadline, steps: 0 },
        Fact::JobDue { job, latest_start: Some(at(0).wall) },
        Fact::JobDue { job, latest_start: None },
        Fact::JobInherits { job, from: None },
        Fact::JobInherits {
            job,
            from: Some(Inherited { priority: 400, from: job, resource: Some(by()) }),
        },
        Fact::ResourceLimited {
            resource: by(),
            limited: Limited {
                until: at(9).wall,
                by: by(),
                job: None,
                reason: Some(BAD.into()),
                since: at(0),
            },
        },
        Fact::LimitLifted { resource: by(), by: by() },
        Fact::CycleDue { at: Some(Mono(7)) },
        Fact::CycleDue { at: None },
        Fact::JobReported {
            job,
            report: Report::Limited { resource: by(), until: Until::At(at(9).wall) },
        },
    ]
}

#[test]
fn every_fact_has_a_harmless_sentence_of_its_own() {
    let sight = Sight::utc(at(0));
    for fact in all().into_iter().chain(lifted()).chain(reservations()) {
        let said = event(&fact, &sight);
        assert_ne!(said, fact.word().replace('_', " "), "no sentence");
        assert!(!said.chars().any(|c| c.is_control() || c == '\u{202e}'), "{said:?}");
        assert_eq!(fact.job().is_some(), said.starts_with("42 "), "{said}");
    }
}

#[test]
fn sentences_read_well() {
    let sight = Sight::utc(at(0));
    let said: Vec<_> = all().iter().map(|fact| event(fact, &sight)).collect();
    for sentence in [
        "42 submitted by x⏎�: x⏎� in ml, priority 200, 4 tasks of 2 GPUs",
        "42 waits until 13:00 before it tries again",
        "42 task 1 has room on n1, GPU 3",
        "42 ended its attempt: signal 9 (KILL), tasks of its gang are gone",
        "42 failed: its exit code is not 0",
        "42 saved itself to x⏎� at 42.5%",
        "the machine was off or asleep for 1m 30s",
    ] {
        assert!(said.iter().any(|said| said == sentence), "{sentence}: {said:#?}");
    }
}
