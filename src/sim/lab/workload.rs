//! Workloads for the real core: a trace, or a list of jobs that ask for devices, as submissions
//! and nodes.
//!
//! A trace's processors are cores of one node, or of several equal ones; a job larger than a
//! node becomes a gang over as few nodes as hold it. Its requested time is its estimate.

use crate::base::{Digest, Mono, Name, Span};
use crate::model::job::{Gang, Groups, JobSpec, TaskGroup};
use crate::model::node::{Gpu, Traits};
use crate::model::{Command, Resources};
use crate::sim::lab::live::{Ran, Work};
use crate::sim::lab::{Job, Schedule, Trace, TraceError};

/// What a list of jobs that ask for devices begins with.
pub const DEVICES_HEADER: &str = "id,submit_offset_s,gpus,nodes,duration_s,limit_s,user";

/// Jobs, and the machine they run on.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The same jobs as a trace: sizes in processors or devices.
    pub trace: Trace,
    /// The submissions, in the trace's order.
    pub works: Vec<Work>,
    /// What says which nodes there are.
    pub nodes: Vec<Command>,
}

impl Workload {
    /// A trace on so many processors, in equal parts on so many nodes.
    ///
    /// # Errors
    /// When they cannot be shared out evenly, or a job is larger than all together.
    pub fn of_trace(trace: Trace, processors: u32, nodes: u32) -> Result<Workload, TraceError> {
        let cores = share_of(processors, nodes)?;
        check_sizes(&trace, processors)?;
        let begin = trace.jobs.first().map(|job| job.submit).unwrap_or_default();
        let works = trace.jobs.iter().map(|job| {
            let tasks = job.size.div_ceil(cores);
            let each = u64::from(job.size.div_ceil(tasks.max(1))) * 1000;
            let request = Resources { cpu_milli: each, ..Resources::default() };
            work(job, begin, request, tasks)
        });
        let works = works.collect();
        let capacity = Resources { cpu_milli: u64::from(cores) * 1000, ..Resources::default() };
        let nodes = (1..=nodes).map(|n| node(n, capacity.clone(), 0)).collect();
        Ok(Workload { trace, works, nodes })
    }

    /// A list of jobs that ask for devices, on so many of them in equal parts on so many nodes. A
    /// job that asks for several nodes takes its devices in parts as equal as can be.
    ///
    /// # Errors
    /// With the first line that is no job, or one that asks for more than there is.
    pub fn of_devices(text: &str, devices: u32, nodes: u32) -> Result<Workload, TraceError> {
        let each = share_of(devices, nodes)?;
        let mut trace = Trace { processors: Some(devices), ..Trace::default() };
        let mut specs = Vec::new();
        for (line, text) in (1..).zip(text.lines()).skip(1).filter(|(_, text)| !text.is_empty()) {
            let (job, spread) = device_job(line, text)?;
            if job.size.div_ceil(spread) > each || spread > nodes {
                let what = format!(
                    "job {} needs {} devices on {spread} nodes of {each}",
                    job.number, job.size
                );
                return Err(TraceError { line, what });
            }
            trace.jobs.push(job);
            specs.push((job, spread));
        }
        if specs.is_empty() {
            return Err(TraceError { line: 0, what: "it has no jobs".to_owned() });
        }
        trace.jobs.sort_by_key(|job| job.submit);
        specs.sort_by_key(|(job, _)| job.submit);
        let begin = trace.jobs[0].submit;
        let works = specs.iter().map(|(job, spread)| spread_work(job, begin, *spread)).collect();
        let capacity = Resources {
            cpu_milli: 64_000,
            mem_bytes: 1 << 40,
            gpu_milli: u64::from(each) * 1000,
            ..Resources::default()
        };
        let nodes = (1..=nodes).map(|n| node(n, capacity.clone(), each)).collect();
        Ok(Workload { trace, works, nodes })
    }

    /// When the jobs started, on the trace's clock.
    pub fn schedule(&self, ran: &[Ran]) -> Schedule {
        let begin = self.trace.jobs.first().map(|job| job.submit).unwrap_or_default();
        Schedule { starts: ran.iter().map(|ran| begin + ran.start).collect() }
    }
}

