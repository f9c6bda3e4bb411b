//! The tree of teams: the page readers get, and the way from what was said to the command.

use std::collections::BTreeMap;

use crate::base::{At, Name, Span};
use crate::engine::Receipt;
use crate::engine::assemble::Published;
use crate::engine::handle::Handle;
use crate::engine::pages;
use crate::engine::submit::print_of;
use crate::model::access::Right;
use crate::model::command::{Command, Key, TeamChange};
use crate::model::job::{Job, State, TaskState};
use crate::model::page::{Lane, TeamPage, TeamRow};
use crate::model::refusal::Refusal;
use crate::model::team::{Bounds, Team, TeamEdit, Terms, parent};
use crate::model::{Actor, Resources};
use crate::sched::actions::windows::openings;
use crate::sched::rights;
use crate::sched::{World, explain};

/// How far ahead the hours of windows are told.
const SHOWN: Span = Span::hours(168);

/// The teams that `may_see` lets through, by path, with what their subtrees hold and want.
pub fn page(world: &World, seq: u64, at: At, may_see: &dyn Fn(&Name) -> bool) -> TeamPage {
    let mut rows: BTreeMap<&str, TeamRow> =
        world.teams().map(|team| (&*team.name, empty(team))).collect();
    for lane in [Lane::Human, Lane::Running, Lane::Queued] {
        for (_, id) in world.index().lane(lane, None) {
            let Some(job) = world.job(id) else { continue };
            let (held, wanted) = (pages::holds(job), wants(job));
            let mut above = Some(&*job.spec.team);
            while let Some(path) = above {
                if let Some(row) = rows.get_mut(path) {
                    count(row, job, lane, &held, &wanted);
                }
                above = parent(path);
            }
        }
    }
    for (name, standing) in explain::standings(world, at) {
        if let Some(row) = rows.get_mut(&*name) {
            row.share = Some(standing.share);
            row.next_victim = standing.next_victim;
        }
    }
    since(world, &mut rows);
    let mut teams: Vec<TeamRow> = rows.into_values().filter(|row| may_see(&row.name)).collect();
    // Each right after the one above it: as text `a-b` would come between `a` and `a/c`.
    teams.sort_by(|a, b| a.name.split('/').cmp(b.name.split('/')));
    let openings = openings(world, at.wall, at.wall + SHOWN);
    let openings = openings.into_iter().filter(|opening| may_see(&opening.team)).collect();
    TeamPage { teams, openings, seq, at }
}

/// Since when teams are over what they may hold, or are owed room: of those that are neither
/// nothing is said.
fn since(world: &World, rows: &mut BTreeMap<&str, TeamRow>) {
    for row in rows.values_mut() {
        let owed = row.owed().is_some_and(|owed| !owed.is_empty());
        row.owed_since = row.owed_since.filter(|_| owed);
    }
    let bounds = |(name, row): (&&str, &TeamRow)| Some((Name::from(*name), row.over()?));
    let over: BTreeMap<Name, Bounds> = rows.iter().filter_map(bounds).collect();
    for (name, placed) in placed_in(world, &over) {
        let Some((row, bounds)) = rows.get_mut(&*name).zip(over.get(&name)) else { continue };
        let mut held = Resources::default();
        let crosses = |more: &Resources| {
            held.add(more);
            !bounds.hold(&held)
        };
        row.over_since = first_that(placed, crosses);
    }
}

/// When the first of these got room, in the order of time, for which something holds.
fn first_that(
    mut placed: Vec<(At, Resources)>,
    mut holds: impl FnMut(&Resources) -> bool,
) -> Option<At> {
    placed.sort_by_key(|(at, _)| *at);
    placed.iter().find(|(_, more)| holds(more)).map(|(at, _)| *at)
}

