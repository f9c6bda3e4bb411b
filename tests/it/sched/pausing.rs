//! Pause and resume: of a job, a team and everything.

use holdshort::base::Span;
use holdshort::model::command::{Command, Verb};
use holdshort::model::effect::Effect;
use holdshort::model::job::{Exit, State, StopFor};
use holdshort::model::refusal::RefusalCode;
use holdshort::sched::effects;

use super::world::{Site, owner};

#[test]
fn a_job_that_cannot_resume_is_frozen_and_gives_its_cores_to_others() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    let other = site.submit(|_| {});
    site.start(job);
    site.pause(job);
    assert!(site.job(job).frozen);
    site.stand(&[job, other], &["paused", "starting"]);
    let used = site.world.index().used("n1");
    assert_eq!((used.held.cpu_milli, used.tasks), (1000, 2), "memory stays, cores do not");
    let asked = effects::of_facts(&site.facts, &site.world);
    assert!(matches!(asked[..], [Effect::Freeze { .. }, Effect::Start { .. }]), "{asked:?}");
}

#[test]
fn a_frozen_job_goes_on_when_its_cores_are_free() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    let other = site.submit(|_| {});
    site.start(job);
    site.pause(job);
    site.start(other);
    site.resume(job);
    site.stand(&[job], &["queued"]);
    assert_eq!(site.because(job), "thaw_waits need_cpu_milli=1000 node=n1");
    assert_eq!(site.why(job).would_change.len(), 1);
    site.end(other, 0);
    site.stand(&[job], &["running"]);
    assert_eq!(site.job(job).attempt, 1);
}

#[test]
fn one_that_continues_by_itself_is_parked_and_comes_back_as_a_new_attempt() {
    for checkpointed in [false, true] {
        let mut site = Site::new(1, 0);
        let job = site.submit(|job| job.resumable = !checkpointed);
        site.start(job);
        if checkpointed {
            site.checkpoint(job);
        }
        site.pause(job);
        assert_eq!(site.state(job), State::Stopping(StopFor::Pause));
        site.exit(job, &Exit::Signal(15));
        site.stand(&[job], &["paused"]);
        assert_eq!(site.holding(), []);
        assert!(!site.job(job).frozen);
        site.resume(job);
        site.stand(&[job], &["starting"]);
        assert!(site.job(job).resume);
        assert_eq!(site.job(job).attempt, 2);
    }
}

#[test]
fn resume_before_it_is_parked_sends_it_straight_back() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.resumable = true);
    site.start(job);
    site.pause(job);
    site.resume(job);
    site.stand(&[job], &["stopping"]);
    site.end(job, 75);
    site.stand(&[job], &["starting"]);
}

#[test]
fn a_waiting_or_queued_job_is_held_where_it_is() {
    let mut site = Site::new(1, 0);
    let running = site.submit(|_| {});
    let queued = site.submit(|_| {});
    let start = site.in_(Span::mins(5));
    let timed = site.submit(|job| job.start_at = Some(start));
    let dependent = site.submit(|job| {
        job.after = vec![super::world::after(running, holdshort::model::job::DependencyKind::Ok)];
    });
    for job in [queued, timed, dependent] {
        site.pause(job);
    }
    site.start(running);
    site.end(running, 0);
    site.advance(Span::mins(10));
    site.stand(&[queued, timed, dependent], &["paused"; 3]);
    assert!(site.because(queued).starts_with("paused by=owner since_at="));
    for job in [timed, dependent, queued] {
        site.resume(job);
    }
    site.stand(&[timed, dependent, queued], &["starting", "queued", "queued"]);
}

#[test]
fn a_dependency_that_failed_meanwhile_ends_the_job_at_resume() {
    let mut site = Site::new(1, 0);
    let first = site.submit(|_| {});
    let on = super::world::after(first, holdshort::model::job::DependencyKind::Ok);
    let second = site.submit(|job| job.after = vec![on]);
    site.pause(second);
    site.start(first);
    site.end(first, 1);
    site.stand(&[second], &["paused"]);
    site.resume(second);
    site.stand(&[second], &["failed"]);
}

#[test]
fn a_pause_with_an_end_lifts_by_itself() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    site.start(job);
    let until = Some(site.in_(Span::mins(30)));
    site.act(job, Verb::Pause { until, reason: Some("lunch".into()) });
    assert!(site.because(job).contains("why=lunch"));
    site.advance(Span::mins(29));
    site.stand(&[job], &["paused"]);
    site.advance(Span::mins(1));
    site.stand(&[job], &["running"]);
    let late = Verb::Pause { until, reason: None };
    assert_eq!(site.try_act(owner(), &[job], late).unwrap_err().code, RefusalCode::Usage);
}

