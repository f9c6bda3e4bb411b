//! Services of the real server: they start again, and grow and shrink by a word from inside.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::json;

use crate::place::{Place, wait_for};

fn running(place: &Place, job: u64) -> usize {
    let tasks = place.job(job)["tasks"].as_array().unwrap().clone();
    tasks.iter().filter(|task| task["state"] == "running").count()
}

#[test]
fn a_service_that_ends_starts_again_until_it_is_cancelled() {
    let place = Place::with_slots(2);
    let job = place.submit("--service", "echo run $HOLDSHORT_ATTEMPT");
    wait_for("a third run", || place.ok(&format!("logs {job}")).contains("run 3"));
    place.kill_server();
    wait_for("a later run", || place.job(job)["attempts"].as_array().unwrap().len() > 3);
    assert!(place.ok("events").contains("is a service and starts again"));
    place.ok(&format!("cancel {job}"));
    place.until_state(job, "cancelled");
}

#[test]
fn one_that_does_not_answer_three_times_starts_again() {
    let place = Place::with_slots(2);
    // Well as long as its own directory says so: the check runs with the job's environment.
    let health = "test -e $HOLDSHORT_CHECKPOINT_DIR/well";
    let script = "test $HOLDSHORT_ATTEMPT = 1 || touch $HOLDSHORT_CHECKPOINT_DIR/well
        echo run $HOLDSHORT_ATTEMPT; exec sleep 600";
    let args = ["submit", "--service", "--health", health, "--health-every", "200ms", "--"];
    let ran = place.args(args.into_iter().chain(["sh", "-c", script]));
    let job: u64 = ran.out.trim().parse().unwrap();
    wait_for("a second run", || place.ok(&format!("logs {job}")).contains("run 2"));
    let attempt = place.job(job)["attempts"][0].clone();
    assert_eq!(attempt["stopped_for"], json!("unhealthy"), "{attempt}");
    let events = place.ok("events");
    assert!(events.contains("does not answer its health check"), "{events}");
    place.ok(&format!("cancel {job}"));
}

#[test]
fn a_process_of_a_service_says_how_many_tasks_it_wants() {
    let place = Place::with_slots(4);
    // Each task does what the file says: the first one scales.
    let script = "test $HOLDSHORT_TASK_RANK = 0 || exec sleep 600
        holdshort scale 1 && echo scaled; while ! test -e $HOLDSHORT_CHECKPOINT_DIR/more; do
        sleep 0.05; done; holdshort scale 2; exec sleep 600";
    let job = place.submit("--service --gang 3 --min 1", script);
    wait_for("it is small", || {
        place.ok(&format!("logs {job}")).contains("scaled") && running(&place, job) == 1
    });
    let dir = place.data().join(format!("jobs/0/{job}.checkpoint"));
    std::fs::write(dir.join("more"), "").unwrap();
    wait_for("it grows", || running(&place, job) == 2);
    assert_eq!(place.run(&format!("scale 4 --job {job}")).code, 2);
    place.ok(&format!("scale 3 --job {job}"));
    wait_for("it is whole", || running(&place, job) == 3);
    assert_eq!(place.job(job)["attempts"], json!([]), "it ran all the time");
    place.ok(&format!("cancel {job}"));
}
