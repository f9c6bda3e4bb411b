//! `audit show R17`: one review from beginning to end, and the exact bytes for other programs.

use std::io::Write as _;

use clap::Args;
use serde_json::value::RawValue;

use super::Rows;
use crate::base::ReviewId;
use crate::base::text::sanitise;
use crate::cli::exit::{Failure, NOT_FOUND, OK, Outcome};
use crate::cli::output::{out_is_terminal, stdout_failed};
use crate::cli::session::Session;
use crate::cli::verbs::journal::storage;
use crate::engine::audit::Entry;
use crate::model::action::Json;
use crate::model::ports::journal::StorageError;
use crate::model::review::ballot::NAMESPACE;

/// How `ssh-keygen` checks what this prints.
const HELP: &str = "\
A signed vote is checked by ssh-keygen alone:
  holdshort audit show R17 --vote 1 --signature > vote.sig
  holdshort audit show R17 --vote 1 --text |
    ssh-keygen -Y verify -f ALLOWED_SIGNERS -I ana -n holdshort-review -s vote.sig
The action's hash is SHA-256 of its bytes:
  holdshort audit show R17 --action | sha256sum";

/// `audit show`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Show {
    /// The review: R17
    #[arg(value_name = "REVIEW", value_parser = review)]
    review: ReviewId,
    /// Print nothing but the bytes that the action's hash is of, as they were last
    #[arg(long, conflicts_with = "vote")]
    action: bool,
    /// One vote, counted from 1 as `audit show` lists them
    #[arg(long, value_name = "N", requires = "what")]
    vote: Option<usize>,
    /// Print nothing but what that vote signs
    #[arg(long, group = "what", requires = "vote")]
    text: bool,
    /// Print nothing but that vote's armoured signature
    #[arg(long, group = "what", requires = "vote")]
    signature: bool,
}

fn review(text: &str) -> Result<ReviewId, String> {
    text.parse().map_err(|()| "a review is written R17".to_owned())
}

impl Show {
    pub(super) fn run(self, session: &Session) -> Outcome {
        let dir = &session.places.paths.data;
        let entries = self.entries(session).map_err(|error| storage(&error, dir))?;
        if entries.is_empty() {
            let what = format!("the audit in {} knows no review {}", dir.display(), self.review);
            return Err(Failure::new(NOT_FOUND, what, "--data-dir says which audit is meant"));
        }
        if self.action {
            let last = entries.iter().rev().find_map(|(_, e)| e.text(&["fact", "action"]));
            return exact(last.unwrap_or_default());
        }
        if let Some(number) = self.vote {
            return self.of_vote(number, &entries);
        }
        if session.globals.json {
            return json(session, self.review, &entries);
        }
        let mut votes = 0;
        for (n, entry) in &entries {
            for line in lines(*n, entry, &mut votes, self.review) {
                session.output.line(&line)?;
            }
        }
        Ok(OK)
    }

    fn entries(&self, session: &Session) -> Result<Vec<(u64, Entry)>, StorageError> {
        let rows = Rows::open(&session.places.paths.data)?;
        let mut entries = Vec::new();
        rows.each(0, Some(self.review), |row| {
            let entry = Entry::read(&row.bytes).map_err(|why| {
                let n = row.n;
                StorageError::Damaged(format!("entry {n} of the audit can't be read: {why}"))
            })?;
            entries.push((row.n, entry));
            Ok::<(), StorageError>(())
        })?;
        Ok(entries)
    }

    fn of_vote(&self, number: usize, entries: &[(u64, Entry)]) -> Outcome {
        let mut votes = entries.iter().filter(|(_, entry)| is_vote(entry));
        let vote = number.checked_sub(1).and_then(|before| votes.nth(before));
        let Some((_, vote)) = vote else {
            let what = format!("{} has no vote {number}", self.review);
            let hint = format!("`holdshort audit show {}` lists its votes", self.review);
            return Err(Failure::new(NOT_FOUND, what, hint));
        };
        let key = if self.text { "text" } else { "armoured" };
        match vote.text(&["fact", "vote", "signature", key]) {
            Some(text) => exact(text),
            None => {
                let what = format!("vote {number} of {} was not signed", self.review);
                Err(Failure::new(NOT_FOUND, what, "`approve --sign` signs one"))
            }
        }
    }
}

fn is_vote(entry: &Entry) -> bool {
    entry.text(&["fact", "kind"]) == Some("voted")
}

