//! `journal replay`: decides every command of the journal again and compares the facts.

use super::exit::{FAILED, Failure, OK, Outcome};
use super::session::Session;
use crate::engine::metering::read_snapshot;
use crate::engine::replay::{Redecide, read_record};
use crate::model::ports::journal::StorageError;
use crate::sched::World;
use crate::store::Reader;

/// Replays the journal of this data directory; 1 if any record comes out differently.
///
/// # Errors
/// When the journal cannot be read.
pub fn replay(session: &Session) -> Outcome {
    let dir = &session.places.paths.data;
    let failed = |error: StorageError| Failure::failed(error.to_string(), "");
    let reader = Reader::open(dir).map_err(failed)?;
    let base = reader.base().map_err(failed)?;
    // A compacted journal goes on from a snapshot; a whole one proves itself from nothing.
    let (world, from) = match base.seq {
        0 => (World::new(), 0),
        _ => match reader.snapshot().map_err(failed)? {
            Some(snapshot) => (read_snapshot(&snapshot.body).map_err(failed)?.0, snapshot.seq),
            None => {
                let what = "the journal was compacted and its snapshot is gone";
                return Err(Failure::failed(what, "`holdshort verify journal` says more"));
            }
        },
    };
    let mut redecide = Redecide::new(world);
    reader
        .replay(from, &mut |seq, bytes| {
            redecide.record(&read_record(seq, bytes)?);
            Ok(())
        })
        .map_err(failed)?;
    let (_, records, difference) = redecide.finish();
    match difference {
        None => {
            session.output.line(&format!("{records} records after {from} decided again: equal"))?;
            Ok(OK)
        }
        Some(difference) => {
            let what = format!("record {}: {}", difference.seq, difference.what);
            session.output.line(&what)?;
            Ok(FAILED)
        }
    }
}