/// What holds room in some teams and below them, and since when.
fn placed_in(
    world: &World,
    teams: &BTreeMap<Name, Bounds>,
) -> BTreeMap<Name, Vec<(At, Resources)>> {
    let mut placed: BTreeMap<Name, Vec<(At, Resources)>> = BTreeMap::new();
    let lanes =
        [Lane::Human, Lane::Running, Lane::Queued].into_iter().filter(|_| !teams.is_empty());
    for (_, id) in lanes.flat_map(|lane| world.index().lane(lane, None)) {
        let Some(job) = world.job(id) else { continue };
        for task in job.active_tasks() {
            let Some(at) = task.placed else { continue };
            let mut holds = job.spec.request_of_task(task).clone();
            if job.frozen {
                holds.cpu_milli = 0;
            }
            let mut above = Some(&*job.spec.team);
            while let Some(path) = above {
                above = parent(path);
                if let Some((name, _)) = teams.get_key_value(path) {
                    placed.entry(name.clone()).or_default().push((at, holds.clone()));
                }
            }
        }
    }
    placed
}

fn empty(team: &Team) -> TeamRow {
    TeamRow {
        name: team.name.clone(),
        terms: team.terms.clone(),
        paused: team.paused.clone(),
        window: team.window.clone(),
        held: Resources::default(),
        firm: Resources::default(),
        pending: Resources::default(),
        share: None,
        running: 0,
        queued: 0,
        over_since: None,
        owed_since: None,
        next_victim: None,
    }
}

fn count(row: &mut TeamRow, job: &Job, lane: Lane, held: &Resources, wanted: &Resources) {
    row.held.add(held);
    row.pending.add(wanted);
    if !job.spec.preemptible {
        row.firm.add(held);
    }
    match lane {
        Lane::Human | Lane::Running => row.running += 1,
        _ if job.state == State::Queued => {
            row.queued += 1;
            row.owed_since = row.owed_since.into_iter().chain([job.since]).min();
        }
        _ => {}
    }
}

/// What a job that waits for room would like to have in all, or a gang that grows more.
fn wants(job: &Job) -> Resources {
    let mut sum = Resources::default();
    let spec = &job.spec;
    match job.state {
        State::Queued if job.frozen => {
            job.active_tasks().for_each(|task| sum.add(spec.request_of_task(task)));
            // It has these already, and waits for the rest.
            sum.sub(&pages::holds(job));
        }
        State::Queued => sum = spec.request_of_all(),
        State::Starting | State::Running => {
            let pending = job.tasks.iter().filter(|task| task.state == TaskState::Pending);
            pending.for_each(|task| sum.add(spec.request_of_task(task)));
        }
        _ => {}
    }
    sum
}

impl Handle {
    /// The teams the caller may see.
    ///
    /// # Errors
    /// When there is none.
    #[expect(clippy::unused_async, reason = "the callers are async, and a slow store may come")]
    pub async fn teams(&self, by: &Actor) -> Result<TeamPage, Refusal> {
        let Published { world, seq, .. } = self.published();
        let may_see = |team: &Name| rights::on_team(&world, by, team, Right::See).is_ok();
        let page = page(&world, seq, self.at(), &may_see);
        if page.teams.is_empty() {
            rights::on_team(&world, by, "", Right::See)?;
        }
        Ok(page)
    }

    /// Adds a team, changes its terms, or removes it; a key makes asking again harmless. Of two
    /// changes of one team at the same instant the later one may undo what the earlier said.
    ///
    /// # Errors
    /// What the core refuses.
    pub async fn edit_team(
        &self,
        team: Name,
        edit: TeamEdit,
        key: Option<String>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        let body = print_of(&(&team, &edit));
        let key = key.map(|key| Key { key: format!("{} {key}", by.user), body });
        let change = change(&self.published().world, &team, edit);
        self.command(Command::Team { team, change, key, by }).await
    }
}

/// What was said, on top of what the team has.
pub fn change(world: &World, team: &str, edit: TeamEdit) -> TeamChange {
    match edit {
        TeamEdit::Add(said) => TeamChange::Add(Box::new(said.over(&Terms::default()))),
        TeamEdit::Set(said) => {
            let known = world.teams().find(|known| *known.name == *team);
            let terms = known.map(|team| team.own().clone()).unwrap_or_default();
            TeamChange::Set(Box::new(said.over(&terms)))
        }
        TeamEdit::Remove => TeamChange::Remove,
    }
}
