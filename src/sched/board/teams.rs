//! The tree of teams in numbers, for one cycle.

use std::collections::BTreeSet;

use crate::base::Name;
use crate::model::Team;
use crate::model::node::Node;
use crate::model::setup::Cycle;
use crate::sched::index::Account;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::fit::WHOLE;
use crate::sched::policy::queue::{Queue, lineage};
use crate::sched::policy::shares;
use crate::sched::world::World;

/// Billionths of one.
const BILLION: u64 = 1_000_000_000;

/// The teams, by path; a team is named by its place.
#[derive(Debug, Clone)]
pub struct Teams {
    names: Vec<Name>,
    /// What the rules know of each.
    pub queues: Vec<Queue>,
    /// The places of the teams below each; the last entry is that of the topmost ones.
    children: Vec<Vec<usize>>,
    /// The places from each up to the top, itself first.
    lines: Vec<Vec<usize>>,
    /// Each is held back by itself or by one above it, or all are.
    paused: Vec<bool>,
    /// What all nodes have together.
    pub total: Amounts,
}

impl Teams {
    /// The teams of a world, with what they hold and what their fair share is.
    pub fn of(world: &World) -> Teams {
        let total = total(world);
        let teams: Vec<&Team> = world.teams().collect();
        let names: Vec<Name> = teams.iter().map(|team| team.name.clone()).collect();
        let place = |name: &str| names.binary_search_by(|known| (**known).cmp(name)).ok();
        let parents: Vec<Option<usize>> =
            teams.iter().map(|team| team.parent().and_then(place)).collect();
        let mut children = vec![Vec::new(); teams.len() + 1];
        for (at, parent) in parents.iter().enumerate() {
            children[parent.unwrap_or(teams.len())].push(at);
        }
        let held = |team: &&Team| world.paused().is_some() || team.paused.is_some();
        let paused: Vec<bool> = teams.iter().map(held).collect();
        let queues = queues(&teams, &parents);
        let lines = (0..teams.len()).map(|at| lineage(&queues, at)).collect();
        let mut all = Teams { names, queues, children, lines, paused, total };
        let mut wanted = vec![Amounts::default(); teams.len()];
        let mut used = vec![Amounts::default(); teams.len()];
        for (at, team) in teams.iter().enumerate() {
            let line = all.lines[at].clone();
            all.paused[at] |= line.iter().any(|above| teams[*above].paused.is_some());
            let Account { held, firm, wanted: wants, .. } = world.index().account_of(&team.name);
            let past = world.past_use().of(&team.name);
            for above in line {
                used[above] = used[above].plus(&past);
                let queue = &mut all.queues[above];
                queue.allocated = queue.allocated.plus(&held);
                queue.firm = queue.firm.plus(&firm);
                // What is held back asks for nothing.
                if !all.paused[at] {
                    wanted[above] = wanted[above].plus(&wants);
                }
            }
        }
        let used: Vec<Amounts> = used.iter().map(|used| world.past_use().part(used)).collect();
        all.share(&teams, &wanted, &used, &world.setup().cycle);
        all
    }

    /// Sets the fair shares. Switched off, every team may have everything.
    fn share(&mut self, teams: &[&Team], wanted: &[Amounts], used: &[Amounts], cycle: &Cycle) {
        if !cycle.on("fair_share") {
            self.queues.iter_mut().for_each(|queue| queue.fair = self.total);
            return;
        }
        let claim = |(at, team): (usize, &&Team)| shares::Team {
            parent: self.queues[at].parent,
            priority: i64::from(team.terms.priority),
            created: team.created,
            quota: team.terms.quota,
            limit: team.terms.limit,
            weight: team.terms.weight,
            request: self.queues[at].allocated.plus(&wanted[at]),
            usage_ppb: used[at],
        };
        let claims: Vec<shares::Team> = teams.iter().enumerate().map(claim).collect();
        let k_ppb = cycle.usage_weight.saturating_mul(BILLION / 1000);
        let (divided, _) = shares::divide_tree(&self.total, &claims, k_ppb);
        for (queue, share) in self.queues.iter_mut().zip(divided) {
            queue.fair = share;
        }
    }

    /// The place of a team.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|known| (**known).cmp(name)).ok()
    }

    /// Its path.
    pub fn name(&self, at: usize) -> &Name {
        &self.names[at]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The places of the teams below one; of the topmost ones below none.
    pub fn below(&self, at: Option<usize>) -> &[usize] {
        &self.children[at.unwrap_or(self.names.len())]
    }

    /// The places from one up to the top, itself first.
    pub fn line(&self, at: usize) -> &[usize] {
        &self.lines[at]
    }

    /// The teams whose jobs have a say in which of some teams goes first: all below those siblings
    /// where the lines of these teams part. What waits elsewhere comes before all of them or
    /// after, and changes nothing between them.
    pub fn compared_with(&self, teams: &BTreeSet<usize>) -> Vec<usize> {
        let mut level = None;
        let mut sides: Vec<usize>;
        loop {
            let holds = |child: &&usize| teams.iter().any(|team| self.line(*team).contains(child));
            sides = self.below(level).iter().filter(holds).copied().collect();
            match sides.as_slice() {
                [only] if !teams.contains(only) => level = Some(*only),
                _ => break,
            }
        }
        let mut all: Vec<usize> = level.into_iter().filter(|level| teams.contains(level)).collect();
        while let Some(team) = sides.pop() {
            all.push(team);
            sides.extend(self.below(Some(team)));
        }
        all
    }

    /// Nothing new starts in it.
    pub fn is_paused(&self, at: usize) -> bool {
        self.paused[at]
    }
}

fn queues(teams: &[&Team], parents: &[Option<usize>]) -> Vec<Queue> {
    let queue = |(team, parent): (&&Team, &Option<usize>)| Queue {
        parent: *parent,
        priority: i64::from(team.terms.priority),
        created: team.created,
        quota: team.terms.quota,
        limit: team.terms.limit,
        ..Queue::default()
    };
    teams.iter().zip(parents).map(queue).collect()
}

/// What all nodes that take work have together; devices that others use are left out.
pub fn total(world: &World) -> Amounts {
    let open = world.nodes().filter(|node| node.up && node.drain.is_none());
    open.fold(Amounts::default(), |sum, node: &std::sync::Arc<Node>| {
        let ours = node.gpus.iter().filter(|gpu| gpu.foreign.is_none()).count() as u64;
        let has = Amounts { gpu_milli: ours * WHOLE, ..Amounts::from(&node.capacity) };
        sum.plus(&has)
    })
}
