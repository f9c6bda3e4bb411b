//! The other verbs: cancel, requeue, set, ack, drain, and submissions that are refused or
//! repeated.

use holdshort::base::{JobId, Span};
use holdshort::model::command::{Act, Change, Command, Key, Submit, Verb};
use holdshort::model::job::{DependencyKind, Exit, Gang, Outcome};
use holdshort::model::refusal::RefusalCode;

use super::world::{Site, after, owner, spec, submit};

/// A job in each state in which a job can live.
fn in_every_state(site: &mut Site) -> Vec<(JobId, &'static str)> {
    let starting = site.submit(|_| {});
    let running = site.submit(|_| {});
    site.start(running);
    let frozen = site.submit(|_| {});
    site.start(frozen);
    site.pause(frozen);
    let parked = site.submit(|job| job.resumable = true);
    site.start(parked);
    site.pause(parked);
    site.end(parked, 75);
    let parking = site.submit(|job| job.resumable = true);
    site.start(parking);
    site.pause(parking);
    let backoff = site.submit(|job| job.retry = 1);
    site.start(backoff);
    site.end(backoff, 1);
    let waiting = site.submit(|job| job.after = vec![after(running, DependencyKind::Ok)]);
    let timed = site.submit(|job| job.start_at = Some(site_end()));
    let queued = site.submit(|job| job.request.cpu_milli = 64_000);
    let held = site.submit(|job| job.request.cpu_milli = 64_000);
    site.pause(held);
    let thawing = site.submit(|job| job.request.cpu_milli = 4000);
    site.start(thawing);
    site.pause(thawing);
    let filler = site.submit(|job| job.request.cpu_milli = 4000);
    site.start(filler);
    site.resume(thawing);
    let jobs = vec![
        (starting, "starting"),
        (running, "running"),
        (frozen, "paused"),
        (parked, "paused"),
        (parking, "stopping"),
        (backoff, "waiting"),
        (waiting, "waiting"),
        (timed, "waiting"),
        (queued, "queued"),
        (held, "paused"),
        (thawing, "queued"),
    ];
    for (job, word) in &jobs {
        site.stand(&[*job], &[*word]);
    }
    jobs
}

fn site_end() -> holdshort::base::Wall {
    holdshort::base::Wall(i64::MAX)
}

#[test]
fn cancel_ends_a_job_in_every_state() {
    let mut all = Site::new(8, 0);
    for (job, was) in in_every_state(&mut all) {
        let mut site = all.clone();
        site.cancel(job);
        if site.word(job) == "stopping" {
            site.cancel(job);
            site.exit(job, &holdshort::model::job::Exit::Signal(15));
        }
        assert_eq!(site.outcome(job), Outcome::Cancelled, "it was {was}");
        assert!(site.job(job).active_tasks().next().is_none());
        let again = site.try_act(owner(), &[job], Verb::Cancel { reason: None });
        assert_eq!(again.unwrap_err().code, RefusalCode::Conflict);
    }
}

#[test]
fn pause_and_resume_bring_a_job_in_every_state_to_an_end() {
    let mut all = Site::new(8, 0);
    for (job, was) in in_every_state(&mut all) {
        let mut site = all.clone();
        site.pause(job);
        site.exit(job, &holdshort::model::job::Exit::Signal(15));
        if site.job(job).is_live() {
            site.stand(&[job], &["paused"]);
            site.resume(job);
            assert!(site.job(job).hold.is_none(), "it was {was}");
        }
    }
}

#[test]
fn cancelling_several_cancels_those_that_depend_on_the_others_too() {
    let mut site = Site::new(1, 0);
    let first = site.submit(|job| job.start_at = Some(site_end()));
    let second = site.submit(|job| job.after = vec![after(first, DependencyKind::Ok)]);
    let jobs = [first, second, first];
    site.try_act(owner(), &jobs, Verb::Cancel { reason: None }).unwrap();
    site.stand(&[first, second], &["cancelled", "cancelled"]);
}

#[test]
fn an_act_on_several_does_all_or_nothing() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    let verb = Verb::Cancel { reason: None };
    let refusal = site.try_act(owner(), &[job, JobId(99)], verb.clone()).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::NotFound);
    site.stand(&[job], &["starting"]);
    assert_eq!(site.try_act(owner(), &[], verb).unwrap_err().code, RefusalCode::Usage);
}

