//! One command, decided: what the command itself changes, then a scheduling cycle on top.
//!
//! [`decide`] is the only way the world changes. One file for each kind of command; [`life`]
//! holds the moves of a job's life that several of them share.

pub(super) mod act;
pub(super) mod holds;
mod idle;
pub(super) mod life;
mod limit;
mod machine;
mod pool;
mod report;
pub mod rights;
mod service;
mod spot;
mod submit;
mod task;
mod team;

use crate::base::{At, JobId, Name, ReviewId, Span, Wall};
use crate::model::finding::{Level, Signal};
use crate::model::job::Hold;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::{Actor, Command, Fact};
use crate::sched::actions;
use crate::sched::plan::Plan;
use crate::sched::review;
use crate::sched::world::World;

/// What a command came to.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What became so, in order. Empty when the command changes nothing, e.g. a report about a
    /// task that is already over; such a command needs no record.
    pub facts: Vec<Fact>,
    /// The world after these facts.
    pub world: World,
    /// The jobs it made, or that an earlier request with the same key made.
    pub jobs: Vec<JobId>,
    /// The review it was about: one that it opened, or found to be asked already.
    pub review: Option<ReviewId>,
}

/// Decides a command at a time.
///
/// # Errors
/// A refusal: nothing has changed, no number is used up.
pub fn decide(world: &World, command: &Command, at: At) -> Result<Decision, Refusal> {
    let mut plan = Plan::new(world, at);
    let jobs = take(&mut plan, command)?;
    actions::cycle(&mut plan);
    let review = plan.review();
    let (facts, world) = plan.commit();
    Ok(Decision { facts, world, jobs, review })
}

/// Takes what a command itself changes into a plan, without the cycle that follows it: how
/// several things can be let happen at once. The jobs it made.
///
/// # Errors
/// A refusal; the plan must then be dropped.
pub fn take(plan: &mut Plan, command: &Command) -> Result<Vec<JobId>, Refusal> {
    let mut jobs = Vec::new();
    match command {
        Command::Submit(submit) => jobs = submit::decide(plan, submit)?,
        Command::Act(act) => act::decide(plan, act)?,
        Command::Pause { team, until, reason, by } => {
            rights::operate(plan, by, team.as_deref())?;
            if reason.trim().is_empty() {
                let hint = "say why with --reason, so that others know";
                return Err(Refusal::new(RefusalCode::Usage, "a reason is required", hint));
            }
            team.iter().try_for_each(|team| known_team(plan, team))?;
            let hold = hold(plan, by, *until, Some(reason.clone()))?;
            holds::pause_all(plan, team.as_ref(), &hold);
        }
        Command::Resume { team, by } => {
            rights::operate(plan, by, team.as_deref())?;
            team.iter().try_for_each(|team| known_team(plan, team))?;
            holds::resume_all(plan, team.as_ref(), &by.user);
        }
        Command::Team { team, change, key, by } => {
            team::decide(plan, team, change, key.as_ref(), by)?;
        }
        Command::Drain { node, on, reason, by } => drain(plan, node, *on, reason.as_deref(), by)?,
        Command::WarnNode { node, left, by } => spot::warn(plan, node, *left, by)?,
        Command::Looked { mark, by } => {
            // The mark never goes back: two screens of one person would unsee for each other.
            if plan.world().looked(&by.user) < *mark {
                plan.note(Fact::Looked { user: by.user.clone(), mark: *mark });
            }
        }
        Command::Limit { resource, until, reason, by } => {
            limit::by_person(plan, resource, *until, reason.as_deref(), by)?;
        }
        Command::Review(command) => review::decide(plan, command)?,
        Command::Report { job, report, by } => report::decide(plan, *job, report, by)?,
        Command::Task { task, event } => task::decide(plan, *task, event),
        Command::NodeSeen { .. } | Command::Configure(_) => machine::decide(plan, command),
        Command::Started { .. } | Command::Down { .. } => {
            machine::decide(plan, command);
            review::close::outage(plan);
        }
        Command::PoolNode { node, up, failed } => {
            pool::answered(plan, node, *up, failed.as_deref());
        }
        Command::Tick => {}
        Command::Find { job, signal, level, evidence } => {
            life::find(plan, *job, *signal, *level, evidence);
            if *signal == Signal::Idle && *level == Some(Level::Suspect) {
                idle::put_away(plan, *job);
            }
            if *signal == Signal::Unhealthy && level.is_some() {
                service::unwell(plan, *job);
            }
        }
    }
    Ok(jobs)
}

fn drain(
    plan: &mut Plan,
    node: &Name,
    on: bool,
    reason: Option<&str>,
    by: &Actor,
) -> Result<(), Refusal> {
    rights::operate(plan, by, None)?;
    let Some(known) = plan.world().node(node) else {
        let (what, hint) = (format!("there is no node {node}"), "`holdshort nodes` lists them");
        return Err(Refusal::new(RefusalCode::NotFound, what, hint));
    };
    if known.drain.is_some() != on {
        let reason = reason.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        plan.note(Fact::NodeDrained { node: node.clone(), on, by: by.user.clone(), reason });
    }
    Ok(())
}

fn known_team(plan: &Plan, team: &str) -> Result<(), Refusal> {
    if plan.world().teams.contains_key(team) {
        return Ok(());
    }
    let known: Vec<&str> = plan.world().teams().map(|team| &*team.name).collect();
    let hint = format!("the teams are: {}", known.join(", "));
    Err(Refusal::new(RefusalCode::NotFound, format!("there is no team {team}"), hint))
}

/// A person's hold from now on; one that has ended already is refused.
fn hold(
    plan: &Plan,
    by: &Actor,
    until: Option<Wall>,
    reason: Option<String>,
) -> Result<Hold, Refusal> {
    let since = plan.at();
    if until.is_some_and(|until| until <= since.wall) {
        let what = "the time until which to pause has passed";
        return Err(Refusal::new(RefusalCode::Usage, what, "give a later one"));
    }
    Ok(Hold { by: by.user.clone(), since, until, reason })
}

fn check_deadline(plan: &Plan, deadline: Option<Wall>) -> Result<(), Refusal> {
    if deadline.is_some_and(|deadline| deadline <= plan.at().wall) {
        let what = "the deadline has passed";
        return Err(Refusal::new(RefusalCode::Usage, what, "give a later one, or none"));
    }
    Ok(())
}

fn check_limit(limit: Option<Span>) -> Result<(), Refusal> {
    if limit == Some(Span::ZERO) {
        let what = "a time limit of zero";
        return Err(Refusal::new(RefusalCode::Usage, what, "leave it out for none"));
    }
    Ok(())
}
