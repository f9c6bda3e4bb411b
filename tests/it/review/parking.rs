//! What a job holds while it waits, and how it comes back.

use holdshort::base::Span;
use holdshort::model::action::EffectClass::{Irreversible, Money, Reversible};
use holdshort::model::command::TaskEvent;
use holdshort::model::effect::Effect;
use holdshort::model::fact::Class;
use holdshort::model::job::{FailureClass, Outcome, State, StopFor};
use holdshort::model::page::Lane;
use holdshort::model::review::{Fallback, ReviewState, Verdict, Wait};
use holdshort::sched::{effects, explain};

use super::office::{HOUR, Office, agent, ana, asks, carl, hold, vote};
use crate::sched::given::owner;

#[test]
fn parked_it_holds_nothing_and_comes_back_with_its_old_place() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.request.gpu_milli = 1000);
    let submitted = office.site.job(job).submitted;
    let review = office.ask(job, Irreversible, Wait::Park);
    assert_eq!(office.site.word(job), "running");
    assert_eq!(Lane::of(office.site.job(job)), Lane::Running, "it has not stopped for it yet");
    office.site.advance(Span::secs(5));
    let other = office.site.try_submit(carl(), |job| job.request.gpu_milli = 1000).unwrap();
    office.park(job);
    assert_eq!(office.site.state(job), State::InReview);
    assert_eq!(Lane::of(office.site.job(job)), Lane::Human);
    assert_eq!(office.site.word(other), "starting", "the GPU went on at once");
    assert_eq!(office.site.world.index().used("n1").tasks, 1);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.job(job).word(), "resuming");
    assert_eq!(office.site.job(job).submitted, submitted);
    office.site.start(other);
    office.site.end(other, 0);
    assert_eq!(office.site.word(job), "starting");
    let back = office.site.job(job);
    assert!(back.resume, "it is told that it comes back");
    assert_eq!((back.attempt, back.asking.answered), (2, Some(review)));
}

#[test]
fn seventy_five_without_having_asked_is_a_failure() {
    let mut office = Office::new();
    let job = office.job();
    office.park(job);
    let failed = Outcome::Failed(FailureClass::ParkedWithoutAsking);
    assert_eq!(office.site.outcome(job), failed);
    let job = office.job();
    let review = office.ask(job, Reversible, hold());
    office.approve(ana(), review).unwrap();
    office.park(job);
    assert_eq!(office.site.outcome(job), failed, "it had its answer");
}

#[test]
fn an_answer_that_comes_while_it_saves_itself_brings_it_straight_back() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.word(job), "running");
    office.park(job);
    assert_eq!(office.site.word(job), "starting");
    assert_eq!(office.site.job(job).asking.answered, Some(review));
    // Only once: the next time it had its answer.
    office.site.start(job);
    office.park(job);
    assert_eq!(office.site.word(job), "failed");
}

#[test]
fn one_task_of_a_gang_parks_all_of_it() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.gang = holdshort::model::job::Gang { size: 3, min: 3 });
    let review = office.ask(job, Irreversible, Wait::Park);
    office.site.end_rank(job, 0, holdshort::model::job::Exit::Code(75));
    assert_eq!(office.site.state(job), State::Stopping(StopFor::Park));
    office.site.end(job, 143);
    assert_eq!(office.site.state(job), State::InReview);
    office.deny(ana(), review).unwrap();
    assert_eq!(office.site.word(job), "starting", "a no lets it go on too");
}

#[test]
fn holding_it_runs_in_the_lane_of_people_and_its_time_stands_still() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.time_limit = Some(HOUR));
    office.site.advance(Span::mins(10));
    let review = office.ask(job, Irreversible, hold());
    let told = effects::of_facts(&office.site.facts, &office.site.world);
    assert!(matches!(told[..], [Effect::Limit { left: None, .. }]), "{told:?}");
    assert_eq!(office.site.word(job), "running");
    assert_eq!(Lane::of(office.site.job(job)), Lane::Human);
    office.site.advance(Span::mins(50));
    office.approve(ana(), review).unwrap();
    let left = Some(Span::mins(50));
    let told = effects::of_facts(&office.site.facts, &office.site.world);
    assert!(matches!(told[..], [Effect::Limit { left: l, .. }] if l == left), "{told:?}");
    assert_eq!(Lane::of(office.site.job(job)), Lane::Running);
    office.site.advance(Span::mins(49));
    assert_eq!(office.site.word(job), "running");
    office.site.advance(Span::mins(2));
    assert_eq!(office.site.state(job), State::Stopping(StopFor::Timeout));
    office.site.end(job, 143);
}

