//! What those who give way hold, as far as somebody asked for it in this cycle. The board keeps it;
//! whether a search for victims could succeed is worked out from it in `actions/potential`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::model::Resources;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::order::Place;

/// A job that gives way, and what it holds on which nodes.
pub(in crate::sched) type Giver = (Place, Vec<(usize, Amounts)>);

/// Requests, each for so many tasks.
type Wanted = Vec<(Resources, u64)>;

/// What those who give way hold.
#[derive(Debug, Clone, Default)]
pub(in crate::sched) struct Potential {
    /// Jobs that ran before this cycle, by the place of their team.
    pub givers: BTreeMap<usize, Rc<Vec<Giver>>>,
    /// What is held by node, for the teams that are looked into and a choice that allows all.
    pub whole: BTreeMap<Vec<bool>, Rc<Vec<Amounts>>>,
    /// Requests, each for so many tasks, that all of these together cannot serve. What is evicted
    /// is free instead, and what is placed was: once no is always no in a cycle.
    pub never: BTreeSet<(Vec<bool>, Wanted)>,
}
