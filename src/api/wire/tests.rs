//! What goes out comes back the same, and the keys are those of the contract.

mod facts;
mod review_pages;
mod reviews;
mod submissions;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::detail::JobDocument;
use super::event::Event;
use super::list::JobList;
use super::node::NodeList;
use super::status::ServerStatus;
use super::submission::{Submission, SubmitRequest};
use super::summary::Summary;
use super::why::WhyDocument;
use super::{WireError, Words};
use crate::base::{At, Digest, JobId, Mono, Name, Span, TaskId, Wall};
use crate::model::action::EffectClass;
use crate::model::command::Report;
use crate::model::fact::{self, Class};
use crate::model::finding::{Level, Signal};
use crate::model::job::{
    self, ArrayPlace, AttemptRecord, Cause, Checkpoint, Dependency, DependencyKind, Exit,
    FailureClass, Front, Gang, GpuShare, Hold, Outcome, Placement, Progress, Prompt, State,
    StopFor, Task, TaskState, WarnSignal,
};
use crate::model::node::{Drain, Gpu, Warning};
use crate::model::page::{self, Counts, Cursor, JobRow, Lane, NodeRow};
use crate::model::people::{Grant, Role, User};
use crate::model::program::Environment;
use crate::model::reason::Code;
use crate::model::setup::{Countable, Setup, Tier};
use crate::model::team::Team;
use crate::model::{self, Fact, Finding, JobSpec, Reason, Resources};

struct Plain;

impl Words for Plain {
    fn reason(&self, reason: &Reason) -> String {
        format!("because {}", reason.code.word())
    }

    fn change(&self, reason: &Reason) -> String {
        format!("not {}", reason.code.word())
    }

    fn finding(&self, finding: &Finding) -> String {
        format!("found {:?}", finding.signal)
    }
}

/// Through the bytes and back.
fn over_the_wire<T: Serialize + DeserializeOwned>(document: &T) -> T {
    serde_json::from_slice(&serde_json::to_vec(document).unwrap()).unwrap()
}

fn at(n: u64) -> At {
    At { now: Mono(n), wall: Wall(1_790_000_000_000 + i64::try_from(n).unwrap()) }
}

fn amounts() -> Resources {
    let custom = BTreeMap::from([(Name::from("api:x"), 2)]);
    Resources { cpu_milli: 500, mem_bytes: 1 << 30, gpu_milli: 1000, custom }
}

fn hold() -> Hold {
    let until = Some(Wall(1_800_000_000_000));
    Hold { by: "ana".into(), since: at(7), until, reason: Some("lunch".into()) }
}

fn row() -> JobRow {
    JobRow {
        step: Some(crate::base::ReviewId(3)),
        id: JobId(42),
        name: "train".into(),
        team: "org/ml".into(),
        priority: 300,
        lifted: 412,
        owner: "ana".into(),
        state: State::Waiting(Cause::Backoff(Wall(1_800_000_000_001))),
        since: at(5),
        hold: Some(hold()),
        frozen: true,
        lane: Lane::Human,
        reason: Reason::bare(Code::NoRoom).with("need_gpu_milli", 4000u64).with("node", "n1"),
        request: amounts(),
        gang: Gang { size: 8, min: 4 },
        gang_running: 3,
        attempt: 2,
        submitted: at(1),
        started: Some(at(2)),
        ended: Some(at(9)),
        expected_start: Some(crate::model::estimate::Forecast {
            from: Wall(1_800_000_000_000),
            to: Wall(1_800_000_000_001),
            hits_percent: Some(83),
            guess: false,
        }),
        expected_end: Some(Wall(1_800_000_000_002)),
        latest_end: Some(Wall(1_800_000_000_009)),
        kept: Some(page::KeptRoom { from: Wall(1_800_000_000_004), nodes: vec!["n1".into()] }),
        evicted_by: Some(page::EvictedBy {
            rule: crate::model::fact::Rule::Preempt,
            taker: Some(JobId(12)),
            by: Some("ana".into()),
        }),
        exit: Some(Exit::NotStarted("no such command".into())),
        labels: BTreeMap::from([("k".into(), "v".into())]),
        command: vec!["sh".into(), "-c".into(), "\u{1b}[31m\0".into()],
        cwd: "/tmp".into(),
        nodes: vec!["n1".into()],
        parent: Some(JobId(40)),
        array: Some(ArrayPlace { id: JobId(41), index: 1, throttle: Some(8) }),
        holds: amounts(),
        open_reviews: vec![crate::base::ReviewId(3)],
        answered: None,
        prompt: Some(Prompt { rank: 1, text: "go on?".into(), since: at(6) }),
        progress: Some(Progress { basis_points: Some(50), text: None, at: at(6) }),
        findings: vec![Finding {
            signal: Signal::LimitNear,
            level: Level::Suspect,
            since: at(8),
            evidence: Reason::bare(Code::NoRoom).with("left_ms", 5u64).numbers,
            acked: Some("bo".into()),
        }],
        cancel_at: Some(at(9).wall),
        acked: Some("bo".into()),
        pty: true,
        order: (3, u64::MAX),
        preemptible: true,
        deadline: Some(Wall(1_800_000_000_003)),
    }
}

