//! What is stranded, what a task adds to it, where it goes, and which tasks count.

use super::*;
use crate::sched::policy::fit::{By, choose};

fn room(name: &str, cpu_milli: u64, gpus: &[u64]) -> Room {
    let indices: Vec<u32> = (0..).take(gpus.len()).collect();
    let mut room = Room::empty(name.into(), 4000, 100, None, &indices);
    room.cpu.held = 4000 - cpu_milli;
    for (device, free) in room.devices.iter_mut().zip(gpus) {
        device.level.held = WHOLE - free;
    }
    room
}

fn ask(cpu_milli: u64, gpu_milli: u64) -> Resources {
    Resources { cpu_milli, mem_bytes: 1, gpu_milli, ..Resources::default() }
}

fn shape(cpu_milli: u64, gpu_milli: u64) -> Shape {
    Shape { gpu_milli, cpu_milli, mem_bytes: 1, class: 0 }
}

/// One shape, which weighs a million.
fn only(shape: Shape) -> Mix {
    Mix::of([(shape, 1)].into_iter(), 1)
}

/// Thousandths of devices that are stranded for a shape.
fn stranded(shape: Shape, room: &Room) -> u64 {
    only(shape).strands(room) / PARTS
}

#[test]
fn all_that_is_free_is_stranded_for_who_cannot_run_there_else_the_devices_too_small_for_it() {
    let node = room("a", 2000, &[WHOLE, 300, 600, 0]);
    assert_eq!(stranded(shape(0, 300), &node), 0);
    assert_eq!(stranded(shape(0, 500), &node), 300);
    assert_eq!(stranded(shape(0, 1000), &node), 900, "whole devices of it are there");
    assert_eq!(stranded(shape(0, 2000), &node), 1900, "too few whole ones");
    assert_eq!(stranded(shape(2001, 300), &node), 1900, "too few cores");
    assert_eq!(stranded(Shape { mem_bytes: 101, ..shape(0, 300) }, &node), 1900);
    assert_eq!(stranded(Shape { class: 1, ..shape(0, 300) }, &Room { open_to: 1, ..node }), 1900);
    let full = Room { tasks: crate::sched::policy::fit::Level::all(0), ..room("b", 1, &[400]) };
    assert_eq!(stranded(shape(0, 100), &full), 400, "it takes no more tasks");
    assert_eq!(stranded(shape(0, 900), &room("c", 1, &[800, 700])), 1500, "no share is so large");
    assert_eq!(Mix::default().strands(&full), 0);
}

#[test]
fn the_mean_over_the_mix_is_by_weight() {
    let node = room("a", 4000, &[300]);
    let mix = Mix::of([(shape(0, 500), 3), (shape(0, 300), 1)].into_iter(), 4);
    assert_eq!(mix.strands(&node), 300 * PARTS / 4 * 3);
    let rare = Mix::of([(shape(0, 500), 1)].into_iter(), 3 * PARTS);
    assert_eq!(rare.strands(&node), 300, "nobody weighs nothing");
}

#[test]
fn a_task_adds_what_is_stranded_with_it_less_what_was_before() {
    let mix = only(shape(1000, 500));
    let whole = |n: i64| n * i64::try_from(PARTS).unwrap();
    let increase = |room: &Room, request: &Resources| mix.increase(room, request, When::Now);
    let node = room("a", 2000, &[WHOLE, 700]);
    assert_eq!(increase(&node, &ask(0, 200)), 0, "from the 700, of which 500 are left");
    assert_eq!(increase(&node, &ask(0, 600)), whole(100), "from the 700, of which 100 are left");
    assert_eq!(increase(&node, &ask(0, 1000)), 0);
    assert_eq!(increase(&node, &ask(1001, 0)), whole(1700), "cores without which none can run");
    assert_eq!(increase(&room("b", 500, &[400]), &ask(0, 400)), whole(-400), "was lost anyway");
    assert_eq!(increase(&room("c", 4000, &[]), &ask(4000, 0)), 0);
}

