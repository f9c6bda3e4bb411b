//! Reviews as JSON: what is asked, by which rule, what people say, what became so.
//!
//! [`list`] is a page of them, [`card`] all about one ([`shown`] is the review itself, [`reader`]
//! what stands beside it), [`requests`] what can be done; [`decision`] is what its job reads,
//! [`fact`] what events show. The other files are the parts these are made of.

pub mod action;
pub mod ask;
pub mod booth;
pub mod card;
pub mod decision;
pub mod fact;
pub mod habit;
pub mod list;
pub mod reader;
pub mod requests;
pub mod rule;
pub mod said;
pub mod shown;
pub mod step;
pub mod target;
pub mod vote;

use super::WireError;
use crate::base::{Digest, ReviewId};

const SHA256: &str = "sha256:";

/// A hash as INTERFACE writes it: `sha256:HEX`.
pub(super) fn hash_text(digest: Digest) -> String {
    format!("{SHA256}{digest}")
}

/// The hash behind its text.
pub(super) fn hash_of(text: &str) -> Result<Digest, WireError> {
    let digest = text.strip_prefix(SHA256).and_then(|hex| hex.parse().ok());
    digest.ok_or_else(|| WireError::unknown("hash", text))
}

/// The review behind its text: `R17`.
pub(super) fn review_of(text: &str) -> Result<ReviewId, WireError> {
    text.parse().map_err(|()| WireError::unknown("review", text))
}
