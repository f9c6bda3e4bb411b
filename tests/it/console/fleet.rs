//! Jobs, nodes and output to show: builders for the fake link.

use std::collections::BTreeMap;

use holdshort::base::{At, JobId, Mono, Name, Span, Wall};
use holdshort::model::estimate::Forecast;
use holdshort::model::finding::{Level, Signal};
use holdshort::model::history::Minute;
use holdshort::model::job::{
    ArrayPlace, AttemptRecord, Checkpoint, Exit, FailureClass, Gang, Hold, Outcome, Progress,
    Prompt, State,
};
use holdshort::model::node::{Drain, Gpu};
use holdshort::model::page::usage::Used;
use holdshort::model::page::{
    CountableRow, EventRow, JobRow, KeptDay, KeptFor, KeptRoom, Lane, NodeRow, OnGpu, Opening,
    ReviewCard, TeamRow,
};
use holdshort::model::reason::{Code, Reason};
use holdshort::model::team::{Bounds, Terms};
use holdshort::model::{Fact, Finding, Resources};

/// 2026-11-30 03:12 UTC.
pub const NOW: At = At { now: Mono(100_000_000), wall: Wall(1_796_008_320_000) };

/// So long ago.
pub fn ago(span: Span) -> At {
    let wall = Wall(NOW.wall.0 - i64::try_from(span.0).unwrap());
    At { now: NOW.now - span, wall }
}

/// A place with jobs.
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    pub jobs: Vec<JobRow>,
    pub nodes: Vec<NodeRow>,
    pub countables: Vec<CountableRow>,
    pub facts: Vec<EventRow>,
    pub output: BTreeMap<u64, Vec<u8>>,
    pub paused: Option<Hold>,
    /// What was kept over the last day.
    pub kept_day: Option<KeptDay>,
    /// Use and queue before now.
    pub minutes: Vec<Minute>,
    /// The tree of teams; nobody uses teams if there is none.
    pub teams: Vec<TeamRow>,
    /// When windows of teams are open.
    pub openings: Vec<Opening>,
    /// Reviews, those that end first first.
    pub reviews: Vec<ReviewCard>,
}

impl Fleet {
    /// Teams that are held back.
    pub fn paused_teams(&self) -> Vec<(Name, Hold)> {
        let paused = |row: &TeamRow| Some((row.name.clone(), row.paused.clone()?));
        self.teams.iter().filter_map(paused).collect()
    }
}

/// A team with a quota of GPUs: its share of them, what it holds and what it wants.
pub fn leaf(name: &str, quota: Option<u64>, share: u64, held: u64, pending: u64) -> TeamRow {
    let gpus =
        |n: u64| Resources { gpu_milli: n * 1000, cpu_milli: n * 4000, ..Resources::default() };
    let quota = Bounds { gpu_milli: quota.map(|n| n * 1000), ..Bounds::default() };
    TeamRow {
        name: name.into(),
        terms: Terms { quota, ..Terms::default() },
        paused: None,
        window: None,
        held: gpus(held),
        firm: gpus(held / 2),
        pending: gpus(pending),
        share: Some(gpus(share)),
        running: held.div_ceil(2),
        queued: pending.div_ceil(8),
        over_since: None,
        owed_since: None,
        next_victim: None,
    }
}

/// Some teams, one of each kind: over, owed, borrowing, paused, idle.
pub fn tree() -> Vec<TeamRow> {
    let hold = Hold {
        by: "carl".into(),
        since: ago(Span::mins(61)),
        until: Some(NOW.wall + Span::mins(168)),
        reason: Some("month-end close".into()),
    };
    let over = TeamRow {
        over_since: Some(ago(Span::mins(12))),
        next_victim: Some(JobId(226)),
        ..leaf("org/ml/research", Some(4), 5, 7, 8)
    };
    vec![
        leaf("org", Some(12), 12, 11, 11),
        leaf("org/ml", Some(8), 8, 9, 8),
        leaf("org/ml/platform", Some(4), 3, 2, 0),
        over,
        TeamRow { owed_since: Some(ago(Span::mins(48))), ..leaf("org/web", Some(4), 4, 2, 3) },
        TeamRow { paused: Some(hold), ..leaf("fin", Some(2), 0, 0, 2) },
        leaf("ops", Some(1), 3, 3, 40),
        leaf("default", None, 0, 0, 0),
    ]
}

