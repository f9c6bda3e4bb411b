//! What a job says about itself: `checkpoint saved`, `progress`, `heartbeat`. Its `usage` is in
//! [`super::usage`].

use clap::{Args, Subcommand};

use crate::cli::args::target::Target;
use crate::cli::args::values;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::targets;
use crate::link::Link;
use crate::model::command::Report;

/// Bytes of a progress line that are kept.
const TEXT_MAX: usize = 1024;

/// Whom a report is about.
#[derive(Debug, Args)]
pub struct About {
    /// The job [default: the one this runs in]
    #[arg(long, value_name = "JOB", env = "HOLDSHORT_JOB_ID", hide_env = true)]
    job: Option<Target>,
}

/// `checkpoint`.
#[derive(Debug, Args)]
pub struct Checkpoint {
    #[command(subcommand)]
    what: CheckpointVerb,
}

/// What happened to a checkpoint.
#[derive(Debug, Subcommand)]
enum CheckpointVerb {
    /// It was saved; the job may be stopped and resumed from here on
    Saved(Saved),
}

/// `checkpoint saved`.
#[derive(Debug, Args)]
struct Saved {
    #[command(flatten)]
    about: About,
    /// Where it lies
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// How far the job is: 0.4 or 40%
    #[arg(long, value_name = "FRACTION", value_parser = values::basis_points)]
    progress: Option<u32>,
}

/// `progress`.
#[derive(Debug, Args)]
pub struct Progress {
    #[command(flatten)]
    about: About,
    /// A fraction (0.4, 40%), a line of text, or both
    #[arg(value_name = "FRACTION|TEXT", required = true)]
    words: Vec<String>,
}

/// `heartbeat`.
#[derive(Debug, Args)]
pub struct Heartbeat {
    #[command(flatten)]
    about: About,
}

/// `scale`.
#[derive(Debug, Args)]
#[command(
    after_help = "Between the gang's minimum and its size at submission. More start when there \
                        is room; fewer are told to end, the surplus first."
)]
pub struct Scale {
    /// How many tasks the service wants from now on
    #[arg(value_name = "N", value_parser = values::at_least_one)]
    size: u32,
    #[command(flatten)]
    about: About,
}

impl Scale {
    /// Says it.
    ///
    /// # Errors
    /// The server's, or no job.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        send(link, self.about, Report::Scale { size: self.size }).await
    }
}

impl Checkpoint {
    /// Announces it.
    ///
    /// # Errors
    /// The server's, or no job.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        let CheckpointVerb::Saved(saved) = self.what;
        let report = Report::Checkpoint { path: saved.path, basis_points: saved.progress };
        send(link, saved.about, report).await
    }
}

impl Progress {
    /// Says how far it is.
    ///
    /// # Errors
    /// The server's, or no job.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        let report = progress(&self.words)?;
        send(link, self.about, report).await
    }
}

impl Heartbeat {
    /// Says that it lives.
    ///
    /// # Errors
    /// The server's, or no job.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        send(link, self.about, Report::Heartbeat).await
    }
}

/// Says something about a job.
///
/// # Errors
/// The server's, or no job.
pub(super) async fn send(link: &dyn Link, about: About, report: Report) -> Outcome {
    let target = about.job.ok_or_else(|| {
        Failure::usage(
            "this does not run in a job, so it is not clear whom it is about",
            "name the job: --job 42",
        )
    })?;
    let job = targets::id(link, &target).await?;
    link.report(job, report).await?;
    Ok(OK)
}

/// A first word that is a fraction is one; the rest is text. A percentage that makes no sense is
/// a mistake, no text.
fn progress(words: &[String]) -> Result<Report, Failure> {
    let fraction = match words.first().map(|word| (word, values::basis_points(word))) {
        Some((word, Err(problem))) if is_percentage(word) => {
            return Err(Failure::usage(problem, "holdshort progress 40% 'epoch 3'"));
        }
        Some((_, read)) => read.ok(),
        None => None,
    };
    let text = words.get(usize::from(fraction.is_some())..).unwrap_or_default().join(" ");
    let cut: String = text.chars().take(TEXT_MAX).collect();
    Ok(Report::Progress { basis_points: fraction, text: (!cut.is_empty()).then_some(cut) })
}

fn is_percentage(word: &str) -> bool {
    word.strip_suffix('%').is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_fraction_a_text_or_both() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            match progress(&words).unwrap() {
                Report::Progress { basis_points, text } => (basis_points, text),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(read(&["0.4"]), (Some(4000), None));
        assert_eq!(read(&["40%", "epoch", "3"]), (Some(4000), Some("epoch 3".into())));
        assert!(progress(&["150%".to_owned()]).is_err());
        assert_eq!(read(&["epoch", "3"]), (None, Some("epoch 3".into())));
        assert_eq!(read(&["3", "files left"]), (None, Some("3 files left".into())));
    }
}
