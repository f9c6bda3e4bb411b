//! `attach T`: a job's terminal in this one.

use bytes::Bytes;
use clap::Args;
use std::io::Write;
use tokio::signal::unix::SignalKind;

use crate::base::JobId;
use crate::cli::args::target::Target;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::follow::{self, Ends, Output};
use crate::cli::output::{self, stdout_failed};
use crate::cli::session::Session;
use crate::cli::targets;
use crate::cli::terminal::filter::{Filter, Pass};
use crate::cli::terminal::modes::Modes;
use crate::cli::terminal::raw::Keyboard;
use crate::link::Link;
use crate::model::page::LogQuery;

/// Bytes of earlier output that are shown first.
const TAIL: u64 = 64 * 1024;
/// The key that leaves: ctrl-\.
const LEAVE: u8 = 0x1c;
/// Keys that leave as long as nothing is typed to the job: ctrl-c, ctrl-d, q.
const LEAVE_WHILE_LOOKING: [u8; 3] = [0x03, 0x04, b'q'];

/// `attach`.
#[derive(Debug, Args)]
#[command(after_help = "You only look until you press i; ctrl-\\ leaves, the job goes on.")]
pub struct Attach {
    /// The job
    #[arg(value_name = "JOB")]
    target: Target,
    /// The task whose terminal is meant
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    task: u32,
}

impl Attach {
    /// Shows the terminal until the job ends or somebody leaves.
    ///
    /// # Errors
    /// The server's, or the terminal's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let row = targets::one(link, &self.target).await?;
        let ends = if row.pty {
            look(session, link, row.id, self.task, false).await?
        } else {
            session.output.note(&format!("{} has no terminal; this is its output", row.id));
            follow::run_until_left(session, link, row.id, self.task).await?
        };
        if ends == Ends::Over {
            let row = link.job(row.id).await?.row;
            session.output.note(&format!("{} {}", row.id, row.word()));
        }
        Ok(OK)
    }
}

/// What keys mean now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Looking,
    Typing,
}

/// What a piece of input comes to.
#[derive(Debug, PartialEq, Eq)]
enum Keys {
    Nothing,
    Type(Vec<u8>),
    StartTyping(Vec<u8>),
    Leave,
}

/// Reads keys as the mode has them. While looking, answers of the terminal to queries arrive as
/// escape sequences; they are no keys.
fn read_keys(mode: Mode, bytes: &[u8]) -> Keys {
    if bytes.contains(&LEAVE) {
        return Keys::Leave;
    }
    match mode {
        Mode::Typing => Keys::Type(bytes.to_vec()),
        Mode::Looking if bytes.first() == Some(&0x1b) => Keys::Nothing,
        Mode::Looking => {
            let leaves = |b: &u8| LEAVE_WHILE_LOOKING.contains(b);
            match bytes.iter().position(|b| *b == b'i' || leaves(b)) {
                None => Keys::Nothing,
                Some(at) if bytes.get(at) == Some(&b'i') => {
                    Keys::StartTyping(bytes.get(at + 1..).unwrap_or_default().to_vec())
                }
                Some(_) => Keys::Leave,
            }
        }
    }
}

/// The screen, and what has to be undone when it ends.
struct Screen {
    filter: Filter,
    modes: Modes,
}

impl Screen {
    fn new(mode: Mode) -> Screen {
        Screen { filter: Filter::new(pass(mode)), modes: Modes::default() }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let shown = self.filter.feed(bytes);
        self.modes.feed(&shown);
        let mut out = std::io::stdout().lock();
        out.write_all(&shown).and_then(|()| out.flush()).map_err(stdout_failed)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let mut out = std::io::stdout().lock();
        // A terminal that is gone needs nothing undone.
        let _ = out.write_all(&self.modes.undo()).and_then(|()| out.flush());
    }
}

fn pass(mode: Mode) -> Pass {
    Pass::Screen { queries: mode == Mode::Typing }
}

/// Shows a terminal; `typing` from the start, else only looking.
///
/// # Errors
/// The server's, or the terminal's.
pub async fn look(
    session: &Session,
    link: &dyn Link,
    job: JobId,
    rank: u32,
    typing: bool,
) -> Result<Ends, Failure> {
    let no_terminal = |error| Failure::failed(format!("cannot use this terminal; {error}"), "");
    let keyboard = match output::out_is_terminal() {
        true => Keyboard::take().map_err(no_terminal)?,
        false => None,
    };
    let Some(keyboard) = keyboard else {
        return follow::run_until_left(session, link, job, rank).await;
    };
    let mode = if typing { Mode::Typing } else { Mode::Looking };
    let ends = Looking { link, job, rank, mode, screen: Screen::new(mode), sized: false }
        .until_over(session, &keyboard, typing)
        .await;
    drop(keyboard);
    match ends {
        Ok(Ends::Left) => {
            session.output.note("");
            Ok(follow::left(session, job))
        }
        other => other,
    }
}

