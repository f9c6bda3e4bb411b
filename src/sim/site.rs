//! Where the simulation takes place: machines, people, teams, countable resources.

use crate::base::{Name, Span};
use crate::model::action::{Amount, EffectClass};
use crate::model::node::Gpu;
use crate::model::people::{Grant, Role, User};
use crate::model::ports::runner::Machine;
use crate::model::review::ReviewPolicy;
use crate::model::setup::{Countable, Cycle, Defaults, Setup};
use crate::model::team::{DEFAULT_QUEUE_PRIORITY, Terms};
use crate::model::{Actor, Resources, Team};
use crate::sim::petition::names;

/// The person at the screen: owner of the server, so admin.
pub const OWNER: &str = "ana";
/// Everybody, with the role they have everywhere.
const PEOPLE: [(&str, u32, Role); 4] = [
    (OWNER, 1000, Role::Admin),
    ("bob", 1001, Role::Submitter),
    ("carl", 1002, Role::Operator),
    ("dora", 1003, Role::Submitter),
];
/// The teams.
pub(super) const TEAMS: [&str; 4] = ["fin", "ml", "ops", "web"];

/// How much there is of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Nodes with eight GPUs.
    pub gpu_nodes: u32,
    /// Nodes without.
    pub cpu_nodes: u32,
    /// Jobs that are submitted in an hour, arrays counted once; 0 for none.
    pub jobs_per_hour: u64,
    /// Acts of people and troubles of machines in an hour; 0 for none.
    pub acts_per_hour: u64,
}

impl Scale {
    /// One box with GPUs and one without; nothing happens by itself.
    pub const BOX: Scale = Scale { gpu_nodes: 1, cpu_nodes: 1, jobs_per_hour: 0, acts_per_hour: 0 };
    /// A busy day of a small installation, with everything that can go wrong.
    pub const BUSY: Scale =
        Scale { gpu_nodes: 2, cpu_nodes: 2, jobs_per_hour: 90, acts_per_hour: 20 };

    /// The machines.
    pub(super) fn machines(&self) -> Vec<Machine> {
        let gpu = (0..self.gpu_nodes).map(|n| machine(&format!("gpu-box-{}", n + 3), 64, 512, 8));
        let cpu = (0..self.cpu_nodes).map(|n| machine(&format!("cpu-{}", n + 1), 32, 128, 0));
        gpu.chain(cpu).collect()
    }
}

fn machine(name: &str, cores: u64, gib: u64, gpus: u32) -> Machine {
    let gpu = |index| Gpu {
        index,
        uuid: format!("GPU-{name}-{index}").into(),
        model: "NVIDIA H100 80GB HBM3".into(),
        mem_bytes: 80 << 30,
        foreign: None,
    };
    let capacity = Resources {
        cpu_milli: cores * 1000,
        mem_bytes: gib << 30,
        gpu_milli: u64::from(gpus) * 1000,
        ..Resources::default()
    };
    Machine { name: name.into(), capacity, gpus: (0..gpus).map(gpu).collect() }
}

/// The configuration: countable resources grow with the installation.
pub(super) fn setup(scale: &Scale) -> Setup {
    let user = |(name, uid, role): (&str, u32, Role)| User {
        name: name.into(),
        os_user: name.into(),
        uid: Some(uid),
        grants: vec![Grant { team: "".into(), role }],
    };
    let size = u64::from(scale.gpu_nodes.max(1));
    let countable = |(name, count, rate): (&str, u64, Option<u64>)| {
        let per_minute = rate.map(|rate| rate * size);
        (Name::from(name), Countable { count: count * size, per_minute })
    };
    let resources = [("api:anthropic", 6, None), ("api:openai", 8, Some(60)), ("browser", 4, None)];
    Setup {
        notify: Vec::new(),
        resources: resources.map(countable).into(),
        teams: TEAMS.map(team).into(),
        users: PEOPLE.map(user).into(),
        owner_uid: 1000,
        windows: Vec::new(),
        review_policies: review_policies(),
        pools: Vec::new(),
        cycle: Cycle::default(),
        defaults: Defaults { keep_ended: 600, ..Defaults::default() },
    }
}

/// Who decides what: payments, what customers see, the vault. All else falls to the owner.
fn review_policies() -> Vec<ReviewPolicy> {
    let above = Amount::parse("1000", "EUR").ok();
    let policy = |name: &str, effects: &[EffectClass], approvers: Vec<Name>| ReviewPolicy {
        name: name.into(),
        effects: effects.iter().copied().collect(),
        approvers,
        ..ReviewPolicy::default()
    };
    let money: &[EffectClass] = &[EffectClass::Money];
    vec![
        ReviewPolicy {
            above,
            need: Some(2),
            within: Some(Span::hours(1)),
            ..policy("large-payments", money, names(["ana", "bob", "carl"]))
        },
        policy("payments", money, names(["ana", "bob", "carl"])),
        policy("customers", &[EffectClass::External], names(["bob", "dora"])),
        ReviewPolicy {
            tools: [Name::from("vault")].into(),
            within: Some(Span::hours(2)),
            ..policy("vault", &[], names(["dora", "bob"]))
        },
    ]
}

/// A team. That which has the GPUs for its work comes first.
fn team(name: &str) -> Team {
    let priority = if name == "ml" { DEFAULT_QUEUE_PRIORITY + 100 } else { DEFAULT_QUEUE_PRIORITY };
    Team { terms: Terms { priority, ..Terms::default() }, ..Team::named(name) }
}

/// Somebody of the simulation; anybody unknown is a stranger without rights.
pub fn person(name: &str) -> Actor {
    let known = PEOPLE.iter().find(|(known, ..)| *known == name);
    Actor { user: name.into(), uid: known.map(|(_, uid, _)| *uid), in_job: None, job_by: None }
}