#[test]
fn pausing_again_replaces_the_hold() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    site.start(job);
    let until = Some(site.in_(Span::mins(1)));
    site.act(job, Verb::Pause { until, reason: None });
    site.pause(job);
    site.advance(Span::mins(5));
    site.stand(&[job], &["paused"]);
}

#[test]
fn what_is_being_ended_cannot_be_paused_and_what_is_not_paused_not_resumed() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    site.start(job);
    let refused = |site: &mut Site, verb| site.try_act(owner(), &[job], verb).unwrap_err().code;
    assert_eq!(refused(&mut site, Verb::Resume), RefusalCode::Conflict);
    site.cancel(job);
    let pause = Verb::Pause { until: None, reason: None };
    assert_eq!(refused(&mut site, pause), RefusalCode::Conflict);
    assert_eq!(refused(&mut site, Verb::Requeue), RefusalCode::Conflict);
}

#[test]
fn a_job_frozen_before_its_processes_ran_starts_frozen_and_goes_on() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.time_limit = Some(Span::mins(10)));
    site.pause(job);
    site.stand(&[job], &["paused"]);
    site.start(job);
    site.stand(&[job], &["paused"]);
    site.advance(Span::hours(1));
    site.resume(job);
    site.stand(&[job], &["running"]);
    site.advance(Span::mins(9));
    site.stand(&[job], &["running"]);
}

#[test]
fn a_job_that_goes_on_before_its_processes_ran_is_still_starting() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.time_limit = Some(Span::mins(10)));
    site.pause(job);
    site.resume(job);
    site.advance(Span::hours(1));
    site.stand(&[job], &["starting"]);
    site.start(job);
    site.advance(Span::mins(9));
    site.stand(&[job], &["running"]);
}

#[test]
fn a_paused_job_with_a_retry_waits_for_its_resume_not_for_its_backoff() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.retry = 1);
    site.start(job);
    site.pause(job);
    site.exit(job, &Exit::Signal(9));
    site.stand(&[job], &["paused"]);
    site.advance(Span::hours(1));
    site.stand(&[job], &["paused"]);
    site.resume(job);
    site.stand(&[job], &["starting"]);
}

#[test]
fn a_paused_team_stands_still_and_others_go_on() {
    let mut site = Site::new(4, 0);
    let running = site.submit(|job| job.team = "ml".into());
    site.start(running);
    site.pause_team(Some("ml"), None);
    let held = site.submit(|job| job.team = "ml".into());
    let free = site.submit(|_| {});
    site.stand(&[running, held, free], &["paused", "queued", "starting"]);
    assert!(site.job(running).frozen);
    assert!(site.because(held).starts_with("team_paused by=owner since_at="));
    site.resume_team(Some("ml"));
    site.stand(&[running, held], &["running", "starting"]);
}

#[test]
fn lifting_a_teams_hold_leaves_alone_what_somebody_held_by_itself() {
    let mut site = Site::new(4, 0);
    let [mine, parks, other] = [
        site.submit(|_| {}),
        site.submit(|job| job.resumable = true),
        site.submit(|job| job.team = "ml".into()),
    ];
    for job in [mine, parks, other] {
        site.start(job);
    }
    site.pause(mine);
    site.advance(Span::secs(1));
    site.pause_team(None, None);
    site.stand(&[mine, parks, other], &["paused", "stopping", "paused"]);
    site.exit(parks, &Exit::Code(75));
    site.stand(&[parks], &["paused"]);
    // Paused again with other words: one resume still lifts it all.
    site.advance(Span::secs(1));
    site.pause_team(None, None);
    site.resume_team(None);
    site.stand(&[mine, parks, other], &["paused", "starting", "running"]);
    assert!(site.job(parks).resume);
}

#[test]
fn everything_paused_starts_nothing_and_may_lift_by_itself() {
    let mut site = Site::new(4, 0);
    site.pause_team(None, Some(site.in_(Span::mins(5))));
    let jobs = [site.submit(|_| {}), site.submit(|job| job.team = "ml".into())];
    site.stand(&jobs, &["queued", "queued"]);
    assert!(site.because(jobs[0]).starts_with("all_paused"));
    site.advance(Span::mins(5));
    site.stand(&jobs, &["starting", "starting"]);
    assert!(site.world.paused().is_none());
}

#[test]
fn a_team_is_paused_with_a_reason_until_a_time_to_come_and_must_exist() {
    let mut site = Site::new(4, 0);
    let mut refused = |team: Option<&str>, until, reason: &str| {
        let (team, reason) = (team.map(Into::into), reason.to_owned());
        site.attempt(Command::Pause { team, until, reason, by: owner() }).unwrap_err().code
    };
    assert_eq!(refused(None, None, " "), RefusalCode::Usage);
    assert_eq!(refused(None, Some(holdshort::base::Wall(0)), "x"), RefusalCode::Usage);
    assert_eq!(refused(Some("nobody"), None, "x"), RefusalCode::NotFound);
}
