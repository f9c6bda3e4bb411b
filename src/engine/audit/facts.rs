//! Facts about reviews as an entry of the audit says them.

use crate::base::{At, Digest, JobId, Name, ReviewId, Wall};
use crate::model::action::{Action, Args, Bound, Json};
use crate::model::fact::{Requested, ReviewFact};
use crate::model::review::{
    Decision, Delegation, Delivery, Fallback, Grant, Review, Rule, Said, StepState, Vote, Wait,
};

pub(super) fn text(text: &str) -> Json {
    Json::text(text)
}

pub(super) fn number(n: u64) -> Json {
    Json::Number(n.to_string())
}

pub(super) fn flag(flag: bool) -> Json {
    Json::Flag(flag)
}

pub(super) fn optional<T>(value: Option<T>, json: impl FnOnce(T) -> Json) -> Json {
    value.map_or(Json::Null, json)
}

pub(super) fn name(name: Option<&Name>) -> Json {
    optional(name, |name| text(name))
}

pub(super) fn wall(wall: Option<Wall>) -> Json {
    optional(wall, |wall| text(&wall.rfc3339()))
}

pub(super) fn object(pairs: &[(&str, Json)]) -> Json {
    let owned = |(key, value): &(&str, Json)| ((*key).to_owned(), value.clone());
    Json::object(pairs.iter().map(owned).collect())
}

fn list<T>(items: &[T], json: impl Fn(&T) -> Json) -> Json {
    Json::List(items.iter().map(json).collect())
}

fn names(names: &[Name]) -> Json {
    list(names, |name| text(name))
}

fn hash(digest: Digest) -> Json {
    text(&format!("sha256:{digest}"))
}

fn at(at: At) -> Json {
    text(&at.wall.rfc3339())
}

fn review(id: Option<ReviewId>) -> Json {
    optional(id, |id| text(&id.to_string()))
}

/// A fact. `bound` is the review as it is after it.
pub(super) fn json(fact: &ReviewFact, bound: Option<&Review>) -> Json {
    let said = said(fact, bound);
    let mut pairs = vec![("kind".to_owned(), text(fact.word()))];
    if let Json::Object(more) = said {
        pairs.extend(more);
    }
    Json::object(pairs)
}

/// An entry of version 1 could not say all of it.
pub(super) fn is_of_second_version(fact: &ReviewFact) -> bool {
    match fact {
        ReviewFact::Counts { .. } | ReviewFact::TakenBack { .. } => true,
        ReviewFact::Voted { vote } => vote.from.is_some(),
        _ => false,
    }
}

fn said(fact: &ReviewFact, bound: Option<&Review>) -> Json {
    match fact {
        ReviewFact::Requested(asked) => requested(asked),
        ReviewFact::Voted { vote } => object(&[("vote", voted(vote))]),
        ReviewFact::Edited { action, hash: digest, by } => {
            let canonical = bound.map(|review| action.canonical(review.bound()));
            object(&[
                ("action", optional(canonical, |canonical| text(&canonical))),
                ("files", files(action)),
                ("not_covered", not_covered(action)),
                ("action_hash", hash(*digest)),
                ("by", text(by)),
            ])
        }
        ReviewFact::AskedBack { said } => object(&[("said", words(said))]),
        ReviewFact::Answered { said, deadline } => {
            object(&[("said", words(said)), ("expires_at", wall(Some(*deadline)))])
        }
        ReviewFact::Delegated { delegation } => {
            let Delegation { from, to, until } = delegation;
            object(&[("from", text(from)), ("to", text(to)), ("until", wall(*until))])
        }
        ReviewFact::Escalated { level, by, to } => object(&[
            ("level", number((*level).into())),
            ("by", name(by.as_ref())),
            ("to", names(to)),
        ]),
        ReviewFact::Extended { deadline, by } => {
            object(&[("expires_at", wall(Some(*deadline))), ("by", name(by.as_ref()))])
        }
        ReviewFact::Counts { by, seat } | ReviewFact::TakenBack { by, seat } => {
            object(&[("by", text(by)), ("seat", text(seat))])
        }
        ReviewFact::Opened { by, .. }
        | ReviewFact::LooksOn { by, .. }
        | ReviewFact::Left { by } => object(&[("by", text(by))]),
        ReviewFact::Told { delivery } => told(delivery),
        ReviewFact::Decided { decision, grant } => object(&[
            ("decision", decided(decision)),
            ("grant", optional(grant.as_deref(), granted)),
        ]),
        ReviewFact::GrantRuns { until } => object(&[("until", wall(*until))]),
        ReviewFact::JobBooked { class } => object(&[("class", text(class.word()))]),
        ReviewFact::JobReturns => object(&[]),
        ReviewFact::Redeemed { attempt } => object(&[("attempt", number((*attempt).into()))]),
        ReviewFact::StepMade { step } => object(&[("step", number(step.0))]),
        ReviewFact::RedeemedByStep { step, attempt } => {
            object(&[("step", number(step.0)), ("attempt", number((*attempt).into()))])
        }
        ReviewFact::StepEnded { step, state } => step_ended(*step, state),
    }
}

