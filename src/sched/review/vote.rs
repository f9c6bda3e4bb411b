//! People vote, and change what they vote on.

use crate::base::{Span, Wall};
use crate::model::Actor;
use crate::model::action::{Action, EffectClass};
use crate::model::fact::ReviewFact;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::grant::USES_MAX;
use crate::model::review::{
    Decision, Demand, HASH_DIGITS, OPEN_FOR_MAX, Review, ReviewState, ReviewVerb, TEXT_MAX,
    UNDO_MAX, Verdict, Vote,
};
use crate::sched::plan::Plan;
use crate::sched::policy::review as policy;
use crate::sched::review::{ask, close, note, still_open, usage, who};

/// Takes a vote and decides the review if it is the one that was missing.
///
/// # Errors
/// From somebody who may not vote, too late, for something else than the review is about now,
/// without the reason that a no needs or the hash that a yes needs.
pub(super) fn decide(
    plan: &mut Plan,
    review: &Review,
    verb: &ReviewVerb,
    by: &Actor,
) -> Result<(), Refusal> {
    let ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, until, signature } = verb
    else {
        return Ok(());
    };
    let at = plan.at();
    let seat = who::seat(plan.world(), review, by, at.wall)?;
    still_open(plan, review)?;
    check_version(review, *version)?;
    check_hash(review, hash.as_deref(), *verdict == Verdict::Approve)?;
    let reason = check_reason(*verdict, reason.as_deref())?;
    check_uses(review, *undo, *uses)?;
    check_until(plan, review, *until)?;
    let assurance = who::assurance(plan.world(), review, by, signature.as_deref());
    // A no is welcome from anybody who may decide.
    let sure = who::is_sure_enough(assurance, review.rule.assurance);
    if !sure && *verdict == Verdict::Approve {
        return Err(not_sure(review));
    }
    let vote = Vote {
        by: by.user.clone(),
        uid: by.uid,
        seat: seat.of,
        verdict: *verdict,
        reason,
        hash: review.hash,
        assurance,
        uses: *uses,
        until: *until,
        own: seat.own,
        signature: signature.clone(),
        from: (*undo > Span::ZERO).then(|| at.wall + *undo),
        back: None,
        at,
    };
    let same =
        |old: &&Vote| old.seat == vote.seat && old.by == vote.by && old.verdict == vote.verdict;
    match review.standing_votes().find(same) {
        // Said again without a second thought.
        Some(old) if old.is_held() && vote.from.is_none() => {
            let (by, seat) = (old.by.clone(), old.seat.clone());
            note(plan, review, ReviewFact::Counts { by, seat });
        }
        Some(_) => {}
        None => {
            check_first_use(review, &vote)?;
            note(plan, review, ReviewFact::Voted { vote: Box::new(vote) });
        }
    }
    count(plan, review);
    Ok(())
}

/// A no could be taken back, and was not.
pub(super) fn begin_to_count(plan: &mut Plan, review: &Review) {
    let Some(no) = review.held_no() else { return };
    note(plan, review, ReviewFact::Counts { by: no.by.clone(), seat: no.seat.clone() });
    count(plan, review);
}

/// Somebody takes back their own vote on a review that is open.
///
/// # Errors
/// From somebody who may not vote, or has not.
pub(super) fn take_back(plan: &mut Plan, review: &Review, by: &Actor) -> Result<(), Refusal> {
    who::seat(plan.world(), review, by, plan.at().wall)?;
    still_open(plan, review)?;
    let own: Vec<&Vote> = review.standing_votes().filter(|vote| vote.by == by.user).collect();
    if own.is_empty() {
        let what = format!("{} is not decided yet, and {} has not voted", review.id, by.user);
        let hint = format!("`holdshort deny {} --reason …`", review.id);
        return Err(Refusal::new(RefusalCode::Conflict, what, hint));
    }
    for vote in own {
        let (by, seat) = (vote.by.clone(), vote.seat.clone());
        note(plan, review, ReviewFact::TakenBack { by, seat });
    }
    // What a no that is gone stood against may be enough now.
    count(plan, review);
    Ok(())
}

