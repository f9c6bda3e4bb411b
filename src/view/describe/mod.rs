//! One thing in full: a job ([`mod@job`]), why it is where it is ([`mod@why`]), a review
//! ([`mod@review`]), many ([`mod@reviews`]), the nodes ([`place`]), what would happen if
//! ([`mod@outlook`]), the tree of teams ([`mod@teams`]), the server ([`server`]), a line of the
//! journal ([`events`]).

pub mod events;
pub mod job;
pub mod outlook;
pub mod place;
pub mod review;
pub mod reviews;
pub mod server;
mod sheet;
pub mod teams;
mod trouble;
pub mod usage;
pub mod why;

pub use events::{event_line, event_time, is_bookkeeping};
pub use job::job;
pub use outlook::outlook;
pub use place::{held, nodes, summary};
pub use reviews::reviews;
pub use server::status;
pub use sheet::LABEL;
pub use teams::{team, teams, weights};
pub use trouble::trouble;
pub use usage::usage;
pub use why::why;
