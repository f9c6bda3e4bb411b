//! Signed votes: with the real `ssh-keygen` and `ssh-agent`, both ways; and every signature that
//! is not this vote's is refused.

pub mod bench;
mod console;
pub mod device;
mod refused;
mod round_trip;