#[test]
fn requeue_needs_a_declared_way_back_and_a_run() {
    let mut site = Site::new(2, 0);
    let none = site.submit(|_| {});
    let back = site.submit(|job| job.requeue = true);
    let queued = site.submit(|job| job.requeue = true);
    site.start_all();
    let mut refused = |job| site.try_act(owner(), &[job], Verb::Requeue).unwrap_err();
    assert!(refused(none).what.contains("nothing says how"));
    assert!(refused(queued).what.contains("does not run"));
    site.act(back, Verb::Requeue);
    site.act(back, Verb::Requeue);
    site.stand(&[back], &["stopping"]);
    site.exit(back, &holdshort::model::job::Exit::Signal(15));
    site.stand(&[back, queued], &["starting", "queued"]);
    assert_eq!((site.job(back).attempt, site.job(back).resume), (2, false));
}

#[test]
fn requeue_cuts_the_pause_before_a_retry_short() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|job| job.retry = 1);
    site.start(job);
    site.end(job, 1);
    site.stand(&[job], &["waiting"]);
    site.act(job, Verb::Requeue);
    site.stand(&[job], &["starting"]);
}

#[test]
fn requeue_while_paused_parks_it_without_its_processes() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.requeue = true);
    site.start(job);
    site.pause(job);
    assert!(site.job(job).frozen);
    site.act(job, Verb::Requeue);
    site.exit(job, &holdshort::model::job::Exit::Signal(15));
    site.stand(&[job], &["paused"]);
    assert_eq!((site.job(job).frozen, site.holding().len()), (false, 0));
}

#[test]
fn set_changes_priority_and_team_of_a_queued_job_and_checks_them() {
    let mut site = Site::new(1, 0);
    let jobs = site.submit_many(3, |_| {});
    site.set(jobs[2], Change { priority: Some(999), ..Change::default() });
    site.set(jobs[1], Change { team: Some("ml".into()), ..Change::default() });
    assert_eq!(&*site.job(jobs[1]).spec.team, "ml");
    assert_eq!(site.why(jobs[2]).position, Some(1));
    let mut refused = |change| {
        let verb = Verb::Set(change);
        site.try_act(owner(), &[jobs[1]], verb).unwrap_err().code
    };
    let priority = Change { priority: Some(1001), ..Change::default() };
    assert_eq!(refused(priority), RefusalCode::Usage);
    let team = Change { team: Some("nobody".into()), ..Change::default() };
    assert_eq!(refused(team), RefusalCode::NotFound);
    site.set(jobs[1], Change::default());
    assert_eq!(site.facts, [], "nothing asked, nothing changed");
}

#[test]
fn a_drained_node_takes_nothing_new_and_lets_what_is_there_go_on() {
    let mut site = Site::new(2, 0);
    let running = site.submit(|_| {});
    let frozen = site.submit(|_| {});
    site.start_all();
    site.pause(frozen);
    site.drain("n1", true);
    let queued = site.submit(|_| {});
    site.stand(&[running, queued], &["running", "queued"]);
    assert_eq!(site.because(queued), "nodes_unavailable node=n1");
    site.resume(frozen);
    site.stand(&[frozen], &["running"]);
    site.node("n2", 1, 8, 0);
    site.stand(&[queued], &["starting"]);
    site.end(running, 0);
    let next = site.submit(|_| {});
    site.drain("n1", false);
    site.stand(&[next], &["starting"]);
    let nowhere = Command::Drain { node: "n9".into(), on: true, reason: None, by: owner() };
    assert_eq!(site.attempt(nowhere).unwrap_err().code, RefusalCode::NotFound);
}

#[test]
fn a_gang_does_not_grow_onto_a_drained_node() {
    let mut site = Site::new(1, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 2, min: 1 });
    site.start_all();
    site.drain("n1", true);
    site.node("n1", 4, 64, 0);
    assert_eq!(site.job(gang).active_tasks().count(), 1);
    site.drain("n1", false);
    assert_eq!(site.job(gang).active_tasks().count(), 2);
}

