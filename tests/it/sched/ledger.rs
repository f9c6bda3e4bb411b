//! Which class every second is in. The driver checks after each step that nothing is counted
//! twice or lost; here it is where it belongs.

use holdshort::base::{At, JobId, Mono, Span, TaskId};
use holdshort::ledger::Interval;
use holdshort::model::command::{Change, Command, TaskEvent, Verb};
use holdshort::model::fact::Class;
use holdshort::model::job::{Exit, Gang, JobSpec};

use super::world::{GIB, Site, countable, gpu};

/// Core-seconds in a class: of a job, or of nobody.
fn cores(site: &Site, job: Option<JobId>, class: Class) -> u64 {
    sum(site, job, class, |interval| interval.amounts.cpu_milli) / 1000
}

/// Amounts times seconds.
fn sum(site: &Site, job: Option<JobId>, class: Class, of: impl Fn(&Interval) -> u64) -> u64 {
    let all = site.metered.all(site.at.now);
    let whose = |interval: &Interval| interval.holder.as_ref().map(|holder| holder.task.job);
    let wanted = all.iter().filter(|i| i.class == class && whose(i) == job);
    wanted.map(|interval| of(interval) * interval.span().0).sum::<u64>() / 1000
}

fn gib(site: &Site, job: JobId, class: Class) -> u64 {
    sum(site, Some(job), class, |interval| interval.amounts.mem_bytes / GIB)
}

fn gpus(site: &Site, job: Option<JobId>, class: Class) -> u64 {
    sum(site, job, class, |i| i.amounts.gpus.iter().map(|share| share.milli).sum())
}

#[test]
fn a_job_starts_runs_and_stops_and_the_rest_is_idle() {
    let mut site = Site::new(4, 0);
    site.advance(Span::secs(5));
    let job = site.submit(|spec| spec.request.cpu_milli = 1000);
    site.advance(Span::secs(2));
    site.start(job);
    site.advance(Span::secs(10));
    site.cancel(job);
    site.advance(Span::secs(3));
    site.end(job, 0);
    site.advance(Span::secs(5));
    assert_eq!(cores(&site, Some(job), Class::StartStop), 2 + 3);
    assert_eq!(cores(&site, Some(job), Class::Productive), 10);
    assert_eq!(cores(&site, None, Class::Idle), 4 * 25 - 15);
    let closed = &site.metered.closed;
    let own = closed.iter().filter(|interval| interval.holder.is_some());
    assert_eq!(own.count(), 3, "one interval for each change");
}

#[test]
fn a_frozen_job_holds_memory_and_devices_but_no_cores_and_no_units() {
    let mut site = Site::new(4, 1);
    site.resource("lic", Some(countable(3, None)));
    let job = site.submit(|spec| {
        spec.request.gpu_milli = 500;
        spec.request.mem_bytes = 2 * GIB;
        spec.request.custom = [("lic".into(), 2)].into();
    });
    site.start(job);
    site.advance(Span::secs(10));
    site.pause(job);
    site.advance(Span::secs(7));
    site.resume(job);
    site.advance(Span::secs(4));
    assert_eq!(cores(&site, Some(job), Class::Productive), 14);
    assert_eq!(cores(&site, Some(job), Class::Held), 0);
    assert_eq!(gib(&site, job, Class::Held), 14);
    assert_eq!(gpus(&site, Some(job), Class::Held), 500 * 7);
    assert_eq!(gpus(&site, Some(job), Class::Productive), 500 * 14);
    let units = |job, class| sum(&site, job, class, |i| i.amounts.custom.values().sum());
    assert_eq!(units(Some(job), Class::Productive), 2 * 14);
    assert_eq!(units(Some(job), Class::Held), 0);
    assert_eq!(units(None, Class::Idle), 3 * 21 - 2 * 14);
}

#[test]
fn a_job_that_is_frozen_while_it_starts_is_not_productive_when_it_goes_on() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|_| {});
    site.advance(Span::secs(1));
    site.pause(job);
    site.advance(Span::secs(2));
    site.resume(job);
    site.advance(Span::secs(4));
    site.start(job);
    site.advance(Span::secs(8));
    assert_eq!(cores(&site, Some(job), Class::StartStop), 1 + 4);
    assert_eq!(cores(&site, Some(job), Class::Productive), 8);
}

