//! Boosts: whole steps with a reason, a bound and a timer. They reorder and make no victim.

use holdshort::base::{JobId, Span};
use holdshort::model::Fact;
use holdshort::model::command::{Change, Verb};
use holdshort::model::job::BoostCause;
use holdshort::model::job::urgency::{BOOST_STEP, BOOST_STEPS_MAX};
use holdshort::sched::actions::urgency::AGED_AT_ONCE;

use super::world::Site;

/// Ends what runs, and answers who got the room.
fn next(site: &mut Site) -> JobId {
    let [running] = site.holding()[..] else { panic!("{:?}", site.holding()) };
    site.start(running);
    site.end(running, 0);
    site.holding()[0]
}

/// One core, taken; a batch job that waits for so long, then a research job.
fn waited(site: &mut Site, span: Span) -> (JobId, JobId) {
    site.submit(|job| job.priority = 500);
    let old = site.submit(|job| job.priority = 160);
    site.advance(span);
    let new = site.submit(|_| {});
    (old, new)
}

#[test]
fn a_long_wait_overtakes_what_is_a_little_more_urgent() {
    let mut site = Site::new(1, 0);
    let (old, _) = waited(&mut site, Span::hours(1));
    assert_eq!(site.job(old).boosts.ageing, 2);
    assert_eq!(site.job(old).sort_priority(), 160 + 2 * BOOST_STEP);
    assert_eq!(next(&mut site), old);
}

#[test]
fn without_ageing_the_more_urgent_goes_first_however_long_others_wait() {
    let mut site = Site::new(1, 0);
    site.switch("ageing", false);
    let (old, new) = waited(&mut site, Span::hours(9));
    assert_eq!(site.job(old).boosts.ageing, 0);
    assert_eq!(next(&mut site), new);
}

#[test]
fn switching_ageing_off_takes_it_back_and_on_gives_it_again() {
    let mut site = Site::new(1, 0);
    let (old, _) = waited(&mut site, Span::hours(1));
    site.switch("ageing", false);
    assert_eq!(site.job(old).boosts.ageing, 0);
    assert_eq!(site.world.next_due(site.at), (None, None), "no timer for what is off");
    site.switch("ageing", true);
    assert_eq!(site.job(old).boosts.ageing, 2);
}

#[test]
fn ageing_comes_step_by_step_by_itself_and_ends_at_its_bound() {
    let mut site = Site::new(1, 0);
    site.submit(|_| {});
    let waits = site.submit(|_| {});
    let steps = [29, 1, 30, 60, 120, 10_000].map(|mins| {
        site.advance(Span::mins(mins));
        site.job(waits).boosts.ageing
    });
    assert_eq!(steps, [0, 1, 2, 3, 4, BOOST_STEPS_MAX]);
    assert_eq!(site.world.next_due(site.at), (None, None), "nothing is left to wait for");
}

#[test]
fn ageing_belongs_to_one_wait() {
    let mut site = Site::new(1, 0);
    site.submit(|_| {});
    let waits = site.submit(|job| job.requeue = true);
    site.advance(Span::hours(1));
    site.pause(waits);
    assert_eq!(site.job(waits).boosts.ageing, 0, "it does not wait for its turn");
    site.resume(waits);
    site.advance(Span::mins(30));
    assert_eq!(site.job(waits).boosts.ageing, 1);
    assert_eq!(next(&mut site), waits);
    assert_eq!(site.job(waits).boosts.ageing, 1, "those it overtook don't take its room");
    site.start(waits);
    site.act(waits, Verb::Requeue);
    site.end(waits, 143);
    assert_eq!(site.job(waits).boosts.ageing, 0);
}

#[test]
fn a_boost_takes_nobodys_room_and_loses_none_to_those_it_overtook() {
    let mut site = Site::new(1, 0);
    let preemptible = |priority| {
        move |job: &mut holdshort::model::JobSpec| {
            job.priority = priority;
            job.requeue = true;
            job.preemptible = true;
        }
    };
    let runs = site.submit(preemptible(200));
    site.start(runs);
    let old = site.submit(preemptible(190));
    site.advance(Span::hours(5));
    assert!(site.job(old).sort_priority() > site.job(runs).sort_priority());
    site.stand(&[runs, old], &["running", "queued"]);
    let new = site.submit(preemptible(200));
    assert_eq!(next(&mut site), old);
    site.stand(&[old, new], &["starting", "queued"]);
    let urgent = site.submit(preemptible(291));
    site.stand(&[old, urgent], &["stopping", "queued"]);
}

#[test]
fn a_retry_is_a_step_of_its_own() {
    let mut site = Site::new(1, 0);
    let fails = site.submit(|job| job.retry = 3);
    let others = site.submit_many(2, |job| job.priority = 210);
    site.start(fails);
    site.end(fails, 1);
    assert_eq!(site.job(fails).boosts.retry, 1);
    site.advance(Span::mins(5));
    site.stand(&[fails, others[0], others[1]], &["queued", "starting", "queued"]);
    assert_eq!(next(&mut site), fails);
}

#[test]
fn without_retry_boosts_a_retry_waits_its_turn() {
    let mut site = Site::new(1, 0);
    site.switch("retry", false);
    let fails = site.submit(|job| job.retry = 3);
    let others = site.submit_many(2, |job| job.priority = 210);
    site.start(fails);
    site.end(fails, 1);
    site.advance(Span::mins(5));
    assert_eq!(next(&mut site), others[1]);
}

#[test]
fn all_boosts_together_are_one_tier_at_most() {
    let mut site = Site::new(1, 0);
    site.submit(|_| {});
    let deadline = site.in_(Span::hours(6));
    let late = site.submit(|job| {
        job.deadline = Some(deadline);
        job.estimate = Some(Span::mins(10));
    });
    site.advance(Span::hours(6));
    let boosts = site.job(late).boosts;
    assert_eq!((boosts.ageing, boosts.deadline), (4, 4));
    assert_eq!(site.job(late).sort_priority(), 200 + u16::from(BOOST_STEPS_MAX) * BOOST_STEP);
    site.set(late, Change { deadline: Some(None), ..Change::default() });
    assert_eq!(site.job(late).boosts.deadline, 0);
}

#[test]
fn a_crowd_ages_in_portions_and_nobody_is_forgotten() {
    let mut site = Site::new(1, 0);
    site.json_every = u64::MAX;
    site.submit(|_| {});
    let crowd = AGED_AT_ONCE + 300;
    site.array(crowd, None);
    let aged = |site: &Site| site.world.jobs().filter(|job| job.boosts.ageing > 0).count();
    site.advance(Span::mins(30));
    assert_eq!(aged(&site), AGED_AT_ONCE as usize);
    let facts = site
        .facts
        .iter()
        .filter(|fact| matches!(fact, Fact::JobBoosted { cause: BoostCause::Ageing, .. }));
    assert_eq!(facts.count(), AGED_AT_ONCE as usize);
    site.advance(Span::secs(1));
    assert_eq!(aged(&site), crowd as usize);
}
