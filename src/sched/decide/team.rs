//! The tree of teams at run time.

use crate::base::{JobId, Name};
use crate::model::command::{Key, TeamChange};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::team::{DEFAULT_TEAM, Terms, parent};
use crate::model::{Actor, Fact};
use crate::sched::decide::{act, known_team, rights};
use crate::sched::plan::Plan;

/// The deepest path of a team.
const DEPTH_MAX: usize = 8;

/// Adds a team, changes its terms, or removes it. Nothing is stopped by this: it changes who is
/// over and who is owed.
pub(super) fn decide(
    plan: &mut Plan,
    team: &Name,
    change: &TeamChange,
    key: Option<&Key>,
    by: &Actor,
) -> Result<(), Refusal> {
    if act::earlier(plan, key)?.is_some() {
        return Ok(());
    }
    // Whoever sets what a team is owed must have a say over those it is owed against.
    rights::operate(plan, by, parent(team))?;
    let by = by.user.clone();
    match change {
        TeamChange::Add(terms) => {
            if plan.world().teams.contains_key(team) {
                let what = format!("there is a team {team} already");
                return Err(Refusal::new(RefusalCode::Conflict, what, "`team set` changes it"));
            }
            check_path(team)?;
            check_parents(plan, team)?;
            set(plan, team, terms, by)
        }
        TeamChange::Set(terms) => {
            known_team(plan, team)?;
            set(plan, team, terms, by)
        }
        TeamChange::Change(said) => {
            known_team(plan, team)?;
            let own = plan.world().teams.get(team).map(|team| team.own().clone());
            set(plan, team, &said.over(&own.unwrap_or_default()), by)
        }
        TeamChange::Remove => remove(plan, team, by),
    }?;
    if let Some(Key { key, body }) = key.cloned() {
        plan.note(Fact::KeyUsed { key, first: JobId(0), count: 0, body });
    }
    Ok(())
}

fn set(plan: &mut Plan, team: &Name, terms: &Terms, by: Name) -> Result<(), Refusal> {
    check_terms(terms)?;
    let windows = plan.world().setup().windows.iter().filter(|window| window.team == *team);
    windows.map(|window| window.terms.over(terms)).try_for_each(|terms| check_terms(&terms))?;
    if plan.world().teams.get(team).is_none_or(|known| known.own() != terms) {
        let terms = Box::new(terms.clone());
        plan.note(Fact::TeamSet { team: team.clone(), terms, by });
    }
    Ok(())
}

fn remove(plan: &mut Plan, team: &Name, by: Name) -> Result<(), Refusal> {
    known_team(plan, team)?;
    let refuse = |what: String, hint: &str| Err(Refusal::new(RefusalCode::Conflict, what, hint));
    if &**team == DEFAULT_TEAM {
        let hint = "it is the team of jobs that name none";
        return refuse(format!("team {team} always exists"), hint);
    }
    if plan.world().teams().any(|other| other.parent() == Some(team)) {
        return refuse(format!("team {team} has teams below it"), "remove those first");
    }
    let live = |job: &&std::sync::Arc<crate::model::Job>| job.is_live() && job.spec.team == *team;
    let jobs = plan.world().jobs().filter(live).count();
    if jobs > 0 {
        let hint = "wait for them, cancel them, or `set` them to another team";
        return refuse(format!("team {team} has {jobs} live jobs"), hint);
    }
    plan.note(Fact::TeamRemoved { team: team.clone(), by });
    Ok(())
}

/// A path that people can type: names of letters, digits, `-`, `_` and `.`, joined by `/`.
fn check_path(path: &str) -> Result<(), Refusal> {
    let good = |part: &str| {
        !part.is_empty()
            && part.len() <= 64
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    if path.split('/').all(good) && path.split('/').count() <= DEPTH_MAX {
        return Ok(());
    }
    let what = format!("{path:?} is no path of a team");
    let hint = "names of letters, digits, - _ and ., joined by /, such as org/ml";
    Err(Refusal::new(RefusalCode::Usage, what, hint))
}

/// Only leaves hold jobs: a team with live jobs gets no team below it.
fn check_parents(plan: &Plan, team: &str) -> Result<(), Refusal> {
    let Some(above) = parent(team) else { return Ok(()) };
    let holds = |job: &std::sync::Arc<crate::model::Job>| job.is_live() && *job.spec.team == *above;
    if plan.world().jobs().any(holds) {
        let what = format!("team {above} has live jobs, and only leaves of the tree hold jobs");
        return Err(Refusal::new(RefusalCode::Conflict, what, "move its jobs to another team"));
    }
    Ok(())
}

/// A quota above the limit could never be had.
fn check_terms(terms: &Terms) -> Result<(), Refusal> {
    let Some(what) = terms.quota_above_limit() else { return Ok(()) };
    let what = format!("the {what} quota is above the {what} limit");
    let hint = "a team can't be owed more than it may hold";
    Err(Refusal::new(RefusalCode::Usage, what, hint))
}
