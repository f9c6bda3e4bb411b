//! What was approved runs as a small job of its own, while the job that asked waits for its room.

use holdshort::base::{Digest, JobId, ReviewId, Span};
use holdshort::model::action::EffectClass::{External, Irreversible, Reversible};
use holdshort::model::command::{Report, Verb};
use holdshort::model::finding::Signal;
use holdshort::model::job::{Exit, Outcome, State};
use holdshort::model::refusal::RefusalCode;
use holdshort::model::review::{Ask, ReviewState, ReviewVerb, StepState, Verdict, Wait};
use holdshort::model::{Actor, Command};
use holdshort::sched::health::{Signals, scan};

use super::office::{Office, agent, ana, asks, carl, hold, refused, shell, vote, yes};

fn ask_for_step(office: &mut Office, job: JobId, ask: Ask) -> ReviewId {
    office.try_ask(job, Ask { step: Some(Digest::of(b"program")), ..ask }).unwrap()
}

/// A job that had the only GPU asked, was parked, and another has the GPU.
fn parked(office: &mut Office) -> (JobId, ReviewId, JobId) {
    let job = office.job_with(|job| job.request.gpu_milli = 1000);
    let review = ask_for_step(office, job, asks(Irreversible, Wait::Park));
    office.park(job);
    let other = office.site.try_submit(carl(), |job| job.request.gpu_milli = 1000).unwrap();
    office.site.start(other);
    (job, review, other)
}

/// As a console does.
fn approve_in_ten_seconds(office: &mut Office, review: ReviewId) {
    let mut verb = yes(&office.review(review).hash.to_string());
    if let ReviewVerb::Vote { undo, .. } = &mut verb {
        *undo = Span::secs(10);
    }
    office.act(ana(), review, verb).unwrap();
}

fn step_of(office: &Office, review: ReviewId) -> JobId {
    office.review(review).step.as_ref().unwrap().job
}

fn came_to(office: &Office, review: ReviewId) -> StepState {
    office.review(review).step.as_ref().unwrap().state.clone()
}

fn uses(office: &mut Office, by: Actor, review: ReviewId) -> Result<ReviewId, RefusalCode> {
    let hash = Some(office.review(review).hash);
    let verb = ReviewVerb::Redeem { hash, action: None, conditions: Default::default() };
    office.act(by, review, verb).map_err(|refusal| refusal.code)
}

#[test]
fn the_yes_makes_it_and_it_runs_beside_the_one_that_has_the_gpu() {
    let mut office = Office::new();
    let (job, review, other) = parked(&mut office);
    office.approve(ana(), review).unwrap();
    let step = step_of(&office, review);
    office.site.stand(&[job, other, step], &["queued", "running", "starting"]);
    let (parent, made) = (office.site.job(job).clone(), office.site.job(step).clone());
    assert_eq!((made.spec.parent, made.spec.step), (Some(job), Some(review)));
    assert_eq!((&made.owner, made.owner_uid), (&parent.owner, parent.owner_uid));
    assert_eq!((&made.spec.team, made.spec.priority), (&parent.spec.team, parent.spec.priority));
    assert_eq!((made.spec.request.gpu_milli, made.spec.request.cpu_milli), (0, 1000));
    assert!(!made.gives_way() && !made.has_way_back(), "it is never evicted and never repeated");
    office.site.start(step);
    assert_eq!(uses(&mut office, agent(step), review), Ok(review));
    assert_eq!(office.state(review), ReviewState::Redeemed);
    assert_eq!(came_to(&office, review), StepState::Runs);
    let spent = office.review(review).grant.as_ref().unwrap().spent[0];
    assert_eq!(spent.step, Some(step));
    assert_eq!(uses(&mut office, agent(step), review), Err(RefusalCode::Spent));
    office.site.end(step, 3);
    assert_eq!(came_to(&office, review), StepState::Done(3));
    office.site.end(other, 0);
    office.site.start(job);
    assert_eq!(uses(&mut office, agent(job), review), Err(RefusalCode::Spent));
    office.site.end(job, 0);
}