/// Bytes as they are, for another program; a terminal gets them without control characters.
fn exact(text: &str) -> Outcome {
    let shown = if out_is_terminal() {
        text.split('\n').map(sanitise).collect::<Vec<_>>().join("\n")
    } else {
        text.to_owned()
    };
    let mut out = std::io::stdout().lock();
    out.write_all(shown.as_bytes()).and_then(|()| out.flush()).map_err(stdout_failed)?;
    Ok(OK)
}

fn json(session: &Session, review: ReviewId, entries: &[(u64, Entry)]) -> Outcome {
    let raw = |(n, entry): &(u64, Entry)| {
        let entry = RawValue::from_string(entry.json.canonical()).ok()?;
        Some(serde_json::json!({ "n": n, "entry": entry }))
    };
    session.json(&serde_json::json!({
        "schema_version": 1,
        "review": review.to_string(),
        "entries": entries.iter().filter_map(raw).collect::<Vec<_>>(),
    }))?;
    Ok(OK)
}

/// What is said of one entry.
fn lines(n: u64, entry: &Entry, votes: &mut usize, review: ReviewId) -> Vec<String> {
    let kind = entry.text(&["fact", "kind"]).unwrap_or_default();
    let mut lines = vec![format!("{}  {kind}{}  [{n}]", entry.at, author(entry))];
    let mut say = |text: String| lines.push(format!("    {}", sanitise(&text)));
    match kind {
        "requested" | "edited" => {
            for key in ["action_hash", "action", "summary"] {
                say(format!("{key}: {}", shown(entry.find(&["fact", key]))));
            }
            let rule = |key| shown(entry.find(&["fact", "rule", key]));
            if kind == "requested" {
                say(format!("policy: {}, version {}", rule("policy"), rule("version")));
            }
        }
        "voted" => {
            *votes += 1;
            vote(entry, *votes, review, &mut say);
        }
        _ => {
            let Some(Json::Object(pairs)) = entry.find(&["fact"]) else { return lines };
            let told = pairs.iter().filter(|(key, value)| key != "kind" && *value != Json::Null);
            for (key, value) in told {
                say(format!("{key}: {}", shown(Some(value))));
            }
        }
    }
    lines
}

/// Who brought it in, and how that was known.
fn author(entry: &Entry) -> String {
    let command = entry.text(&["by", "command"]).unwrap_or_default();
    let Some(user) = entry.text(&["by", "user"]) else { return format!("  by {command}") };
    let user = sanitise(user);
    match (entry.find(&["by", "in_job"]), entry.find(&["by", "uid"])) {
        (Some(Json::Number(job)), _) => format!("  {command} by job {job} of {user}"),
        (_, Some(Json::Number(uid))) => {
            format!("  {command} by {user} (uid {uid} at the socket, outside of every job)")
        }
        _ => format!("  {command} by {user}"),
    }
}

fn vote(entry: &Entry, number: usize, review: ReviewId, say: &mut impl FnMut(String)) {
    let of = |key| shown(entry.find(&["fact", "vote", key]));
    say(format!("vote {number}: {} {} of {}", of("by"), of("verdict"), of("action_hash")));
    say(format!("seat: {}, assurance: {}", of("seat"), of("assurance")));
    if entry.is_set(&["fact", "vote", "self"]) {
        say("self: the owner of the job decided, for nobody else is listed".to_owned());
    }
    say(format!("reason: {}", of("reason")));
    let signed = |key| entry.text(&["fact", "vote", "signature", key]);
    let Some(key) = signed("key") else { return say("not signed".to_owned()) };
    let touched = if entry.is_set(&["fact", "vote", "signature", "touched"]) {
        "on a device that was touched"
    } else {
        "no touch of a device is shown"
    };
    say(format!("signed with {key}: {touched}"));
    for line in signed("text").unwrap_or_default().lines() {
        say(line.to_owned());
    }
    for line in signed("armoured").unwrap_or_default().lines() {
        say(line.to_owned());
    }
    let show = format!("holdshort audit show {review} --vote {number}");
    let by = of("by");
    say(format!("{show} --signature > vote.sig"));
    say(format!(
        "{show} --text | ssh-keygen -Y verify -f ALLOWED_SIGNERS -I {by} -n {NAMESPACE} -s vote.sig"
    ));
}

fn shown(json: Option<&Json>) -> String {
    match json {
        None | Some(Json::Null) => "none".to_owned(),
        Some(Json::Text(text)) => text.clone(),
        Some(other) => other.canonical(),
    }
}