/// Decides a review if enough people have spoken. A no that can still be taken back decides
/// nothing, and while it stands nothing is approved.
fn count(plan: &mut Plan, review: &Review) {
    let Some(review) = plan.world().desk().get(review.id).cloned() else { return };
    let wall = plan.at().wall;
    let (yes, mut no) = who::tally(plan.world(), &review, wall);
    let held = no.iter().any(Vote::is_held);
    no.retain(|vote| !vote.is_held());
    let number = |votes: &[Vote]| u32::try_from(votes.len()).unwrap_or(u32::MAX);
    let rule = &review.rule;
    let verdict = policy::tally(number(&yes), number(&no), rule.need, rule.deny_at);
    let Some(approved) = verdict.filter(|_| review.is_open()) else { return };
    if approved && held {
        return;
    }
    let votes = if approved { &yes } else { &no };
    let reasons: Vec<&str> = votes.iter().filter_map(|vote| vote.reason.as_deref()).collect();
    // Every yes must be for as many uses.
    let uses = yes.iter().map(|vote| vote.uses.unwrap_or(rule.uses)).min();
    let grant = approved.then(|| {
        // Nobody's yes is in force before they may be sure that they meant it.
        let from = yes.iter().filter_map(|vote| vote.from).max().unwrap_or(wall);
        let mut grant = ask::grant(rule, from.max(wall), uses);
        // Every yes must be for as long.
        let dated = yes.iter().all(|vote| vote.until.is_some());
        grant.until = yes.iter().filter_map(|vote| vote.until).min().filter(|_| dated);
        grant.dated = grant.until.is_some();
        // What it did while the review was open is done.
        grant.used = review.grant.as_ref().map_or(0, |before| before.used);
        grant.spent = review.grant.as_ref().map(|g| g.spent.clone()).unwrap_or_default();
        grant
    });
    let state = match approved {
        // What it did while the review was open was all it may.
        true if grant.as_ref().is_some_and(|grant| grant.left() == 0) => ReviewState::Redeemed,
        true => ReviewState::Approved,
        false => ReviewState::Denied,
    };
    let decision = Decision {
        by: votes.iter().map(|vote| vote.by.clone()).collect(),
        reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
        stop: no.iter().any(|vote| vote.verdict == Verdict::Deny { stop: true }) && !approved,
        ..Decision::of(state)
    };
    close::decide(plan, &review, decision, grant);
}

/// Somebody changes what a review is about. All votes were for something else.
///
/// # Errors
/// As for a vote, and for an action that makes no sense.
pub(super) fn edit(
    plan: &mut Plan,
    review: &Review,
    action: &Action,
    hash: Option<&str>,
    by: &Actor,
) -> Result<(), Refusal> {
    who::seat(plan.world(), review, by, plan.at().wall)?;
    still_open(plan, review)?;
    check_hash(review, hash, true)?;
    if let Some(problem) = action.problem() {
        return Err(usage(problem, "give the whole action as JSON"));
    }
    let same_kind = action.kind == review.action().kind && action.tool == review.action().tool;
    if !same_kind {
        return Err(usage("an edit keeps kind and tool", "deny it with a reason instead"));
    }
    if review.ask.effect == EffectClass::Money && action.amount.is_none() {
        return Err(usage("money needs an amount", "keep `amount` in the action"));
    }
    let hash = action.hash(review.bound());
    if hash != review.hash {
        let action = Box::new(action.clone());
        note(plan, review, ReviewFact::Edited { action, hash, by: by.user.clone() });
    }
    Ok(())
}

