//! What stands beside a review: its job, the count, and how the reader stands to it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::vote::verdict_of;
use crate::api::wire::WireError;
use crate::api::wire::amounts::Amounts;
use crate::api::wire::words::Word as _;
use crate::model::page::reviews::{Beside, Reader};
use crate::model::review::Assurance;

/// What does not stand in a review itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BesideShown {
    /// The job's name.
    pub job_name: String,
    /// The word of the job's state.
    pub job_state: String,
    /// What the job holds while it waits.
    pub holds: Amounts,
    /// Yeses that count now.
    pub yes: u32,
    /// Noes that count now.
    pub no: u32,
    /// How the reader stands to it.
    pub reader: ReaderShown,
}

/// How whoever asks for this stands to the review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReaderShown {
    /// May vote now.
    pub may_vote: bool,
    /// The seat that a vote would fill.
    pub seat: Option<String>,
    /// Owns the job, and nobody else may decide.
    #[serde(rename = "self")]
    pub own: bool,
    /// Why not, or what a yes would lack.
    pub why_not: Option<String>,
    /// How sure we are of who this is: `same-user`, `other-user` or `hardware`.
    pub assurance: String,
    /// Sure enough for a yes.
    pub sure_enough: bool,
    /// What the reader voted, if that stands: `approve`, `deny` or `deny_and_stop`.
    #[serde(default)]
    pub voted: Option<String>,
}

impl From<&Beside> for BesideShown {
    fn from(from: &Beside) -> BesideShown {
        let Reader { seat, own, why_not, assurance, sure, voted } = &from.reader;
        BesideShown {
            job_name: from.job_name.to_string(),
            job_state: from.job_state.to_string(),
            holds: (&from.holds).into(),
            yes: from.yes,
            no: from.no,
            reader: ReaderShown {
                may_vote: seat.is_some(),
                seat: seat.as_ref().map(ToString::to_string),
                own: *own,
                why_not: why_not.clone(),
                assurance: assurance.to_word(),
                sure_enough: *sure,
                voted: voted.map(|verdict| verdict.word().to_owned()),
            },
        }
    }
}

impl TryFrom<BesideShown> for Beside {
    type Error = WireError;

    fn try_from(from: BesideShown) -> Result<Beside, WireError> {
        let reader = from.reader;
        Ok(Beside {
            job_name: from.job_name.into(),
            job_state: from.job_state.into(),
            holds: from.holds.into(),
            yes: from.yes,
            no: from.no,
            reader: Reader {
                seat: reader.seat.filter(|_| reader.may_vote).map(Into::into),
                own: reader.own,
                why_not: reader.why_not,
                assurance: Assurance::of_word(&reader.assurance)?,
                sure: reader.sure_enough,
                voted: reader.voted.as_deref().map(verdict_of).transpose()?,
            },
        })
    }
}
