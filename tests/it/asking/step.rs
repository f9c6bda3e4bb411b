//! What was approved runs as a step of its own while another has the room of the job that asked.

use holdshort::model::review::{Review, ReviewState, ReviewVerb, StepState};
use serde_json::Value;

use super::people::Agents;
use crate::place::{alive, kill, wait_for};

/// Another that has the only GPU until it is told to end.
const OTHER: &str = "echo other >> $DIR/steps; while [ ! -e $DIR/other ]; do sleep 0.02; done";

/// A job with the only GPU that asks once it is told to, and goes on with the answer.
fn agent(effect: &str) -> String {
    format!(
        "cd $DIR; export MOOD=good\n\
         while [ ! -e $DIR/ask ]; do sleep 0.02; done\n\
         holdshort gate --effect irreversible --step -- {effect} > $DIR/output.$HOLDSHORT_ATTEMPT\n\
         code=$?; echo code $code >> $DIR/steps\n\
         exit $code"
    )
}

/// A story up to the yes: the asker is parked, the other has the GPU.
struct Scene {
    agents: Agents,
    asker: u64,
    other: u64,
    review: Review,
}

fn scene(effect: &str) -> Scene {
    let agents = Agents::new("");
    let effect = agents.script("effect.sh", effect);
    let asker = agents.submit("--gpu 1 --name asker", &agent(&effect));
    agents.place.until_state(asker, "running");
    let other = agents.submit("--gpu 1 --name other", OTHER);
    agents.touch("ask");
    agents.place.until_state(asker, "in_review");
    agents.place.until_state(other, "running");
    let review = agents.open(asker);
    Scene { agents, asker, other, review }
}

impl Scene {
    /// The step, once it came to something.
    fn until_step(&self, what: &str, holds: impl Fn(&StepState) -> bool) -> u64 {
        let mut step = None;
        wait_for(what, || {
            step = self.agents.review(self.review.id).step;
            step.as_ref().is_some_and(|step| holds(&step.state))
        });
        step.unwrap().job.0
    }

    /// The other ends, the asker comes back and ends.
    fn comes_back(&self) -> Value {
        self.agents.touch("other");
        let ended = |job: &Value| !job["ended_at"].is_null();
        self.agents.place.until(self.asker, "its end", ended)
    }

    fn restart(&self) {
        self.agents.place.kill_server();
        self.agents.place.ok("server start");
    }

    fn checks(&self) {
        for check in ["verify journal", "verify ledger", "verify audit", "journal replay"] {
            let ran = self.agents.place.run(check);
            assert_eq!(ran.code, 0, "{check}: {ran:?}");
        }
    }
}

#[test]
fn it_takes_effect_while_another_has_the_gpu_and_the_job_gets_its_result() {
    let scene = scene(
        "echo once >> $DIR/effects; echo said to $MOOD; pwd; echo save=$HOLDSHORT_CHECKPOINT_DIR\n\
         echo gpus=$CUDA_VISIBLE_DEVICES. id=$HOLDSHORT_JOB_ID",
    );
    let Scene { agents, asker, other, review } = &scene;
    agents.approve(review);
    let step = scene.until_step("the step's end", |state| *state == StepState::Done(0));
    assert_eq!(agents.lines("effects"), ["once"]);
    assert_eq!(agents.place.job(*other)["state"], "running", "it still has the GPU");
    let waits = agents.place.job(*asker);
    assert_eq!(waits["state"], "resuming");
    assert_eq!(waits["steps"][0]["job"], step);
    assert_eq!(
        (&waits["steps"][0]["state"], &waits["steps"][0]["exit_code"]),
        (&"done".into(), &0.into())
    );
    let job = agents.place.job(step);
    assert_eq!((&job["parent"], &job["step"]), (&(*asker).into(), &review.id.to_string().into()));
    assert_eq!((&job["state"], &job["request"]["gpu_milli"]), (&"succeeded".into(), &0.into()));
    let shown = agents.place.ok(&format!("show {}", review.id));
    assert!(shown.contains(&format!("ran as step {step}, exit 0")), "{shown}");
    let shown = agents.place.ok(&format!("show {asker}"));
    assert!(shown.contains(&format!("{} ran as step {step}, exit 0", review.id)), "{shown}");
    let back = scene.comes_back();
    assert_eq!((&back["state"], &back["attempt"]), (&"succeeded".into(), &2.into()));
    assert_eq!(agents.lines("effects"), ["once"], "and not again");
    assert_eq!(agents.lines("steps"), ["code 75", "other", "code 0"]);
    let output = agents.lines("output.2");
    assert_eq!(output[0], "said to good", "in the environment of the one who asked: {output:?}");
    assert_eq!(output[1], agents.path("").display().to_string().trim_end_matches('/'));
    assert!(output[2].ends_with(&format!("/{asker}.checkpoint")), "{output:?}");
    assert_eq!(output[3], format!("gpus=. id={step}"));
    let log = agents.place.ok(&format!("logs {asker}"));
    assert!(log.contains(&format!("ran as step {step}, exit 0")), "{log}");
    let events = agents.place.ok(&format!("audit show {} --json", review.id));
    assert!(events.contains("redeemed_by_step"), "{events}");
    let usage = agents.place.json("usage --by job");
    let mut rows = usage["usage"].as_array().unwrap().iter();
    assert!(rows.any(|row| row["job"] == step), "it is on the bill itself: {usage}");
    scene.checks();
}

#[test]
fn its_failure_is_the_gates() {
    let scene = scene("echo once >> $DIR/effects; exit 3");
    scene.agents.approve(&scene.review);
    let step = scene.until_step("the step's end", |state| *state == StepState::Done(3));
    assert_eq!(scene.agents.place.job(step)["state"], "failed");
    let back = scene.comes_back();
    assert_eq!((&back["exit_code"], scene.agents.lines("effects").len()), (&3.into(), 1));
}