#[test]
fn what_it_holds_while_people_are_asked_is_booked_as_parked() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.request.gpu_milli = 1000);
    office.site.advance(Span::mins(1));
    let review = office.ask(job, Reversible, hold());
    office.site.advance(Span::mins(5));
    office.approve(ana(), review).unwrap();
    office.site.advance(Span::mins(2));
    let all = office.site.metered.all(office.site.at.now);
    let booked = |class| -> u64 {
        let ours = all.iter().filter(|interval| interval.class == class);
        let ours = ours.filter(|i| i.holder.as_ref().is_some_and(|h| h.task.job == job));
        ours.map(|interval| interval.to.since(interval.from).0).sum()
    };
    assert_eq!(booked(Class::Parked), Span::mins(5).0);
    assert_eq!(booked(Class::Productive), Span::mins(3).0);
}

#[test]
fn after_its_time_a_holding_job_may_park_and_gets_the_time_of_parked_ones() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let asked = office.site.at.wall;
    assert_eq!(office.review(review).deadline, asked + HOUR);
    office.site.advance(Span::mins(10));
    office.park(job);
    assert_eq!(office.site.state(job), State::InReview);
    assert_eq!(office.review(review).deadline, asked + Span::hours(7 * 24));
    office.site.advance(Span::hours(5 * 24));
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.word(job), "starting");
}

#[test]
fn frozen_with_nothing_in_its_devices_it_lends_them_and_goes_on_with_the_same() {
    let mut office = Office::new();
    office.policy(|rule| rule.wait = Some(Wait::Freeze));
    let job = office.job_with(|job| job.request.gpu_milli = 1000);
    let review = office.ask(job, Irreversible, Wait::Park);
    let other = office.site.try_submit(carl(), |job| job.request.gpu_milli = 1000).unwrap();
    let task = office.site.tasks(job, holdshort::model::job::TaskState::is_active)[0];
    assert_eq!(office.site.word(other), "queued", "nobody looked into the device yet");
    office.site.event(task, TaskEvent::Froze { in_devices: true });
    assert_eq!(office.site.word(other), "queued", "its memory is in use");
    office.site.event(task, TaskEvent::Froze { in_devices: false });
    assert_eq!(office.site.word(other), "starting");
    assert_eq!(office.site.world.index().used("n1").gpus.values().sum::<u64>(), 1000);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.job(job).word(), "resuming", "it waits for its own device");
    office.site.event(task, TaskEvent::Froze { in_devices: false });
    office.site.start(other);
    office.site.end(other, 0);
    assert_eq!(office.site.word(job), "running");
    let back = office.site.job(job).tasks[0].clone();
    assert_eq!((back.placement.unwrap().gpus.len(), back.lent.len()), (1, 0));
    // Said late it is about a freeze that is over.
    office.site.event(task, TaskEvent::Froze { in_devices: false });
    assert_eq!(office.site.world.index().used("n1").gpus.values().sum::<u64>(), 1000);
}

#[test]
fn frozen_it_gives_up_its_cores_and_goes_on_where_it_was() {
    let mut office = Office::new();
    office.policy(|rule| rule.wait = Some(Wait::Freeze));
    let job = office.job_with(|job| job.request.cpu_milli = 4000);
    let review = office.ask(job, Irreversible, Wait::Park);
    assert_eq!(office.site.state(job), State::InReview);
    assert!(office.site.job(job).frozen);
    let other = office.job();
    assert_eq!(office.site.word(other), "running", "its cores went to another");
    let used = office.site.world.index().used("n1");
    assert_eq!(used.held.mem_bytes, 2 << 30, "its memory stays");
    office.site.advance(Span::mins(3));
    let all = office.site.metered.all(office.site.at.now);
    assert!(all.iter().any(|interval| interval.class == Class::Parked));
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.job(job).word(), "resuming");
    office.site.end(other, 0);
    assert_eq!(office.site.word(job), "running");
    assert_eq!(office.site.job(job).attempt, 1);
}

#[test]
fn with_several_open_it_comes_back_when_the_last_is_answered() {
    let mut office = Office::new();
    let job = office.job();
    let first = office.ask(job, Irreversible, Wait::Park);
    let mut ask = asks(Irreversible, Wait::Park);
    ask.action.target = Some("staging".into());
    let second = office.try_ask(job, ask).unwrap();
    office.park(job);
    office.approve(ana(), first).unwrap();
    assert_eq!(office.site.state(job), State::InReview);
    office.deny(ana(), second).unwrap();
    assert_eq!(office.site.word(job), "starting");
}

