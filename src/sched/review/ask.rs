//! A job asks.

use crate::base::{Digest, JobId, Name, ReviewId, Wall};
use crate::model::action::command::Said;
use crate::model::action::{Bound, EffectClass};
use crate::model::fact::{Class, Requested, ReviewFact};
use crate::model::job::Job;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{
    ASKS_MAX, Ask, Decision, Grant, JOB_BYTES_MAX, OPEN_FOR_MAX, OPEN_MAX, Review, ReviewPolicy,
    ReviewState, Rule, Wait,
};
use crate::model::{Actor, Fact};
use crate::sched::plan::Plan;
use crate::sched::policy::review::{self as policy, Subject};
use crate::sched::review::{close, park, speaks_for, usage, who};
use crate::sched::world::World;

/// Opens a review, or finds the one that the same request opened.
///
/// # Errors
/// Without the right, for a job that does not run, for a request that makes no sense or asks too
/// much, and for a key that stood for something else.
pub(super) fn decide(plan: &mut Plan, id: JobId, ask: &Ask, by: &Actor) -> Result<(), Refusal> {
    speaks_for(plan, id, by)?;
    let Some(job) = plan.job(id) else { return Ok(()) };
    if let Some(review) = job.spec.step {
        let what = format!("job {id} does what {review} approved, and asks for nothing else");
        return Err(Refusal::new(RefusalCode::Forbidden, what, "the job that asked may ask"));
    }
    if let Some(problem) = ask.problem() {
        return Err(usage(problem, "`holdshort ask --help` shows how"));
    }
    let hash = ask.action.hash(Bound { effect: ask.effect, principal: &job.owner });
    if let Some(known) = earlier(plan.world(), id, ask, hash)? {
        plan.answer(known);
        return Ok(());
    }
    if job.active_tasks().next().is_none() || job.frozen {
        let what = format!("job {id} does not run, so it cannot ask");
        return Err(Refusal::new(RefusalCode::Conflict, what, "ask from inside a running job"));
    }
    check_bounds(plan.world(), &job, ask)?;
    open(plan, &job, ask.clone(), hash, None)
}

/// The review that stands under the same key, and whose answer is still one. Without a key of
/// the caller's the action's hash is the key.
fn earlier(
    world: &World,
    job: JobId,
    ask: &Ask,
    hash: Digest,
) -> Result<Option<ReviewId>, Refusal> {
    let mut of_job = world.desk().of_job(job).rev();
    let Some(key) = &ask.key else {
        // Over without an answer: the same may be asked anew.
        let answers = |review: &&std::sync::Arc<Review>| {
            let by_people = review.decision.as_ref().is_some_and(|d| !d.by.is_empty());
            match review.state {
                ReviewState::Withdrawn | ReviewState::Lapsed => false,
                ReviewState::Abandoned | ReviewState::Superseded => false,
                ReviewState::Revoked => by_people,
                _ => true,
            }
        };
        let same = |review: &&std::sync::Arc<Review>| {
            review.ask.key.is_none() && (review.hash == hash || original(review) == hash)
        };
        return Ok(of_job.find(same).filter(answers).map(|review| review.id));
    };
    match of_job.find(|review| review.ask.key.as_ref() == Some(key)) {
        Some(known) if known.hash == hash || original(known) == hash => Ok(Some(known.id)),
        Some(known) => {
            let what = format!("this idempotency key opened {}, which asks for another", known.id);
            let hint = "use a new key for a new request";
            Err(Refusal::new(RefusalCode::KeyReused, what, hint))
        }
        None => Ok(None),
    }
}

/// The hash of what was asked, whatever people made of it.
fn original(review: &Review) -> Digest {
    review.ask.action.hash(review.bound())
}

fn check_bounds(world: &World, job: &Job, ask: &Ask) -> Result<(), Refusal> {
    let too_many = |what: String| {
        let hint = "wait for answers, or withdraw what is not needed any more";
        Err(Refusal::new(RefusalCode::TooMany, what, hint))
    };
    if job.asking.open.len() >= OPEN_MAX {
        return too_many(format!("job {} has {OPEN_MAX} open reviews", job.id));
    }
    let (mut count, mut bytes) = (0, ask.kept_bytes());
    for review in world.desk().of_job(job.id) {
        count += 1;
        bytes = bytes.saturating_add(review.ask.kept_bytes());
    }
    if count >= ASKS_MAX {
        return too_many(format!("job {} has asked {ASKS_MAX} times", job.id));
    }
    if bytes > JOB_BYTES_MAX {
        return too_many(format!("the reviews of job {} keep {JOB_BYTES_MAX} bytes", job.id));
    }
    Ok(())
}

