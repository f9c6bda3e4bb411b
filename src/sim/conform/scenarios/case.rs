//! What a file says of a scenario. GPUs are counted in devices and may be fractions, the rest in
//! small units; below zero is unlimited.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A scenario.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub kind: Kind,
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
}

/// A node.
#[derive(Debug, Deserialize)]
pub struct NodeCase {
    pub name: String,
    pub gpus: u32,
    pub cpu_milli: u64,
    pub mem_bytes: u64,
    #[serde(default)]
    pub max_tasks: Option<u32>,
}

/// A team.
#[derive(Debug, Deserialize)]
pub struct QueueCase {
    pub name: String,
    pub parent: Option<String>,
    #[serde(default)]
    pub created_rank: u64,
    #[serde(default)]
    pub priority: u16,
    pub quota_gpus: f64,
    pub limit_gpus: f64,
    pub overquota_weight: f64,
    pub quota_cpu_milli: f64,
    pub limit_cpu_milli: f64,
    pub overquota_weight_cpu: f64,
    pub quota_mem_bytes: f64,
    pub limit_mem_bytes: f64,
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
    pub priority: u16,
    pub preemptible: bool,
    pub created_ago_min: u64,
    #[serde(default)]
    pub min_available: Option<u32>,
    #[serde(default)]
    pub subgroups: Vec<SubgroupCase>,
    #[serde(default)]
    pub subgroup_sets: Vec<SetCase>,
    #[serde(default)]
    pub min_subgroups: Option<u32>,
    pub gpus_per_task: f64,
    pub cpu_milli_per_task: u64,
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

/// A task group.
#[derive(Debug, Deserialize)]
pub struct SubgroupCase {
    pub name: String,
    pub parent: Option<String>,
    pub min_available: u32,
}

/// A set of groups.
#[derive(Debug, Deserialize)]
pub struct SetCase {
    pub name: String,
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
