//! When a job that waits for people will be back: learned from how they answered before, by the
//! hour of the week, shown with its reason, and counted by the forecasts of others.

use holdshort::base::{JobId, Span};
use holdshort::model::action::EffectClass::{Irreversible, Read};
use holdshort::model::estimate::Confidence;
use holdshort::model::job::JobSpec;
use holdshort::model::reason::{Code, Reason};
use holdshort::model::review::{Fallback, ReviewVerb, Wait};
use holdshort::sched::explain;
use holdshort::sched::future::estimate;
use holdshort::sched::future::forecast::{FORECASTS, forecasts};
use holdshort::sched::policy::returns::Basis;
use holdshort::sched::review::returns;

use super::office::*;

const WEEK: Span = Span::hours(168);

/// So many questions that ana answers after so many minutes each, one every week.
pub fn answered(office: &mut Office, times: u32, mins: u64) {
    for _ in 0..times {
        let job = office.job();
        let review = office.ask(job, Irreversible, Wait::Park);
        office.park(job);
        office.site.advance(Span::mins(mins));
        office.approve(ana(), review).unwrap();
        office.site.start(job);
        office.site.end(job, 0);
        office.site.advance(WEEK - Span::mins(mins));
    }
}

pub fn parked(office: &mut Office, change: impl FnOnce(&mut JobSpec)) -> JobId {
    let job = office.job_with(change);
    office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    job
}

fn of(office: &Office, job: JobId) -> returns::Return {
    returns::of(&office.site.world, office.site.job(job), office.site.at).unwrap()
}

/// Whole minutes from now until a job starts, at the earliest and at the latest.
fn starts(office: &Office, job: JobId) -> Option<(u64, u64)> {
    let all = forecasts(&office.site.world, office.site.at, FORECASTS);
    let wall = office.site.at.wall;
    all.get(&job).map(|f| (f.from.since(wall).0 / 60_000, f.to.since(wall).0 / 60_000))
}

fn why(office: &Office, job: JobId) -> Reason {
    let why = explain::why(&office.site.world, job, office.site.at).unwrap();
    why.also.into_iter().find(|reason| reason.code == Code::AnswerExpected).unwrap()
}

#[test]
fn without_an_answer_so_far_there_is_a_prior_that_nobody_trusts_and_the_deadline_bounds() {
    let mut office = Office::new();
    let job = parked(&mut office, |_| {});
    let wall = office.site.at.wall;
    let back = of(&office, job);
    assert_eq!((back.basis, back.confidence, back.answers), (Basis::Prior, Confidence::None, 0));
    assert_eq!(back.median, wall + Span::hours(84), "half of the week it may take");
    assert_eq!(back.latest, wall + WEEK);
    assert_eq!(starts(&office, job), None);
    let reason = why(&office, job);
    assert_eq!(reason.numbers.get("latest_at"), Some(&back.latest.0.into()));
    assert_eq!(reason.numbers.get("from_at"), None);
    // Outlived, the prior is no longer than what is left.
    office.site.advance(Span::hours(160));
    let back = of(&office, job);
    assert_eq!((back.p90, back.latest), (wall + WEEK, wall + WEEK));
}

#[test]
fn who_is_asked_again_in_silence_is_bounded_by_thirty_days() {
    let mut office = Office::new();
    office.policy(|rule| rule.fallback = Some(Fallback::KeepWaiting));
    let job = parked(&mut office, |_| {});
    assert_eq!(of(&office, job).latest, office.site.at.wall + Span::hours(30 * 24));
}

