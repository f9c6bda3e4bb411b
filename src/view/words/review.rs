//! What became so of reviews, in sentences.

use super::quote;
use crate::base::text::sanitise;
use crate::base::{JobId, Name, ReviewId, duration};
use crate::model::action::{Action, EffectClass, Subject};
use crate::model::fact::{Class, Requested, ReviewFact};
use crate::model::page::ReviewRow;
use crate::model::review::{Decision, Delivery, Fallback, Grant, Rule, StepState, Verdict, Vote};
use crate::view::sight::Sight;

/// One sentence, about the review of a job.
pub(super) fn fact(job: JobId, review: ReviewId, fact: &ReviewFact, sight: &Sight) -> String {
    let said = match fact {
        ReviewFact::Requested(asked) => requested(asked, sight),
        ReviewFact::Voted { vote } => voted(vote),
        ReviewFact::Counts { by, .. } => format!("has a no from {} that counts", sanitise(by)),
        ReviewFact::TakenBack { by, .. } => {
            format!("has no vote from {} any more: it was taken back", sanitise(by))
        }
        ReviewFact::Edited { action, by, .. } => {
            format!("was changed by {} to {}; votes begin anew", sanitise(by), what(action))
        }
        ReviewFact::AskedBack { said } => {
            format!(
                "is asked back by {}: {}; its clock stands",
                sanitise(&said.by),
                quote(&said.text)
            )
        }
        ReviewFact::Answered { said, deadline } => {
            let (by, text) = (sanitise(&said.by), quote(&said.text));
            format!("has an answer from {by}: {text}; it waits until {}", sight.day(*deadline))
        }
        ReviewFact::Delegated { delegation } => {
            format!(
                "is handed on by {} to {}",
                sanitise(&delegation.from),
                sanitise(&delegation.to)
            )
        }
        ReviewFact::Escalated { level, by, to } => escalated(*level, by.as_ref(), to),
        ReviewFact::Extended { deadline, by } => {
            let by = by.as_ref().map_or_else(String::new, |by| format!(", says {}", sanitise(by)));
            format!("waits until {}{by}", sight.day(*deadline))
        }
        ReviewFact::Opened { by, .. } => format!("is open on the screen of {}", sanitise(by)),
        ReviewFact::LooksOn { by, .. } => {
            format!("is still open on the screen of {}", sanitise(by))
        }
        ReviewFact::Left { by } => format!("is no longer open on the screen of {}", sanitise(by)),
        ReviewFact::Told { delivery } => told(delivery),
        ReviewFact::Decided { decision, grant } => decided(decision, grant.as_deref()),
        ReviewFact::GrantRuns { until: Some(until) } => {
            format!("may be done until {}", sight.day(*until))
        }
        ReviewFact::GrantRuns { until: None } => "may be done once its job runs again".to_owned(),
        ReviewFact::JobBooked { class: Class::Parked } => {
            "is waited for, and its job holds what it has".to_owned()
        }
        ReviewFact::JobBooked { .. } => "is answered, and its job works on".to_owned(),
        ReviewFact::JobReturns => "is answered, and its job comes back".to_owned(),
        ReviewFact::Redeemed { attempt } => format!("was done by attempt {attempt}"),
        ReviewFact::StepMade { step } => format!("is to be done as step {step}"),
        ReviewFact::RedeemedByStep { step, .. } => format!("is done as step {step}"),
        ReviewFact::StepEnded { step, state } => step_came_to(*step, state),
    };
    format!("{job} {review} {said}")
}

/// How far a step came: `runs as step 13, exit 0`.
pub fn step_came_to(step: JobId, state: &StepState) -> String {
    match state {
        StepState::Waits => format!("is to run as step {step}"),
        StepState::Runs => format!("runs as step {step}"),
        StepState::Done(code) => format!("ran as step {step}, exit {code}"),
        StepState::Lost => {
            format!("was lost as step {step}: whether it took effect is not known")
        }
        StepState::Unused(why) => format!("did not run as step {step}: {}", sanitise(why)),
    }
}

