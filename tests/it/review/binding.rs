//! What a review is bound to, and idempotency.

use holdshort::model::action::EffectClass::{Irreversible, Reversible};
use holdshort::model::refusal::RefusalCode::{Forbidden, KeyReused, NotFound};
use holdshort::model::review::{ReviewVerb, Wait};

use super::office::{Office, agent, ana, asks, carl, hold, no, refused, yes};
use crate::sched::given::person;

#[test]
fn a_job_asks_for_itself_and_for_what_it_started_only() {
    let mut office = Office::new();
    let job = office.job();
    let other = office.job();
    let ask = |office: &mut Office, by| {
        let ask = Box::new(asks(Irreversible, Wait::Park));
        office.command(holdshort::model::review::ReviewCommand::Ask { job, ask, by })
    };
    assert_eq!(refused(ask(&mut office, agent(other))).0, Forbidden);
    assert_eq!(refused(ask(&mut office, person("vera", 1))).0, Forbidden);
    ask(&mut office, carl()).unwrap();
    let review = office.ask(job, Irreversible, Wait::Park);
    let withdraw = ReviewVerb::Withdraw { reason: None, abandoned: false };
    assert_eq!(refused(office.act(agent(other), review, withdraw)).0, Forbidden);
}

#[test]
fn a_vote_that_is_sent_twice_is_one_vote_and_its_key_is_for_it_alone() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let hash = office.review(review).hash.to_string();
    office.act_once(ana(), review, yes(&hash), "k").unwrap();
    office.act_once(ana(), review, yes(&hash), "k").unwrap();
    assert_eq!(office.site.facts, []);
    assert_eq!(refused(office.act_once(ana(), review, no("x"), "k")).0, KeyReused);
    let unknown = holdshort::base::ReviewId(99);
    assert_eq!(refused(office.act(ana(), unknown, no("x"))).0, NotFound);
}

#[test]
fn an_ask_that_was_not_announced_is_taken_and_marked() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.may_ask = [Irreversible].into());
    let told = office.ask(job, Irreversible, Wait::Park);
    let untold = office.ask(job, Reversible, Wait::Park);
    assert!(!office.review(told).ask.undeclared && office.review(untold).ask.undeclared);
}

#[test]
fn numbers_are_never_used_twice_and_leave_with_their_job() {
    let mut office = Office::new();
    office.site.configure(|setup| setup.defaults.keep_ended = 0);
    let job = office.job();
    let first = office.ask(job, Irreversible, Wait::Park);
    let other = office.job();
    office.site.end(job, 0);
    assert!(office.site.world.desk().get(first).is_none(), "it left the world with its job");
    assert!(office.ask(other, Irreversible, Wait::Park) > first);
}
