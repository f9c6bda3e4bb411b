//! Time limits, retries and exit codes.

use holdshort::base::{Span, Wall};
use holdshort::model::command::{Change, Verb};
use holdshort::model::job::{Cause, Exit, FailureClass, Gang, Outcome, State, StopFor};
use holdshort::model::refusal::RefusalCode;

use super::world::{Site, owner};

fn limited(site: &mut Site, minutes: u64) -> holdshort::base::JobId {
    let job = site.submit(|job| job.time_limit = Some(Span::mins(minutes)));
    site.start(job);
    job
}

#[test]
fn the_limit_stops_a_job_on_time() {
    let mut site = Site::new(2, 0);
    let job = limited(&mut site, 10);
    site.advance(Span::mins(9));
    site.stand(&[job], &["running"]);
    site.advance(Span::mins(1));
    assert_eq!(site.state(job), State::Stopping(StopFor::Timeout));
    site.exit(job, &Exit::Signal(15));
    assert_eq!(site.outcome(job), Outcome::TimedOut);
}

#[test]
fn waiting_and_starting_do_not_count() {
    let mut site = Site::new(1, 0);
    let first = limited(&mut site, 60);
    let second = site.submit(|job| job.time_limit = Some(Span::mins(10)));
    site.advance(Span::mins(30));
    site.end(first, 0);
    site.advance(Span::mins(30));
    site.stand(&[second], &["starting"]);
    site.start(second);
    site.advance(Span::mins(9));
    site.stand(&[second], &["running"]);
}

#[test]
fn time_the_machine_slept_does_not_count() {
    let mut site = Site::new(2, 0);
    let job = limited(&mut site, 10);
    site.advance(Span::mins(4));
    site.down(Span::hours(8), false);
    site.stand(&[job], &["running"]);
    site.advance(Span::mins(5));
    site.stand(&[job], &["running"]);
    site.advance(Span::mins(1));
    site.stand(&[job], &["stopping"]);
}

#[test]
fn frozen_time_does_not_count() {
    let mut site = Site::new(2, 0);
    let job = limited(&mut site, 10);
    site.advance(Span::mins(4));
    site.pause(job);
    site.advance(Span::hours(3));
    site.resume(job);
    site.advance(Span::mins(5));
    site.stand(&[job], &["running"]);
    site.advance(Span::mins(1));
    site.stand(&[job], &["stopping"]);
}

#[test]
fn each_attempt_has_the_whole_limit() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|job| {
        job.time_limit = Some(Span::mins(10));
        job.requeue = true;
    });
    site.start(job);
    site.advance(Span::mins(9));
    site.act(job, Verb::Requeue);
    site.end(job, 143);
    site.start(job);
    site.advance(Span::mins(9));
    site.stand(&[job], &["running"]);
    site.advance(Span::mins(1));
    site.stand(&[job], &["stopping"]);
}

#[test]
fn a_changed_limit_counts_at_once_and_a_removed_one_no_more() {
    let mut site = Site::new(2, 0);
    let limit = |limit| Change { time_limit: Some(limit), ..Change::default() };
    let job = limited(&mut site, 10);
    site.advance(Span::mins(5));
    site.set(job, limit(Some(Span::mins(20))));
    site.advance(Span::mins(10));
    site.set(job, limit(None));
    site.advance(Span::hours(10));
    site.stand(&[job], &["running"]);
    site.set(job, limit(Some(Span::mins(1))));
    site.stand(&[job], &["stopping"]);
    let other = limited(&mut site, 10);
    let zero = Verb::Set(limit(Some(Span::ZERO)));
    assert_eq!(site.try_act(owner(), &[other], zero).unwrap_err().code, RefusalCode::Usage);
}

#[test]
fn a_limit_below_what_a_frozen_job_has_run_ends_it_at_once() {
    let mut site = Site::new(2, 0);
    let job = limited(&mut site, 10);
    site.advance(Span::mins(5));
    site.pause(job);
    site.set(job, Change { time_limit: Some(Some(Span::mins(6))), ..Change::default() });
    site.stand(&[job], &["paused"]);
    site.set(job, Change { time_limit: Some(Some(Span::mins(5))), ..Change::default() });
    assert_eq!(site.state(job), State::Stopping(StopFor::Timeout));
}

