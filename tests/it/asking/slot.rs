//! The slot story: an agent that has the only GPU asks, others get it meanwhile, and on the answer
//! it goes on where it was; also when the server is killed at every step.

use holdshort::model::review::ReviewState;
use serde_json::Value;

use super::people::Agents;
use crate::place::wait_for;

/// What must happen once.
const EFFECT: &str = "echo began >> $DIR/steps\n\
                      while [ ! -e $DIR/effect ]; do sleep 0.02; done\n\
                      echo done >> $DIR/effects";

/// Saves itself when it is to wait, and goes on from there.
fn agent(effect: &str) -> String {
    format!(
        "echo attempt $HOLDSHORT_ATTEMPT on $CUDA_VISIBLE_DEVICES >> $DIR/steps\n\
         if [ \"$HOLDSHORT_RESUME\" = 1 ]; then\n\
         cat $HOLDSHORT_CHECKPOINT_DIR/at >> $DIR/steps\n\
         grep '\"state\"' $HOLDSHORT_DECISION_FILE >> $DIR/steps\n\
         fi\n\
         while [ ! -e $DIR/ask ]; do sleep 0.02; done\n\
         holdshort gate --effect irreversible -- {effect}; code=$?\n\
         echo code $code >> $DIR/steps\n\
         if [ $code = 75 ]; then\n\
         echo saved > $HOLDSHORT_CHECKPOINT_DIR/at\n\
         while [ ! -e $DIR/park ]; do sleep 0.02; done\n\
         exit 75; fi\n\
         exit $code"
    )
}

const OTHER: &str = "echo other on $CUDA_VISIBLE_DEVICES >> $DIR/steps\n\
                     while [ ! -e $DIR/other ]; do sleep 0.02; done";

fn holds(job: &Value, what: &str) -> u64 {
    job["holds"][what].as_u64().unwrap_or(0)
}

/// A process of a job starts no server: whoever watches over the machine does.
fn restarted(agents: &Agents) {
    agents.place.kill_server();
    agents.place.ok("server start");
}

/// The story, and a look at the server between its steps.
fn story(between: impl Fn(&Agents)) -> Agents {
    let agents = Agents::new("");
    let effect = agents.script("effect.sh", EFFECT);
    let a = agents.submit("--gpu 1 --name a", &agent(&effect));
    agents.place.until_state(a, "running");
    let b = agents.submit("--gpu 1 --name b", OTHER);
    agents.place.until_state(b, "queued");
    between(&agents);
    agents.touch("ask");
    agents.until_line("steps", "code 75");
    let review = agents.open(a);
    between(&agents);
    agents.touch("park");
    let parked = agents.place.until_state(a, "in_review");
    assert_eq!((holds(&parked, "gpu_milli"), holds(&parked, "cpu_milli")), (0, 0), "{parked}");
    agents.place.until_state(b, "running");
    between(&agents);
    agents.approve(&review);
    agents.place.until_state(a, "resuming");
    between(&agents);
    agents.touch("other");
    agents.place.until_state(b, "succeeded");
    // The right is used and its effect not yet there.
    agents.until_line("steps", "began");
    agents.until_review(review.id, ReviewState::Redeemed);
    between(&agents);
    agents.touch("effect");
    let a = agents.place.until_state(a, "succeeded");
    let b = agents.place.job(b);
    assert_eq!(agents.lines("effects"), ["done"]);
    assert_eq!((&a["attempt"], &b["attempt"]), (&2.into(), &1.into()));
    let steps = agents.lines("steps");
    let of_a = ["attempt 1 on 0", "code 75", "other on 0", "attempt 2 on 0", "saved"];
    assert_eq!(steps[..5], of_a, "each had the slot after the other: {steps:?}");
    assert_eq!(steps[5].trim(), "\"state\": \"approved\",");
    assert_eq!(steps[6..], ["began", "code 0"]);
    assert_eq!(agents.asked(a["id"].as_u64().unwrap()).len(), 1);
    for check in ["verify journal", "verify ledger", "journal replay"] {
        let ran = agents.place.run(check);
        assert_eq!(ran.code, 0, "{check}: {ran:?}");
    }
    agents
}

