//! A review, for whoever decides it: what will run to the last character ([`bytes`]), who and by
//! which rule ([`people`]), what silence, a yes and a no lead to ([`silence`], [`then`]).
//!
//! What the asker says is never mixed with what was checked. All foreign text passes [`escape`].

pub mod bytes;
pub mod escape;
pub mod lines;
pub mod people;
pub mod silence;
pub mod then;

pub use lines::Lines;
