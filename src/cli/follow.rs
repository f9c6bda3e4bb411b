//! A job's output as it comes, and its end: shared by `run`, `logs -f` and `attach`.

use std::io::Write;

use bytes::Bytes;
use futures::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::{self, Failure, NO_CODE, Outcome};
use super::output::{self, stdout_failed};
use super::session::{Revive, Session};
use super::terminal::filter::{Filter, Pass};
use crate::base::JobId;
use crate::link::{Link, LinkError, Piece, Stream};
use crate::model::command::Verb;
use crate::model::page::LogQuery;

/// Why following ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// There is no more.
    Over,
    /// The person left; the job goes on.
    Left,
}

/// A job's output that survives a restart of the server.
pub struct Output<'a> {
    link: &'a dyn Link,
    revive: &'a dyn Revive,
    job: JobId,
    query: LogQuery,
    stream: Option<Stream<Piece>>,
    /// Bytes handed on so far, and how many of a new stream must be skipped for that.
    seen: u64,
    skip: u64,
}

impl<'a> Output<'a> {
    /// Opens it.
    ///
    /// # Errors
    /// The server's.
    pub async fn open(
        link: &'a dyn Link,
        revive: &'a dyn Revive,
        job: JobId,
        query: LogQuery,
    ) -> Result<Output<'a>, Failure> {
        let stream = Some(link.logs(job, query).await?);
        Ok(Output { link, revive, job, query, stream, seen: 0, skip: 0 })
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// The server's; a lost connection is taken up again where it broke.
    pub async fn next(&mut self) -> Result<Option<Piece>, Failure> {
        loop {
            if self.stream.is_none() {
                self.revive.revive()?;
                self.stream = Some(self.link.logs(self.job, self.query).await?);
            }
            let Some(stream) = &mut self.stream else { continue };
            match stream.next().await {
                None => return Ok(None),
                Some(Ok(Piece { at, bytes })) => {
                    let bytes = self.fresh(bytes);
                    if !bytes.is_empty() {
                        return Ok(Some(Piece { at, bytes }));
                    }
                }
                Some(Err(LinkError::Unreachable(_))) if self.query.follow => self.broke(),
                Some(Err(error)) => return Err(error.into()),
            }
        }
    }

    /// A stream that starts at the beginning is skipped to where the last one broke; one that
    /// starts near the end goes on from what comes now.
    fn broke(&mut self) {
        self.stream = None;
        if self.query.tail_bytes.is_some() {
            self.query.tail_bytes = Some(0);
        } else {
            self.skip = self.seen;
        }
    }

    fn fresh(&mut self, mut bytes: Bytes) -> Bytes {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let skipped = self.skip.min(length);
        self.skip -= skipped;
        let fresh = bytes.split_off(usize::try_from(skipped).unwrap_or(bytes.len()));
        self.seen = self.seen.saturating_add(length - skipped);
        fresh
    }
}

/// Stdout for a job's bytes: as they are into a pipe, filtered on a terminal.
pub struct Sink {
    filter: Option<Filter>,
}

impl Sink {
    /// A sink that lets `pass` through to a terminal.
    pub fn new(pass: Pass) -> Sink {
        Sink { filter: output::out_is_terminal().then(|| Filter::new(pass)) }
    }

    /// Writes a piece of output.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        let written = match &mut self.filter {
            None => out.write_all(bytes),
            Some(filter) => out.write_all(&filter.feed(bytes)),
        };
        written.and_then(|()| out.flush()).map_err(stdout_failed)
    }
}

