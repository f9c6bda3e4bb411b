//! The simulation as a whole.

use super::*;
use crate::model::command::{Act, Verb};
use crate::model::job::{Outcome, State};
use crate::sim::voice::Voice;

fn day(seed: u64, span: Span) -> Fleet {
    let mut fleet = Fleet::new(seed, &Scale::BUSY);
    fleet.advance(fleet.at().now + span);
    fleet.check();
    fleet
}

fn all(fleet: &Fleet) -> Vec<Record> {
    fleet.records(0, usize::MAX).map(|record| Record::clone(record)).collect()
}

#[test]
fn the_same_seed_gives_the_same_records_and_another_seed_others() {
    let span = Span::hours(3);
    let one = day(1, span);
    assert_eq!(all(&one), all(&day(1, span)));
    assert_ne!(all(&one), all(&day(2, span)));
}

#[test]
fn how_finely_time_is_cut_changes_nothing() {
    let whole = day(5, Span::hours(2));
    let mut pieces = Fleet::new(5, &Scale::BUSY);
    let end = pieces.at().now + Span::hours(2);
    while pieces.at().now < end {
        let to = (pieces.at().now + Span(77_777)).min(end);
        while !pieces.advance_steps(to, 3) {}
    }
    assert_eq!(all(&pieces), all(&whole));
}

#[test]
fn a_busy_day_breaks_no_rule_and_sees_everything() {
    let mut fleet = day(3, Span::hours(24));
    assert_eq!(fleet.faults(), &[] as &[String]);
    let words: std::collections::BTreeSet<&str> =
        all(&fleet).iter().flat_map(|record| &record.facts).map(Fact::word).collect();
    for word in [
        "job_submitted",
        "job_waits",
        "job_held",
        "job_frozen",
        "job_thawed",
        "at_prompt",
        "prompt_over",
        "found",
        "finding_over",
        "retry_counted",
        "team_paused",
        "node_drained",
        "gpu_foreign",
        "rate_used",
        "job_forgotten",
        "job_reported",
        "job_moved_up",
        "down",
    ] {
        assert!(words.contains(word), "{word} among {words:?}");
    }
    let outcomes: std::collections::BTreeSet<&str> =
        fleet.world().jobs().map(|job| job.state.word()).collect();
    for outcome in ["succeeded", "failed", "cancelled", "timed_out", "lost"] {
        assert!(outcomes.contains(outcome), "{outcome} among {outcomes:?}");
    }
    assert!(fleet.seq() > 5_000, "{}", fleet.seq());
    let counts = fleet.world().index().counts();
    assert!(counts.running > 5, "{counts:?}");
    stays_bounded(&fleet);
    fleet.forget_records();
    assert_eq!(fleet.records(0, 10).count(), 0);
}

fn stays_bounded(fleet: &Fleet) {
    let keep = fleet.world().setup().defaults.keep_ended as u64;
    let live = fleet.world().job_count() - fleet.world().index().counts().ended;
    // Ended jobs that others wait for stay longer.
    assert!(fleet.world().job_count() <= keep + keep / 8 + 2 * live + 1);
    assert!(fleet.programs.len() <= 2048 && fleet.archive.len() <= ARCHIVE_MAX);
    assert!(fleet.conducts.len() as u64 <= fleet.world().job_count() + 1);
    let known = |task: &TaskId| fleet.world().job(task.job).is_some();
    assert!(fleet.processes.keys().all(known));
}

fn calm(play: &Play) -> (Fleet, JobId) {
    let mut fleet = Fleet::new(1, &Scale::BOX);
    fleet.play(play);
    let id = fleet.world().jobs().last().unwrap().id;
    (fleet, id)
}

fn state(fleet: &Fleet, id: JobId) -> State {
    fleet.job(id).unwrap().state.clone()
}

fn act(fleet: &mut Fleet, id: JobId, verb: Verb) {
    let by = site::person(site::OWNER);
    fleet.command(Command::Act(Act { jobs: vec![id], verb, by, key: None })).unwrap();
}

fn wait(fleet: &mut Fleet, span: Span) {
    fleet.advance(fleet.at().now + span);
}

#[test]
fn a_question_stands_until_it_is_answered_and_the_job_goes_on() {
    let conduct = Conduct::of(Voice::Agent, Span::mins(2));
    let play = Play::new("a", "web", "bob", "claude", conduct);
    let (mut fleet, id) = calm(&play.asks(Span::mins(1), "A or B?", None));
    wait(&mut fleet, Span::hours(5));
    assert_eq!(fleet.job(id).unwrap().prompt.as_ref().unwrap().text, "A or B?");
    let task = TaskId { job: id, attempt: 1, rank: 0 };
    assert!(fleet.type_in(task, "A\r"));
    act(&mut fleet, id, Verb::Answered);
    wait(&mut fleet, Span::mins(2));
    assert_eq!(state(&fleet, id), State::Ended(Outcome::Succeeded));
}

#[test]
fn a_question_comes_back_after_a_freeze() {
    let conduct = Conduct::of(Voice::Agent, Span::mins(2));
    let play = Play::new("a", "web", "bob", "claude", conduct);
    let (mut fleet, id) = calm(&play.asks(Span::mins(1), "A or B?", None));
    wait(&mut fleet, Span::mins(3));
    act(&mut fleet, id, Verb::Pause { until: None, reason: None });
    wait(&mut fleet, Span::mins(3));
    assert!(fleet.job(id).unwrap().frozen && fleet.job(id).unwrap().prompt.is_none());
    act(&mut fleet, id, Verb::Resume);
    assert!(fleet.job(id).unwrap().prompt.is_some());
}

#[test]
fn a_parked_job_continues_where_it_saved_itself() {
    let conduct = Conduct::of(Voice::Training, Span::mins(20));
    let play = Play::new("t", "ml", "dora", "train", conduct).resumable(Span::mins(3));
    let (mut fleet, id) = calm(&play);
    wait(&mut fleet, Span::mins(11));
    act(&mut fleet, id, Verb::Pause { until: None, reason: None });
    wait(&mut fleet, Span::mins(5));
    assert_eq!(state(&fleet, id), State::Paused);
    act(&mut fleet, id, Verb::Resume);
    wait(&mut fleet, Span::mins(10));
    let job = fleet.job(id).unwrap();
    assert_eq!((job.state.word(), job.attempt), ("succeeded", 2));
}

#[test]
fn silence_is_found_and_output_is_none() {
    let conduct = Conduct::of(Voice::Crawl, Span::hours(1));
    let (mut fleet, id) = calm(&Play::new("c", "ml", "dora", "crawl", conduct).quiet());
    wait(&mut fleet, Span::mins(6));
    let job = fleet.job(id).unwrap();
    let found = job.findings.values().next().unwrap();
    assert_eq!((found.signal.word(), found.level.word()), ("never_started", "stuck"));
    assert_eq!(fleet.world().index().counts().stuck, 1);
}

#[test]
fn a_copy_behaves_like_the_original() {
    let conduct = Conduct::of(Voice::Sync, Span::mins(1));
    let play = Play::new("s", "ops", "carl", "sync", conduct).ends(Exit::Code(3), "401");
    let (mut fleet, id) = calm(&play);
    wait(&mut fleet, Span::mins(2));
    let by = site::person(site::OWNER);
    let copy = fleet.again(id, &Default::default(), by).unwrap();
    wait(&mut fleet, Span::mins(2));
    assert_eq!(fleet.job(copy).unwrap().exit, Some(Exit::Code(3)));
    assert_eq!(fleet.job(copy).unwrap().spec.program, fleet.job(id).unwrap().spec.program);
}
