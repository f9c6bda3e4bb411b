//! Who is told of a review and when: each target the last that is news, once, and nobody in quiet
//! hours of what can wait.

use holdshort::base::calendar::Weekly;
use holdshort::base::{ReviewId, Span};
use holdshort::model::action::EffectClass::{Irreversible, Money, Read};
use holdshort::model::refusal::RefusalCode;
use holdshort::model::review::{Delivery, Moment, ReviewCommand, ReviewVerb, Target, Wait};
use holdshort::sched::review::telling;

use super::office::*;

fn office(targets: &[Target]) -> Office {
    let mut office = Office::new();
    office.site.configure(|setup| setup.notify = targets.to_vec());
    office
}

fn target(name: &str) -> Target {
    Target { name: name.into(), ..Target::default() }
}

/// What is still to be told: `asked to ana by chat`.
fn missing(office: &Office, review: ReviewId) -> Vec<String> {
    let review = office.review(review);
    let all = telling::missing(&office.site.world, &review, office.site.at.wall);
    let said = |m: &telling::Message| format!("{} to {} by {}", m.moment.word(), m.to, m.via);
    all.iter().map(said).collect()
}

fn record(
    office: &mut Office,
    review: ReviewId,
    (via, moment): (&str, Moment),
    (failed, open): (Option<&str>, bool),
) -> Result<ReviewId, holdshort::model::Refusal> {
    let failed = failed.map(ToOwned::to_owned);
    let (to, via, at) = (via.into(), via.into(), office.site.at);
    let delivery = Delivery { to, via, moment, failed, tries: 1, open, at };
    office.command(ReviewCommand::Told { review, delivery })
}

/// Begins a message and says that it arrived.
fn tell(office: &mut Office, review: ReviewId, via: &str, moment: Moment) {
    record(office, review, (via, moment), (None, true)).unwrap();
    record(office, review, (via, moment), (None, false)).unwrap();
}

#[test]
fn each_target_hears_each_moment_that_it_wants_once() {
    let some = Target { moments: [Moment::Asked, Moment::Decided].into(), ..target("some") };
    let mut office = office(&[target("all"), some]);
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    assert_eq!(missing(&office, review), ["asked to all by all", "asked to some by some"]);
    tell(&mut office, review, "all", Moment::Asked);
    tell(&mut office, review, "some", Moment::Asked);
    assert_eq!(missing(&office, review), [""; 0]);
    for (hours, moment) in [(84, "reminded"), (51, "escalated"), (33, "expiring")] {
        office.site.advance(Span::hours(hours) - Span::mins(if hours == 33 { 10 } else { 0 }));
        assert_eq!(missing(&office, review), [format!("{moment} to all by all")], "{moment}");
        tell(&mut office, review, "all", Moment::of(moment).unwrap());
        assert_eq!(missing(&office, review), [""; 0]);
    }
    office.site.advance(Span::mins(11));
    assert_eq!(missing(&office, review), ["expired to all by all"]);
}

#[test]
fn what_was_missed_is_not_told_late_but_the_last_of_it_is() {
    let mut office = office(&[target("chat")]);
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.site.advance(Span::hours(140));
    assert_eq!(missing(&office, review), ["escalated to chat by chat"]);
    tell(&mut office, review, "chat", Moment::Escalated);
    assert_eq!(missing(&office, review), [""; 0], "neither asked nor reminded");
    office.approve(ana(), review).unwrap();
    assert_eq!(missing(&office, review), ["decided to chat by chat"]);
    office.site.advance(Span::mins(59));
    assert_eq!(missing(&office, review), ["decided to chat by chat"]);
    office.site.advance(Span::mins(2));
    assert_eq!(missing(&office, review), [""; 0], "no news any more");
}

#[test]
fn targets_are_for_teams_classes_and_people() {
    let mut pay = target("pay");
    pay.effects = [Money].into();
    let ml = Target { teams: vec!["ml".into()], ..target("ml") };
    let both = Target { people: vec!["bob".into(), "zoe".into(), "ana".into()], ..target("both") };
    let zoe = Target { people: vec!["zoe".into()], ..target("zoe") };
    let mut office = office(&[pay, ml, both, zoe]);
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    assert_eq!(missing(&office, review), ["asked to bob, ana by both"]);
    let money = office.ask(job, Money, hold());
    assert_eq!(missing(&office, money), ["asked to pay by pay", "asked to bob, ana by both"]);
    let read = office.ask(job, Read, Wait::Park);
    assert_eq!(missing(&office, read), [""; 0], "a rule let it through");
}

