//! Each key of the choice by itself, promises, and dealing.

use super::*;

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

/// Places one task as early as it can be and answers where, when, and on which devices.
fn put(rooms: &mut [Room], request: &Resources, by: By<'_>) -> Option<(Name, When, Vec<u32>)> {
    let (at, when) = choose(rooms, request, by, When::Later, |_| true)?;
    let grip = rooms[at].grip(request, when, by)?;
    rooms[at].take(request, &grip, when);
    let dealt = Deal::of(&rooms[at]).deal(&rooms[at], &grip, when);
    Some((rooms[at].name.clone(), when, dealt.iter().map(|share| share.index).collect()))
}

fn nodes(rooms: &mut [Room], request: &Resources, by: By<'_>, count: usize) -> Vec<Name> {
    (0..count).map(|_| put(rooms, request, by).unwrap().0).collect()
}

#[test]
fn the_fullest_node_that_has_room_is_taken_or_the_emptiest() {
    let rooms = [room("a", 4000, &[]), room("b", 2000, &[]), room("c", 500, &[])];
    let packed = nodes(&mut rooms.clone(), &ask(1000, 0), By::BinPack, 4);
    assert_eq!(packed, ["b", "b", "a", "a"].map(Name::from));
    let spread = nodes(&mut rooms.clone(), &ask(1000, 0), By::Spread, 4);
    assert_eq!(spread, ["a", "a", "a", "b"].map(Name::from));
}

#[test]
fn tasks_with_gpus_look_at_gpus_and_ties_go_by_name() {
    let mut rooms = [room("b", 100, &[WHOLE; 2]), room("a", 4000, &[WHOLE; 2])];
    let placed = nodes(&mut rooms, &ask(10, 1000), By::BinPack, 3);
    assert_eq!(placed, ["a", "a", "b"].map(Name::from));
}

#[test]
fn a_task_without_gpus_leaves_gpu_nodes_alone_while_it_can() {
    let mut rooms = [room("a", 1000, &[WHOLE]), room("b", 4000, &[])];
    assert_eq!(nodes(&mut rooms, &ask(4000, 0), By::BinPack, 1), ["b".into()]);
    assert_eq!(nodes(&mut rooms, &ask(1000, 0), By::BinPack, 1), ["a".into()]);
}

#[test]
fn shares_fill_a_started_device_and_whole_devices_must_be_whole() {
    let mut rooms = [room("a", 4000, &[WHOLE, 700, WHOLE])];
    let by = By::BinPack;
    assert_eq!(put(&mut rooms, &ask(0, 500), by), Some(("a".into(), When::Now, vec![1])));
    assert_eq!(put(&mut rooms, &ask(0, 2000), by), Some(("a".into(), When::Now, vec![0, 2])));
    assert_eq!(put(&mut rooms, &ask(0, 500), by), None);
    assert_eq!(place(&mut rooms, &ask(0, 500), 1).unwrap_err().1.gpu_milli, 200);
}

#[test]
fn spread_shares_go_to_the_emptiest_device() {
    let mut rooms = [room("a", 4000, &[500, 700])];
    let placed = put(&mut rooms, &ask(0, 200), By::Spread);
    assert_eq!(placed, Some(("a".into(), When::Now, vec![1])));
}

#[test]
fn where_it_fits_now_beats_a_fuller_node_where_it_fits_later() {
    let mut rooms = [room("a", 0, &[]), room("b", 4000, &[])];
    rooms[0].release(&ask(1000, 0), &[], true);
    let by = By::BinPack;
    assert_eq!(put(&mut rooms, &ask(4000, 0), by), Some(("b".into(), When::Now, vec![])));
    assert_eq!(put(&mut rooms, &ask(1000, 0), by), Some(("a".into(), When::Later, vec![])));
    assert_eq!(put(&mut rooms, &ask(1, 0), by), None, "promised is promised");
}

#[test]
fn a_promise_keeps_free_room_that_it_needs_from_others() {
    let mut rooms = [room("a", 4000, &[WHOLE, 0])];
    let held = [GpuShare { index: 1, milli: WHOLE }];
    rooms[0].release(&ask(0, 1000), &held, true);
    let by = By::BinPack;
    assert_eq!(put(&mut rooms, &ask(0, 2000), by), Some(("a".into(), When::Later, vec![0, 1])));
    assert_eq!(put(&mut rooms, &ask(0, 1000), by), None);
    assert_eq!(put(&mut rooms, &ask(0, 100), by), None);
    assert!(!rooms[0].could_keep(&ask(0, 1000), &held));
    rooms[0].untake(&ask(0, 2000), &Grip::Whole(2), When::Later);
    assert_eq!(put(&mut rooms, &ask(0, 1000), by), Some(("a".into(), When::Now, vec![0])));
    assert!(rooms[0].could_keep(&ask(0, 1000), &held));
}

#[test]
fn a_gang_is_placed_whole_or_not_at_all() {
    let mut rooms = [room("a", 2500, &[])];
    let before = rooms.clone();
    let (placed, best) = place(&mut rooms, &ask(1000, 0), 3).unwrap_err();
    assert_eq!((placed, best.cpu_milli), (2, 500));
    assert_eq!(rooms, before);
}

#[test]
fn a_node_takes_no_more_tasks_than_it_may() {
    let mut rooms = [Room { tasks: Level::all(1), ..room("a", 4000, &[]) }];
    assert_eq!(place(&mut rooms, &ask(1, 0), 2).unwrap_err().0, 1);
}
