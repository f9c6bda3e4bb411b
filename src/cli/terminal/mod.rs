//! The caller's own terminal: its size, its modes, and what may be written to it.
//!
//! [`filter`] keeps a job's bytes from doing more than drawing, [`modes`] knows what to undo
//! when a full-screen program's output ends in the middle, [`raw`] takes the keyboard.

pub mod filter;
pub mod modes;
pub mod raw;

use std::os::fd::AsFd;

/// Rows and columns of the terminal behind a stream, if it is one.
pub fn size_of(stream: &impl AsFd) -> Option<(u16, u16)> {
    let (width, height) = terminal_size::terminal_size_of(stream)?;
    (height.0 > 0 && width.0 > 0).then_some((height.0, width.0))
}
