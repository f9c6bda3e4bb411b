//! `verify journal`, `verify ledger` and `verify audit`: what is stored, checked offline.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::exit::{FAILED, Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::verbs::audit;
use crate::cli::verbs::journal::storage;
use crate::engine::metering::{Check, Checked, read_day, read_snapshot};
use crate::engine::replay::read_record;
use crate::ledger::audit::Resource;
use crate::ledger::{Meter, audit::Sums};
use crate::model::page::usage::{BYTE_MS_PER_GIB_HOUR, MILLI_MS_PER_HOUR, MS_PER_HOUR, hours};
use crate::model::ports::journal::{JournalReader as _, Metered, StorageError};
use crate::sched::World;
use crate::store::{self, Reader};

/// Digits of hours after the point.
const PLACES: u32 = 3;
/// Rows of the ledger read at once.
const ROWS: usize = 256;

/// `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    #[command(subcommand)]
    what: Option<VerifyWhat>,
}

/// What is checked.
#[derive(Debug, Subcommand)]
enum VerifyWhat {
    /// Every record, its chain, snapshots, contents and summaries; changes nothing
    Journal,
    /// That every second of every resource is booked once: meters the journal again
    Ledger,
    /// That no entry of the audit was edited, removed or moved, and that it says what the
    /// journal says
    Audit {
        /// An exported audit instead of the installation's
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// A link that was kept elsewhere and must be in the chain: sha256:HEX
        #[arg(long, value_name = "LINK")]
        head: Option<String>,
    },
}

impl Verify {
    /// Checks it offline; 1 if anything is wrong.
    ///
    /// # Errors
    /// When it cannot be opened at all.
    pub fn run(self, session: &Session) -> Outcome {
        match self.what.unwrap_or(VerifyWhat::Journal) {
            VerifyWhat::Journal => journal(session),
            VerifyWhat::Ledger => ledger(session),
            VerifyWhat::Audit { file, head } => {
                audit::check::verify(session, file.as_deref(), head.as_deref())
            }
        }
    }
}

fn journal(session: &Session) -> Outcome {
    let dir = &session.places.paths.data;
    let report = store::verify(dir).map_err(|error| storage(&error, dir))?;
    let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    if session.globals.json {
        session.json(&serde_json::json!({
            "schema_version": 1,
            "base_seq": report.base.seq,
            "head_seq": report.head.seq,
            "head": format!("sha256:{}", report.head.digest),
            "records": report.records,
            "snapshots": report.snapshots,
            "contents": report.contents,
            "summaries": report.summaries,
            "ledger_rows": report.metered,
            "faults": faults,
        }))?;
    } else {
        if faults.is_empty() {
            session.output.line(&format!("the journal in {} is sound", dir.display()))?;
        }
        let compacted = match report.base.seq {
            0 => String::new(),
            seq => format!(" after record {seq}, where it was compacted"),
        };
        session.output.line(&format!(
            "{} records{compacted}; {} snapshots, {} stored texts, {} old jobs, {} rows of the \
             ledger",
            report.records,
            report.snapshots.len(),
            report.contents,
            report.summaries,
            report.metered
        ))?;
        session.output.line(&format!(
            "last record {}, chain sha256:{}",
            report.head.seq, report.head.digest
        ))?;
        for fault in &faults {
            session.output.note(&format!("fault: {fault}"));
        }
    }
    if faults.is_empty() {
        return Ok(OK);
    }
    let hint = "nothing was changed; keep a copy of the directory before anything else";
    Err(Failure::new(FAILED, format!("{} faults in {}", faults.len(), dir.display()), hint))
}

fn ledger(session: &Session) -> Outcome {
    let dir = &session.places.paths.data;
    let (from, mut checked) = check(dir).map_err(|error| storage(&error, dir))?;
    let days = rolled_up(dir, &mut checked.faults).map_err(|error| storage(&error, dir))?;
    if session.globals.json {
        session.json(&document(from, days, &checked))?;
    } else {
        let compacted = match from {
            0 => String::new(),
            seq => format!(" after record {seq}, where the journal begins"),
        };
        session.output.line(&format!(
            "{} records{compacted} close {} intervals",
            checked.records, checked.intervals
        ))?;
        if days > 0 {
            let days = crate::view::words::counted(days, "day");
            session.output.line(&format!("{days} of earlier use kept as sums"))?;
        }
        for (resource, sums) in checked.audit.sums() {
            session.output.line(&line(resource, sums))?;
        }
        for fault in &checked.faults {
            session.output.note(&format!("fault: {fault}"));
        }
    }
    match checked.faults.len() {
        0 => Ok(OK),
        faults => {
            let hint =
                "nothing was changed; `holdshort verify journal` tells whether it is damaged";
            Err(Failure::new(FAILED, format!("{faults} faults in {}", dir.display()), hint))
        }
    }
}