fn told(delivery: &Delivery) -> String {
    let (to, via) = (sanitise(&delivery.to), sanitise(&delivery.via));
    let moment = delivery.moment.word();
    match &delivery.failed {
        None if delivery.open => format!("({moment}) is being told to {to} by {via}"),
        None => format!("({moment}) was told to {to} by {via}"),
        Some(_) => {
            let why = failure(delivery);
            let again = if delivery.open { "; it is tried again" } else { "" };
            format!("({moment}) could not be told to {to} by {via}: {why}{again}")
        }
    }
}

/// Why it did not arrive, and how often it was tried: `503, 3 tries`.
fn failure(delivery: &Delivery) -> String {
    let why = delivery.failed.as_deref().map(sanitise).unwrap_or_default();
    match delivery.tries {
        0 => why.into_owned(),
        1 => format!("{why}, 1 try"),
        tries => format!("{why}, {tries} tries"),
    }
}

/// Who was told and when, or that it could not be done, for a card: `told bob 02:24`,
/// `could not reach chat-ops: 503, 3 tries`.
pub fn delivery(delivery: &Delivery, sight: &Sight) -> String {
    let (to, via) = (sanitise(&delivery.to), sanitise(&delivery.via));
    let whom = if to == via { to.into_owned() } else { format!("{to} by {via}") };
    let again = if delivery.open { "; it is tried again" } else { "" };
    match &delivery.failed {
        Some(_) => format!("could not reach {whom}: {}{again}", failure(delivery)),
        None if delivery.open => format!("telling {whom}"),
        None => format!("told {} {}", sanitise(&delivery.to), sight.day(delivery.at.wall)),
    }
}

fn requested(asked: &Requested, sight: &Sight) -> String {
    let names = names(&asked.asked);
    let then = silence(&asked.rule);
    let until = sight.day(asked.deadline);
    let effect = asked.ask.effect.word();
    format!("asks {names} for {} ({effect}); {then} at {until}", what(&asked.ask.action))
}

/// What happens if nobody answers, in a word or two.
pub fn silence(rule: &Rule) -> &'static str {
    match rule.fallback {
        Fallback::Deny => "denied",
        Fallback::DenyAndCancel => "denied and cancelled",
        Fallback::KeepWaiting => "asked again",
        Fallback::RunAlternative(_) => "an alternative instead",
        Fallback::Approve => "done without an answer",
    }
}

/// An action in a few words: `pay 4180.00 EUR to ACME`.
pub fn what(action: &Action) -> String {
    let tool = action.tool.as_ref().unwrap_or(&action.kind);
    let amount = action.amount.as_ref().map_or_else(String::new, |amount| format!(" {amount}"));
    let target = action.target.as_deref();
    let target = target.map_or_else(String::new, |target| format!(" on {}", sanitise(target)));
    format!("{}{amount}{target}", sanitise(tool))
}

/// What would be done, in as few words as say it: `pay 4180.00 EUR to acme`, the beginning of a
/// command, a tool and its target. For rows and titles; all of it stands on the card.
pub fn deed(effect: EffectClass, subject: &Subject) -> String {
    let target = subject.target.as_deref().map(sanitise);
    if let (EffectClass::Money, Some(amount)) = (effect, &subject.amount) {
        let to = target.map_or_else(String::new, |target| format!(" to {target}"));
        return format!("pay {amount}{to}");
    }
    if let Some(command) = &subject.command {
        return sanitise(command).into_owned();
    }
    let tool = subject.tool.as_ref().unwrap_or(&subject.kind);
    let on = target.map_or_else(String::new, |target| format!(" on {target}"));
    format!("{}{on}", sanitise(tool))
}

/// The same for a row.
pub fn deed_of(row: &ReviewRow) -> String {
    deed(row.effect, &row.subject)
}

/// What kind of trace it leaves, for a title.
pub fn trace(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::Read => "READ: changes nothing",
        EffectClass::Reversible => "REVERSIBLE: can be undone",
        EffectClass::Irreversible => "IRREVERSIBLE: cannot be undone",
        EffectClass::External => "EXTERNAL: others see it",
        EffectClass::Money => "MONEY: cannot be undone",
        EffectClass::Unknown => "UNKNOWN: taken for irreversible",
    }
}

