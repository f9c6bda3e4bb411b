//! Fair shares: how teams divide what there is (kai.md 1.1).
//!
//! One resource and one level at a time: [`divide`]. First everybody gets their quota, as far as
//! they ask for it, unconditionally; then what is left is dealt out by queue priority, and among
//! equals in rounds by over-quota weight, corrected by past usage; in the end what rounding left
//! over goes to the largest fractions. [`divide_tree`] does so from the top down: each parent's
//! share is what its children divide. Start with [`divide`].
//!
//! Leftovers are given inside each tier before the next one sees anything, a whole unit each, even
//! where that is a little more than a queue asks for.

use std::cmp::Reverse;

use super::amounts::{Amounts, Bound, Bounds, Kind, Weights};

#[cfg(test)]
mod tests;

/// Billionths, in which usage and its influence are given.
const BILLION: f64 = 1e9;

/// One queue's claim on one resource. Amounts are in the resource's own small unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Claim {
    /// What it is owed; unlimited counts as the total.
    pub quota: Bound,
    /// What it may not exceed.
    pub limit: Bound,
    /// Its weight in dividing surplus; zero never gets any.
    pub weight: u64,
    /// Higher tiers get surplus first.
    pub priority: i64,
    /// When it was made, on any scale; older wins a tie.
    pub created: u64,
    /// What it holds and what waits, of its whole subtree.
    pub request: u64,
    /// Past usage as billionths of the capacity ([`super::usage`]).
    pub usage_ppb: u64,
}

impl Claim {
    /// What it can use at most.
    fn wish(&self) -> u64 {
        self.limit.map_or(self.request, |limit| limit.min(self.request))
    }
}

/// How surplus is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Influence of past usage, in billionths; zero leaves usage out.
    pub k_ppb: u64,
    /// What a share of surplus is rounded down to: [`Kind::unit`].
    pub unit: u64,
}

/// Divides `total` among claims, given in the order that breaks ties of age. The answer has
/// their shares in the same order, and what nobody got.
///
/// Quotas are unconditional: if they sum to more than the total, so do the shares. A share is less
/// than one unit above a claim's limit or request, and above it only by the last leftover.
pub fn divide(total: u64, claims: &[Claim], terms: Terms) -> (Vec<u64>, u64) {
    let share = |claim: &Claim| claim.quota.unwrap_or(total).min(claim.wish());
    let mut shares: Vec<u64> = claims.iter().map(share).collect();
    let owed = shares.iter().fold(0, |sum: u64, share| sum.saturating_add(*share));
    let left = divide_surplus(total.saturating_sub(owed), claims, &mut shares, terms);
    (shares, left)
}

/// Deals out `pot` on top of the shares there are; answers what nobody got.
pub fn divide_surplus(pot: u64, claims: &[Claim], shares: &mut [u64], terms: Terms) -> u64 {
    let mut order: Vec<usize> = (0..claims.len().min(shares.len())).collect();
    order.sort_by_key(|at| (Reverse(claims[*at].priority), claims[*at].created, *at));
    let mut left = pot;
    for tier in order.chunk_by(|a, b| claims[*a].priority == claims[*b].priority) {
        left = Tier { claims, tier, terms }.deal(left, shares);
    }
    left
}

/// Queues of one priority, oldest first.
struct Tier<'a> {
    claims: &'a [Claim],
    tier: &'a [usize],
    terms: Terms,
}

