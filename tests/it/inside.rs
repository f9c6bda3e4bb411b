//! What a process inside a job can do: speak for its own job, and nothing else.

use crate::place::Place;

#[test]
fn a_job_reports_checkpoint_progress_and_usage() {
    let place = Place::with_slots(1);
    let script = "holdshort progress 40% && holdshort heartbeat && \
                  holdshort usage tokens_in=120 tokens_in=30 --key a || \
                  holdshort usage tokens_in=120; holdshort checkpoint saved --path /tmp/c";
    let id = place.submit("", script);
    let job = place.until_state(id, "succeeded");
    let shown = place.json(&format!("show {id}"));
    assert!(shown.to_string().contains("/tmp/c"), "{shown}");
    assert!(shown.to_string().contains("tokens_in"), "{shown}");
    assert_eq!(job["exit_code"], 0);
}

#[test]
fn a_process_in_a_jobs_tree_has_that_jobs_rights_only() {
    let place = Place::with_slots(4);
    let victim = place.submit("--name victim", "sleep 300");
    place.until_state(victim, "running");
    let script = format!(
        "holdshort cancel {victim} --yes; echo cancel $?; \
         holdshort pause all --reason x --yes; echo pause $?; \
         holdshort server stop; echo stop $?; \
         setsid holdshort cancel {victim} --yes; echo setsid $?; \
         env -u HOLDSHORT_JOB_ID -u HOLDSHORT_TOKEN holdshort cancel {victim} --yes; echo env $?; \
         holdshort show {victim} >/dev/null; echo show $?; \
         holdshort show $HOLDSHORT_JOB_ID >/dev/null; echo own $?; \
         holdshort submit --priority 900 -- true; echo high $?; \
         holdshort submit --name child -- true"
    );
    let id = place.submit("", &script);
    let job = place.until(id, "its end", |job| !job["ended_at"].is_null());
    assert_eq!(job["state"], "succeeded", "{}", place.ok(&format!("logs {id}")));
    let log = place.ok(&format!("logs {id}"));
    for refused in ["cancel 4", "pause 4", "stop 4", "setsid 4", "env 4", "show 4", "high 4"] {
        assert!(log.contains(refused), "{refused}\n{log}");
    }
    assert!(log.contains("own 0"), "{log}");
    let child: u64 = log.lines().last().unwrap().parse().unwrap();
    assert_eq!(place.job(child)["parent"], id);
    assert_eq!(place.job(victim)["state"], "running");
}

#[test]
fn the_environment_of_a_job_is_as_documented() {
    let place = Place::with_slots(4);
    let id = place.submit(
        "--array 5-6 --gang 1",
        "env | grep ^HOLDSHORT_ | sort; test -d \"$HOLDSHORT_CHECKPOINT_DIR\"",
    );
    place.until_state(id + 1, "succeeded");
    let log = place.ok(&format!("logs {}", id + 1));
    for line in ["HOLDSHORT_ARRAY_INDEX=6", "HOLDSHORT_ATTEMPT=1", "HOLDSHORT_TASK_RANK=0"] {
        assert!(log.contains(line), "{line}\n{log}");
    }
    assert!(!log.contains("HOLDSHORT_RESUME"), "{log}");
    let gang = place.submit("--gang 2", "echo $RANK of $WORLD_SIZE");
    place.until_state(gang, "succeeded");
    assert_eq!(place.ok(&format!("logs {gang} --task 1")), "1 of 2");
}

#[test]
fn a_paused_resumable_job_parks_and_comes_back_knowing_it() {
    let place = Place::with_slots(1);
    let script = "if [ \"$HOLDSHORT_RESUME\" = 1 ]; then \
                  cat $HOLDSHORT_CHECKPOINT_DIR/at; exit 0; fi; \
                  trap 'echo saved > $HOLDSHORT_CHECKPOINT_DIR/at; exit 75' TERM; \
                  echo begun; sleep 300 & wait";
    let id = place.submit("--resumable", script);
    place.until_state(id, "running");
    crate::place::wait_for("its trap", || place.ok(&format!("logs {id}")).contains("begun"));
    place.ok(&format!("pause {id} --yes"));
    let parked = place.until_state(id, "paused");
    assert!(
        parked["holds"].as_object().is_none_or(|h| h
            .values()
            .all(|v| v == 0 || v.as_object().is_some_and(|o| o.is_empty()))),
        "{}",
        parked["holds"]
    );
    place.kill_server();
    place.ok(&format!("resume {id}"));
    let job = place.until_state(id, "succeeded");
    assert_eq!(job["attempt"], 2);
    assert!(place.ok(&format!("logs {id}")).contains("saved"));
}

#[test]
fn a_paused_job_without_a_way_back_is_frozen_and_goes_on_where_it_was() {
    let place = Place::with_slots(1);
    let id = place.submit("", "i=0; while [ $i -lt 3 ]; do sleep 0.1; i=$((i+1)); echo $i; done");
    place.until_state(id, "running");
    place.ok(&format!("pause {id} --yes"));
    let paused = place.until_state(id, "paused");
    assert_eq!(paused["attempt"], 1);
    // Its core is free meanwhile.
    let other = place.submit("", "true");
    place.until_state(other, "succeeded");
    place.ok(&format!("resume {id}"));
    let job = place.until_state(id, "succeeded");
    assert_eq!(job["attempt"], 1);
    assert_eq!(place.ok(&format!("logs {id}")), "1\n2\n3");
}
