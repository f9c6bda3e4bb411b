//! The tree of teams: the page readers get, and the way from what was said to the command.

use std::collections::BTreeMap;

use crate::base::{At, Name, Span};
use crate::engine::Receipt;
use crate::engine::assemble::Published;
use crate::engine::handle::Handle;
use crate::engine::submit::print_of;
use crate::model::access::Right;
use crate::model::command::{Command, Key, TeamChange};
use crate::model::page::{Lane, TeamPage, TeamRow};
use crate::model::refusal::Refusal;
use crate::model::team::{Bounds, Team, TeamEdit, Terms, parent};
use crate::model::{Actor, Resources};
use crate::sched::actions::windows::openings;
use crate::sched::policy::amounts::Amounts;
use crate::sched::rights;
use crate::sched::{Account, World, explain};

/// How far ahead the hours of windows are told.
const SHOWN: Span = Span::hours(168);

/// The teams that `may_see` lets through, by path, with what their subtrees hold and want.
pub fn page(world: &World, seq: u64, at: At, may_see: &dyn Fn(&Name) -> bool) -> TeamPage {
    let mut rows: BTreeMap<&str, (TeamRow, Account)> =
        world.teams().map(|team| (&*team.name, (empty(team), Account::default()))).collect();
    // From what the index keeps of each team, never from the jobs: this is asked for often.
    for team in world.teams() {
        let own = world.index().account_of(&team.name);
        let mut above = Some(&*team.name);
        while let Some(path) = above.filter(|_| own != Account::default()) {
            if let Some((_, sum)) = rows.get_mut(path) {
                *sum = sum.plus(&own);
            }
            above = parent(path);
        }
    }
    let mut rows: BTreeMap<&str, TeamRow> =
        rows.into_iter().map(|(name, (row, sum))| (name, filled(row, &sum))).collect();
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
    for (team, id) in world.index().oldest_waiting() {
        let since = world.job(id).map(|job| job.since);
        let mut above = Some(&**team);
        while let Some(path) = above {
            above = parent(path);
            let row = rows.get_mut(path).filter(|row| row.owed().is_some_and(|o| !o.is_empty()));
            if let Some(row) = row {
                row.owed_since = row.owed_since.into_iter().chain(since).min();
            }
        }
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
            if !task.lent.is_empty() {
                holds.gpu_milli = 0;
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

fn filled(row: TeamRow, sum: &Account) -> TeamRow {
    let resources = |amounts: &Amounts| Resources {
        cpu_milli: amounts.cpu_milli,
        mem_bytes: amounts.mem_bytes,
        gpu_milli: amounts.gpu_milli,
        ..Resources::default()
    };
    TeamRow {
        held: resources(&sum.held),
        firm: resources(&sum.firm),
        pending: resources(&sum.wanted),
        running: sum.running,
        queued: sum.queued,
        ..row
    }
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

    /// Adds a team, changes its terms, or removes it; a key makes asking again harmless. Of a
    /// change only what is said travels on: two at one instant do not undo each other.
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
        let change = change(edit);
        self.command(Command::Team { team, change, key, by }).await
    }
}

/// What was said, as the core takes it.
pub fn change(edit: TeamEdit) -> TeamChange {
    match edit {
        TeamEdit::Add(said) => TeamChange::Add(Box::new(said.over(&Terms::default()))),
        TeamEdit::Set(said) => TeamChange::Change(Box::new(said)),
        TeamEdit::Remove => TeamChange::Remove,
    }
}
