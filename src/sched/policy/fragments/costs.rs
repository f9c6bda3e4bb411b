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
    known: RefCell<Vec<(Ask, Vec<Option<i64>>)>>,
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
        let place = known.iter().position(|(known, _)| *known == ask).unwrap_or_else(|| {
            if known.len() >= REQUESTS {
                known.clear();
            }
            known.push((ask, Vec::new()));
            known.len() - 1
        });
        let Some((_, costs)) = known.get_mut(place) else { return work_out() };
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
        for (_, costs) in self.known.get_mut() {
            costs.get_mut(at).into_iter().for_each(|cost| *cost = None);
        }
    }
}
