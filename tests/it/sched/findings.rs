//! What is wrong with running jobs: `health::scan` with signals, and the commands it makes.

use std::collections::BTreeSet;

use holdshort::base::{JobId, Mono, Span, TaskId};
use holdshort::model::command::{Report, TaskEvent, Verb};
use holdshort::model::finding::{Level, Signal};
use holdshort::sched::health::{self, Signals};

use super::world::Site;

/// Scans and decides what it says; returns when to look again.
fn scan(site: &mut Site, signals: &Signals) -> Option<Mono> {
    let (commands, next) = health::scan(&site.world, signals, site.at);
    commands.into_iter().for_each(|command| drop(site.run(command)));
    let (again, _) = health::scan(&site.world, signals, site.at);
    assert_eq!(again, [], "what was said once is not said again");
    next
}

fn level(site: &Site, job: JobId, signal: Signal) -> Option<Level> {
    site.job(job).findings.get(&signal).map(|finding| finding.level)
}

fn silent(job: JobId) -> Signals {
    let silent = BTreeSet::from([TaskId { job, attempt: 1, rank: 0 }]);
    Signals { silent, ..Signals::default() }
}

#[test]
fn a_job_that_gives_no_sign_of_life_is_noticed_in_three_steps() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|_| {});
    site.start(job);
    let signals = silent(job);
    for (minutes, expected) in
        [(0, None), (1, Some(Level::Notice)), (3, Some(Level::Suspect)), (5, Some(Level::Stuck))]
    {
        let start = site.job(job).started.unwrap().now;
        site.advance((start + Span::mins(minutes)).since(site.at.now));
        let next = scan(&mut site, &signals);
        assert_eq!(level(&site, job, Signal::NeverStarted), expected);
        let due = [1, 3, 5].into_iter().find(|m| *m > minutes).map(|m| start + Span::mins(m));
        let long = start + Span::hours(12);
        assert_eq!(next, Some(due.unwrap_or(long)));
    }
    assert_eq!(site.world.index().counts().stuck, 1);
}

#[test]
fn output_a_report_or_a_question_are_signs_of_life() {
    let mut site = Site::new(4, 0);
    let jobs = site.submit_many(4, |_| {});
    site.start_all();
    let task = |job| TaskId { job, attempt: 1, rank: 0 };
    assert_eq!(health::candidates(&site.world, &Signals::default()).count(), 4);
    site.report(jobs[1], Report::Heartbeat);
    site.event(task(jobs[2]), TaskEvent::AtPrompt { text: "?".into() });
    let wrote = BTreeSet::from([task(jobs[0])]);
    let silent: BTreeSet<TaskId> = jobs[1..].iter().map(|job| task(*job)).collect();
    let signals = Signals { wrote, silent, ..Signals::default() };
    assert_eq!(health::candidates(&site.world, &signals).count(), 1);
    site.advance(Span::mins(10));
    scan(&mut site, &signals);
    let levels: Vec<_> = jobs.iter().map(|job| level(&site, *job, Signal::NeverStarted)).collect();
    assert_eq!(levels, [None, None, None, Some(Level::Stuck)]);
    let signals = Signals { wrote: jobs.iter().map(|job| task(*job)).collect(), ..signals };
    scan(&mut site, &signals);
    assert_eq!(level(&site, jobs[3], Signal::NeverStarted), None, "it did write after all");
}

#[test]
fn silence_that_nobody_measured_says_nothing_and_takes_nothing_back() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.advance(Span::mins(10));
    scan(&mut site, &Signals::default());
    assert_eq!(level(&site, job, Signal::NeverStarted), None);
    scan(&mut site, &silent(job));
    scan(&mut site, &Signals::default());
    assert_eq!(level(&site, job, Signal::NeverStarted), Some(Level::Stuck), "after a restart");
}

