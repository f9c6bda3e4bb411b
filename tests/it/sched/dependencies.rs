//! `--after` and `--start-at`.

use holdshort::base::{JobId, Span};
use holdshort::model::Fact;
use holdshort::model::command::{Command, Submit};
use holdshort::model::job::{Dependency, DependencyKind, FailureClass, JobSpec, Outcome};
use holdshort::model::refusal::RefusalCode;

use super::world::{Site, after, owner, spec, submit};
use DependencyKind::{Any, Failed, Ok};

const BROKEN: Outcome = Outcome::Failed(FailureClass::Dependency);

#[test]
fn each_kind_waits_for_its_end() {
    for (code, kind, goes) in [
        (0, Ok, true),
        (0, Any, true),
        (0, Failed, false),
        (1, Ok, false),
        (1, Any, true),
        (1, Failed, true),
    ] {
        let mut site = Site::new(2, 0);
        let first = site.submit(|_| {});
        let second = site.submit(|job| job.after = vec![after(first, kind)]);
        site.stand(&[second], &["waiting"]);
        assert_eq!(site.because(second), "after_jobs jobs=1");
        site.start(first);
        site.end(first, code);
        if goes {
            site.stand(&[second], &["starting"]);
        } else {
            assert_eq!(site.outcome(second), BROKEN, "{code} {kind:?}");
            assert_eq!(site.because(second), "dependency_failed jobs=1");
        }
    }
}

#[test]
fn a_cancelled_job_counts_as_not_succeeded() {
    let mut site = Site::new(2, 0);
    let first = site.submit(|_| {});
    let on_failure = site.submit(|job| job.after = vec![after(first, Failed)]);
    let on_success = site.submit(|job| job.after = vec![after(first, Ok)]);
    site.start(first);
    site.cancel(first);
    site.end(first, 143);
    site.stand(&[on_failure, on_success], &["starting", "failed"]);
}

#[test]
fn all_that_are_named_must_end() {
    let mut site = Site::new(4, 0);
    let firsts = site.submit_many(3, |_| {});
    let last = site.submit(|job| job.after = firsts.iter().map(|id| after(*id, Any)).collect());
    site.start_all();
    site.end(firsts[1], 0);
    site.end(firsts[2], 5);
    assert_eq!(site.because(last), "after_jobs jobs=1");
    site.end(firsts[0], 0);
    site.stand(&[last], &["starting"]);
}

#[test]
fn a_failure_runs_down_the_chain_and_any_stops_it() {
    let mut site = Site::new(2, 0);
    let first = site.submit(|_| {});
    let chain =
        |site: &mut Site, on: JobId, kind| site.submit(|job| job.after = vec![after(on, kind)]);
    let second = chain(&mut site, first, Ok);
    let third = chain(&mut site, second, Ok);
    let caught = chain(&mut site, third, Failed);
    let cleaned = chain(&mut site, caught, Any);
    site.start(first);
    site.end(first, 1);
    site.stand(&[second, third, caught, cleaned], &["failed", "failed", "starting", "waiting"]);
}

#[test]
fn a_job_with_two_broken_dependencies_ends_once() {
    let mut site = Site::new(2, 0);
    let first = site.submit(|_| {});
    let second = site.submit(|job| job.after = vec![after(first, Ok)]);
    let both = site.submit(|job| job.after = vec![after(first, Ok), after(second, Ok)]);
    site.start(first);
    site.end(first, 1);
    let ended = |fact: &&Fact| matches!(fact, Fact::JobEnded { job, .. } if *job == both);
    assert_eq!(site.facts.iter().filter(ended).count(), 1);
}