#[test]
fn a_limit_of_zero_is_refused() {
    let mut site = Site::new(2, 0);
    let zero = site.try_submit(owner(), |job| job.time_limit = Some(Span::ZERO));
    assert_eq!(zero.unwrap_err().code, RefusalCode::Usage);
}

#[test]
fn retries_wait_longer_each_time_and_then_it_has_failed() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.retry = 2);
    for pause in [10, 20] {
        site.start(job);
        let until = site.at.wall + Span::secs(pause);
        site.end(job, 3);
        assert_eq!(site.state(job), State::Waiting(Cause::Backoff(until)));
        site.advance(Span::secs(pause - 1));
        site.stand(&[job], &["waiting"]);
        site.advance(Span::secs(1));
        site.stand(&[job], &["starting"]);
    }
    site.start(job);
    site.end(job, 3);
    assert_eq!(site.outcome(job), Outcome::Failed(FailureClass::Exit));
    assert_eq!((site.job(job).attempt, site.job(job).attempts.len()), (3, 3));
}

#[test]
fn a_backoff_says_until_when_and_others_use_the_room() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.retry = 1);
    let other = site.submit(|_| {});
    site.start(job);
    site.end(job, 1);
    let Wall(until) = site.in_(Span::secs(10));
    assert_eq!(site.because(job), format!("backoff retries=1 retry=1 until_at={until}"));
    site.stand(&[other], &["starting"]);
}

#[test]
fn what_cannot_be_started_is_not_tried_again() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.retry = 5);
    site.exit(job, &Exit::NotStarted("nosuch: command not found".into()));
    assert_eq!(site.outcome(job), Outcome::Failed(FailureClass::CannotStart));
}

#[test]
fn a_signal_is_its_own_class() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.exit(job, &Exit::Signal(9));
    assert_eq!(site.outcome(job), Outcome::Failed(FailureClass::Signal));
    assert_eq!(site.because(job), "ended code=137 outcome=failed signal=9");
}

#[test]
fn code_75_is_parking_only_when_somebody_asked_it_to_stop() {
    let mut site = Site::new(2, 0);
    let alone = site.submit(|job| job.resumable = true);
    site.start(alone);
    site.end(alone, 75);
    assert_eq!(site.outcome(alone), Outcome::Failed(FailureClass::ParkedWithoutAsking));
    let asked = site.submit(|job| job.resumable = true);
    site.start(asked);
    site.pause(asked);
    site.end(asked, 75);
    site.stand(&[asked], &["paused"]);
    let sent_back = site.submit(|job| job.requeue = true);
    site.start(sent_back);
    site.act(sent_back, Verb::Requeue);
    site.end(sent_back, 75);
    site.stand(&[sent_back], &["starting"]);
    let cancelled = site.submit(|job| job.resumable = true);
    site.start(cancelled);
    site.cancel(cancelled);
    site.end(cancelled, 75);
    site.stand(&[cancelled], &["cancelled"]);
}

#[test]
fn an_end_that_nobody_saw_is_lost_unless_something_says_how_it_comes_back() {
    let mut site = Site::new(8, 0);
    let lost = site.submit(|_| {});
    let back = site.submit(|job| job.requeue = true);
    let saved = site.submit(|_| {});
    let again = site.submit(|job| job.retry = 1);
    let gang = site.submit(|job| job.gang = Gang { size: 2, min: 2 });
    site.start_all();
    site.checkpoint(saved);
    for job in [lost, back, saved, again] {
        site.exit(job, &Exit::Unknown);
    }
    site.stand(&[lost, back, saved, again], &["lost", "starting", "starting", "waiting"]);
    assert!(!site.job(back).resume, "it starts over");
    assert!(site.job(saved).resume, "it goes on from its checkpoint");
    site.end_rank(gang, 0, Exit::Unknown);
    assert_eq!(site.state(gang), State::Stopping(StopFor::Gang));
    site.advance(Span::secs(1));
    site.end_rank(gang, 1, Exit::Signal(15));
    site.stand(&[gang], &["lost"]);
}