#[test]
fn the_same_key_gives_the_same_answer_and_another_request_is_refused() {
    let mut site = Site::new(4, 0);
    let key = |body: &str| Some(Key { key: "1000 k".into(), body: body.into() });
    let jobs = vec![spec(), spec()];
    let request = |body| Submit { key: key(body), ..submit(jobs.clone(), owner()) };
    let first = site.run(Command::Submit(request("aa")));
    let again = site.run(Command::Submit(request("aa")));
    assert_eq!(first, again);
    assert_eq!(site.facts, [], "the repetition is no news");
    let other = site.attempt(Command::Submit(request("bb"))).unwrap_err();
    assert_eq!(other.code, RefusalCode::KeyReused);
    site.advance(Span::hours(25));
    let late = site.run(Command::Submit(request("bb")));
    assert_ne!(first, late, "a key is forgotten after a day");
}

#[test]
fn an_act_with_a_key_is_done_once() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|_| {});
    let key = Key { key: "1000 a".into(), body: "x".into() };
    let verb = Verb::Cancel { reason: None };
    let act = Act { jobs: vec![job], verb, by: owner(), key: Some(key) };
    site.run(Command::Act(act.clone()));
    site.exit(job, &holdshort::model::job::Exit::Signal(15));
    site.run(Command::Act(act));
    assert_eq!(site.facts, [], "else it would be refused: the job has ended");
}

#[test]
fn a_refusal_says_what_and_changes_nothing() {
    type Edit = fn(&mut holdshort::model::JobSpec);
    let table: &[(Edit, RefusalCode, &str)] = &[
        (|job| job.gang = Gang { size: 0, min: 0 }, RefusalCode::Usage, "a gang of 0"),
        (|job| job.gang = Gang { size: 9999, min: 1 }, RefusalCode::Usage, "a gang of 9999"),
        (|job| job.gang = Gang { size: 2, min: 3 }, RefusalCode::Usage, "--min 3 with --gang 2"),
        (|job| job.priority = 1001, RefusalCode::Usage, "priority 1001 is out of range"),
        (|job| job.team = "x".into(), RefusalCode::NotFound, "there is no team x"),
        (|job| job.request.gpu_milli = 2500, RefusalCode::Usage, "more than one GPU"),
    ];
    let mut site = Site::new(4, 0);
    for (edit, code, what) in table {
        let refusal = site.try_submit(owner(), edit).unwrap_err();
        assert_eq!(refusal.code, *code);
        assert!(refusal.what.contains(what), "{refusal}");
    }
    let nothing = site.attempt(Command::Submit(submit(Vec::new(), owner()))).unwrap_err();
    assert_eq!(nothing.code, RefusalCode::Usage);
    let mixed = vec![spec(), holdshort::model::JobSpec { priority: 2000, ..spec() }];
    site.attempt(Command::Submit(submit(mixed, owner()))).unwrap_err();
    assert_eq!(site.submit(|_| {}), JobId(1), "no number is used up");
}

#[test]
fn what_could_never_start_waits_with_a_finding_until_there_is_room() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|job| job.request.cpu_milli = 8000);
    assert_eq!(site.because(job), "never_fits largest_cpu_milli=4000 need_cpu_milli=8000");
    assert_eq!(site.job(job).findings.len(), 1);
    assert_eq!(site.world.index().counts().stuck, 1);
    site.node("n1", 8, 64, 0);
    assert_eq!(site.job(job).findings.len(), 0);
    site.stand(&[job], &["starting"]);
}

#[test]
fn must_fit_is_refused_at_once_and_ends_when_the_room_vanishes() {
    let mut site = Site::new(4, 0);
    let must = |cpu| {
        move |job: &mut holdshort::model::JobSpec| {
            job.must_fit = true;
            job.request.cpu_milli = cpu;
        }
    };
    let refusal = site.try_submit(owner(), must(5000)).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::NeverFits);
    assert!(refusal.what.ends_with("it needs 5 cores, the largest node has 4"), "{refusal}");
    let running = site.submit(must(4000));
    let queued = site.submit(must(4000));
    let small = site.submit(must(1000));
    site.start(running);
    site.node("n1", 2, 64, 0);
    site.stand(&[running, queued, small], &["running", "failed", "queued"]);
    use holdshort::model::job::FailureClass::NeverFits;
    assert_eq!(site.outcome(queued), Outcome::Failed(NeverFits));
}