#[test]
fn a_very_long_chain_fails_without_running_out_of_stack() {
    let mut site = Site::new(1, 0);
    let first = site.submit(|_| {});
    site.start(first);
    let job = |id: u64| JobSpec { after: vec![after(JobId(id), Ok)], ..spec() };
    let mut last = first;
    let mut world = site.world.clone();
    for id in 1..3_000 {
        let command = Command::Submit(submit(vec![job(id)], owner()));
        let decision = holdshort::sched::decide(&world, &command, site.at).unwrap();
        last = decision.jobs[0];
        world = decision.world;
    }
    site.world = world;
    let small = std::thread::Builder::new().stack_size(512 * 1024);
    let ended = small.spawn(move || {
        let task = holdshort::base::TaskId { job: first, attempt: 1, rank: 0 };
        let exit = holdshort::model::job::Exit::Code(1);
        let event = holdshort::model::command::TaskEvent::Ended { exit };
        let command = Command::Task { task, event };
        holdshort::sched::decide(&site.world, &command, site.at).unwrap().world
    });
    let world = ended.unwrap().join().unwrap();
    assert_eq!(world.job(last).unwrap().state.word(), "failed");
}

#[test]
fn what_has_ended_already_counts_and_the_wrong_end_is_refused() {
    let mut site = Site::new(2, 0);
    let first = site.submit(|_| {});
    site.start(first);
    site.end(first, 1);
    let any = site.submit(|job| job.after = vec![after(first, Any)]);
    site.stand(&[any], &["starting"]);
    let refusal = site.try_submit(owner(), |job| job.after = vec![after(first, Ok)]).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Conflict);
    assert!(refusal.what.contains("job 1 has ended already (failed)"), "{refusal}");
}

#[test]
fn summaries_speak_for_jobs_that_left_the_world() {
    let mut site = Site::new(2, 0);
    site.configure(|setup| setup.defaults.keep_ended = 0);
    let gone = site.submit(|_| {});
    site.start(gone);
    site.end(gone, 1);
    assert!(site.world.job(gone).is_none());
    let on = |kind, ended: &[(JobId, Outcome)]| {
        let job = JobSpec { after: vec![after(gone, kind)], ..spec() };
        Command::Submit(Submit { ended: ended.to_vec(), ..submit(vec![job], owner()) })
    };
    let failed = [(gone, Outcome::Failed(FailureClass::Exit))];
    let next = site.run(on(Failed, &failed))[0];
    site.stand(&[next], &["starting"]);
    let refused = |command| site.clone().attempt(command).unwrap_err().code;
    assert_eq!(refused(on(Ok, &failed)), RefusalCode::Conflict);
    assert_eq!(refused(on(Any, &[])), RefusalCode::NotFound);
}

#[test]
fn an_ended_job_stays_in_the_world_while_a_live_one_waits_for_it() {
    let mut site = Site::new(2, 0);
    site.configure(|setup| setup.defaults.keep_ended = 0);
    let [first, second] = [site.submit(|_| {}), site.submit(|_| {})];
    let last = site.submit(|job| job.after = vec![after(first, Failed), after(second, Ok)]);
    site.start_all();
    site.end(first, 1);
    assert!(site.world.job(first).is_some());
    site.pause(last);
    site.end(second, 0);
    site.resume(last);
    site.start_all();
    site.end(last, 0);
    assert_eq!(site.world.jobs().count(), 0);
}

#[test]
fn an_unknown_number_and_the_jobs_own_are_refused() {
    let mut site = Site::new(2, 0);
    for id in [1, 7] {
        let on = Dependency { job: JobId(id), kind: Any };
        let refusal = site.try_submit(owner(), |job| job.after = vec![on]).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::NotFound);
    }
    assert_eq!(site.submit(|_| {}), JobId(1), "a refusal burns no number");
}

#[test]
fn start_at_waits_for_the_calendar_and_for_other_jobs_first() {
    let mut site = Site::new(2, 0);
    let first = site.submit(|_| {});
    let start = site.in_(Span::mins(10));
    let timed = site.submit(|job| job.start_at = Some(start));
    let both = site.submit(|job| {
        job.start_at = Some(start);
        job.after = vec![after(first, Ok)];
    });
    assert_eq!(site.because(timed), format!("start_at start_at={}", start.0));
    site.start(first);
    site.end(first, 0);
    assert!(site.because(both).starts_with("start_at"));
    site.advance(Span::mins(9));
    site.stand(&[timed, both], &["waiting", "waiting"]);
    site.advance(Span::mins(1));
    site.stand(&[timed, both], &["starting", "starting"]);
    let past = site.submit(|job| job.start_at = Some(start));
    site.stand(&[past], &["queued"]);
}
