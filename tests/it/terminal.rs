//! Jobs with a terminal of their own: they outlive the server, take input from anywhere, and
//! their questions are recorded facts.

use crate::place::{Place, wait_for};

fn log_has(place: &Place, id: u64, text: &str) {
    wait_for(text, || place.ok(&format!("logs {id}")).contains(text));
}

#[test]
fn a_shell_survives_the_server_and_answers_afterwards() {
    let place = Place::with_slots(1);
    let id: u64 = place.ok("submit -t -- sh").parse().unwrap();
    place.until_state(id, "running");
    place.args(["send", &id.to_string(), "A=before; echo $A"]);
    log_has(&place, id, "\nbefore");
    place.kill_server();
    let sent = place.args(["send", &id.to_string(), "echo still-$A"]);
    assert_eq!(sent.code, 0, "{sent:?}");
    log_has(&place, id, "\nstill-before");
    assert_eq!(place.job(id)["attempt"], 1);
    place.args(["send", &id.to_string(), "exit 3"]);
    assert_eq!(place.until_state(id, "failed")["exit_code"], 3);
}

#[test]
fn a_question_at_the_prompt_is_a_fact_that_an_answer_ends() {
    let place = Place::with_slots(1);
    let script = "printf 'Deploy now? [y/n] '; read answer; echo got $answer";
    let id = place.submit("-t", script);
    let asks = place.until(id, "a question", |job| job["lane"] == "human");
    assert_eq!(asks["state"], "running");
    assert!(asks["reason"]["text"].as_str().unwrap().contains("Deploy now?"), "{asks}");
    place.args(["send", &id.to_string(), "y"]);
    place.until_state(id, "succeeded");
    log_has(&place, id, "got y");
    let events = place.ok("events");
    assert!(events.contains("Deploy now?"), "{events}");
}

#[test]
fn a_job_without_a_terminal_refuses_input() {
    let place = Place::with_slots(1);
    let id = place.submit("", "sleep 300");
    place.until_state(id, "running");
    let ran = place.args(["send", &id.to_string(), "hello"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("terminal"), "{}", ran.err);
}
