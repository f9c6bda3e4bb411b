//! Opens and closes the windows of teams. This stops nothing: it changes who is owed and who is
//! over, and what follows from that is a reclaim like any other.

use crate::base::{Name, Wall};
use crate::model::Fact;
use crate::model::page::Opening;
use crate::model::setup::Setup;
use crate::model::team::Team;
use crate::model::window::Window;
use crate::sched::plan::Plan;
use crate::sched::policy::window;
use crate::sched::world::World;

/// The name of the switch.
const SWITCH: &str = "window";
/// Edges of one window that are told at most: some more than a week of daily ones has.
const EDGES_MAX: usize = 20;

/// Gives each team the terms that hold at this time of the week.
pub fn run(plan: &mut Plan) {
    let world = plan.world();
    let wall = plan.at().wall;
    let facts: Vec<Fact> = concerned(world).filter_map(|team| change(world, team, wall)).collect();
    for fact in facts {
        plan.note(fact);
    }
}

/// When a window of a team next opens or closes.
pub fn next_edge(world: &World, at: Wall) -> Option<Wall> {
    let windows = in_use(world.setup()).filter(|window| world.teams.contains_key(&window.team));
    window::next_edge(windows.map(|window| &window.weekly), at)
}

/// When the windows of teams are open from a time on, up to another, by window, then by time. Each
/// is told for itself: of several that are open at once the first counts.
pub fn openings(world: &World, from: Wall, to: Wall) -> Vec<Opening> {
    let windows = in_use(world.setup()).filter(|window| world.teams.contains_key(&window.team));
    let mut all = Vec::new();
    for Window { name, team, weekly, .. } in windows {
        let mut at = Some(from);
        for _ in 0..EDGES_MAX {
            let Some(then) = at.filter(|at| *at < to) else { break };
            if let Some(open) = weekly.open_at(then) {
                let (team, window, zone) = (team.clone(), name.clone(), weekly.zone.clone());
                all.push(Opening { team, window, zone, from: open.from, until: open.until });
            }
            at = weekly.next_edge(then);
        }
    }
    all
}

fn in_use(setup: &Setup) -> impl Iterator<Item = &Window> {
    setup.windows.iter().filter(|_| setup.cycle.on(SWITCH))
}

/// Teams that have a window, or one that is open and was configured away.
fn concerned(world: &World) -> impl Iterator<Item = &Team> {
    let named: std::collections::BTreeSet<&Name> =
        in_use(world.setup()).map(|window| &window.team).collect();
    let teams = world.teams.values();
    teams.filter(move |team| team.window.is_some() || named.contains(&team.name))
}

fn change(world: &World, team: &Team, wall: Wall) -> Option<Fact> {
    let windows: Vec<&Window> =
        in_use(world.setup()).filter(|window| window.team == team.name).collect();
    let open = window::in_force(windows.iter().map(|window| &window.weekly), wall);
    let Some((window, open)) = open.and_then(|(place, open)| Some((windows.get(place)?, open)))
    else {
        let window = team.window.as_ref()?.name.clone();
        return Some(Fact::WindowClosed { team: team.name.clone(), window });
    };
    let (force, terms) = window.in_force(open, team.own());
    let stands = team.window.as_deref() == Some(&force) && team.terms == terms;
    let (team, window, zone, until) = (team.name.clone(), force.name, force.zone, force.until);
    let opened = Fact::WindowOpened { team, window, zone, until, terms: Box::new(terms) };
    (!stands).then_some(opened)
}