/// A job that waits for room.
pub fn queued(id: u64, name: &str) -> JobRow {
    JobRow {
        step: None,
        id: JobId(id),
        name: name.into(),
        team: "default".into(),
        priority: 200,
        lifted: 200,
        owner: "ana".into(),
        state: State::Queued,
        since: ago(Span::mins(70)),
        hold: None,
        frozen: false,
        lane: Lane::Queued,
        reason: Reason::bare(Code::NoRoom),
        request: Resources { cpu_milli: 4000, mem_bytes: 16 << 30, ..Resources::default() },
        gang: Gang::ONE,
        gang_running: 0,
        attempt: 0,
        submitted: ago(Span::mins(130)),
        started: None,
        ended: None,
        expected_start: None,
        expected_end: None,
        latest_end: None,
        kept: None,
        evicted_by: None,
        exit: None,
        labels: BTreeMap::new(),
        command: vec!["./agent.sh".into(), "--task".into(), name.into()],
        cwd: "/srv/agents".into(),
        nodes: Vec::new(),
        parent: None,
        array: None,
        holds: Resources::default(),
        open_reviews: vec![],
        answered: None,
        prompt: None,
        progress: None,
        findings: Vec::new(),
        cancel_at: None,
        acked: None,
        pty: false,
        order: (0, 0),
        preemptible: false,
        deadline: None,
    }
}

/// A job that runs since a while.
pub fn running(id: u64, name: &str, since: Span) -> JobRow {
    let row = queued(id, name);
    JobRow {
        state: State::Running,
        lane: Lane::Running,
        reason: Reason::bare(Code::Running),
        since: ago(since),
        started: Some(ago(since)),
        attempt: 1,
        gang_running: 1,
        holds: row.request.clone(),
        nodes: vec!["gpu-box-3".into()],
        ..row
    }
}

/// A job that asks at its prompt.
pub fn asking(id: u64, name: &str, text: &str, since: Span) -> JobRow {
    JobRow {
        lane: Lane::Human,
        reason: Reason::bare(Code::AtPrompt),
        prompt: Some(Prompt { rank: 0, text: text.into(), since: ago(since) }),
        pty: true,
        ..running(id, name, since + Span::mins(20))
    }
}

/// A job that ended.
pub fn ended(id: u64, name: &str, outcome: Outcome, exit: i32, since: Span) -> JobRow {
    JobRow {
        state: State::Ended(outcome),
        lane: Lane::Ended,
        reason: Reason::bare(Code::Ended),
        since: ago(since),
        ended: Some(ago(since)),
        exit: Some(Exit::Code(exit)),
        holds: Resources::default(),
        ..running(id, name, since + Span::mins(12))
    }
}

/// With GPUs.
pub fn gpus(n: u64, mut row: JobRow) -> JobRow {
    row.request.gpu_milli = n * 1000;
    if !row.holds.is_empty() {
        row.holds.gpu_milli = n * 1000;
    }
    row
}

/// In a team.
pub fn team(team: &str, row: JobRow) -> JobRow {
    JobRow { team: team.into(), ..row }
}

/// With a finding.
pub fn stuck(row: JobRow) -> JobRow {
    let found = Finding {
        signal: Signal::NeverStarted,
        level: Level::Stuck,
        since: ago(Span::mins(31)),
        evidence: BTreeMap::new(),
        acked: None,
    };
    JobRow { findings: vec![found], ..row }
}

/// A machine with eight GPUs.
pub fn node(name: &str) -> NodeRow {
    let gpu = |index| Gpu {
        index,
        uuid: format!("u{index}").into(),
        model: "A100".into(),
        mem_bytes: 80 << 30,
        foreign: None,
    };
    NodeRow {
        traits: Default::default(),
        name: name.into(),
        up: true,
        capacity: Resources {
            cpu_milli: 64_000,
            mem_bytes: 512 << 30,
            gpu_milli: 8000,
            ..Resources::default()
        },
        used: Resources {
            cpu_milli: 41_000,
            mem_bytes: 200 << 30,
            gpu_milli: 7000,
            ..Resources::default()
        },
        reserved: Resources::default(),
        kept: Vec::new(),
        foreign: Resources::default(),
        on_gpus: Vec::new(),
        gpus: (0..8).map(gpu).collect(),
        drain: None,
        warning: None,
        tasks: 6,
    }
}