/// What each node has.
fn share_of(all: u32, nodes: u32) -> Result<u32, TraceError> {
    match all.checked_div(nodes) {
        Some(each) if each > 0 && each * nodes == all => Ok(each),
        _ => {
            let what = format!("{all} processors are not shared out evenly among {nodes} nodes");
            Err(TraceError { line: 0, what })
        }
    }
}

fn check_sizes(trace: &Trace, processors: u32) -> Result<(), TraceError> {
    let Some(job) = trace.larger_than(processors) else { return Ok(()) };
    let (number, size) = (job.number, job.size);
    let what = format!("job {number} needs {size} processors, the machine has {processors}");
    Err(TraceError { line: job.line, what })
}

/// A job of equal tasks.
fn work(job: &Job, begin: Mono, request: Resources, tasks: u32) -> Work {
    let spec = JobSpec {
        name: format!("job-{}", job.number).into(),
        team: "default".into(),
        priority: 200,
        request,
        gang: Gang { size: tasks, min: tasks },
        grace: Span::secs(1),
        program: Digest::of(b"true"),
        estimate: Some(job.request),
        ..JobSpec::default()
    };
    Work { submit: job.submit.since(begin), run: job.run, spec }
}

/// A job that takes devices on several nodes: some of its tasks may ask for one more.
fn spread_work(job: &Job, begin: Mono, spread: u32) -> Work {
    let request = |devices: u32| Resources {
        gpu_milli: u64::from(devices) * 1000,
        cpu_milli: 100,
        ..Resources::default()
    };
    let (less, larger) = (job.size / spread, job.size % spread);
    let mut work = work(job, begin, request(job.size.div_ceil(spread)), spread);
    if larger > 0 {
        let group = |name: &str, tasks: u32, devices: u32| TaskGroup {
            name: Name::from(name),
            within: None,
            gang: Gang { size: tasks, min: tasks },
            request: request(devices),
            node_labels: [].into(),
        };
        let groups = vec![group("more", larger, less + 1), group("less", spread - larger, less)];
        work.spec.groups = Some(Box::new(Groups { groups, ..Groups::default() }));
    }
    work
}

fn node(number: u32, capacity: Resources, devices: u32) -> Command {
    let gpu = |index| Gpu {
        index,
        uuid: format!("gpu-{number}-{index}").into(),
        model: "pretend".into(),
        mem_bytes: 1 << 34,
        foreign: None,
    };
    Command::NodeSeen {
        name: format!("n{number}").into(),
        capacity,
        gpus: (0..devices).map(gpu).collect(),
        traits: Traits::default(),
    }
}

/// One line of [`DEVICES_HEADER`]; the job and on how many nodes it runs.
fn device_job(line: usize, text: &str) -> Result<(Job, u32), TraceError> {
    let fields: Vec<&str> = text.split(',').collect();
    let wrong = |what: String| TraceError { line, what };
    if fields.len() != DEVICES_HEADER.split(',').count() {
        return Err(wrong(format!("it is no line of {DEVICES_HEADER}")));
    }
    let number = |at: usize| {
        let parsed = fields[at].trim().parse::<u32>().ok().filter(|n| at == 0 || *n > 0);
        parsed.ok_or_else(|| wrong(format!("\"{}\" is no number of its kind", fields[at])))
    };
    let millis = |at: usize| {
        let parsed = seconds(fields[at].trim());
        parsed.ok_or_else(|| wrong(format!("\"{}\" is no number of seconds", fields[at])))
    };
    let (size, nodes, run) = (number(2)?, number(3)?, millis(4)?.max(Span(1)));
    // Whole jobs of one node are written so; more nodes than devices make no sense.
    let spread = nodes.min(size);
    let job = Job {
        number: u64::from(number(0)?),
        line,
        submit: Mono(millis(1)?.0),
        run,
        request: millis(5)?.max(run),
        size,
        user: None,
    };
    Ok((job, spread))
}

/// Seconds with at most three digits after the point that count.
fn seconds(text: &str) -> Option<Span> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits: String = part.chars().chain("000".chars()).take(3).collect();
    let millis = whole.parse::<u64>().ok()?.checked_mul(1000)?;
    millis.checked_add(digits.parse().ok()?).filter(|ms| *ms < 10_000_000_000_000).map(Span)
}