impl Tier<'_> {
    fn want(&self, at: usize, shares: &[u64]) -> u64 {
        self.claims[at].wish().saturating_sub(shares[at])
    }

    /// Rounds until nobody wants less than offered, then the leftovers of rounding.
    fn deal(&self, pot: u64, shares: &mut [u64]) -> u64 {
        let mut left = pot;
        let mut fractions: Vec<(usize, f64)> = Vec::new();
        // Each round but the last satisfies somebody for good.
        for _ in 0..=self.tier.len() {
            if !self.round(&mut left, shares, &mut fractions) {
                break;
            }
        }
        // Largest fraction first, a tie goes to the older.
        let age = |at: usize| self.tier.iter().position(|known| *known == at);
        fractions.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| age(*a).cmp(&age(*b))));
        for (at, _) in fractions {
            let give = self.terms.unit.max(1).min(left);
            shares[at] = shares[at].saturating_add(give);
            left -= give;
        }
        left
    }

    /// One round; whether something became free for another.
    fn round(&self, left: &mut u64, shares: &mut [u64], kept: &mut Vec<(usize, f64)>) -> bool {
        let wanting = |at: &&usize| self.claims[**at].weight > 0 && self.want(**at, shares) > 0;
        let wanting: Vec<usize> = self.tier.iter().filter(wanting).copied().collect();
        let weights = self.effective_weights(&wanting);
        let sum: f64 = weights.iter().sum();
        if *left == 0 || sum <= 0.0 {
            return false;
        }
        let pot = to_float(*left);
        let mut freed = false;
        for (at, weight) in wanting.into_iter().zip(weights) {
            let (want, offer) = (self.want(at, shares), pot * (weight / sum));
            let give = if to_float(want) <= offer {
                freed |= to_float(want) < offer;
                kept.retain(|(known, _)| *known != at);
                want
            } else {
                let unit = to_float(self.terms.unit.max(1));
                let units = (offer / unit).floor();
                let fraction = offer / unit - units;
                if fraction > 0.0 {
                    // The last fraction counts, also of a round before.
                    kept.retain(|(known, _)| *known != at);
                    kept.push((at, fraction));
                }
                whole(units * unit)
            };
            let give = give.min(*left);
            shares[at] = shares[at].saturating_add(give);
            *left -= give;
        }
        freed
    }

    /// `max(0, w + k·(w − u))`, where `w` is a weight's part of all and `u` past usage.
    fn effective_weights(&self, wanting: &[usize]) -> Vec<f64> {
        let sum: f64 = wanting.iter().map(|at| to_float(self.claims[*at].weight)).sum();
        let k = to_float(self.terms.k_ppb) / BILLION;
        let effective = |at: &usize| {
            let weight = to_float(self.claims[*at].weight) / sum;
            let usage = to_float(self.claims[*at].usage_ppb) / BILLION;
            (weight + k * (weight - usage)).max(0.0)
        };
        wanting.iter().map(effective).collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact below 2^53: 9 PB, or 9 billion cores")]
fn to_float(n: u64) -> f64 {
    n as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates; ≥ 0")]
fn whole(x: f64) -> u64 {
    x as u64
}

/// A queue of a tree and all its claims.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Team {
    /// Its parent's place in the slice; `None` at the top.
    pub parent: Option<usize>,
    /// Higher tiers get surplus first.
    pub priority: i64,
    /// When it was made, on any scale; older wins a tie.
    pub created: u64,
    /// What it is owed.
    pub quota: Bounds,
    /// What it may not exceed.
    pub limit: Bounds,
    /// Its weights in dividing surplus.
    pub weight: Weights,
    /// What it holds and what waits, of its whole subtree.
    pub request: Amounts,
    /// Past usage as billionths of the capacity, each resource by itself.
    pub usage_ppb: Amounts,
}

impl Team {
    /// Its claim on one resource.
    pub fn claim(&self, kind: Kind) -> Claim {
        Claim {
            quota: self.quota.get(kind),
            limit: self.limit.get(kind),
            weight: self.weight.get(kind),
            priority: self.priority,
            created: self.created,
            request: self.request.get(kind),
            usage_ppb: self.usage_ppb.get(kind),
        }
    }
}

/// The fair shares of a whole tree, in the order of the slice, which breaks ties of age among
/// siblings, and what the top level left. A team whose parent does not exist gets nothing.
pub fn divide_tree(total: &Amounts, teams: &[Team], k_ppb: u64) -> (Vec<Amounts>, Amounts) {
    let mut shares = vec![Amounts::default(); teams.len()];
    let mut left = *total;
    let mut level: Vec<(Option<usize>, Amounts)> = vec![(None, *total)];
    while let Some((parent, total)) = level.pop() {
        let children = (0..teams.len()).filter(|at| teams[*at].parent == parent);
        let children: Vec<usize> = children.filter(|at| Some(*at) != parent).collect();
        for kind in Kind::ALL {
            let claims: Vec<Claim> = children.iter().map(|at| teams[*at].claim(kind)).collect();
            let terms = Terms { k_ppb, unit: kind.unit() };
            let (divided, rest) = divide(total.get(kind), &claims, terms);
            for (at, share) in children.iter().zip(divided) {
                *shares[*at].get_mut(kind) = share;
            }
            if parent.is_none() {
                *left.get_mut(kind) = rest;
            }
        }
        level.extend(children.into_iter().map(|at| (Some(at), shares[at])));
    }
    (shares, left)
}
