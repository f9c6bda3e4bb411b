//! The rules of reclaim that no table covers.

use super::*;

fn gpus(n: u64) -> Amounts {
    Amounts { gpu_milli: n * 1000, ..Amounts::default() }
}

/// A queue of GPUs: quota, fair share, held.
fn queue(parent: Option<usize>, quota: u64, fair: u64, held: u64) -> Queue {
    let quota = gpus(quota).into();
    Queue { parent, quota, fair: gpus(fair), allocated: gpus(held), ..Queue::default() }
}

fn taker(queue: usize, n: u64) -> Taker {
    Taker { queue, request: gpus(n), preemptible: true }
}

fn chunk(queue: usize, n: u64) -> Chunk {
    Chunk { queue, amounts: gpus(n) }
}

#[test]
fn saturation_must_stay_strictly_below_the_siblings() {
    // Taker 6 of 4, sibling left with 6 of 4: equal is too much.
    let queues = [queue(None, 6, 4, 5), queue(None, 0, 4, 7)];
    let saturated = Denied::Saturated { taker: 0, sibling: 1, kind: Kind::Gpu };
    assert_eq!(judge(&queues, &taker(0, 1), &[chunk(1, 1)], 1000), Err(saturated));
    let fuller = [queues[0], queue(None, 0, 4, 8)];
    assert_eq!(judge(&fuller, &taker(0, 1), &[chunk(1, 1)], 1000), Ok(vec![Strategy::Fairness]));
    // 1.5 · 1.2 = 1.8 is not below 1.75.
    assert_eq!(judge(&fuller, &taker(0, 1), &[chunk(1, 1)], 1200), Err(saturated));
}

#[test]
fn a_taker_at_its_share_is_not_compared_nor_is_a_sibling_without_share() {
    let at_share = [queue(None, 6, 6, 5), queue(None, 0, 4, 5)];
    assert!(judge(&at_share, &taker(0, 1), &[chunk(1, 5)], 1000).is_ok());
    let no_share = [queue(None, 6, 4, 5), queue(None, 0, 0, 1)];
    assert!(judge(&no_share, &taker(0, 1), &[chunk(1, 1)], 1000).is_ok());
    // A taker without a share is above any.
    let none_itself = [queue(None, 6, 0, 0), queue(None, 0, 1, 99)];
    assert!(judge(&none_itself, &taker(0, 1), &[chunk(1, 1)], 1000).is_err());
}

#[test]
fn only_resources_that_go_or_are_asked_for_are_compared() {
    let full_of_cpu = |queue: Queue| Queue {
        allocated: Amounts { cpu_milli: 9, ..queue.allocated },
        quota: Bounds { cpu_milli: None, ..queue.quota },
        fair: Amounts { cpu_milli: 3, ..queue.fair },
        ..queue
    };
    let queues = [full_of_cpu(queue(None, 2, 2, 1)), full_of_cpu(queue(None, 0, 1, 4))];
    let gpus_only = [chunk(1, 1)];
    assert!(judge(&queues, &taker(0, 1), &gpus_only, 1000).is_ok());
    let cpus_too = [Chunk { queue: 1, amounts: Amounts { cpu_milli: 1, ..gpus(1) } }];
    let saturated = Denied::Saturated { taker: 0, sibling: 1, kind: Kind::Cpu };
    assert_eq!(judge(&queues, &taker(0, 1), &cpus_too, 1000), Err(saturated));
}

#[test]
fn each_chunk_is_judged_with_what_the_ones_before_left() {
    let queues = [queue(None, 0, 4, 0), queue(None, 0, 4, 6)];
    let one_by_one = [chunk(1, 1), chunk(1, 1), chunk(1, 1)];
    let denied = Denied::NotOwed { chunk: 2, taker: 0, victim: 1 };
    assert_eq!(judge(&queues, &taker(0, 3), &one_by_one, 1000), Err(denied));
    assert!(judge(&queues, &taker(0, 3), &one_by_one[..2], 1000).is_ok());
    // One chunk goes whole, although it takes the queue below its share.
    assert!(judge(&queues, &taker(0, 3), &[chunk(1, 3)], 1000).is_ok());
}

#[test]
fn quota_allows_what_fairness_does_not_and_only_inside_the_takers_quota() {
    let queues = [queue(None, 2, 9, 1), queue(None, 1, 4, 2)];
    assert_eq!(judge(&queues, &taker(0, 1), &[chunk(1, 1)], 1000), Ok(vec![Strategy::Quota]));
    assert!(judge(&queues, &taker(0, 2), &[chunk(1, 1)], 1000).is_err());
    let at_quota = [queues[0], queue(None, 2, 4, 2)];
    assert!(judge(&at_quota, &taker(0, 1), &[chunk(1, 1)], 1000).is_err());
}

#[test]
fn a_firm_taker_fits_the_quota_of_every_level() {
    let firm = Taker { preemptible: false, ..taker(1, 1) };
    let full = Queue { firm: gpus(5), ..queue(None, 5, 9, 5) };
    let queues = [full, queue(Some(0), 5, 9, 0), queue(None, 0, 1, 9)];
    let over = Over { kind: Kind::Gpu, have: 5000, need: 1000, bound: 5000 };
    let shut = Denied::OverQuota(Shut { gate: Gate::FirmQuota, queue: 0, over });
    assert_eq!(judge(&queues, &firm, &[chunk(2, 1)], 1000), Err(shut));
    assert!(judge(&queues, &taker(1, 1), &[chunk(2, 1)], 1000).is_ok());
    assert_eq!(judge(&queues, &firm, &[chunk(7, 1)], 1000), Err(Denied::NoQueue(7)));
}

#[test]
fn starting_asks_of_every_resource_wanted_or_not() {
    let over_in_cpu = Queue {
        allocated: Amounts { cpu_milli: 2, ..gpus(1) },
        fair: Amounts { cpu_milli: 1, ..gpus(3) },
        ..Queue::default()
    };
    let over = Over { kind: Kind::Cpu, have: 2, need: 0, bound: 1 };
    let refused = may_start(&over_in_cpu, &gpus(1), true);
    assert_eq!(refused, Err(NoStart::OverFairShare(over)));
    let firm = Queue { firm: gpus(2), ..queue(None, 2, 4, 2) };
    assert!(may_start(&firm, &gpus(1), true).is_ok());
    assert!(matches!(may_start(&firm, &gpus(1), false), Err(NoStart::OverQuota(_))));
}

#[test]
fn a_queue_below_quota_in_what_is_asked_for_is_no_victim() {
    let possible = |queues: &[Queue], n| may_be_victim(queues, &taker(0, n), 1);
    let starved = queue(None, 4, 4, 0);
    assert!(possible(&[starved, queue(None, 2, 4, 3)], 2));
    assert!(possible(&[starved, queue(None, 2, 4, 2)], 2));
    assert!(!possible(&[starved, queue(None, 2, 4, 1)], 2));
    // Beyond the taker's quota only fairness counts.
    assert!(!possible(&[starved, queue(None, 2, 4, 4)], 5));
    assert!(possible(&[starved, queue(None, 2, 4, 5)], 5));
    assert!(may_be_victim(&[starved], &taker(0, 1), 9));
}
