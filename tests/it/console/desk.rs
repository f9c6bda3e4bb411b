//! Reviews to show: cards as a server gives them, one of each kind.

use std::sync::Arc;

use holdshort::base::{At, Digest, JobId, ReviewId, Span};
use holdshort::model::Resources;
use holdshort::model::action::{Action, Amount, Args, EffectClass, Json};
use holdshort::model::page::reviews::{
    Back, Beside, Compared, ComparedLine, Mark, Reader, ReviewCard, ReviewRow,
};
use holdshort::model::review::{
    Ask, Assurance, Decision, Demand, Fallback, Grant, Review, ReviewState, ReviewVerb, Rule, Said,
    Verdict, Vote, Wait,
};

use super::fleet::{self, Fleet, NOW, ago};

/// A busy night with people asked: money that is urgent, a push, a read, and one for others.
pub fn many() -> Fleet {
    let mut fleet = fleet::many();
    let mut parked = fleet::team("fin", fleet::queued(205, "pay-run"));
    parked.state = holdshort::model::State::InReview;
    parked.lane = holdshort::model::page::Lane::Human;
    parked.open_reviews = vec![ReviewId(17)];
    fleet.jobs.retain(|row| row.id != JobId(205));
    fleet.jobs.push(parked);
    fleet.reviews = vec![money(), push(), branch(), others()];
    fleet
}

/// The action of a command line.
pub fn argv(words: &[&str]) -> Action {
    let words = words.iter().map(|word| Json::text(word)).collect();
    let args = Json::object(vec![
        ("argv".to_owned(), Json::List(words)),
        ("cwd".to_owned(), Json::text("/srv/pay")),
    ]);
    let args = Args::Here(args.canonical());
    Action { kind: "tool".into(), tool: None, args, target: None, amount: None }
}

/// A card of a review that is open, asked `minutes` ago, with `left` to go.
pub fn card(id: u64, effect: EffectClass, action: Action, minutes: u64, left: Span) -> ReviewCard {
    let asked = ago(Span::mins(minutes));
    let ask = Ask {
        step: None,
        effect,
        action,
        summary: "Please approve quickly.".into(),
        agent: Some("claude/payer".into()),
        alternatives: Vec::new(),
        conditions: Default::default(),
        wait: Wait::Park,
        key: None,
        undeclared: false,
    };
    let rule = Rule {
        policy: Some("rule".into()),
        version: "a1b2c3".into(),
        need: 1,
        deny_at: 1,
        within: Span::hours(1),
        remind_at: 50,
        escalate_at: 80,
        fallback: Fallback::Deny,
        assurance: Demand::Any,
        grant: Span::mins(10),
        uses: 1,
        quiet: None,
    };
    let mut review = Review {
        step: None,
        id: ReviewId(id),
        job: JobId(205),
        attempt: 2,
        owner: "carl".into(),
        owner_uid: None,
        team: "fin".into(),
        ask: Arc::new(ask),
        edited: None,
        hash: Digest::of(b""),
        rule: Arc::new(rule),
        asked,
        state: ReviewState::Open,
        since: asked,
        deadline: NOW.wall + left,
        stopped: None,
        level: 0,
        version: 1,
        votes: Vec::new(),
        talk: Vec::new(),
        delegations: Vec::new(),
        opened: Default::default(),
        leases: Default::default(),
        told: Vec::new(),
        decision: None,
        grant: None,
        replaces: None,
        denied_before: None,
        replaced_by: None,
    };
    review.hash = review.action().hash(review.bound());
    ReviewCard {
        review,
        beside: Beside {
            job_name: "pay-run".into(),
            job_state: "in_review".into(),
            holds: Resources::default(),
            yes: 0,
            no: 0,
            reader: reader(Some("ana")),
        },
        listed: vec!["ana".into(), "bob".into(), "dora".into()],
        next: vec!["olga".into()],
        compared: Compared { to: "payctl".into(), yeses: 0, lines: Vec::new() },
        same: Vec::new(),
        answer: None,
        back: Some(Back::AtOnce),
        seq: 100,
        at: NOW,
    }
}

/// How the reader stands to it.
pub fn reader(seat: Option<&str>) -> Reader {
    let why_not = seat.is_none().then(|| "ana is not listed to decide this".to_owned());
    Reader {
        seat: seat.map(Into::into),
        own: false,
        why_not,
        assurance: Assurance::OtherUser,
        sure: true,
        voted: None,
    }
}

/// Money to a new account: two yeses are needed, one is there, twelve minutes are left.
pub fn money() -> ReviewCard {
    let mut action = argv(&[
        "payctl",
        "transfer",
        "--from",
        "DE12 5001 0517 0000 0000 01",
        "--to",
        "DE89 3704 0044 0532 0130 00",
        "--amount",
        "4180.00",
        "--ref",
        "INV-4471",
    ]);
    action.target = Some("ACME GmbH".into());
    action.amount = Some(Amount::parse("4180", "EUR").unwrap());
    let mut card = card(17, EffectClass::Money, action, 48, Span::mins(12));
    Arc::make_mut(&mut card.review.rule).need = 2;
    let hash = card.review.hash;
    card.review.votes.push(vote("bob", Verdict::Approve, hash, ago(Span::mins(11))));
    card.review.opened.insert("dora".into(), ago(Span::mins(2)));
    for (by, answer, text) in
        [("bob", false, "same account as last month?"), ("job 205", true, "yes, see contract.pdf")]
    {
        let at = ago(Span::mins(13));
        card.review.talk.push(Said { by: by.into(), answer, text: text.into(), at });
    }
    card.beside.yes = 1;
    let line = |path: &str, now: &str, before: &[(&str, u32)], range, mark| ComparedLine {
        path: path.into(),
        now: Some(now.into()),
        before: before.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect(),
        more: 0,
        range,
        mark,
    };
    let to = "DE89 3704 0044 0532 0130 00";
    let was = [("DE89 3704 0044 0532 7781 00", 14)];
    let range = Some(("212.00 EUR".to_owned(), "3900.00 EUR".to_owned()));
    card.compared = Compared {
        to: "payctl".into(),
        yeses: 14,
        lines: vec![
            line("command", "payctl transfer", &[("payctl transfer", 14)], None, Mark::Known),
            line("--to", to, &was, None, Mark::New),
            line("amount", "4180.00 EUR", &[], range, Mark::High),
        ],
    };
    card
}

