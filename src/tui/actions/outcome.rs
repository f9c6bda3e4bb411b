//! How a deed went, in a sentence for the footer.

use crate::base::{JobId, ReviewId, duration};
use crate::link::LinkError;
use crate::model::command::Verb;
use crate::model::review::{ReviewVerb, Verdict};
use crate::tui::app::App;
use crate::tui::event::Deed;
use crate::tui::feed::tasks::slow;
use crate::view::words::counted;

/// Says how it went. Marks of jobs something was done with are over.
pub fn tell(app: &mut App, deed: &Deed, result: Result<Option<JobId>, LinkError>) {
    if matches!(deed, Deed::Signed { .. }) {
        app.ground.signing = None;
    }
    let back = app.undo.settle(deed, result.is_ok());
    let what = described(deed);
    match (result, what) {
        (Ok(_), None) => {}
        (Ok(Some(new)), Some(what)) => app.ground.say(format!("{what}: it is {new}")),
        (Ok(None), Some(what)) => {
            let back = if back { " (u takes it back)" } else { "" };
            let stays = staying(app, deed);
            app.ground.say(format!("{what}{stays}{back}"));
            if let Deed::Act { jobs, .. } = deed {
                app.ground.marks.retain(|job| !jobs.contains(job));
            }
        }
        (Err(error), what) => {
            let what = what.unwrap_or_else(|| "the program's terminal".to_owned());
            // What would have followed leaves the room to why it did not.
            let what = what.split("; ").next().unwrap_or_default();
            // The mark of what was looked at is nobody's worry.
            if matches!(deed, Deed::Looked(_)) || deed.is_glance() {
                return;
            }
            if error == slow() {
                // Whether it was done is not known: a server that goes on may still do it.
                let text = format!("no answer within 10 s: nobody knows yet whether {what}");
                app.ground.complain(text);
            } else {
                app.ground.complain(format!("not done, {what}: {error}"));
            }
        }
    }
}

/// What was done; nothing for what shows by itself.
fn described(deed: &Deed) -> Option<String> {
    let named = |jobs: &[JobId]| match jobs {
        [job] => job.to_string(),
        jobs => counted(jobs.len() as u64, "job"),
    };
    Some(match deed {
        Deed::Act { jobs, verb } => acted(&named(jobs), verb),
        Deed::Array { array, verb } => acted(&format!("array {array}"), verb),
        Deed::Again(job) => format!("{job} submitted again"),
        Deed::PauseAll { .. } => "everything paused".to_owned(),
        Deed::ResumeAll => "everything resumed".to_owned(),
        Deed::PauseTeam { team, .. } => format!("team {team} paused"),
        Deed::ResumeTeam(team) => format!("team {team} resumed"),
        Deed::EditTeam { team, .. } => format!("team {team} changed"),
        Deed::Drain { node, on: true, .. } => format!("{node} drained"),
        Deed::Drain { node, on: false, .. } => format!("{node} takes work again"),
        Deed::Input { bytes, .. } if bytes.ends_with(b"\r") && bytes.len() > 1 => {
            "answer sent".to_owned()
        }
        Deed::Review { review, verb } => return reviewed(*review, verb),
        Deed::Signed { review, verb, .. } => return reviewed(review.id, verb),
        Deed::Input { .. } | Deed::Size { .. } | Deed::Looked(_) => return None,
    })
}

/// What was done with a review; nothing for a look at it.
fn reviewed(review: ReviewId, verb: &ReviewVerb) -> Option<String> {
    Some(match verb {
        ReviewVerb::Vote { verdict: Verdict::Approve, undo, .. } => {
            format!("yes to {review}; it counts from {} on", duration::short(*undo))
        }
        ReviewVerb::Vote { verdict: Verdict::Deny { stop }, undo, .. } => {
            let then = if *stop { "its job stops" } else { "its job reads why" };
            format!("no to {review}; {then} in {}", duration::short(*undo))
        }
        ReviewVerb::Edit { .. } => format!("{review} changed; votes begin anew"),
        ReviewVerb::AskBack { .. } => format!("{review} asked back; its clock stands"),
        ReviewVerb::Answer { .. } => format!("{review} answered"),
        ReviewVerb::Delegate { to } => format!("your seat for {review} goes to {to}"),
        ReviewVerb::Escalate => format!("{review} escalated"),
        ReviewVerb::Extend { by } => format!("{review} has {} more", duration::short(*by)),
        ReviewVerb::Withdraw { .. } => format!("{review} withdrawn"),
        ReviewVerb::Revoke { .. } => format!("your answer to {review} taken back"),
        ReviewVerb::Redeem { .. } => format!("{review} used"),
        ReviewVerb::Look | ReviewVerb::Leave => return None,
    })
}

/// What was done with jobs that are called so.
fn acted(jobs: &str, verb: &Verb) -> String {
    match verb.parts().0 {
        Verb::Because { .. } => format!("{jobs} changed"),
        Verb::Cancel { .. } => format!("{jobs} cancelled"),
        Verb::CancelIn { after, .. } => {
            format!("{jobs} cancelled in {}", duration::short(*after))
        }
        Verb::Keep => format!("{jobs} kept"),
        Verb::Pause { .. } => format!("{jobs} paused"),
        Verb::Resume => format!("{jobs} resumed"),
        Verb::Requeue => format!("{jobs} stopped and queued again"),
        Verb::Preempt => format!("{jobs} stopped; others get the room"),
        Verb::Next => format!("{jobs} moved to the front"),
        Verb::Ack => format!("{jobs} seen"),
        Verb::Set(change) => match change.priority {
            Some(priority) => format!("priority of {jobs} is {priority}"),
            None => format!("{jobs} changed"),
        },
        Verb::Answered => format!("{jobs} answered"),
    }
}

/// What becomes of the jobs on a node that takes no more: nothing.
fn staying(app: &App, deed: &Deed) -> String {
    let Deed::Drain { node, on: true, .. } = deed else { return String::new() };
    let summary = app.ground.known.summary.as_ref();
    let row = summary.and_then(|summary| summary.nodes.iter().find(|row| row.name == *node));
    match row.map_or(0, |row| row.tasks) {
        0 => String::new(),
        n => format!(": no new work; {} on it to the end", go_on(n)),
    }
}

fn go_on(n: u64) -> String {
    format!("{} {}", counted(n, "task"), if n == 1 { "goes on" } else { "go on" })
}