#[test]
fn a_job_that_comes_back_to_less_room_than_it_needs_is_found_out() {
    let mut site = Site::new(4, 0);
    let job = site.submit(|job| {
        job.requeue = true;
        job.request.cpu_milli = 4000;
    });
    site.start(job);
    site.node("n1", 2, 64, 0);
    assert!(site.job(job).findings.is_empty(), "it runs");
    site.act(job, Verb::Requeue);
    site.end(job, 143);
    site.stand(&[job], &["queued"]);
    assert_eq!(site.world.index().counts().stuck, 1);
}

#[test]
fn ended_jobs_are_forgotten_oldest_first_beyond_the_bound() {
    let mut site = Site::new(1, 0);
    site.configure(|setup| setup.defaults.keep_ended = 8);
    let jobs = site.submit_many(10, |_| {});
    for job in &jobs {
        site.start(*job);
        site.end(*job, 0);
    }
    let left: Vec<JobId> = site.world.jobs().map(|job| job.id).collect();
    assert_eq!(left, jobs[2..]);
    assert_eq!(site.submit(|_| {}), JobId(11), "numbers are never used again");
}

#[test]
fn acknowledging_trouble_is_not_acknowledging_the_end() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.request.cpu_milli = 9000);
    assert_eq!(site.world.index().counts().stuck, 1);
    site.act(job, Verb::Ack);
    assert_eq!(site.world.index().counts().stuck, 0);
    site.cancel(job);
    assert_eq!(site.job(job).acked, None);
    site.act(job, Verb::Ack);
    assert_eq!(site.job(job).acked.as_deref(), Some("owner"));
}

#[test]
fn a_scheduled_cancellation_takes_effect_by_itself_and_can_be_taken_back_until_then() {
    let mut site = Site::new(2, 0);
    let [kept, gone, queued] =
        [site.submit(|_| {}), site.submit(|_| {}), site.submit(|job| job.request.cpu_milli = 2000)];
    for job in [kept, gone] {
        site.start(job);
    }
    let soon = |after| Verb::CancelIn { after, reason: None };
    for job in [kept, gone, queued] {
        site.act(job, soon(Span::secs(5)));
    }
    site.act(gone, soon(Span::secs(50)));
    site.stand(&[kept, gone, queued], &["running", "running", "queued"]);
    site.act(kept, Verb::Keep);
    assert_eq!(site.try_act(owner(), &[kept], Verb::Keep).unwrap_err().code, RefusalCode::Conflict);
    site.advance(Span::secs(5));
    site.stand(&[kept, gone, queued], &["running", "stopping", "cancelled"]);
    site.exit(gone, &Exit::Signal(15));
    site.stand(&[gone], &["cancelled"]);
    let refused = site.try_act(owner(), &[kept], soon(Span::hours(1))).unwrap_err();
    assert_eq!(refused.code, RefusalCode::Usage);
}

#[test]
fn a_reason_is_journalled_with_who_said_it_before_what_it_explains() {
    use holdshort::model::Fact;
    let mut site = Site::new(1, 0);
    let runs = site.submit(|job| job.requeue = true);
    site.start(runs);
    let waits = site.submit(|_| {});
    let why = || Some("demo at noon".to_owned());
    let change = Change { priority: Some(300), ..Change::default() };
    for (job, verb) in [(waits, Verb::Next), (waits, Verb::Set(change)), (runs, Verb::Preempt)] {
        site.act(job, verb.because(why()));
        let said = matches!(&site.facts[0], Fact::ReasonGiven { job: about, by, reason }
            if *about == job && &**by == "owner" && reason == "demo at noon");
        assert!(said && site.facts.len() > 1, "{:?}", site.facts);
    }
    let empty = Verb::Next.because(Some(" ".to_owned()));
    let refusal = site.try_act(owner(), &[waits], empty).unwrap_err();
    assert_eq!(refusal.what, "the reason is empty");
}
