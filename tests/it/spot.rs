//! A spot node of the real server is about to vanish.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::json;

use crate::place::{Place, wait_for};

const NODES: &str = "
[[node]]
name = \"calm\"
cpu = 1
mem = \"4Gi\"
[[node]]
name = \"shaky\"
cpu = 1
mem = \"4Gi\"
labels = {kind = \"shaky\"}
spot = true
";

/// Runs on until it is told to save itself; then the next attempt ends well.
const SAVES: &str = "
trap 'touch $HOLDSHORT_CHECKPOINT_DIR/saved; exit 75' TERM
test -e $HOLDSHORT_CHECKPOINT_DIR/saved && exit 0
echo ready
while :; do sleep 0.05; done";

fn node(place: &Place, name: &str) -> serde_json::Value {
    let nodes = place.json("nodes")["nodes"].as_array().unwrap().clone();
    nodes.into_iter().find(|node| node["name"] == name).unwrap()
}

#[test]
fn a_warned_job_saves_itself_and_goes_on_elsewhere_even_if_the_server_dies_meanwhile() {
    let place = Place::new(NODES);
    let blocker = place.submit("", "exec sleep 600");
    place.until_state(blocker, "running");
    assert_eq!(place.job(blocker)["nodes"], json!(["calm"]), "it did not say --spot");
    let job = place.submit("--spot --resumable", SAVES);
    wait_for("its trap", || place.ok(&format!("logs {job}")).contains("ready"));
    assert_eq!(place.job(job)["nodes"], json!(["shaky"]));

    assert_eq!(place.run("spot-warning calm").code, 4);
    place.ok("spot-warning shaky --in 5m");
    place.kill_server();
    place.until(job, "it has left", |job| job["nodes"] == json!([]));
    let shaky = node(&place, "shaky");
    assert_eq!(
        (&shaky["state"], &shaky["warning"]["by"]),
        (&json!("drained"), &shaky["drain"]["by"])
    );
    assert!(place.ok("nodes").contains("vanishes at"));
    let events = place.ok("events");
    assert!(events.contains("its node is about to vanish"), "{events}");
    assert_eq!(place.job(job)["state"], "queued", "its only place is drained, the other taken");

    place.ok(&format!("cancel {blocker}"));
    let ended = place.until_state(job, "succeeded");
    assert_eq!(ended["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(ended["attempts"][1]["nodes"], json!(["calm"]));
    place.ok("undrain shaky");
    assert_eq!(node(&place, "shaky")["warning"], json!(null));
}
