//! Packing: how much of a fleet's devices tasks get that come one by one and never leave.
//!
//! The experiment of Weng et al. ("Beware of fragmentation", USENIX ATC 2023): tasks of a list,
//! and more drawn from it until they ask for 130 % of the devices, come in random order; each
//! goes where a [`Way`] says or nowhere. What counts is how much of the devices was given away
//! when as much as there is had been asked for. Rooms, choice and what is stranded are those of
//! the live scheduler (`sched/policy/{fit,glance,fragments}`).
//!
//! Start with [`Place::parse`], then [`pack`].

mod place;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::model::Resources;
use crate::sched::policy::fit::{By, Grip, Room, When};
use crate::sched::policy::fragments::{self, Costs, Mix, Shape};
use crate::sched::policy::glance::{self, Glance};
use crate::sim::dice::Dice;

pub use place::{Place, Task};

/// Tasks ask for so many hundredths of the devices in all.
const DEMAND: u64 = 130;

/// How a node is chosen for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Any with room, any device.
    Random,
    /// The least left of cores and devices, each as part of the largest node.
    BestFit,
    /// `bin_pack`, as live.
    BinPack,
    /// `spread`, as live.
    Spread,
    /// `least_fragmentation`, as live.
    LeastFragmentation,
    /// As published: a mix of the frequent shapes alone, what is stranded through a sigmoid in a
    /// hundred steps, and of equal ones the first by name.
    Fgd,
}

impl Way {
    /// All, with their words.
    pub const ALL: [(Way, &'static str); 6] = [
        (Way::Random, "random"),
        (Way::BestFit, "best_fit"),
        (Way::BinPack, "bin_pack"),
        (Way::Spread, "spread"),
        (Way::LeastFragmentation, "least_fragmentation"),
        (Way::Fgd, "fgd"),
    ];
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Way::ALL.iter().find(|(way, _)| way == self);
        f.write_str(found.map_or("", |(_, word)| word))
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(word: &str) -> Result<Way, String> {
        let found = Way::ALL.iter().find(|(_, known)| *known == word);
        found.map(|(way, _)| *way).ok_or_else(|| {
            let words = Way::ALL.map(|(_, word)| word);
            format!("no way of choosing a node is called that; there are {}", words.join(", "))
        })
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// Thousandths of devices there are.
    pub total: u64,
    /// What of that was given away.
    pub given: u64,
    /// Tasks that came.
    pub came: usize,
    /// Tasks that found room.
    pub placed: usize,
}

impl Packed {
    /// Hundredths of the devices that were given away.
    pub fn percent(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let (given, total) = (self.given as f64, self.total.max(1) as f64);
        100.0 * given / total
    }
}

/// Lets tasks come in the order of a seed until they have asked for so many hundredths of the
/// devices; those that find no room are turned away.
pub fn pack(place: &Place, way: Way, seed: u64, arrived: u64) -> Packed {
    let mut dice = Dice::new(seed);
    let total = place.gpu_milli();
    let mut fleet = Fleet::of(place, way);
    let mut packed = Packed { total, given: 0, came: 0, placed: 0 };
    let mut asked: u64 = 0;
    for task in arrivals(place, &mut dice) {
        packed.came += 1;
        asked = asked.saturating_add(task.request.gpu_milli);
        if fleet.put(task, way, &mut dice) {
            packed.placed += 1;
            packed.given = packed.given.saturating_add(task.request.gpu_milli);
        }
        if u128::from(asked) * 100 >= u128::from(total) * u128::from(arrived) {
            break;
        }
    }
    packed
}

/// All tasks and as many more as it takes, shuffled.
fn arrivals<'a>(place: &'a Place, dice: &mut Dice) -> Vec<&'a Task> {
    let mut tasks: Vec<&Task> = place.tasks.iter().collect();
    let mut asked: u64 = tasks.iter().map(|task| task.request.gpu_milli).sum();
    let enough = place.gpu_milli().saturating_mul(DEMAND) / 100;
    let any = asked > 0;
    while any && asked < enough {
        let Some(task) = dice.pick(&place.tasks) else { break };
        asked = asked.saturating_add(task.request.gpu_milli);
        tasks.push(task);
    }
    for at in (1..tasks.len()).rev() {
        let other = dice.below(at as u64 + 1);
        tasks.swap(at, usize::try_from(other).unwrap_or(at));
    }
    tasks
}

/// Nodes that fill up.
struct Fleet {
    rooms: Vec<Room>,
    glances: Vec<Glance>,
    costs: Costs,
    /// The most cores, in thousandths, and thousandths of devices that a node has.
    largest: (u64, u64),
}

impl Fleet {
    fn of(place: &Place, way: Way) -> Fleet {
        let rooms = place.rooms.clone();
        let most = |of: fn(&Room) -> u64| rooms.iter().map(of).max().unwrap_or(0).max(1);
        let largest = (most(|room| room.cpu.total), most(Room::gpu_later));
        let mix = match way {
            Way::LeastFragmentation => usual(place),
            Way::Fgd => published(place),
            Way::Random | Way::BestFit | Way::BinPack | Way::Spread => Mix::default(),
        };
        let glances = rooms.iter().map(Glance::of).collect();
        Fleet { rooms, glances, costs: Costs::of(mix), largest }
    }

