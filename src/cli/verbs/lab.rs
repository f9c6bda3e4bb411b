//! `lab run`: a recorded workload under a policy of the literature, or through the real core.
//! `lab pack` is in [`pack`].

mod live;
mod pack;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::base::Span;
use crate::base::text::sanitise;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::output::Output;
use crate::cli::shown;
use crate::sim::lab::metrics::Spread;
use crate::sim::lab::{self, Metrics, Policy, Schedule, Trace, bounds};
use crate::view::line::{Cell, Line, Role};
use crate::view::table::{Column, Table};

const EXAMPLES: &str = "\
Examples:
  holdshort lab run --reference --trace CTC-SP2.swf --policy easy
  holdshort lab run --reference --trace log.swf --policy conservative --processors 256
  holdshort lab run --reference --trace log.swf --policy easy++ --waits waits.txt --json
  holdshort lab run --trace log.swf                     # through the scheduler as it is
  holdshort lab run --trace log.swf --nodes 16 --off reservation,backfill
  holdshort lab run --trace workload.csv --nodes 4 --processors 8

Policies: fcfs; easy, easy-sjbf (shortest predicted job backfills first), each also with -exact or \
-doubled run times; easy-tsafrir and easy++ (the same with sjbf) predict from the user's last two \
runs, and with -request fall back to the request once a prediction is outlived; conservative.

Without --reference nothing but the trace is made up: each submission, start and end is a \
command that the core decides, with every action and policy that --off does not name. Processors \
are then cores of --nodes equal nodes, and the requested time is the job's estimate.

Traces are in the Standard Workload Format, unpacked, or, without --reference, CSV of jobs that \
ask for devices (id,submit_offset_s,gpus,nodes,duration_s,limit_s,user). Size is the requested \
processors, else the allocated ones. Jobs that never ran are left out and counted.";

/// `lab`.
#[derive(Debug, Args)]
pub struct Lab {
    #[command(subcommand)]
    verb: LabVerb,
}

/// What is done in the lab.
#[derive(Debug, Subcommand)]
enum LabVerb {
    /// Replay a recorded workload and measure waits, slowdowns and use
    Run(Run),
    /// Fill a fleet with tasks and measure how much of its devices they get
    Pack(pack::Pack),
}

/// `lab run`.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "holdshort lab run --reference --trace FILE.swf --policy P [OPTIONS]
       holdshort lab run --trace FILE [--nodes N] [--off NAMES] [OPTIONS]"
)]
struct Run {
    /// In the event order of the literature, comparable with published tables to the job
    #[arg(long)]
    reference: bool,
    /// The workload, in the Standard Workload Format
    #[arg(long, value_name = "FILE")]
    trace: PathBuf,
    /// What decides who starts when, with --reference
    #[arg(long, value_name = "P")]
    policy: Option<Policy>,
    /// So many equal nodes, without --reference [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    nodes: Option<u32>,
    /// Actions and policies of the scheduler to switch off, without --reference
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    off: Vec<String>,
    /// Size of the machine [default: MaxProcs of the trace]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    processors: Option<u32>,
    /// Write `JOB SECONDS` lines, by job number: how long each waited
    #[arg(long, value_name = "OUT")]
    waits: Option<PathBuf>,
}

impl Lab {
    /// Does it.
    ///
    /// # Errors
    /// When the trace cannot be read or makes no sense, or what came of it cannot be written.
    pub fn run(self, as_json: bool, output: Output) -> Outcome {
        match self.verb {
            LabVerb::Run(run) => run.run(as_json, output),
            LabVerb::Pack(pack) => pack.run(as_json, output),
        }
    }
}

/// What a run came to.
struct Report<'a> {
    run: &'a Run,
    policy: Policy,
    trace: &'a Trace,
    processors: u32,
    metrics: Metrics,
    /// No schedule needs less, in seconds: first submission to last end, and mean flow.
    least: (f64, f64),
    /// Reading and replaying.
    elapsed: Duration,
}

impl Run {
    fn run(&self, as_json: bool, output: Output) -> Outcome {
        let Some(policy) = self.reference_policy()? else {
            return self.run_live(as_json, output);
        };
        let began = Instant::now();
        let trace = self.read()?;
        trace.oddities.sentences().iter().for_each(|oddity| output.warn(oddity));
        let processors = self.machine(&trace)?;
        let schedule = lab::reference(&trace, policy, processors).map_err(|error| {
            let hint = "give a machine that holds every job: --processors N";
            Failure::usage(self.named(&error), hint)
        })?;
        let metrics = Metrics::of(&trace, &schedule, processors);
        let elapsed = began.elapsed();
        let first = metrics.first_submit.0 / 1000;
        let last_end = bounds::last_end_s(&trace, processors);
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let least = (last_end - first as f64, bounds::mean_flow_s(&trace, processors));
        if let Some(path) = &self.waits {
            write_waits(path, &trace, &schedule)?;
        }
        let report =
            Report { run: self, policy, trace: &trace, processors, metrics, least, elapsed };
        if as_json {
            output.line(&report.document().to_string())?;
        } else {
            output.out(&shown::text(&report.lines(), output))?;
        }
        Ok(OK)
    }

    /// The policy of the reference mode; `None` without it.
    fn reference_policy(&self) -> Result<Option<Policy>, Failure> {
        match (self.reference, self.policy) {
            (true, Some(policy)) if self.nodes.is_none() && self.off.is_empty() => Ok(Some(policy)),
            (true, Some(_)) => Err(Failure::usage(
                "--nodes and --off are of the scheduler itself, not of --reference",
                "leave --reference and --policy out, or --nodes and --off",
            )),
            (true, None) => Err(Failure::usage(
                "--reference needs a policy of the literature",
                "add --policy easy, or leave --reference out for the scheduler as it is",
            )),
            (false, Some(policy)) => Err(Failure::usage(
                format!("{policy} is a policy of the literature, which --reference replays"),
                "add --reference, or leave --policy out for the scheduler as it is",
            )),
            (false, None) => Ok(None),
        }
    }

