//! Ending jobs: how it is asked of the server, and what is done once it was confirmed.

use crate::base::{JobId, Span};
use crate::model::command::Verb;
use crate::tui::app::App;
use crate::tui::event::{Deed, Effect};

/// How long a cancellation can be taken back, by anybody. The server keeps the time: it stands
/// if the console dies.
pub const GRACE: Span = Span::secs(5);

/// It was confirmed: the only place in the console that cancels.
pub fn confirmed(app: &mut App, jobs: Vec<JobId>, out: &mut Vec<Effect>) {
    app.perform(Deed::Act { jobs, verb: verb() }, out);
}

/// What is asked of the server once it was confirmed.
pub fn verb() -> Verb {
    Verb::CancelIn { after: GRACE, reason: None }
}

/// `CANCEL 42 fix-auth`, `CANCEL 12 JOBS`.
pub fn headline(app: &App, what: &str, jobs: &[JobId]) -> String {
    match jobs {
        [job] => {
            let name = app.ground.known.row(*job).map(|row| row.name.to_string());
            format!("{what} {job} {}", name.unwrap_or_default())
        }
        jobs => format!("{what} {} JOBS", jobs.len()),
    }
}
