//! What is usual here, as placement by least fragmentation sees it.

use std::collections::BTreeMap;

use crate::base::Name;
use crate::model::Resources;
use crate::model::node::Node;
use crate::model::setup::PlaceBy;
use crate::sched::board::Board;
use crate::sched::policy::fit::By;
use crate::sched::policy::fragments::{CLASSES, Costs, Mix, Shape};
use crate::sched::world::World;

type Labels = BTreeMap<Name, Name>;

impl Board {
    /// How the node for a task is chosen.
    pub(super) fn by(&self, request: &Resources) -> By<'_> {
        let cycle = &self.world.setup().cycle;
        let place = if request.gpu_milli == 0 { cycle.place_cpu } else { cycle.place_gpu };
        By::of(place, &self.costs)
    }

    /// Looks up which tasks are usual, and which nodes they may go to, if anything is placed by
    /// that.
    pub(super) fn weigh(&mut self) {
        let cycle = &self.world.setup().cycle;
        if ![cycle.place_gpu, cycle.place_cpu].contains(&PlaceBy::LeastFragmentation) {
            return;
        }
        let (mix, classes) = usual(&self.world);
        self.costs = Costs::of(mix);
        for (room, node) in self.rooms.iter_mut().zip(&*self.nodes) {
            room.open_to = open_to(&classes, node);
        }
    }
}

/// The mix of tasks, and the sets of labels its shapes ask for. Shapes with other labels than the
/// most frequent sets of them are left out.
fn usual(world: &World) -> (Mix, Vec<Labels>) {
    let asks = world.index().asks();
    let target = asks.target();
    let mut classes: Vec<Labels> = Vec::new();
    let mut shapes = Vec::with_capacity(target.len());
    for (ask, tasks) in target {
        let known = classes.iter().position(|labels| *labels == ask.node_labels);
        let class = known.unwrap_or(classes.len());
        if class >= CLASSES {
            continue;
        }
        if known.is_none() {
            classes.push(ask.node_labels.clone());
        }
        let shape = Shape {
            gpu_milli: ask.gpu_milli,
            cpu_milli: ask.cpu_milli,
            mem_bytes: ask.mem_bytes,
            class: u32::try_from(class).unwrap_or(u32::MAX),
        };
        shapes.push((shape, tasks));
    }
    (Mix::of(shapes.into_iter(), asks.total()), classes)
}

/// A bit for each set of labels that a node has.
fn open_to(classes: &[Labels], node: &Node) -> u64 {
    let has = |labels: &Labels| {
        labels.iter().all(|(name, value)| node.traits.labels.get(name) == Some(value))
    };
    let bits = (0..).zip(classes).filter(|(_, labels)| has(labels));
    bits.fold(0, |bits, (at, _): (u32, _)| bits | 1_u64.checked_shl(at).unwrap_or(0))
}