fn step_ended(step: JobId, state: &StepState) -> Json {
    let (code, why) = match state {
        StepState::Done(code) => (Some(*code), None),
        StepState::Unused(why) => (None, Some(why.as_str())),
        StepState::Waits | StepState::Runs | StepState::Lost => (None, None),
    };
    object(&[
        ("step", number(step.0)),
        ("end", text(state.word())),
        ("exit_code", optional(code, |code| Json::Number(code.to_string()))),
        ("reason", optional(why, text)),
    ])
}

fn requested(asked: &Requested) -> Json {
    let ask = &asked.ask;
    let bound = Bound { effect: ask.effect, principal: &asked.owner };
    let conditions =
        ask.conditions.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let alternatives = list(&ask.alternatives, |other| {
        object(&[("name", text(&other.name)), ("summary", text(&other.summary))])
    });
    object(&[
        ("action", text(&ask.action.canonical(bound))),
        ("files", files(&ask.action)),
        ("not_covered", not_covered(&ask.action)),
        ("action_hash", hash(asked.hash)),
        ("effect", text(ask.effect.word())),
        ("summary", text(&ask.summary)),
        ("agent", name(ask.agent.as_ref())),
        ("alternatives", alternatives),
        ("conditions", Json::object(conditions)),
        ("wait", wait(ask.wait)),
        ("undeclared", flag(ask.undeclared)),
        ("attempt", number(asked.attempt.into())),
        ("owner", text(&asked.owner)),
        ("owner_uid", optional(asked.owner_uid, |uid| number(uid.into()))),
        ("team", text(&asked.team)),
        ("rule", rule(&asked.rule)),
        ("expires_at", wall(Some(asked.deadline))),
        ("asked", names(&asked.asked)),
        ("replaces", review(asked.replaces)),
        ("denied_before", review(asked.denied_before)),
        ("grant", optional(asked.grant.as_ref(), granted)),
    ])
}

fn files(action: &Action) -> Json {
    let Args::Stored { files, .. } = &action.args else { return Json::Null };
    list(files, |file| {
        object(&[
            ("path", text(&file.path)),
            ("sha256", text(&file.digest.to_string())),
            ("bytes", number(file.bytes)),
        ])
    })
}

fn not_covered(action: &Action) -> Json {
    list(&action.not_covered(), |name| text(name))
}

fn wait(wait: Wait) -> Json {
    let most = match wait {
        Wait::Hold { most } => number(most.0),
        _ => Json::Null,
    };
    object(&[("kind", text(wait.word())), ("most_ms", most)])
}

fn rule(rule: &Rule) -> Json {
    object(&[
        ("policy", name(rule.policy.as_ref())),
        ("version", text(&rule.version)),
        ("need", number(rule.need.into())),
        ("deny_at", number(rule.deny_at.into())),
        ("within_ms", number(rule.within.0)),
        ("remind_at", number(rule.remind_at.into())),
        ("escalate_at", number(rule.escalate_at.into())),
        ("fallback", fallback(&rule.fallback)),
        ("assurance", text(rule.assurance.word())),
        ("grant_ms", number(rule.grant.0)),
        ("uses", number(rule.uses.into())),
    ])
}

fn fallback(fallback: &Fallback) -> Json {
    let alternative = match fallback {
        Fallback::RunAlternative(name) => text(name),
        _ => Json::Null,
    };
    object(&[("kind", text(fallback.word())), ("alternative", alternative)])
}

fn voted(vote: &Vote) -> Json {
    let signature = optional(vote.signature.as_deref(), |signature| {
        object(&[
            ("key", text(&signature.key)),
            ("touched", flag(signature.touched)),
            ("text", text(&signature.text)),
            ("armoured", text(&signature.armoured)),
        ])
    });
    let mut pairs = vec![
        ("by", text(&vote.by)),
        ("uid", optional(vote.uid, |uid| number(uid.into()))),
        ("seat", text(&vote.seat)),
        ("verdict", text(vote.verdict.word())),
        ("reason", optional(vote.reason.as_deref(), text)),
        ("action_hash", hash(vote.hash)),
        ("assurance", text(vote.assurance.word())),
        ("uses", optional(vote.uses, |uses| number(uses.into()))),
        ("until", wall(vote.until)),
        ("self", flag(vote.own)),
        ("signature", signature),
    ];
    // Of version 2.
    pairs.extend(vote.from.map(|from| ("effective_at", wall(Some(from)))));
    object(&pairs)
}

fn words(said: &Said) -> Json {
    object(&[
        ("by", text(&said.by)),
        ("answer", flag(said.answer)),
        ("text", text(&said.text)),
        ("at", at(said.at)),
    ])
}

fn told(delivery: &Delivery) -> Json {
    object(&[
        ("to", text(&delivery.to)),
        ("via", text(&delivery.via)),
        ("failed", optional(delivery.failed.as_deref(), text)),
        ("at", at(delivery.at)),
    ])
}

fn decided(decision: &Decision) -> Json {
    object(&[
        ("state", text(decision.state.word())),
        ("by", names(&decision.by)),
        ("reason", optional(decision.reason.as_deref(), text)),
        ("stop", flag(decision.stop)),
        ("fallback", optional(decision.fallback.as_ref(), fallback)),
    ])
}

fn granted(grant: &Grant) -> Json {
    object(&[
        ("uses", number(grant.uses.into())),
        ("used", number(grant.used.into())),
        ("from", wall(Some(grant.from))),
        ("life_ms", number(grant.life.0)),
        ("until", wall(grant.until)),
        ("dated", flag(grant.dated)),
    ])
}
