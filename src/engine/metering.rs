//! The meter beside the world: where it starts, what is stored with a snapshot, and the check
//! of a whole journal behind `verify ledger`.

use serde::Deserialize as _;

use crate::base::{Digest, Mono, Name};
use crate::ledger::audit::There;
use crate::ledger::days::Day;
use crate::ledger::{Amounts, Audit, Interval, Meter, Saved, codec};
use crate::model::Node;
use crate::model::fact::Record;
use crate::model::job::GpuShare;
use crate::model::ports::journal::{DayRow, Link, Metered, StorageError};
use crate::sched::World;

/// Below so many open intervals the sums are checked after every record.
const OPEN_CHECKED: usize = 256;
/// Faults that are listed at most.
const FAULTS_MAX: usize = 20;

/// The meter of a world, from where it was saved if it was.
pub fn meter_of(world: &World, saved: Option<&Saved>) -> Meter {
    let jobs = world.jobs().map(|job| &**job);
    let nodes = world.nodes().map(|node| &**node);
    Meter::of_world(world.at().now, jobs, nodes, world.setup(), saved)
}

/// What the world says is held on a node.
pub fn held(world: &World, node: &Node) -> Amounts {
    let used = world.index().used(&node.name);
    let share = |(index, milli): (&u32, &u64)| GpuShare { index: *index, milli: *milli };
    Amounts {
        cpu_milli: used.held.cpu_milli,
        mem_bytes: used.held.mem_bytes,
        gpus: used.gpus.iter().map(share).collect(),
        ..Amounts::default()
    }
}

/// What every place has, and what the world says is held there.
pub fn places(world: &World) -> Vec<There> {
    let node = |node: &std::sync::Arc<Node>| There {
        node: Some(node.name.clone()),
        capacity: Amounts::of_node(node),
        held: held(world, node),
    };
    let configured = world.setup().resources.iter();
    let counts = configured.map(|(name, countable)| (name.clone(), countable.count));
    let held: Vec<(Name, u64)> =
        world.index().custom().map(|(name, units)| (name.clone(), units)).collect();
    let custom = |units| Amounts { custom: units, ..Amounts::default() };
    let pool = There {
        node: None,
        capacity: custom(counts.collect()),
        held: custom(held.into_iter().collect()),
    };
    world.nodes().map(node).chain([pool]).collect()
}

/// The bytes of a snapshot: the world, behind it what the meter must know besides, and behind that
/// where the audit ends.
///
/// # Errors
/// [`StorageError::Failed`] when they can't be made.
pub(super) fn snapshot_body(
    world: &World,
    meter: &Meter,
    audit: Link,
) -> Result<Vec<u8>, StorageError> {
    let failed = |error| StorageError::Failed(format!("cannot write a snapshot: {error}"));
    let mut body = serde_json::to_vec(world).map_err(failed)?;
    serde_json::to_writer(&mut body, &meter.save()).map_err(failed)?;
    let audit = AuditHead { audit: audit.seq, link: audit.digest };
    serde_json::to_writer(&mut body, &audit).map_err(failed)?;
    Ok(body)
}

#[derive(serde::Serialize, serde::Deserialize)]
struct AuditHead {
    audit: u64,
    link: Digest,
}

/// Where the audit ended when a snapshot was taken; `None` in one of an earlier version.
pub fn audit_head(body: &[u8]) -> Option<Link> {
    use serde::de::IgnoredAny;
    let mut documents = serde_json::Deserializer::from_slice(body);
    IgnoredAny::deserialize(&mut documents).ok()?;
    IgnoredAny::deserialize(&mut documents).ok()?;
    let AuditHead { audit, link } = AuditHead::deserialize(&mut documents).ok()?;
    Some(Link { seq: audit, digest: link })
}

/// A snapshot's world and meter. One of a version that metered nothing has none: metering begins
/// there.
///
/// # Errors
/// [`StorageError::Damaged`] when it can't be read.
pub fn read_snapshot(body: &[u8]) -> Result<(World, Meter), StorageError> {
    let damaged = |error| StorageError::Damaged(format!("the snapshot can't be read: {error}"));
    let mut documents = serde_json::Deserializer::from_slice(body);
    let world = World::deserialize(&mut documents).map_err(damaged)?;
    let saved = match documents.end() {
        Ok(()) => None,
        Err(_) => Some(Saved::deserialize(&mut documents).map_err(damaged)?),
    };
    let meter = meter_of(&world, saved.as_ref());
    Ok((world, meter))
}

