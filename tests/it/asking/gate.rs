//! `gate`: what was approved is what runs, once.

use holdshort::model::action::{Action, Args};
use holdshort::model::review::{Review, ReviewState, ReviewVerb};

use super::people::Agents;
use crate::place::{alive, kill, wait_for};

/// A program that leaves a line for each time it ran, and says 7.
const EFFECT: &str = "echo ${1:-done} >> $DIR/effects; exit 7";

#[test]
fn it_asks_for_exactly_this_and_runs_it_once_however_often_it_is_said() {
    let agents = Agents::new("");
    let effect = agents.script("effect.sh", EFFECT);
    let gate = format!("holdshort gate --effect irreversible --wait 60s -- {effect} a");
    let job = agents.submit("", &format!("for i in 1 2 3; do {gate}; echo $? >> $DIR/codes; done"));
    let review = agents.open(job);
    let args = review.canonical();
    for part in ["\"argv\"", "\"cwd\"", "effect.sh\"", "sha256:", " in /"] {
        assert!(args.contains(part), "{part} in {args}");
    }
    agents.approve(&review);
    agents.place.until_state(job, "succeeded");
    assert_eq!(agents.lines("effects"), ["a"]);
    assert_eq!(agents.lines("codes"), ["7", "7", "7"], "its own code, then the recorded one");
    assert_eq!(agents.asked(job).len(), 1);
    assert_eq!(agents.review(review.id).state, ReviewState::Redeemed);
    let log = agents.place.ok(&format!("logs {job}"));
    assert!(log.contains("was done by attempt 1"), "{log}");
}

#[test]
fn a_script_changed_between_the_yes_and_the_run_is_13_and_asked_anew() {
    for by in ["sh", "env A=1 timeout 1h"] {
        changed_in_between(by);
    }
}

fn changed_in_between(by: &str) {
    let agents = Agents::new("");
    let script = agents.script("effect.sh", EFFECT);
    let program = format!(
        "holdshort gate --effect irreversible -- {by} {script} b; code=$?\n\
         echo $code >> $DIR/codes\n\
         [ $code = 13 ] && {{ holdshort gate --effect irreversible -- {by} {script} b; \
         code=$?; }}\n\
         [ $code = 75 ] && exit 75; exit 0"
    );
    let job = agents.submit("", &program);
    agents.place.until_state(job, "in_review");
    let first = agents.open(job);
    assert!(first.canonical().contains("\"scripts\""), "{}", first.canonical());
    agents.script("effect.sh", &format!("{EFFECT} # not what was approved"));
    agents.approve(&first);
    wait_for("another question", || agents.asked(job).len() == 2);
    let second = agents.open(job);
    assert_eq!(agents.review(first.id).state, ReviewState::Superseded);
    assert_eq!((second.replaces, second.votes.len()), (Some(first.id), 0));
    assert_eq!(agents.lines("effects"), [""; 0]);
    agents.place.until_state(job, "in_review");
    agents.approve(&second);
    agents.place.until_state(job, "succeeded");
    assert_eq!(agents.lines("effects"), ["b"]);
    assert_eq!(agents.lines("codes"), ["75", "13", "7"]);
}

#[test]
fn a_no_runs_nothing() {
    let agents = Agents::new("");
    let effect = agents.script("effect.sh", EFFECT);
    let gate =
        format!("holdshort gate --effect external --wait 60s -- {effect}; echo $? > $DIR/code");
    let job = agents.submit("", &gate);
    agents.deny(&agents.open(job), "wrong target");
    agents.place.until_state(job, "succeeded");
    assert_eq!((agents.lines("code"), agents.lines("effects")), (vec!["10".into()], vec![]));
    assert!(agents.place.ok(&format!("logs {job}")).contains("wrong target"));
}

#[test]
fn variables_that_the_rule_lists_are_covered_and_no_others() {
    let rule =
        "[[review_policy]]\nname = \"region\"\neffects = [\"external\"]\nenv = [\"REGION\"]\n";
    let agents = Agents::new(rule);
    let effect = agents.script("effect.sh", EFFECT);
    let gate = format!("holdshort gate --effect external -- {effect}");
    let program = format!(
        "NOISE=1 REGION=eu {gate} && exit 1; NOISE=2 REGION=eu {gate} && exit 1\n\
         REGION=us {gate}; exit $?"
    );
    let job = agents.submit("", &program);
    agents.place.until_state(job, "in_review");
    let asked = agents.asked(job);
    assert_eq!(asked.len(), 2, "another region is another question: {asked:?}");
    assert!(asked[0].canonical().contains("\"REGION\":\"eu\""), "{}", asked[0].canonical());
    assert!(!asked[0].canonical().contains("NOISE"));
    assert!(asked.iter().all(Review::is_open), "and takes nothing back");
}

