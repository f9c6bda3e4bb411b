//! What a yes and a no would lead to, and how it was decided once it is.

use super::lines::Lines;
use crate::base::duration;
use crate::model::page::ReviewCard;
use crate::model::page::reviews::Back;
use crate::model::review::{Fallback, Grant, Review, ReviewState, StepState, Wait};
use crate::view::line::Role;
use crate::view::sight::Sight;
use crate::view::words;

/// Seconds in which a vote from a console can be taken back before it takes effect.
pub const UNDO_SECONDS: u64 = 10;

/// If one says yes.
pub fn yes(card: &ReviewCard, sight: &Sight, out: &mut Lines) {
    let review = &card.review;
    let rule = &review.rule;
    let missing = rule.need.saturating_sub(card.beside.yes);
    if missing > 1 {
        let more = missing - 1;
        let text = format!("after yours {more} more must say yes");
        out.text(&text, Role::NeedsYou);
    }
    let times = match rule.uses {
        1 => "once".to_owned(),
        uses => format!("up to {uses} times"),
    };
    out.text(&format!("runs {times}, exactly these bytes"), Role::Plain);
    if review.ask.step.is_some() {
        let text = "without its GPUs and at once: as a small step of its own";
        out.text(text, Role::Plain);
    }
    let job = review.job;
    let when = returns(review, card.back, sight);
    out.text(&format!("job {job} {when}"), Role::Plain);
    let life = duration::exact(rule.grant);
    out.text(&format!("a yes is good for {life} once it runs"), Role::Plain);
    let undo = format!("u takes it back for {UNDO_SECONDS} s, R until it is used");
    out.text(&undo, Role::Muted);
}

/// When the job goes on after the answer, as it stands now.
fn returns(review: &Review, back: Option<Back>, sight: &Sight) -> String {
    let now = sight.now.wall;
    match back {
        _ if review.ask.wait == Wait::Go => "goes on already".to_owned(),
        Some(Back::Waits) => "goes on at once: its process waits".to_owned(),
        Some(Back::AtOnce) => "is back at once: there is room".to_owned(),
        Some(Back::Then(when)) => {
            let from = duration::short(when.from.since(now));
            let to = duration::short(when.to.since(now));
            let span = if from == to { to } else { format!("{from} to {to}") };
            format!("is back in {span}, when there is room")
        }
        Some(Back::Later) => "is back once there is room; nobody knows when".to_owned(),
        Some(Back::Others(1)) => "waits for 1 other answer then".to_owned(),
        Some(Back::Others(n)) => format!("waits for {n} other answers then"),
        Some(Back::Held) => "is held back by a person all the same".to_owned(),
        None => "is back once it has saved itself and there is room".to_owned(),
    }
}

/// If one says no.
pub fn no(review: &Review, out: &mut Lines) {
    let job = review.job;
    let more = match review.rule.deny_at {
        1 => None,
        n => Some(format!("{n} noes deny it")),
    };
    if let Some(text) = more {
        out.text(&text, Role::NeedsYou);
    }
    match review.ask.wait {
        Wait::Go => {
            out.text(&format!("job {job} is told to undo it, with your reason"), Role::Plain);
        }
        _ => out.text(&format!("job {job} gets your reason and goes on"), Role::Plain),
    }
    out.text("D, then s: and the job stops", Role::Muted);
    out.text(&format!("u takes it back for {UNDO_SECONDS} s"), Role::Muted);
}

/// How it ended, and what may still be done.
pub fn outcome(review: &Review, sight: &Sight, out: &mut Lines) {
    let Some(decision) = &review.decision else { return };
    let by = match decision.by.is_empty() {
        true => String::new(),
        false => {
            let names: Vec<&str> = decision.by.iter().map(|name| &**name).collect();
            format!(" by {}", names.join(", "))
        }
    };
    let since = sight.day(review.since.wall);
    let role = match review.state {
        ReviewState::Approved | ReviewState::Redeemed => Role::Good,
        _ => Role::Bad,
    };
    let state = review.state.word().to_uppercase();
    out.text(&format!("{state}{by} at {since}"), role);
    if let Some(reason) = &decision.reason {
        out.pair("because", reason, Role::Plain);
    }
    if decision.stop {
        out.text("and the job stops", Role::Bad);
    }
    match &decision.fallback {
        Some(Fallback::DenyAndCancel) => out.text("and the job is cancelled", Role::Bad),
        Some(Fallback::RunAlternative(name)) => {
            out.text(&format!("the job does {name} instead"), Role::Plain);
        }
        _ => {}
    }
    if let Some(other) = review.replaced_by {
        out.text(&format!("{other} took its place"), Role::Plain);
    }
    if let Some(grant) = &review.grant {
        right(review, grant, sight, out);
    }
}

/// The right that a yes gave.
fn right(review: &Review, grant: &Grant, sight: &Sight, out: &mut Lines) {
    for spent in &grant.spent {
        let at = sight.day(spent.at.wall);
        let text = match spent.step {
            Some(step) => format!("done as step {step} at {at}"),
            None => format!("done by attempt {} at {at}", spent.attempt),
        };
        out.text(&text, Role::Good);
    }
    if let Some(step) = &review.step {
        let role = match step.state {
            StepState::Done(0) => Role::Good,
            StepState::Done(_) | StepState::Lost => Role::Bad,
            _ => Role::Plain,
        };
        out.text(&words::review::step_came_to(step.job, &step.state), role);
    }
    if review.state != ReviewState::Approved {
        return;
    }
    let now = sight.now.wall;
    if grant.from > now {
        let left = duration::short(grant.from.since(now));
        out.text(&format!("takes effect in {left}; u takes it back"), Role::NeedsYou);
    }
    let text = match grant.until {
        Some(until) => format!("good until {}, not used yet; R takes it back", sight.day(until)),
        None => format!(
            "good for {} once job {} runs; R takes it back",
            duration::exact(grant.life),
            review.job
        ),
    };
    out.text(&text, Role::Plain);
}
