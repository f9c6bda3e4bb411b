//! People are told of reviews by what is really there: servers that answer, refuse and hang,
//! programs, and a server of our own that is killed in between.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what goes wrong here fails a test")]

mod habits;
mod listener;

mod programs;
mod restarts;
mod webhooks;

use holdshort::base::ReviewId;
use holdshort::model::review::{Delivery, Moment, Review};
use serde_json::Value;

use crate::asking::people::Agents;
use crate::place::wait_for;

/// A job that asks once and parks.
const ASKS: &str = "holdshort ask --effect external --summary 'it is due' -- say hello; exit $?";

/// A review, once a job of the place has asked for it.
fn ask(agents: &Agents) -> Review {
    let job = agents.submit("--name mail", ASKS);
    agents.open(job)
}

/// What came of a message, once that is known.
fn told(agents: &Agents, review: ReviewId, via: &str, moment: Moment) -> Delivery {
    let mut found = None;
    wait_for(&format!("{review} ({}) to be told by {via}", moment.word()), || {
        let review = agents.review(review);
        let over = |told: &Delivery| told.is_of(moment, via) && !told.open;
        found = review.told.into_iter().find(over);
        found.is_some()
    });
    found.unwrap()
}

/// The signals that a job was found by.
fn signals(job: &Value) -> Vec<&str> {
    let findings = job["findings"].as_array().unwrap();
    findings.iter().filter_map(|finding| finding["signal"].as_str()).collect()
}
