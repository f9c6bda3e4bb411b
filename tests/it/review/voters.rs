//! Who may decide, from which seat, and how sure we are.

use holdshort::base::Span;
use holdshort::model::Actor;
use holdshort::model::action::EffectClass::{Irreversible, Money};
use holdshort::model::people::Role;
use holdshort::model::refusal::RefusalCode::{Forbidden, NotFound};
use holdshort::model::review::{
    Assurance, Demand, ReviewCommand, ReviewState, ReviewVerb, Signature, Wait,
};

use super::office::{Office, ana, bob, carl, dora, hold, refused, user, yes};
use crate::sched::given::{OWNER, owner, person};

#[test]
fn listed_people_decide_and_nobody_else() {
    let mut office = Office::new();
    office.policy(|rule| rule.approvers = vec!["ana".into()]);
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    for by in [bob(), person("olga", 3), person("nobody", 99), owner()] {
        let (code, what) = refused(office.approve(by, review));
        assert_eq!(code, Forbidden, "{what}");
    }
    office.approve(ana(), review).unwrap();
    assert_eq!(office.decided_by(review), ["ana"]);
}

#[test]
fn the_owner_is_out_as_soon_as_somebody_else_is_listed() {
    let mut office = Office::alone();
    let job = office.job();
    let first = office.ask(job, Irreversible, hold());
    office.approve(carl(), first).unwrap();
    office.site.configure(|setup| setup.users.push(user("ana", 11, Role::Approver)));
    let mut ask = super::office::asks(Irreversible, hold());
    ask.action.target = Some("again".into());
    let second = office.try_ask(job, ask).unwrap();
    let (code, what) = refused(office.approve(carl(), second));
    assert_eq!(code, Forbidden);
    assert!(what.contains("carl owns job 1"), "{what}");
    // Another name with the owner's uid is the owner.
    let alias = Actor { user: "ana".into(), ..carl() };
    assert_eq!(refused(office.approve(alias, second)).0, Forbidden);
}

#[test]
fn an_owner_who_is_the_only_approver_decides_alone() {
    let mut office = Office::alone();
    office.policy(|rule| rule.approvers = vec!["carl".into()]);
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.approve(carl(), review).unwrap();
    assert!(office.review(review).votes[0].own);
}

#[test]
fn without_approvers_the_servers_owner_decides_for_others_too() {
    let mut office = Office::alone();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    assert_eq!(refused(office.approve(person("olga", 3), review)).0, Forbidden);
    office.approve(owner(), review).unwrap();
    let assurance = office.review(review).votes[0].assurance;
    assert_eq!(assurance, Assurance::SameUser, "jobs run as the server's user");
    assert!(!office.review(review).votes[0].own);
    assert_eq!(office.review(review).votes[0].uid, Some(OWNER));
}

#[test]
fn assurance_is_what_the_uid_and_the_key_say() {
    let mut office = Office::new();
    office.policy(|rule| {
        rule.assurance = Some(Demand::High);
        rule.approvers = vec!["ana".into(), "twin".into()];
    });
    office.site.configure(|setup| {
        setup.users.push(user("twin", 21, Role::Approver));
    });
    let job = office.job();
    let review = office.ask(job, Money, hold());
    let hash = office.review(review).hash.to_string();
    // No uid at all is no other uid.
    let unknown = Actor { user: "ana".into(), uid: None, in_job: None, job_by: None };
    assert_eq!(refused(office.act(unknown, review, yes(&hash))).0, Forbidden);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.review(review).votes[0].assurance, Assurance::OtherUser);

    let mut alone = Office::alone();
    alone.policy(|rule| rule.assurance = Some(Demand::High));
    let job = alone.job();
    let review = alone.ask(job, Money, hold());
    assert_eq!(refused(alone.approve(carl(), review)).0, Forbidden, "the same uid as the job");
    let sign = |touched| {
        let key = "SHA256:k".to_owned();
        Some(Box::new(Signature { key, touched, armoured: String::new(), text: String::new() }))
    };
    for (touched, counts) in [(false, false), (true, true)] {
        let hash = alone.review(review).hash.to_string();
        let ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, .. } = yes(&hash) else {
            panic!()
        };
        let signature = sign(touched);
        let verb =
            ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, until: None, signature };
        assert_eq!(alone.act(carl(), review, verb).is_ok(), counts);
    }
    assert_eq!(alone.review(review).votes[0].assurance, Assurance::Hardware);
}

#[test]
fn a_seat_that_was_handed_on_is_still_one_seat() {
    let mut office = Office::new();
    office.policy(|rule| {
        rule.approvers = vec!["ana".into(), "bob".into()];
        rule.need = Some(2);
    });
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    assert_eq!(refused(office.approve(dora(), review)).0, Forbidden);
    office.act(ana(), review, ReviewVerb::Delegate { to: "dora".into() }).unwrap();
    office.approve(dora(), review).unwrap();
    assert_eq!(&*office.review(review).votes[0].seat, "ana");
    office.approve(ana(), review).unwrap();
    assert!(office.review(review).is_open(), "ana and dora sit on one seat");
    office.approve(bob(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
}

#[test]
fn seats_are_not_handed_to_the_owner_or_to_strangers() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let to = |name: &str| ReviewVerb::Delegate { to: name.into() };
    assert_eq!(refused(office.act(ana(), review, to("carl"))).0, Forbidden);
    assert_eq!(refused(office.act(ana(), review, to("zoe"))).0, NotFound);
    assert_eq!(refused(office.act(carl(), review, to("ana"))).0, Forbidden);
}

#[test]
fn somebody_away_is_stood_in_for_until_they_are_back() {
    let mut office = Office::new();
    office.policy(|rule| rule.approvers = vec!["ana".into()]);
    let until = Some(office.site.in_(Span::hours(8)));
    let away = |to: Option<&str>, by| ReviewCommand::Away {
        from: "ana".into(),
        to: to.map(Into::into),
        until,
        by,
    };
    assert_eq!(refused(office.command(away(Some("bob"), bob()))).0, Forbidden);
    office.command(away(Some("bob"), ana())).unwrap();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.approve(bob(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
    let late = office.job();
    let review = office.ask(late, Irreversible, Wait::Park);
    office.site.advance(Span::hours(9));
    assert_eq!(refused(office.approve(bob(), review)).0, Forbidden);
    office.approve(ana(), review).unwrap();
}

#[test]
fn a_vote_of_somebody_who_was_taken_off_the_list_does_not_count() {
    let mut office = Office::new();
    office.policy(|rule| rule.need = Some(2));
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    office.site.configure(|setup| setup.users.retain(|user| &*user.name != "ana"));
    office.approve(bob(), review).unwrap();
    assert!(office.review(review).is_open(), "of two votes one counts");
    office.approve(dora(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
    assert_eq!(office.decided_by(review), ["bob", "dora"]);
}
