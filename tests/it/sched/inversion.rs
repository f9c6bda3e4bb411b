//! No priority inversion: who is waited for has the priority of those who wait.

use holdshort::base::{JobId, Span};
use holdshort::model::JobSpec;
use holdshort::model::command::{Change, Verb};
use holdshort::model::job::{DependencyKind, Inherited};

use super::world::{Site, after, countable};

/// A job of this priority that comes after another.
fn comes_after(site: &mut Site, other: JobId, priority: u16) -> JobId {
    site.submit(|job| {
        job.priority = priority;
        job.after = vec![after(other, DependencyKind::Any)];
    })
}

fn from(site: &Site, job: JobId) -> Option<(u16, JobId)> {
    site.job(job).inherited.as_ref().map(|from| (from.priority, from.from))
}

/// A job that gives way, of this priority.
fn gives_way(priority: u16) -> impl Fn(&mut JobSpec) {
    move |job| {
        job.priority = priority;
        job.requeue = true;
        job.preemptible = true;
    }
}

/// Takes one unit of the licence.
fn licensed(job: &mut JobSpec) {
    job.request.custom.insert("lic".into(), 1);
}

#[test]
fn a_job_that_an_urgent_one_comes_after_goes_before_those_between() {
    let mut site = Site::new(1, 0);
    let runs = site.submit(|_| {});
    let low = site.submit(|job| job.priority = 100);
    let between = site.submit(|job| job.priority = 300);
    let urgent = comes_after(&mut site, low, 400);
    assert_eq!(from(&site, low), Some((400, urgent)));
    site.start(runs);
    site.end(runs, 0);
    site.stand(&[low, between], &["starting", "queued"]);
}

#[test]
fn without_inheritance_those_between_go_first() {
    let mut site = Site::new(1, 0);
    site.switch("inheritance", false);
    let runs = site.submit(|_| {});
    let low = site.submit(|job| job.priority = 100);
    let between = site.submit(|job| job.priority = 300);
    comes_after(&mut site, low, 400);
    site.start(runs);
    site.end(runs, 0);
    site.stand(&[low, between], &["queued", "starting"]);
}

#[test]
fn it_goes_along_a_chain_and_ends_with_the_one_that_waits() {
    let mut site = Site::new(1, 0);
    site.submit(|_| {});
    let first = site.submit(|job| job.priority = 100);
    let second = comes_after(&mut site, first, 150);
    assert_eq!(from(&site, first), Some((150, second)));
    let third = comes_after(&mut site, second, 400);
    assert_eq!(from(&site, second), Some((400, third)));
    assert_eq!(from(&site, first), Some((400, second)));
    site.set(third, Change { priority: Some(120), ..Change::default() });
    assert_eq!((from(&site, first), from(&site, second)), (Some((150, second)), None));
    site.set(third, Change { priority: Some(500), ..Change::default() });
    site.cancel(third);
    assert_eq!((from(&site, first), from(&site, second)), (Some((150, second)), None));
    site.cancel(second);
    assert_eq!(from(&site, first), None);
}

#[test]
fn one_that_is_held_back_lifts_nobody() {
    let mut site = Site::new(1, 0);
    site.submit(|_| {});
    let low = site.submit(|job| job.priority = 100);
    let urgent = comes_after(&mut site, low, 400);
    site.pause(urgent);
    assert_eq!(from(&site, low), None);
    site.resume(urgent);
    assert_eq!(from(&site, low), Some((400, urgent)));
}

#[test]
fn a_place_at_the_front_is_passed_on() {
    let mut site = Site::new(1, 0);
    site.submit(|job| job.priority = 900);
    site.submit(|job| job.priority = 600);
    let low = site.submit(|job| job.priority = 100);
    let middle = comes_after(&mut site, low, 200);
    site.act(middle, Verb::Next);
    assert_eq!(from(&site, low), Some((600, middle)));
}

#[test]
fn the_holder_of_a_unit_is_safe_from_those_below_the_one_that_waits_for_it() {
    let mut site = Site::new(2, 0);
    site.resource("lic", Some(countable(1, None)));
    let holder = site.submit(|job| {
        gives_way(100)(job);
        licensed(job);
    });
    let other = site.submit(gives_way(150));
    site.start_all();
    let urgent = site.submit(|job| {
        job.priority = 120;
        job.request.cpu_milli = 0;
        job.preemption_delay = Some(Span::hours(1));
        licensed(job);
    });
    let inherited = Inherited { priority: 120, from: urgent, resource: Some("lic".into()) };
    assert_eq!(site.job(holder).inherited.as_deref(), Some(&inherited));
    let below = site.submit(|job| job.priority = 110);
    site.stand(&[holder, other, below], &["running", "running", "queued"]);
    site.cancel(urgent);
    assert_eq!(site.job(holder).inherited, None);
    site.stand(&[holder, other, below], &["stopping", "running", "queued"]);
}

#[test]
fn without_inheritance_the_holder_of_a_unit_gives_way_to_those_between() {
    let mut site = Site::new(1, 0);
    site.switch("inheritance", false);
    site.resource("lic", Some(countable(1, None)));
    let holder = site.submit(|job| {
        gives_way(100)(job);
        licensed(job);
    });
    site.start_all();
    site.submit(|job| {
        job.priority = 120;
        job.request.cpu_milli = 0;
        job.preemption_delay = Some(Span::hours(1));
        licensed(job);
    });
    site.submit(|job| job.priority = 110);
    site.stand(&[holder], &["stopping"]);
}

#[test]
fn what_it_inherits_does_not_protect_it_from_the_one_that_waits() {
    let mut site = Site::new(4, 0);
    site.resource("lic", Some(countable(1, None)));
    let holder = site.submit(|job| {
        gives_way(100)(job);
        licensed(job);
    });
    site.start_all();
    let urgent = site.submit(|job| {
        job.priority = 400;
        licensed(job);
    });
    site.stand(&[holder, urgent], &["stopping", "queued"]);
    site.end(holder, 143);
    site.stand(&[holder, urgent], &["queued", "starting"]);
}

#[test]
fn a_unit_that_is_free_or_never_will_be_lifts_nobody() {
    let mut site = Site::new(2, 0);
    site.resource("lic", Some(countable(2, None)));
    let holder = site.submit(licensed);
    site.submit(|_| {});
    site.submit(|job| {
        job.priority = 400;
        licensed(job);
    });
    site.submit(|job| {
        job.priority = 400;
        job.request.custom.insert("lic".into(), 3);
    });
    assert_eq!(site.job(holder).inherited, None);
}

#[test]
fn inheriting_gives_no_right_to_take_room() {
    let mut site = Site::new(1, 0);
    let runs = site.submit(gives_way(200));
    site.start(runs);
    let low = site.submit(|job| job.priority = 100);
    comes_after(&mut site, low, 400);
    assert_eq!(site.job(low).sort_priority(), 400);
    site.stand(&[runs, low], &["running", "queued"]);
}
