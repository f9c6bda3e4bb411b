//! What is said around a review: questions and answers, seats handed on, more people, more time,
//! who looks at it.

use crate::base::{Name, Wall};
use crate::model::access::Right;
use crate::model::fact::ReviewFact;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::talk::TALK_MAX;
use crate::model::review::{
    Delegation, LOOK_LEASE, OPEN_FOR_MAX, Review, ReviewState, ReviewVerb, Said, TEXT_MAX,
};
use crate::model::{Actor, Fact};
use crate::sched::decide::rights;
use crate::sched::plan::Plan;
use crate::sched::review::{note, speaks_for, still_open, usage, who};

/// Takes such a verb.
///
/// # Errors
/// From somebody who may not, and when the review is over.
pub(super) fn decide(
    plan: &mut Plan,
    review: &Review,
    verb: &ReviewVerb,
    by: &Actor,
) -> Result<(), Refusal> {
    match verb {
        ReviewVerb::AskBack { text } => ask_back(plan, review, text, by),
        ReviewVerb::Answer { text } => answer(plan, review, text, by),
        ReviewVerb::Delegate { to } => delegate(plan, review, to, by),
        ReviewVerb::Escalate => escalate(plan, review, by),
        ReviewVerb::Extend { by: more } => {
            may_steer(plan, review, by)?;
            still_open(plan, review)?;
            let deadline = review.deadline + *more;
            if deadline > plan.at().wall + OPEN_FOR_MAX {
                return Err(usage("a review stays open for 30 days at most", "extend it by less"));
            }
            note(plan, review, ReviewFact::Extended { deadline, by: Some(by.user.clone()) });
            Ok(())
        }
        ReviewVerb::Look => look(plan, review, by, true),
        ReviewVerb::Leave => look(plan, review, by, false),
        // The other verbs are decided elsewhere.
        _ => Ok(()),
    }
}

/// Somebody who may decide asks the job something; the clock stops until it answers.
fn ask_back(plan: &mut Plan, review: &Review, text: &str, by: &Actor) -> Result<(), Refusal> {
    who::seat(plan.world(), review, by, plan.at().wall)?;
    still_open(plan, review)?;
    let said = said(plan, text, by, false)?;
    if review.talk.len() >= TALK_MAX {
        let what = format!("{} has {TALK_MAX} questions and answers", review.id);
        return Err(Refusal::new(RefusalCode::TooMany, what, "decide it"));
    }
    note(plan, review, ReviewFact::AskedBack { said });
    Ok(())
}

/// The job, or somebody who speaks for it, answers; the clock goes on.
fn answer(plan: &mut Plan, review: &Review, text: &str, by: &Actor) -> Result<(), Refusal> {
    speaks_for(plan, review.job, by)?;
    still_open(plan, review)?;
    let said = said(plan, text, by, true)?;
    let stood = review.stopped.map(|since| plan.at().wall.since(since)).unwrap_or_default();
    note(plan, review, ReviewFact::Answered { said, deadline: review.deadline + stood });
    Ok(())
}

fn said(plan: &Plan, text: &str, by: &Actor, answer: bool) -> Result<Said, Refusal> {
    if text.trim().is_empty() || text.len() > TEXT_MAX {
        return Err(usage("a text of nothing, or of too much", format!("1 to {TEXT_MAX} bytes")));
    }
    Ok(Said { by: by.shown(), answer, text: text.to_owned(), at: plan.at() })
}

fn delegate(plan: &mut Plan, review: &Review, to: &Name, by: &Actor) -> Result<(), Refusal> {
    let seat = who::seat(plan.world(), review, by, plan.at().wall)?;
    still_open(plan, review)?;
    if seat.own {
        let what = format!("{} decides this as the owner, and that cannot be handed on", by.user);
        let hint = "name approvers in the configuration";
        return Err(Refusal::new(RefusalCode::Forbidden, what, hint));
    }
    known_person(plan, to, &review.owner)?;
    let delegation = Delegation { from: seat.of, to: to.clone(), until: None };
    note(plan, review, ReviewFact::Delegated { delegation });
    Ok(())
}

/// Hands all of somebody's seats on for a while, or takes them back.
///
/// # Errors
/// For others than oneself without the right, and to somebody who is not known.
pub(super) fn hand_all_on(
    plan: &mut Plan,
    from: &Name,
    to: Option<&Name>,
    until: Option<Wall>,
    by: &Actor,
) -> Result<(), Refusal> {
    if by.in_job.is_some() || by.user != *from {
        rights::operate(plan, by, None)?;
    }
    if let Some(to) = to {
        known_person(plan, to, from)?;
        if until.is_some_and(|until| until <= plan.at().wall) {
            return Err(usage("that time has passed", "give a later one"));
        }
    }
    let (from, to, by) = (from.clone(), to.cloned(), by.user.clone());
    plan.note(Fact::SeatsHandedOn { from, to, until, by });
    Ok(())
}

fn known_person(plan: &Plan, name: &Name, not: &Name) -> Result<(), Refusal> {
    let known = plan.world().setup().users.iter().any(|user| user.name == *name);
    if !known {
        let what = format!("nobody here is called {name}");
        let hint = "`[[user]]` in the configuration lists people";
        return Err(Refusal::new(RefusalCode::NotFound, what, hint));
    }
    if name == not {
        let what = format!("a seat cannot be handed to {name}");
        return Err(Refusal::new(RefusalCode::Forbidden, what, "hand it to somebody else"));
    }
    Ok(())
}

/// Asks the next people, or reminds those who were asked.
fn escalate(plan: &mut Plan, review: &Review, by: &Actor) -> Result<(), Refusal> {
    may_steer(plan, review, by)?;
    still_open(plan, review)?;
    let to = who::listed(plan.world(), review, true);
    note(plan, review, ReviewFact::Escalated { level: 2, by: Some(by.user.clone()), to });
    Ok(())
}

/// Whoever may decide, or run the team, may ask more people and give more time.
fn may_steer(plan: &Plan, review: &Review, by: &Actor) -> Result<(), Refusal> {
    match who::seat(plan.world(), review, by, plan.at().wall) {
        Ok(_) => Ok(()),
        Err(refusal) if by.in_job.is_some() => Err(refusal),
        Err(refusal) => {
            rights::on_team(plan.world(), by, &review.team, Right::Operate).map_err(|_| refusal)
        }
    }
}

fn look(plan: &mut Plan, review: &Review, by: &Actor, looks: bool) -> Result<(), Refusal> {
    rights::on_team(plan.world(), by, &review.team, Right::Vote)?;
    if review.state != ReviewState::Open {
        return Ok(());
    }
    let wall = plan.at().wall;
    let (by, until) = (by.user.clone(), wall + LOOK_LEASE);
    let fact = match review.looks_until(&by) {
        None if looks => ReviewFact::Opened { by, until: Some(until) },
        // Said again early, it changes nothing and is in no record.
        Some(known) if looks && known > wall + LOOK_LEASE.percent(50) => return Ok(()),
        Some(_) if looks => ReviewFact::LooksOn { by, until },
        Some(_) => ReviewFact::Left { by },
        None => return Ok(()),
    };
    note(plan, review, fact);
    Ok(())
}
