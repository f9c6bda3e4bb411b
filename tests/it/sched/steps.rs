//! What may happen in a random sequence, and how often.

use holdshort::base::Span;
use holdshort::model::command::{Change, Report, TaskEvent, Verb};
use holdshort::model::finding::{Level, Signal};
use holdshort::model::job::{DependencyKind, Exit};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::scenery::{Extra, Scene, extra, scene};

/// How much may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Reach {
    /// Jobs, people, and what machines do.
    Plain,
    /// Also deadlines, closed resources, switches of urgency, and long times.
    Urgent,
    /// Also reservations, services, hours and terms of teams, nodes and pools that come and go.
    All,
}

/// What a random job asks for.
#[derive(Debug, Clone)]
pub struct Ask {
    pub cpu: u64,
    pub gib: u64,
    pub gpu: u64,
    pub custom: Option<(&'static str, u64)>,
    pub gang: (u32, u32),
    pub priority: u16,
    pub team: &'static str,
    pub way_back: u8,
    pub preemptible: bool,
    pub retry: u32,
    pub must_fit: bool,
    pub limit: Option<u64>,
    pub start_in: Option<u64>,
    /// Seconds until its deadline, and of its estimate.
    pub deadline: Option<(u64, Option<u64>)>,
    pub after: Option<(Index, DependencyKind)>,
    pub extra: Extra,
}

/// One thing that happens.
#[derive(Debug, Clone)]
pub enum Step {
    Submit(Ask),
    Array(u32, Option<u32>, Ask),
    Child(Index, Ask),
    StartAll,
    Start(Index),
    End(Index, u32, Exit),
    EndAll(Index, Exit),
    EndUnseen(Index, u32, u64, bool),
    GpuTaken(Index, u32),
    Prompt(Index, bool),
    Act(Vec<Index>, Verb),
    PauseTeam(Option<&'static str>, Option<u64>),
    ResumeTeam(Option<&'static str>),
    Drain(usize, bool),
    Limit(Option<u64>),
    Switch(&'static str, bool),
    LimitedBy(Index, u64),
    Node(usize, u64, u64, Vec<bool>),
    Configure { licences: u64, per_minute: Option<u64>, keep_ended: usize },
    Down(u64, bool),
    Reboot(u8),
    Advance(u64),
    Report(Index, Report),
    Scan(bool),
    Find(Index, Signal, Option<Level>),
    Stray(u64, u32, u32, TaskEvent),
    Scene(Scene),
}

fn ask(reach: Reach) -> impl Strategy<Value = Ask> {
    let deadline = prop::option::weighted(
        0.2,
        (select(vec![1, 30, 300, 4000]), prop::option::of(select(vec![10, 200]))),
    );
    let extra = if reach == Reach::All { extra().boxed() } else { Just(Extra::default()).boxed() };
    let deadline = if reach >= Reach::Urgent { deadline.boxed() } else { Just(None).boxed() };
    // Few wait for others where there is much to see among those that do not.
    let (ways_back, waits) = match reach {
        Reach::All => (select(vec![0, 1, 1, 2]), 0.05),
        _ => (select(vec![0, 1, 2, 3]), 0.2),
    };
    let kinds = select(vec![DependencyKind::Ok, DependencyKind::Any, DependencyKind::Failed]);
    let customs = select(vec![
        None,
        None,
        Some(("lic", 1)),
        Some(("lic", 2)),
        Some(("api:x", 1)),
        Some(("nothing", 1)),
    ]);
    let gangs = select(vec![(1, 1), (1, 1), (1, 1), (2, 2), (3, 1), (3, 2), (4, 2), (0, 0)]);
    (
        (
            select(vec![0, 500, 1000, 1000, 1000, 2000, 3000, 9000]),
            select(vec![0, 1, 1, 2, 5]),
            select(vec![0, 0, 0, 250, 500, 700, 1000, 2000]),
            customs,
            gangs,
        ),
        (
            select(vec![100, 200, 200, 300, 400]),
            select(vec!["default", "default", "ml", "org/a", "org/b"]),
            (ways_back, prop::bool::weighted(0.7)),
            select(vec![0, 0, 1, 2]),
            prop::bool::weighted(0.1),
        ),
        prop::option::weighted(0.3, select(vec![5, 30, 90])),
        prop::option::weighted(0.1, select(vec![1, 20, 60])),
        prop::option::weighted(waits, (any::<Index>(), kinds)),
        (deadline, extra),
    )
        .prop_map(|((cpu, gib, gpu, custom, gang), rest, limit, start_in, after, last)| {
            let (deadline, extra) = last;
            let (priority, team, (way_back, preemptible), retry, must_fit) = rest;
            Ask {
                cpu,
                gib,
                gpu,
                custom,
                gang,
                priority,
                team,
                way_back,
                preemptible: preemptible && (way_back == 1 || way_back == 2),
                retry,
                must_fit,
                limit,
                start_in,
                after,
                deadline,
                extra,
            }
        })
}

fn exit() -> impl Strategy<Value = Exit> {
    select(vec![
        Exit::Code(0),
        Exit::Code(0),
        Exit::Code(1),
        Exit::Code(75),
        Exit::Signal(15),
        Exit::NotStarted("gone".into()),
        Exit::Unknown,
    ])
}

fn verb() -> impl Strategy<Value = Verb> {
    let set = |change| Verb::Set(change);
    let plain = Change::default;
    let verbs = vec![
        Verb::Cancel { reason: None },
        Verb::Requeue,
        Verb::Preempt,
        Verb::Next,
        Verb::Ack,
        Verb::Answered,
        Verb::Resume,
        Verb::Resume,
        Verb::Pause { until: None, reason: None },
        Verb::Pause { until: None, reason: Some("why not".into()) },
        set(Change { priority: Some(250), ..plain() }),
        set(Change { team: Some("ml".into()), ..plain() }),
        set(Change { time_limit: Some(None), ..plain() }),
        set(Change { time_limit: Some(Some(Span::secs(40))), ..plain() }),
    ];
    select(verbs)
}

fn report() -> impl Strategy<Value = Report> {
    select(vec![
        Report::Heartbeat,
        Report::Checkpoint { path: Some("/c".into()), basis_points: Some(10) },
        Report::Progress { basis_points: None, text: Some("half".into()) },
        Report::Usage { amounts: [("calls".into(), 2)].into(), key: Some("k".into()) },
    ])
}

fn event() -> impl Strategy<Value = TaskEvent> {
    select(vec![
        TaskEvent::Started { pid: 1 },
        TaskEvent::Ended { exit: Exit::Code(0) },
        TaskEvent::GpuTaken { index: 0, by: "x".into() },
        TaskEvent::AtPrompt { text: "?".into() },
        TaskEvent::PromptOver,
    ])
}

/// What happens next.
pub fn step(reach: Reach) -> impl Strategy<Value = Step> {
    let index = any::<Index>;
    let team = || select(vec![None, Some("default"), Some("ml"), Some("org"), Some("org/a")]);
    let signal = select(vec![Signal::NeverStarted, Signal::LimitNear]);
    let level = select(vec![None, Some(Level::Notice), Some(Level::Stuck)]);
    let throttle = || prop::option::of(1..3u32);
    let jobs = || {
        prop_oneof![
            8 => ask(reach).prop_map(Step::Submit),
            1 => (1..5u32, throttle(), ask(reach)).prop_map(|(n, t, a)| Step::Array(n, t, a)),
            1 => (index(), ask(reach)).prop_map(|(i, a)| Step::Child(i, a)),
        ]
    };
    let runner = prop_oneof![
        4 => Just(Step::StartAll),
        2 => index().prop_map(Step::Start),
        6 => (index(), exit()).prop_map(|(i, e)| Step::EndAll(i, e)),
        3 => (index(), 0..4u32, exit()).prop_map(|(i, r, e)| Step::End(i, r, e)),
        1 => (index(), 0..4u32, 0..90u64, any::<bool>())
            .prop_map(|(i, r, ago, limit)| Step::EndUnseen(i, r, ago, limit)),
        1 => (index(), 0..4u32).prop_map(|(i, r)| Step::GpuTaken(i, r)),
        1 => (index(), any::<bool>()).prop_map(|(i, on)| Step::Prompt(i, on)),
        1 => (0..30u64, 0..3u32, 0..4u32, event()).prop_map(|(j, a, r, e)| Step::Stray(j, a, r, e)),
    ];
    let mut policies = vec!["ageing", "deadline", "retry", "inheritance"];
    if reach == Reach::All {
        policies.extend(["reservation", "backfill", "estimate", "fair_share", "consolidate"]);
        policies.extend(["reclaim", "preempt", "overstayed", "stale_gang", "window", "pool"]);
        policies.extend(["spot", "rate", "returns"]);
    }
    let policy = select(policies);
    let people = prop_oneof![
        9 => (prop::collection::vec(index(), 1..3), verb()).prop_map(|(i, v)| Step::Act(i, v)),
        1 => (team(), prop::option::of(1..60u64)).prop_map(|(t, u)| Step::PauseTeam(t, u)),
        2 => team().prop_map(Step::ResumeTeam),
        1 => (0..3usize, any::<bool>()).prop_map(|(n, on)| Step::Drain(n, on)),
        2 => (index(), report()).prop_map(|(i, r)| Step::Report(i, r)),
    ];
    let devices = prop::collection::vec(prop::bool::weighted(0.2), 0..3);
    let machine = prop_oneof![
        2 => (0..3usize, 1..5u64, 2..9u64, devices).prop_map(|(n, c, m, g)| Step::Node(n, c, m, g)),
        1 => (0..4u64, prop::option::of(1..4u64), select(vec![0, 2, 2000]))
            .prop_map(|(licences, per_minute, keep_ended)| Step::Configure {
                licences,
                per_minute,
                keep_ended
            }),
        1 => (1..600u64, prop::bool::weighted(0.2)).prop_map(|(s, off)| Step::Down(s, off)),
        1 => (0..2u8).prop_map(Step::Reboot),
        5 => (1..90u64).prop_map(Step::Advance),
        1 => any::<bool>().prop_map(Step::Scan),
        1 => (index(), signal, level).prop_map(|(i, s, l)| Step::Find(i, s, l)),
    ];
    let plain = prop_oneof![4 => jobs(), 5 => runner, 4 => people, 2 => machine];
    if reach == Reach::Plain {
        return plain.boxed();
    }
    let urgent = prop_oneof![
        15 => plain,
        1 => prop::option::of(1..200u64).prop_map(Step::Limit),
        1 => (index(), 1..100u64).prop_map(|(i, secs)| Step::LimitedBy(i, secs)),
        1 => (policy, any::<bool>()).prop_map(|(name, on)| Step::Switch(name, on)),
        1 => (1000..9000u64).prop_map(Step::Advance),
    ];
    match reach {
        Reach::All => prop_oneof![
            4 => jobs(),
            3 => Just(Step::StartAll),
            5 => urgent,
            2 => scene().prop_map(Step::Scene),
            2 => (5..120u64).prop_map(Step::Advance),
        ]
        .boxed(),
        _ => urgent.boxed(),
    }
}
