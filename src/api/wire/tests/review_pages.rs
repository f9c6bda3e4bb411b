//! Pages, cards and requests about reviews, with something in every field.

use super::reviews::{action, review, stored};
use super::*;
use crate::api::wire::review::card::ReviewDocument;
use crate::api::wire::review::list::ReviewList;
use crate::api::wire::review::requests::{
    ActionRequest, AskRequest, EditRequest, RedeemRequest, VoteRequest, body_of,
};
use crate::base::{ReviewId, Span};
use crate::model::action::{Args, EffectClass};
use crate::model::estimate::Forecast;
use crate::model::page::reviews::{
    Back, Beside, Compared, ComparedLine, Mark, Reader, ReviewCard, ReviewCursor, ReviewPage,
    ReviewRow, Same,
};
use crate::model::review::{
    Alternative, Ask, Assurance, Delegation, Demand, Fallback, ReviewState, ReviewVerb, Verdict,
    Wait,
};

fn beside(seat: Option<&str>) -> Beside {
    let reader = Reader {
        seat: seat.map(Into::into),
        own: true,
        why_not: Some("it is denied".into()),
        assurance: Assurance::OtherUser,
        sure: true,
        voted: Some(Verdict::Deny { stop: true }),
    };
    let holds = Resources { cpu_milli: 500, ..Resources::default() };
    let (job_name, job_state) = ("pay".into(), "in_review".into());
    Beside { job_name, job_state, holds, yes: 1, no: 2, reader }
}

fn row(seat: Option<&str>) -> ReviewRow {
    let review = review();
    ReviewRow {
        id: review.id,
        job: review.job,
        team: review.team.clone(),
        owner: review.owner.clone(),
        agent: Some("payer".into()),
        effect: EffectClass::Money,
        subject: action().subject(),
        summary: "due".into(),
        hash: review.hash,
        state: ReviewState::Denied,
        since: at(1),
        asked: at(2),
        deadline: Wall(3),
        stopped: Some(Wall(4)),
        level: 2,
        version: 3,
        fallback: Fallback::RunAlternative("draft".into()),
        wait: Wait::Hold { most: Span(5) },
        votes: review.votes.clone(),
        needed: 2,
        demand: Demand::High,
        opened: [("dora".into(), at(4))].into(),
        decision: review.decision.as_deref().cloned(),
        beside: beside(seat),
    }
}

#[test]
fn a_page_of_reviews_reads_back_and_has_the_keys_of_the_contract() {
    let page = ReviewPage {
        reviews: vec![row(Some("ana")), row(None)],
        next: Some(ReviewCursor::Open(Wall(3), ReviewId(17))),
        open: 7,
        mine: 2,
        away: Some(Delegation { from: "a".into(), to: "b".into(), until: Some(Wall(5)) }),
        seq: 9,
        at: at(6),
    };
    let shown = ReviewList::from(&page);
    let json = serde_json::to_value(&shown).unwrap();
    let contract = "id job effect summary action_hash state asked_at expires_at fallback votes \
        needed assurance";
    for key in contract.split_whitespace() {
        assert!(json["reviews"][0].get(key).is_some(), "{key}");
    }
    assert_eq!(json["reviews"][1]["beside"]["reader"]["may_vote"], false);
    assert_eq!(ReviewPage::try_from(over_the_wire(&shown)), Ok(page));
}

