//! `verify journal` and `journal export|replay|compact`.

use std::io::Write;
use std::path::Path;

use clap::{Args, Subcommand};

use crate::cli::exit::{FAILED, Failure, OK, Outcome};
use crate::cli::output::stdout_failed;
use crate::cli::replay::replay;
use crate::cli::session::{Session, block_on};
use crate::model::ports::journal::StorageError;
use crate::store::{self, Reader};

/// `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    #[command(subcommand)]
    what: Option<VerifyWhat>,
}

/// What is checked.
#[derive(Debug, Clone, Copy, Subcommand)]
enum VerifyWhat {
    /// Every record, its chain, snapshots, contents and summaries; changes nothing
    Journal,
}

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

impl Verify {
    /// Checks the journal offline; 1 if anything is wrong.
    ///
    /// # Errors
    /// When it cannot be opened at all.
    pub fn run(self, session: &Session) -> Outcome {
        let VerifyWhat::Journal = self.what.unwrap_or(VerifyWhat::Journal);
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
                "{} records{compacted}; {} snapshots, {} stored texts, {} old jobs",
                report.records,
                report.snapshots.len(),
                report.contents,
                report.summaries
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

fn storage(error: &StorageError, dir: &Path) -> Failure {
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