#[test]
fn a_step_may_use_this_one_right_and_nothing_else() {
    let mut office = Office::new();
    let (_, review, _) = parked(&mut office);
    let stranger = office.job();
    let plain = office.ask(stranger, External, hold());
    office.approve(ana(), plain).unwrap();
    office.approve(ana(), review).unwrap();
    let step = step_of(&office, review);
    assert_eq!(uses(&mut office, agent(stranger), review), Err(RefusalCode::Forbidden));
    assert_eq!(uses(&mut office, agent(step), review), Ok(review), "it is being started");
    assert_eq!(uses(&mut office, agent(step), plain), Err(RefusalCode::Forbidden));
    let asked = office.try_ask(step, asks(External, Wait::Park));
    assert_eq!(refused(asked).0, RefusalCode::Forbidden);
    for verb in [
        ReviewVerb::Withdraw { reason: None, abandoned: false },
        vote(Verdict::Approve, None, None),
    ] {
        assert_eq!(refused(office.act(agent(step), plain, verb)).0, RefusalCode::Forbidden);
    }
}

#[test]
fn something_else_than_was_approved_is_refused_and_leaves_the_right_as_it_is() {
    let mut office = Office::new();
    let (job, review, other) = parked(&mut office);
    office.approve(ana(), review).unwrap();
    let step = step_of(&office, review);
    office.site.start(step);
    let (hash, action) = (Some(office.review(review).hash), Some(Box::new(shell("rm -r /"))));
    let verb = ReviewVerb::Redeem { hash, action, conditions: Default::default() };
    assert_eq!(refused(office.act(agent(step), review, verb)).0, RefusalCode::Changed);
    office.site.end(step, 13);
    let why = "what would run had changed".to_owned();
    assert_eq!(came_to(&office, review), StepState::Unused(why));
    assert_eq!(office.state(review), ReviewState::Approved, "nobody was asked in its name");
    office.site.end(other, 0);
    office.site.start(job);
    assert_eq!(uses(&mut office, agent(job), review), Ok(review), "its job does it itself");
}

#[test]
fn whoever_is_first_does_it() {
    let mut office = Office::new();
    let (job, review, other) = parked(&mut office);
    // Nothing starts anywhere, so the step waits.
    office.site.drain("n1", true);
    office.approve(ana(), review).unwrap();
    let step = step_of(&office, review);
    assert_eq!(office.site.word(step), "queued");
    office.site.end(other, 0);
    office.site.drain("n1", false);
    office.site.stand(&[job, step], &["starting", "starting"]);
    office.site.start(job);
    assert_eq!(uses(&mut office, agent(job), review), Ok(review));
    let why = "its job came first".to_owned();
    assert_eq!(came_to(&office, review), StepState::Unused(why));
    assert_eq!(uses(&mut office, agent(step), review), Err(RefusalCode::Spent));
    office.site.end(step, 143);
    assert_eq!(office.site.outcome(step), Outcome::Cancelled);
}

#[test]
fn a_yes_that_is_taken_back_in_time_takes_the_step_back() {
    let mut office = Office::new();
    let (_, review, _) = parked(&mut office);
    approve_in_ten_seconds(&mut office, review);
    let step = step_of(&office, review);
    assert_eq!(office.site.word(step), "waiting", "until the yes counts");
    office.site.advance(Span::secs(9));
    assert_eq!(office.site.word(step), "waiting");
    office.act(ana(), review, ReviewVerb::Revoke { reason: None }).unwrap();
    assert_eq!(office.site.outcome(step), Outcome::Cancelled);
    assert!(matches!(came_to(&office, review), StepState::Unused(_)));
    assert_eq!(office.site.job(step).attempt, 0, "it never began");
}

#[test]
fn after_that_time_it_starts_by_itself() {
    let mut office = Office::new();
    let (_, review, _) = parked(&mut office);
    approve_in_ten_seconds(&mut office, review);
    let step = step_of(&office, review);
    office.site.advance(Span::secs(11));
    assert_eq!(office.site.word(step), "starting");
    // Taken back before it used the right, though it was being started.
    office.act(ana(), review, ReviewVerb::Revoke { reason: None }).unwrap();
    assert_eq!(uses(&mut office, agent(step), review), Err(RefusalCode::Spent));
    office.site.end(step, 10);
    assert_eq!(office.state(review), ReviewState::Revoked);
}