fn bare_row() -> JobRow {
    JobRow {
        state: State::Queued,
        hold: None,
        started: None,
        ended: None,
        expected_start: None,
        expected_end: None,
        latest_end: None,
        kept: None,
        evicted_by: None,
        exit: None,
        parent: None,
        array: None,
        open_reviews: vec![],
        answered: Some(crate::base::ReviewId(3)),
        prompt: None,
        progress: None,
        findings: Vec::new(),
        cancel_at: None,
        acked: None,
        preemptible: false,
        deadline: None,
        ..row()
    }
}

fn gpu() -> Gpu {
    Gpu {
        index: 3,
        uuid: "GPU-1".into(),
        model: "pretend".into(),
        mem_bytes: 9,
        foreign: Some("pid 7".into()),
    }
}

fn node() -> NodeRow {
    NodeRow {
        traits: crate::model::node::Traits {
            labels: [("zone".into(), "eu".into())].into(),
            spot: true,
            max_tasks: Some(3),
            pool: Some("burst".into()),
        },
        name: "n1".into(),
        up: true,
        capacity: amounts(),
        used: amounts(),
        reserved: amounts(),
        kept: vec![page::KeptFor {
            job: JobId(9),
            from: Wall(7),
            until: Some(Wall(9)),
            room: amounts(),
        }],
        foreign: Resources::default(),
        on_gpus: vec![page::OnGpu { index: gpu().index, job: JobId(4), milli: 500 }],
        gpus: vec![gpu()],
        drain: Some(Drain { by: "ana".into(), since: at(3), reason: Some("new disk".to_owned()) }),
        warning: Some(Warning { by: "ana".into(), since: at(3), due: at(9) }),
        tasks: 2,
    }
}

const COUNTS: Counts = Counts { human: 1, running: 2, queued: 3, stuck: 4, ended: 5 };

#[test]
fn a_page_of_jobs_reads_back() {
    let page = page::JobPage {
        jobs: vec![row(), bare_row()],
        next: Some(Cursor { lane: Lane::Queued, place: (1, 2, 3) }),
        counts: COUNTS,
        seq: 99,
        at: at(10),
    };
    let document = over_the_wire(&JobList::new(&page, &Plain));
    assert_eq!(page::JobPage::try_from(document), Ok(page));
}

#[test]
fn a_job_reads_back_with_its_tasks_and_attempts() {
    let numbers = Reason::bare(Code::NoRoom).with("quota_gpu_milli", 4000u64).numbers;
    let eviction = fact::Eviction::whole(fact::Rule::ReclaimQuota, Some(JobId(57)), numbers);
    let detail = page::JobDetail {
        steps: vec![(crate::base::ReviewId(3), *reviews::review().step.unwrap())],
        row: row(),
        tasks: vec![
            Task::pending(0, 0),
            Task {
                rank: 1,
                group: 2,
                given_up: true,
                lent: vec![GpuShare { index: 1, milli: 1000 }],
                state: TaskState::Running,
                placement: Some(Placement {
                    node: "n1".into(),
                    gpus: vec![GpuShare { index: 0, milli: 500 }],
                }),
                pid: Some(77),
                placed: Some(at(2)),
                started: Some(at(3)),
                ended: Some(at(4)),
                exit: Some(Exit::Signal(9)),
            },
        ],
        attempts: vec![AttemptRecord {
            attempt: 1,
            started: at(2),
            ended: at(3),
            nodes: vec!["n1".into()],
            stopped_for: Some(StopFor::Requeue),
            exit: Some(Exit::Unknown),
        }],
        after: vec![Dependency { job: JobId(3), kind: DependencyKind::Any }],
        checkpoint: Some(Checkpoint { path: None, attempt: 1, at: at(3) }),
        usage: BTreeMap::from([("calls".into(), 3)]),
        start_at: Some(Wall(1_800_000_000_000)),
        time_limit: Some(Span::hours(1)),
        estimate: Some(Span::mins(10)),
        expected: Some(crate::model::estimate::Estimate {
            median: Span::mins(9),
            p90: Span::mins(11),
            origin: crate::model::estimate::Origin::Name,
            confidence: crate::model::estimate::Confidence::High,
        }),
        requeue: true,
        resumable: false,
        retry: 3,
        asked: asked(),
        evicted: Some((eviction, at(3))),
        env_names: vec!["PATH".into()],
    };
    let document = over_the_wire(&JobDocument::new(&detail, &Plain));
    assert_eq!(page::JobDetail::try_from(document), Ok(detail));
}