fn check_version(review: &Review, version: Option<u32>) -> Result<(), Refusal> {
    match version.filter(|version| *version != review.version) {
        None => Ok(()),
        Some(_) => {
            let what = format!("{} changed since you looked at it", review.id);
            Err(Refusal::new(RefusalCode::Changed, what, "look at it again"))
        }
    }
}

/// There is no blind yes: whoever gives one says what it is for.
fn check_hash(review: &Review, hash: Option<&str>, needed: bool) -> Result<(), Refusal> {
    let Some(hash) = hash else {
        if !needed {
            return Ok(());
        }
        let hint = format!("--hash {}", review.hash.to_string().get(..HASH_DIGITS).unwrap_or(""));
        let what = format!("a yes to {} needs the hash of what it is for", review.id);
        return Err(usage(
            what,
            format!("look at it with `holdshort show {}`, then {hint}", review.id),
        ));
    };
    if review.hash_begins(hash) {
        return Ok(());
    }
    let digits = hash.strip_prefix("sha256:").unwrap_or(hash);
    if digits.len() < HASH_DIGITS || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        let what = format!("{hash:?} is no hash");
        return Err(usage(what, format!("give at least {HASH_DIGITS} hex digits of it")));
    }
    let what = format!("{} is about something else now: its hash is another", review.id);
    Err(Refusal::new(RefusalCode::Changed, what, "look at it again"))
}

fn check_reason(verdict: Verdict, reason: Option<&str>) -> Result<Option<String>, Refusal> {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    if reason.is_some_and(|reason| reason.len() > TEXT_MAX) {
        return Err(usage("the reason is too long", format!("at most {TEXT_MAX} bytes")));
    }
    if reason.is_none() && verdict != Verdict::Approve {
        let hint = "say why with --reason: the job gets to read it";
        return Err(usage("a no needs a reason", hint));
    }
    Ok(reason.map(ToOwned::to_owned))
}

fn check_uses(review: &Review, undo: Span, uses: Option<u32>) -> Result<(), Refusal> {
    if undo > UNDO_MAX {
        return Err(usage("a vote that takes effect more than a minute later", "vote then"));
    }
    let Some(uses) = uses else { return Ok(()) };
    if uses == 0 || uses > USES_MAX {
        return Err(usage(format!("a yes for {uses} times"), format!("1 to {USES_MAX}")));
    }
    if uses > 1 && !review.ask.effect.may_repeat() {
        let what = format!("a yes to what is {} is good once", review.ask.effect.word());
        return Err(usage(what, "leave out the number of times"));
    }
    Ok(())
}

/// A signature is for one vote: nobody brings a yes back that its voter has replaced by a no.
fn check_first_use(review: &Review, vote: &Vote) -> Result<(), Refusal> {
    let signed = vote.signature.is_some();
    let used = signed && review.votes.iter().any(|earlier| earlier.signature == vote.signature);
    if !used {
        return Ok(());
    }
    let what = format!("this signature was used for an earlier vote on {}", review.id);
    Err(Refusal::new(RefusalCode::Forbidden, what, "sign again"))
}

fn check_until(plan: &Plan, review: &Review, until: Option<Wall>) -> Result<(), Refusal> {
    let Some(until) = until else { return Ok(()) };
    if !review.ask.effect.may_repeat() {
        let what = format!("a yes to what is {} is good for a while", review.ask.effect.word());
        return Err(usage(what, "leave out until when"));
    }
    let now = plan.at().wall;
    if until <= now || until > now + OPEN_FOR_MAX {
        return Err(usage("a yes is good until a time that comes", "within 30 days from now"));
    }
    Ok(())
}

fn not_sure(review: &Review) -> Refusal {
    let what = match review.rule.assurance {
        Demand::High => "needs a touched hardware key, or another user or machine than the job's",
        Demand::Any => "needs another voter",
    };
    let what = format!("a yes to {} {what}", review.id);
    let hint = "sign with an `sk-` SSH key, or vote from another account";
    Refusal::new(RefusalCode::Forbidden, what, hint)
}