/// Something irreversible; the process waits.
pub fn push() -> ReviewCard {
    let mut action = argv(&["git", "push", "--force", "origin", "main"]);
    action.target = Some("origin main".into());
    let mut card = card(18, EffectClass::Irreversible, action, 3, Span::mins(57));
    card.review.job = JobId(227);
    card.review.team = "web".into();
    Arc::make_mut(&mut card.review.ask).wait = Wait::Hold { most: Span::mins(10) };
    card.beside.job_name = "review-bot".into();
    card.beside.job_state = "running".into();
    card.beside.holds.cpu_milli = 4000;
    card.back = Some(Back::Waits);
    card
}

/// Something that can be undone.
pub fn branch() -> ReviewCard {
    let action = argv(&["git", "branch", "-m", "old", "new"]);
    let mut card = card(19, EffectClass::Reversible, action, 5, Span::hours(23));
    card.review.job = JobId(228);
    card.review.team = "web".into();
    card
}

/// Something only others may decide.
pub fn others() -> ReviewCard {
    let mut action = argv(&["mailer", "send", "--count", "1240"]);
    action.target = Some("customers".into());
    let mut card = card(20, EffectClass::External, action, 9, Span::mins(21));
    card.review.job = JobId(240);
    card.beside.reader = reader(None);
    card
}

pub fn vote(by: &str, verdict: Verdict, hash: Digest, at: At) -> Vote {
    Vote {
        by: by.into(),
        uid: None,
        seat: by.into(),
        verdict,
        reason: None,
        hash,
        assurance: Assurance::Hardware,
        uses: None,
        until: None,
        own: false,
        signature: None,
        from: None,
        back: None,
        at,
    }
}

/// The same, decided so.
pub fn decided(mut card: ReviewCard, state: ReviewState, by: &[&str], why: &str) -> ReviewCard {
    card.review.state = state;
    card.review.since = ago(Span::mins(1));
    card.review.version += 1;
    let decision = Decision {
        by: by.iter().map(|name| (*name).into()).collect(),
        reason: Some(why.to_owned()).filter(|why| !why.is_empty()),
        ..Decision::of(state)
    };
    card.review.decision = Some(Box::new(decision));
    card.beside.reader.seat = None;
    card.beside.reader.why_not = Some(format!("it is {}", state.word()));
    card
}

/// What a review is in a list.
pub fn row(card: &ReviewCard) -> ReviewRow {
    let review = &card.review;
    ReviewRow {
        id: review.id,
        job: review.job,
        team: review.team.clone(),
        owner: review.owner.clone(),
        agent: review.ask.agent.clone(),
        effect: review.ask.effect,
        subject: review.action().subject(),
        summary: review.ask.summary.clone(),
        hash: review.hash,
        state: review.state,
        since: review.since,
        asked: review.asked,
        deadline: review.deadline,
        stopped: review.stopped,
        level: review.level,
        version: review.version,
        fallback: review.rule.fallback.clone(),
        wait: review.ask.wait,
        votes: review.votes.clone(),
        needed: review.rule.need,
        demand: review.rule.assurance,
        opened: review.opened.clone(),
        decision: review.decision.as_deref().cloned(),
        beside: card.beside.clone(),
    }
}

/// What becomes of a card: as much of it as screens show.
pub fn act(card: &mut ReviewCard, verb: &ReviewVerb) {
    match verb {
        ReviewVerb::Vote { verdict: Verdict::Approve, undo, .. } => {
            let hash = card.review.hash;
            card.review.votes.push(vote("ana", Verdict::Approve, hash, NOW));
            card.beside.yes += 1;
            if card.beside.yes >= card.review.rule.need {
                *card = decided(card.clone(), ReviewState::Approved, &["ana"], "");
                let (from, life) = (NOW.wall + *undo, card.review.rule.grant);
                let spent = Vec::new();
                let grant =
                    Grant { uses: 1, used: 0, from, life, until: None, dated: false, spent };
                card.review.grant = Some(Box::new(grant));
            }
        }
        // It counts later, and can be taken back until then.
        ReviewVerb::Vote { verdict, undo, .. } if *undo > Span::ZERO => {
            let no = vote("ana", *verdict, card.review.hash, NOW);
            card.review.votes.push(Vote { from: Some(NOW.wall + *undo), ..no });
            card.beside.reader.voted = Some(*verdict);
        }
        ReviewVerb::Vote { reason, .. } => {
            let why = reason.clone().unwrap_or_default();
            *card = decided(card.clone(), ReviewState::Denied, &["ana"], &why);
        }
        ReviewVerb::Revoke { .. } if card.review.is_open() => {
            card.review.votes.iter_mut().for_each(|vote| vote.back = Some(NOW));
            card.beside.reader.voted = None;
        }
        ReviewVerb::Revoke { .. } => {
            *card = decided(card.clone(), ReviewState::Revoked, &["ana"], "");
        }
        ReviewVerb::Edit { action, .. } => {
            card.review.edited = Some(Arc::new((**action).clone()));
            card.review.hash = action.hash(card.review.bound());
            card.review.version += 1;
        }
        _ => {}
    }
}
