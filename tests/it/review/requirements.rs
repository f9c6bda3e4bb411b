//! R1 to R20: each named failure of other systems, as far as the core can show that it cannot
//! happen here. What screens and clients owe (R11 in part, R12, R20's canary) is shown there.

use std::collections::BTreeMap;

use holdshort::base::{ReviewId, Span};
use holdshort::model::Fact;
use holdshort::model::action::EffectClass::{
    self, External, Irreversible, Money, Read, Reversible,
};
use holdshort::model::action::{Args, EffectClass::Unknown};
use holdshort::model::fact::ReviewFact;
use holdshort::model::job::Outcome;
use holdshort::model::refusal::RefusalCode::{
    Changed, Conflict, Forbidden, KeyReused, Spent, TooMany, Usage,
};
use holdshort::model::review::{
    Delivery, Moment, ReviewCommand, ReviewState, ReviewVerb, Verdict, Wait,
};
use holdshort::sched::World;
use holdshort::view::sight::Sight;
use holdshort::view::words;

use super::office::{
    HOUR, Office, agent, ana, asks, bob, carl, dora, hold, no, refused, tool, vote, yes,
};

/// How many facts of the last step decide something.
fn decisions(office: &Office) -> usize {
    let decides = |fact: &&Fact| match fact {
        Fact::Review { fact, .. } => matches!(**fact, ReviewFact::Decided { .. }),
        _ => false,
    };
    office.site.facts.iter().filter(decides).count()
}

#[test]
fn r1_pending_reviews_survive_a_restart_with_number_deadline_and_hash() {
    let mut office = Office::new();
    let jobs: Vec<_> = (0..3).map(|_| office.job()).collect();
    let reviews: Vec<ReviewId> = jobs
        .iter()
        .map(|job| {
            let review = office.ask(*job, Irreversible, Wait::Park);
            office.park(*job);
            review
        })
        .collect();
    let before: Vec<_> = reviews.iter().map(|id| office.review(*id)).collect();
    let text = serde_json::to_string(&office.site.world).unwrap();
    office.site.world = serde_json::from_str::<World>(&text).unwrap();
    office.site.reboot("boot-1");
    for (job, review) in jobs.iter().zip(before) {
        assert_eq!(*office.review(review.id), *review);
        office.approve(ana(), review.id).unwrap();
        assert_eq!(office.site.word(*job), "starting");
    }
}

#[test]
fn r2_an_answer_is_not_spent_before_the_run_came_to_something() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.retry = 2);
    let other = office.job_with(|job| job.request.cpu_milli = 3000);
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    let greedy = office.job();
    office.approve(ana(), review).unwrap();
    office.site.advance(Span::hours(48));
    assert_eq!(office.site.job(job).word(), "resuming", "no room for two days");
    assert_eq!(office.state(review), ReviewState::Approved);
    office.site.end(greedy, 0);
    office.site.start(job);
    office.site.advance(Span::mins(1));
    office.site.end(job, 1);
    office.site.advance(HOUR);
    office.site.start(job);
    assert_eq!(office.site.job(job).attempt, 3, "tried again without another vote");
    office.redeem(review).unwrap();
    assert_eq!(office.state(review), ReviewState::Redeemed);
    office.site.end(other, 0);
}

#[test]
fn r3_a_right_is_used_once_however_often_it_is_tried() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    office.redeem(review).unwrap();
    let (code, what) = refused(office.redeem(review));
    assert_eq!(code, Spent);
    assert!(what.contains("already spent by attempt 1 of job 1 at 20"), "{what}");
    // A reply that was lost may be asked for again.
    let other = office.job();
    let review = office.ask(other, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    let hash = Some(office.review(review).hash);
    let redeem = || ReviewVerb::Redeem { hash, action: None, conditions: BTreeMap::new() };
    office.act_once(agent(other), review, redeem(), "k").unwrap();
    office.act_once(agent(other), review, redeem(), "k").unwrap();
    assert_eq!(office.review(review).grant.as_ref().unwrap().used, 1);
}

