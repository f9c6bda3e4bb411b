//! `logs T [-f]`: output over all attempts.

use clap::Args;

use crate::base::text::sanitise;
use crate::base::{At, JobId, Wall, quantity};
use crate::cli::args::target::Target;
use crate::cli::args::values;
use crate::cli::exit::{Failure, NOT_FOUND, OK, Outcome};
use crate::cli::follow::{Output, Sink};
use crate::cli::output::out_is_terminal;
use crate::cli::session::Session;
use crate::cli::shown;
use crate::cli::targets;
use crate::cli::terminal::filter::Pass;
use crate::link::Link;
use crate::model::job::Exit;
use crate::model::page::LogQuery;

/// `logs`.
#[derive(Debug, Args)]
#[command(
    after_help = "Into a pipe or file the bytes come as the job wrote them; a terminal gets \
                        text and colours only."
)]
pub struct Logs {
    /// The job
    #[arg(value_name = "JOB", env = "HOLDSHORT_JOB_ID", hide_env = true)]
    target: Target,
    /// Go on until the job ends
    #[arg(long, short = 'f')]
    follow: bool,
    /// The task of a gang [default: 0]
    #[arg(long, value_name = "RANK")]
    task: Option<u32>,
    /// One attempt only [default: all of them]
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    attempt: Option<u32>,
    /// Only this much before the end: 64Ki
    #[arg(long, value_name = "BYTES", value_parser = quantity::parse_bytes)]
    tail: Option<u64>,
    /// When each line was written, to the second, before it
    #[arg(long, short = 'T')]
    timestamps: bool,
}

impl Logs {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self, session: &Session) -> Result<(), Failure> {
        if !session.globals.json {
            return Ok(());
        }
        Err(Failure::usage("output is bytes and has no JSON form", "holdshort logs 42 > file"))
    }

    /// Prints it.
    ///
    /// # Errors
    /// The server's, or that stdout takes no more.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = targets::id(link, &self.target).await?;
        let query = LogQuery {
            attempt: self.attempt,
            rank: self.task,
            follow: self.follow,
            tail_bytes: self.tail,
            times: self.timestamps,
        };
        let mut output = Output::open(link, session, job, query).await?;
        let mut sink = Sink::new(Pass::Colours);
        let mut last = None;
        let sight = shown::sight(At::default());
        let mut stamps = self.timestamps.then(|| Stamps::new(move |at| sight.full(at)));
        while let Some(piece) = output.next().await? {
            last = piece.bytes.last().copied().or(last);
            match &mut stamps {
                None => sink.write(&piece.bytes)?,
                Some(stamps) => sink.write(&stamps.before_lines(piece.at, &piece.bytes))?,
            }
        }
        match last {
            None => self.nothing(session, link, job).await?,
            // The shell's prompt begins on a line of its own.
            Some(end) if end != b'\n' && out_is_terminal() => sink.write(b"\n")?,
            Some(_) => {}
        }
        Ok(OK)
    }

    /// Says why there is no output, where that is not plain.
    async fn nothing(&self, session: &Session, link: &dyn Link, job: JobId) -> Result<(), Failure> {
        let detail = link.job(job).await?;
        let row = &detail.row;
        if let Some(attempt) = self.attempt.filter(|attempt| *attempt > row.attempt) {
            let had = match row.attempt {
                0 => "it has not started yet".to_owned(),
                last => format!("its last one is {last}"),
            };
            let what = format!("{job} has no attempt {attempt}; {had}");
            return Err(Failure::new(NOT_FOUND, what, format!("holdshort show {job} lists them")));
        }
        if let Some(rank) = self.task.filter(|rank| *rank >= row.gang.size) {
            let what =
                format!("{job} has no task {rank}; they count from 0 to {}", row.gang.size - 1);
            return Err(Failure::new(NOT_FOUND, what, ""));
        }
        if let Some(Exit::NotStarted(why)) = &row.exit {
            session.output.note(&format!("{job} was not started: {}", sanitise(why)));
        } else if row.attempt == 0 {
            session.output.note(&format!(
                "{job} has not started, so there is no output; holdshort why {job} says why"
            ));
        } else if out_is_terminal() {
            session.output.note(&format!("{job} printed nothing"));
        }
        Ok(())
    }
}

/// Puts the time before each line.
struct Stamps {
    shown: Box<dyn Fn(Wall) -> String + Send>,
    /// The next byte begins a line.
    fresh: bool,
    /// Columns of a stamp, for lines without one.
    width: usize,
}

impl Stamps {
    fn new(shown: impl Fn(Wall) -> String + Send + 'static) -> Stamps {
        let width = shown(Wall(0)).len();
        Stamps { shown: Box::new(shown), fresh: true, width }
    }

    fn before_lines(&mut self, at: Option<Wall>, bytes: &[u8]) -> Vec<u8> {
        let stamp = at.map_or_else(|| " ".repeat(self.width), |at| (self.shown)(at));
        let mut out = Vec::with_capacity(bytes.len() + stamp.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.fresh {
                out.extend_from_slice(stamp.as_bytes());
                out.push(b' ');
            }
            out.extend_from_slice(line);
            self.fresh = line.ends_with(b"\n");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_time_of_its_first_byte() {
        let mut stamps = Stamps::new(|at| format!("{:02}", at.0));
        let mut out = stamps.before_lines(Some(Wall(1)), b"a\nb");
        out.extend(stamps.before_lines(Some(Wall(2)), b"c\n"));
        out.extend(stamps.before_lines(None, b"d\n"));
        assert_eq!(String::from_utf8(out).unwrap(), "01 a\n01 bc\n   d\n");
    }
}
