//! Who asks, who may decide by which rule, who has spoken, who has it open.

use super::lines::Lines;
use crate::base::duration;
use crate::base::text::sanitise;
use crate::model::review::{Demand, Review, Said, Verdict, Vote};
use crate::view::line::Role;
use crate::view::sight::Sight;
use crate::view::words;

/// Who asks, for whom, by which rule, and who was told.
pub fn who(review: &Review, job: Option<&str>, listed: &[String], sight: &Sight, out: &mut Lines) {
    let agent = review.ask.agent.as_deref();
    let attempt = review.attempt;
    let job = job.map_or_else(String::new, |name| format!(" {name}"));
    out.pair("asks", agent.map_or("the job", |agent| agent), Role::Plain);
    out.pair("in job", &format!("{}{job}, attempt {attempt}", review.job), Role::Plain);
    out.pair("for", &format!("{}, team {}", review.owner, review.team), Role::Plain);
    let asked = sight.day(review.asked.wall);
    let since = sight.since(review.asked.now);
    out.pair("asked", &format!("{asked}, {since} ago"), Role::Plain);
    out.pair("rule", &rule(review), Role::Plain);
    if !listed.is_empty() {
        out.pair("may say", &listed.join(", "), Role::Plain);
    }
    if review.rule.assurance == Demand::High {
        let text = "needs another account than the job's, or a touched hardware key";
        out.pair("a yes", text, Role::NeedsYou);
    }
    told(review, sight, out);
    for handed in &review.delegations {
        let text = format!("{} hands the seat to {}", handed.from, handed.to);
        out.pair("seat", &text, Role::Plain);
    }
    if review.ask.undeclared {
        out.pair("note", "the job did not say that it would ask this", Role::Stuck);
    }
    if let Some(before) = review.denied_before {
        out.pair("note", &format!("people said no to such a thing before: {before}"), Role::Stuck);
    }
    if let Some(old) = review.replaces {
        out.pair(
            "note",
            &format!("takes the place of {old}, which was for other bytes"),
            Role::Stuck,
        );
    }
}

/// The rule in a line: `large-payments: 2 yeses, 1 no`.
fn rule(review: &Review) -> String {
    let rule = &review.rule;
    let name = match &rule.policy {
        Some(name) => format!("{name} ({})", rule.version),
        None => "the default".to_owned(),
    };
    let yes = words::counted(u64::from(rule.need), "yes").replace("yess", "yeses");
    match rule.deny_at {
        1 => format!("{name}: {yes}"),
        n => format!("{name}: {yes}, {n} noes deny"),
    }
}

fn told(review: &Review, sight: &Sight, out: &mut Lines) {
    let escalated = match review.level {
        0 => None,
        1 => Some("reminded"),
        _ => Some("the next people are asked too"),
    };
    if let Some(text) = escalated {
        out.pair("level", text, Role::NeedsYou);
    }
    let (arrived, failed): (Vec<_>, Vec<_>) =
        review.told.iter().partition(|delivery| delivery.failed.is_none());
    if let Some(first) = arrived.first() {
        let mut names: Vec<&str> = Vec::new();
        for delivery in &arrived {
            if !names.contains(&&*delivery.to) {
                names.push(&delivery.to);
            }
        }
        let text = format!("{} {}", names.join(", "), sight.day(first.at.wall));
        out.pair("told", &text, Role::Plain);
    }
    if let Some(last) = failed.last() {
        let why = last.failed.as_deref().unwrap_or_default();
        let text = format!("{} by {} FAILED: {why}", last.to, last.via);
        out.pair("told", &text, Role::Bad);
    }
}

/// What was voted, what is missing, who looks at it.
pub fn votes(review: &Review, you: Option<&str>, sight: &Sight, out: &mut Lines) {
    let standing: Vec<&Vote> = review.standing_votes().collect();
    for vote in &review.votes {
        let (word, role) = match vote.verdict {
            Verdict::Approve => ("yes", Role::Good),
            Verdict::Deny { stop: false } => ("NO", Role::Bad),
            Verdict::Deny { stop: true } => ("NO, stop", Role::Bad),
        };
        let counts = standing.iter().any(|other| *other == vote);
        let seat = match vote.seat == vote.by {
            true => String::new(),
            false => format!(" for {}", vote.seat),
        };
        let own = if vote.own { ", owns the job" } else { "" };
        let at = sight.day(vote.at.wall);
        let reason = vote.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
        let old = if counts { "" } else { " (was for other bytes, or replaced)" };
        let text = format!("{}{seat} {at}, {}{own}{old}{reason}", vote.by, vote.assurance.word());
        out.pair_as(word, &text, if counts { role } else { Role::Muted });
    }
    for (name, since) in &review.opened {
        if you == Some(&**name) {
            continue;
        }
        let text = format!("{name} has it open since {}", sight.day(since.wall));
        out.pair_as("...", &text, Role::Plain);
    }
    if review.votes.is_empty() && review.opened.keys().all(|name| you == Some(&**name)) {
        out.text("nobody has said anything yet", Role::Muted);
    }
}

/// Yeses for what it is about now, of those that are needed: `votes 1 of 2`.
pub fn count(review: &Review) -> String {
    let yes = review.standing_votes().filter(|vote| vote.verdict == Verdict::Approve).count();
    format!("{yes} of {} yes", review.rule.need)
}

/// Questions and answers.
pub fn talk(review: &Review, sight: &Sight, out: &mut Lines) {
    for said in &review.talk {
        let Said { by, text, at, .. } = said;
        let text = format!("{} {by}: {text}", sight.day(at.wall));
        out.text(&text, Role::Plain);
    }
    if let Some(since) = review.stopped {
        let stands = duration::short(sight.wall_since(since));
        out.text(&format!("the answer is missing; the clock stands for {stands}"), Role::NeedsYou);
    }
}

/// What the asker says: kept apart from everything that was checked.
pub fn said(review: &Review, out: &mut Lines) {
    if !review.ask.summary.is_empty() {
        out.quote(&review.ask.summary);
    }
    for other in &review.ask.alternatives {
        out.pair("instead", &format!("{}: {}", other.name, other.summary), Role::Plain);
    }
    if review.ask.summary.is_empty() && review.ask.alternatives.is_empty() {
        let agent = review.ask.agent.as_deref().unwrap_or("the job");
        out.text(&format!("{} says nothing about it", sanitise(agent)), Role::Muted);
    }
}