#[test]
fn without_its_job_a_step_that_did_nothing_yet_goes_and_one_that_did_runs_on() {
    for used in [false, true] {
        let mut office = Office::new();
        let (job, review, _) = parked(&mut office);
        office.approve(ana(), review).unwrap();
        let step = step_of(&office, review);
        office.site.start(step);
        if used {
            uses(&mut office, agent(step), review).unwrap();
        }
        office.site.cancel(job);
        if used {
            assert_eq!(office.site.word(step), "running");
            office.site.end(step, 0);
            assert_eq!(came_to(&office, review), StepState::Done(0));
        } else {
            assert_eq!(office.site.word(step), "stopping");
            assert_eq!(office.state(review), ReviewState::Lapsed);
            assert_eq!(uses(&mut office, agent(step), review), Err(RefusalCode::Spent));
        }
    }
}

#[test]
fn a_job_that_a_person_holds_back_has_no_step_at_work() {
    let mut office = Office::new();
    let (job, review, _) = parked(&mut office);
    office.site.pause(job);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.review(review).step, None, "it does it itself once it is let go on");

    let mut office = Office::new();
    let (job, review, _) = parked(&mut office);
    office.site.drain("n1", true);
    office.approve(ana(), review).unwrap();
    let step = step_of(&office, review);
    office.site.pause(job);
    assert_eq!(office.site.outcome(step), Outcome::Cancelled);
    assert_eq!(office.state(review), ReviewState::Approved);
}

#[test]
fn a_step_that_is_lost_is_never_run_again_and_somebody_sees_it() {
    let mut office = Office::new();
    let (job, review, other) = parked(&mut office);
    office.approve(ana(), review).unwrap();
    let step = step_of(&office, review);
    office.site.start(step);
    uses(&mut office, agent(step), review).unwrap();
    let saved = Report::Checkpoint { path: None, basis_points: None };
    let report = Command::Report { job: step, report: saved, by: agent(step) };
    office.site.attempt(report).unwrap();
    office.site.exit(step, &Exit::Unknown);
    assert_eq!(office.site.outcome(step), Outcome::Lost, "a checkpoint is no way back for it");
    assert_eq!(came_to(&office, review), StepState::Lost);
    let at = office.site.world.at();
    let (found, _) = scan(&office.site.world, &Signals::default(), at);
    let lost = |command: &Command| match command {
        Command::Find { job: of, signal, level, .. } => {
            (*of, *signal, level.is_some()) == (job, Signal::StepLost, true)
        }
        _ => false,
    };
    let find = found.into_iter().find(lost).unwrap();
    office.site.attempt(find).unwrap();
    office.site.end(other, 0);
    office.site.start(job);
    assert!(office.site.job(job).findings.contains_key(&Signal::StepLost), "it outlives runs");
    assert_eq!(uses(&mut office, agent(job), review), Err(RefusalCode::Spent));
}

#[test]
fn no_step_where_the_process_stays_and_none_that_nobody_asked_for() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.request.gpu_milli = 1000);
    let held = ask_for_step(&mut office, job, asks(Irreversible, hold()));
    office.approve(ana(), held).unwrap();
    assert_eq!(office.review(held).step, None, "its process waits and does it");
    let plain = office.ask(job, External, Wait::Park);
    office.park(job);
    office.approve(ana(), plain).unwrap();
    assert_eq!(office.review(plain).step, None);

    let mut office = Office::new();
    office.policy(|policy| policy.wait = Some(Wait::Freeze));
    let job = office.job();
    let frozen = ask_for_step(&mut office, job, asks(Reversible, Wait::Park));
    office.approve(ana(), frozen).unwrap();
    assert_eq!(office.review(frozen).step, None);
}

#[test]
fn a_no_makes_no_step_and_submitting_makes_none_either() {
    let mut office = Office::new();
    let (_, review, _) = parked(&mut office);
    office.deny(ana(), review).unwrap();
    assert_eq!(office.review(review).step, None);
    let made = office.site.try_submit(carl(), |job| job.step = Some(review)).unwrap();
    assert_eq!(office.site.job(made).spec.step, None, "only a yes makes steps");
    assert_eq!(
        refused(office.site.try_act(carl(), &[made], Verb::Requeue)).0,
        RefusalCode::Conflict
    );
}

#[test]
fn a_gap_of_the_machine_takes_the_step_and_says_so() {
    let mut office = Office::new();
    let (_, review, _) = parked(&mut office);
    office.approve(ana(), review).unwrap();
    let step = step_of(&office, review);
    office.site.start(step);
    uses(&mut office, agent(step), review).unwrap();
    office.site.down(Span::mins(5), true);
    office.site.reboot("next");
    assert_eq!(came_to(&office, review), StepState::Lost);
    assert!(matches!(office.site.state(step), State::Ended(Outcome::Lost)));
}