#[test]
fn a_no_with_stop_ends_the_job_as_denied() {
    let mut office = Office::new();
    let stop = || vote(Verdict::Deny { stop: true }, Some("wrong account"), None);
    let parked = office.job();
    let review = office.ask(parked, Irreversible, Wait::Park);
    office.park(parked);
    office.act(ana(), review, stop()).unwrap();
    assert_eq!(office.site.outcome(parked), Outcome::Denied);
    let held = office.job();
    let review = office.ask(held, Irreversible, hold());
    office.act(ana(), review, stop()).unwrap();
    assert_eq!(office.site.state(held), State::Stopping(StopFor::Deny));
    office.site.end(held, 143);
    assert_eq!(office.site.outcome(held), Outcome::Denied);
}

#[test]
fn expired_money_leaves_the_job_paused_until_a_person_resumes_it() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Money, Wait::Park);
    office.park(job);
    office.site.advance(Span::hours(8 * 24));
    assert_eq!(office.state(review), ReviewState::Expired);
    assert_eq!(office.site.word(job), "paused");
    assert_eq!(&*office.site.job(job).hold.as_ref().unwrap().by, "review");
    office.site.resume(job);
    assert_eq!(office.site.word(job), "starting");
    assert_eq!(office.site.job(job).asking.answered, Some(review));
}

#[test]
fn a_fallback_may_cancel_the_job() {
    let mut office = Office::new();
    office.policy(|rule| rule.fallback = Some(Fallback::DenyAndCancel));
    let job = office.job();
    office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.site.advance(Span::hours(8 * 24));
    assert_eq!(office.site.outcome(job), Outcome::Cancelled);
}

#[test]
fn paused_while_in_review_it_stays_paused_after_the_answer() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.site.pause(job);
    assert_eq!(office.site.word(job), "paused");
    office.site.resume(job);
    assert_eq!(office.site.word(job), "in_review", "nobody has answered");
    office.site.pause(job);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.word(job), "paused");
    office.site.resume(job);
    assert_eq!(office.site.word(job), "starting");
}

#[test]
fn a_job_that_is_taken_off_its_node_while_it_asks_waits_in_review() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.requeue = true);
    let review = office.ask(job, Irreversible, hold());
    office.site.try_act(owner(), &[job], holdshort::model::command::Verb::Requeue).unwrap();
    office.site.end(job, 143);
    assert_eq!(office.site.state(job), State::InReview);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.word(job), "starting");
}

#[test]
fn a_reboot_leaves_a_parked_job_in_review() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.site.down(HOUR, true);
    office.site.reboot("boot-2");
    assert_eq!(office.site.state(job), State::InReview);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.site.word(job), "starting");
}

#[test]
fn a_frozen_job_that_nothing_says_how_to_start_again_is_lost_with_the_machine() {
    let mut office = Office::new();
    office.policy(|rule| rule.wait = Some(Wait::Freeze));
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.site.down(HOUR, true);
    assert_eq!(office.site.outcome(job), Outcome::Lost);
    assert_eq!(office.state(review), ReviewState::Withdrawn);
}

#[test]
fn why_names_the_review_and_what_silence_does() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    let reason = explain::reason(&office.site.world, office.site.job(job), office.site.at);
    assert_eq!(reason.code.word(), "in_review");
    assert_eq!(reason.numbers.get("review"), Some(&review.to_string().into()));
    assert_eq!(reason.numbers.get("then"), Some(&"deny".into()));
}

#[test]
fn the_wait_is_learned_and_planned_for() {
    use holdshort::sched::review::returns;
    let mut office = Office::new();
    for _ in 0..3 {
        let job = office.job();
        let review = office.ask(job, Irreversible, Wait::Park);
        office.park(job);
        let answer = returns::answer(&office.site.world, office.site.job(job), office.site.at);
        if let Some(answer) = answer {
            assert_eq!(answer.from, office.site.at.wall + Span::mins(30));
        }
        office.site.advance(Span::mins(30));
        office.approve(ana(), review).unwrap();
        office.site.start(job);
        office.site.end(job, 0);
    }
    let job = office.job();
    office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    let answer = returns::answer(&office.site.world, office.site.job(job), office.site.at);
    assert_eq!(answer.unwrap().from, office.site.at.wall + Span::mins(30));
    let agent = agent(job);
    assert_eq!(agent.in_job, Some(job));
}