#[test]
fn every_key_of_a_job_is_there_even_if_nothing_is_known() {
    let page =
        page::JobPage { jobs: vec![bare_row()], next: None, counts: COUNTS, seq: 1, at: at(1) };
    let json = serde_json::to_value(JobList::new(&page, &Plain)).unwrap();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["next_cursor"], Json::Null);
    let job = json["jobs"][0].as_object().unwrap();
    let contract = "id name team tier priority state state_detail lane reason request gang \
        attempt submitted_at started_at ended_at expected_start_at expected_end_at exit_code \
        signal labels command cwd nodes parent array holds open_reviews cost findings deadline";
    for key in contract.split_whitespace() {
        assert!(job.contains_key(key), "{key}");
    }
    let detail = &json["jobs"][0]["state_detail"];
    for key in ["by", "for", "cause", "class"] {
        assert_eq!(detail.get(key), Some(&Json::Null), "{key}");
    }
    assert_eq!(job["open_reviews"], Json::Array(Vec::new()));
    assert_eq!(job["reason"]["code"], "no_room");
    assert_eq!(job["reason"]["text"], "because no_room");
    assert_eq!(job["submitted_at"], "2026-09-21T14:13:20.001Z");
    assert_eq!(job["tier"], "deadline");
    assert_eq!(job["gang"]["running"], 3);
}

#[test]
fn why_reads_back() {
    let why = page::Why {
        job: JobId(42),
        state: State::Stopping(StopFor::Pause),
        reason: Reason::bare(Code::Stopping),
        also: vec![Reason::bare(Code::NoRoom)],
        would_change: vec![Reason::bare(Code::TeamPaused).with("until_at", 5u64)],
        expected_start: Some(crate::model::estimate::Forecast {
            from: Wall(5),
            to: Wall(6),
            hits_percent: None,
            guess: false,
        }),
        position: Some(3),
    };
    let document = over_the_wire(&WhyDocument::new(&why, &Plain));
    assert_eq!(document.why.also[0].text, "because no_room");
    assert_eq!(document.why.would_change[0].text, "not team_paused");
    assert_eq!(page::Why::try_from(document), Ok(why));
}

#[test]
fn a_question_and_its_outlook_read_back() {
    use crate::api::wire::plan::{PlanDocument, PlanRequest};
    use crate::model::outlook::{Outlook, Shift, Start, Supposition, Taken};
    let job = crate::model::submission::Submission {
        argv: vec!["true".into()],
        cwd: "/".into(),
        gpu_milli: Some(500),
        ..Default::default()
    };
    let quota = crate::model::team::Bounds { gpu_milli: Some(8000), ..Default::default() };
    for what in [
        Supposition::Submit(Box::new(job)),
        Supposition::AddNode(Resources { gpu_milli: 4000, ..Resources::default() }),
        Supposition::Quota { team: "ml".into(), quota },
        Supposition::Drain("n1".into()),
    ] {
        let request = over_the_wire(&PlanRequest::new(&what));
        assert_eq!(request.into_model(), Ok(what));
    }
    let forecast = Some(crate::model::estimate::Forecast {
        from: Wall(5),
        to: Wall(6),
        hits_percent: None,
        guess: false,
    });
    let (job, name) = (JobId(1), || crate::base::Name::from("a"));
    let rule = crate::model::fact::Rule::Preempt;
    let outlook = Outlook {
        made: vec![job],
        starts: vec![Start { job, name: name(), nodes: vec!["n1".into()] }],
        evictions: vec![Taken { job, name: name(), rule, taker: Some(JobId(2)), moved: true }],
        shifts: vec![Shift {
            job,
            name: name(),
            before: forecast,
            after: None,
            returns: true,
            kept_on: vec!["n1".into()],
        }],
    };
    let document = over_the_wire(&PlanDocument::new(&outlook));
    assert_eq!(Outlook::try_from(document), Ok(outlook));
}

