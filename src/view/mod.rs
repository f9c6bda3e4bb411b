//! Pages as rows, columns, sentences and lines; the filter language.
//!
//! May use: `base`, `model`. Text and a role for each piece: no colours, no JSON, no clock. The
//! command line and the console share it. [`sight`] carries time and zone, [`mod@line`] is what
//! everything is made of; then [`list`] for jobs, [`describe`] for one thing, [`words`] for
//! sentences. Text from outside passes `base::text::sanitise` where it enters a line.

pub mod describe;
pub mod filter;
pub mod hours;
pub mod line;
pub mod list;
pub mod next;
pub mod sight;
pub mod standing;
pub mod table;
pub mod words;

#[cfg(test)]
pub(crate) mod sample;
