//! A review, for whoever decides it: what will run to the last character ([`bytes`]), what was
//! compared and checked ([`card`]), who and by which rule ([`people`]), what silence, a yes and a
//! no lead to ([`silence`], [`then`]), and what a yes takes ([`proof`]).
//!
//! What the asker says is never mixed with what was checked. All foreign text passes [`escape`].

pub mod bytes;
pub mod card;
pub mod escape;
pub mod lines;
pub mod list;
pub mod people;
pub mod proof;
pub mod silence;
pub mod then;

pub use lines::Lines;
pub use proof::Proof;
