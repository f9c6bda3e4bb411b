//! Where words go: stdout for what was asked for, stderr for everything beside it.
//!
//! Colour is decided once, from `--color`, `NO_COLOR` and whether the stream is a terminal;
//! texts carry SGR sequences and are stripped on the way out where colour is off.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};

use super::exit::Failure;

/// `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// If the stream is a terminal and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Also into a pipe.
    Always,
    /// Never.
    Never,
}

/// The two streams.
#[derive(Debug, Clone, Copy, Default)]
pub struct Output {
    /// `--color`.
    pub color: Color,
}

impl Output {
    /// Writes to stdout. A reader that went away ends the program without words.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub fn out(&self, text: &str) -> Result<(), Failure> {
        let choice = self.choice(&io::stdout());
        let mut stream = AutoStream::new(io::stdout().lock(), choice);
        stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).map_err(stdout_failed)
    }

    /// Writes a line to stdout.
    ///
    /// # Errors
    /// As [`Output::out`].
    pub fn line(&self, text: &str) -> Result<(), Failure> {
        self.out(&format!("{text}\n"))
    }

    /// Writes a line to stderr. If that fails there is nobody to tell.
    pub fn note(&self, text: &str) {
        let choice = self.choice(&io::stderr());
        let mut stream = AutoStream::new(io::stderr().lock(), choice);
        let _ = writeln!(stream, "{text}");
    }

    /// Writes `warning: TEXT` to stderr.
    pub fn warn(&self, text: &str) {
        self.note(&format!("\x1b[33mwarning:\x1b[0m {text}"));
    }

    /// Says why a verb failed.
    pub fn failure(&self, failure: &Failure) {
        if failure.what.is_empty() {
            return;
        }
        let what = without_number(&failure.what);
        self.note(&format!("\x1b[1;31merror:\x1b[0m {what}"));
        if !failure.hint.is_empty() {
            self.note(&format!("\x1b[1mhint:\x1b[0m {}", failure.hint));
        }
    }

    /// Text for stdout keeps its colours.
    pub fn out_has_colour(&self) -> bool {
        self.choice(&io::stdout()) != ColorChoice::Never
    }

    fn choice(&self, stream: &impl anstream::stream::RawStream) -> ColorChoice {
        match self.color {
            Color::Auto => AutoStream::choice(stream),
            Color::Always => ColorChoice::AlwaysAnsi,
            Color::Never => ColorChoice::Never,
        }
    }
}

/// Stdout is a terminal.
pub fn out_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// A person sits there who can be asked: stdin and stderr are terminals.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks on stderr and reads a line from stdin.
///
/// # Errors
/// When stdin cannot be read.
pub fn ask(question: &str) -> Result<String, Failure> {
    let mut err = io::stderr().lock();
    let _ = err.write_all(question.as_bytes()).and_then(|()| err.flush());
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format!("cannot read the answer; {error}"), ""))?;
    Ok(answer)
}

/// Rows and columns of the terminal behind stdout.
pub fn terminal_size() -> Option<(u16, u16)> {
    super::terminal::size_of(&io::stdout())
}

/// The text without the numbers that the standard library puts behind the system's words.
fn without_number(what: &str) -> Cow<'_, str> {
    let Some((before, rest)) = what.split_once(" (os error ") else { return what.into() };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    format!("{before}{}", without_number(after)).into()
}

/// What a failed write to stdout means.
#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
pub fn stdout_failed(error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::broken_pipe();
    }
    Failure::failed(format!("cannot write to stdout; {error}"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words_go_without_its_numbers() {
        let said = without_number("cannot read a: Permission denied (os error 13). Look at it");
        assert_eq!(said, "cannot read a: Permission denied. Look at it");
        assert_eq!(without_number("nothing (of that kind)"), "nothing (of that kind)");
    }
}