    fn content(&self) -> Result<Vec<u8>, Failure> {
        std::fs::read(&self.trace).map_err(|error| {
            Failure::usage(format!("cannot read {}; {error}", self.trace.display()), "")
        })
    }

    fn read(&self) -> Result<Trace, Failure> {
        Trace::parse(&self.content()?).map_err(|error| {
            let hint = "traces are in the Standard Workload Format, 18 columns for each job";
            Failure::failed(self.named(&error), hint)
        })
    }

    fn machine(&self, trace: &Trace) -> Result<u32, Failure> {
        self.processors.or(trace.processors).ok_or_else(|| {
            let what = format!(
                "{} does not say how many processors there were (MaxProcs)",
                self.trace.display()
            );
            let hint = match trace.nodes {
                Some(nodes) => format!(
                    "it has {nodes} nodes; if of one processor each, add \
                                        --processors {nodes}"
                ),
                None => "add --processors N".to_owned(),
            };
            Failure::usage(what, hint)
        })
    }

    fn named(&self, error: &lab::TraceError) -> String {
        sanitise(&format!("{}: {error}", self.trace.display())).into_owned()
    }
}

/// One line for each job, by its number.
fn write_waits(path: &Path, trace: &Trace, schedule: &Schedule) -> Result<(), Failure> {
    let mut waits: Vec<(u64, Span)> =
        schedule.waits(trace).map(|(job, wait)| (job.number, wait)).collect();
    waits.sort_by_key(|(number, _)| *number);
    let write = || {
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        for (number, wait) in &waits {
            writeln!(out, "{number} {}", wait.0 / 1000)?;
        }
        out.flush()
    };
    write()
        .map_err(|error| Failure::failed(format!("cannot write {}; {error}", path.display()), ""))
}

impl Report<'_> {
    fn makespan_s(&self) -> u64 {
        self.metrics.last_end.since(self.metrics.first_submit).0 / 1000
    }

    /// To the microsecond.
    fn millis(elapsed: Duration) -> f64 {
        (elapsed.as_secs_f64() * 1e6).round() / 1000.0
    }

    fn document(&self) -> Value {
        let (metrics, oddities) = (&self.metrics, &self.trace.oddities);
        json!({
            "schema_version": 1,
            "mode": "reference",
            "trace": self.run.trace.to_string_lossy(),
            "policy": self.policy.name(),
            "processors": self.processors,
            "jobs": metrics.jobs,
            "left_out": {
                "never_ran": oddities.never_ran,
                "without_processors": oddities.without_processors,
            },
            "filled_in": {
                "processors_from_allocated": oddities.allocated,
                "request_from_run_time": oddities.without_request,
                "request_raised_to_run_time": oddities.overran,
            },
            "first_submit_s": metrics.first_submit.0 / 1000,
            "last_end_s": metrics.last_end.0 / 1000,
            "makespan_s": self.makespan_s(),
            "makespan_least_s": self.least.0,
            "utilisation": metrics.utilisation,
            "wait_s": spread(&metrics.wait_s),
            "flow_s": spread(&metrics.flow_s),
            "flow_mean_least_s": self.least.1,
            "bounded_slowdown": spread(&metrics.bounded_slowdown),
            "elapsed_ms": Self::millis(self.elapsed),
        })
    }

    fn lines(&self) -> Vec<Line> {
        let metrics = &self.metrics;
        let (makespan, least) = (self.makespan_s(), self.least);
        let mut pairs = Table::new(vec![Column::fixed(""), Column::fixed("")]);
        for (name, value) in [
            ("trace", self.run.trace.display().to_string()),
            ("policy", format!("{} (reference mode)", self.policy)),
            ("jobs", metrics.jobs.to_string()),
            ("processors", self.processors.to_string()),
            ("makespan", format!("{makespan} s, at least {:.0}", least.0)),
            ("utilisation", format!("{:.2} % of that time", metrics.utilisation * 100.0)),
            ("mean flow", format!("at least {:.1} s", least.1)),
            ("elapsed", format!("{:.1} ms", Self::millis(self.elapsed))),
        ] {
            pairs.row(vec![Cell::new(name, Role::Muted), Cell::plain(value)]);
        }
        let mut lines = pairs.lines(None);
        lines.push(Line::empty());
        lines.extend(spreads(metrics).lines(None));
        lines
    }
}

/// Waits, flows and slowdowns.
fn spreads(metrics: &Metrics) -> Table {
    let titles = ["mean", "p50", "p90", "p99", "max"].map(Column::number);
    let columns = std::iter::once(Column::fixed("")).chain(titles).collect();
    let mut table = Table::new(columns);
    for (name, digits, spread) in [
        ("wait, s", 1, metrics.wait_s),
        ("flow, s", 1, metrics.flow_s),
        ("bounded slowdown", 6, metrics.bounded_slowdown),
    ] {
        let Spread { mean, p50, p90, p99, max } = spread;
        let rest = if digits == 1 { 0 } else { 2 };
        let rest = [p50, p90, p99, max].map(|value| format!("{value:.rest$}"));
        let mut cells = vec![Cell::plain(name), Cell::plain(format!("{mean:.digits$}"))];
        cells.extend(rest.map(Cell::plain));
        table.row(cells);
    }
    table
}

fn spread(spread: &Spread) -> Value {
    let Spread { mean, p50, p90, p99, max } = spread;
    json!({ "mean": mean, "p50": p50, "p90": p90, "p99": p99, "max": max })
}
