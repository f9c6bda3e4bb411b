//! `--warn-signal USR1@120s`.

use nix::sys::signal::Signal;

use crate::base::{Span, duration};
use crate::model::job::WarnSignal;

/// Time before a stop if none is said.
const BEFORE: Span = Span::secs(60);

/// Reads a signal by name (`USR1`, `SIGUSR1`) or number and, after `@`, how long before the stop.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn parse_warn(text: &str) -> Result<WarnSignal, String> {
    let (signal, before) = match text.split_once('@') {
        None => (text, BEFORE),
        Some((signal, before)) => (signal, duration::parse(before)?),
    };
    Ok(WarnSignal { signal: number(signal)?, before })
}

/// The number of a signal given by name or number.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn number(text: &str) -> Result<i32, String> {
    let unknown = || format!("`{text}` is no signal; write USR1, TERM or a number such as 10");
    if let Ok(n) = text.parse::<i32>() {
        let signal = Signal::try_from(n).map_err(|_| unknown())?;
        return catchable(signal);
    }
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let signal: Signal = format!("SIG{name}").parse().map_err(|_| unknown())?;
    catchable(signal)
}

fn catchable(signal: Signal) -> Result<i32, String> {
    if matches!(signal, Signal::SIGKILL | Signal::SIGSTOP) {
        return Err(format!("{signal} cannot warn: no program can catch it"));
    }
    Ok(signal as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_the_time_before_are_read() {
        let usr1 = WarnSignal { signal: 10, before: Span::secs(120) };
        assert_eq!(parse_warn("USR1@120s"), Ok(usr1));
        assert_eq!(parse_warn("SIGUSR1@2m"), Ok(usr1));
        assert_eq!(parse_warn("10@120s"), Ok(usr1));
        assert_eq!(parse_warn("usr1"), Ok(WarnSignal { signal: 10, before: BEFORE }));
        for bad in ["", "FOO@1s", "USR1@", "USR1@x", "0", "9999", "KILL@5s", "9@5s", "-1"] {
            assert!(parse_warn(bad).is_err(), "{bad}");
        }
    }
}