#[test]
fn the_hour_of_the_week_says_how_long_it_takes() {
    let mut office = Office::new();
    answered(&mut office, 5, 30);
    office.site.advance(Span::hours(10));
    answered(&mut office, 5, 300);
    let evening = parked(&mut office, |_| {});
    let wall = office.site.at.wall;
    let back = of(&office, evening);
    assert_eq!((back.median, back.basis, back.answers), (wall + Span::mins(300), Basis::Hour, 5));
    office.site.advance(WEEK - Span::hours(10));
    let morning = parked(&mut office, |_| {});
    let back = of(&office, morning);
    assert_eq!(back.median, office.site.at.wall + Span::mins(30));
    let reason = why(&office, morning);
    assert_eq!(reason.numbers.get("basis"), Some(&"hour".into()));
    assert_eq!(reason.numbers.get("answers"), Some(&5u64.into()));
    assert_eq!(reason.numbers.get("from_at"), Some(&back.median.0.into()));
}

#[test]
fn a_job_in_review_has_a_forecast_and_whoever_starts_after_it_counts_with_it() {
    let mut office = Office::new();
    answered(&mut office, 5, 30);
    let all = |mins: u64| {
        move |spec: &mut JobSpec| {
            spec.request.cpu_milli = 4000;
            spec.estimate = Some(Span::mins(mins));
        }
    };
    let asked = parked(&mut office, all(50));
    let runs = office.job_with(all(20));
    let short = office.site.submit(all(20));
    assert_eq!(starts(&office, short), Some((20, 20)));
    // Room is there when the one that runs is over, and the answer ten minutes later; by then the
    // short one has it.
    assert_eq!(starts(&office, asked), Some((40, 40)));
    let last = office.site.submit(all(10));
    assert_eq!(starts(&office, last), Some((90, 90)), "after the one that comes back");
    assert_eq!(office.site.word(runs), "running");
}

#[test]
fn what_is_held_while_people_are_asked_comes_free_after_their_answer() {
    let mut office = Office::new();
    office.policy(|rule| rule.name = "ops".into());
    answered(&mut office, 5, 30);
    let job = office.job_with(|spec| spec.estimate = Some(Span::mins(10)));
    let left = |office: &Office| {
        estimate::left(&office.site.world, office.site.job(job), office.site.at).p90
    };
    assert_eq!(left(&office), Span::mins(10));
    office.ask(job, Irreversible, hold());
    assert_eq!(left(&office), Span::mins(40));
    office.site.advance(Span::mins(25));
    assert_eq!(left(&office), Span::mins(15));
}

#[test]
fn how_a_rule_is_answered_is_counted_and_a_blind_yes_shows() {
    let mut office = Office::new();
    let of = |office: &Office| {
        let habits: Vec<_> = office.site.world.desk().habits().collect();
        habits.iter().map(|(name, habit)| (name.to_string(), (*habit).clone())).collect::<Vec<_>>()
    };
    let job = office.job();
    office.ask(job, Read, Wait::Park);
    assert_eq!(of(&office), [], "what no person decided is no habit");
    for n in 0..20 {
        let mut ask = asks(Irreversible, hold());
        ask.action = shell(&format!("rm /srv/{n}"));
        let review = office.try_ask(job, ask).unwrap();
        office.site.advance(Span::mins(20));
        office.act(ana(), review, ReviewVerb::Look).unwrap();
        office.site.advance(Span::secs(2));
        office.approve(ana(), review).unwrap();
    }
    let all = of(&office);
    let (name, habit) = &all[0];
    assert_eq!((&**name, habit.asks(), habit.yes_percent()), ("team default", 20, Some(100)));
    assert_eq!(habit.median(), Some(Span::secs(2)), "from when she looked, not from the question");
    assert!(habit.is_blind());
    let review = office.ask(job, Irreversible, hold());
    office.deny(bob(), review).unwrap();
    let review = office.ask(office.review(review).job, EXTERNAL, hold());
    office.site.advance(Span::hours(2));
    assert!(!office.review(review).is_open());
    let habit = of(&office)[0].1.clone();
    assert_eq!((habit.yes, habit.no, habit.expired), (20, 1, 1));
}

const EXTERNAL: holdshort::model::action::EffectClass =
    holdshort::model::action::EffectClass::External;
