//! The audit: what became so of reviews, one entry for each fact, kept for good.
//!
//! An entry is canonical JSON (RFC 8785) and says all of a fact in words that don't depend on the
//! journal's: so it outlives the journal's records, which compaction drops. The store binds each
//! entry to all before it, in the transaction of the commit. [`entries`] makes them, [`facts`]
//! says what a fact is in an entry, [`check`] compares with the journal, [`mod@file`] is the
//! exported form and its check. What stands in an entry of a version never changes: a new field is
//! a new version, or the comparison with an older journal fails. An entry is of the lowest version
//! that says all of its record, so that older records give the same entry as when they were new.

pub mod check;
mod facts;
pub mod file;
#[cfg(test)]
mod version_tests;

use crate::base::ReviewId;
use crate::model::action::Json;
use crate::model::command::Command;
use crate::model::fact::{Fact, Record};
use crate::model::people::{Actor, Evidence};
use crate::model::ports::journal::Audited;
use crate::model::review::ReviewCommand;
use crate::sched::World;
use facts::{flag, name, number, object, optional, text};

/// The version of an entry. Version 2 tells a process in a job's tree from one that showed the
/// job's token, and knows votes that can be taken back.
fn version(command: &Command, fact: &Fact) -> u64 {
    let evidence = command.author().is_some_and(|by| by.job_by.is_some());
    let back = matches!(fact, Fact::Review { fact, .. } if facts::is_of_second_version(fact));
    if evidence || back { 2 } else { 1 }
}

/// What a record says about reviews. `world` is the one after it.
pub fn entries(record: &Record, world: &World) -> Vec<Audited> {
    record.facts.iter().filter_map(|fact| entry(record, fact, world)).collect()
}

fn entry(record: &Record, fact: &Fact, world: &World) -> Option<Audited> {
    let (review, job, said) = match fact {
        // That somebody still looks is nothing to keep for good.
        Fact::Review { fact, .. } if fact.is_said_again() => return None,
        Fact::Review { review, job, fact } => {
            let bound = world.desk().get(*review).cloned();
            (Some(*review), Some(*job), facts::json(fact, bound.as_deref()))
        }
        Fact::SeatsHandedOn { from, to, until, by } => {
            let said = object(&[
                ("kind", text("seats_handed_on")),
                ("from", text(from)),
                ("to", name(to.as_ref())),
                ("until", facts::wall(*until)),
                ("by", text(by)),
            ]);
            (None, None, said)
        }
        _ => return None,
    };
    let shown = object(&[
        ("v", number(version(&record.command, fact))),
        ("at", text(&record.at.wall.rfc3339())),
        ("record", number(record.seq)),
        ("review", optional(review, |review| text(&review.to_string()))),
        ("job", optional(job, |job| number(job.0))),
        ("by", caused(&record.command)),
        ("fact", said),
    ]);
    let bytes = shown.canonical().into_bytes();
    Some(Audited { review: review.map_or(0, |ReviewId(n)| n), bytes })
}

/// What came in, from whom, and how that was known.
fn caused(command: &Command) -> Json {
    let what = match command {
        Command::Review(review) => match &**review {
            ReviewCommand::Ask { .. } => "ask",
            ReviewCommand::Act(act) => act.verb.word(),
            ReviewCommand::Away { .. } => "away",
            ReviewCommand::Told { .. } => "told",
        },
        Command::Tick => "time",
        Command::Configure(_) => "configure",
        Command::Started { .. } => "server_started",
        Command::Task { .. } => "task",
        Command::Act(_) => "act_on_job",
        _ => "other",
    };
    let by = command.author();
    let known_by = match by {
        None => "the_program_itself",
        Some(Actor { job_by: Some(Evidence::Tree), .. }) => "process_tree_of_job",
        Some(Actor { job_by: Some(Evidence::Token), .. }) => "token_of_job",
        Some(by) if by.in_job.is_some() => "process_tree_or_token_of_job",
        Some(by) if by.uid.is_some() => "uid_of_socket_peer_outside_of_jobs",
        Some(_) => "the_program_itself",
    };
    object(&[
        ("command", text(what)),
        ("user", optional(by, |by| text(&by.user))),
        ("uid", optional(by.and_then(|by| by.uid), |uid| number(uid.into()))),
        ("in_job", optional(by.and_then(|by| by.in_job), |job| number(job.0))),
        ("known_by", text(known_by)),
    ])
}

/// What an entry says of itself, for those who look for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// When, as text.
    pub at: String,
    /// The journal's record it comes from.
    pub record: u64,
    /// The review; none if it is about several.
    pub review: Option<ReviewId>,
    /// All of it.
    pub json: Json,
}

impl Entry {
    /// Reads an entry.
    ///
    /// # Errors
    /// When it is not one, or not written canonically.
    pub fn read(bytes: &[u8]) -> Result<Entry, String> {
        let entry = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let json = Json::read(entry)?;
        if json.canonical() != entry {
            return Err("it is not written canonically".to_owned());
        }
        let review = match json.get("review") {
            Some(Json::Text(review)) => {
                Some(review.parse().map_err(|()| format!("{review:?} is no review"))?)
            }
            Some(Json::Null) => None,
            _ => return Err("it does not say which review it is about".to_owned()),
        };
        let (Some(Json::Text(at)), Some(Json::Number(record))) =
            (json.get("at"), json.get("record"))
        else {
            return Err("it does not say when, or from which record".to_owned());
        };
        let record = record.parse().map_err(|_| format!("{record} is no number of a record"))?;
        Ok(Entry { at: at.clone(), record, review, json })
    }

    /// What a path of keys leads to.
    pub fn find(&self, path: &[&str]) -> Option<&Json> {
        path.iter().try_fold(&self.json, |json, key| json.get(key))
    }

    /// The text a path of keys leads to.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        match self.find(path) {
            Some(Json::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether a path of keys leads to true.
    pub fn is_set(&self, path: &[&str]) -> bool {
        self.find(path) == Some(&flag(true))
    }
}
