//! `audit show|export`: who decided what, read from the journal's file, whether a server runs or
//! not. [`check`] is `verify audit`.

pub mod check;
mod show;

use std::io::Write;
use std::path::Path;

use clap::{Args, Subcommand};

use super::journal::storage;
use super::usage::past;
use crate::base::{ReviewId, Wall};
use crate::cli::clock;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::output::stdout_failed;
use crate::cli::session::Session;
use crate::engine::audit::{Entry, file};
use crate::model::ports::journal::{Link, StorageError};
use crate::store::{AuditBase, AuditRow, Reader};

/// Entries read at once.
const ROWS: usize = 256;

/// `audit`.
#[derive(Debug, Args)]
pub struct Audit {
    #[command(subcommand)]
    verb: AuditVerb,
}

/// What is done with it.
#[derive(Debug, Subcommand)]
enum AuditVerb {
    /// Print all that became so of a review: bytes, hash, votes and how each was authenticated
    Show(show::Show),
    /// Print the entries, one JSON document on each line, with their chain
    Export {
        /// Only from then on: 24h (ago), 08:00, or a full time
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
    },
}

impl Audit {
    /// Does it.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn run(self, session: &Session) -> Outcome {
        match self.verb {
            AuditVerb::Show(show) => show.run(session),
            AuditVerb::Export { since } => {
                let since = since.map(|text| past(&text, clock::wall())).transpose();
                let since = since.map_err(|why| Failure::usage(format!("--since: {why}"), ""))?;
                let dir = &session.places.paths.data;
                export(dir, since).map_err(|error| match error {
                    Export::Storage(error) => storage(&error, dir),
                    Export::Stdout(error) => stdout_failed(error),
                })
            }
        }
    }
}

/// The audit of a data directory as it is now.
pub(super) struct Rows {
    reader: Reader,
    base: AuditBase,
}

impl Rows {
    /// Opens it.
    ///
    /// # Errors
    /// When the journal cannot be read, or a version without an audit wrote it.
    pub fn open(dir: &Path) -> Result<Rows, StorageError> {
        let reader = Reader::open(dir)?;
        reader.hold_still()?;
        let base = reader.audit_base()?.ok_or_else(|| {
            StorageError::Failed(format!(
                "the journal in {} has no audit: an earlier version wrote it. It gets one when a \
                 server of this version starts",
                dir.display()
            ))
        })?;
        Ok(Rows { reader, base })
    }

    /// Calls `each` with the entries after `n`, in order, unchecked; of one review if given.
    pub fn each<E: From<StorageError>>(
        &self,
        n: u64,
        review: Option<ReviewId>,
        mut each: impl FnMut(AuditRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after = n;
        loop {
            let page = self.reader.audit(after, review.map(|review| review.0), ROWS)?;
            let over = page.len() < ROWS;
            for row in page {
                after = row.n;
                each(row)?;
            }
            if over {
                return Ok(());
            }
        }
    }
}

enum Export {
    Storage(StorageError),
    Stdout(std::io::Error),
}

impl From<StorageError> for Export {
    fn from(error: StorageError) -> Export {
        Export::Storage(error)
    }
}

impl From<std::io::Error> for Export {
    fn from(error: std::io::Error) -> Export {
        Export::Stdout(error)
    }
}

fn export(dir: &Path, since: Option<Wall>) -> Result<u8, Export> {
    let rows = Rows::open(dir)?;
    let base = rows.base;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut head = Link { seq: 0, digest: base.link };
    let mut begun = false;
    rows.each(0, None, |row| {
        let early = |since: Wall| written_at(&row).is_some_and(|at| at < since);
        if !begun && since.is_some_and(early) {
            head = row.end();
            return Ok(());
        }
        if !begun {
            writeln!(out, "{}", file::first_line(base.link, head))?;
            begun = true;
        }
        writeln!(out, "{}", file::line(row.n, row.link, &row.bytes))?;
        head = row.end();
        Ok::<(), Export>(())
    })?;
    if !begun {
        writeln!(out, "{}", file::first_line(base.link, head))?;
    }
    writeln!(out, "{}", file::last_line(head))?;
    out.flush()?;
    Ok(OK)
}

fn written_at(row: &AuditRow) -> Option<Wall> {
    let entry = Entry::read(&row.bytes).ok()?;
    let at = chrono::DateTime::parse_from_rfc3339(&entry.at).ok()?;
    Some(Wall(at.timestamp_millis()))
}
