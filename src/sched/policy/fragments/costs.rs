//! What tasks would strand where, worked out once for each change of a node.

use std::cell::RefCell;

use crate::model::Resources;
use crate::sched::policy::fit::{Room, When};
use crate::sched::policy::fragments::Mix;

/// Requests whose costs are remembered, at most.
const REQUESTS: usize = 256;

/// What a task asks of a node: thousandths of devices and cores, bytes.
type Ask = (u64, u64, u64);

/// A mix, and what was worked out with it, by request and place of the node. Whoever changes a
/// node says so ([`Costs::changed`]).
#[derive(Debug, Clone, Default)]
pub struct Costs {
    mix: Mix,
    known: RefCell<Known>,
}

/// By request and place of the node.
#[derive(Debug, Clone, Default)]
struct Known {
    costs: Vec<(Ask, Vec<Option<i64>>)>,
    /// Where the request is that was asked for last: one asks for all nodes, one after another.
    last: usize,
}

impl Known {
    fn of(&mut self, ask: Ask) -> Option<&mut Vec<Option<i64>>> {
        let is_last = self.costs.get(self.last).is_some_and(|(known, _)| *known == ask);
        if !is_last {
            let found = self.costs.iter().position(|(known, _)| *known == ask);
            self.last = found.unwrap_or_else(|| {
                if self.costs.len() >= REQUESTS {
                    self.costs.clear();
                }
                self.costs.push((ask, Vec::new()));
                self.costs.len() - 1
            });
        }
        self.costs.get_mut(self.last).map(|(_, costs)| costs)
    }
}

impl Costs {
    /// With a mix.
    pub fn of(mix: Mix) -> Costs {
        Costs { mix, known: RefCell::default() }
    }

    /// The mix.
    pub fn mix(&self) -> &Mix {
        &self.mix
    }

    /// [`Mix::increase`] of the node at a place, for a task that goes there now if it fits now.
    pub fn increase(&self, at: usize, room: &Room, request: &Resources, when: When) -> i64 {
        if room.devices.is_empty() || self.mix.is_empty() {
            return 0;
        }
        let ask = (request.gpu_milli, request.cpu_milli, request.mem_bytes);
        let work_out = || self.mix.increase(room, request, when);
        let Ok(mut known) = self.known.try_borrow_mut() else { return work_out() };
        let Some(costs) = known.of(ask) else { return work_out() };
        if costs.len() <= at {
            costs.resize(at + 1, None);
        }
        match costs.get_mut(at) {
            Some(cost) => *cost.get_or_insert_with(work_out),
            None => work_out(),
        }
    }

    /// The node at this place is no longer as it was.
    pub fn changed(&mut self, at: usize) {
        for (_, costs) in &mut self.known.get_mut().costs {
            costs.get_mut(at).into_iter().for_each(|cost| *cost = None);
        }
    }
}
