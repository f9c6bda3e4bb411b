//! Deadlines: least slack first among equals, a boost when it runs out, and a finding.

use holdshort::base::{JobId, Span};
use holdshort::model::command::Change;
use holdshort::model::finding::{Level, Signal};
use holdshort::model::job::JobSpec;
use holdshort::model::refusal::RefusalCode;

use super::world::{Site, owner};

/// A job with a deadline so far ahead and an estimate, both in minutes.
fn due(site: &mut Site, deadline: u64, estimate: u64) -> JobId {
    let deadline = site.in_(Span::mins(deadline));
    site.submit(|job| {
        job.deadline = Some(deadline);
        job.estimate = Some(Span::mins(estimate));
    })
}

fn risk(site: &Site, job: JobId) -> Option<Level> {
    site.job(job).findings.get(&Signal::DeadlineAtRisk).map(|finding| finding.level)
}

#[test]
fn the_one_that_must_start_first_goes_first_and_one_without_a_deadline_last() {
    let mut site = Site::new(1, 0);
    let runs = site.submit(|_| {});
    let none = site.submit(|_| {});
    let far = due(&mut site, 600, 60);
    let near_but_short = due(&mut site, 500, 1);
    let long = due(&mut site, 550, 200);
    let urgent = site.submit(|job| job.priority = 300);
    let order = [runs, urgent, long, near_but_short, far, none];
    let places = order[1..].iter().map(|job| site.why(*job).position);
    assert!(places.eq((1..6).map(Some)), "the list says so too");
    assert_eq!(site.starts(), order);
}

#[test]
fn without_deadlines_age_decides() {
    let mut site = Site::new(1, 0);
    site.switch("deadline", false);
    let runs = site.submit(|_| {});
    let (older, due) = (site.submit(|_| {}), due(&mut site, 30, 20));
    site.advance(Span::mins(25));
    assert_eq!((site.job(due).boosts.deadline, risk(&site, due)), (0, None));
    assert_eq!(site.starts(), [runs, older, due]);
}

#[test]
fn slack_that_runs_out_lifts_a_job_over_more_urgent_ones() {
    let mut site = Site::new(1, 0);
    site.submit(|job| job.priority = 500);
    let due = due(&mut site, 25, 10);
    let urgent = site.submit(|job| job.priority = 290);
    let steps = [9, 1, 5].map(|mins| {
        site.advance(Span::mins(mins));
        site.job(due).boosts.deadline
    });
    assert_eq!(steps, [0, 2, 4], "half a run of slack, then none");
    assert_eq!(site.starts()[1..], [due, urgent]);
}

#[test]
fn a_deadline_in_danger_is_a_finding_that_gets_worse_and_can_end() {
    let mut site = Site::new(1, 0);
    let runs = site.submit(|_| {});
    site.start(runs);
    let late = due(&mut site, 20, 10);
    site.advance(Span::mins(10));
    assert_eq!(risk(&site, late), None, "it could still make it");
    site.advance(Span(1));
    assert_eq!(risk(&site, late), Some(Level::Notice));
    let further = site.in_(Span::mins(11));
    site.set(late, Change { deadline: Some(Some(further)), ..Change::default() });
    assert_eq!(risk(&site, late), None);
    site.advance(Span::mins(11));
    assert_eq!(risk(&site, late), Some(Level::Suspect));
    assert_eq!(site.world.index().counts().stuck, 1);
    assert_eq!(site.world.next_due(site.at).1, None, "it can get no worse");
}

#[test]
fn one_that_runs_is_in_danger_by_what_is_left_of_its_run() {
    let mut site = Site::new(2, 0);
    let (good, bad) = (due(&mut site, 20, 10), due(&mut site, 20, 30));
    assert_eq!(risk(&site, bad), Some(Level::Notice), "said at once");
    site.start_all();
    assert_eq!(risk(&site, good), None);
    site.advance(Span::mins(12));
    assert_eq!(risk(&site, good), None, "longer than it said, but not too late yet");
    site.advance(Span::mins(8));
    assert_eq!((risk(&site, good), risk(&site, bad)), (Some(Level::Suspect), Some(Level::Suspect)));
}

#[test]
fn a_frozen_job_falls_behind() {
    let mut site = Site::new(2, 0);
    let job = due(&mut site, 20, 10);
    site.start(job);
    site.advance(Span::mins(5));
    site.pause(job);
    site.advance(Span::mins(10));
    assert_eq!(risk(&site, job), None);
    site.advance(Span(1));
    assert_eq!(risk(&site, job), Some(Level::Notice));
}

#[test]
fn the_limit_stands_for_an_estimate_and_bounds_one() {
    let mut site = Site::new(0, 0);
    let deadline = site.in_(Span::mins(60));
    let with = |site: &mut Site, estimate: Option<u64>, limit: Option<u64>| {
        let job = site.submit(|job| {
            job.deadline = Some(deadline);
            job.estimate = estimate.map(Span::mins);
            job.time_limit = limit.map(Span::mins);
        });
        site.job(job).latest_start.map(|at| deadline.since(at))
    };
    assert_eq!(with(&mut site, Some(10), None), Some(Span::mins(10)));
    assert_eq!(with(&mut site, None, Some(20)), Some(Span::mins(20)));
    assert_eq!(with(&mut site, Some(30), Some(20)), Some(Span::mins(20)));
    assert_eq!(with(&mut site, None, None), Some(Span::ZERO));
}

#[test]
fn a_deadline_that_has_passed_is_refused() {
    let mut site = Site::new(1, 0);
    let passed = site.at.wall;
    let ask = |job: &mut JobSpec| job.deadline = Some(passed);
    let refusal = site.try_submit(owner(), ask).unwrap_err();
    assert_eq!((refusal.code, &*refusal.what), (RefusalCode::Usage, "the deadline has passed"));
    let job = site.submit(|_| {});
    let change = Change { deadline: Some(Some(passed)), ..Change::default() };
    let refusal = site.try_act(owner(), &[job], holdshort::model::command::Verb::Set(change));
    assert_eq!(refusal.unwrap_err().what, "the deadline has passed");
}

#[test]
fn more_work_than_fits_before_a_deadline_is_said_and_not_refused() {
    let mut site = Site::new(2, 0);
    let first = due(&mut site, 60, 50);
    let second = due(&mut site, 60, 50);
    assert_eq!((risk(&site, first), risk(&site, second)), (None, None), "a core for each");
    let third = due(&mut site, 60, 50);
    assert_eq!(risk(&site, third), Some(Level::Notice));
    let evidence = &site.job(third).findings[&Signal::DeadlineAtRisk].evidence;
    assert!(evidence.contains_key("demand_percent"), "{evidence:?}");
    site.start_all();
    site.cancel(first);
    site.end(first, 143);
    site.stand(&[third], &["starting"]);
    site.start(third);
    assert_eq!(risk(&site, third), None, "it runs in time after all");
}
