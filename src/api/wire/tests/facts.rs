//! Every kind of fact, there and back.

use super::*;
use crate::base::calendar::Weekly;
use crate::model::command::Until;
use crate::model::fact::{Eviction, Rule};
use crate::model::job::{BoostCause, Grace, GroupSet, Groups, Inherited, Service, TaskGroup};
use crate::model::node::Traits;
use crate::model::pool::Pool;
use crate::model::setup::Limited;
use crate::model::team::{Bounds, Terms, Weights};
use crate::model::window::{Window, WindowTerms};

fn spec() -> JobSpec {
    JobSpec {
        step: Some(crate::base::ReviewId(3)),
        name: "a".into(),
        executable: "python3".into(),
        team: "t".into(),
        priority: 1,
        request: amounts(),
        gang: Gang { size: 2, min: 1 },
        groups: Some(Box::new(groups())),
        preemptible: true,
        node_labels: BTreeMap::from([("zone".into(), "a".into())]),
        spot: true,
        deadline: Some(Wall(1_800_000_000_000)),
        stale_grace: Some(Grace::Never),
        preemption_delay: Some(Span(7)),
        idle_timeout: Some(Span(8)),
        service: Some(Box::new(Service {
            health: Some("true".into()),
            health_every: Span(9),
            baseline: 1,
            most: Some(2),
        })),
        may_ask: [crate::model::action::EffectClass::Money].into(),
        after: vec![Dependency { job: JobId(1), kind: DependencyKind::Failed }],
        start_at: Some(Wall(1_800_000_000_000)),
        array: Some(ArrayPlace { id: JobId(1), index: 0, throttle: None }),
        estimate: Some(Span(1)),
        time_limit: Some(Span(2)),
        warn: Some(WarnSignal { signal: 10, before: Span(3) }),
        grace: Span(4),
        requeue: true,
        resumable: true,
        retry: 5,
        labels: BTreeMap::from([("k".into(), "v".into())]),
        must_fit: true,
        hard: true,
        pty: true,
        parent: Some(JobId(6)),
        program: Digest::of(b"x"),
    }
}

fn groups() -> Groups {
    let group = TaskGroup {
        name: "workers".into(),
        within: Some("all".into()),
        gang: Gang { size: 2, min: 1 },
        request: amounts(),
        node_labels: BTreeMap::from([("zone".into(), "b".into())]),
    };
    let set = GroupSet { name: "all".into(), within: None, min_members: Some(1) };
    Groups { groups: vec![group], sets: vec![set], min_members: Some(1) }
}

fn terms() -> Terms {
    Terms {
        quota: Bounds { gpu_milli: Some(8000), ..Bounds::default() },
        limit: Bounds { cpu_milli: Some(1), mem_bytes: Some(2), gpu_milli: None },
        weight: Weights { gpu: 2000, ..Weights::default() },
        priority: 200,
        preempt_min_runtime: Some(Span(1)),
        reclaim_min_runtime: None,
    }
}

fn window() -> Window {
    Window {
        name: "day".into(),
        team: "ml".into(),
        weekly: Weekly::parse("Europe/Berlin", "mon-fri", "08:00", "18:00").unwrap(),
        terms: WindowTerms {
            quota: Some(terms().quota),
            weight: Some(terms().weight),
            ..WindowTerms::default()
        },
    }
}

fn pool() -> Pool {
    Pool {
        name: "p".into(),
        min: 1,
        max: 4,
        capacity: amounts(),
        traits: traits(),
        grow_after: Span(5),
        shrink_after: Span(6),
        price_milli: 2500,
        cost_cap_milli: Some(9000),
        up: Some("up".into()),
        down: Some("down".into()),
    }
}

fn setup() -> Setup {
    Setup {
        resources: BTreeMap::from([("api:x".into(), Countable { count: 1, per_minute: Some(2) })]),
        teams: vec![Team { terms: terms(), created: 3, paused: Some(hold()), ..Team::named("ml") }],
        users: vec![User {
            name: "ana".into(),
            os_user: "a".into(),
            uid: Some(7),
            grants: vec![Grant { team: "ml".into(), role: Role::Operator }],
        }],
        owner_uid: 1000,
        windows: vec![window()],
        pools: vec![pool()],
        review_policies: vec![reviews::policy()],
        notify: vec![reviews::target()],
        ..Setup::default()
    }
}