#[test]
fn what_is_being_released_counts_as_free_and_what_is_promised_does_not() {
    let mut node = room("a", 4000, &[WHOLE, 400]);
    let held = [crate::model::job::GpuShare { index: 1, milli: 600 }];
    node.release(&ask(0, 600), &held, true);
    assert_eq!(stranded(shape(0, 2000), &node), 0);
    let whole = crate::sched::policy::fit::Grip::Whole(1);
    node.take(&ask(0, 1000), &whole, When::Later);
    assert_eq!(stranded(shape(0, 2000), &node), 1000);
}

#[test]
fn a_share_goes_to_the_device_where_it_strands_least_then_to_the_fullest() {
    let node = room("a", 4000, &[500, 700, 700]);
    let device = |mix: &Mix, milli| mix.device(&node, &ask(0, milli), When::Now);
    assert_eq!(device(&only(shape(0, 500)), 200), Some(1), "200 of the 700 leave a useful part");
    assert_eq!(device(&only(shape(0, 500)), 500), Some(0), "of the 700 a useless part were left");
    assert_eq!(device(&only(shape(0, 100)), 200), Some(0), "all the same: the fullest");
    assert_eq!(device(&only(shape(0, 500)), 800), None);
    let whole = room("b", 4000, &[WHOLE, 600]);
    let device = only(shape(0, 1000)).device(&whole, &ask(0, 300), When::Now);
    assert_eq!(device, Some(1), "a whole one stays whole");
}

#[test]
fn the_node_is_where_a_task_strands_least_then_the_fullest_then_the_first() {
    let rooms = [room("a", 4000, &[700]), room("b", 4000, &[500]), room("c", 4000, &[700])];
    let chosen = |mix: Mix, milli| {
        let costs = Costs::of(mix);
        let by = By::LeastFragmentation(&costs);
        choose(&rooms, &ask(0, milli), by, When::Now, |_| true).map(|(at, _)| at)
    };
    assert_eq!(chosen(only(shape(0, 500)), 200), Some(0));
    assert_eq!(chosen(only(shape(0, 500)), 400), Some(1), "of the 700 it would lose more");
    assert_eq!(chosen(only(shape(0, 100)), 200), Some(1), "all the same: the fullest");
    assert_eq!(chosen(Mix::default(), 200), Some(1), "nothing is usual: the fullest");
}

#[test]
fn a_task_without_devices_leaves_the_cores_that_devices_need() {
    let rooms = [room("a", 2000, &[0]), room("b", 1500, &[WHOLE])];
    let costs = Costs::of(only(shape(1000, 1000)));
    let chosen = |by| choose(&rooms, &ask(1000, 0), by, When::Now, |_| true).map(|(at, _)| at);
    assert_eq!(chosen(By::BinPack), Some(1), "the fullest by cores");
    assert_eq!(chosen(By::LeastFragmentation(&costs)), Some(0), "whose device is gone anyway");
}

#[test]
fn the_frequent_shapes_make_the_mix_and_the_large_ones_however_rare() {
    let all = [(1, 90), (2, 6), (3, 3), (8, 1)];
    let large = [(8, 1), (3, 3)];
    let target = target(all.into_iter(), large.into_iter(), 100);
    assert_eq!(target, [(1, 90), (2, 6), (8, 1), (3, 3)]);
    let once = super::target([(8, 100)].into_iter(), [(8, 100)].into_iter(), 100);
    assert_eq!(once, [(8, 100)], "each is in it once");
    let many = || (0..10_000_u64).map(|shape| (shape, 1));
    let target = super::target(many(), many().skip(5000), 10_000);
    assert_eq!(target.len(), FREQUENT + LARGE);
}

#[test]
fn what_was_worked_out_is_forgotten_when_the_node_changes() {
    let mut costs = Costs::of(only(shape(0, 500)));
    let mut node = room("a", 4000, &[700]);
    let cost = |costs: &Costs, room: &Room| costs.increase(3, room, &ask(0, 400), When::Now);
    let first = cost(&costs, &node);
    node.devices[0].level.held = 600;
    assert_eq!(cost(&costs, &node), first, "nobody said that it changed");
    costs.changed(3);
    assert_eq!(cost(&costs, &node), costs.mix().increase(&node, &ask(0, 400), When::Now));
    assert_ne!(cost(&costs, &node), first);
}
