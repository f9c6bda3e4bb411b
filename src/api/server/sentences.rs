//! The sentences of `view` for the documents of `api/wire`.

use super::app::App;
use crate::api::wire::Words;
use crate::base::At;
use crate::model::{Finding, Reason};
use crate::view::sight::Sight;
use crate::view::words;

/// Sentences as seen at one time, in UTC: the reader's zone is not known here.
pub struct Sentences(Sight);

impl Sentences {
    /// As seen when a page was made.
    pub fn at(at: At) -> Sentences {
        Sentences(Sight::utc(at))
    }

    /// As seen at the engine's own time, for documents that do not carry one.
    pub fn now(app: &App) -> Sentences {
        Sentences::at(app.handle.at())
    }
}

impl Words for Sentences {
    fn reason(&self, reason: &Reason) -> String {
        words::reason(reason, &self.0)
    }

    fn change(&self, reason: &Reason) -> String {
        words::change(reason, &self.0)
    }

    fn finding(&self, finding: &Finding) -> String {
        words::finding(finding, &self.0)
    }
}