/// The intervals of a stored row.
///
/// # Errors
/// When a newer version wrote it, or it is damaged.
pub fn read_metered(row: &Metered) -> Result<Vec<Interval>, StorageError> {
    codec::decode(&row.bytes).map_err(|error| match error {
        codec::Unreadable::Newer(what) => StorageError::Newer(format!(
            "the ledger's row of record {} was written by a newer holdshort ({what}): use the \
             newer program, nothing was changed",
            row.seq
        )),
        codec::Unreadable::Damaged => {
            StorageError::Damaged(format!("the ledger's row of record {} can't be read", row.seq))
        }
    })
}

/// The sums of a stored day.
///
/// # Errors
/// When a newer version wrote it, or it is damaged.
pub fn read_day(row: &DayRow) -> Result<Day, StorageError> {
    serde_json::from_slice(&row.bytes).map_err(|error| {
        StorageError::Damaged(format!("the ledger's day {} can't be read: {error}", row.day))
    })
}

/// Meters a journal again and compares: with conservation, and with what is stored.
pub struct Check {
    world: World,
    meter: Meter,
    audit: Audit,
    /// The last record up to which nothing was stored, for it was before metering.
    unmetered: u64,
    since: Mono,
    last: u64,
    checked: u64,
    unstored: Vec<Interval>,
    records: u64,
    intervals: u64,
    faults: Vec<String>,
}

/// What a check found.
#[derive(Debug)]
pub struct Checked {
    /// Records.
    pub records: u64,
    /// Intervals they closed.
    pub intervals: u64,
    /// Both sides of the law, by resource, up to the last record.
    pub audit: Audit,
    /// Everything that is wrong, with the number of the record.
    pub faults: Vec<String>,
}

impl Check {
    /// Starts from a world and its meter: empty, or a snapshot's. Intervals of records up to
    /// `unmetered` are not expected to be stored.
    pub fn new(world: World, meter: Meter, unmetered: u64) -> Check {
        let since = world.at().now;
        Check {
            world,
            meter,
            audit: Audit::since(since),
            unmetered,
            since,
            last: 0,
            checked: 0,
            unstored: Vec::new(),
            records: 0,
            intervals: 0,
            faults: Vec::new(),
        }
    }

    /// Takes the next record, and the row stored with it if there is one.
    pub fn record(&mut self, record: &Record, stored: Option<&Metered>) {
        self.records += 1;
        let now = record.at.now.max(self.since);
        self.audit.pass(&places(&self.world), now.since(self.since));
        let mut closed = Vec::new();
        for fact in &record.facts {
            self.world.apply(record.at, fact);
            self.meter.apply(record.at, fact, &mut closed);
        }
        (self.since, self.last) = (now, record.seq);
        self.intervals += closed.len() as u64;
        closed.iter().for_each(|interval| self.audit.book(interval));
        if record.seq > self.unmetered {
            self.unstored.append(&mut closed);
        }
        if let Some(row) = stored {
            self.compare(row);
        }
        let open = self.meter.open_count();
        if open <= OPEN_CHECKED || self.records.is_multiple_of(open as u64) {
            self.balance();
        }
    }

    fn compare(&mut self, row: &Metered) {
        let wanted = std::mem::take(&mut self.unstored);
        match read_metered(row) {
            Ok(intervals) if intervals == wanted => {}
            Ok(intervals) => self.fault(format!(
                "record {}: {} intervals are stored that are not the {} it closes",
                row.seq,
                intervals.len(),
                wanted.len()
            )),
            Err(error) => self.fault(error.to_string()),
        }
    }

    fn balance(&mut self) {
        // One fault would show at every later record too.
        if self.faults.is_empty() {
            for wrong in self.audit.balance(&self.meter.settle(self.since)) {
                let (from, to) = (self.checked + 1, self.last);
                let place = if from >= to {
                    format!("record {to}")
                } else {
                    format!("records {from} to {to}")
                };
                self.fault(format!("{place}: {wrong}"));
            }
        }
        self.checked = self.last;
    }

    fn fault(&mut self, what: String) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(what);
        }
    }

    /// What was found.
    pub fn finish(mut self) -> Checked {
        self.balance();
        if let Some(first) = self.unstored.first() {
            let what = format!(
                "record {}: {} intervals are not stored, the first in class {}",
                self.last,
                self.unstored.len(),
                first.class.word()
            );
            self.fault(what);
        }
        self.meter.settle(self.since).iter().for_each(|interval| self.audit.book(interval));
        let Check { records, intervals, audit, faults, .. } = self;
        Checked { records, intervals, audit, faults }
    }
}