#[test]
fn a_script_that_changed_after_the_yes_runs_nothing_and_is_13() {
    let scene = scene("echo once >> $DIR/effects");
    let agents = &scene.agents;
    agents.script("effect.sh", "echo twice >> $DIR/effects");
    agents.approve(&scene.review);
    let step = scene.until_step("the step's end", |s| matches!(s, StepState::Unused(_)));
    assert_eq!(agents.place.job(step)["exit_code"], 13);
    let back = scene.comes_back();
    assert_eq!((&back["exit_code"], agents.lines("effects")), (&13.into(), vec![]));
    assert_eq!(agents.review(scene.review.id).state, ReviewState::Superseded);
    // `again` is no way around people.
    assert_eq!(agents.place.run(&format!("again {step}")).code, 4);
}

#[test]
fn with_the_server_killed_before_and_after_it_starts_it_happens_once() {
    let scene = scene(
        "echo began >> $DIR/began; while [ ! -e $DIR/go ]; do sleep 0.02; done\n\
         echo once >> $DIR/effects",
    );
    let agents = &scene.agents;
    scene.restart();
    agents.approve(&scene.review);
    scene.restart();
    agents.until_line("began", "began");
    scene.until_step("the right to be used", |state| *state == StepState::Runs);
    scene.restart();
    agents.touch("go");
    scene.until_step("the step's end", |state| *state == StepState::Done(0));
    scene.restart();
    let back = scene.comes_back();
    assert_eq!((&back["state"], agents.lines("effects").len()), (&"succeeded".into(), 1));
    assert_eq!(agents.lines("began").len(), 1);
    scene.checks();
}

#[test]
fn with_the_server_killed_at_random_instants_around_the_yes_it_happens_once() {
    let mut random = 2_463_534_242_u64;
    for _ in 0..4 {
        let scene = scene("echo once >> $DIR/effects");
        let agents = &scene.agents;
        let server = agents.place.server().unwrap();
        agents.approve(&scene.review);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let pause = u16::try_from(random % 120).unwrap();
        let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(pause));
        kill(server, 9);
        wait_for("the server's end", || !alive(server));
        agents.place.ok("server start");
        let back = scene.comes_back();
        assert_eq!((&back["state"], agents.lines("effects").len()), (&"succeeded".into(), 1));
    }
}

#[test]
fn a_step_that_is_killed_in_the_middle_is_14_and_not_run_again() {
    let scene = scene(
        "echo once >> $DIR/effects; echo $PPID > $DIR/pid\n\
         while [ ! -e $DIR/go ]; do sleep 0.02; done",
    );
    let agents = &scene.agents;
    agents.approve(&scene.review);
    wait_for("its parent's number", || !agents.lines("pid").is_empty());
    kill(agents.lines("pid")[0].parse().unwrap(), 9);
    let step = scene.until_step("the step to be lost", |state| *state == StepState::Lost);
    let found = |job: &Value| job["findings"][0]["signal"] == "step_lost";
    agents.place.until(scene.asker, "the finding", found);
    let why = agents.place.ok(&format!("why {}", scene.asker));
    assert!(why.contains("step_lost"), "{why}");
    let shown = agents.place.ok(&format!("show {}", scene.review.id));
    assert!(shown.contains(&format!("was lost as step {step}")), "{shown}");
    let back = scene.comes_back();
    assert_eq!((&back["exit_code"], agents.lines("effects").len()), (&14.into(), 1));
    agents.touch("go");
}

#[test]
fn a_rule_makes_steps_for_jobs_with_gpus_and_a_yes_that_is_taken_back_makes_none() {
    let rule = "[[review_policy]]\nname = \"small\"\neffects = [\"external\"]\nstep = true\n";
    let agents = Agents::new(rule);
    let effect = agents.script("effect.sh", "echo $1 >> $DIR/effects");
    let gate = |more: &str, name: &str| {
        format!("holdshort gate --effect external {more} -- {effect} {name}; exit $?")
    };
    let on_cpu = agents.submit("", &gate("", "cpu"));
    agents.place.until_state(on_cpu, "in_review");
    assert_eq!(agents.open(on_cpu).ask.step, None, "it has no GPU that a step would spare");
    let never = agents.submit("--gpu 1", &gate("--no-step", "never"));
    agents.place.until_state(never, "in_review");
    assert_eq!(agents.open(never).ask.step, None);
    let on_gpu = agents.submit("--gpu 1", &gate("", "gpu"));
    agents.place.until_state(on_gpu, "in_review");
    let other = agents.submit("--gpu 1", OTHER);
    agents.place.until_state(other, "running");
    let review = agents.open(on_gpu);
    assert!(review.ask.step.is_some());
    // Asked on a card, a yes counts ten seconds later: the step waits, and goes with the yes.
    let verb = ReviewVerb::Vote {
        verdict: holdshort::model::review::Verdict::Approve,
        reason: None,
        hash: Some(review.hash_text()),
        version: None,
        undo: holdshort::base::Span::secs(60),
        uses: None,
        until: None,
        signature: None,
    };
    agents.act(review.id, verb);
    let step = agents.review(review.id).step.unwrap().job.0;
    assert_eq!(agents.place.job(step)["state"], "waiting");
    agents.act(review.id, ReviewVerb::Revoke { reason: None });
    agents.place.until_state(step, "cancelled");
    agents.touch("other");
    let back = agents.place.until(on_gpu, "its end", |job| !job["ended_at"].is_null());
    assert_eq!((&back["exit_code"], agents.lines("effects")), (&10.into(), vec![]));
}
