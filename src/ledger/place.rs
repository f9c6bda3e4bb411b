//! What nobody holds: the free part of a node, and of a countable resource.

use std::collections::BTreeMap;

use crate::base::{Mono, Name};
use crate::ledger::amounts::Amounts;
use crate::ledger::interval::{Interval, push};
use crate::ledger::kept::Kept;
use crate::model::fact::Class;
use crate::model::node::{Gpu, Node};
use crate::model::setup::Setup;

/// A node as the meter sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Room {
    /// What it has.
    pub capacity: Amounts,
    /// Devices that others use.
    pub foreign: Vec<u32>,
    /// New work is kept away.
    pub drained: bool,
    /// What tasks hold.
    pub held: Amounts,
    /// What is kept for waiting jobs.
    pub kept: Kept,
    /// Since when all this has been so.
    pub since: Mono,
}

/// What nobody holds of a node, by what it is free for.
pub(super) struct Free {
    /// Anybody.
    pub open: Amounts,
    /// Waiting jobs that have reserved it.
    pub reserved: Amounts,
    /// Nobody of ours.
    pub foreign: Amounts,
}

impl Room {
    /// A node of the world on which nothing is held yet.
    pub fn of(node: &Node, since: Mono) -> Room {
        Room {
            capacity: Amounts::of_node(node),
            foreign: foreign(&node.gpus),
            drained: node.drain.is_some(),
            held: Amounts::default(),
            kept: Kept::default(),
            since,
        }
    }

    /// How what nobody holds is booked unless it is kept.
    pub fn free_class(&self) -> Class {
        if self.drained { Class::Drained } else { Class::Idle }
    }

    /// The free part up to `to`.
    pub fn free(&self, node: &Name, to: Mono, closed: &mut Vec<Interval>) {
        let Free { open, reserved, foreign } = self.split();
        let place = || (Some(node), None);
        push(closed, place(), self.free_class(), (self.since, to), open);
        push(closed, place(), Class::Reserved, (self.since, to), reserved);
        push(closed, place(), Class::Foreign, (self.since, to), foreign);
    }

    /// The free part. Nothing is kept of a drained node: nobody gets it.
    pub fn split(&self) -> Free {
        let mut open = self.capacity.less_local(&self.held);
        let foreign = open.split_gpus(|index| self.foreign.contains(&index));
        let kept = if self.drained { Kept::default() } else { self.kept };
        let reserved = kept.split(&mut open);
        Free { open, reserved, foreign }
    }

    /// The same up to `to`, and begins anew there.
    pub fn cut(&mut self, node: &Name, to: Mono, closed: &mut Vec<Interval>) {
        if to > self.since {
            self.free(node, to, closed);
            self.since = to;
        }
    }

    /// Books the free part under `class` from its beginning up to `to`.
    pub fn book(&mut self, node: &Name, class: Class, to: Mono, closed: &mut Vec<Interval>) {
        if to > self.since {
            let free = self.capacity.less_local(&self.held);
            push(closed, (Some(node), None), class, (self.since, to), free);
            self.since = to;
        }
    }
}

/// Devices that somebody else uses.
pub(super) fn foreign(gpus: &[Gpu]) -> Vec<u32> {
    gpus.iter().filter(|gpu| gpu.foreign.is_some()).map(|gpu| gpu.index).collect()
}

/// A countable resource as the meter sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pool {
    /// Units there are.
    pub count: u64,
    /// Units that tasks hold.
    pub held: u64,
    /// Since when all this has been so.
    pub since: Mono,
}

impl Pool {
    /// The free units up to `to`, booked under `class`.
    pub fn free(&self, name: &Name, class: Class, to: Mono, closed: &mut Vec<Interval>) {
        let free = self.count.saturating_sub(self.held);
        if free > 0 {
            let custom = BTreeMap::from([(name.clone(), free)]);
            let amounts = Amounts { custom, ..Amounts::default() };
            push(closed, (None, None), class, (self.since, to), amounts);
        }
    }

    /// The same, and begins anew there.
    pub fn cut(&mut self, name: &Name, class: Class, to: Mono, closed: &mut Vec<Interval>) {
        if to > self.since {
            self.free(name, class, to, closed);
            self.since = to;
        }
    }

    /// Nothing to meter.
    pub fn is_over(&self) -> bool {
        self.count == 0 && self.held == 0
    }
}

/// Units of a countable resource as configured. Of one that nobody configured only what is held
/// is metered: its free units are nobody's.
pub(super) fn count_of(setup: &Setup, name: &str) -> u64 {
    setup.resources.get(name).map_or(0, |countable| countable.count)
}
