//! Words of the command line and of script headers become values.
//!
//! Start with [`options`], what `submit`, `run` and `again` share. [`program`] makes a command
//! out of the words after them, [`header`] reads the same options from a script.

pub mod array;
pub mod batch;
pub mod environment;
pub mod groups;
pub mod header;
pub mod options;
pub mod program;
pub mod sbatch;
pub mod signals;
pub mod target;
pub mod values;
pub mod wishes;
pub mod words;