/// Meters every record there is, and compares with the rows stored beside them.
fn check(dir: &Path) -> Result<(u64, Checked), StorageError> {
    let reader = Reader::open(dir)?;
    let base = reader.base()?.seq;
    let ((world, meter), from) = match base {
        0 => ((World::new(), Meter::new()), 0),
        _ => match reader.snapshot()? {
            Some(snapshot) => (read_snapshot(&snapshot.body)?, snapshot.seq),
            None => ((World::new(), Meter::new()), 0),
        },
    };
    let mut check = Check::new(world, meter, reader.unmetered()?.max(from).max(reader.rolled()?));
    let page = Vec::new().into_iter().peekable();
    let mut rows = Rows { reader: &reader, over: false, page };
    reader.replay(from, &mut |seq, bytes| {
        let record = read_record(seq, bytes)?;
        check.record(&record, rows.of(seq)?.as_ref());
        Ok(())
    })?;
    Ok((from, check.finish()))
}

/// How many days are kept as sums; what is wrong with one is a fault.
fn rolled_up(dir: &Path, faults: &mut Vec<String>) -> Result<u64, StorageError> {
    let reader = Reader::open(dir)?;
    let (mut from, mut count) = (i64::MIN, 0);
    loop {
        let rows = match reader.days(from, ROWS) {
            Err(StorageError::Damaged(what)) => {
                faults.push(what);
                return Ok(count);
            }
            rows => rows?,
        };
        let Some(last) = rows.last() else { return Ok(count) };
        from = last.day.saturating_add(1);
        count += rows.len() as u64;
        for row in &rows {
            match read_day(row) {
                Ok(day) => {
                    faults.extend(
                        day.balance().iter().map(|what| format!("day {}: {what}", row.day)),
                    );
                }
                Err(error) => faults.push(error.to_string()),
            }
        }
    }
}

/// The rows of the ledger in order.
struct Rows<'a> {
    reader: &'a Reader,
    /// There are none after the page.
    over: bool,
    page: Peekable<std::vec::IntoIter<Metered>>,
}

impl Rows<'_> {
    /// The row of a record, if it has one. Records are asked for in order.
    fn of(&mut self, seq: u64) -> Result<Option<Metered>, StorageError> {
        if self.page.peek().is_none() && !self.over {
            let page = self.reader.metered(seq.saturating_sub(1), ROWS)?;
            self.over = page.len() < ROWS;
            self.page = page.into_iter().peekable();
        }
        Ok(self.page.next_if(|row| row.seq <= seq))
    }
}

/// Thousandths and bytes by the hour, units by the hour.
fn per_hour(resource: &Resource) -> u128 {
    match resource {
        Resource::Cpu(_) | Resource::Gpu(..) => MILLI_MS_PER_HOUR,
        Resource::Mem(_) => BYTE_MS_PER_GIB_HOUR,
        Resource::Custom(_) => MS_PER_HOUR,
    }
}

fn line(resource: &Resource, sums: &Sums) -> String {
    let text = |sum| hours(sum, per_hour(resource), PLACES);
    let booked: Vec<String> =
        sums.booked.iter().map(|(class, sum)| format!("{} {}", class.word(), text(*sum))).collect();
    let unit = match resource {
        Resource::Cpu(_) => "core",
        Resource::Mem(_) => "GiB",
        Resource::Gpu(..) => "GPU",
        Resource::Custom(_) => "unit",
    };
    let over = match sums.over {
        0 => String::new(),
        over => format!(", and {} held beyond it", text(over)),
    };
    let capacity = text(sums.capacity);
    format!("{resource}: {} = {capacity} {unit}-hours{over}", booked.join(" + "))
}

fn document(from: u64, days: u64, checked: &Checked) -> serde_json::Value {
    let exact = |sum: &u128| sum.to_string();
    let row = |(resource, sums): (&Resource, &Sums)| {
        let (node, kind, gpu) = match resource {
            Resource::Cpu(node) => (Some(node), "cpu_milli".to_owned(), None),
            Resource::Mem(node) => (Some(node), "mem_bytes".to_owned(), None),
            Resource::Gpu(node, index) => (Some(node), "gpu_milli".to_owned(), Some(*index)),
            Resource::Custom(name) => (None, name.to_string(), None),
        };
        let booked: BTreeMap<&str, String> =
            sums.booked.iter().map(|(class, sum)| (class.word(), exact(sum))).collect();
        serde_json::json!({
            "node": node.map(ToString::to_string),
            "resource": kind,
            "gpu": gpu,
            "capacity_ms": exact(&sums.capacity),
            "over_ms": exact(&sums.over),
            "booked_ms": booked,
        })
    };
    serde_json::json!({
        "schema_version": 1,
        "from_seq": from,
        "records": checked.records,
        "intervals": checked.intervals,
        "days": days,
        "resources": checked.audit.sums().iter().map(row).collect::<Vec<_>>(),
        "faults": checked.faults,
    })
}