#[test]
fn what_was_begun_is_not_begun_again_and_what_was_refused_is() {
    let mut office = office(&[target("chat")]);
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let asked = ("chat", Moment::Asked);
    record(&mut office, review, asked, (None, true)).unwrap();
    assert_eq!(missing(&office, review), [""; 0], "also after a crash: nobody knows");
    let again = record(&mut office, review, asked, (None, true));
    assert_eq!(refused(again).0, RefusalCode::Conflict);
    record(&mut office, review, asked, (Some("503"), true)).unwrap();
    assert_eq!(missing(&office, review), ["asked to chat by chat"], "the next server goes on");
    record(&mut office, review, asked, (None, true)).unwrap();
    record(&mut office, review, asked, (None, false)).unwrap();
    assert_eq!(refused(record(&mut office, review, asked, (None, true))).0, RefusalCode::Conflict);
    assert_eq!(office.review(review).told.len(), 1);
}

#[test]
fn a_message_that_is_no_news_any_more_is_not_sent() {
    let mut office = office(&[target("chat")]);
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.deny(ana(), review).unwrap();
    let begun = record(&mut office, review, ("chat", Moment::Asked), (None, true));
    assert!(refused(begun).1.contains("no news"));
    let retried = record(&mut office, review, ("chat", Moment::Asked), (Some("503"), true));
    assert!(refused(retried).1.contains("no news"), "so it is not tried again");
    record(&mut office, review, ("chat", Moment::Asked), (Some("503"), false)).unwrap();
    tell(&mut office, review, "chat", Moment::Decided);
}

#[test]
fn in_quiet_hours_nobody_is_reminded_and_time_that_runs_out_is_told_before_or_after() {
    let mut office = office(&[target("chat")]);
    // It is 08:00 in UTC; the end is at 20:00.
    office.policy(|rule| {
        rule.within = Some(Span::hours(12));
        rule.quiet = Weekly::parse("UTC", "daily", "13:00", "19:55").ok();
    });
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    tell(&mut office, review, "chat", Moment::Asked);
    let at = telling::expiring_at(&office.review(review)).unwrap();
    assert_eq!(at.since(office.site.at.wall), Span::mins(715), "not ten minutes before the end");
    office.site.advance(Span::mins(714));
    assert_eq!(missing(&office, review), [""; 0], "reminded and escalated wait for 19:55 too");
    assert_eq!(telling::next_expiring(&office.site.world, office.site.at.wall), Some(at));
    office.site.advance(Span::mins(1));
    assert_eq!(telling::expiring(&office.site.world, office.site.at.wall).count(), 1);
    assert_eq!(missing(&office, review), ["expiring to chat by chat"]);
    assert_eq!(telling::next_expiring(&office.site.world, office.site.at.wall), None);
    assert!(office.review(review).is_open());
}

#[test]
fn the_next_end_that_comes_near_is_found_among_many() {
    let mut office = office(&[target("chat")]);
    let job = office.job();
    let mut reviews = Vec::new();
    for (n, hours) in [(0, 9), (1, 2), (2, 5)] {
        let mut ask = asks(Irreversible, hold());
        ask.action = shell(&format!("rm /srv/{n}"));
        let review = office.try_ask(job, ask).unwrap();
        office.act(ana(), review, ReviewVerb::Extend { by: Span::hours(hours) }).unwrap();
        reviews.push(review);
    }
    let next = |office: &Office| {
        let next = telling::next_expiring(&office.site.world, office.site.at.wall);
        next.map(|next| next.since(office.site.at.wall))
    };
    assert_eq!(next(&office), Some(Span::mins(170)));
    office.act(ana(), reviews[1], ReviewVerb::AskBack { text: "why?".into() }).unwrap();
    assert_eq!(next(&office), Some(Span::mins(350)), "its clock stands");
    office.site.advance(Span::mins(351));
    assert_eq!(next(&office), Some(Span::mins(239)));
    office.site.configure(|setup| setup.notify.clear());
    assert_eq!(next(&office), None, "nobody is to be told");
}
