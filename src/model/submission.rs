//! A submission as it arrives: what was said, before defaults.

mod wishes;

use std::collections::BTreeMap;

use crate::base::{Digest, JobId, Name, Span, Wall};
use crate::model::job::{Dependency, Gang, JobSpec, WarnSignal};
use crate::model::program::{Environment, Program};
use crate::model::setup::{Defaults, Tier};
use crate::model::team::DEFAULT_TEAM;

pub use wishes::{GroupRequest, GroupsRequest, Wishes};

/// One job somebody wants to run. `None` means "not said".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Submission {
    /// Command and arguments; never empty.
    pub argv: Vec<String>,
    /// Absolute working directory.
    pub cwd: String,
    /// The whole environment it shall have, without ours.
    pub env: Environment,
    /// Shown name.
    pub name: Option<Name>,
    /// Team.
    pub team: Option<Name>,
    /// Tier.
    pub tier: Option<Tier>,
    /// Priority; wins over the tier.
    pub priority: Option<u16>,
    /// Thousandths of a core per task.
    pub cpu_milli: Option<u64>,
    /// Bytes per task.
    pub mem_bytes: Option<u64>,
    /// Thousandths of a GPU per task.
    pub gpu_milli: Option<u64>,
    /// Countable resources per task.
    pub custom: BTreeMap<Name, u64>,
    /// Tasks.
    pub gang: Option<u32>,
    /// Tasks that must start together.
    pub min: Option<u32>,
    /// Jobs before it.
    pub after: Vec<Dependency>,
    /// Not before.
    pub start_at: Option<Wall>,
    /// One job for each index.
    pub array: Option<ArrayRequest>,
    /// Guess of the run time.
    pub estimate: Option<Span>,
    /// Limit of the run time.
    pub time_limit: Option<Span>,
    /// Between TERM and KILL.
    pub grace: Option<Span>,
    /// Signal before a stop.
    pub warn: Option<WarnSignal>,
    /// May be started again.
    pub requeue: bool,
    /// Continues by itself.
    pub resumable: bool,
    /// Further attempts after a failure.
    pub retry: u32,
    /// Labels.
    pub labels: BTreeMap<Name, Name>,
    /// Refuse rather than wait for room that cannot come.
    pub must_fit: bool,
    /// Requests are limits too.
    pub hard: bool,
    /// With a terminal.
    pub pty: bool,
    /// How it wants to be scheduled.
    pub wishes: Wishes,
}

/// `--array 0-499%8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayRequest {
    /// The indices, ascending, each once.
    pub indices: Vec<u32>,
    /// Elements at once.
    pub throttle: Option<u32>,
}

/// Elements an array may have at most.
pub const ARRAY_MAX: usize = 100_000;

impl Submission {
    /// What is executed; `env` is the digest under which its environment is stored.
    pub fn program(&self, env: Digest) -> Program {
        Program { argv: self.argv.clone(), cwd: self.cwd.clone(), env }
    }

    /// The specification with defaults filled in; `program` is the digest under which
    /// [`Submission::program`] is stored. Array elements get their place from the caller.
    pub fn to_spec(&self, defaults: &Defaults, program: Digest, parent: Option<JobId>) -> JobSpec {
        let mut request = defaults.request.clone();
        request.cpu_milli = self.cpu_milli.unwrap_or(request.cpu_milli);
        request.mem_bytes = self.mem_bytes.unwrap_or(request.mem_bytes);
        request.gpu_milli = self.gpu_milli.unwrap_or(request.gpu_milli);
        request.custom.extend(self.custom.iter().map(|(k, v)| (k.clone(), *v)));
        let size = self.gang.unwrap_or(Gang::ONE.size);
        let tier = self.tier.unwrap_or(defaults.tier);
        self.wishes.over(JobSpec {
            name: self.name.clone().unwrap_or_else(|| self.executable()),
            executable: self.executable(),
            team: self.team.clone().unwrap_or_else(|| DEFAULT_TEAM.into()),
            priority: self.priority.unwrap_or(tier.priority()),
            request,
            gang: Gang { size, min: self.min.unwrap_or(size) },
            after: self.after.clone(),
            start_at: self.start_at,
            array: None,
            estimate: self.estimate,
            time_limit: self.time_limit,
            warn: self.warn,
            grace: self.grace.unwrap_or(defaults.grace),
            requeue: self.requeue,
            resumable: self.resumable,
            retry: self.retry,
            labels: self.labels.clone(),
            must_fit: self.must_fit,
            hard: self.hard,
            pty: self.pty,
            parent,
            program,
            ..JobSpec::default()
        })
    }

    /// The executable's own name, without its directory.
    pub fn executable(&self) -> Name {
        let path = self.argv.first().map_or("job", String::as_str);
        path.rsplit('/').find(|part| !part.is_empty()).unwrap_or("job").into()
    }
}