#[test]
fn a_gang_that_grows_is_metered_rank_by_rank() {
    let mut site = Site::new(3, 0);
    let first = site.submit(|_| {});
    let gang = site.submit(|spec| spec.gang = Gang { size: 3, min: 2 });
    site.start_all();
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, Some(gang), Class::Productive), 20);
    site.end(first, 0);
    site.advance(Span::secs(1));
    site.start_all();
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, Some(gang), Class::Productive), 20 + 2 + 30);
    assert_eq!(cores(&site, Some(gang), Class::StartStop), 1);
    let all = site.metered.all(site.at.now);
    let ranks = all.iter().filter_map(|i| i.holder.as_ref().filter(|h| h.task.job == gang));
    let ranks: std::collections::BTreeSet<u32> = ranks.map(|holder| holder.task.rank).collect();
    assert_eq!(ranks.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_job_that_is_sent_back_pays_for_its_stop_and_comes_back_as_a_new_attempt() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|spec| spec.requeue = true);
    site.start(job);
    site.advance(Span::secs(10));
    site.act(job, Verb::Requeue);
    site.advance(Span::secs(5));
    site.end(job, 143);
    site.advance(Span::secs(1));
    assert_eq!(cores(&site, Some(job), Class::StartStop), 5 + 1);
    let all = site.metered.all(site.at.now);
    let attempts = all.iter().filter_map(|i| Some(i.holder.as_ref()?.task.attempt));
    assert_eq!(attempts.max(), Some(2));
}

#[test]
fn nobody_pays_for_the_time_a_server_was_dead_after_the_process_was_over() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.advance(Span::secs(10));
    let over = At { now: site.at.now + Span::secs(20), wall: site.at.wall + Span::secs(20) };
    site.at = At { now: over.now + Span::secs(100), wall: over.wall + Span::secs(100) };
    let event = TaskEvent::EndedUnseen { exit: Exit::Code(0), at: over, by_limit: false };
    site.event(TaskId { job, attempt: 1, rank: 0 }, event);
    assert_eq!(cores(&site, Some(job), Class::Productive), 30);
    assert_eq!(cores(&site, None, Class::Idle), 4 * 130 - 30);
}

#[test]
fn an_end_before_it_began_to_be_booked_so_takes_no_time_back() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|_| {});
    site.advance(Span::secs(10));
    site.start(job);
    let early = At { now: Mono(site.at.now.0 - 5_000), ..site.at };
    site.advance(Span::secs(4));
    let event = TaskEvent::EndedUnseen { exit: Exit::Code(0), at: early, by_limit: false };
    site.event(TaskId { job, attempt: 1, rank: 0 }, event);
    assert_eq!(cores(&site, Some(job), Class::StartStop), 10);
    assert_eq!(cores(&site, Some(job), Class::Productive), 0);
    assert_eq!(cores(&site, None, Class::Idle), 4 * 14 - 10);
}

#[test]
fn while_the_machine_sleeps_everything_is_down_and_nobodys() {
    let mut site = Site::new(4, 1);
    site.resource("lic", Some(countable(2, None)));
    let job = site.submit(|spec| spec.request.gpu_milli = 1000);
    site.start(job);
    site.advance(Span::secs(10));
    site.down(Span::secs(100), false);
    site.advance(Span::secs(5));
    assert_eq!(cores(&site, Some(job), Class::Productive), 15);
    assert_eq!(cores(&site, None, Class::Down), 400);
    assert_eq!(gpus(&site, None, Class::Down), 1000 * 100);
    assert_eq!(sum(&site, None, Class::Down, |i| i.amounts.custom.values().sum()), 200);
    assert_eq!(cores(&site, None, Class::Idle), 3 * 15);
}

#[test]
fn power_off_ends_what_ran_when_it_went() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.advance(Span::secs(10));
    site.down(Span::secs(60), true);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, Some(job), Class::Productive), 10);
    assert_eq!(cores(&site, None, Class::Down), 240);
    assert_eq!(cores(&site, None, Class::Idle), 30 + 40);
}

#[test]
fn of_a_drained_node_only_the_free_part_is_drained() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.advance(Span::secs(10));
    site.drain("n1", true);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, Some(job), Class::Productive), 20);
    assert_eq!(cores(&site, None, Class::Drained), 30);
    site.end(job, 0);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Drained), 70);
    site.drain("n1", false);
    site.advance(Span::secs(1));
    assert_eq!(cores(&site, None, Class::Idle), 30 + 4);
}

#[test]
fn shares_of_a_device_are_metered_device_by_device() {
    let mut site = Site::new(8, 2);
    let half = site.submit(|spec| spec.request.gpu_milli = 500);
    let quarter = site.submit(|spec| spec.request.gpu_milli = 250);
    let whole = site.submit(|spec| spec.request.gpu_milli = 1000);
    site.start_all();
    site.advance(Span::secs(8));
    for (job, milli) in [(half, 500), (quarter, 250), (whole, 1000)] {
        assert_eq!(gpus(&site, Some(job), Class::Productive), milli * 8);
    }
    assert_eq!(gpus(&site, None, Class::Idle), 250 * 8);
}

