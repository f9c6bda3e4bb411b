//! Whose turn it is: from the top of the tree down to a team, there the best job (kai.md 1.2).
//!
//! Siblings are compared with the best job below each (`policy::queue_order`), anew after each
//! placement; only the line of the team whose turn it was is looked at again.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::sched::board::teams::Teams;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::order::Place;
use crate::sched::policy::queue_order::{Contender, Standing};

/// What waits for its turn in a team.
pub trait Waits {
    /// Its place among those of its team.
    fn place(&self) -> Place;
    /// The place of its team.
    fn team(&self) -> usize;
    /// What it would take next.
    fn next(&self) -> Amounts;
}

/// Jobs by team.
#[derive(Debug)]
pub struct Turns<T> {
    waiting: Vec<BTreeMap<Place, T>>,
    /// The team below each whose turn it is, itself for a leaf; the last is that of the top.
    best: Vec<Option<usize>>,
    /// Where each stands among its siblings with that team's first.
    standing: Vec<Option<Standing>>,
    /// Whether both must be looked for again.
    stale: Vec<bool>,
    /// Teams count: else the best job of all goes first, whatever its team.
    by_team: bool,
}

impl<T: Waits> Turns<T> {
    /// Nobody waits yet.
    pub fn new(teams: &Teams, by_team: bool) -> Turns<T> {
        let waiting = (0..teams.count()).map(|_| BTreeMap::new()).collect();
        let (best, standing) = (vec![None; teams.count() + 1], vec![None; teams.count()]);
        Turns { waiting, best, standing, stale: vec![true; teams.count() + 1], by_team }
    }

    /// Adds one.
    pub fn push(&mut self, teams: &Teams, one: T) {
        let team = one.team();
        self.waiting[team].insert(one.place(), one);
        self.touch(teams, team);
    }

    /// Takes out the one whose turn it is.
    pub fn pop(&mut self, teams: &Teams) -> Option<T> {
        let team = self.find(teams, None)?;
        let (_, one) = self.waiting[team].pop_first()?;
        self.touch(teams, team);
        Some(one)
    }

    fn touch(&mut self, teams: &Teams, team: usize) {
        for level in teams.line(team) {
            self.stale[*level] = true;
        }
        self.stale[teams.count()] = true;
    }

    fn first(&self, team: usize) -> Option<&T> {
        self.waiting[team].first_key_value().map(|(_, one)| one)
    }

    /// The team at or below `at` whose turn it is.
    fn find(&mut self, teams: &Teams, at: Option<usize>) -> Option<usize> {
        let slot = at.unwrap_or(teams.count());
        if !self.stale[slot] {
            return self.best[slot];
        }
        let own = at.filter(|at| !self.waiting[*at].is_empty()).map(|at| (at, at));
        let mut best: Option<(usize, usize)> = own;
        own.into_iter().for_each(|(team, leaf)| self.stand(teams, team, leaf));
        for child in teams.below(at) {
            let Some(leaf) = self.find(teams, Some(*child)) else { continue };
            let better = match best {
                None => true,
                Some(best) => self.order((*child, leaf), best) == Ordering::Less,
            };
            if better {
                best = Some((*child, leaf));
            }
        }
        self.best[slot] = best.map(|(_, leaf)| leaf);
        self.stale[slot] = false;
        if let (Some(team), Some(leaf)) = (at, self.best[slot]) {
            self.stand(teams, team, leaf);
        }
        self.best[slot]
    }

    /// Notes where a queue stands with the first of a team at or below it.
    fn stand(&mut self, teams: &Teams, team: usize, leaf: usize) {
        let next = self.first(leaf).map(Waits::next).unwrap_or_default();
        let queue = &teams.queues[team];
        let contender = Contender { queue, next, given_up: Amounts::default() };
        self.standing[team] = Some(Standing::of(&contender, &teams.total));
    }

    /// Which of two siblings goes first, each with the team below it whose turn it is.
    fn order(&self, a: (usize, usize), b: (usize, usize)) -> Ordering {
        let (Some(a_first), Some(b_first)) = (self.first(a.1), self.first(b.1)) else {
            return Ordering::Equal;
        };
        let by_place = || a_first.place().cmp(&b_first.place());
        match (&self.standing[a.0], &self.standing[b.0]) {
            (Some(a), Some(b)) if self.by_team => a.order(b).then_with(by_place),
            _ => by_place(),
        }
    }
}
