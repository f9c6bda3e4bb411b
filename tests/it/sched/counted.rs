//! Countable resources: numbers held, and rates.

use holdshort::base::Span;
use holdshort::model::job::Gang;
use holdshort::model::refusal::RefusalCode;

use super::world::{Site, countable, owner};

#[test]
fn an_api_that_nobody_configured_has_six_units() {
    let mut site = Site::new(16, 0);
    let jobs = site.submit_many(7, |job| {
        job.request.custom.insert("api:anthropic".into(), 1);
    });
    assert_eq!(site.holding(), jobs[..6]);
    let because = "resource_busy count=6 free=0 need=1 resource=api:anthropic";
    assert_eq!(site.because(jobs[6]), because);
    assert_eq!(site.why(jobs[6]).would_change.len(), 1, "any of them makes room");
    site.start_all();
    site.end(jobs[3], 0);
    site.stand(&[jobs[6]], &["starting"]);
}

#[test]
fn an_unknown_resource_is_refused() {
    let mut site = Site::new(2, 0);
    let ask = |job: &mut holdshort::model::JobSpec| {
        job.request.custom.insert("license".into(), 1);
    };
    let refusal = site.try_submit(owner(), ask).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Usage);
    assert_eq!(refusal.what, "there is no resource license");
    site.resource("license", Some(countable(1, None)));
    site.submit(ask);
}

#[test]
fn a_gang_takes_units_for_each_task() {
    let mut site = Site::new(16, 0);
    let ask = |gang| {
        move |job: &mut holdshort::model::JobSpec| {
            job.request.custom.insert("api:x".into(), 2);
            job.gang = gang;
        }
    };
    let gang = site.submit(ask(Gang { size: 4, min: 2 }));
    assert_eq!(site.job(gang).active_tasks().count(), 3, "six units, two each");
    let never = site.submit(ask(Gang { size: 4, min: 4 }));
    assert_eq!(site.because(never), "never_fits count=6 need=8 resource=api:x");
}

#[test]
fn a_rate_lets_so_many_start_in_any_minute_and_a_timer_lets_the_next_ones() {
    let mut site = Site::new(16, 0);
    site.resource("api:x", Some(countable(10, Some(2))));
    let ask = |job: &mut holdshort::model::JobSpec| {
        job.request.custom.insert("api:x".into(), 1);
    };
    let first = site.submit(ask);
    site.advance(Span::secs(20));
    let rest = site.submit_many(3, ask);
    site.stand(&[first, rest[0], rest[1]], &["starting", "starting", "queued"]);
    let next_at = site.in_(Span::secs(40)).0;
    let because = format!("rate_limited count=2 need=1 next_at={next_at} resource=api:x taken=2");
    assert_eq!(site.because(rest[1]), because);
    site.start_all();
    site.end(first, 0);
    site.stand(&[rest[1]], &["queued"]);
    site.advance(Span::secs(39));
    site.stand(&[rest[1]], &["queued"]);
    site.advance(Span::secs(1));
    site.stand(&[rest[1], rest[2]], &["starting", "queued"]);
    site.advance(Span::secs(20));
    site.stand(&[rest[2]], &["starting"]);
}

#[test]
fn a_rate_wakes_nobody_while_nobody_waits() {
    let mut site = Site::new(16, 0);
    site.resource("api:x", Some(countable(10, Some(5))));
    site.submit(|job| job.request.custom = [("api:x".into(), 1)].into());
    assert_eq!(site.world.next_due(site.at), (None, None));
}

#[test]
fn going_on_after_a_freeze_is_no_start_and_needs_its_units() {
    let mut site = Site::new(16, 0);
    site.resource("api:x", Some(countable(1, Some(1))));
    let ask = |job: &mut holdshort::model::JobSpec| {
        job.request.custom.insert("api:x".into(), 1);
    };
    let job = site.submit(ask);
    site.start(job);
    site.pause(job);
    assert_eq!(site.world.index().custom_held("api:x"), 0, "a frozen job holds none");
    site.resume(job);
    site.stand(&[job], &["running"]);
    site.pause(job);
    site.advance(Span::mins(2));
    let other = site.submit(ask);
    site.resume(job);
    site.stand(&[job, other], &["queued", "starting"]);
    site.start(other);
    site.end(other, 0);
    site.stand(&[job], &["running"]);
}

#[test]
fn a_frozen_gang_needs_the_units_of_all_its_tasks_to_go_on() {
    let mut site = Site::new(16, 0);
    let ask = |tasks| {
        move |job: &mut holdshort::model::JobSpec| {
            job.request.custom.insert("api:x".into(), 2);
            job.gang = Gang { size: tasks, min: 1 };
        }
    };
    let gang = site.submit(ask(3));
    site.start(gang);
    site.pause(gang);
    let other = site.submit(ask(1));
    site.start(other);
    site.resume(gang);
    site.stand(&[gang], &["queued"]);
    assert_eq!(site.because(gang), "resource_busy count=6 free=4 need=6 resource=api:x");
    site.end(other, 0);
    site.stand(&[gang], &["running"]);
}

#[test]
fn a_count_that_shrinks_takes_nothing_away_and_one_that_vanishes_is_a_finding() {
    let mut site = Site::new(16, 0);
    site.resource("lic", Some(countable(3, None)));
    let jobs = site.submit_many(4, |job| job.request.custom = [("lic".into(), 1)].into());
    site.start_all();
    site.resource("lic", Some(countable(1, None)));
    assert_eq!(site.holding(), jobs[..3]);
    site.end(jobs[0], 0);
    site.end(jobs[1], 0);
    site.stand(&[jobs[3]], &["queued"]);
    site.resource("lic", None);
    assert_eq!(site.because(jobs[3]), "never_fits count=0 need=1 resource=lic");
    assert_eq!(site.world.index().counts().stuck, 1);
    site.resource("lic", Some(countable(2, None)));
    site.stand(&[jobs[3]], &["starting"]);
    assert_eq!(site.world.index().counts().stuck, 0);
}

#[test]
fn absurd_amounts_are_answered_and_never_overflow() {
    let mut site = Site::new(16, 0);
    let huge = countable(u64::MAX, Some(u64::MAX));
    site.resource("huge", Some(huge));
    let ask = |units| {
        move |job: &mut holdshort::model::JobSpec| {
            job.request.custom.insert("huge".into(), units);
            job.gang = Gang { size: 2, min: 1 };
        }
    };
    let all = site.submit(ask(u64::MAX));
    let more = site.submit(ask(u64::MAX));
    site.stand(&[all, more], &["starting", "queued"]);
    let cpu = site.submit(|job| {
        job.request.cpu_milli = u64::MAX;
        job.request.mem_bytes = u64::MAX;
        job.gang = Gang { size: 3, min: 3 };
    });
    assert!(site.because(cpu).starts_with("never_fits"));
    assert!(site.because(more).starts_with("resource_busy"));
}

#[test]
fn a_rate_that_is_switched_off_holds_nobody_back() {
    let mut site = Site::new(16, 0);
    site.resource("api:x", Some(countable(10, Some(2))));
    site.configure(|setup| setup.cycle.off = ["rate".into()].into());
    let all = site.submit_many(4, |job| job.request.custom = [("api:x".into(), 1)].into());
    site.stand(&all, &["starting"; 4]);
}
