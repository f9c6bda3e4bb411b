//! What a file says of a scenario. GPUs are counted in devices and may be fractions, the rest in
//! small units; below zero is unlimited. What is left out is as the format says: a node has 20,000
//! cores and 20 GB, a task asks for one core and 1 GB, bounds are unlimited, weights one.

use std::collections::BTreeMap;

use serde::Deserialize;

fn cores_of_a_node() -> u64 {
    20_000_000
}

fn memory_of_a_node() -> u64 {
    20_000_000_000
}

fn core() -> u64 {
    1000
}

fn gigabyte() -> u64 {
    1_000_000_000
}

fn train() -> u16 {
    50
}

fn one() -> f64 {
    1.0
}

fn unlimited() -> f64 {
    -1.0
}

/// A scenario.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub kind: Kind,
    #[serde(default)]
    pub actions: Vec<String>,
    #[serde(default)]
    pub config: Config,
    pub nodes: Vec<NodeCase>,
    pub queues: Vec<QueueCase>,
    pub jobs: Vec<JobCase>,
    pub expect: Expect,
    #[serde(default)]
    pub limits_per_round: Limits,
    #[serde(default)]
    pub rounds_until_match: u32,
    #[serde(default)]
    pub rounds_after_match: u32,
}

/// How it is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The whole cycle, round after round.
    Integration,
    /// The named actions once.
    SingleAction,
}

/// How the cycle decides.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Config {
    pub k: Option<f64>,
    pub stale_grace_s: Option<f64>,
    pub placement_gpu: Option<String>,
    pub placement_cpu: Option<String>,
    pub allow_victim_move_in_reclaim: Option<bool>,
    pub max_consolidation_victims: Option<i64>,
    pub saturation_multiplier: Option<f64>,
    pub only_plugins: Option<Vec<String>>,
    /// Actions and policies that are switched off too, by name.
    pub off: Vec<String>,
    /// Where a reclaim's minimum runtime is looked up: `lca` or `queue`.
    pub reclaim_resolve_method: Option<String>,
}

/// A node.
#[derive(Debug, Deserialize)]
pub struct NodeCase {
    pub name: String,
    #[serde(default)]
    pub gpus: u32,
    #[serde(default = "cores_of_a_node")]
    pub cpu_milli: u64,
    #[serde(default = "memory_of_a_node")]
    pub mem_bytes: u64,
    #[serde(default)]
    pub max_tasks: Option<u32>,
}

/// A team.
#[derive(Debug, Deserialize)]
pub struct QueueCase {
    pub name: String,
    #[serde(default)]
    pub parent: Option<String>,
    #[serde(default)]
    pub created_rank: i64,
    #[serde(default)]
    pub priority: u16,
    pub quota_gpus: f64,
    #[serde(default = "unlimited")]
    pub limit_gpus: f64,
    #[serde(default = "one")]
    pub overquota_weight: f64,
    #[serde(default = "unlimited")]
    pub quota_cpu_milli: f64,
    #[serde(default = "unlimited")]
    pub limit_cpu_milli: f64,
    #[serde(default = "one")]
    pub overquota_weight_cpu: f64,
    #[serde(default = "unlimited")]
    pub quota_mem_bytes: f64,
    #[serde(default = "unlimited")]
    pub limit_mem_bytes: f64,
    #[serde(default = "one")]
    pub overquota_weight_mem: f64,
    #[serde(default)]
    pub reclaim_min_runtime_s: Option<f64>,
    #[serde(default)]
    pub preempt_min_runtime_s: Option<f64>,
}

/// A job.
#[derive(Debug, Deserialize)]
pub struct JobCase {
    pub name: String,
    pub queue: String,
    #[serde(default = "train")]
    pub priority: u16,
    /// Left out, a priority of 100 or more is not.
    #[serde(default)]
    pub preemptible: Option<bool>,
    #[serde(default)]
    pub created_ago_min: u64,
    #[serde(default)]
    pub min_available: Option<u32>,
    #[serde(default)]
    pub subgroups: Vec<SubgroupCase>,
    #[serde(default)]
    pub subgroup_sets: Vec<SetCase>,
    #[serde(default)]
    pub min_subgroups: Option<u32>,
    #[serde(default)]
    pub gpus_per_task: f64,
    #[serde(default = "core")]
    pub cpu_milli_per_task: u64,
    #[serde(default = "gigabyte")]
    pub mem_bytes_per_task: u64,
    #[serde(default)]
    pub started_ago_s: Option<u64>,
    #[serde(default)]
    pub stale_for_s: Option<u64>,
    #[serde(default)]
    pub stale_grace_s: Option<f64>,
    #[serde(default)]
    pub preemption_delay_s: Option<u64>,
    #[serde(default)]
    pub stays_releasing: bool,
    pub tasks: Vec<TaskCase>,
}

impl JobCase {
    /// Whether others may evict it.
    pub fn gives_way(&self) -> bool {
        self.preemptible.unwrap_or(self.priority < FIRM)
    }
}

/// From this priority on a job is not preemptible unless it says so.
const FIRM: u16 = 100;

/// A task group.
#[derive(Debug, Deserialize)]
pub struct SubgroupCase {
    pub name: String,
    #[serde(default)]
    pub parent: Option<String>,
    pub min_available: u32,
}

/// A set of groups.
#[derive(Debug, Deserialize)]
pub struct SetCase {
    pub name: String,
    #[serde(default)]
    pub parent: Option<String>,
    #[serde(default)]
    pub min_members: Option<u32>,
}

/// A task.
#[derive(Debug, Deserialize)]
pub struct TaskCase {
    pub state: String,
    #[serde(default)]
    pub node: Option<String>,
    #[serde(default)]
    pub gpus: Option<f64>,
    #[serde(default)]
    pub order: Option<i64>,
    #[serde(default)]
    pub subgroup: Option<String>,
    #[serde(default)]
    pub allowed_nodes: Option<Vec<String>>,
    #[serde(default)]
    pub device: Option<Vec<String>>,
}

/// What is expected.
#[derive(Debug, Deserialize)]
pub struct Expect {
    #[serde(default)]
    pub jobs: BTreeMap<String, TaskExpect>,
    #[serde(default)]
    pub tasks: BTreeMap<String, TaskExpect>,
    #[serde(default)]
    pub nodes: BTreeMap<String, NodeExpect>,
}

/// What is expected of a task, or of each task of a job.
#[derive(Debug, Deserialize)]
pub struct TaskExpect {
    pub status: String,
    #[serde(default)]
    pub node: Option<String>,
    #[serde(default)]
    pub device: Option<Vec<String>>,
}

/// What is expected of a node.
#[derive(Debug, Deserialize)]
pub struct NodeExpect {
    #[serde(default)]
    pub releasing_gpus: Option<f64>,
    #[serde(default)]
    pub idle_gpus: Option<f64>,
}

/// Tasks at most in a round.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Limits {
    pub binds: Option<u32>,
    pub evictions: Option<u32>,
    pub pipelines: Option<u32>,
}