fn facts_about_jobs() -> Vec<Fact> {
    let job = JobId(42);
    let spec = Box::new(spec());
    let by: Name = "ana".into();
    let class = Class::Held;
    vec![
        Fact::JobSubmitted { job, spec: spec.clone(), owner: by.clone(), uid: Some(1) },
        Fact::JobQueued { job },
        Fact::JobWaits { job, cause: Cause::Backoff(Wall(1_800_000_000_000)) },
        Fact::JobWaits { job, cause: Cause::Children },
        Fact::JobHeld { job, hold: hold() },
        Fact::JobReleased { job, by: by.clone() },
        Fact::JobPaused { job },
        Fact::JobFrozen { job, class },
        Fact::JobThawed { job, class },
        Fact::JobEvicted { job, eviction: Box::new(eviction()) },
        Fact::AttemptBegan { job, attempt: 2, resume: true },
        Fact::JobRunning { job },
        Fact::JobStopping { job, why: StopFor::Gang, by: by.clone(), reason: None, class },
        Fact::AttemptEnded { job, stopped_for: Some(StopFor::Cancel), exit: Some(Exit::Code(1)) },
        Fact::RetryCounted { job },
        Fact::JobEnded { job, outcome: Outcome::Failed(FailureClass::NodeLost) },
        Fact::ServiceRestarts { job, short: 2 },
        Fact::JobEnded { job, outcome: Outcome::TimedOut },
        Fact::JobForgotten { job },
        Fact::JobChanged { job, spec, by: by.clone() },
        Fact::JobMovedUp { job, front: Front { rank: 3, priority: 300 }, by: by.clone() },
        Fact::CancelScheduled { job, due: at(5), by: by.clone(), reason: Some("x".into()) },
        Fact::CancelRevoked { job, by: by.clone() },
        Fact::ReasonGiven { job, by: by.clone(), reason: "demo".into() },
        Fact::JobBoosted { job, cause: BoostCause::Ageing, steps: 2 },
        Fact::JobDue { job, latest_start: Some(Wall(1_800_000_000_000)) },
        Fact::JobDue { job, latest_start: None },
        Fact::JobInherits { job, from: Some(inherited()) },
        Fact::JobInherits { job, from: None },
        Fact::JobAcked { job, by: by.clone() },
        Fact::JobReported { job, report: Report::Heartbeat },
        Fact::JobReported {
            job,
            report: Report::Usage { amounts: [("calls".into(), 1)].into(), key: None },
        },
        Fact::JobReported {
            job,
            report: Report::Limited {
                resource: "api:x".into(),
                until: Until::At(Wall(1_800_000_000_000)),
            },
        },
        Fact::JobReported {
            job,
            report: Report::Limited { resource: "api:x".into(), until: Until::After(Span(30)) },
        },
        Fact::PromptOver { job, by: Some(by) },
        Fact::Found {
            job,
            signal: Signal::NeverFits,
            level: Level::Stuck,
            evidence: Reason::bare(Code::NoRoom).with("n", 1u64).numbers,
        },
        Fact::FindingOver { job, signal: Signal::NeverStarted },
    ]
}

fn inherited() -> Inherited {
    Inherited { priority: 300, from: JobId(7), resource: Some("api:x".into()) }
}

fn limited() -> Limited {
    let (by, reason) = ("ana".into(), Some("429".into()));
    Limited { until: Wall(1_800_000_000_000), by, job: Some(JobId(7)), reason, since: at(3) }
}

fn eviction() -> Eviction {
    Eviction {
        to: Vec::new(),
        rule: Rule::ReclaimQuota,
        taker: Some(JobId(7)),
        ranks: vec![1, 2],
        moved: true,
        by: Some("ana".into()),
        numbers: Reason::bare(Code::NoRoom).with("share", 1u64).numbers,
    }
}