/// Opens a review, in the place of another if one is named.
///
/// # Errors
/// When the rule refuses what cannot be shown whole.
pub(super) fn open(
    plan: &mut Plan,
    job: &Job,
    mut ask: Ask,
    hash: Digest,
    replaces: Option<ReviewId>,
) -> Result<(), Refusal> {
    let world = plan.world();
    let policy = policy_for(world, job, &ask);
    if policy.is_some_and(|policy| policy.whole_only) && !ask.action.is_whole() {
        let what = "the action is too long to be shown whole, and its rule refuses that";
        return Err(usage(what, "split it into smaller actions"));
    }
    if let Some(missing) = policy.and_then(|policy| uncovered(policy, &ask)) {
        let what = format!("its rule covers the variable {missing}, and the action leaves it out");
        return Err(usage(what, "name it in args.env, with null if it is not set"));
    }
    ask.wait = wait(policy, &ask);
    ask.undeclared = !job.spec.may_ask.contains(&ask.effect);
    let rule = policy::rule(policy, ask.effect, ask.wait != Wait::Park);
    let at = plan.at();
    let within = rule.within.min(OPEN_FOR_MAX);
    let by_rule = policy.is_none() && ask.effect == EffectClass::Read;
    let grant = (ask.wait == Wait::Go).then(|| grant(&rule, at.wall, None));
    let first =
        policy.is_none_or(|p| p.hours.as_ref().is_none_or(|h| h.open_at(at.wall).is_some()));
    let asked = who::first_asked(world, policy, &job.spec.team, &job.owner, first);
    let denied_before = denied_before(world, job.id, &ask);
    let (wait, id) = (ask.wait, world.desk().next());
    let requested = Requested {
        ask,
        hash,
        attempt: job.attempt,
        owner: job.owner.clone(),
        owner_uid: job.owner_uid,
        team: job.spec.team.clone(),
        rule,
        deadline: at.wall + within,
        asked,
        replaces,
        denied_before,
        grant,
    };
    let fact = ReviewFact::Requested(Box::new(requested));
    plan.note(Fact::Review { review: id, job: job.id, fact: Box::new(fact) });
    plan.answer(id);
    if by_rule {
        approve_by_rule(plan, id);
        return Ok(());
    }
    if !first {
        escalate_at_once(plan, id);
    }
    match wait {
        Wait::Hold { .. } => {
            let fact = Box::new(ReviewFact::JobBooked { class: Class::Parked });
            plan.note(Fact::Review { review: id, job: job.id, fact });
        }
        Wait::Freeze => park::freeze(plan, job.id),
        Wait::Park | Wait::Go => {}
    }
    Ok(())
}

/// The policy that an ask of a job meets.
pub fn policy_for<'a>(world: &'a World, job: &Job, ask: &Ask) -> Option<&'a ReviewPolicy> {
    let subject = Subject {
        team: &job.spec.team,
        effect: ask.effect,
        tool: ask.action.tool.as_deref(),
        amount: ask.action.amount.as_ref(),
    };
    policy::fitting(&world.setup().review_policies, subject)
}

/// A variable that a command line must say and does not.
fn uncovered<'a>(policy: &'a ReviewPolicy, ask: &Ask) -> Option<&'a Name> {
    let said = Said::of(&ask.action)?;
    policy.env.iter().find(|name| !said.env.contains_key(*name))
}

/// How the job waits: as the policy says, else as it asked. What goes on before it is answered
/// must be harmless, and a read for which nobody made a rule waits for nobody.
fn wait(policy: Option<&ReviewPolicy>, ask: &Ask) -> Wait {
    match policy.and_then(|policy| policy.wait) {
        Some(Wait::Go) if !ask.effect.may_pass_in_silence() => ask.wait,
        // How long it holds is the asker's to say.
        Some(Wait::Hold { .. }) if matches!(ask.wait, Wait::Hold { .. }) => ask.wait,
        Some(wait) => wait,
        None if ask.effect == EffectClass::Read => Wait::Go,
        None => ask.wait,
    }
}

/// The right that a yes gives.
pub(super) fn grant(rule: &Rule, from: Wall, uses: Option<u32>) -> Grant {
    let uses = uses.unwrap_or(rule.uses).max(1);
    Grant { uses, used: 0, from, life: rule.grant, until: None, dated: false, spent: Vec::new() }
}

/// The last review of the job about such a thing, if people denied it.
fn denied_before(world: &World, job: JobId, ask: &Ask) -> Option<ReviewId> {
    let alike = |review: &Review| {
        let action = review.action();
        action.kind == ask.action.kind
            && action.tool == ask.action.tool
            && action.target == ask.action.target
    };
    let denied = world.desk().of_job(job).rev().filter(|r| r.state == ReviewState::Denied);
    denied.filter(|review| alike(review)).map(|review| review.id).next()
}

fn approve_by_rule(plan: &mut Plan, id: ReviewId) {
    let Some(review) = plan.world().desk().get(id).cloned() else { return };
    let reason = Some("a read needs nobody's yes".to_owned());
    let decision = Decision { reason, ..Decision::of(ReviewState::Approved) };
    close::decide(plan, &review, decision, review.grant.as_deref().cloned());
}

/// Nobody who is asked first is at work.
fn escalate_at_once(plan: &mut Plan, id: ReviewId) {
    let Some(review) = plan.world().desk().get(id).cloned() else { return };
    let to: Vec<Name> = who::listed(plan.world(), &review, true);
    let fact = ReviewFact::Escalated { level: 2, by: None, to };
    super::note(plan, &review, fact);
}