#[test]
fn a_right_is_good_when_the_job_comes_back_long_after_it_would_be_over() {
    let rule = "[[review_policy]]\nname = \"short\"\ngrant = \"2s\"\n";
    let agents = Agents::new(rule);
    let effect = agents.script("effect.sh", EFFECT);
    let gate = format!("holdshort gate --effect irreversible -- {effect} late; exit $?");
    let job = agents.submit("--gpu 1", &gate);
    agents.place.until_state(job, "in_review");
    let other = agents.submit("--gpu 1", "while [ ! -e $DIR/go ]; do sleep 0.02; done");
    agents.place.until_state(other, "running");
    let review = agents.open(job);
    agents.approve(&review);
    agents.place.until_state(job, "resuming");
    let yes = std::time::Instant::now();
    wait_for("the right's time to pass", || yes.elapsed().as_millis() > 2_500);
    assert_eq!(agents.review(review.id).state, ReviewState::Approved);
    agents.touch("go");
    let job = agents.place.until(job, "its end", |job| !job["ended_at"].is_null());
    assert_eq!((&job["exit_code"], agents.lines("effects")), (&7.into(), vec!["late".into()]));
}

#[test]
fn what_people_changed_is_what_runs() {
    let agents = Agents::new("");
    let effect = agents.script("effect.sh", EFFECT);
    let gate = format!("holdshort gate --effect external --wait 60s -- {effect} all; exit $?");
    let job = agents.submit("", &gate);
    let review = agents.open(job);
    let Args::Here(args) = &review.ask.action.args else { panic!("{review:?}") };
    let args = Args::Here(args.replace("\"all\"", "\"some\""));
    let action = Box::new(Action { args, ..review.ask.action.clone() });
    agents.act(review.id, ReviewVerb::Edit { action, hash: Some(review.hash_text()) });
    agents.approve(&agents.review(review.id));
    let job = agents.place.until(job, "its end", |job| !job["ended_at"].is_null());
    assert_eq!((&job["exit_code"], agents.lines("effects")), (&7.into(), vec!["some".into()]));
    assert_eq!(agents.review(review.id).state, ReviewState::Redeemed);
}

#[test]
fn what_may_go_on_meanwhile_is_done_before_anybody_looks() {
    let rule = "[[review_policy]]\nname = \"drafts\"\neffects = [\"reversible\"]\nwait = \"go\"\n";
    let agents = Agents::new(rule);
    let effect = agents.script("effect.sh", EFFECT);
    let wait = "while [ ! -e $DIR/go ]; do sleep 0.02; done";
    let gate = format!("holdshort gate --effect reversible -- {effect} draft; {wait}");
    let job = agents.submit("", &gate);
    agents.until_line("effects", "draft");
    let review = agents.open(job);
    agents.deny(&review, "undo it");
    assert_eq!(agents.review(review.id).state, ReviewState::Denied);
    agents.touch("go");
    agents.place.until_state(job, "succeeded");
    assert_eq!(agents.lines("effects"), ["draft"]);
}

#[test]
fn with_the_server_killed_at_random_instants_around_the_yes_each_happens_once() {
    let agents = Agents::new("");
    let effect = agents.script("effect.sh", "echo $1 >> $DIR/effects");
    let mut random = 88_172_645_463_325_252_u64;
    for round in 1..=12 {
        let gate =
            format!("holdshort gate --effect external --wait 10m -- {effect} {round}; exit $?");
        let job = agents.submit("", &gate);
        let review = agents.open(job);
        let server = agents.place.server().unwrap();
        agents.approve(&review);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let pause = u16::try_from(random % 30).unwrap();
        let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(pause));
        kill(server, 9);
        wait_for("the server's end", || !alive(server));
        agents.place.ok("server start");
        agents.place.until_state(job, "succeeded");
        assert_eq!(agents.lines("effects").len(), round, "{:?}", agents.lines("effects"));
        let spent = agents.review(review.id).grant.map(|grant| grant.spent.len());
        assert_eq!(spent, Some(1));
    }
    assert_eq!(agents.place.run("journal replay").code, 0);
}
