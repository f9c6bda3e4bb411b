//! Gangs: which tasks come next, which go first, and when a gang has gone stale (kai.md 1.2–1.4).
//!
//! A gang is a tree. A [`Group`] is identical tasks of which some number is needed; a [`Set`]
//! holds groups and sets, of which all or some number must be satisfied. [`next_chunk`] answers
//! what starts next: everything that is missing to the minimum at once, then one task (or one
//! more member's minimum) at a time. [`next_to_give_up`] is its mirror.

use std::cmp::Ordering;

use crate::base::Span;

#[cfg(test)]
mod tests;

/// Identical tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Group {
    /// What the caller calls it.
    pub id: u32,
    /// Tasks it needs.
    pub min: u32,
    /// Tasks that have room: placed, starting or running; not releasing, not merely promised.
    pub active: u32,
    /// Tasks that could be placed now.
    pub waiting: u32,
}

/// Groups and sets that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    /// How many members must be satisfied; `None` is all.
    pub min: Option<u32>,
    /// The members.
    pub members: Vec<Member>,
}

/// A part of a gang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Member {
    /// Tasks.
    Group(Group),
    /// More parts.
    Set(Set),
}

/// So many tasks of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The group.
    pub id: u32,
    /// How many.
    pub tasks: u32,
}

/// How a gang stands to its minimum; the smaller goes first among jobs of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Fewer tasks than it needs.
    Below,
    /// As many as it needs.
    Exactly,
    /// More.
    Above,
}

impl Standing {
    /// The standing of so many active tasks to a minimum.
    pub fn of(active: u32, min: u32) -> Standing {
        match active.cmp(&min) {
            Ordering::Less => Standing::Below,
            Ordering::Equal => Standing::Exactly,
            Ordering::Greater => Standing::Above,
        }
    }
}

impl Member {
    /// What it has and what it needs: tasks of a group, satisfied members of a set.
    fn have_and_need(&self) -> (u32, u32) {
        match self {
            Member::Group(group) => (group.active, group.min),
            Member::Set(set) => (set.satisfied(), set.need()),
        }
    }

    /// Whether it has what it needs.
    pub fn is_satisfied(&self) -> bool {
        let (have, need) = self.have_and_need();
        have >= need
    }

    /// Whether it has, or could get at once, what it needs.
    pub fn is_ready(&self) -> bool {
        match self {
            Member::Group(group) => group.active.saturating_add(group.waiting) >= group.min,
            Member::Set(set) => set.count(Member::is_ready) >= set.need(),
        }
    }

    /// Tasks that have room.
    pub fn active(&self) -> u32 {
        match self {
            Member::Group(group) => group.active,
            Member::Set(set) => {
                set.members.iter().fold(0, |sum, member| sum.saturating_add(member.active()))
            }
        }
    }

    /// All its tasks that have room.
    fn all_active(&self) -> Vec<Share> {
        match self {
            Member::Group(group) if group.active == 0 => Vec::new(),
            Member::Group(group) => vec![Share { id: group.id, tasks: group.active }],
            Member::Set(set) => set.members.iter().flat_map(Member::all_active).collect(),
        }
    }
}

impl Set {
    fn need(&self) -> u32 {
        self.min.unwrap_or(u32::try_from(self.members.len()).unwrap_or(u32::MAX))
    }

    fn count(&self, holds: impl Fn(&Member) -> bool) -> u32 {
        let count = self.members.iter().filter(|member| holds(member)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn satisfied(&self) -> u32 {
        self.count(Member::is_satisfied)
    }

    fn in_order(&self) -> Vec<&Member> {
        let mut members: Vec<&Member> = self.members.iter().collect();
        members.sort_by(|a, b| member_order(a, b));
        members
    }
}

/// Which member of a gang goes first: unsatisfied ones; then those that need something before
/// those that need nothing; then the lower part of have to need. Two that are unsatisfied tie,
/// and so do two that need nothing.
pub fn member_order(a: &Member, b: &Member) -> Ordering {
    if !(a.is_satisfied() && b.is_satisfied()) {
        return a.is_satisfied().cmp(&b.is_satisfied());
    }
    let ((a_have, a_need), (b_have, b_need)) = (a.have_and_need(), b.have_and_need());
    if a_need == 0 || b_need == 0 {
        return (a_need == 0).cmp(&(b_need == 0));
    }
    let cross = |have: u32, need: u32| u64::from(have) * u64::from(need);
    cross(a_have, b_need).cmp(&cross(b_have, a_need))
}

/// What starts next, all or nothing; empty if nothing waits or the minimum is out of reach.
pub fn next_chunk(member: &Member) -> Vec<Share> {
    if !member.is_ready() {
        return Vec::new();
    }
    match member {
        Member::Group(group) => {
            let missing = group.min.saturating_sub(group.active);
            let tasks = if missing > 0 { missing } else { group.waiting.min(1) };
            if tasks == 0 { Vec::new() } else { vec![Share { id: group.id, tasks }] }
        }
        Member::Set(set) => {
            let missing = set.need().saturating_sub(set.satisfied());
            let members = set.in_order().into_iter();
            let chunks = |wanted: &dyn Fn(&Member) -> bool, count| {
                let chunks = members.filter(|member| wanted(member)).map(next_chunk);
                chunks.filter(|chunk| !chunk.is_empty()).take(count).flatten().collect()
            };
            match usize::try_from(missing).unwrap_or(usize::MAX) {
                0 => chunks(&|_| true, 1),
                missing => chunks(&|member| !member.is_satisfied(), missing),
            }
        }
    }
}

/// What a gang gives up next: a surplus task while there is one, a member it does not need, and
/// in the end everything. The flag says whether what it needs is left to it.
pub fn next_to_give_up(member: &Member) -> (Vec<Share>, bool) {
    match member.is_satisfied().then(|| surplus(member)).flatten() {
        Some(shares) => (shares, true),
        None => (member.all_active(), false),
    }
}

/// What a satisfied member can spare, in the reverse of the order in which it grew.
fn surplus(member: &Member) -> Option<Vec<Share>> {
    match member {
        Member::Group(group) => {
            let spare = group.active > group.min;
            spare.then(|| vec![Share { id: group.id, tasks: 1 }])
        }
        Member::Set(set) => {
            let members = || set.in_order().into_iter().rev();
            // What hangs below its own minimum does no work: it goes first.
            let idle = members().find(|member| !member.is_satisfied() && member.active() > 0);
            let spare = || members().filter(|m| m.is_satisfied()).find_map(surplus);
            let whole = || {
                let last = members().find(|member| member.is_satisfied() && member.active() > 0);
                last.filter(|_| set.satisfied() > set.need()).map(Member::all_active)
            };
            idle.map(Member::all_active).or_else(spare).or_else(whole)
        }
    }
}

/// Whether a gang has gone stale: some of its tasks hold room, it is below its minimum, and none
/// has succeeded.
pub fn is_stale(member: &Member, any_succeeded: bool) -> bool {
    member.active() > 0 && !member.is_satisfied() && !any_succeeded
}

/// Whether a gang that has been stale for so long loses all its tasks; without a grace never.
pub fn grace_is_over(stale_for: Span, grace: Option<Span>) -> bool {
    grace.is_some_and(|grace| stale_for >= grace)
}
