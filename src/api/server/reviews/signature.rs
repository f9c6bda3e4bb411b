//! Signatures that come with votes.

use crate::api::server::fault::{Answer, Fault};
use crate::model::Actor;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Review, Signature, Verdict};

/// Checks the signature that came with a vote. Only what was checked gets into a command.
///
/// # Errors
/// When it cannot be checked: a vote is never taken as if it had come without.
pub fn checked(
    armoured: &str,
    review: &Review,
    _verdict: Verdict,
    _by: &Actor,
) -> Answer<Box<Signature>> {
    let bytes = armoured.len();
    let what = format!("the signature of {bytes} bytes on {} cannot be checked here", review.id);
    Err(Fault::from(Refusal::new(RefusalCode::Forbidden, what, "vote without a signature")))
}
