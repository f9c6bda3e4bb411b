//! What went wrong, as `application/problem+json` (RFC 9457) with a stable `code`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::review::shown::ReviewShown;
use crate::model::refusal::{Refusal, RefusalCode};

/// The media type of a [`Problem`].
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Code of an answer that did not come in time.
pub const TIMEOUT: &str = "timeout";

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// `about:blank`: the status and the code say what kind it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// The phrase of the status.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What was refused and why.
    pub detail: String,
    /// The stable code.
    pub code: String,
    /// What to do instead; may be empty.
    pub hint: String,
    /// The review as it stands, where what was asked of it is not possible any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Box<ReviewShown>>,
}

/// The HTTP status of a refusal.
pub const fn status_of(code: RefusalCode) -> u16 {
    match code {
        RefusalCode::Usage => 400,
        RefusalCode::NotFound => 404,
        RefusalCode::Forbidden => 403,
        RefusalCode::Conflict
        | RefusalCode::NeverFits
        | RefusalCode::KeyReused
        | RefusalCode::Changed => 409,
        RefusalCode::Spent => 410,
        RefusalCode::DiskFull => 507,
        RefusalCode::TooMany => 429,
        RefusalCode::ShuttingDown => 503,
        RefusalCode::Internal => 500,
    }
}

impl Problem {
    /// A problem of any status and code.
    pub fn new(status: u16, title: &str, code: &str, detail: &str, hint: &str) -> Problem {
        Problem {
            kind: "about:blank".to_owned(),
            title: title.to_owned(),
            status,
            detail: detail.to_owned(),
            code: code.to_owned(),
            hint: hint.to_owned(),
            review: None,
        }
    }

    /// The refusal it stands for. A code of the transport, or of a newer server, becomes the
    /// nearest code of the model by its status.
    pub fn into_refusal(self) -> Refusal {
        let known = RefusalCode::ALL.into_iter().find(|code| code.word() == self.code);
        let code = known.unwrap_or(match self.status {
            401 | 403 => RefusalCode::Forbidden,
            404 => RefusalCode::NotFound,
            409 => RefusalCode::Conflict,
            429 => RefusalCode::TooMany,
            503 => RefusalCode::ShuttingDown,
            507 => RefusalCode::DiskFull,
            400..500 => RefusalCode::Usage,
            _ => RefusalCode::Internal,
        });
        Refusal { code, what: self.detail, hint: self.hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_survives_the_way_out_and_back() {
        for code in RefusalCode::ALL {
            let refusal = Refusal::new(code, "what", "do this");
            let status = status_of(code);
            let problem = Problem::new(status, "title", code.word(), &refusal.what, &refusal.hint);
            assert_eq!(problem.into_refusal(), refusal);
            assert!((400..600).contains(&status));
        }
    }

    #[test]
    fn a_code_of_the_transport_becomes_the_nearest_of_the_model() {
        let code = |status| Problem::new(status, "", "new_word", "", "").into_refusal().code;
        assert_eq!(code(401), RefusalCode::Forbidden);
        assert_eq!(code(413), RefusalCode::Usage);
        assert_eq!(code(599), RefusalCode::Internal);
    }
}
