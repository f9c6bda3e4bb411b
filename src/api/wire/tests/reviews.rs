//! Facts about reviews, with something in every field.

use super::*;
use crate::api::wire::review::decision::JsonPapers;
use crate::api::wire::review::shown::ReviewShown;
use crate::base::calendar::Weekly;
use crate::base::{ReviewId, Span};
use crate::model::action::{Action, Amount, Args, EffectClass, FileLine};
use crate::model::fact::{Requested, ReviewFact};
use crate::model::ports::Papers as _;
use crate::model::review::grant::Spent;
use crate::model::review::{
    Alternative, Ask, Assurance, Decision, Delegation, Delivery, Demand, Fallback, Grant, Moment,
    Review, ReviewPolicy, ReviewState, Rule, Said, Signature, Step, StepState, Target, Verdict,
    Vote, Wait,
};

pub(super) fn action() -> Action {
    Action {
        kind: "tool".into(),
        tool: Some("payctl".into()),
        args: Args::Here(r#"{"n":1e+30,"to":"€"}"#.into()),
        target: Some("acme".into()),
        amount: Some(Amount::parse("4180", "EUR").unwrap()),
    }
}

pub(super) fn stored() -> Action {
    let file = FileLine { path: "a/b".into(), digest: Digest::of(b"b"), bytes: 3 };
    let args = Args::Stored { digest: Digest::of(b"a"), bytes: 1 << 20, files: vec![file] };
    Action { args, tool: None, target: None, amount: None, ..action() }
}

fn hours() -> Weekly {
    Weekly::parse("Europe/Berlin", "mon-fri", "08:00", "18:00").unwrap()
}

pub(super) fn policy() -> ReviewPolicy {
    ReviewPolicy {
        step: true,
        name: "large".into(),
        team: "fin".into(),
        effects: [EffectClass::Money].into(),
        tools: ["payctl".into()].into(),
        above: Some(Amount::parse("1000", "EUR").unwrap()),
        approvers: vec!["ana".into()],
        escalate_to: vec!["dora".into()],
        need: Some(2),
        deny_at: Some(1),
        within: Some(Span(1)),
        remind_at: Some(25),
        escalate_at: Some(50),
        fallback: Some(Fallback::RunAlternative("draft".into())),
        assurance: Some(Demand::High),
        grant: Some(Span(2)),
        uses: Some(1),
        wait: Some(Wait::Hold { most: Span(3) }),
        whole_only: true,
        env: ["KUBECONFIG".into()].into(),
        hours: Some(hours()),
        quiet: Some(hours()),
    }
}

fn rule() -> Rule {
    Rule {
        policy: Some("large".into()),
        version: "0123456789ab".into(),
        need: 2,
        deny_at: 1,
        within: Span(1),
        remind_at: 25,
        escalate_at: 50,
        fallback: Fallback::KeepWaiting,
        assurance: Demand::High,
        grant: Span(2),
        uses: 1,
        quiet: Some(hours()),
    }
}

fn grant() -> Grant {
    let spent = vec![Spent { step: Some(JobId(43)), attempt: 2, at: at(4) }];
    let (from, until) = (Wall(5), Some(Wall(1_800_000_000_000)));
    Grant { uses: 3, used: 1, from, life: Span(6), until, dated: true, spent }
}

fn requested(wait: Wait, action: Action) -> ReviewFact {
    let other = Alternative { name: "draft".into(), summary: "write a draft".into() };
    ReviewFact::Requested(Box::new(Requested {
        ask: Ask {
            step: Some(Digest::of(b"program")),
            effect: EffectClass::Money,
            action,
            summary: "it is due".into(),
            agent: Some("payer".into()),
            alternatives: vec![other],
            conditions: BTreeMap::from([("balance".into(), "7".into())]),
            wait,
            key: Some("k".into()),
            undeclared: true,
        },
        hash: Digest::of(b"x"),
        attempt: 2,
        owner: "carl".into(),
        owner_uid: Some(9),
        team: "fin".into(),
        rule: rule(),
        deadline: Wall(1_800_000_000_000),
        asked: vec!["ana".into()],
        replaces: Some(ReviewId(1)),
        denied_before: Some(ReviewId(2)),
        grant: Some(grant()),
    }))
}

fn vote(verdict: Verdict) -> ReviewFact {
    let (key, armoured, text) = ("SHA256:x".into(), "y".into(), "{}\n".into());
    let signature = Signature { key, touched: true, armoured, text };
    ReviewFact::Voted {
        vote: Box::new(Vote {
            by: "dora".into(),
            uid: Some(4),
            seat: "ana".into(),
            verdict,
            reason: Some("no".into()),
            hash: Digest::of(b"x"),
            assurance: Assurance::Hardware,
            uses: Some(2),
            until: Some(Wall(7)),
            own: true,
            signature: Some(Box::new(signature)),
            from: Some(Wall(8)),
            back: Some(at(6)),
            at: at(5),
        }),
    }
}

fn decided(state: ReviewState) -> ReviewFact {
    let decision = Decision {
        state,
        by: vec!["ana".into()],
        reason: Some("yes".into()),
        stop: true,
        fallback: Some(Fallback::DenyAndCancel),
    };
    ReviewFact::Decided { decision: Box::new(decision), grant: Some(Box::new(grant())) }
}

fn steps() -> [StepState; 5] {
    let unused = StepState::Unused("its job came first".into());
    [StepState::Waits, StepState::Runs, StepState::Done(-3), StepState::Lost, unused]
}

/// Every kind of fact that is about a review.
pub(super) fn facts() -> Vec<Fact> {
    let (job, review) = (JobId(42), ReviewId(17));
    let said = |answer| Said { by: "bob".into(), answer, text: "same?".into(), at: at(3) };
    let delegation = |until| Delegation { from: "ana".into(), to: "dora".into(), until };
    let delivery = |failed: Option<String>| Delivery {
        to: "ana".into(),
        via: "chat".into(),
        moment: Moment::Expiring,
        tries: 3,
        open: failed.is_some(),
        failed,
        at: at(3),
    };
    let mut facts = vec![
        requested(Wait::Park, action()),
        requested(Wait::Hold { most: Span(9) }, stored()),
        requested(Wait::Freeze, action()),
        requested(Wait::Go, action()),
        vote(Verdict::Approve),
        vote(Verdict::Deny { stop: false }),
        vote(Verdict::Deny { stop: true }),
        ReviewFact::Edited { action: Box::new(action()), hash: Digest::of(b"z"), by: "ana".into() },
        ReviewFact::AskedBack { said: said(false) },
        ReviewFact::Answered { said: said(true), deadline: Wall(9) },
        ReviewFact::Delegated { delegation: delegation(Some(Wall(9))) },
        ReviewFact::Delegated { delegation: delegation(None) },
        ReviewFact::Escalated { level: 2, by: Some("ana".into()), to: vec!["dora".into()] },
        ReviewFact::Extended { deadline: Wall(9), by: None },
        ReviewFact::Counts { by: "dora".into(), seat: "ana".into() },
        ReviewFact::TakenBack { by: "dora".into(), seat: "ana".into() },
        ReviewFact::Opened { by: "dora".into(), until: None },
        ReviewFact::Opened { by: "dora".into(), until: Some(Wall(9)) },
        ReviewFact::LooksOn { by: "dora".into(), until: Wall(9) },
        ReviewFact::Left { by: "dora".into() },
        ReviewFact::Told { delivery: delivery(None) },
        ReviewFact::Told { delivery: delivery(Some("refused".into())) },
        ReviewFact::GrantRuns { until: Some(Wall(9)) },
        ReviewFact::GrantRuns { until: None },
        ReviewFact::JobBooked { class: Class::Parked },
        ReviewFact::JobReturns,
        ReviewFact::Redeemed { attempt: 2 },
        ReviewFact::StepMade { step: JobId(43) },
        ReviewFact::RedeemedByStep { step: JobId(43), attempt: 1 },
    ];
    let ends = steps().into_iter().map(|state| ReviewFact::StepEnded { step: JobId(43), state });
    facts.extend(ends);
    facts.extend(ReviewState::ALL.map(decided));
    let fact = |fact| Fact::Review { review, job, fact: Box::new(fact) };
    let (from, by): (Name, Name) = ("ana".into(), "ana".into());
    let handed = Fact::SeatsHandedOn { from, to: Some("dora".into()), until: Some(Wall(9)), by };
    let of_job = [Fact::JobInReview { job }, handed];
    facts.into_iter().map(fact).chain(of_job).collect()
}

pub(super) fn review() -> Review {
    let ReviewFact::Requested(asked) = requested(Wait::Park, action()) else { panic!() };
    let ReviewFact::Voted { vote } = vote(Verdict::Approve) else { panic!() };
    let ReviewFact::Decided { decision, grant } = decided(ReviewState::Revoked) else { panic!() };
    Review {
        step: Some(Box::new(Step { job: JobId(43), state: StepState::Done(3), since: at(6) })),
        id: ReviewId(17),
        job: JobId(42),
        attempt: 2,
        owner: asked.owner.clone(),
        owner_uid: asked.owner_uid,
        team: asked.team.clone(),
        ask: asked.ask.clone().into(),
        edited: Some(stored().into()),
        hash: asked.hash,
        rule: asked.rule.clone().into(),
        asked: at(1),
        state: ReviewState::Revoked,
        since: at(2),
        deadline: Wall(1_800_000_000_000),
        stopped: Some(Wall(7)),
        level: 2,
        version: 3,
        votes: vec![*vote],
        talk: vec![Said { by: "bob".into(), answer: true, text: "x".into(), at: at(3) }],
        delegations: vec![Delegation { from: "a".into(), to: "b".into(), until: None }],
        opened: [("dora".into(), at(4))].into(),
        leases: [("dora".into(), Wall(10))].into(),
        told: vec![delivered()],
        decision: Some(decision),
        grant,
        replaces: Some(ReviewId(1)),
        denied_before: Some(ReviewId(2)),
        replaced_by: Some(ReviewId(18)),
    }
}

#[test]
fn a_review_reads_back_and_has_the_keys_of_the_contract() {
    let review = review();
    let shown = ReviewShown::from(&review);
    let json = serde_json::to_value(&shown).unwrap();
    let contract = "id job effect summary action_hash state asked_at expires_at fallback votes \
        needed assurance";
    for key in contract.split_whitespace() {
        assert!(json.get(key).is_some(), "{key}");
    }
    assert_eq!(json["id"], "R17");
    assert_eq!(json["votes"][0]["assurance"], "hardware");
    assert_eq!(Review::try_from(over_the_wire(&shown)), Ok(review));
}

#[test]
fn a_job_reads_its_answer_as_a_document() {
    let bytes = JsonPapers.decision(&review());
    let json: Json = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&json["id"], &json["state"]), (&"R17".into(), &"revoked".into()));
    assert_eq!(json["exit_code"], 10);
    assert_eq!(json["reason"], "yes");
    assert!(json["hash_fields"].as_array().unwrap().contains(&"args.digest".into()));
}

fn delivered() -> Delivery {
    Delivery {
        to: "ana".into(),
        via: "chat".into(),
        moment: Moment::Asked,
        failed: None,
        tries: 1,
        open: false,
        at: at(3),
    }
}

pub(super) fn target() -> Target {
    Target {
        name: "chat".into(),
        teams: vec!["ml/research".into()],
        effects: [EffectClass::Money].into(),
        moments: [Moment::Asked, Moment::Expired].into(),
        people: vec!["ana".into()],
    }
}
