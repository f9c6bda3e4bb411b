//! Votes, edits, what is taken back, and what time does.

use holdshort::base::Span;
use holdshort::model::action::EffectClass::{External, Irreversible, Money, Reversible};
use holdshort::model::refusal::RefusalCode::{Changed, Conflict, Forbidden, Spent, Usage};
use holdshort::model::review::{Fallback, ReviewState, ReviewVerb, Verdict, Wait};

use super::office::{
    HOUR, Office, agent, ana, asks, bob, carl, dora, hold, no, refused, shell, vote, yes,
};

#[test]
fn there_is_no_blind_yes() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let hash = office.review(review).hash.to_string();
    let blind = vote(Verdict::Approve, None, None);
    assert_eq!(refused(office.act(ana(), review, blind)).0, Usage);
    assert_eq!(refused(office.act(ana(), review, yes(&hash[..7]))).0, Usage);
    assert_eq!(refused(office.act(ana(), review, yes("00000000"))).0, Changed);
    assert_eq!(refused(office.act(ana(), review, yes("zzzzzzzz"))).0, Usage);
    office.act(ana(), review, yes(&format!("sha256:{}", &hash[..8]))).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
}

#[test]
fn an_edit_is_another_action_and_everybody_votes_again() {
    let mut office = Office::new();
    office.policy(|rule| rule.need = Some(2));
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let old = office.review(review).hash.to_string();
    office.approve(bob(), review).unwrap();
    let mut action = shell("rm -rf /srv/old/tmp");
    let edit = |action| ReviewVerb::Edit { action: Box::new(action), hash: Some(old.clone()) };
    office.act(ana(), review, edit(action.clone())).unwrap();
    assert_ne!(office.review(review).hash.to_string(), old);
    assert_eq!(refused(office.act(ana(), review, yes(&old))).0, Changed, "that was the old one");
    office.approve(ana(), review).unwrap();
    assert!(office.review(review).is_open(), "bob's yes was for something else");
    office.approve(bob(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
    office.redeem_action(review, action.clone()).unwrap();
    assert_eq!(office.state(review), ReviewState::Redeemed);
    action.tool = Some("Write".into());
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let hash = Some(office.review(review).hash.to_string());
    let other = ReviewVerb::Edit { action: Box::new(action), hash };
    assert_eq!(refused(office.act(ana(), review, other)).0, Usage, "that is another tool");
}

#[test]
fn somebody_may_think_again_while_it_is_open() {
    let mut office = Office::new();
    office.policy(|rule| (rule.need, rule.deny_at) = (Some(2), Some(2)));
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    office.deny(ana(), review).unwrap();
    office.approve(bob(), review).unwrap();
    assert!(office.review(review).is_open(), "one yes, one no");
    office.deny(dora(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Denied);
    assert_eq!(office.decided_by(review), ["ana", "dora"]);
    assert_eq!(office.review(review).votes.len(), 4, "all of it is kept");
}

#[test]
fn a_screen_that_is_behind_votes_on_nothing() {
    let mut office = Office::new();
    office.policy(|rule| rule.need = Some(2));
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let hash = office.review(review).hash.to_string();
    let ReviewVerb::Vote { verdict, reason, hash, undo, uses, signature, .. } = yes(&hash) else {
        panic!()
    };
    let version = Some(office.review(review).version + 1);
    let verb =
        ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, until: None, signature };
    assert_eq!(refused(office.act(ana(), review, verb)).0, Changed);
}

#[test]
fn a_yes_can_be_taken_back_before_it_takes_effect_and_until_it_is_used() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let hash = office.review(review).hash.to_string();
    let ReviewVerb::Vote { verdict, reason, hash, version, uses, signature, .. } = yes(&hash)
    else {
        panic!()
    };
    let undo = Span::secs(10);
    let verb =
        ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, until: None, signature };
    office.act(ana(), review, verb).unwrap();
    let (code, what) = refused(office.redeem(review));
    assert_eq!(code, Conflict);
    assert!(what.contains("takes effect at"), "{what}");
    office.site.advance(Span::secs(10));
    let revoke = || ReviewVerb::Revoke { reason: Some("wrong account".into()) };
    assert_eq!(refused(office.act(carl(), review, revoke())).0, Forbidden);
    office.act(bob(), review, revoke()).unwrap();
    assert_eq!(office.state(review), ReviewState::Revoked);
    assert_eq!(refused(office.redeem(review)).0, Spent);
    let job = office.job();
    let used = office.ask(job, Irreversible, hold());
    office.approve(ana(), used).unwrap();
    office.redeem(used).unwrap();
    assert_eq!(refused(office.act(ana(), used, revoke())).0, Spent, "it was used");
}

