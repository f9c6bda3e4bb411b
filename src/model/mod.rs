//! The nouns and the contracts between rooms.
//!
//! May use: `base`. Everything that crosses a wall is defined here: what comes in ([`Command`]),
//! what was decided ([`Fact`]), what must be done ([`Effect`]), why not ([`Reason`],
//! [`Refusal`]), what readers get ([`page`]) and what the outside must provide ([`ports`]).
//! Start with [`job`], then [`fact`].

pub mod access;
pub mod action;
pub mod command;
pub mod effect;
pub mod estimate;
pub mod fact;
pub mod filter;
pub mod finding;
pub mod history;
pub mod job;
pub mod node;
pub mod outlook;
pub mod page;
pub mod people;
pub mod pool;
pub mod ports;
pub mod program;
pub mod reason;
pub mod refusal;
pub mod resources;
pub mod review;
pub mod setup;
pub mod stamps;
pub mod submission;
pub mod team;
pub mod window;

pub use command::Command;
pub use effect::Effect;
pub use fact::Fact;
pub use finding::Finding;
pub use job::{Job, JobSpec, State};
pub use node::Node;
pub use people::Actor;
pub use reason::Reason;
pub use refusal::Refusal;
pub use resources::Resources;
pub use review::Review;
pub use team::Team;
