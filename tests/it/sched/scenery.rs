//! What random sequences change besides jobs: hours and terms of teams, nodes that may vanish,
//! pools, rates, and how many tasks services want.

use holdshort::base::calendar::Weekly;
use holdshort::base::{Name, Span};
use holdshort::model::Resources;
use holdshort::model::command::{Command, Report, TeamChange};
use holdshort::model::job::{Gang, Groups, JobSpec, Service, TaskGroup};
use holdshort::model::node::Traits;
use holdshort::model::pool::Pool;
use holdshort::model::team::{Bounds, Terms, Weights};
use holdshort::model::window::{Window, WindowTerms};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::world::{GIB, Site, countable, inside, owner};

/// The node that may vanish.
const SPOT: &str = "s1";
/// Hours and what they say: begin, end, team, and which of `quota`, `limit` and `weight` so many
/// cores or times. Sites begin on a Friday at 08:00.
const HOURS: [(&str, &str, &str, &str, u64); 7] = [
    ("08:03", "08:20", "org/a", "quota", 0),
    ("08:05", "08:15", "ml", "limit", 2),
    ("08:01", "09:00", "ml", "weight", 5),
    ("08:10", "23:00", "org", "limit", 4),
    ("08:02", "08:30", "default", "quota", 4),
    ("08:07", "08:09", "org/b", "quota", 3),
    ("23:30", "08:01", "org/b", "limit", 1),
];

/// What a job may ask for beyond the usual.
#[derive(Debug, Clone, Default)]
pub struct Extra {
    pub estimate: Option<u64>,
    /// A service with so many tasks that nobody takes.
    pub service: Option<u32>,
    pub spot: bool,
    /// Two kinds of tasks: the second asks for half a core and no device.
    pub groups: bool,
    pub idle_timeout: Option<u64>,
}

pub fn extra() -> impl Strategy<Value = Extra> {
    (
        prop::option::weighted(0.6, select(vec![5, 20, 60, 300])),
        prop::option::weighted(0.15, 0..2u32),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.1, Just(30)),
    )
        .prop_map(|(estimate, service, spot, groups, idle_timeout)| Extra {
            estimate,
            service,
            spot,
            groups,
            idle_timeout,
        })
}

impl Extra {
    pub fn put(&self, job: &mut JobSpec) {
        job.spot = self.spot && job.has_way_back();
        job.idle_timeout = self.idle_timeout.map(Span::secs);
        job.estimate = job.estimate.or(self.estimate.map(Span::secs));
        if let Some(baseline) = self.service.filter(|_| !self.groups) {
            job.service = Some(Box::new(Service {
                baseline: baseline.min(job.gang.size),
                ..Service::default()
            }));
            (job.time_limit, job.retry) = (None, 0);
        }
        if self.groups {
            let group = |name: &str, gang, request| TaskGroup {
                name: name.into(),
                within: None,
                gang,
                request,
                node_labels: [].into(),
            };
            let half = Resources { cpu_milli: 500, ..Resources::default() };
            let all = vec![
                group("first", job.gang, job.request.clone()),
                group("second", Gang { size: 2, min: 1 }, half),
            ];
            let groups = Groups { groups: all, ..Groups::default() };
            job.gang = groups.gang();
            job.groups = Some(Box::new(groups));
        }
    }
}