/// Shows a job's output until it ends. ctrl-c once explains, twice cancels, ctrl-\ leaves.
///
/// # Errors
/// The server's, or that stdout takes no more.
pub async fn run(session: &Session, link: &dyn Link, job: JobId) -> Result<Ends, Failure> {
    let mut interrupt = caught(SignalKind::interrupt())?;
    let mut quit = caught(SignalKind::quit())?;
    let mut terminate = caught(SignalKind::terminate())?;
    let query = LogQuery { follow: true, ..LogQuery::default() };
    let mut output = Output::open(link, session, job, query).await?;
    let mut sink = Sink::new(Pass::Screen { queries: false });
    let mut interrupts = 0;
    loop {
        tokio::select! {
            piece = output.next() => match piece? {
                Some(piece) => sink.write(&piece.bytes)?,
                None => return Ok(Ends::Over),
            },
            _ = interrupt.recv() => {
                interrupts += 1;
                if interrupts == 1 {
                    session.output.note(&format!(
                        "\nctrl-c again cancels {job}, ctrl-\\ leaves it running"
                    ));
                } else if interrupts == 2 {
                    session.output.note(&format!("cancelling {job}"));
                    let reason = Some("ctrl-c in run".to_owned());
                    link.act(vec![job], Verb::Cancel { reason }).await?;
                }
            }
            _ = quit.recv() => return Ok(left(session, job)),
            _ = terminate.recv() => return Ok(left(session, job)),
        }
    }
}

/// Shows the output of one task until it ends or somebody presses ctrl-c or ctrl-\.
///
/// # Errors
/// The server's, or that stdout takes no more.
pub async fn run_until_left(
    session: &Session,
    link: &dyn Link,
    job: JobId,
    rank: u32,
) -> Result<Ends, Failure> {
    let mut interrupt = caught(SignalKind::interrupt())?;
    let mut quit = caught(SignalKind::quit())?;
    let query = LogQuery { follow: true, rank: Some(rank), ..LogQuery::default() };
    let mut output = Output::open(link, session, job, query).await?;
    let mut sink = Sink::new(Pass::Screen { queries: false });
    loop {
        tokio::select! {
            piece = output.next() => match piece? {
                Some(piece) => sink.write(&piece.bytes)?,
                None => return Ok(Ends::Over),
            },
            _ = interrupt.recv() => return Ok(left(session, job)),
            _ = quit.recv() => return Ok(left(session, job)),
        }
    }
}

/// A signal that is caught from now on.
///
/// # Errors
/// When the system refuses.
pub fn caught(kind: SignalKind) -> Result<Signal, Failure> {
    signal(kind).map_err(|error| Failure::failed(format!("cannot catch signals; {error}"), ""))
}

/// Says how to come back.
pub fn left(session: &Session, job: JobId) -> Ends {
    session.output.note(&format!(
        "{job} goes on; holdshort logs {job} -f shows it, holdshort wait {job} waits for it"
    ));
    Ends::Left
}

/// The exit code that stands for a job that ended; waits for its end if the output was over
/// first.
///
/// # Errors
/// The server's.
pub async fn code(session: &Session, link: &dyn Link, job: JobId) -> Outcome {
    let row = super::verbs::wait::until_ended(link, session, job).await?;
    let code = exit::of_job(&row).unwrap_or(NO_CODE);
    if code == NO_CODE {
        session.output.note(&format!("{job} {} without an exit code", row.word()));
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nobody;
    impl Revive for Nobody {
        fn revive(&self) -> Result<(), Failure> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn output_goes_on_where_a_connection_broke() {
        let link = crate::cli::tests::Scripted::default();
        let lost = || Err(LinkError::Unreachable("gone".into()));
        link.log(vec![Ok("hello "), Ok("wor"), lost()]);
        link.log(vec![Ok("hel"), Ok("lo world"), lost()]);
        link.log(vec![Ok("hello world"), Ok("!")]);
        let query = LogQuery { follow: true, ..LogQuery::default() };
        let mut output = Output::open(&link, &Nobody, JobId(1), query).await.unwrap();
        let mut all = Vec::new();
        while let Some(piece) = output.next().await.unwrap() {
            all.extend(piece.bytes);
        }
        assert_eq!(String::from_utf8(all).unwrap(), "hello world!");
    }

    #[tokio::test]
    async fn a_listing_that_does_not_follow_reports_the_loss() {
        let link = crate::cli::tests::Scripted::default();
        link.log(vec![Ok("x"), Err(LinkError::Unreachable("gone".into()))]);
        let query = LogQuery::default();
        let mut output = Output::open(&link, &Nobody, JobId(1), query).await.unwrap();
        assert_eq!(output.next().await.unwrap().unwrap().bytes, "x");
        assert_eq!(output.next().await.unwrap_err().code, exit::UNREACHABLE);
    }
}
