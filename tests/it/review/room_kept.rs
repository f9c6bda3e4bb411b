//! Room for a job that people are about to give back: kept from those only who would be let past
//! a job that waits, from when it is expected, and not for long.

use holdshort::base::{JobId, Span};
use holdshort::model::Fact;
use holdshort::model::job::{JobSpec, Reservation};
use holdshort::sched::explain;

use super::office::*;
use super::returning::{answered, parked};

/// So many cores for so many minutes.
fn asks(cores: u64, mins: u64) -> impl Fn(&mut JobSpec) {
    move |spec| {
        spec.request.cpu_milli = cores * 1000;
        spec.estimate = Some(Span::mins(mins));
    }
}

/// People answer after ten minutes as a rule, and were just asked by a job of two of four cores,
/// for half an hour. Others run on two for an hour, and one waits for all four.
fn expecting() -> (Office, JobId, JobId) {
    let mut office = Office::new();
    office.site.switch("reservation", true);
    answered(&mut office, 5, 10);
    office.job_with(asks(2, 60));
    let asked = parked(&mut office, asks(2, 30));
    let waits = office.site.submit(asks(4, 5));
    (office, asked, waits)
}

fn kept(office: &Office, job: JobId) -> Option<&Reservation> {
    office.site.job(job).reserved.as_deref()
}

/// In how many minutes room is kept from on.
fn kept_in(office: &Office, job: JobId) -> Option<u64> {
    kept(office, job).map(|kept| kept.at.since(office.site.at.now).0 / 60_000)
}

#[test]
fn whoever_is_let_past_a_waiting_job_leaves_room_for_one_that_is_about_to_return() {
    let (mut office, asked, waits) = expecting();
    assert_eq!((kept_in(&office, waits), kept_in(&office, asked)), (Some(60), Some(10)));
    let room = &kept(&office, asked).unwrap().room;
    assert_eq!(room.get("n1").map(|kept| kept.cpu_milli), Some(2000));
    let site = &mut office.site;
    let (long, short) = (site.submit(asks(2, 20)), site.submit(asks(2, 10)));
    site.stand(&[waits, long, short], &["queued", "queued", "starting"]);
    site.start(short);
    assert_eq!(kept_in(&office, waits), Some(60), "who waits is not put off");
    office.site.advance(Span::mins(8));
    office.site.end(short, 0);
    let review = office.site.job(asked).asking.open[0].review;
    office.approve(ana(), review).unwrap();
    office.site.stand(&[asked, long], &["starting", "queued"]);
    assert_eq!(kept(&office, asked), None);
}

#[test]
fn switched_off_nothing_is_kept_for_those_who_return() {
    for policy in ["returns", "backfill", "reservation"] {
        let (mut office, asked, _) = expecting();
        office.site.switch(policy, false);
        assert_eq!(kept(&office, asked), None);
    }
    let (mut office, _, _) = expecting();
    let long = office.site.submit(asks(2, 20));
    office.site.stand(&[long], &["queued"]);
    office.site.switch("returns", false);
    office.site.stand(&[long], &["starting"]);
}

#[test]
fn who_comes_in_turn_waits_for_nobody_that_is_away() {
    let mut office = Office::new();
    office.site.switch("reservation", true);
    answered(&mut office, 5, 10);
    let asked = parked(&mut office, asks(2, 30));
    let long = office.site.submit(asks(3, 500));
    office.site.stand(&[long], &["starting"]);
    assert_eq!(kept(&office, asked), None, "nobody waits");
}

#[test]
fn a_late_answer_puts_it_off_once_and_then_nothing_is_kept() {
    let mut office = Office::new();
    office.site.switch("reservation", true);
    answered(&mut office, 4, 10);
    answered(&mut office, 1, 18);
    office.job_with(asks(2, 60));
    let asked = parked(&mut office, asks(2, 30));
    office.site.submit(asks(4, 5));
    let long = office.site.submit(asks(2, 40));
    assert_eq!(kept_in(&office, asked), Some(10));
    office.site.advance(Span::mins(10));
    assert_eq!(kept_in(&office, asked), Some(8), "nine of ten are there by then");
    assert_eq!(kept(&office, asked).map(|kept| kept.moves), Some(0), "nobody is to blame");
    office.site.stand(&[long], &["queued"]);
    office.site.advance(Span::mins(8));
    assert_eq!(kept(&office, asked), None);
    assert!(office.site.facts.contains(&Fact::ReservationOver { job: asked }));
    office.site.stand(&[asked, long], &["in_review", "starting"]);
}

#[test]
fn a_return_that_is_far_off_or_unknown_keeps_nothing() {
    for (times, mins) in [(5, 40), (0, 10)] {
        let mut office = Office::new();
        office.site.switch("reservation", true);
        answered(&mut office, times, mins);
        office.job_with(asks(2, 60));
        let asked = parked(&mut office, asks(2, 15));
        office.site.submit(asks(4, 5));
        assert_eq!(kept(&office, asked), None);
        let long = office.site.submit(asks(2, 50));
        office.site.stand(&[long], &["starting"]);
    }
}

#[test]
fn it_is_near_when_it_is_a_quarter_of_an_hour_off() {
    let mut office = Office::new();
    office.site.switch("reservation", true);
    answered(&mut office, 5, 40);
    office.job_with(asks(2, 90));
    let asked = parked(&mut office, asks(2, 15));
    office.site.submit(asks(4, 5));
    office.site.advance(Span::mins(24));
    let early = office.site.submit(asks(2, 1));
    office.site.stand(&[early], &["starting"]);
    office.site.exit(early, &holdshort::model::job::Exit::Signal(9));
    assert_eq!(kept(&office, asked), None);
    office.site.advance(Span::mins(2));
    let long = office.site.submit(asks(2, 20));
    office.site.stand(&[long], &["queued"]);
    assert_eq!(kept_in(&office, asked), Some(14));
}

#[test]
fn nothing_is_kept_when_nobody_waits_any_more() {
    let (mut office, asked, waits) = expecting();
    assert!(kept(&office, asked).is_some());
    office.site.cancel(waits);
    assert_eq!(kept(&office, asked), None);
}

#[test]
fn why_says_where_room_is_kept_and_whoever_is_kept_out_for_whom() {
    let (mut office, asked, _) = expecting();
    let long = office.site.submit(asks(2, 20));
    let why = explain::why(&office.site.world, asked, office.site.at).unwrap();
    let also: Vec<String> = why.also.iter().map(crate::sched::world::reason_text).collect();
    let text = also.iter().find(|text| text.starts_with("answer_expected")).unwrap();
    assert!(text.contains(" node=n1") && text.contains(" kept_at="), "{text}");
    let because = office.site.because(long);
    assert!(because.starts_with(&format!("room_reserved job={asked}")), "{because}");
}
