//! Who goes first, and that nobody waits in vain.

use holdshort::base::Span;
use holdshort::model::command::{Change, Verb};
use holdshort::model::job::Gang;
use holdshort::model::setup::Tier;

use super::world::Site;

#[test]
fn the_higher_priority_goes_first_and_the_older_of_equals() {
    let mut site = Site::new(1, 0);
    let running = site.submit(|_| {});
    let batch = site.submit(|job| job.priority = Tier::Batch.priority());
    let first = site.submit(|job| job.priority = Tier::Deadline.priority());
    site.advance(Span::secs(5));
    let second = site.submit(|job| job.priority = Tier::Deadline.priority());
    let top = site.submit(|job| job.priority = Tier::Production.priority());
    let odd = site.submit(|job| job.priority = 301);
    assert_eq!(site.starts(), [running, top, odd, first, second, batch]);
}

#[test]
fn a_big_job_at_the_head_does_not_hold_back_smaller_ones() {
    let mut site = Site::new(4, 0);
    site.submit(|job| job.request.cpu_milli = 2000);
    let big = site.submit(|job| {
        job.request.cpu_milli = 4000;
        job.priority = 900;
    });
    let small = site.submit(|job| job.request.cpu_milli = 1500);
    let smaller = site.submit(|job| job.request.cpu_milli = 500);
    site.stand(&[big, small, smaller], &["queued", "starting", "starting"]);
}

#[test]
fn among_jobs_that_ask_for_the_same_nobody_overtakes() {
    let mut site = Site::new(4, 0);
    let running = site.submit(|job| job.request.cpu_milli = 2000);
    let jobs = site.submit_many(3, |job| job.request.cpu_milli = 3000);
    site.stand(&jobs, &["queued"; 3]);
    site.cancel(jobs[0]);
    site.start(running);
    site.end(running, 0);
    site.stand(&jobs, &["cancelled", "starting", "queued"]);
}

#[test]
fn freed_room_is_used_at_once_even_by_several() {
    let mut site = Site::new(4, 0);
    let wide = site.submit(|job| job.request.cpu_milli = 4000);
    let jobs = site.submit_many(6, |_| {});
    site.start(wide);
    site.end(wide, 1);
    let expected = ["starting", "starting", "starting", "starting", "queued", "queued"];
    site.stand(&jobs, &expected);
}

#[test]
fn one_that_comes_back_goes_before_new_ones_of_its_priority() {
    let mut site = Site::new(1, 0);
    let back = site.submit(|job| job.requeue = true);
    let urgent = site.submit(|job| job.priority = 400);
    site.advance(Span::secs(1));
    site.start(back);
    site.act(back, Verb::Requeue);
    let old = site.submit(|_| {});
    site.end(back, 143);
    assert_eq!(site.starts(), [urgent, back, old]);
}

#[test]
fn a_gang_that_only_grows_lets_new_jobs_of_its_priority_start_first() {
    let mut site = Site::new(3, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 4, min: 1 });
    assert_eq!(site.job(gang).active_tasks().count(), 3);
    let new = site.submit(|_| {});
    let low = site.submit(|job| job.priority = 100);
    site.start(gang);
    site.set(gang, Change { priority: Some(300), ..Change::default() });
    site.set(gang, Change { priority: Some(200), ..Change::default() });
    site.node("n2", 1, 8, 0);
    site.stand(&[new, low], &["starting", "queued"]);
    site.node("n3", 1, 8, 0);
    assert_eq!(site.job(gang).active_tasks().count(), 4, "before a lower priority");
    site.stand(&[low], &["queued"]);
}

#[test]
fn next_goes_before_its_team_and_the_last_next_wins() {
    let mut site = Site::new(1, 0);
    let running = site.submit(|_| {});
    let head = site.submit(|job| job.priority = 300);
    let a = site.submit(|_| {});
    let b = site.submit(|job| job.priority = 100);
    let other = site.submit(|job| {
        job.team = "ml".into();
        job.priority = 400;
    });
    site.act(a, Verb::Next);
    site.act(b, Verb::Next);
    assert_eq!(site.why(b).position, Some(2), "after another team's higher priority");
    // Between teams that hold the same the older goes first, whatever their jobs' priorities.
    assert_eq!(site.starts(), [running, b, a, head, other]);
}

#[test]
fn next_of_several_keeps_their_order() {
    let mut site = Site::new(1, 0);
    let jobs = site.submit_many(5, |_| {});
    let by = super::world::owner();
    site.try_act(by, &[jobs[4], jobs[2], jobs[4]], Verb::Next).unwrap();
    assert_eq!(site.starts(), [jobs[0], jobs[4], jobs[2], jobs[1], jobs[3]]);
}

#[test]
fn the_front_is_left_with_the_team_or_a_new_priority_and_after_the_run() {
    let mut site = Site::new(1, 0);
    let running = site.submit(|job| job.requeue = true);
    let head = site.submit(|job| job.priority = 400);
    let a = site.submit(|_| {});
    site.act(a, Verb::Next);
    site.set(a, Change { priority: Some(50), ..Change::default() });
    assert_eq!(site.job(a).sort_priority(), 50);
    site.act(a, Verb::Next);
    assert_eq!(site.job(a).sort_priority(), 400);
    site.set(a, Change { team: Some("ml".into()), ..Change::default() });
    assert_eq!(site.job(a).sort_priority(), 50);
    site.act(head, Verb::Next);
    site.start(running);
    site.end(running, 0);
    site.start(head);
    assert!(site.job(head).front.is_some(), "while it runs those it overtook don't take its room");
    site.end(head, 0);
    assert!(site.job(head).front.is_none(), "used up by the run");
}

#[test]
fn the_list_shows_the_queue_in_the_order_it_starts() {
    let mut site = Site::new(1, 0);
    site.submit(|_| {});
    let back = site.submit(|job| {
        job.requeue = true;
        job.priority = 300;
    });
    let (low, mid, urgent) = (
        site.submit(|job| job.priority = 100),
        site.submit(|_| {}),
        site.submit(|job| job.priority = 400),
    );
    let later = site.submit(|job| {
        job.priority = 900;
        job.start_at = Some(holdshort::base::Wall(i64::MAX));
    });
    site.act(mid, Verb::Next);
    let queued = [mid, urgent, back, low];
    let places = queued.map(|job| site.why(job).position);
    assert_eq!(places, [Some(1), Some(2), Some(3), Some(4)]);
    assert_eq!(site.why(later).position, None);
    assert_eq!(site.starts()[1..], queued);
}