#[test]
fn the_slot_goes_on_while_people_are_asked_and_comes_back() {
    story(|_| {});
}

#[test]
fn with_the_server_killed_at_every_step_it_ends_the_same_and_happens_once() {
    story(restarted);
}

/// A program that knows nothing of parking: it would do what it does, and is stopped where it is.
fn stubborn(effect: &str, first: &str) -> String {
    format!(
        "{first}\necho before on $CUDA_VISIBLE_DEVICES >> $DIR/steps\n\
         holdshort gate --effect irreversible -- {effect}\n\
         echo after $? >> $DIR/steps"
    )
}

const FREEZE: &str = "[[review_policy]]\nname = \"freeze\"\nwait = \"freeze\"\n";

fn frozen_story(between: impl Fn(&Agents)) {
    let agents = Agents::new(FREEZE);
    let effect = agents.script("effect.sh", "echo done >> $DIR/effects");
    let a = agents.submit("--gpu 1", &stubborn(&effect, ":"));
    let parked = agents
        .place
        .until(a, "its rest", |job| job["state"] == "in_review" && holds(job, "gpu_milli") == 0);
    assert_eq!(holds(&parked, "cpu_milli"), 0, "{parked}");
    assert!(holds(&parked, "mem_bytes") > 0, "its memory stays: {parked}");
    between(&agents);
    let b = agents.submit("--gpu 1", OTHER);
    agents.place.until_state(b, "running");
    between(&agents);
    agents.approve(&agents.open(a));
    agents.place.until_state(a, "resuming");
    between(&agents);
    agents.touch("other");
    agents.place.until_state(b, "succeeded");
    let a = agents.place.until_state(a, "succeeded");
    assert_eq!(a["attempt"], 1, "it never left");
    assert_eq!(agents.lines("effects"), ["done"]);
    assert_eq!(agents.lines("steps"), ["before on 0", "other on 0", "after 0"]);
    let usage = agents.place.json("usage --by job");
    let rows = usage["usage"].as_array().unwrap().iter();
    let parked = rows.filter(|row| row["job"] == a["id"] && row["class"] == "parked");
    assert_eq!(parked.count(), 1, "its wait is booked as parked: {usage}");
    assert_eq!(agents.place.run("verify ledger").code, 0);
    assert_eq!(agents.place.run("journal replay").code, 0);
}

#[test]
fn a_program_that_never_heard_of_us_is_frozen_and_lends_its_gpu() {
    frozen_story(|_| {});
}

#[test]
fn frozen_it_survives_the_server() {
    frozen_story(restarted);
}

#[test]
fn with_something_in_the_memory_of_its_gpu_it_holds_it_while_it_waits() {
    let agents = Agents::new(FREEZE);
    let effect = agents.script("effect.sh", "echo done >> $DIR/effects");
    // What stands for the memory of a device that is not there.
    let a = agents.submit("--gpu 1", &stubborn(&effect, "exec 9<>$HOLDSHORT_PRETEND_MEMORY"));
    let waits = agents.place.until_state(a, "in_review");
    let b = agents.submit("--gpu 1", OTHER);
    // All its processes stand still, and the server knows it: cores go on, the device does not.
    let c = agents.submit("--cpu 4", "true");
    agents.place.until_state(c, "succeeded");
    assert_eq!(holds(&waits, "cpu_milli"), 0, "{waits}");
    assert_eq!(holds(&agents.place.job(a), "gpu_milli"), 1000, "holding while waiting");
    assert_eq!(agents.place.job(b)["state"], "queued");
    agents.approve(&agents.open(a));
    agents.place.until_state(a, "succeeded");
    agents.touch("other");
    agents.place.until_state(b, "succeeded");
    assert_eq!(agents.lines("steps"), ["before on 0", "after 0", "other on 0"]);
    wait_for("its effect", || agents.lines("effects").len() == 1);
}
