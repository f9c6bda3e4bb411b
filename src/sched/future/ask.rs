//! What a job asks of the timeline, and where it may find it.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{JobId, Mono, Name, Span};
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::place::Fussy;
use crate::sched::future::timeline::{Parts, Timeline, parts, signed};

/// What a job asks for together.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The job.
    pub job: JobId,
    /// Its tasks by group.
    pub wishes: Vec<Wish>,
    /// Countable resources of all of them.
    pub units: BTreeMap<Name, i64>,
    /// For how long.
    pub length: Span,
    /// Nodes that are taken rather than others that are as good.
    pub rather: BTreeSet<usize>,
}

/// Identical tasks.
#[derive(Debug, Clone)]
pub struct Wish {
    /// What each takes of a node.
    pub need: Parts,
    /// How many.
    pub tasks: u32,
    /// Nodes that will do.
    pub nodes: Vec<usize>,
}

/// Room for a job from a time on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The job.
    pub job: JobId,
    /// From when on.
    pub at: Mono,
    /// Until when.
    pub until: Mono,
    /// How much of each node.
    pub room: BTreeMap<usize, Parts>,
    /// Countable resources.
    pub units: BTreeMap<Name, i64>,
}

impl Ask {
    /// What a head asks for next; `None` if the job is gone.
    pub fn of(board: &Board, timeline: &Timeline, head: &Head) -> Option<Ask> {
        let job = board.world().job(head.id())?;
        let spec = &job.spec;
        let mut units: BTreeMap<Name, i64> = BTreeMap::new();
        let mut wishes = Vec::new();
        for share in &head.shape.chunk {
            let request = spec.request_of(share.id);
            for (name, each) in &request.custom {
                let more = signed(each.saturating_mul(u64::from(share.tasks)));
                let sum = units.entry(name.clone()).or_default();
                *sum = sum.saturating_add(more);
            }
            let fussy = Fussy::of(spec, share.id, job.has_way_back());
            let nodes = (0..board.rooms.len()).filter(|node| board.takes(*node, &fussy)).collect();
            wishes.push(Wish { need: parts(request), tasks: share.tasks, nodes });
        }
        let held = job.reserved.iter().flat_map(|reserved| reserved.room.keys());
        let rather = held.filter_map(|name| board.node(name)).collect();
        let length = timeline.length_of(board, job);
        Some(Ask { job: job.id, wishes, units, length, rather })
    }
}