fn voted(vote: &Vote) -> String {
    let verdict = match vote.verdict {
        Verdict::Approve => "yes",
        Verdict::Deny { stop: false } => "no",
        Verdict::Deny { stop: true } => "no, and the job stops",
    };
    let seat = match vote.seat == vote.by {
        true => String::new(),
        false => format!(" for {}", sanitise(&vote.seat)),
    };
    let own = if vote.own { "self, " } else { "" };
    let reason = vote.reason.as_deref().map_or_else(String::new, |r| format!(": {}", quote(r)));
    let assurance = vote.assurance.word();
    let held = if vote.is_held() { ", which can be taken back for a while" } else { "" };
    let by = sanitise(&vote.by);
    format!("has a {verdict} from {by}{seat} ({own}{assurance}){reason}{held}")
}

fn escalated(level: u8, by: Option<&Name>, to: &[Name]) -> String {
    let by = by.map_or_else(String::new, |by| format!(", says {}", sanitise(by)));
    let what = if level < 2 { "reminds" } else { "asks also" };
    format!("{what} {}{by}", names(to))
}

fn decided(decision: &Decision, grant: Option<&Grant>) -> String {
    let by = match decision.by.is_empty() {
        true => String::new(),
        false => format!(" by {}", names(&decision.by)),
    };
    let stop = if decision.stop { ", and the job stops" } else { "" };
    let reason = decision.reason.as_deref().map_or_else(String::new, |r| format!(": {}", quote(r)));
    let right = grant.filter(|grant| grant.left() > 0 && decision.state.exit_code() == Some(0));
    let right = right.map_or_else(String::new, |grant| {
        let times = match grant.uses {
            1 => "once".to_owned(),
            uses => format!("{uses} times"),
        };
        format!("; good {times}, for {} once the job runs", duration::exact(grant.life))
    });
    format!("is {}{by}{stop}{reason}{right}", decision.state.word())
}

fn names(names: &[Name]) -> String {
    match names {
        [] => "nobody".to_owned(),
        names => names.iter().map(|name| sanitise(name)).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::review::{Moment, ReviewState, Said};
    use crate::view::sample::at;

    fn said(what: &ReviewFact) -> String {
        fact(JobId(42), ReviewId(17), what, &Sight::utc(at(0)))
    }

    #[test]
    fn sentences_name_the_review_and_who_did_what() {
        let asked = Said { by: "bob".into(), answer: false, text: "same\x07?".into(), at: at(0) };
        assert_eq!(
            said(&ReviewFact::AskedBack { said: asked }),
            "42 R17 is asked back by bob: \"same␇?\"; its clock stands"
        );
        let decision = Decision {
            by: vec!["ana".into()],
            reason: Some("wrong target".into()),
            stop: true,
            ..Decision::of(ReviewState::Denied)
        };
        let decided = ReviewFact::Decided { decision: Box::new(decision), grant: None };
        let wanted = "42 R17 is denied by ana, and the job stops: \"wrong target\"";
        assert_eq!(said(&decided), wanted);
        let expired = Box::new(Decision::of(ReviewState::Expired));
        let expired = ReviewFact::Decided { decision: expired, grant: None };
        assert_eq!(said(&expired), "42 R17 is expired");
        let failed = Some("refused".to_owned());
        let delivery = Delivery {
            to: "ana".into(),
            via: "chat".into(),
            moment: Moment::Asked,
            failed,
            tries: 3,
            open: false,
            at: at(0),
        };
        let told = |delivery: &Delivery| said(&ReviewFact::Told { delivery: delivery.clone() });
        let wanted = "42 R17 (asked) could not be told to ana by chat: refused, 3 tries";
        assert_eq!(told(&delivery), wanted);
        assert_eq!(
            super::delivery(&delivery, &Sight::utc(at(0))),
            "could not reach ana by chat: refused, 3 tries"
        );
        let arrived = Delivery { failed: None, tries: 1, ..delivery };
        assert_eq!(told(&arrived), "42 R17 (asked) was told to ana by chat");
        assert_eq!(super::delivery(&arrived, &Sight::utc(at(0))), "told ana 13:00");
        let asks = ReviewFact::Escalated { level: 2, by: None, to: vec!["dora".into()] };
        assert_eq!(said(&asks), "42 R17 asks also dora");
    }
}
