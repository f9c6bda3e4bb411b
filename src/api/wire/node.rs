//! A place with capacity.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::amounts::Amounts;
use super::time::{Time, join, split};
use super::usage::Hours;
use super::{SCHEMA_VERSION, WireError, labels_out, name_map};
use crate::base::JobId;
use crate::model;
use crate::model::page::{self, NodeRow};

/// All nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeList {
    /// 1.
    pub schema_version: u32,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// What was kept for waiting jobs; null while it is being added up.
    #[serde(default)]
    pub reserved_24h: Option<KeptDay>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// `up`, `draining` (kept free, tasks still run), `drained` or `lost`.
    pub state: String,
    /// What it has.
    pub capacity: Amounts,
    /// What our tasks hold.
    pub used: Amounts,
    /// What is free, and kept for waiting jobs.
    pub reserved: Amounts,
    /// For whom, who is first first.
    #[serde(default)]
    pub kept: Vec<KeptFor>,
    /// What programs hold that are not ours.
    pub foreign: Amounts,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// It may vanish with short notice.
    pub spot: bool,
    /// A person keeps new work away.
    pub drain: Option<Drain>,
    /// It is about to vanish.
    #[serde(default)]
    pub warning: Option<Warning>,
    /// Its devices.
    pub gpus: Vec<Gpu>,
    /// Our jobs on them, by device.
    #[serde(default)]
    pub gpu_jobs: Vec<OnGpu>,
    /// Tasks on it.
    pub tasks: u64,
    /// Tasks it takes at most.
    #[serde(default)]
    pub max_tasks: Option<u32>,
    /// The elastic pool it belongs to.
    #[serde(default)]
    pub pool: Option<String>,
}

/// Room of a node that is kept for a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptFor {
    /// The job.
    pub job: u64,
    /// From then on nothing else gets it.
    pub from: Time,
    /// When that job will probably end if it starts then.
    #[serde(default)]
    pub until: Option<Time>,
    /// How much of the node, whether it is free now or not.
    pub room: Amounts,
}

/// What was free but kept for waiting jobs over the last 24 hours, on all nodes together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptDay {
    /// That.
    pub reserved: Hours,
    /// All there was, in whatever class.
    pub all: Hours,
}

/// A person keeps new work away from a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Drain {
    /// Who.
    pub by: String,
    /// Since when.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
    /// Why, if they said so.
    #[serde(default)]
    pub reason: Option<String>,
}

/// A spot node is about to vanish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Warning {
    /// Who said so.
    pub by: String,
    /// Since when it is known.
    pub since: Time,
    /// The same on the scheduler's clock.
    pub since_mono: u64,
    /// When it goes.
    pub due: Time,
    /// The same on the scheduler's clock.
    pub due_mono: u64,
}

impl From<&model::node::Warning> for Warning {
    fn from(from: &model::node::Warning) -> Warning {
        let ((since, since_mono), (due, due_mono)) = (split(from.since), split(from.due));
        Warning { by: from.by.to_string(), since, since_mono, due, due_mono }
    }
}

impl From<Warning> for model::node::Warning {
    fn from(from: Warning) -> model::node::Warning {
        let since = join(from.since, from.since_mono);
        let due = join(from.due, from.due_mono);
        model::node::Warning { by: from.by.into(), since, due }
    }
}

/// One accelerator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Gpu {
    /// The index that `CUDA_VISIBLE_DEVICES` knows.
    pub index: u32,
    /// The vendor's id.
    pub uuid: String,
    /// What it calls itself.
    pub model: String,
    /// Device memory in bytes.
    pub mem_bytes: u64,
    /// Who uses it, if that is no task of ours.
    pub foreign: Option<String>,
}

/// A job on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OnGpu {
    /// The index of the device.
    pub gpu: u32,
    /// The job.
    pub job: u64,
    /// Thousandths of the device that it holds.
    pub milli: u64,
}

impl NodeList {
    /// The document of some nodes.
    pub fn new(rows: &[NodeRow], day: Option<&page::KeptDay>) -> NodeList {
        let nodes = rows.iter().map(Node::from).collect();
        let reserved_24h = day.map(KeptDay::from);
        NodeList { schema_version: SCHEMA_VERSION, nodes, reserved_24h }
    }
}