#[test]
fn the_summary_and_its_nodes_read_back() {
    let summary = page::Summary {
        counts: COUNTS,
        nodes: vec![node(), NodeRow { up: false, drain: None, ..node() }],
        countables: vec![page::CountableRow {
            name: "api:x".into(),
            count: 6,
            used: 2,
            per_minute: Some(60),
            taken: 3,
            limited: Some(crate::model::setup::Limited {
                until: Wall(1_800_000_000_000),
                by: "ana".into(),
                job: None,
                reason: None,
                since: at(3),
            }),
        }],
        paused: Some(hold()),
        paused_teams: vec![("ml".into(), hold())],
        kept_day: Some(page::KeptDay {
            reserved: page::usage::Used { gpu_milli_ms: 5, ..Default::default() },
            all: page::usage::Used { cpu_milli_ms: u128::MAX, ..Default::default() },
        }),
        teams: true,
        seq: 4,
        at: at(4),
    };
    let document = over_the_wire(&Summary::from(&summary));
    assert_eq!(page::Summary::try_from(document), Ok(summary));
    let states = |row: NodeRow| NodeList::new(&[row], None).nodes.remove(0).state;
    assert_eq!(states(node()), "draining");
    assert_eq!(states(NodeRow { tasks: 0, ..node() }), "drained");
    assert_eq!(states(NodeRow { drain: None, ..node() }), "up");
    assert_eq!(states(NodeRow { up: false, ..node() }), "lost");
}

#[test]
fn the_tree_of_teams_reads_back() {
    let row = page::TeamRow {
        name: "org/ml".into(),
        terms: crate::model::team::Terms::default(),
        window: None,
        paused: Some(hold()),
        held: amounts(),
        firm: Resources::default(),
        pending: amounts(),
        share: Some(amounts()),
        running: 2,
        queued: 3,
        over_since: Some(at(5)),
        owed_since: Some(at(6)),
        next_victim: Some(JobId(7)),
    };
    let bare =
        page::TeamRow { over_since: None, owed_since: None, next_victim: None, ..row.clone() };
    let opening = page::Opening {
        team: "org/ml".into(),
        window: "day".into(),
        zone: "UTC".into(),
        from: Wall(1_800_000_000_000),
        until: Wall(1_800_000_060_000),
    };
    let (teams, openings, seq) = (vec![row, bare], vec![opening], 9);
    let page = page::TeamPage { teams, openings, seq, at: at(4) };
    let document = over_the_wire(&super::team::TeamList::from(&page));
    assert_eq!(page::TeamPage::try_from(document), Ok(page));
}

#[test]
fn the_status_reads_back_and_another_version_is_refused() {
    let status = page::ServerStatus {
        pid: 1,
        version: "0.1.0".into(),
        data_dir: "/d".into(),
        socket: "/s".into(),
        since: Wall(1_790_000_000_000),
        counts: COUNTS,
        mechanism: "signals".into(),
        notes: vec!["disk full".into()],
        seq: 3,
    };
    let document = over_the_wire(&ServerStatus::from(status.clone()));
    assert_eq!(page::ServerStatus::try_from(document.clone()), Ok(status));
    let newer = ServerStatus { schema_version: 2, ..document };
    let WireError(text) = page::ServerStatus::try_from(newer).unwrap_err();
    assert!(text.contains("version 2"), "{text}");
}

fn groups() -> job::Groups {
    let group = |name: &str, within: Option<&str>| job::TaskGroup {
        name: name.into(),
        within: within.map(Into::into),
        gang: Gang { size: 2, min: 1 },
        request: amounts(),
        node_labels: BTreeMap::from([("zone".into(), "eu".into())]),
    };
    let set = job::GroupSet { name: "s".into(), within: None, min_members: Some(1) };
    job::Groups {
        groups: vec![group("head", None), group("work", Some("s"))],
        sets: vec![set],
        min_members: Some(2),
    }
}

fn service() -> job::Service {
    job::Service {
        health: Some("curl -f :80".into()),
        health_every: Span(5),
        baseline: 1,
        most: Some(4),
    }
}

fn asked() -> page::Asked {
    page::Asked {
        groups: Some(groups()),
        node_labels: BTreeMap::from([("disk".into(), "nvme".into())]),
        spot: true,
        stale_grace: Some(job::Grace::Never),
        preemption_delay: Some(Span::mins(1)),
        idle_timeout: Some(Span::mins(30)),
        service: Some(service()),
        may_ask: [EffectClass::Irreversible, EffectClass::Money].into(),
    }
}
