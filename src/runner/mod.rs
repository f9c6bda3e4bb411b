//! Starts, stops, freezes and watches the processes of tasks.
//!
//! May use: `base`, `model`. One module per kind of place: [`local`] runs processes on this
//! machine. Start with [`local::LocalRunner`], which implements
//! [`crate::model::ports::Runner`].

pub mod local;