#[test]
fn sleep_and_ice_are_no_silence() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.down(Span::hours(9), false);
    site.pause(job);
    site.advance(Span::hours(1));
    scan(&mut site, &silent(job));
    site.resume(job);
    scan(&mut site, &silent(job));
    assert_eq!(level(&site, job, Signal::NeverStarted), None);
    site.advance(Span::mins(1));
    scan(&mut site, &silent(job));
    assert_eq!(level(&site, job, Signal::NeverStarted), Some(Level::Notice));
}

#[test]
fn a_second_attempt_is_watched_like_the_first() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|job| job.requeue = true);
    site.start(job);
    site.report(job, Report::Progress { basis_points: Some(10), text: None });
    site.act(job, Verb::Requeue);
    site.end(job, 143);
    site.start(job);
    site.advance(Span::mins(1));
    let silent = BTreeSet::from([TaskId { job, attempt: 2, rank: 0 }]);
    scan(&mut site, &Signals { silent, ..Signals::default() });
    assert_eq!(level(&site, job, Signal::NeverStarted), Some(Level::Notice));
}

#[test]
fn a_limit_that_comes_near_is_noticed_at_80_and_95_percent_of_run_time() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|job| job.time_limit = Some(Span::mins(100)));
    site.start(job);
    let signals = Signals { wrote: silent(job).silent, ..Signals::default() };
    site.advance(Span::mins(70));
    site.down(Span::hours(3), false);
    let next = scan(&mut site, &signals);
    assert_eq!(level(&site, job, Signal::LimitNear), None);
    assert_eq!(next, Some(site.at.now + Span::mins(10)));
    site.advance(Span::mins(10));
    scan(&mut site, &signals);
    assert_eq!(level(&site, job, Signal::LimitNear), Some(Level::Notice));
    site.advance(Span::mins(15));
    scan(&mut site, &signals);
    assert_eq!(level(&site, job, Signal::LimitNear), Some(Level::Suspect));
    site.act(job, Verb::Ack);
    let more = Some(Some(Span::hours(10)));
    site.set(job, holdshort::model::command::Change { time_limit: more, ..Default::default() });
    scan(&mut site, &signals);
    assert_eq!(level(&site, job, Signal::LimitNear), None);
}

#[test]
fn a_worse_level_rings_again_after_a_milder_one_was_seen() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|job| job.time_limit = Some(Span::mins(100)));
    site.start(job);
    let signals = silent(job);
    site.advance(Span::mins(4));
    scan(&mut site, &signals);
    assert_eq!(site.world.index().counts().stuck, 1);
    site.act(job, Verb::Ack);
    assert_eq!(site.world.index().counts().stuck, 0);
    site.advance(Span::mins(2));
    scan(&mut site, &signals);
    assert_eq!(site.world.index().counts().stuck, 1);
    assert_eq!(site.job(job).acked, None);
}

#[test]
fn a_job_without_a_limit_is_noticed_after_half_a_day() {
    let mut site = Site::new(2, 0);
    let [job, limited] =
        [None, Some(Span::hours(48))].map(|limit| site.submit(|job| job.time_limit = limit));
    site.start_all();
    site.advance(Span::hours(11));
    scan(&mut site, &Signals::default());
    assert_eq!(level(&site, job, Signal::LongRunning), None);
    site.advance(Span::hours(1));
    scan(&mut site, &Signals::default());
    assert_eq!(level(&site, job, Signal::LongRunning), Some(Level::Notice));
    assert_eq!(level(&site, limited, Signal::LongRunning), None);
    assert_eq!(site.world.index().counts().stuck, 0, "a notice is a mark, not an alarm");
}

#[test]
fn findings_about_a_run_end_with_it() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|job| job.requeue = true);
    site.start(job);
    site.advance(Span::mins(10));
    scan(&mut site, &silent(job));
    site.drain("n1", true);
    site.act(job, Verb::Requeue);
    site.end(job, 143);
    site.stand(&[job], &["queued"]);
    assert!(site.job(job).findings.is_empty());
}
