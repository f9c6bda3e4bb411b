//! `show`, of a job that has everything and of one that has nothing.

use super::*;
use crate::base::{JobId, Span, Wall};
use crate::model::action::EffectClass;
use crate::model::fact::{Eviction, Rule};
use crate::model::finding::Signal;
use crate::model::job::{
    Checkpoint, Dependency, Gang, GpuShare, Grace, GroupSet, Groups, Hold, Placement, Progress,
    Service, StopFor, TaskGroup, TaskState,
};
use crate::model::page::Asked;
use crate::model::{Reason, Resources};
use crate::view::line::plain;
use crate::view::sample::{asking, at, element, finding, queued};

fn bare(row: JobRow) -> JobDetail {
    JobDetail {
        steps: Vec::new(),
        row,
        tasks: vec![],
        attempts: vec![],
        after: vec![],
        checkpoint: None,
        usage: Default::default(),
        start_at: None,
        time_limit: None,
        estimate: None,
        expected: None,
        requeue: false,
        resumable: false,
        retry: 0,
        asked: Default::default(),
        evicted: None,
        env_names: vec![],
    }
}

fn full() -> JobDetail {
    let mut row = element(asking(42, "fix-auth", "A or B?"), 40, 2);
    row.gang = Gang { size: 2, min: 1 };
    row.request.gpu_milli = 500;
    row.labels = [("kind".into(), "debug".into())].into();
    row.progress = Some(Progress { basis_points: Some(4200), text: None, at: at(3000) });
    row.findings = vec![finding(Signal::LongRunning, Level::Notice)];
    row.attempt = 2;
    let mut task = Task::pending(0, 0);
    task.state = TaskState::Running;
    task.placement =
        Some(Placement { node: "n1".into(), gpus: vec![GpuShare { index: 3, milli: 500 }] });
    task.pid = Some(77);
    task.started = Some(at(1000));
    let past = AttemptRecord {
        attempt: 1,
        started: at(0),
        ended: at(900),
        nodes: vec!["n1".into()],
        stopped_for: Some(StopFor::Pause),
        exit: Some(Exit::Code(75)),
    };
    JobDetail {
        tasks: vec![task, Task::pending(1, 0)],
        attempts: vec![past],
        after: vec![Dependency { job: JobId(7), kind: DependencyKind::Any }],
        checkpoint: Some(Checkpoint { path: Some("/ck".into()), attempt: 1, at: at(500) }),
        usage: [("tokens_in".into(), 1200)].into(),
        time_limit: Some(Span::hours(2)),
        resumable: true,
        env_names: vec!["HOME".into(), "PATH".into()],
        ..bare(row)
    }
}

#[test]
fn a_job_with_everything() {
    let sight = Sight::utc(at(60_000));
    insta::assert_snapshot!(plain(&job(&full(), &sight, None)), @r#"
    42 fix-auth
    state         running, for 59s
    question      "A or B?" asked 58s ago
    answer with   holdshort send 42 TEXT
    why           asked a question at its prompt (at_prompt)
    command       ./agent.sh 'fix it'
    directory     /srv/app
    owner         ana
    priority      200 (research)
    asks for      0.5 GPU, 1 core, 2Gi for each of 2 tasks, at least 1 at once
    on            n1
    array         40, index 2
    comes after   7 however it ends
    labels        kind=debug
    way back      resumes by itself
    environment   2 variables
    submitted     2026-11-30 13:00:00 (1m ago)
    started       2026-11-30 13:00:01 (59s ago)
    attempt       2
    time limit    2h
    progress      42% (57s ago)
    checkpoint    attempt 1, 59s ago in /ck
    used          tokens_in 1200

    FINDINGS
    notice        has no time limit and runs very long, for 1m

    TASKS
    RANK  STATE    NODE  GPUS   PID  FOR  ENDED WITH
       0  running  n1    3:0.5   77  59s  -
       1  pending  -     -        -    -  -

    PAST ATTEMPTS
    ATTEMPT  STARTED              TOOK  ON  ENDED WITH
          1  2026-11-30 13:00:00  0.9s  n1  exit 75: it parks for a pause
    "#);
}

#[test]
fn what_was_asked_of_the_scheduler_and_who_took_the_place_is_said() {
    let group = |name: &str, within: Option<&str>| TaskGroup {
        name: name.into(),
        within: within.map(Into::into),
        gang: Gang { size: 2, min: 1 },
        request: Resources { gpu_milli: 1000, ..Resources::default() },
        node_labels: [("zone".into(), "eu".into())].into(),
    };
    let mut row = queued(7, "mix");
    row.gang = Gang { size: 4, min: 2 };
    row.preemptible = true;
    row.deadline = Some(at(3_600_000).wall);
    let numbers = Reason::bare(Code::NoRoom).with("priority", 100u64).with("taker", 300u64).numbers;
    let eviction = Eviction::whole(Rule::Preempt, Some(JobId(57)), numbers);
    let detail = JobDetail {
        asked: Asked {
            groups: Some(Groups {
                groups: vec![group("head", None), group("work", Some("all"))],
                sets: vec![GroupSet { name: "all".into(), within: None, min_members: None }],
                min_members: Some(1),
            }),
            node_labels: [("disk".into(), "nvme".into())].into(),
            spot: true,
            stale_grace: Some(Grace::Never),
            preemption_delay: Some(Span::mins(1)),
            idle_timeout: Some(Span::mins(30)),
            service: Some(Service {
                health: Some("curl -f :80".into()),
                baseline: 1,
                ..Service::default()
            }),
            may_ask: [EffectClass::Money].into(),
        },
        evicted: Some((eviction, at(0))),
        ..bare(row)
    };
    let text = plain(&job(&detail, &Sight::utc(at(60_000)), None));
    for line in [
        "gave room     gives room to 57: ",
        "(priority 100, taker 300) (preempt)",
        "asks for      4 tasks in groups, at least 2 at once",
        "preemptible   yes",
        "only on nodes disk=nvme",
        "spot          it may run",
        "service       baseline 1, health \"curl -f :80\"",
        "idle timeout  30m",
        "stale grace   never",
        "preempt delay 1m",
        "deadline      2026-11-30 14:00:00",
        "\nGROUPS\nNAME  TASKS  NEEDS  IN   EACH ASKS FOR\n",
        "work      2      1  all  1 GPU, on zone=eu\n",
        "all       -      -  -    all of its members\n1 of the topmost are enough",
    ] {
        assert!(text.contains(line), "{line}\nnot in\n{text}");
    }
}

#[test]
fn a_job_with_nothing_is_short_and_hostile_text_is_harmless() {
    let mut row = queued(1, "a\n\x1b[2Jb");
    row.command.clear();
    row.cwd = "/x\u{202e}".into();
    let since = at(0);
    let (until, reason) = (Some(Wall(0)), Some("\x07".into()));
    row.hold = Some(Hold { by: "a\tb".into(), since, until, reason });
    let text = plain(&job(&bare(row), &Sight::utc(at(0)), Some(80)));
    assert!(text.contains("no longer kept"), "{text}");
    assert!(!text.contains("TASKS") && !text.contains("FINDINGS"), "{text}");
    assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text}");
}
