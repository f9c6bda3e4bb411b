//! People, jobs, devices and resources as tests name them.

use holdshort::base::{Digest, JobId, Name, Span};
use holdshort::model::command::Submit;
use holdshort::model::job::{Dependency, DependencyKind, JobSpec};
use holdshort::model::node::Gpu;
use holdshort::model::setup::Countable;
use holdshort::model::{Actor, Resources};

/// Bytes of one GiB.
pub const GIB: u64 = 1 << 30;
/// The uid that owns the server.
pub const OWNER: u32 = 1000;

/// The owner of the server.
pub fn owner() -> Actor {
    person("owner", OWNER)
}

pub fn person(name: &str, uid: u32) -> Actor {
    Actor { user: name.into(), uid: Some(uid), in_job: None, job_by: None }
}

/// A process in a job's tree, with the server owner's uid.
pub fn inside(job: JobId) -> Actor {
    Actor { in_job: Some(job), ..owner() }
}

/// A job of one core and one GiB.
pub fn spec() -> JobSpec {
    let request = Resources { cpu_milli: 1000, mem_bytes: GIB, ..Resources::default() };
    JobSpec {
        name: "job".into(),
        team: "default".into(),
        priority: 200,
        request,
        grace: Span::secs(30),
        program: Digest::of(b"true"),
        ..JobSpec::default()
    }
}

pub fn after(job: JobId, kind: DependencyKind) -> Dependency {
    Dependency { job, kind }
}

pub fn submit(jobs: Vec<JobSpec>, by: Actor) -> Submit {
    Submit { jobs, array: false, key: None, by, ended: Vec::new() }
}

pub fn gpu(index: u32, foreign: Option<&str>) -> Gpu {
    Gpu {
        index,
        uuid: format!("gpu-{index}").into(),
        model: "pretend".into(),
        mem_bytes: 24 * GIB,
        foreign: foreign.map(Name::from),
    }
}

pub fn countable(count: u64, per_minute: Option<u64>) -> Countable {
    Countable { count, per_minute }
}