#[test]
fn r4_of_fifty_votes_one_decides_and_the_losers_hear_who_won() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let mut decided = 0;
    let mut lost = Vec::new();
    for n in 0..50 {
        let by = [ana(), bob(), dora()][n % 3].clone();
        let result = if n % 2 == 0 { office.approve(by, review) } else { office.deny(by, review) };
        match result {
            Ok(_) => decided += decisions(&office),
            Err(refusal) => lost.push(refusal),
        }
    }
    assert_eq!((decided, lost.len()), (1, 49));
    assert!(lost.iter().all(|lost| lost.code == Conflict));
    assert!(lost[0].what.contains("it is approved by ana since"), "{}", lost[0].what);
    assert_eq!(office.review(review).votes.len(), 1);
}

#[test]
fn r5_silence_approves_nothing_that_cannot_be_undone() {
    for effect in EffectClass::ALL.into_iter().filter(|effect| *effect != Read) {
        let mut office = Office::new();
        let job = office.job();
        let review = office.ask(job, effect, hold());
        office.site.advance(Span::hours(25));
        assert_eq!(office.state(review), ReviewState::Expired, "{effect:?}");
        assert_eq!(office.decided_by(review), [""; 0], "an expiry is nobody's decision");
        assert_eq!(refused(office.redeem(review)).0, Spent);
        let held = office.site.job(job).hold.is_some();
        assert_eq!((held, office.site.word(job)), (false, "running"), "it holds and is told");
    }
}

#[test]
fn r6_a_deadline_is_announced_can_be_moved_and_is_no_run_time() {
    let mut office = Office::new();
    office.policy(|rule| rule.escalate_to = vec!["dora".into()]);
    let job = office.job_with(|job| job.time_limit = Some(Span::mins(30)));
    let review = office.ask(job, Irreversible, hold());
    let level = |office: &Office| office.review(review).level;
    office.site.advance(Span::mins(29));
    assert_eq!(level(&office), 0);
    office.site.advance(Span::mins(1));
    assert_eq!(level(&office), 1, "reminded at half of its time");
    office.site.advance(Span::mins(18));
    assert_eq!(level(&office), 2, "escalated at four fifths");
    office.act(ana(), review, ReviewVerb::Extend { by: HOUR }).unwrap();
    office.site.advance(Span::mins(40));
    assert_eq!(office.state(review), ReviewState::Open);
    assert_eq!(office.site.word(job), "running", "its limit of half an hour stands still");
    office.site.advance(Span::mins(32));
    assert_eq!(office.state(review), ReviewState::Expired);
    let (code, what) = refused(office.act(ana(), review, ReviewVerb::Extend { by: HOUR }));
    assert_eq!(code, Conflict);
    assert!(what.contains("it is expired since"), "{what}");
}

#[test]
fn r7_the_end_of_a_job_retires_its_reviews_at_once() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    office.site.cancel(job);
    assert_eq!(office.site.outcome(job), Outcome::Cancelled);
    assert_eq!(office.state(review), ReviewState::Withdrawn, "in the same step");
    let (code, what) = refused(office.approve(ana(), review));
    assert_eq!(code, Conflict);
    assert!(what.contains("it is withdrawn since"), "{what}");
    assert!(office.review(review).votes.is_empty(), "a late vote is no vote");
    assert_eq!(office.site.world.desk().open().count(), 0);
    let finished = office.job();
    let review = office.ask(finished, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    office.site.end(finished, 0);
    assert_eq!(office.state(review), ReviewState::Lapsed, "nobody is left to use it");
}

#[test]
fn r8_what_was_approved_is_what_runs_or_nothing_does() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    let new = office.redeem_action(review, super::office::shell("rm -rf /srv")).unwrap();
    assert_ne!(new, review);
    assert_eq!(office.state(review), ReviewState::Superseded);
    assert_eq!(office.state(review).exit_code(), Some(13));
    assert_eq!(office.review(review).replaced_by, Some(new));
    assert_eq!(office.review(new).replaces, Some(review));
    assert!(office.review(new).is_open() && office.review(new).votes.is_empty());
    assert_eq!(office.review(review).grant.as_ref().unwrap().used, 0);
    let differs = holdshort::model::action::differences(
        office.review(review).action(),
        office.review(new).action(),
    );
    assert_eq!(differs[0].path, "args.command");
    // By hash alone nothing new can be opened, and nothing is done.
    office.approve(ana(), new).unwrap();
    let hash = Some(holdshort::base::Digest::of(b"something else"));
    let redeem = ReviewVerb::Redeem { hash, action: None, conditions: BTreeMap::new() };
    assert_eq!(refused(office.act(agent(job), new, redeem)).0, Changed);
    assert_eq!(office.state(new), ReviewState::Approved);
}