fn facts_about_tasks() -> Vec<Fact> {
    let task = TaskId { job: JobId(42), attempt: 2, rank: 1 };
    let gpus = vec![GpuShare { index: 0, milli: 500 }];
    let placement = Placement { node: "n1".into(), gpus };
    vec![
        Fact::TaskNominated { task, placement: placement.clone() },
        Fact::NominationOver { task },
        Fact::ReservationMade {
            job: task.job,
            at: Mono(9),
            from: Mono(7),
            room: [("n1".into(), amounts())].into(),
            class: Class::Reserved,
        },
        Fact::ReservationMoved {
            job: task.job,
            at: Mono(11),
            from: Mono(8),
            room: BTreeMap::new(),
            class: Class::Reserved,
        },
        Fact::ReservationOver { job: task.job },
        Fact::TaskStopping { task, class: Class::StartStop },
        Fact::TaskPlaced { task, placement, class: Class::StartStop, group: None },
        Fact::TaskStarted { task, pid: 7, class: Class::Productive },
        Fact::TaskEnded { task, exit: Exit::Signal(15), ended: Some(at(3)) },
        Fact::TaskEnded { task, exit: Exit::Unknown, ended: None },
        Fact::TaskUnplaced { task },
        Fact::DevicesLent { task },
        Fact::AtPrompt { task, text: "ok?".into() },
    ]
}

fn traits() -> Traits {
    let labels = BTreeMap::from([("zone".into(), "a".into())]);
    Traits { labels, spot: true, max_tasks: Some(4), pool: Some("p".into()) }
}

fn other_facts() -> Vec<Fact> {
    let by: Name = "ana".into();
    let node: Name = "n1".into();
    vec![
        Fact::KeyUsed { key: "ana:k".into(), first: JobId(1), count: 2, body: "0f".into() },
        Fact::Looked { user: "ana".into(), mark: Wall(9) },
        Fact::RateUsed { resource: "api:x".into(), units: 2 },
        Fact::ResourceLimited { resource: "api:x".into(), limited: limited() },
        Fact::LimitLifted { resource: "api:x".into(), by: by.clone() },
        Fact::CycleDue { at: Some(Mono(7)) },
        Fact::CycleDue { at: None },
        Fact::TeamSet { team: "ml".into(), terms: Box::new(terms()), by: by.clone() },
        Fact::TeamRemoved { team: "ml".into(), by: by.clone() },
        Fact::WindowOpened {
            team: "ml".into(),
            window: "day".into(),
            zone: "Europe/Berlin".into(),
            until: Wall(1_800_000_000_000),
            terms: Box::new(terms()),
        },
        Fact::WindowClosed { team: "ml".into(), window: "day".into() },
        Fact::TeamPaused { team: None, hold: hold() },
        Fact::TeamResumed { team: Some("ml".into()), by: by.clone() },
        Fact::NodeSeen {
            name: node.clone(),
            capacity: amounts(),
            gpus: vec![gpu()],
            traits: traits(),
        },
        Fact::NodeDrained {
            node: node.clone(),
            on: true,
            by: by.clone(),
            reason: Some("disk".to_owned()),
        },
        Fact::NodeWarned { node: node.clone(), due: at(9), by: by.clone() },
        Fact::PoolGrew { pool: "p".into(), node: "p-1".into() },
        Fact::PoolShrank { pool: "p".into(), node: "p-1".into() },
        Fact::PoolFailed { pool: "p".into(), node: "p-1".into(), up: true, said: "no".into() },
        Fact::GpuForeign { node, index: 1, by: Some(by) },
        Fact::Configured(Box::new(setup())),
        Fact::Started { boot: "b".into(), offset: 0 },
        Fact::Down { from: Mono(1), to: Mono(2), class: Class::Down },
    ]
}

#[test]
fn every_fact_reads_back_under_its_own_word() {
    let facts = [facts_about_jobs(), facts_about_tasks(), other_facts(), reviews::facts()].concat();
    for fact in facts {
        let row = page::EventRow { seq: 7, at: at(7), by: Some("ana".into()), fact };
        let event = Event::from(&row);
        let json = serde_json::to_value(&event).unwrap();
        assert_eq!(json["kind"], row.fact.word(), "{json}");
        assert!(json["data"].is_object(), "{json}");
        assert_eq!(json["job"].as_u64(), row.fact.job().map(|job| job.0));
        assert_eq!(page::EventRow::try_from(over_the_wire(&event)), Ok(row));
    }
}

#[test]
fn an_event_about_a_job_needs_its_number() {
    let queued = Fact::JobQueued { job: JobId(1) };
    let row = page::EventRow { seq: 1, at: at(1), by: None, fact: queued };
    let event = Event { job: None, ..Event::from(&row) };
    assert!(page::EventRow::try_from(event).is_err());
}
