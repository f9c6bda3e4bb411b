//! `journal export|replay|compact`.

use std::io::Write;
use std::path::Path;

use clap::{Args, Subcommand};

use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::output::stdout_failed;
use crate::cli::replay::replay;
use crate::cli::session::{Session, block_on};
use crate::model::ports::journal::StorageError;
use crate::store::Reader;

/// `journal`.
#[derive(Debug, Args)]
pub struct Journal {
    #[command(subcommand)]
    verb: JournalVerb,
}

/// What is done with the journal.
#[derive(Debug, Clone, Copy, Subcommand)]
enum JournalVerb {
    /// Print the records, one JSON document on each line; the chain is checked on the way
    Export {
        /// Only after this record
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        since: u64,
    },
    /// Decide all commands again and compare
    Replay,
    /// Drop records that a fresh snapshot covers
    Compact,
}

impl Journal {
    /// Does it.
    ///
    /// # Errors
    /// When the journal cannot be read, or the server's.
    pub fn run(self, session: &Session) -> Outcome {
        match self.verb {
            JournalVerb::Export { since } => export(&session.places.paths.data, since),
            JournalVerb::Replay => replay(session),
            JournalVerb::Compact => {
                let link = session.link()?;
                block_on(async {
                    let dropped = link.compact().await?;
                    if session.globals.json {
                        session.json(&crate::api::wire::receipt::Compacted::new(dropped))?;
                    } else {
                        session.output.line(&format!("{dropped} records dropped"))?;
                    }
                    Ok(OK)
                })
            }
        }
    }
}

/// Records as they are stored, one on each line.
fn export(dir: &Path, since: u64) -> Outcome {
    let reader = Reader::open(dir).map_err(|error| storage(&error, dir))?;
    let base = reader.base().map_err(|error| storage(&error, dir))?.seq;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    let walked = reader.replay(since.max(base), &mut |_, bytes| {
        written = out.write_all(bytes).and_then(|()| out.write_all(b"\n"));
        let failed = |error: &std::io::Error| StorageError::Failed(error.to_string());
        match &written {
            Ok(()) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    });
    written.and_then(|()| out.flush()).map_err(stdout_failed)?;
    walked.map_err(|error| storage(&error, dir))?;
    Ok(OK)
}

/// What to do about a journal that can't be read.
pub(super) fn storage(error: &StorageError, dir: &Path) -> Failure {
    let hint = match error {
        StorageError::Newer(_) => "use the version that wrote it, or a newer one",
        StorageError::Damaged(_) => "keep a copy of the directory before anything else",
        _ => "--data-dir says which journal is meant",
    };
    let text = error.to_string();
    let what = if text.contains(&*dir.to_string_lossy()) {
        text
    } else {
        format!("the journal in {} cannot be read; {text}", dir.display())
    };
    Failure::failed(what, hint)
}
