//! An elastic pool of the real server.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::place::{Place, wait_for};

fn pool(more: &str) -> String {
    format!(
        "[[node]]\nname = \"n1\"\ncpu = 1\nmem = \"4Gi\"\n[[pool]]\nname = \"burst\"\nmax = 2\n\
         cpu = 2\nmem = \"4Gi\"\ngpus = 1\ngrow_after = \"100ms\"\nshrink_after = \"300ms\"\n{more}"
    )
}

fn up(place: &Place) -> Vec<String> {
    let nodes = place.json("nodes")["nodes"].as_array().unwrap().clone();
    let up = nodes.iter().filter(|node| node["state"] == "up" && node["pool"] == "burst");
    up.map(|node| node["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn nodes_come_for_waiting_work_and_go_when_they_are_unused_even_over_a_crash() {
    let place = Place::new(&pool(""));
    let job = place.submit("--cpu 2 --gpu 1", "echo on $CUDA_VISIBLE_DEVICES; exec sleep 600");
    place.until_state(job, "running");
    assert_eq!(up(&place), ["burst-1"]);
    wait_for("its word", || place.ok(&format!("logs {job}")).contains("on 0"));
    place.kill_server();
    assert_eq!(place.job(job)["state"], "running");
    assert_eq!(up(&place), ["burst-1"]);
    place.ok(&format!("cancel {job}"));
    wait_for("the node goes", || up(&place).is_empty());
    let events = place.ok("events");
    assert!(events.contains("pool burst grows by burst-1"), "{events}");
    assert!(events.contains("pool burst gives burst-1 back"), "{events}");
}

#[test]
fn commands_make_nodes_and_take_them_away() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().display();
    let commands = format!(
        "up = \"echo up $HOLDSHORT_POOL $HOLDSHORT_NODE >> {at}/said\"\n\
         down = \"echo down $HOLDSHORT_NODE >> {at}/said\"\n"
    );
    let place = Place::new(&pool(&commands));
    let job = place.submit("--cpu 2", "true");
    place.until_state(job, "succeeded");
    let said = || std::fs::read_to_string(dir.path().join("said")).unwrap_or_default();
    wait_for("it is taken away", || said().ends_with("down burst-1\n"));
    assert!(said().starts_with("up burst burst-1\n"), "{}", said());
    wait_for("it is gone", || up(&place).is_empty());
}
