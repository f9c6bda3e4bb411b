//! The offline check of an installation's audit: its chain, and that it says what the journal
//! says, as far back as the journal goes.

use std::collections::VecDeque;
use std::fmt;

use super::{Entry, entries};
use crate::base::Digest;
use crate::model::fact::Record;
use crate::model::ports::journal::{Audited, Link};
use crate::sched::World;

/// Faults that are listed at most.
const FAULTS_MAX: usize = 20;

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Entries `from` to `to` are missing.
    Missing {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
    /// An entry, or its link, is not what was written.
    Entry(u64, String),
    /// What the journal's record says is not what the audit says.
    Journal {
        /// The record.
        record: u64,
        /// What differs.
        what: String,
    },
    /// The audit does not end where it should.
    Head(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing { from, to } if from == to => write!(f, "entry {from} is missing"),
            Fault::Missing { from, to } => write!(f, "entries {from} to {to} are missing"),
            Fault::Entry(n, why) => write!(f, "entry {n} is not what was written: {why}"),
            Fault::Journal { record, what } => write!(f, "record {record}: {what}"),
            Fault::Head(why) => f.write_str(why),
        }
    }
}

/// An entry in its place, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its number.
    pub n: u64,
    /// Its link.
    pub link: Digest,
    /// The review it is filed under.
    pub review: u64,
    /// The entry.
    pub bytes: Vec<u8>,
}

/// Walks a chain of entries.
#[derive(Debug)]
pub struct Walk {
    /// After a fault the next entry may go on from the stored link (the bytes are wrong) or from
    /// the computed one (the link is wrong): either way only the wrong entry is named.
    before: [Digest; 2],
    head: Link,
    entries: u64,
    faults: Vec<Fault>,
}

impl Walk {
    /// Starts where the chain begins.
    pub fn new(from: Link) -> Walk {
        Walk { before: [from.digest; 2], head: from, entries: 0, faults: Vec::new() }
    }

    /// Takes the next entry; `None` if nothing can be made of it.
    pub fn entry(&mut self, stored: &Stored) -> Option<Entry> {
        let expected = self.head.seq.saturating_add(1);
        let computed = self.before.map(|link| link.chained(stored.n, &stored.bytes));
        let linked = computed.contains(&stored.link);
        let read = Entry::read(&stored.bytes);
        let filed = |entry: &Entry| entry.review.map_or(0, |review| review.0) == stored.review;
        if stored.n > expected {
            self.fault(Fault::Missing { from: expected, to: stored.n - 1 });
        } else if stored.n < expected {
            self.fault(Fault::Entry(stored.n, "it stands out of order".to_owned()));
        } else if !linked {
            self.fault(Fault::Entry(stored.n, "its link says otherwise".to_owned()));
        } else {
            match &read {
                Err(why) => self.fault(Fault::Entry(stored.n, why.clone())),
                Ok(entry) if !filed(entry) => {
                    let what = "it is filed under another review".to_owned();
                    self.fault(Fault::Entry(stored.n, what));
                }
                Ok(_) => {}
            }
        }
        self.before = [stored.link, computed[0]];
        self.head = Link { seq: stored.n, digest: stored.link };
        self.entries += 1;
        read.ok()
    }

    /// Notes a fault that others found.
    pub fn fault(&mut self, fault: Fault) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }

    /// The newest entry so far.
    pub fn head(&self) -> Link {
        self.head
    }

    /// Nothing is wrong so far.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    /// Entries, and what is wrong.
    pub fn finish(self) -> (u64, Vec<Fault>) {
        (self.entries, self.faults)
    }
}

/// Says again what the journal's records say about reviews, and compares.
pub struct Compare {
    world: World,
    due: VecDeque<(u64, Audited)>,
}

impl Compare {
    /// Starts from a world: empty, or a snapshot's.
    pub fn new(world: World) -> Compare {
        Compare { world, due: VecDeque::new() }
    }

    /// Takes the journal's next record; `heard` if the audit has what it says.
    pub fn record(&mut self, record: &Record, heard: bool) {
        for fact in &record.facts {
            self.world.apply(record.at, fact);
        }
        if heard {
            self.due.extend(entries(record, &self.world).into_iter().map(|e| (record.seq, e)));
        }
    }

    /// Takes the audit's next entry of a record that was taken.
    pub fn entry(&mut self, stored: &Stored) -> Option<Fault> {
        let (record, wanted) = self.due.pop_front()?;
        let what = format!("it says otherwise than entry {} of the audit", stored.n);
        (wanted.bytes != stored.bytes).then_some(Fault::Journal { record, what })
    }

    /// Entries that should still come.
    pub fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// What should have come and did not.
    pub fn finish(self) -> Option<Fault> {
        let (record, _) = self.due.front()?;
        let what = format!("{} entries that it made are missing at the end", self.due.len());
        Some(Fault::Journal { record: *record, what })
    }
}