fn fact(seq: u64, minutes: u64, fact: Fact) -> EventRow {
    EventRow { seq, at: ago(Span::mins(minutes)), by: None, fact }
}

/// One person, one box, three jobs.
pub fn few() -> Fleet {
    let mut fix = running(3, "fix-auth", Span::mins(11));
    fix.progress = Some(Progress { basis_points: Some(4200), text: None, at: NOW });
    let shell = asking(2, "migrate-db", "Apply 3 migrations? [y/N]", Span::mins(2));
    let done = ended(1, "hello", Outcome::Succeeded, 0, Span::mins(40));
    Fleet {
        jobs: vec![shell, fix, done],
        nodes: vec![NodeRow {
            capacity: Resources { cpu_milli: 8000, mem_bytes: 32 << 30, ..Resources::default() },
            used: Resources { cpu_milli: 8000, mem_bytes: 4 << 30, ..Resources::default() },
            gpus: Vec::new(),
            tasks: 2,
            ..node("laptop")
        }],
        facts: vec![
            fact(7, 40, Fact::JobEnded { job: JobId(1), outcome: Outcome::Succeeded }),
            fact(8, 11, Fact::JobRunning { job: JobId(3) }),
        ],
        output: BTreeMap::from([
            (
                3,
                b"reading src/auth.rs\n\x1b[32mtest login ... ok\x1b[0m\ntest logout ... ok\n"
                    .to_vec(),
            ),
            (2, b"\x1b[1mmigrate\x1b[0m 3 pending\r\nApply 3 migrations? [y/N] ".to_vec()),
        ]),
        ..Fleet::default()
    }
}

const QUESTION: &[u8] = b"\x1b[1mclaude\x1b[0m is working on fix-auth\r\n\r\nTwo ways:\r\n  \
    A  rotate the key\r\n  B  widen the scope\r\n\r\n\x1b[33mA or B?\x1b[0m ";