#[test]
fn the_clock_of_a_right_runs_only_while_the_job_runs() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    let greedy = office.job_with(|job| job.request.cpu_milli = 4000);
    office.approve(ana(), review).unwrap();
    let until = |office: &Office| office.review(review).grant.as_ref().unwrap().until;
    office.site.advance(HOUR);
    assert_eq!(until(&office), None, "an hour in the queue costs nothing");
    office.site.end(greedy, 0);
    office.site.start(job);
    assert_eq!(until(&office), Some(office.site.in_(Span::mins(15))));
    office.site.advance(Span::mins(14));
    assert_eq!(office.state(review), ReviewState::Approved);
    office.site.advance(Span::mins(2));
    assert_eq!(office.state(review), ReviewState::Lapsed);
    assert_eq!(refused(office.redeem(review)).0, Spent);
    // The same may be asked anew then.
    assert_ne!(office.ask(job, Irreversible, Wait::Park), review);
}

#[test]
fn keep_waiting_asks_again_but_not_for_ever() {
    let mut office = Office::new();
    office.policy(|rule| {
        rule.fallback = Some(Fallback::KeepWaiting);
        rule.within = Some(Span::hours(24));
    });
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.site.advance(Span::hours(24 * 29));
    assert!(office.review(review).is_open());
    assert_eq!(office.review(review).level, 2);
    office.site.advance(Span::hours(48));
    assert_eq!(office.state(review), ReviewState::Expired);
    assert_eq!(office.site.word(job), "starting", "it is told");
}

#[test]
fn silence_may_let_something_reversible_happen_if_somebody_wrote_that_out() {
    let mut office = Office::new();
    office.policy(|rule| {
        rule.effects = [Reversible].into();
        rule.fallback = Some(Fallback::Approve);
    });
    let job = office.job();
    let review = office.ask(job, Reversible, hold());
    office.site.advance(Span::hours(25));
    assert_eq!(office.state(review), ReviewState::Expired, "recorded as what it was");
    assert_eq!(office.decided_by(review), [""; 0]);
    office.redeem(review).unwrap();
}

#[test]
fn what_goes_on_before_it_is_answered_can_be_undone_for_a_while() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Reversible, Wait::Go);
    assert!(office.review(review).is_open());
    assert_eq!(office.site.word(job), "running");
    office.redeem(review).unwrap();
    assert_eq!(refused(office.redeem(review)).0, Spent);
    office.act(ana(), review, no("undo that")).unwrap();
    assert_eq!(office.state(review), ReviewState::Denied);
    let quiet = office.job();
    let review = office.ask(quiet, Reversible, Wait::Go);
    office.site.advance(Span::hours(25));
    assert_eq!(office.state(review), ReviewState::Expired, "nobody looked: it stands");
    let mut unsafe_one = asks(External, Wait::Go);
    unsafe_one.action.target = Some("mail".into());
    assert_eq!(refused(office.try_ask(quiet, unsafe_one)).0, Usage);
}

#[test]
fn a_job_takes_back_what_it_asked_and_may_ask_anew() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Money, hold());
    let withdraw = |abandoned| ReviewVerb::Withdraw { reason: None, abandoned };
    assert_eq!(refused(office.act(ana(), review, withdraw(false))).0, Forbidden);
    office.act(agent(job), review, withdraw(false)).unwrap();
    assert_eq!(office.state(review), ReviewState::Withdrawn);
    let again = office.ask(job, Money, hold());
    assert_ne!(again, review);
    office.act(agent(job), again, withdraw(true)).unwrap();
    assert_eq!(office.state(again), ReviewState::Abandoned);
}

#[test]
fn an_outage_gives_every_open_review_ten_more_minutes() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, External, hold());
    office.site.advance(Span::mins(25));
    office.site.down(HOUR, false);
    assert!(office.review(review).is_open());
    assert_eq!(office.review(review).deadline, office.site.in_(Span::mins(10)));
    office.site.advance(Span::mins(11));
    assert_eq!(office.state(review), ReviewState::Expired);
    let plenty = office.job();
    let review = office.ask(plenty, Money, hold());
    let deadline = office.review(review).deadline;
    office.site.reboot("boot-1");
    assert_eq!(office.review(review).deadline, deadline, "there was time enough");
}

#[test]
fn money_needs_an_amount_and_what_is_irreversible_a_target() {
    let mut office = Office::new();
    let job = office.job();
    let mut free = asks(Money, Wait::Park);
    free.action.amount = None;
    assert_eq!(refused(office.try_ask(job, free)).0, Usage);
    let mut aimless = asks(Irreversible, Wait::Park);
    aimless.action.target = None;
    assert_eq!(refused(office.try_ask(job, aimless)).0, Usage);
    let queued = office.site.try_submit(carl(), |job| job.request.cpu_milli = 4000).unwrap();
    let asked = office.try_ask(queued, asks(Irreversible, Wait::Park));
    assert_eq!(refused(asked).0, Conflict, "it does not run");
}
