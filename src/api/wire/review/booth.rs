//! What a signer must know beside the review.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::wire::{SCHEMA_VERSION, WireError, check_version};
use crate::model::review::Booth;

/// What a signer must know beside the review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BoothDocument {
    /// 1.
    pub schema_version: u32,
    /// The installation: 64 hex digits.
    pub installation: String,
    /// The caller, as the server knows them.
    pub voter: String,
    /// Which vote of theirs on this review it would be, counted from 1.
    pub ballot: u32,
}

impl From<&Booth> for BoothDocument {
    fn from(from: &Booth) -> BoothDocument {
        BoothDocument {
            schema_version: SCHEMA_VERSION,
            installation: from.installation.to_string(),
            voter: from.voter.to_string(),
            ballot: from.ballot,
        }
    }
}

impl TryFrom<BoothDocument> for Booth {
    type Error = WireError;

    fn try_from(from: BoothDocument) -> Result<Booth, WireError> {
        check_version(from.schema_version)?;
        let installation = from.installation.parse();
        Ok(Booth {
            installation: installation
                .map_err(|_| WireError::unknown("installation", &from.installation))?,
            voter: from.voter.into(),
            ballot: from.ballot,
        })
    }
}