struct Looking<'a> {
    link: &'a dyn Link,
    job: JobId,
    rank: u32,
    mode: Mode,
    screen: Screen,
    /// The job's terminal took our size.
    sized: bool,
}

impl Looking<'_> {
    async fn until_over(
        mut self,
        session: &Session,
        keyboard: &Keyboard,
        typing: bool,
    ) -> Result<Ends, Failure> {
        let mut resized = follow::caught(SignalKind::window_change())?;
        let mut terminate = follow::caught(SignalKind::terminate())?;
        let mut hangup = follow::caught(SignalKind::hangup())?;
        let tail_bytes = (!typing).then_some(TAIL);
        let rank = Some(self.rank);
        let query = LogQuery { follow: true, tail_bytes, rank, ..LogQuery::default() };
        let mut output = Output::open(self.link, session, self.job, query).await?;
        if typing {
            self.resize().await;
        } else {
            let hint = format!("{}: looking only; i types, ctrl-\\ leaves\r", self.job);
            session.output.note(&hint);
        }
        loop {
            tokio::select! {
                piece = output.next() => match piece? {
                    Some(piece) => {
                        self.screen.write(&piece.bytes)?;
                        if self.mode == Mode::Typing && !self.sized {
                            self.resize().await;
                        }
                    }
                    None => return Ok(Ends::Over),
                },
                keys = keyboard.keys() => {
                    let keys = keys.unwrap_or_default();
                    if keys.is_empty() || !self.keys(session, &keys).await? {
                        return Ok(Ends::Left);
                    }
                }
                _ = resized.recv() => if self.mode == Mode::Typing { self.resize().await },
                _ = terminate.recv() => return Ok(Ends::Left),
                _ = hangup.recv() => return Ok(Ends::Left),
            }
        }
    }

    /// False when the person leaves.
    async fn keys(&mut self, session: &Session, bytes: &[u8]) -> Result<bool, Failure> {
        match read_keys(self.mode, bytes) {
            Keys::Leave => return Ok(false),
            Keys::Nothing => {}
            Keys::Type(bytes) => self.send(session, bytes).await?,
            Keys::StartTyping(rest) => {
                self.mode = Mode::Typing;
                self.screen.filter.set(pass(self.mode));
                self.resize().await;
                if !rest.is_empty() {
                    self.send(session, rest).await?;
                }
            }
        }
        Ok(true)
    }

    /// A refusal is shown and typing goes on: the job may not have started yet.
    async fn send(&self, session: &Session, bytes: Vec<u8>) -> Result<(), Failure> {
        use crate::link::LinkError;
        match self.link.input(self.job, self.rank, Bytes::from(bytes)).await {
            Ok(()) => Ok(()),
            Err(LinkError::Refused(refusal)) => {
                session.output.note(&format!("\r{refusal}\r"));
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The job's terminal gets the size of this one. One that does not run yet has none to
    /// change; its first output shows that it does.
    async fn resize(&mut self) {
        if let Some((rows, cols)) = output::terminal_size() {
            self.sized = self.link.resize(self.job, self.rank, rows, cols).await.is_ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_types_nothing_until_i() {
        assert_eq!(read_keys(Mode::Looking, b"yes\r"), Keys::Nothing);
        assert_eq!(read_keys(Mode::Looking, b"i"), Keys::StartTyping(Vec::new()));
        assert_eq!(read_keys(Mode::Looking, b"xils\r"), Keys::StartTyping(b"ls\r".to_vec()));
        assert_eq!(read_keys(Mode::Looking, b"\x1b[?62;4;22c i"), Keys::Nothing);
        assert_eq!(read_keys(Mode::Looking, b"\x03"), Keys::Leave);
        assert_eq!(read_keys(Mode::Looking, b"q"), Keys::Leave);
    }

    #[test]
    fn typing_passes_every_key_but_the_one_that_leaves() {
        assert_eq!(read_keys(Mode::Typing, b"q\x03"), Keys::Type(b"q\x03".to_vec()));
        assert_eq!(read_keys(Mode::Typing, b"\x1b[A"), Keys::Type(b"\x1b[A".to_vec()));
        assert_eq!(read_keys(Mode::Typing, b"ls\x1c"), Keys::Leave);
    }
}
