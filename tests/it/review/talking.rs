//! Questions, more people, more time, who looks.

use holdshort::base::Span;
use holdshort::base::calendar::Weekly;
use holdshort::model::action::EffectClass::Irreversible;
use holdshort::model::refusal::RefusalCode::{Conflict, Forbidden, Usage};
use holdshort::model::review::{ReviewState, ReviewVerb, Wait};

use super::office::{HOUR, Office, agent, ana, bob, carl, dora, hold, refused};

fn ask_back(text: &str) -> ReviewVerb {
    ReviewVerb::AskBack { text: text.into() }
}

fn answer(text: &str) -> ReviewVerb {
    ReviewVerb::Answer { text: text.into() }
}

#[test]
fn asking_back_stops_the_clock_and_an_answer_lets_it_go_on() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let deadline = office.review(review).deadline;
    office.site.advance(Span::mins(20));
    office.act(ana(), review, ask_back("same account as last month?")).unwrap();
    office.site.advance(Span::hours(5));
    assert!(office.review(review).is_open(), "it would have expired");
    assert_eq!(refused(office.act(bob(), review, answer("yes"))).0, Forbidden);
    office.act(agent(job), review, answer("yes, see contract.pdf")).unwrap();
    assert_eq!(office.review(review).deadline, deadline + Span::hours(5));
    let talk = office.review(review).talk.clone();
    let said: Vec<_> = talk.iter().map(|said| (&*said.by, said.answer)).collect();
    assert_eq!(said, [("ana", false), ("job 1", true)]);
    office.site.advance(Span::mins(41));
    assert_eq!(office.state(review), ReviewState::Expired);
    assert_eq!(refused(office.act(ana(), review, ask_back("late?"))).0, Conflict);
}

#[test]
fn a_question_does_not_keep_a_review_open_for_ever() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.act(ana(), review, ask_back("why?")).unwrap();
    assert_eq!(refused(office.act(ana(), review, ask_back(" "))).0, Usage);
    office.site.advance(Span::hours(24 * 31));
    assert_eq!(office.state(review), ReviewState::Expired);
}

#[test]
fn a_person_may_answer_for_a_job_that_is_parked() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.act(ana(), review, ask_back("why?")).unwrap();
    office.act(carl(), review, answer("the disk is full")).unwrap();
    assert_eq!(office.review(review).stopped, None);
    office.approve(ana(), review).unwrap();
}

#[test]
fn escalated_it_may_be_decided_by_the_next_people() {
    let mut office = Office::new();
    office.policy(|rule| {
        rule.approvers = vec!["ana".into()];
        rule.escalate_to = vec!["dora".into()];
    });
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    assert_eq!(refused(office.approve(dora(), review)).0, Forbidden);
    assert_eq!(refused(office.act(carl(), review, ReviewVerb::Escalate)).0, Forbidden);
    office.act(ana(), review, ReviewVerb::Escalate).unwrap();
    office.approve(dora(), review).unwrap();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.site.advance(Span::mins(49));
    office.approve(dora(), review).unwrap();
    assert_eq!(office.decided_by(review), ["dora"], "by itself after four fifths");
}

#[test]
fn who_is_not_at_work_is_not_waited_for() {
    let mut office = Office::new();
    // The clock of the tests shows 08:00 UTC on a Friday.
    let hours = |from, to| Some(Weekly::parse("UTC", "daily", from, to).unwrap());
    let (closed, open) = (hours("20:00", "22:00"), hours("00:00", "24:00"));
    for (hours, level) in [(closed, 2), (open, 0)] {
        office.site.configure(|setup| setup.review_policies.clear());
        office.policy(|rule| {
            rule.approvers = vec!["ana".into()];
            rule.escalate_to = vec!["dora".into()];
            rule.hours = hours;
        });
        let job = office.job();
        let review = office.ask(job, Irreversible, hold());
        assert_eq!(office.review(review).level, level);
        assert_eq!(office.approve(dora(), review).is_ok(), level == 2);
        office.site.end(job, 0);
    }
}

#[test]
fn a_review_stays_open_for_thirty_days_at_most() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    let much = ReviewVerb::Extend { by: Span::hours(24 * 40) };
    assert_eq!(refused(office.act(ana(), review, much)).0, Usage);
    assert_eq!(refused(office.act(carl(), review, ReviewVerb::Extend { by: HOUR })).0, Forbidden);
}

#[test]
fn others_see_who_has_it_open() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.act(dora(), review, ReviewVerb::Look).unwrap();
    office.act(dora(), review, ReviewVerb::Look).unwrap();
    assert_eq!(office.site.facts, [], "once is enough");
    assert!(office.review(review).opened.contains_key("dora"));
    assert_eq!(refused(office.act(agent(job), review, ReviewVerb::Look)).0, Forbidden);
    office.act(dora(), review, ReviewVerb::Leave).unwrap();
    assert!(office.review(review).opened.is_empty());
}

#[test]
fn who_does_not_say_again_that_they_look_has_it_open_no_more() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    let looks = |office: &Office| office.review(review).opened.contains_key("dora");
    let since = office.site.at;
    office.act(dora(), review, ReviewVerb::Look).unwrap();
    let mut said = 0;
    for _ in 0..9 {
        office.site.advance(Span::secs(20));
        office.act(dora(), review, ReviewVerb::Look).unwrap();
        said += office.site.facts.len();
        assert!(looks(&office));
    }
    assert!(said < 9, "not every time is worth a record: {said}");
    assert_eq!(office.review(review).opened["dora"], since, "all that time");
    // Her console is killed.
    office.site.advance(Span::secs(59));
    office.site.advance(Span::secs(1));
    assert!(!looks(&office));
    let next = office.site.world.desk().next_due(office.site.at.wall).unwrap();
    assert!(next > office.site.in_(HOUR), "nothing wakes the server for that any more");
    office.act(dora(), review, ReviewVerb::Look).unwrap();
    office.act(ana(), review, ReviewVerb::Look).unwrap();
    office.site.advance(Span::mins(1));
    assert!(office.review(review).opened.is_empty(), "both at one instant");
}