#[test]
fn a_device_that_others_use_is_foreign_and_not_idle() {
    let mut site = Site::bare();
    site.node_with("n1", 4, 64, vec![gpu(0, Some("x11")), gpu(1, None)]);
    site.advance(Span::secs(10));
    assert_eq!(gpus(&site, None, Class::Foreign), 1000 * 10);
    assert_eq!(gpus(&site, None, Class::Idle), 1000 * 10);
    site.node_with("n1", 4, 64, vec![gpu(0, None), gpu(1, None)]);
    site.advance(Span::secs(10));
    assert_eq!(gpus(&site, None, Class::Foreign), 1000 * 10);
    assert_eq!(gpus(&site, None, Class::Idle), 1000 * 30);
}

#[test]
fn a_node_that_shrinks_below_what_is_held_has_nothing_free_and_one_that_is_gone_nothing() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|spec| spec.request.cpu_milli = 3000);
    site.start(job);
    site.advance(Span::secs(10));
    site.node("n1", 2, 64, 0);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Idle), 10);
    assert_eq!(cores(&site, Some(job), Class::Productive), 60);
    let (name, capacity, gpus) = ("n1".into(), Default::default(), Vec::new());
    site.run(Command::NodeSeen { name, capacity, gpus, traits: Default::default() });
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Idle), 10);
    assert_eq!(cores(&site, Some(job), Class::Productive), 90);
}

#[test]
fn a_job_that_changes_its_team_is_paid_by_the_new_one_from_then_on() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.advance(Span::secs(10));
    site.set(job, Change { team: Some("ml".into()), ..Change::default() });
    site.advance(Span::secs(5));
    let all = site.metered.all(site.at.now);
    let paid = |team: &str| {
        let own = all.iter().filter(|i| i.holder.as_ref().is_some_and(|h| &*h.team == team));
        own.map(|interval| interval.span().0).sum::<u64>()
    };
    assert_eq!((paid("default"), paid("ml")), (10_000, 5_000));
}

#[test]
fn what_is_free_and_kept_for_a_waiting_job_is_reserved_until_it_runs() {
    let mut site = Site::new(8, 0);
    site.configure(|setup| setup.cycle.off.clear());
    let asks = |cores: u64, secs: u64| {
        move |spec: &mut JobSpec| {
            spec.request.cpu_milli = cores * 1000;
            spec.estimate = Some(Span::secs(secs));
        }
    };
    let first = site.submit(asks(5, 100));
    site.start(first);
    let large = site.submit(asks(6, 100));
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Reserved), 30, "three are free, and all are kept");
    assert_eq!(cores(&site, None, Class::Idle), 0);
    // What ends in time may use it meanwhile, and then it is not idle.
    let short = site.submit(asks(2, 20));
    site.start(short);
    site.advance(Span::secs(20));
    assert_eq!(cores(&site, None, Class::Reserved), 30 + 20);
    site.end(short, 0);
    site.advance(Span::secs(5));
    assert_eq!(cores(&site, None, Class::Reserved), 50 + 15);
    // Of a drained node nothing is kept for anybody.
    site.drain("n1", true);
    site.advance(Span::secs(4));
    assert_eq!(cores(&site, None, Class::Drained), 12);
    site.drain("n1", false);
    site.advance(Span::secs(1));
    assert_eq!(cores(&site, None, Class::Reserved), 65 + 3);
    site.end(first, 0);
    site.advance(Span::secs(7));
    site.stand(&[large], &["starting"]);
    assert_eq!(cores(&site, None, Class::Reserved), 68, "it has the room now");
    assert_eq!(cores(&site, None, Class::Idle), 14, "and the rest is anybody's");
}

#[test]
fn whoever_stops_waiting_keeps_nothing() {
    let mut site = Site::new(4, 0);
    site.configure(|setup| setup.cycle.off.clear());
    let runs = site.submit(|spec| {
        spec.request.cpu_milli = 3000;
        spec.estimate = Some(Span::secs(100));
    });
    site.start(runs);
    let waits = site.submit(|spec| spec.request.cpu_milli = 2000);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Reserved), 10);
    site.pause(waits);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Reserved), 10);
    assert_eq!(cores(&site, None, Class::Idle), 10);
    site.resume(waits);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Reserved), 20);
    site.cancel(waits);
    site.advance(Span::secs(10));
    assert_eq!(cores(&site, None, Class::Reserved), 20);
}
