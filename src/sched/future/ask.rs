//! What a job asks of the timeline, and where it may find it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::base::{JobId, Mono, Name, Span};
use crate::model::Job;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::board::place::Fussy;
use crate::sched::future::timeline::{Parts, Timeline, parts, signed};
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::policy::queue::lineage;

/// What a job asks for together.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The job.
    pub job: JobId,
    /// Its tasks by group.
    pub wishes: Vec<Wish>,
    /// What all of them need that is not on a node.
    pub counters: BTreeMap<Counter, i64>,
    /// For how long.
    pub length: Span,
    /// What it needs is closed until then.
    pub not_before: Mono,
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
    pub nodes: Rc<[usize]>,
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
    /// What is not on a node.
    pub counters: BTreeMap<Counter, i64>,
}

/// Something of which there is so much that is not on a node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Units of a countable resource.
    Units(Name),
    /// What a team, by its place, may still come to hold of one thing.
    Limit(usize, Kind),
    /// What its jobs that never give way may still come to hold.
    FirmQuota(usize, Kind),
    /// Elements of an array that may still run at once with so many.
    Elements(JobId, u32),
}

impl Counter {
    /// What is free of it now.
    pub fn free(&self, board: &Board) -> i64 {
        let less = |bound: Option<u64>, held: u64| match bound {
            Some(bound) => signed(bound).saturating_sub(signed(held)),
            None => i64::MAX / 4,
        };
        match self {
            Counter::Units(name) => {
                let level = board.units(name).unwrap_or_default();
                let held = signed(level.held).saturating_sub(signed(level.releasing));
                signed(level.total).saturating_sub(held).saturating_sub(signed(level.promised))
            }
            Counter::Limit(team, kind) => {
                let queue = &board.teams.queues[*team];
                less(queue.limit.get(*kind), queue.allocated.get(*kind))
            }
            Counter::FirmQuota(team, kind) => {
                let queue = &board.teams.queues[*team];
                less(queue.quota.get(*kind), queue.firm.get(*kind))
            }
            Counter::Elements(array, throttle) => {
                let running = board.world().index().elements(*array);
                i64::from(*throttle) - i64::from(running)
            }
        }
    }

    /// What the task of a rank in a job's group holds, of those that are wanted.
    pub fn held_by<'a>(
        wanted: &'a BTreeSet<Counter>,
        board: &Board,
        job: &Job,
        (rank, group): (usize, u32),
    ) -> Vec<(&'a Counter, u64)> {
        let request = job.spec.request_of(group);
        let mut held = Vec::new();
        let mut add = |counter: &Counter, n: u64| {
            held.extend(wanted.get(counter).filter(|_| n > 0).map(|counter| (counter, n)));
        };
        for (name, units) in &request.custom {
            add(&Counter::Units(name.clone()), *units);
        }
        let amounts = Amounts::from(request);
        for team in board.teams.place(&job.spec.team).iter().flat_map(|own| board.teams.line(*own))
        {
            for kind in Kind::ALL {
                add(&Counter::Limit(*team, kind), amounts.get(kind));
                if !job.spec.preemptible {
                    add(&Counter::FirmQuota(*team, kind), amounts.get(kind));
                }
            }
        }
        // Of an element's tasks one counts.
        if let Some(array) = job.spec.array.filter(|_| rank == 0) {
            let all = Counter::Elements(array.id, 0)..=Counter::Elements(array.id, u32::MAX);
            held.extend(wanted.range(all).map(|counter| (counter, 1)));
        }
        held
    }
}

/// When all of the countable resources are open that are closed now.
fn opens<'a>(board: &Board, counters: impl Iterator<Item = &'a Counter>) -> Mono {
    let at = board.at();
    let until = counters.filter_map(|counter| {
        let Counter::Units(name) = counter else { return None };
        Some(at.now + board.world().limit_of(name, at.wall)?.until.since(at.wall))
    });
    until.max().unwrap_or(at.now)
}

impl Ask {
    /// What a head asks for next; `None` if the job is gone.
    pub fn of(board: &Board, timeline: &Timeline, head: &Head) -> Option<Ask> {
        let job = board.world().job(head.id())?;
        let spec = &job.spec;
        let mut counters: BTreeMap<Counter, i64> = BTreeMap::new();
        let mut wishes = Vec::new();
        for share in &head.shape.chunk {
            let request = spec.request_of(share.id);
            for (name, each) in &request.custom {
                let more = signed(each.saturating_mul(u64::from(share.tasks)));
                let sum = counters.entry(Counter::Units(name.clone())).or_default();
                *sum = sum.saturating_add(more);
            }
            let fussy = Fussy::of(spec, share.id, job.has_way_back(), board.spot_rule());
            let nodes = (0..board.rooms.len()).filter(|node| board.takes(*node, &fussy)).collect();
            wishes.push(Wish { need: parts(request), tasks: share.tasks, nodes });
        }
        let held = job.reserved.iter().flat_map(|reserved| reserved.room.keys());
        let rather = held.filter_map(|name| board.node(name)).collect();
        let length = timeline.length_of(board, job);
        let not_before = opens(board, counters.keys());
        Some(Ask { job: job.id, wishes, counters, length, not_before, rather })
    }

    /// The same, and it waits for the bounds of its team and its array to let it in.
    #[must_use]
    pub fn within_bounds(mut self, board: &Board, head: &Head) -> Ask {
        let Some(job) = board.world().job(head.id()) else { return self };
        if let Some((array, throttle)) =
            job.spec.array.and_then(|array| Some((array.id, array.throttle?)))
        {
            self.counters.insert(Counter::Elements(array, throttle), 1);
        }
        for team in lineage(&board.teams.queues, head.team) {
            let queue = &board.teams.queues[team];
            for kind in Kind::ALL {
                let need = head.chunk.get(kind);
                if need > 0 && queue.limit.get(kind).is_some() {
                    self.counters.insert(Counter::Limit(team, kind), signed(need));
                }
                if need > 0 && !job.spec.preemptible && queue.quota.get(kind).is_some() {
                    self.counters.insert(Counter::FirmQuota(team, kind), signed(need));
                }
            }
        }
        self
    }
}
