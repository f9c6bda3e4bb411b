//! Services: they start again, keep a baseline, and grow and shrink by their own word.

use holdshort::base::{JobId, Span};
use holdshort::model::command::{Command, Report};
use holdshort::model::finding::{Level, Signal};
use holdshort::model::job::{Cause, Exit, Gang, Outcome, Service, State, StopFor, TaskState};
use holdshort::model::reason::Numbers;
use holdshort::model::refusal::RefusalCode;
use holdshort::sched::health::{self, Signals};

use super::world::{Site, inside, owner, person};

fn service(site: &mut Site, gang: Gang, baseline: u32) -> JobId {
    let job = site.submit(|job| {
        let health = Some("true".into());
        job.service = Some(Box::new(Service { health, baseline, ..Service::default() }));
        job.gang = gang;
        job.preemptible = true;
    });
    site.start(job);
    job
}

fn pause(site: &Site, job: JobId) -> Span {
    match site.state(job) {
        State::Waiting(Cause::Backoff(until)) => until.since(site.at.wall),
        state => panic!("{state:?}"),
    }
}

fn running(site: &Site, job: JobId) -> usize {
    site.tasks(job, |state| matches!(state, TaskState::Starting | TaskState::Running)).len()
}

fn scale(site: &mut Site, job: JobId, size: u32) -> Result<(), RefusalCode> {
    let report = Report::Scale { size };
    let command = Command::Report { job, report, by: inside(job) };
    site.attempt(command).map(drop).map_err(|refusal| refusal.code)
}

#[test]
fn a_service_starts_again_however_it_ends_and_slower_while_its_runs_are_short() {
    let mut site = Site::new(2, 0);
    let job = service(&mut site, Gang::ONE, 0);
    for (exit, seconds) in [(Exit::Code(0), 1), (Exit::Code(3), 2), (Exit::Unknown, 4)] {
        site.exit(job, &exit);
        assert_eq!(pause(&site, job), Span::secs(seconds));
        site.advance(Span::secs(seconds));
        site.start(job);
        site.stand(&[job], &["running"]);
    }
    site.advance(Span::mins(5));
    site.exit(job, &Exit::Signal(11));
    assert_eq!(pause(&site, job), Span::secs(1), "a long run makes good");
    site.cancel(job);
    assert_eq!(site.outcome(job), Outcome::Cancelled);
}

#[test]
fn one_that_cannot_be_started_ends_and_a_paused_one_waits_for_its_person() {
    let mut site = Site::new(2, 0);
    let broken = service(&mut site, Gang::ONE, 0);
    site.exit(broken, &Exit::NotStarted("no such file".into()));
    assert!(matches!(site.state(broken), State::Ended(Outcome::Failed(_))));
    let job = service(&mut site, Gang::ONE, 0);
    site.pause(job);
    site.exit(job, &Exit::Code(1));
    site.stand(&[job], &["paused"]);
    site.resume(job);
    site.start(job);
    site.stand(&[job], &["running"]);
}

#[test]
fn three_bad_checks_in_a_row_are_a_finding_and_a_restart() {
    let mut site = Site::new(2, 0);
    let job = service(&mut site, Gang::ONE, 0);
    let mut signals = Signals::default();
    let mut answers = [true, false, false, true, false, false, false].into_iter();
    let mut asked = 0;
    while site.word(job) == "running" {
        for task in health::due_checks(&site.world, &mut signals, site.at) {
            asked += 1;
            signals.checked(task, answers.next().unwrap(), "exit 7".into());
        }
        let (commands, next) = health::scan(&site.world, &signals, site.at);
        commands.into_iter().for_each(|command| drop(site.run(command)));
        let next = next.map_or(Span::secs(1), |next| next.since(site.at.now));
        if site.word(job) == "running" {
            site.advance(next);
        }
    }
    assert_eq!(asked, 7);
    assert_eq!(site.state(job), State::Stopping(StopFor::Unhealthy));
    let finding = &site.job(job).findings[&Signal::Unhealthy];
    assert_eq!(finding.level, Level::Stuck);
    assert_eq!(finding.evidence.get("said"), Some(&"exit 7".into()));
    site.exit(job, &Exit::Signal(15));
    assert_eq!(pause(&site, job), Span::secs(1));
    assert!(site.job(job).findings.is_empty());
    // Late news of the run that is over changes nothing.
    let (signal, level, evidence) = (Signal::Unhealthy, Some(Level::Stuck), Numbers::new());
    site.run(Command::Find { job, signal, level, evidence });
    assert!(matches!(site.state(job), State::Waiting(_)));
}

#[test]
fn the_baseline_is_never_taken_and_the_surplus_is() {
    let mut site = Site::new(4, 0);
    let job = service(&mut site, Gang { size: 4, min: 1 }, 3);
    assert_eq!(running(&site, job), 4);
    let urgent = site.submit_many(2, |job| job.priority = 900);
    let given = site.tasks(job, |state| state == TaskState::Stopping);
    assert_eq!((given.len(), running(&site, job)), (1, 3));
    given.iter().for_each(|task| site.end_rank(job, task.rank, Exit::Signal(15)));
    site.start_all();
    let words = [site.word(urgent[0]), site.word(urgent[1])];
    assert_eq!(words, ["running", "queued"]);
    assert_eq!(site.word(job), "running");
}

#[test]
fn a_service_grows_and_shrinks_by_its_own_word_between_its_bounds() {
    let mut site = Site::new(8, 0);
    let job = service(&mut site, Gang { size: 4, min: 2 }, 0);
    assert_eq!(running(&site, job), 4);
    scale(&mut site, job, 2).unwrap();
    let given = site.tasks(job, |state| state == TaskState::Stopping);
    assert_eq!(given.iter().map(|task| task.rank).collect::<Vec<_>>(), [2, 3]);
    given.iter().for_each(|task| site.end_rank(job, task.rank, Exit::Signal(15)));
    assert_eq!((running(&site, job), site.word(job)), (2, "running"));
    site.advance(Span::mins(1));
    assert_eq!(running(&site, job), 2, "nobody follows them");
    scale(&mut site, job, 3).unwrap();
    site.start(job);
    assert_eq!(running(&site, job), 3);
    scale(&mut site, job, 3).unwrap();
    assert!(site.facts.is_empty());
    for size in [1, 5] {
        assert_eq!(scale(&mut site, job, size), Err(RefusalCode::Usage));
    }
    scale(&mut site, job, 4).unwrap();
    assert_eq!(running(&site, job), 4, "its size at submission is still its most");
    // What waits for room is taken back first.
    let mut full = Site::new(2, 0);
    let job = service(&mut full, Gang { size: 4, min: 1 }, 0);
    assert_eq!(running(&full, job), 2);
    scale(&mut full, job, 2).unwrap();
    assert_eq!(running(&full, job), 2);
    assert_eq!(full.job(job).tasks.len(), 2);
}

#[test]
fn only_a_service_scales_and_only_by_its_own_or_its_owner() {
    let mut site = Site::new(4, 0);
    let plain = site.submit(|job| job.gang = Gang { size: 2, min: 1 });
    assert_eq!(scale(&mut site, plain, 1), Err(RefusalCode::Conflict));
    let job = service(&mut site, Gang { size: 2, min: 1 }, 0);
    let by = |by| Command::Report { job, report: Report::Scale { size: 1 }, by };
    let refused = [inside(plain), person("vera", 1)].map(|who| site.attempt(by(who)).is_err());
    assert_eq!(refused, [true, true]);
    site.run(by(owner()));
}