/// A busy night with teams.
pub fn many() -> Fleet {
    let failed = Outcome::Failed(FailureClass::Exit);
    let short =
        Reason::bare(Code::NoRoom).with("need_gpu_milli", 8000u64).with("best_gpu_milli", 1000u64);
    let mut jobs = vec![
        team("web", asking(231, "fix-auth", "A or B?", Span::mins(22))),
        team("ops", asking(205, "invoice-run", "Send 14 invoices? [y/N]", Span::mins(3))),
        team("ml", stuck(gpus(1, running(219, "crawl-eu", Span::hours(2))))),
        team("ml", gpus(4, running(198, "finetune-7b", Span::mins(302)))),
        team("ml", gpus(1, running(226, "eval-nightly", Span::mins(11)))),
        team("web", running(227, "review-bot", Span::mins(9))),
        team("web", running(228, "docs-agent", Span::secs(48))),
    ];
    jobs[3].expected_end = Some(NOW.wall + Span::mins(148));
    jobs[3].latest_end = Some(NOW.wall + Span::mins(178));
    jobs[3].progress = Some(Progress { basis_points: Some(6650), text: None, at: NOW });
    jobs[6].hold = None;
    let mut big = team("ml", gpus(8, queued(240, "finetune-70b")));
    big.reason = short;
    let (from, to) = (NOW.wall + Span::mins(148), NOW.wall + Span::mins(178));
    big.expected_start = Some(Forecast { from, to, hits_percent: Some(83), guess: false });
    big.kept = Some(KeptRoom { from: to, nodes: vec!["gpu-box-3".into()] });
    jobs.push(big);
    for index in 0..40 {
        let element = team("ops", queued(241 + u64::from(index), "batch-embed"));
        let array = Some(ArrayPlace { id: JobId(241), index, throttle: Some(8) });
        jobs.push(JobRow { array, reason: Reason::bare(Code::ArrayThrottle), ..element });
    }
    let mut held = team("web", queued(300, "nightly-crawl"));
    held.state = State::Paused;
    held.hold = Some(Hold {
        by: "bob".into(),
        since: ago(Span::mins(50)),
        until: None,
        reason: Some("target site is down".into()),
    });
    held.reason = Reason::bare(Code::Paused).with("by", "bob");
    jobs.push(held);
    jobs.push(team("ops", ended(217, "sync-crm", failed, 1, Span::mins(40))));
    for id in 0..9 {
        jobs.push(team("web", ended(190 + id, "lint", Outcome::Succeeded, 0, Span::mins(50 + id))));
    }
    let mut first = node("gpu-box-3");
    let one = |gpu_milli: u64| Resources { gpu_milli, ..Resources::default() };
    first.reserved = one(1000);
    let from = NOW.wall + Span::mins(178);
    first.kept = vec![KeptFor { job: JobId(240), from, until: None, room: one(8000) }];
    first.on_gpus = (0..7)
        .map(|index| {
            let job = JobId([198, 198, 198, 198, 219, 226, 226][index as usize]);
            OnGpu { index, job, milli: 1000 }
        })
        .collect();
    let mut second = node("gpu-box-4");
    second.drain = Some(Drain {
        by: "bob".into(),
        since: ago(Span::hours(3)),
        reason: Some("new disk".to_owned()),
    });
    second.used = Resources { gpu_milli: 2000, cpu_milli: 8000, ..Resources::default() };
    second.gpus[1].foreign = Some("Xorg\x1b[2J (pid 7)".into());
    let api = |name: &str, used| CountableRow {
        name: name.into(),
        count: 6,
        used,
        per_minute: Some(50),
        taken: 12,
        limited: None,
    };
    let job = JobId;
    Fleet {
        jobs,
        nodes: vec![first, second],
        kept_day: Some(KeptDay {
            reserved: Used { gpu_milli_ms: 9_000_000_000, ..Used::default() },
            all: Used { gpu_milli_ms: 1_382_400_000_000, ..Used::default() },
        }),
        countables: vec![api("api:anthropic", 5), api("api:openai", 6)],
        facts: vec![
            fact(90, 31, Fact::JobRunning { job: job(198) }),
            fact(
                91,
                22,
                Fact::AtPrompt {
                    task: holdshort::base::TaskId { job: job(231), attempt: 1, rank: 0 },
                    text: "A or B?".into(),
                },
            ),
            fact(92, 11, Fact::JobRunning { job: job(226) }),
            fact(93, 9, Fact::JobRunning { job: job(227) }),
            fact(94, 3, Fact::JobQueued { job: job(240) }),
            fact(95, 1, Fact::JobEnded { job: job(217), outcome: failed }),
        ],
        output: BTreeMap::from([(198, long_log()), (231, QUESTION.to_vec())]),
        paused: None,
        minutes: (0..90).map(minute).collect(),
        teams: tree(),
        openings: [(0, 6), (24, 30)]
            .map(|(from, until)| Opening {
                team: "org/ml".into(),
                window: "night".into(),
                zone: "Europe/Berlin".into(),
                from: NOW.wall + Span::hours(from),
                until: NOW.wall + Span::hours(until),
            })
            .into(),
        reviews: Vec::new(),
    }
}

/// More and more in use, a queue that comes and goes.
fn minute(n: u64) -> Minute {
    let gpu_milli = 1000 * (n / 10);
    Minute { cpu_milli: 49_000, gpu_milli, running: 5, queued: n % 45 }
}

fn long_log() -> Vec<u8> {
    let mut out = Vec::new();
    for step in 0..400 {
        let loss = 2000 - step * 4;
        let line = format!("step {step:>5}  loss {}.{:03}  lr 3e-5\n", loss / 1000, loss % 1000);
        out.extend(line.into_bytes());
        if step % 50 == 49 {
            out.extend(b"\x1b[33mwarning: gradient norm 12.1, clipped\x1b[0m\n");
        }
    }
    out
}

/// Past attempts of a job.
pub fn attempts() -> Vec<AttemptRecord> {
    vec![AttemptRecord {
        attempt: 1,
        started: ago(Span::hours(9)),
        ended: ago(Span::hours(8)),
        nodes: vec!["gpu-box-4".into()],
        stopped_for: None,
        exit: Some(Exit::Code(75)),
    }]
}

/// A checkpoint.
pub fn checkpoint() -> Checkpoint {
    Checkpoint { path: Some("/srv/ckpt/41".into()), attempt: 1, at: ago(Span::mins(14)) }
}
