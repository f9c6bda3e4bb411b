//! Votes that are taken back: a no before it counts, the first of two yeses until the second.

use holdshort::base::Span;
use holdshort::model::action::EffectClass::{Irreversible, Money, Reversible};
use holdshort::model::refusal::RefusalCode::{Conflict, Forbidden};
use holdshort::model::review::{ReviewState, ReviewVerb, Verdict, Wait};
use holdshort::model::{Actor, State};

use super::office::{Office, agent, ana, bob, carl, dora, hold, no, refused, vote};

const UNDO: Span = Span::secs(10);

/// The same vote as a console gives it.
pub fn undoable(verb: ReviewVerb) -> ReviewVerb {
    let ReviewVerb::Vote { verdict, reason, hash, version, uses, until, signature, .. } = verb
    else {
        panic!("that is no vote")
    };
    ReviewVerb::Vote { verdict, reason, hash, version, undo: UNDO, uses, until, signature }
}

fn back() -> ReviewVerb {
    ReviewVerb::Revoke { reason: None }
}

fn slow_yes(office: &Office, review: holdshort::base::ReviewId) -> ReviewVerb {
    let hash = office.review(review).hash.to_string();
    undoable(vote(Verdict::Approve, None, Some(&hash)))
}

fn standing(office: &Office, review: holdshort::base::ReviewId) -> Vec<String> {
    office.review(review).standing_votes().map(|vote| vote.by.to_string()).collect()
}

#[test]
fn a_no_that_may_be_taken_back_does_nothing_until_then() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let stop = vote(Verdict::Deny { stop: true }, Some("wrong host"), None);
    office.act(ana(), review, undoable(stop)).unwrap();
    assert!(office.review(review).is_open());
    assert_eq!(office.site.job(job).state, State::Running);
    office.site.advance(Span(UNDO.0 - 1));
    assert!(office.review(review).is_open(), "it can be taken back to the last");
    office.site.advance(Span(1));
    assert_eq!(office.state(review), ReviewState::Denied);
    assert_eq!(office.decided_by(review), ["ana"]);
    assert!(matches!(office.site.job(job).state, State::Stopping(_)), "now the job stops");
    let late = refused(office.act(ana(), review, back()));
    assert_eq!(late.0, Conflict);
    assert!(late.1.contains("denied by ana"), "{}", late.1);
}

#[test]
fn a_no_that_was_taken_back_leaves_the_review_as_it_was() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let version = office.review(review).version;
    office.act(ana(), review, undoable(no("not today"))).unwrap();
    assert_eq!(refused(office.act(agent(job), review, back())).0, Forbidden, "never the job");
    assert_eq!(refused(office.act(bob(), review, back())).0, Conflict, "bob has not voted");
    office.act(ana(), review, back()).unwrap();
    office.site.advance(Span::mins(1));
    assert!(office.review(review).is_open());
    assert_eq!(office.review(review).version, version);
    assert_eq!(standing(&office, review), [""; 0]);
    assert_eq!(office.review(review).votes.len(), 1, "that it was given is kept");
    assert_eq!(refused(office.act(ana(), review, back())).0, Conflict, "once is all");
    office.approve(ana(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
}

#[test]
fn the_first_of_two_yeses_is_taken_back_until_the_second_decides() {
    let mut office = Office::new();
    office.policy(|rule| rule.need = Some(2));
    let job = office.job();
    let review = office.ask(job, Money, Wait::Park);
    office.park(job);
    office.approve(ana(), review).unwrap();
    office.site.advance(Span::mins(5));
    office.act(ana(), review, back()).unwrap();
    office.approve(bob(), review).unwrap();
    assert!(office.review(review).is_open(), "one yes of two");
    office.approve(dora(), review).unwrap();
    assert_eq!(office.decided_by(review), ["bob", "dora"]);
    office.act(bob(), review, back()).unwrap();
    assert_eq!(office.state(review), ReviewState::Revoked, "decided, it is the right that goes");
}

#[test]
fn nothing_is_approved_beside_a_no_that_does_not_count_yet() {
    let mut office = Office::new();
    for (taken_back, state) in [(true, ReviewState::Approved), (false, ReviewState::Denied)] {
        let job = office.job();
        let review = office.ask(job, Reversible, hold());
        office.act(ana(), review, undoable(no("wrong target"))).unwrap();
        office.site.advance(Span::secs(2));
        let yes = slow_yes(&office, review);
        office.act(bob(), review, yes).unwrap();
        assert!(office.review(review).is_open());
        let right_from = office.site.at.wall + UNDO;
        office.site.advance(Span::secs(4));
        if taken_back {
            office.act(ana(), review, back()).unwrap();
            let grant = office.review(review).grant.clone().unwrap();
            assert_eq!(grant.from, right_from, "bob may still think again");
        } else {
            office.site.advance(UNDO);
        }
        assert_eq!(office.state(review), state);
    }
}

#[test]
fn a_no_in_time_is_not_late_because_it_could_be_taken_back() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let left = office.review(review).left(office.site.at.wall);
    office.site.advance(Span(left.0 - 3000));
    office.act(ana(), review, undoable(no("not today"))).unwrap();
    office.site.advance(Span::mins(1));
    assert_eq!(office.state(review), ReviewState::Denied, "and not expired");
    assert_eq!(office.decided_by(review), ["ana"]);
}

#[test]
fn a_no_that_is_said_again_in_earnest_counts_at_once() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.act(ana(), review, undoable(no("not today"))).unwrap();
    office.deny(ana(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Denied);
}

#[test]
fn of_two_noes_each_counts_on_its_own_time() {
    let mut office = Office::new();
    office.policy(|rule| (rule.need, rule.deny_at) = (Some(2), Some(2)));
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let deny = |office: &mut Office, by: Actor| {
        office.act(by, review, undoable(no("not today"))).unwrap();
    };
    deny(&mut office, ana());
    office.site.advance(Span::secs(30));
    assert!(office.review(review).is_open(), "one no of two");
    assert_eq!(office.review(review).held_no(), None, "and that counts");
    deny(&mut office, bob());
    office.site.advance(UNDO);
    assert_eq!(office.decided_by(review), ["ana", "bob"]);
}

#[test]
fn the_only_person_there_may_think_again_as_well() {
    let mut office = Office::alone();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.act(carl(), review, undoable(no("oops"))).unwrap();
    office.act(carl(), review, back()).unwrap();
    office.site.advance(Span::mins(1));
    assert!(office.review(review).is_open());
}
