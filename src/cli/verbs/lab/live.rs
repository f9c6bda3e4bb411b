//! `lab run` without `--reference`: the trace through the scheduler as it is.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Report, Run, spread, spreads, write_waits};
use crate::base::Name;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::output::Output;
use crate::cli::shown;
use crate::model::setup::{SWITCHES, Setup};
use crate::sim::lab::live::Live;
use crate::sim::lab::metrics::seconds;
use crate::sim::lab::{Metrics, Workload, workload};
use crate::view::line::{Cell, Line, Role};
use crate::view::table::{Column, Table};

/// What a run came to.
struct Lived<'a> {
    run: &'a Run,
    processors: u32,
    nodes: usize,
    metrics: Metrics,
    /// Commands that were decided.
    events: u64,
    most_live: u64,
    /// Deciding alone.
    elapsed: Duration,
}

impl Run {
    pub(super) fn run_live(&self, as_json: bool, output: Output) -> Outcome {
        let setup = self.setup()?;
        let (workload, processors) = self.workload()?;
        workload.trace.oddities.sentences().iter().for_each(|oddity| output.warn(oddity));
        let failed = |what: String| Failure::failed(what, "this is a fault of ours: report it");
        let mut live = Live::new(setup, workload.nodes.clone()).map_err(failed)?;
        let began = Instant::now();
        let ran = live.run(&workload.works, |_, _| {}).map_err(|what| {
            Failure::failed(what, "switched off actions may keep jobs from ever starting")
        })?;
        let elapsed = began.elapsed();
        let schedule = workload.schedule(&ran);
        if let Some(path) = &self.waits {
            write_waits(path, &workload.trace, &schedule)?;
        }
        let lived = Lived {
            run: self,
            processors,
            nodes: workload.nodes.len(),
            metrics: Metrics::of(&workload.trace, &schedule, processors),
            events: live.decided,
            most_live: live.most_live,
            elapsed,
        };
        if as_json {
            output.line(&lived.document().to_string())?;
        } else {
            output.out(&shown::text(&lived.lines(), output))?;
        }
        Ok(OK)
    }

    /// Everything is on but what is named.
    fn setup(&self) -> Result<Setup, Failure> {
        let mut setup = Setup::default();
        for name in &self.off {
            if !SWITCHES.contains(&name.as_str()) {
                let what = format!("there is no action or policy `{name}` to switch off");
                return Err(Failure::usage(what, format!("there are {}", SWITCHES.join(", "))));
            }
            setup.cycle.off.insert(Name::from(name.as_str()));
        }
        Ok(setup)
    }

    fn workload(&self) -> Result<(Workload, u32), Failure> {
        let content = self.content()?;
        let nodes = self.nodes.unwrap_or(1);
        let hint = "give a machine that holds every job: --processors N, in equal parts on --nodes";
        if content.starts_with(workload::DEVICES_HEADER.as_bytes()) {
            let Some(devices) = self.processors else {
                let what = format!("{} does not say what machine it was", self.trace.display());
                return Err(Failure::usage(what, "add --processors N, the devices, and --nodes N"));
            };
            let text = String::from_utf8_lossy(&content);
            let workload = Workload::of_devices(&text, devices, nodes);
            return Ok((workload.map_err(|e| Failure::usage(self.named(&e), hint))?, devices));
        }
        let trace = self.read()?;
        let processors = self.machine(&trace)?;
        let workload = Workload::of_trace(trace, processors, nodes);
        Ok((workload.map_err(|e| Failure::usage(self.named(&e), hint))?, processors))
    }
}

impl Lived<'_> {
    fn makespan_s(&self) -> f64 {
        seconds(self.metrics.last_end.since(self.metrics.first_submit))
    }

    /// Of real time.
    fn per_minute(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a count of events")]
        let events = self.events as f64;
        events * 60.0 / self.elapsed.as_secs_f64().max(1e-9)
    }

    fn document(&self) -> Value {
        let metrics = &self.metrics;
        json!({
            "schema_version": 1,
            "mode": "live",
            "trace": self.run.trace.to_string_lossy(),
            "off": self.run.off,
            "processors": self.processors,
            "nodes": self.nodes,
            "jobs": metrics.jobs,
            "makespan_s": self.makespan_s(),
            "utilisation": metrics.utilisation,
            "wait_s": spread(&metrics.wait_s),
            "flow_s": spread(&metrics.flow_s),
            "bounded_slowdown": spread(&metrics.bounded_slowdown),
            "events": self.events,
            "events_per_minute": self.per_minute().round(),
            "live_jobs_most": self.most_live,
            "elapsed_ms": Report::millis(self.elapsed),
        })
    }

    fn lines(&self) -> Vec<Line> {
        let metrics = &self.metrics;
        let off = match self.run.off.as_slice() {
            [] => "nothing".to_owned(),
            names => names.join(", "),
        };
        let mut pairs = Table::new(vec![Column::fixed(""), Column::fixed("")]);
        for (name, value) in [
            ("trace", self.run.trace.display().to_string()),
            ("switched off", off),
            ("jobs", format!("{}, at most {} at a time", metrics.jobs, self.most_live)),
            ("processors", format!("{} on {} nodes", self.processors, self.nodes)),
            ("makespan", format!("{:.1} s", self.makespan_s())),
            ("utilisation", format!("{:.2} % of that time", metrics.utilisation * 100.0)),
            ("events", format!("{}, {:.0} a minute", self.events, self.per_minute())),
            ("elapsed", format!("{:.1} ms", Report::millis(self.elapsed))),
        ] {
            pairs.row(vec![Cell::new(name, Role::Muted), Cell::plain(value)]);
        }
        let mut lines = pairs.lines(None);
        lines.push(Line::empty());
        lines.extend(spreads(metrics).lines(None));
        lines
    }
}
