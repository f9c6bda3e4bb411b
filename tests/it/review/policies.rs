//! Which rule a request meets.

use holdshort::base::Span;
use holdshort::model::action::Amount;
use holdshort::model::action::EffectClass::{Irreversible, Money, Reversible};
use holdshort::model::review::{Fallback, ReviewState, Wait};
use holdshort::sched::policy::review::{PARKED_FOR, lint};
use holdshort::sched::review::who;

use super::office::{Office, ana, asks, bob, hold};

#[test]
fn much_money_needs_two() {
    let mut office = Office::new();
    office.policy(|rule| {
        rule.effects = [Money].into();
        rule.above = Some(Amount::parse("1000", "EUR").unwrap());
        rule.need = Some(2);
    });
    let job = office.job();
    let much = office.ask(job, Money, Wait::Park);
    let mut less = asks(Money, Wait::Park);
    less.action.amount = Some(Amount::parse("999", "EUR").unwrap());
    let less = office.try_ask(job, less).unwrap();
    assert_eq!((office.review(much).rule.need, office.review(less).rule.need), (2, 1));
    office.approve(ana(), less).unwrap();
    office.approve(ana(), much).unwrap();
    assert!(office.review(much).is_open());
    office.approve(bob(), much).unwrap();
    assert_eq!(office.state(much), ReviewState::Approved);
}

#[test]
fn without_a_policy_a_parked_review_waits_a_week_and_is_denied() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    let rule = office.review(review).rule.clone();
    assert_eq!(
        (rule.within, &rule.fallback, &*rule.version),
        (PARKED_FOR, &Fallback::Deny, "default")
    );
    office.site.advance(PARKED_FOR);
    assert_eq!(office.state(review), ReviewState::Expired);
    assert_eq!(office.site.word(job), "starting");
}

#[test]
fn a_change_of_the_configuration_leaves_what_was_asked_as_it_was() {
    let mut office = Office::new();
    office.policy(|rule| (rule.need, rule.within) = (Some(1), Some(Span::hours(2))));
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let before = office.review(review);
    office.site.configure(|setup| setup.review_policies[0].need = Some(3));
    assert_eq!(*office.review(review), *before);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
}

#[test]
fn a_policy_says_how_the_job_waits_but_nothing_unsafe() {
    let mut office = Office::new();
    office.policy(|rule| rule.wait = Some(Wait::Go));
    let job = office.job();
    let careful = office.ask(job, Irreversible, Wait::Park);
    assert_eq!(office.review(careful).ask.wait, Wait::Park);
    let draft = office.ask(job, Reversible, Wait::Park);
    assert_eq!(office.review(draft).ask.wait, Wait::Go);
}

#[test]
fn the_check_of_policies_knows_the_people_there_are() {
    let mut office = Office::new();
    office.policy(|rule| rule.need = Some(4));
    let world = &office.site.world;
    let found = lint(&world.setup().review_policies, |team| who::approvers_of(world, team));
    assert!(found[0].text.contains("4 yeses are needed and 3 may vote"), "{found:?}");
}
