//! What is usual here, as placement by least fragmentation sees it.

use std::collections::BTreeMap;

use crate::base::Name;
use crate::model::Resources;
use crate::model::node::Node;
use crate::model::setup::{Cycle, PlaceBy};
use crate::sched::board::Board;
use crate::sched::policy::fit::By;
use crate::sched::policy::fragments::{CLASSES, Costs, Mix, Shape};
use crate::sched::world::World;

type Labels = BTreeMap<Name, Name>;

/// Which tasks are usual, and the sets of labels they ask for.
#[derive(Debug, Clone, Default)]
pub(in crate::sched) struct Usual {
    place_gpu: PlaceBy,
    place_cpu: PlaceBy,
    mix: Mix,
    classes: Vec<Labels>,
}

impl Usual {
    /// Of a world, if anything is placed by it. Shapes with other labels than the most frequent
    /// sets of them are left out.
    pub(in crate::sched) fn of(world: &World) -> Usual {
        let Cycle { place_gpu, place_cpu, .. } = world.setup().cycle;
        let mut usual = Usual { place_gpu, place_cpu, ..Usual::default() };
        if ![place_gpu, place_cpu].contains(&PlaceBy::LeastFragmentation) {
            return usual;
        }
        let asks = world.index().asks();
        let mut shapes = Vec::new();
        for (ask, tasks) in asks.target() {
            let Some(class) = usual.class(&ask.node_labels) else { continue };
            let shape = Shape {
                gpu_milli: ask.gpu_milli,
                cpu_milli: ask.cpu_milli,
                mem_bytes: ask.mem_bytes,
                class,
            };
            shapes.push((shape, tasks));
        }
        usual.mix = Mix::of(shapes.into_iter(), asks.total());
        usual
    }

    fn class(&mut self, labels: &Labels) -> Option<u32> {
        let known = self.classes.iter().position(|known| known == labels);
        let class = known.unwrap_or(self.classes.len());
        if known.is_none() && class < CLASSES {
            self.classes.push(labels.clone());
        }
        u32::try_from(class).ok().filter(|_| class < CLASSES)
    }

    /// A bit for each set of labels that a node has.
    pub(in crate::sched) fn open_to(&self, node: &Node) -> u64 {
        let has = |labels: &Labels| {
            labels.iter().all(|(name, value)| node.traits.labels.get(name) == Some(value))
        };
        let bits = (0..).zip(&self.classes).filter(|(_, labels)| has(labels));
        bits.fold(0, |bits, (at, _): (u32, _)| bits | 1_u64.checked_shl(at).unwrap_or(0))
    }

    /// How the node for a task is chosen.
    pub(in crate::sched) fn by<'a>(&self, costs: &'a Costs, request: &Resources) -> By<'a> {
        By::of(if request.gpu_milli == 0 { self.place_cpu } else { self.place_gpu }, costs)
    }

    /// What it makes tasks cost.
    pub(in crate::sched) fn costs(&self) -> Costs {
        Costs::of(self.mix.clone())
    }
}

impl Board {
    /// How the node for a task is chosen.
    pub(in crate::sched) fn by(&self, request: &Resources) -> By<'_> {
        self.usual.by(&self.costs, request)
    }

    /// Looks up which tasks are usual, and which nodes they may go to.
    pub(super) fn weigh(&mut self) {
        let usual = Usual::of(&self.world);
        self.costs = usual.costs();
        if !self.costs.mix().is_empty() {
            for (room, node) in self.rooms.iter_mut().zip(&*self.nodes) {
                room.open_to = usual.open_to(node);
            }
        }
        self.usual = usual;
    }
}