/// One change.
#[derive(Debug, Clone)]
pub enum Scene {
    Warn(u64),
    /// Cores of the node that may vanish; with none it is gone.
    Spot(u64),
    /// None, one whose nodes are there at once, or one with commands.
    Pool(u8),
    PoolNode(u32, bool, bool),
    Hours(Vec<usize>),
    Terms(&'static str, Option<u64>, Option<u64>, u16),
    Scale(Index, u32),
    Rate(u64, Option<u64>),
    Saturation(u64),
}

pub fn scene() -> impl Strategy<Value = Scene> {
    let team = select(vec!["default", "ml", "org", "org/a", "org/b"]);
    let cores = || prop::option::of(0..6u64);
    prop_oneof![
        2 => select(vec![5, 40, 300]).prop_map(Scene::Warn),
        3 => (0..5u64).prop_map(Scene::Spot),
        2 => (0..3u8).prop_map(Scene::Pool),
        3 => (1..4u32, any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(n, up, fails)| Scene::PoolNode(n, up, fails)),
        2 => prop::collection::vec(0..HOURS.len(), 0..4).prop_map(Scene::Hours),
        4 => (team, cores(), cores(), select(vec![50, 100, 200]))
            .prop_map(|(team, quota, limit, priority)| Scene::Terms(team, quota, limit, priority)),
        4 => (any::<Index>(), 1..5u32).prop_map(|(job, size)| Scene::Scale(job, size)),
        1 => (1..4u64, prop::option::of(1..4u64)).prop_map(|(n, rate)| Scene::Rate(n, rate)),
        1 => select(vec![1000, 1500]).prop_map(Scene::Saturation),
    ]
}

/// What the scene does to a site; a refusal is as good as any answer.
pub fn play(site: &mut Site, scene: &Scene) {
    match scene {
        Scene::Warn(secs) => {
            let (node, left) = (SPOT.into(), Span::secs(*secs));
            drop(site.attempt(Command::WarnNode { node, left, by: owner() }));
        }
        Scene::Spot(cores) => spot(site, *cores),
        Scene::Pool(kind) => {
            let pools = (0..2).filter(|n| n + 1 == *kind).map(|n| pool(n > 0)).collect();
            site.configure(|setup| setup.pools = pools);
        }
        Scene::PoolNode(n, up, fails) => {
            let failed = fails.then(|| "no".to_owned());
            site.run(Command::PoolNode { node: format!("p-{n}").into(), up: *up, failed });
        }
        Scene::Hours(which) => {
            let mut which = which.clone();
            which.sort_unstable();
            which.dedup();
            let windows = which.iter().map(|at| window(*at)).collect();
            site.configure(|setup| setup.windows = windows);
        }
        Scene::Terms(team, quota, limit, priority) => {
            let cores =
                |n: &Option<u64>| Bounds { cpu_milli: n.map(|n| n * 1000), ..Bounds::default() };
            let (quota, limit, priority) = (cores(quota), cores(limit), *priority);
            let change =
                TeamChange::Set(Box::new(Terms { quota, limit, priority, ..Terms::default() }));
            let team = Name::from(*team);
            drop(site.attempt(Command::Team { team, change, key: None, by: owner() }));
        }
        Scene::Scale(index, size) => {
            let services = site.world.jobs().filter(|job| job.spec.service.is_some());
            let services: Vec<_> = services.map(|job| job.id).collect();
            if services.is_empty() {
                return;
            }
            let (job, report) = (*index.get(&services), Report::Scale { size: *size });
            drop(site.attempt(Command::Report { job, report, by: inside(job) }));
        }
        Scene::Rate(count, rate) => site.resource("api:x", Some(countable(*count, *rate))),
        Scene::Saturation(permille) => site.configure(|setup| setup.cycle.saturation = *permille),
    }
}

/// Takes everything back that would keep time busy.
pub fn clear(site: &mut Site) {
    site.configure(|setup| {
        setup.windows.clear();
        setup.pools.clear();
    });
    for n in 1..4 {
        site.run(Command::PoolNode { node: format!("p-{n}").into(), up: false, failed: None });
    }
}

fn spot(site: &mut Site, cores: u64) {
    let capacity =
        Resources { cpu_milli: cores * 1000, mem_bytes: 8 * GIB, ..Resources::default() };
    let traits = Traits { spot: true, ..Traits::default() };
    site.run(Command::NodeSeen { name: SPOT.into(), capacity, gpus: Vec::new(), traits });
}

fn pool(commands: bool) -> Pool {
    let command = |word: &str| commands.then(|| word.to_owned());
    Pool {
        name: "p".into(),
        min: 0,
        max: 3,
        capacity: Resources { cpu_milli: 2000, mem_bytes: 4 * GIB, ..Resources::default() },
        traits: Traits { pool: Some("p".into()), ..Traits::default() },
        grow_after: Span::secs(30),
        shrink_after: Span::secs(60),
        price_milli: 0,
        cost_cap_milli: None,
        up: command("up"),
        down: command("down"),
    }
}

fn window(at: usize) -> Window {
    let (from, to, team, what, n) = HOURS[at];
    let weekly = Weekly::parse("UTC", "daily", from, to).unwrap();
    let cores = Some(Bounds { cpu_milli: Some(n * 1000), ..Bounds::default() });
    let mut terms = WindowTerms::default();
    match what {
        "quota" => terms.quota = cores,
        "limit" => terms.limit = cores,
        _ => terms.weight = Some(Weights::all(n * 1000)),
    }
    Window { name: format!("{team}-{from}").into(), team: team.into(), weekly, terms }
}
