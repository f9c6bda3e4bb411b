//! What must come free for a taker, and which of the victims looked at so far are worth a try.
//!
//! A try is dear, so what is certain to fail is left out: room is counted node by node, and a set
//! of victims after which fewer of the taker's tasks would find room than it has is none.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::JobId;
use crate::model::Resources;
use crate::sched::actions::victims::Batch;
use crate::sched::board::Board;
use crate::sched::policy::amounts::{Amounts, Kind};

/// What must be free for a taker.
pub struct Need {
    sum: Amounts,
    /// What its smallest task asks for.
    least: Amounts,
    /// Its tasks, equal ones together.
    tasks: Vec<(Amounts, u64)>,
    /// What is or will be free on each node, with what is taken already.
    there: Vec<Amounts>,
    /// The sum of that.
    free: Amounts,
}

/// The victims that were looked at so far, in their order.
pub struct Pool {
    /// They.
    pub batches: Vec<Batch>,
    /// What they would give back, on nodes that could be used for others.
    freed: Amounts,
    /// The same by node, with the number of the batch that came first there.
    by_node: BTreeMap<usize, (Amounts, usize)>,
    /// How many of each of the taker's tasks there would be room for.
    fits: Vec<u64>,
}

impl Need {
    /// Of tasks that ask for so much, after some are taken from already.
    pub fn of(board: &mut Board, requests: &[Resources], known: &[Batch]) -> Need {
        let mut tasks: Vec<(Amounts, u64)> = Vec::new();
        let mut sum = Amounts::default();
        for each in requests.iter().map(Amounts::from) {
            sum = sum.plus(&each);
            match tasks.iter_mut().find(|(known, _)| *known == each) {
                Some((_, count)) => *count += 1,
                None => tasks.push((each, 1)),
            }
        }
        let least = |kind| tasks.iter().map(|(each, _)| each.get(kind)).min().unwrap_or(0);
        let least = Amounts::each(least);
        let mut there: Vec<Amounts> =
            (0..board.rooms.len()).map(|node| board.free_on(node)).collect();
        board.looks += there.len() as u64;
        for (node, held) in known.iter().flat_map(|batch| &batch.holds) {
            if board.is_open(*node) {
                there[*node] = there[*node].plus(&Amounts::from(held));
            }
        }
        let free = there.iter().fold(Amounts::default(), |sum, here| sum.plus(here));
        Need { sum, least, tasks, there, free }
    }

    /// What counts: devices if it asks for some, else cores.
    fn kind(&self) -> Kind {
        if self.sum.gpu_milli > 0 { Kind::Gpu } else { Kind::Cpu }
    }

    /// Whether all that were looked at together would give enough.
    pub fn could_be_met(&self, pool: &Pool) -> bool {
        let there = self.free.plus(&pool.freed);
        Kind::ALL.into_iter().all(|kind| there.get(kind) >= self.sum.get(kind))
            && self.tasks.iter().zip(&pool.fits).all(|((_, tasks), fits)| fits >= tasks)
    }

    /// Whether some of them, by place in the pool, would.
    pub fn could_be_met_by(&self, pool: &Pool, set: &[usize]) -> bool {
        let nodes: BTreeSet<usize> =
            set.iter().flat_map(|at| pool.batches[*at].nodes.iter().copied()).collect();
        self.tasks.iter().all(|(need, tasks)| {
            let mut fits = self.there.iter().enumerate().filter(|(node, _)| !nodes.contains(node));
            let mut left = *tasks;
            let touched = nodes.iter().map(|node| {
                let freed = pool.by_node.get(node).map_or(Amounts::default(), |(freed, _)| *freed);
                self.there[*node].plus(&freed)
            });
            for there in touched {
                left = left.saturating_sub(times(&there, need));
            }
            while left > 0 {
                let Some((_, there)) = fits.next() else { return false };
                left = left.saturating_sub(times(there, need));
            }
            true
        })
    }

    /// The sets of victims to try, by place in the pool: those that share a node with the newest,
    /// then those on growing sets of nodes, smallest first.
    pub fn sets(&self, board: &mut Board, pool: &Pool, budget: u64) -> Vec<Vec<usize>> {
        let Some(newest) = pool.batches.last() else { return Vec::new() };
        let mut sets: Vec<Vec<usize>> = vec![pool.on(&newest.nodes)];
        let mut nodes: Vec<(u64, usize, usize)> = Vec::new();
        let kind = self.kind();
        let mut elsewhere = self.free;
        for (node, (freed, first)) in &pool.by_node {
            let here = &self.there[*node];
            elsewhere = elsewhere.minus(here);
            let there = here.plus(freed).get(kind);
            if there >= self.least.get(kind) {
                nodes.push((there, *first, *node));
            }
        }
        board.looks += pool.by_node.len() as u64;
        nodes.sort_unstable();
        let mut covered = elsewhere.get(kind);
        let mut picked = BTreeSet::new();
        for (there, _, node) in nodes {
            picked.insert(node);
            covered = covered.saturating_add(there);
            if covered >= self.sum.get(kind) {
                sets.push(pool.on(&picked));
                board.looks += pool.batches.len() as u64;
            }
            if board.looks > budget {
                break;
            }
        }
        sets
    }
}

impl Pool {
    /// Nobody was looked at yet.
    pub fn of(need: &Need) -> Pool {
        let fits = need.tasks.iter().map(|(each, _)| {
            need.there.iter().fold(0, |sum: u64, there| sum.saturating_add(times(there, each)))
        });
        let (batches, by_node) = (Vec::new(), BTreeMap::new());
        Pool { batches, freed: Amounts::default(), by_node, fits: fits.collect() }
    }

    /// One more was.
    pub fn push(&mut self, need: &Need, board: &Board, batch: Batch) {
        let number = self.batches.len();
        for (node, held) in batch.holds.iter().filter(|(node, _)| board.is_open(*node)) {
            let held = Amounts::from(held);
            let (freed, _) = self.by_node.entry(*node).or_insert((Amounts::default(), number));
            let before = need.there[*node].plus(freed);
            *freed = freed.plus(&held);
            let after = before.plus(&held);
            for (fits, (each, _)) in self.fits.iter_mut().zip(&need.tasks) {
                *fits = fits.saturating_add(times(&after, each) - times(&before, each));
            }
            self.freed = self.freed.plus(&held);
        }
        self.batches.push(batch);
    }

    /// Those with a task on one of the nodes; where that is the core of a gang, with its surplus
    /// on others, which goes with it.
    fn on(&self, nodes: &BTreeSet<usize>) -> Vec<usize> {
        let shared = |batch: &&Batch| !batch.nodes.is_disjoint(nodes);
        let cores = self.batches.iter().filter(shared).filter(|batch| batch.is_core);
        let whole: BTreeSet<JobId> = cores.map(|batch| batch.job).collect();
        let batches = self.batches.iter().enumerate();
        let goes = batches.filter(|(_, batch)| shared(batch) || whole.contains(&batch.job));
        goes.map(|(at, _)| at).collect()
    }
}

/// How many such tasks that much would do for.
pub fn times(there: &Amounts, need: &Amounts) -> u64 {
    let times = |kind: Kind| there.get(kind).checked_div(need.get(kind)).unwrap_or(u64::MAX);
    Kind::ALL.into_iter().map(times).min().unwrap_or(u64::MAX)
}