impl From<&page::KeptFor> for KeptFor {
    fn from(from: &page::KeptFor) -> KeptFor {
        let room = Amounts::from(&from.room);
        KeptFor { job: from.job.0, from: Time(from.from), until: from.until.map(Time), room }
    }
}

impl From<KeptFor> for page::KeptFor {
    fn from(from: KeptFor) -> page::KeptFor {
        let until = from.until.map(|time| time.0);
        page::KeptFor { job: JobId(from.job), from: from.from.0, until, room: from.room.into() }
    }
}

impl From<&page::KeptDay> for KeptDay {
    fn from(from: &page::KeptDay) -> KeptDay {
        KeptDay { reserved: Hours::from(&from.reserved), all: Hours::from(&from.all) }
    }
}

impl TryFrom<KeptDay> for page::KeptDay {
    type Error = WireError;

    fn try_from(from: KeptDay) -> Result<page::KeptDay, WireError> {
        Ok(page::KeptDay { reserved: from.reserved.try_into()?, all: from.all.try_into()? })
    }
}

impl From<&NodeRow> for Node {
    fn from(row: &NodeRow) -> Node {
        let state = match (&row.drain, row.tasks) {
            _ if !row.up => "lost",
            (None, _) => "up",
            (Some(_), 0) => "drained",
            (Some(_), _) => "draining",
        };
        let drain = row.drain.as_ref().map(|drain| {
            let (since, since_mono) = split(drain.since);
            let reason = drain.reason.clone();
            Drain { by: drain.by.to_string(), since, since_mono, reason }
        });
        Node {
            name: row.name.to_string(),
            state: state.to_owned(),
            capacity: Amounts::from(&row.capacity),
            used: Amounts::from(&row.used),
            reserved: Amounts::from(&row.reserved),
            kept: row.kept.iter().map(KeptFor::from).collect(),
            foreign: Amounts::from(&row.foreign),
            labels: labels_out(&row.traits.labels),
            spot: row.traits.spot,
            drain,
            warning: row.warning.as_ref().map(Warning::from),
            gpus: row.gpus.iter().map(Gpu::from).collect(),
            gpu_jobs: row.on_gpus.iter().map(OnGpu::from).collect(),
            tasks: row.tasks,
            max_tasks: row.traits.max_tasks,
            pool: row.traits.pool.as_ref().map(ToString::to_string),
        }
    }
}

impl From<Node> for NodeRow {
    fn from(from: Node) -> NodeRow {
        let drain = from.drain.map(|drain| model::node::Drain {
            by: drain.by.into(),
            since: join(drain.since, drain.since_mono),
            reason: drain.reason,
        });
        NodeRow {
            on_gpus: from.gpu_jobs.into_iter().map(Into::into).collect(),
            name: from.name.into(),
            up: from.state != "lost",
            capacity: from.capacity.into(),
            used: from.used.into(),
            reserved: from.reserved.into(),
            kept: from.kept.into_iter().map(Into::into).collect(),
            foreign: from.foreign.into(),
            gpus: from.gpus.into_iter().map(Into::into).collect(),
            drain,
            warning: from.warning.map(Into::into),
            tasks: from.tasks,
            traits: model::node::Traits {
                labels: name_map(from.labels),
                spot: from.spot,
                max_tasks: from.max_tasks,
                pool: from.pool.map(Into::into),
            },
        }
    }
}

impl From<&page::OnGpu> for OnGpu {
    fn from(from: &page::OnGpu) -> OnGpu {
        OnGpu { gpu: from.index, job: from.job.0, milli: from.milli }
    }
}

impl From<OnGpu> for page::OnGpu {
    fn from(from: OnGpu) -> page::OnGpu {
        page::OnGpu { index: from.gpu, job: JobId(from.job), milli: from.milli }
    }
}

impl From<&model::node::Gpu> for Gpu {
    fn from(from: &model::node::Gpu) -> Gpu {
        Gpu {
            index: from.index,
            uuid: from.uuid.to_string(),
            model: from.model.to_string(),
            mem_bytes: from.mem_bytes,
            foreign: from.foreign.as_ref().map(ToString::to_string),
        }
    }
}

impl From<Gpu> for model::node::Gpu {
    fn from(from: Gpu) -> model::node::Gpu {
        model::node::Gpu {
            index: from.index,
            uuid: from.uuid.into(),
            model: from.model.into(),
            mem_bytes: from.mem_bytes,
            foreign: from.foreign.map(Into::into),
        }
    }
}