#[test]
fn a_card_reads_back_whatever_is_known() {
    let forecast = Forecast { from: Wall(5), to: Wall(6), hits_percent: Some(83), guess: false };
    let backs =
        [Back::Waits, Back::AtOnce, Back::Then(forecast), Back::Later, Back::Others(2), Back::Held];
    for (back, mark) in backs.into_iter().zip(Mark::ALL.into_iter().cycle()) {
        let line = ComparedLine {
            path: "--to".into(),
            now: Some("x".into()),
            before: vec![("y".into(), 3)],
            more: 1,
            range: Some(("1".into(), "2".into())),
            mark,
        };
        let same = Same {
            review: ReviewId(3),
            job: JobId(4),
            state: ReviewState::Redeemed,
            used: 1,
            asked: at(2),
        };
        let card = ReviewCard {
            review: review(),
            beside: beside(Some("ana")),
            listed: vec!["ana".into()],
            next: vec!["olga".into()],
            compared: Compared { to: "payctl".into(), yeses: 14, lines: vec![line] },
            same: vec![same],
            answer: Some(forecast),
            back: Some(back),
            seq: 9,
            at: at(6),
        };
        let shown = ReviewDocument::from(&card);
        let json = serde_json::to_value(&shown).unwrap();
        assert_eq!(json["review"]["id"], "R17");
        assert_eq!(ReviewCard::try_from(over_the_wire(&shown)), Ok(card));
    }
}

#[test]
fn what_is_asked_reads_back() {
    for (wait, action) in [(Wait::Park, action()), (Wait::Hold { most: Span(9) }, stored())] {
        let ask = Ask {
            step: None,
            effect: EffectClass::Money,
            action,
            summary: "it is due".into(),
            agent: Some("payer".into()),
            alternatives: vec![Alternative { name: "draft".into(), summary: "write".into() }],
            conditions: [("balance".into(), "7".into())].into(),
            wait,
            key: Some("k".into()),
            undeclared: false,
        };
        let request = over_the_wire(&AskRequest::new(Some(JobId(4)), &ask));
        assert_eq!(request.into_model(Some("k".into())), Ok((Some(JobId(4)), ask)));
    }
}

#[test]
fn arguments_are_kept_in_canonical_form_and_ambiguous_ones_refused() {
    let args = |text: &str| {
        let text = format!(r#"{{"kind":"tool","args":{text}}}"#);
        let request: ActionRequest = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        request.into_model().map(|action| action.args).map_err(|error| error.0)
    };
    let here = |text: &str| Ok(Args::Here(text.to_owned()));
    assert_eq!(args(r#"{ "b": 1.0, "a": [true] }"#), here(r#"{"a":[true],"b":1}"#));
    assert_eq!(args(r#""\u202e""#), here("\"\u{202e}\""));
    assert!(args(r#"{"to":"a","to":"b"}"#).unwrap_err().contains("to"));
    assert!(args("12345678901234567890123").is_err());
    assert!(serde_json::from_str::<ActionRequest>(r#"{"kind":"x","arg":{}}"#).is_err());
    let nothing: ActionRequest = serde_json::from_str(r#"{"kind":"x"}"#).unwrap();
    assert!(nothing.into_model().is_err());
}

#[test]
fn every_verb_that_says_something_reads_back() {
    let vote = |verdict| ReviewVerb::Vote {
        verdict,
        reason: Some("no".into()),
        hash: Some("12345678".into()),
        version: Some(3),
        undo: Span(10_000),
        uses: Some(3),
        until: Some(Wall(5)),
        signature: None,
    };
    for verdict in [Verdict::Approve, Verdict::Deny { stop: false }, Verdict::Deny { stop: true }] {
        let body = body_of(&vote(verdict)).unwrap();
        let request: VoteRequest = serde_json::from_str(body.get()).unwrap();
        assert_eq!(request.into_model(), Ok(vote(verdict)));
    }
    let edit = ReviewVerb::Edit { action: Box::new(action()), hash: Some("12345678".into()) };
    let request: EditRequest = serde_json::from_str(body_of(&edit).unwrap().get()).unwrap();
    assert_eq!(request.into_model(), Ok(edit));
    let redeem = ReviewVerb::Redeem {
        hash: Some(Digest::of(b"x")),
        action: Some(Box::new(action())),
        conditions: [("balance".into(), None), ("plan".into(), Some("7".into()))].into(),
    };
    let request: RedeemRequest = serde_json::from_str(body_of(&redeem).unwrap().get()).unwrap();
    assert_eq!(request.into_model(), Ok(redeem));
}
