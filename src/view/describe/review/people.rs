//! Who asks, who may decide by which rule, who has spoken, who has it open.

use super::lines::Lines;
use crate::base::text::sanitise;
use crate::base::{Name, duration};
use crate::model::page::ReviewCard;
use crate::model::review::{Delivery, Demand, Review, Said, Verdict, Vote};
use crate::view::line::Role;
use crate::view::sight::Sight;
use crate::view::words;

/// Who asks, for whom, by which rule, and who was told.
pub fn who(card: &ReviewCard, sight: &Sight, out: &mut Lines) {
    let review = &card.review;
    let agent = review.ask.agent.as_deref();
    let attempt = review.attempt;
    let name = &card.beside.job_name;
    out.pair("asks", agent.unwrap_or("the job itself"), Role::Plain);
    out.pair("in job", &format!("{} {name}, attempt {attempt}", review.job), Role::Plain);
    out.pair("for", &format!("{}, team {}", review.owner, review.team), Role::Plain);
    let asked = sight.day(review.asked.wall);
    let since = sight.since(review.asked.now);
    out.pair("asked", &format!("{asked}, {since} ago"), Role::Plain);
    out.pair("rule", &rule(review), Role::Plain);
    if !card.listed.is_empty() {
        out.pair("decide", &names(&card.listed), Role::Plain);
    }
    if !card.next.is_empty() {
        out.pair("then", &format!("{} once escalated", names(&card.next)), Role::Muted);
    }
    you(card, out);
    if review.rule.assurance == Demand::High {
        let text = "needs another account than the job's, or a touched hardware key";
        out.pair("a yes", text, Role::NeedsYou);
    }
    told(review, sight, out);
    for handed in &review.delegations {
        let text = format!("{} hands the seat to {}", handed.from, handed.to);
        out.pair("seat", &text, Role::Plain);
    }
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ")
}

/// How the reader stands to it.
fn you(card: &ReviewCard, out: &mut Lines) {
    let reader = &card.beside.reader;
    match (&reader.seat, &reader.why_not) {
        _ if !card.review.is_open() => {}
        (Some(_), None) if reader.own => {
            out.pair("you", "own the job; nobody else is listed, so it is yours", Role::NeedsYou);
        }
        (Some(_), None) => out.pair("you", "may answer", Role::Good),
        (Some(_), Some(lacks)) => out.pair("you", &format!("may say no; {lacks}"), Role::NeedsYou),
        (None, Some(why)) => out.pair("you", &format!("may not answer: {why}"), Role::Muted),
        (None, None) => out.pair("you", "may not answer", Role::Muted),
    }
}

/// The rule in a line: `large-payments: 2 yeses, 1 no`.
fn rule(review: &Review) -> String {
    let rule = &review.rule;
    let name = match &rule.policy {
        Some(name) => format!("{name} ({})", rule.version),
        None => "the default".to_owned(),
    };
    let yes = match rule.need {
        1 => "1 yes".to_owned(),
        n => format!("{n} yeses"),
    };
    match rule.deny_at {
        1 => format!("{name}: {yes}"),
        n => format!("{name}: {yes}, {n} noes deny"),
    }
}

fn told(review: &Review, sight: &Sight, out: &mut Lines) {
    let escalated = match review.level {
        0 => None,
        1 => Some("reminded"),
        _ => Some("escalated: all who may decide are asked"),
    };
    if let Some(text) = escalated {
        out.pair("level", text, Role::NeedsYou);
    }
    let arrived: Vec<&Delivery> = review.told.iter().filter(|told| told.arrived()).collect();
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
    // Of each target what came of the last message to it.
    let mut seen: Vec<&Name> = Vec::new();
    for last in review.told.iter().rev() {
        if seen.contains(&&last.via) {
            continue;
        }
        seen.push(&last.via);
        if !last.arrived() {
            let role = if last.failed.is_some() { Role::Bad } else { Role::Muted };
            out.pair("told", &words::review::delivery(last, sight), role);
        }
    }
}

/// What was voted, what is missing, who looks at it.
pub fn votes(card: &ReviewCard, you: Option<&str>, sight: &Sight, out: &mut Lines) {
    let review = &card.review;
    let standing: Vec<&Vote> = review.standing_votes().collect();
    for vote in &review.votes {
        let (word, role) = match vote.verdict {
            Verdict::Approve => ("yes", Role::Good),
            Verdict::Deny { stop: false } => ("NO", Role::Bad),
            Verdict::Deny { stop: true } => ("NO, stop", Role::Bad),
        };
        let counts = standing.contains(&vote);
        let seat = match vote.seat == vote.by {
            true => String::new(),
            false => format!(" for {}", vote.seat),
        };
        let own = if vote.own { ", owns the job" } else { "" };
        let at = sight.day(vote.at.wall);
        let reason = vote.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
        let old = match (counts, vote.back, vote.from) {
            (true, _, Some(from)) if vote.is_held() => {
                let left = duration::short(from.since(sight.now.wall));
                format!(" (counts in {left}; until then it can be taken back)")
            }
            (true, ..) => String::new(),
            (false, Some(back), _) => format!(" (taken back {})", sight.day(back.wall)),
            (false, None, _) => " (was for other bytes, or replaced)".to_owned(),
        };
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
    let voted = review.standing_votes().any(|vote| you == Some(&*vote.by));
    if review.is_open() && card.beside.reader.seat.is_some() && !voted {
        return out.pair_as("...", "you have not answered yet", Role::NeedsYou);
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
