//! Devices: whole, in shares, and used by others.

use holdshort::model::command::TaskEvent;
use holdshort::model::job::{Exit, Gang, JobSpec};
use holdshort::model::refusal::RefusalCode;

use super::world::{Site, gpu, owner};

fn ask(milli: u64) -> impl Fn(&mut JobSpec) + Copy {
    move |job| {
        job.request.cpu_milli = 100;
        job.request.gpu_milli = milli;
    }
}

/// Devices of the first task, as (index, thousandths).
fn devices(site: &Site, job: holdshort::base::JobId) -> Vec<(u32, u64)> {
    let placement = site.job(job).tasks[0].placement.clone().unwrap();
    placement.gpus.iter().map(|share| (share.index, share.milli)).collect()
}

#[test]
fn shares_fill_one_device_before_the_next_is_started() {
    let mut site = Site::new(8, 2);
    let shares = [400, 400, 300, 200].map(|milli| site.submit(ask(milli)));
    assert_eq!(devices(&site, shares[0]), [(0, 400)]);
    assert_eq!(devices(&site, shares[1]), [(0, 400)]);
    assert_eq!(devices(&site, shares[2]), [(1, 300)]);
    assert_eq!(devices(&site, shares[3]), [(0, 200)]);
    let whole = site.submit(ask(1000));
    assert_eq!(site.because(whole), "no_room best_gpu_milli=0 need_gpu_milli=1000");
    site.start_all();
    site.end(shares[2], 0);
    assert_eq!(devices(&site, whole), [(1, 1000)]);
}

#[test]
fn several_devices_are_whole_and_on_one_node() {
    let mut site = Site::new(8, 2);
    site.node("n2", 8, 64, 2);
    let pair = site.submit(ask(2000));
    assert_eq!(devices(&site, pair), [(0, 1000), (1, 1000)]);
    let three = site.submit(ask(3000));
    assert_eq!(site.because(three), "never_fits largest_gpu_milli=2000 need_gpu_milli=3000");
    let refusal = site.try_submit(owner(), ask(1500)).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Usage);
}

#[test]
fn a_device_that_others_use_is_left_alone_and_named() {
    let mut site = Site::bare();
    site.node_with("n1", 8, 64, vec![gpu(0, Some("blender")), gpu(1, None)]);
    let one = site.submit(ask(1000));
    assert_eq!(devices(&site, one), [(1, 1000)]);
    let two = site.submit(ask(1000));
    let because = "gpu_foreign best_gpu_milli=0 by=blender need_gpu_milli=1000";
    assert_eq!(site.because(two), because);
    assert!(site.job(two).findings.is_empty(), "it may leave: no reason to call it stuck");
    site.node_with("n1", 8, 64, vec![gpu(0, None), gpu(1, None)]);
    assert_eq!(devices(&site, two), [(0, 1000)]);
}

#[test]
fn a_job_whose_device_is_taken_at_its_start_gets_another_or_waits() {
    let mut site = Site::new(8, 2);
    let job = site.submit(ask(1000));
    let taken = |index| TaskEvent::GpuTaken { index, by: "other server".into() };
    site.event(site.tasks(job, |_| true)[0], taken(0));
    assert_eq!(devices(&site, job), [(1, 1000)]);
    assert_eq!(site.job(job).attempt, 2);
    site.event(site.tasks(job, |_| true)[0], taken(1));
    site.stand(&[job], &["queued"]);
    assert!(site.because(job).starts_with("gpu_foreign"));
    site.node("n1", 8, 64, 2);
    site.stand(&[job], &["starting"]);
}

#[test]
fn a_gang_above_its_minimum_goes_on_when_one_device_is_taken() {
    let mut site = Site::new(8, 4);
    let gang = site.submit(|job| {
        ask(1000)(job);
        job.gang = Gang { size: 3, min: 2 };
    });
    let tasks = site.tasks(gang, |_| true);
    for task in &tasks[..2] {
        site.event(*task, TaskEvent::Started { pid: 1 });
    }
    site.event(tasks[2], TaskEvent::GpuTaken { index: 2, by: "x".into() });
    site.stand(&[gang], &["running"]);
    let third = site.job(gang).tasks[2].placement.clone().unwrap();
    assert_eq!(third.gpus[0].index, 3, "it looks for another device");
    site.event(tasks[2], TaskEvent::GpuTaken { index: 3, by: "x".into() });
    assert_eq!(site.job(gang).active_tasks().count(), 2);
    assert_eq!(site.job(gang).attempt, 1);
    site.end(gang, 0);
    site.stand(&[gang], &["succeeded"]);
}

#[test]
fn a_gang_that_needs_the_taken_device_gives_all_its_room_back() {
    let mut site = Site::new(8, 2);
    let gang = site.submit(|job| {
        ask(1000)(job);
        job.gang = Gang { size: 2, min: 2 };
    });
    let tasks = site.tasks(gang, |_| true);
    site.event(tasks[0], TaskEvent::Started { pid: 1 });
    site.event(tasks[1], TaskEvent::GpuTaken { index: 1, by: "x".into() });
    site.stand(&[gang], &["stopping"]);
    site.end_rank(gang, 0, holdshort::model::job::Exit::Signal(15));
    site.stand(&[gang], &["queued"]);
    assert_eq!(site.holding(), []);
}

#[test]
fn a_frozen_job_keeps_its_device() {
    let mut site = Site::new(8, 1);
    let job = site.submit(ask(1000));
    site.start(job);
    site.pause(job);
    let other = site.submit(ask(1000));
    site.stand(&[other], &["queued"]);
    assert_eq!(site.because(other), "no_room best_gpu_milli=0 need_gpu_milli=1000");
}

/// A gang that holds both devices of a node whole, and one that asks for a quarter of one.
fn gang_and_share() -> (Site, holdshort::base::JobId, holdshort::base::JobId) {
    let mut site = Site::bare();
    site.node("n1", 3, 6, 2);
    let gang = site.submit(|job| {
        ask(1000)(job);
        job.gang = Gang { size: 2, min: 2 };
        (job.priority, job.requeue, job.preemptible) = (100, true, true);
    });
    let share = site.submit(ask(250));
    (site, gang, share)
}

#[test]
fn a_whole_device_of_which_a_share_is_promised_cannot_be_kept() {
    let (mut site, gang, share) = gang_and_share();
    site.start(gang);
    assert_eq!(site.word(gang), "stopping");
    assert_eq!(site.because(share), "promised jobs=1 node=n1");
}

#[test]
fn a_promise_keeps_its_devices_from_cycle_to_cycle() {
    let mut site = Site::bare();
    site.node("n1", 8, 16, 2);
    let low = |job: &mut JobSpec| {
        ask(1000)(job);
        (job.priority, job.requeue, job.preemptible) = (100, true, true);
    };
    let first = site.submit(low);
    let second = site.submit(low);
    site.start_all();
    let one = site.submit(ask(1000));
    let other = site.submit(ask(1000));
    let promised = [devices(&site, one), devices(&site, other)];
    assert_ne!(promised[0], promised[1]);
    // The later one goes: nothing else becomes of the other's promise.
    site.cancel(one);
    assert_eq!(devices(&site, other), promised[1]);
    site.exit(first, &Exit::Signal(15));
    site.exit(second, &Exit::Signal(15));
    assert_eq!(devices(&site, other), promised[1]);
}