#[test]
fn r9_rewording_reordering_and_retrying_find_the_same_review() {
    let mut office = Office::new();
    let job = office.job_with(|job| job.requeue = true);
    let with = |args: &str| {
        let mut ask = asks(Irreversible, Wait::Park);
        ask.action = tool("Bash", args);
        ask
    };
    let first = office.try_ask(job, with(r#"{"command":"x","description":"a"}"#)).unwrap();
    let again = office.try_ask(job, with(r#"{"description":"b","command":"x"}"#)).unwrap();
    assert_eq!(first, again);
    assert_eq!(office.site.facts, [], "it opens nothing");
    let other = office.try_ask(job, with(r#"{"command":"x","sandbox":false}"#)).unwrap();
    assert_ne!(first, other);
    let mut elsewhere = with(r#"{"command":"x"}"#);
    elsewhere.action.target = Some("staging".into());
    assert_ne!(office.try_ask(job, elsewhere).unwrap(), first);
}

#[test]
fn r10_the_world_must_be_as_it_was_when_the_right_is_used() {
    let told = |n: Option<&str>| {
        let now: BTreeMap<_, _> = [("plan".into(), n.map(ToOwned::to_owned))].into();
        now
    };
    for (now, state) in [
        (Some("7"), ReviewState::Redeemed),
        (Some("8"), ReviewState::Superseded),
        (None, ReviewState::Abandoned),
    ] {
        let mut office = Office::new();
        let job = office.job();
        let mut ask = asks(Irreversible, hold());
        ask.conditions = [("plan".into(), "7".into())].into();
        let review = office.try_ask(job, ask).unwrap();
        office.approve(ana(), review).unwrap();
        assert_eq!(refused(office.redeem(review)).0, Usage, "it must be said");
        let hash = Some(office.review(review).hash);
        let verb = ReviewVerb::Redeem { hash, action: None, conditions: told(now) };
        let answer = office.act(agent(job), review, verb).unwrap();
        assert_eq!(office.state(review), state);
        if state == ReviewState::Superseded {
            let new = office.review(answer);
            assert_eq!(new.ask.conditions.get("plan").map(String::as_str), Some("8"));
            assert!(new.is_open());
        }
    }
}

#[test]
fn r11_what_cannot_be_shown_whole_says_so_and_a_rule_may_refuse_it() {
    let mut office = Office::new();
    let job = office.job();
    let mut ask = asks(Irreversible, Wait::Park);
    ask.action = tool("Bash", &format!(r#"{{"command":"{}"}}"#, "x".repeat(70_000)));
    let (code, what) = refused(office.try_ask(job, ask.clone()));
    assert_eq!(code, Usage);
    assert!(what.contains("list of files"), "{what}");
    let digest = holdshort::base::Digest::of(b"all of it");
    ask.action.args = Args::Stored { digest, bytes: 70_000, files: Vec::new() };
    let review = office.try_ask(job, ask.clone()).unwrap();
    assert!(!office.review(review).action().is_whole());
    office.policy(|rule| rule.whole_only = true);
    ask.action.target = Some("elsewhere".into());
    assert_eq!(refused(office.try_ask(job, ask)).0, Usage);
}

#[test]
fn r12_no_text_of_an_agent_reaches_a_screen_as_it_is() {
    const BAD: &str = "a\x1b]52;c;eA==\x07\u{202e}\u{200b}\n\n";
    let mut office = Office::new();
    let job = office.job();
    let mut ask = asks(Money, Wait::Park);
    ask.action.tool = Some(BAD.into());
    ask.action.target = Some(BAD.into());
    ask.summary = BAD.into();
    let review = office.try_ask(job, ask).unwrap();
    let sight = Sight::utc(office.site.at);
    let mut said: Vec<String> =
        office.site.facts.iter().map(|fact| words::event(fact, &sight)).collect();
    office.act(ana(), review, no(BAD)).unwrap();
    said.extend(office.site.facts.iter().map(|fact| words::event(fact, &sight)));
    assert!(said.len() >= 3);
    for said in said {
        assert!(
            !said.chars().any(|c| c.is_control() || "\u{202e}\u{200b}".contains(c)),
            "{said:?}"
        );
    }
}

#[test]
fn r13_reads_wait_for_nobody() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Read, Wait::Park);
    assert_eq!(office.state(review), ReviewState::Approved);
    assert_eq!(office.decided_by(review), [""; 0], "recorded as a rule's, not a person's");
    assert_eq!(office.site.world.desk().open().count(), 0);
    office.redeem(review).unwrap();
}

#[test]
fn r14_a_yes_for_several_times_has_a_scope_a_count_and_an_end() {
    let several = |uses| ReviewVerb::Vote {
        verdict: Verdict::Approve,
        reason: None,
        hash: None,
        version: None,
        undo: Span::ZERO,
        uses: Some(uses),
        until: None,
        signature: None,
    };
    for effect in [Irreversible, Money, Unknown, External, Reversible] {
        let mut office = Office::new();
        let job = office.job();
        let review = office.ask(job, effect, hold());
        let ReviewVerb::Vote { verdict, reason, version, undo, uses, signature, .. } = several(3)
        else {
            panic!()
        };
        let hash = Some(office.review(review).hash.to_string());
        let verb =
            ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, until: None, signature };
        let result = office.act(ana(), review, verb);
        if !effect.may_repeat() {
            assert_eq!(refused(result).0, Usage, "{effect:?}");
            continue;
        }
        result.unwrap();
        for _ in 0..3 {
            office.redeem(review).unwrap();
        }
        assert_eq!(refused(office.redeem(review)).0, Spent);
    }
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, External, hold());
    office.approve(ana(), review).unwrap();
    office.act(ana(), review, ReviewVerb::Revoke { reason: None }).unwrap();
    assert_eq!(refused(office.redeem(review)).0, Spent, "taken back in one step");
}

#[test]
fn r15_nobody_approves_what_they_asked_for() {
    let mut office = Office::new();
    let job = office.job();
    let other = office.job();
    let review = office.ask(job, Irreversible, hold());
    for by in [agent(job), agent(other), carl()] {
        assert_eq!(refused(office.approve(by.clone(), review)).0, Forbidden, "{by:?}");
        let edit = ReviewVerb::Edit {
            action: Box::new(super::office::shell("ls")),
            hash: Some(office.review(review).hash.to_string()),
        };
        assert_eq!(refused(office.act(by, review, edit)).0, Forbidden);
    }
    assert!(office.review(review).votes.is_empty());
    let mut alone = Office::alone();
    let job = alone.job();
    let review = alone.ask(job, Irreversible, hold());
    assert_eq!(refused(alone.approve(agent(job), review)).0, Forbidden);
    alone.approve(carl(), review).unwrap();
    let votes = alone.review(review).votes.clone();
    assert!(votes[0].own, "alone on a box the owner decides, and that is recorded");
}

#[test]
fn r16_a_quorum_counts_people_who_may_decide_and_nothing_else() {
    let mut office = Office::new();
    office.policy(|rule| rule.need = Some(2));
    office.site.configure(|setup| {
        let role = holdshort::model::people::Role::Approver;
        setup.users.push(super::office::user("ana-two", 11, role));
    });
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    office.approve(ana(), review).unwrap();
    let again = holdshort::model::Actor { user: "ana-two".into(), ..ana() };
    office.approve(again, review).unwrap();
    assert!(office.review(review).is_open(), "one person with two names is one person");
    office.approve(bob(), review).unwrap();
    assert_eq!(office.state(review), ReviewState::Approved);
    // Somebody who may not decide any more has no say when the right is used.
    office.site.configure(|setup| setup.users.retain(|user| &*user.name != "bob"));
    office.redeem(review).unwrap();
    assert_eq!(office.state(review), ReviewState::Revoked);
    assert_eq!(office.review(review).grant.as_ref().unwrap().used, 0);
}

#[test]
fn r17_a_request_names_whom_it_asks_and_a_delivery_that_failed_is_seen() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    let asked = office.site.facts.iter().find_map(|fact| match fact {
        Fact::Review { fact, .. } => match &**fact {
            ReviewFact::Requested(asked) => Some(asked.asked.clone()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(asked.unwrap(), ["ana".into(), "bob".into(), "dora".into()]);
    let at = office.site.at;
    let failed = Some("connection refused".to_owned());
    let delivery = Delivery {
        to: "ana".into(),
        via: "chat".into(),
        moment: Moment::Asked,
        failed,
        tries: 1,
        open: false,
        at,
    };
    office.command(ReviewCommand::Told { review, delivery }).unwrap();
    let told = office.review(review).told.clone();
    assert_eq!(told[0].failed.as_deref(), Some("connection refused"));
}

#[test]
fn r18_a_no_has_a_reason_and_is_told_apart_from_everything_else() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    let bare = vote(Verdict::Deny { stop: false }, None, None);
    assert_eq!(refused(office.act(ana(), review, bare)).0, Usage);
    let empty = vote(Verdict::Deny { stop: false }, Some("  "), None);
    assert_eq!(refused(office.act(ana(), review, empty)).0, Usage);
    office.act(ana(), review, no("wrong target")).unwrap();
    let decision = office.review(review).decision.clone().unwrap();
    assert_eq!(decision.reason.as_deref(), Some("wrong target"));
    assert_eq!(office.site.word(job), "running", "no, and go on");
    let mut codes: Vec<_> = ReviewState::ALL.map(ReviewState::exit_code).to_vec();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, [None, Some(0), Some(10), Some(11), Some(12), Some(13)]);
    // The same again finds the no; another way to the same is marked.
    assert_eq!(office.ask(job, Irreversible, hold()), review);
    let mut other_way = asks(Irreversible, hold());
    other_way.action = super::office::shell("rm -rf /srv/old/");
    let second = office.try_ask(job, other_way).unwrap();
    assert_eq!(office.review(second).denied_before, Some(review));
}

#[test]
fn r19_an_answer_waits_for_the_request_it_was_given_for() {
    let mut office = Office::new();
    let job = office.job();
    let keyed = |command: &str| {
        let mut ask = asks(Irreversible, hold());
        ask.action = super::office::shell(command);
        ask.key = Some("turn-7".into());
        ask
    };
    let review = office.try_ask(job, keyed("a")).unwrap();
    // The client gave up and came back.
    office.site.advance(Span::mins(20));
    assert_eq!(office.try_ask(job, keyed("a")).unwrap(), review);
    assert_eq!(refused(office.try_ask(job, keyed("b"))).0, KeyReused);
    office.approve(ana(), review).unwrap();
    assert_eq!(office.try_ask(job, keyed("a")).unwrap(), review, "the recorded answer");
    let mut next = keyed("c");
    next.key = None;
    let next = office.try_ask(job, next).unwrap();
    let hash = Some(office.review(review).hash);
    let verb = ReviewVerb::Redeem { hash, action: None, conditions: BTreeMap::new() };
    assert_eq!(refused(office.act(agent(job), next, verb)).0, Conflict);
    office.redeem(review).unwrap();
}

#[test]
fn r20_the_record_has_bytes_hash_rule_votes_and_their_assurance() {
    let mut office = Office::new();
    office.policy(|rule| rule.need = Some(2));
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.approve(ana(), review).unwrap();
    let touched = holdshort::model::review::Signature {
        key: "SHA256:k".into(),
        touched: true,
        armoured: "-----BEGIN SSH SIGNATURE-----".into(),
        text: "{}\n".into(),
    };
    let hash = office.review(review).hash.to_string();
    let ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, .. } = yes(&hash) else {
        panic!()
    };
    let signature = Some(Box::new(touched));
    let verb =
        ReviewVerb::Vote { verdict, reason, hash, version, undo, uses, until: None, signature };
    office.act(bob(), review, verb).unwrap();
    let kept = office.review(review);
    let shown = kept.canonical();
    assert_eq!(holdshort::base::Digest::of(shown.as_bytes()), kept.hash);
    assert_eq!((kept.rule.policy.as_deref(), kept.rule.version.len()), (Some("rule"), 12));
    let words: Vec<_> = kept.votes.iter().map(|vote| vote.assurance.word()).collect();
    assert_eq!(words, ["other-user", "hardware"]);
    assert!(kept.votes[1].signature.is_some());
}

#[test]
fn a_job_that_asks_a_thousand_times_is_told_to_stop() {
    let mut office = Office::alone();
    office.site.json_every = 500;
    let job = office.job();
    let mut asked = 0;
    let (code, what) = loop {
        let mut ask = asks(Irreversible, Wait::Park);
        ask.action = super::office::shell(&format!("rm {asked}"));
        match office.try_ask(job, ask) {
            Ok(_) => asked += 1,
            Err(refusal) => break (refusal.code, refusal.what),
        }
    };
    assert_eq!((asked, code), (50, TooMany), "{what}");
    assert_eq!(office.site.world.desk().open_count(), 50);
}