    /// Places a task, if there is room.
    fn put(&mut self, task: &Task, way: Way, dice: &mut Dice) -> bool {
        let request = &task.request;
        let by = match way {
            Way::Spread => By::Spread,
            Way::LeastFragmentation | Way::Fgd => By::LeastFragmentation(&self.costs),
            Way::Random | Way::BestFit | Way::BinPack => By::BinPack,
        };
        let open = |at: usize| self.rooms.get(at).is_some_and(|room| task.may_use(room));
        let fits = |at: &usize| {
            let (room, glance) = (&self.rooms[*at], &self.glances[*at]);
            open(*at) && glance.fits(room, request, When::Now)
        };
        let all = 0..self.rooms.len();
        let chosen = match way {
            Way::Random => dice.pick(&all.filter(fits).collect::<Vec<_>>()).copied(),
            Way::BestFit => all.filter(fits).min_by_key(|at| (self.left(*at, request), *at)),
            Way::Fgd => all.filter(fits).min_by_key(|at| (Reverse(self.score(*at, request)), *at)),
            Way::BinPack | Way::Spread | Way::LeastFragmentation => {
                glance::choose(&self.rooms, &self.glances, request, by, open).map(|(at, _)| at)
            }
        };
        let Some(at) = chosen else { return false };
        let grip = self.rooms[at].grip(request, When::Now, by);
        let grip = match (grip, way) {
            (Some(Grip::Share { .. }), Way::Random) => self.any_device(at, request, dice),
            (grip, _) => grip,
        };
        let Some(grip) = grip else { return false };
        self.rooms[at].take(request, &grip, When::Now);
        self.glances[at] = Glance::of(&self.rooms[at]);
        self.costs.changed(at);
        true
    }

    fn any_device(&self, node: usize, request: &Resources, dice: &mut Dice) -> Option<Grip> {
        let devices = 0..self.rooms[node].devices.len();
        let grips = devices.map(|at| Grip::Share { at, milli: request.gpu_milli });
        let fits = |grip: &Grip| self.rooms[node].fits_so(request, grip, When::Now);
        dice.pick(&grips.filter(fits).collect::<Vec<_>>()).cloned()
    }

    /// What is left of a node with the task, as parts of the largest node, in billionths.
    fn left(&self, at: usize, request: &Resources) -> u128 {
        let room = &self.rooms[at];
        let part = |left: u64, all: u64| u128::from(left) * 1_000_000_000 / u128::from(all);
        let cores = room.cpu.free().saturating_sub(request.cpu_milli);
        let devices = room.gpu_later().saturating_sub(request.gpu_milli);
        part(cores, self.largest.0) + part(devices, self.largest.1)
    }

    /// The published score of a node: larger is better.
    fn score(&self, at: usize, request: &Resources) -> u64 {
        let increase = self.costs.increase(at, &self.rooms[at], request, When::Now);
        // Weights sum to a million, and the sigmoid is over whole devices.
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let devices = increase as f64 / 1e6 / 1e3;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 100"
        )]
        let score = (100.0 / (1.0 + devices.exp())).floor() as u64;
        score
    }
}

/// The mix that the live scheduler would go by.
fn usual(place: &Place) -> Mix {
    let counts = counts(place.tasks.iter().filter(|task| task.request.gpu_milli > 0), true);
    let total = counts.values().sum();
    let by_size = counts.iter().rev().map(|(shape, tasks)| (*shape, *tasks));
    let large = by_size.clone().take_while(|(shape, _)| fragments::is_large(shape.gpu_milli));
    let target = fragments::target(frequent(&counts).into_iter(), large, total);
    Mix::of(target.into_iter(), total)
}

/// The published mix: the most frequent shapes, those without devices among them, up to 95 % of
/// the tasks; memory does not count.
fn published(place: &Place) -> Mix {
    let counts = counts(place.tasks.iter(), false);
    let all: u64 = counts.values().sum();
    let mut covered = 0;
    let short = |(_, tasks): &(Shape, u64)| {
        let enough = covered * 100 >= all * 95;
        covered += tasks;
        !enough
    };
    let chosen: Vec<(Shape, u64)> = frequent(&counts).into_iter().take_while(short).collect();
    let total = chosen.iter().map(|(_, tasks)| tasks).sum();
    Mix::of(chosen.into_iter(), total)
}

fn counts<'a>(tasks: impl Iterator<Item = &'a Task>, memory: bool) -> BTreeMap<Shape, u64> {
    let mut counts = BTreeMap::new();
    for task in tasks {
        let shape = Shape {
            gpu_milli: task.request.gpu_milli,
            cpu_milli: task.request.cpu_milli,
            mem_bytes: if memory { task.request.mem_bytes } else { 0 },
            class: task.class,
        };
        *counts.entry(shape).or_default() += 1;
    }
    counts
}

/// The most frequent first, of equal ones the larger.
fn frequent(counts: &BTreeMap<Shape, u64>) -> Vec<(Shape, u64)> {
    let mut shapes: Vec<(Shape, u64)> = counts.iter().map(|(shape, n)| (*shape, *n)).collect();
    shapes.sort_unstable_by_key(|(shape, tasks)| Reverse((*tasks, *shape)));
    shapes
}
