//! `lab pack`: how much of a fleet's devices each way of choosing nodes gives away.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use crate::base::text::sanitise;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::output::Output;
use crate::cli::shown;
use crate::sim::lab::packing::{self, Packed, Place, Way};
use crate::view::line::Cell;
use crate::view::table::{Column, Table};

const EXAMPLES: &str = "\
Examples:
  holdshort lab pack --nodes openb_node_list_gpu_node.csv --tasks openb_pod_list_default.csv
  holdshort lab pack --nodes nodes.csv --tasks tasks.csv --by bin_pack,least_fragmentation --json

Tasks of the list, and more drawn from it until they ask for 130 % of the devices, come one by \
one in the order of a seed and never leave. Those that find no room are turned away. What is \
printed is how much of the devices was given away when so much as --arrived says had been asked for.

Ways: random; best_fit (least left of cores and devices); bin_pack, spread and least_fragmentation \
as the scheduler does it; fgd, as published by Weng et al. (USENIX ATC 2023).

Lists are CSV. Nodes: sn, cpu_milli, memory_mib, gpu, model. Tasks: cpu_milli, memory_mib, \
num_gpu, gpu_milli and, if there are any, gpu_spec (models that will do, with | between them).";

/// `lab pack`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Pack {
    /// The nodes
    #[arg(long, value_name = "FILE")]
    nodes: PathBuf,
    /// The tasks
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// How nodes are chosen [default: each way]
    #[arg(long, value_name = "WAYS", value_delimiter = ',')]
    by: Vec<Way>,
    /// So many orders of arrival, with seeds from 1 on
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: u64,
    /// Hundredths of the devices that are asked for
    #[arg(long, value_name = "PERCENT", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=130))]
    arrived: u64,
}

/// What a way came to, seed by seed.
struct Row {
    way: Way,
    packed: Vec<Packed>,
    elapsed: Duration,
}

impl Pack {
    pub(super) fn run(&self, as_json: bool, output: Output) -> Outcome {
        let (nodes, tasks) = (read(&self.nodes)?, read(&self.tasks)?);
        let place = Place::parse(&nodes, &tasks).map_err(|(of_tasks, error)| {
            let path = if of_tasks { &self.tasks } else { &self.nodes };
            let what = sanitise(&format!("{}: {error}", path.display())).into_owned();
            Failure::failed(what, "see `holdshort lab pack --help` for the columns")
        })?;
        let mut ways = self.by.clone();
        if ways.is_empty() {
            ways = Way::ALL.map(|(way, _)| way).to_vec();
        }
        let rows: Vec<Row> = ways.into_iter().map(|way| self.row(&place, way)).collect();
        if as_json {
            output.line(&self.document(&place, &rows).to_string())?;
        } else {
            output.out(&shown::text(&table(&rows).lines(None), output))?;
        }
        Ok(OK)
    }

    fn row(&self, place: &Place, way: Way) -> Row {
        let began = Instant::now();
        let seeds = 1..=self.seeds;
        let packed = seeds.map(|seed| packing::pack(place, way, seed, self.arrived)).collect();
        Row { way, packed, elapsed: began.elapsed() }
    }

    fn document(&self, place: &Place, rows: &[Row]) -> Value {
        let row = |row: &Row| {
            let seeds: Vec<f64> = row.packed.iter().map(Packed::percent).collect();
            json!({
                "by": row.way.to_string(),
                "given_percent": row.mean(),
                "seeds": seeds,
                "elapsed_ms": row.millis(),
            })
        };
        json!({
            "schema_version": 1,
            "nodes": place.rooms.len(),
            "tasks": place.tasks.len(),
            "gpu_milli": place.gpu_milli(),
            "arrived_percent": self.arrived,
            "ways": rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

impl Row {
    fn mean(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "at most 10,000")]
        let seeds = self.packed.len().max(1) as f64;
        self.packed.iter().map(Packed::percent).sum::<f64>() / seeds
    }

    fn millis(&self) -> f64 {
        (self.elapsed.as_secs_f64() * 1e6).round() / 1000.0
    }
}

fn table(rows: &[Row]) -> Table {
    let titles = ["given %", "least", "most", "ms a seed"].map(Column::number);
    let mut table = Table::new(std::iter::once(Column::fixed("by")).chain(titles).collect());
    for row in rows {
        let percents = || row.packed.iter().map(Packed::percent);
        let (least, most) = (percents().fold(f64::MAX, f64::min), percents().fold(0.0, f64::max));
        #[expect(clippy::cast_precision_loss, reason = "at most 10,000")]
        let each = row.millis() / row.packed.len().max(1) as f64;
        let mut cells = vec![Cell::plain(row.way.to_string())];
        cells.extend([row.mean(), least, most].map(|value| Cell::plain(format!("{value:.2}"))));
        cells.push(Cell::plain(format!("{each:.0}")));
        table.row(cells);
    }
    table
}

fn read(path: &Path) -> Result<String, Failure> {
    let content = std::fs::read(path)
        .map_err(|error| Failure::usage(format!("cannot read {}; {error}", path.display()), ""))?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}
