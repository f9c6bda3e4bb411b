//! Reads a journal's bytes, and proves that they mean what they meant when they were written.

use crate::model::fact::{FACTS_VERSION, Record};
use crate::model::ports::journal::StorageError;
use crate::sched::{World, decide};

/// Reads a record.
///
/// # Errors
/// [`StorageError::Newer`] for facts this version does not know, [`StorageError::Damaged`] for
/// anything else that can't be read.
pub fn read_record(seq: u64, bytes: &[u8]) -> Result<Record, StorageError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let text = error.to_string();
        if text.contains("unknown variant") {
            StorageError::Newer(format!(
                "record {seq} was written by a newer holdshort ({text}); this version writes \
                 facts of version {FACTS_VERSION}: use the newer program, nothing was changed"
            ))
        } else {
            StorageError::Damaged(format!("record {seq} can't be read: {text}"))
        }
    })
}

/// The first record that a replay does not reproduce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The record.
    pub seq: u64,
    /// What differed.
    pub what: String,
}

/// Decides every record again and compares the facts (the same build must agree to the last
/// bit), and applies them. Returns the last world and the first difference, if any.
pub struct Redecide {
    world: World,
    difference: Option<Difference>,
    records: u64,
}

impl Redecide {
    /// Starts from a world: empty, or a snapshot's.
    pub fn new(world: World) -> Redecide {
        Redecide { world, difference: None, records: 0 }
    }

    /// Takes the next record.
    pub fn record(&mut self, record: &Record) {
        self.records += 1;
        let again = decide(&self.world, &record.command, record.at);
        let what = match again {
            Ok(decision) if decision.facts == record.facts => None,
            Ok(decision) => Some(format!(
                "decided again, it gives {} facts instead of {}",
                decision.facts.len(),
                record.facts.len()
            )),
            Err(refusal) => Some(format!("decided again, it is refused: {refusal}")),
        };
        if let (Some(what), None) = (what, &self.difference) {
            self.difference = Some(Difference { seq: record.seq, what });
        }
        for fact in &record.facts {
            self.world.apply(record.at, fact);
        }
    }

    /// The world at the end, how many records there were, and the first difference.
    pub fn finish(self) -> (World, u64, Option<Difference>) {
        (self.world, self.records, self.difference)
    }
}
