//! The way in: JSON over HTTP on a unix socket.
//!
//! [`wire`] defines every document and is the only place that does; [`auth`] says who asks;
//! [`server`] answers from the engine; [`client`] asks. Start with [`wire`], then
//! [`server::routes`].

pub mod auth;
pub mod client;
pub mod server;
pub mod wire;
