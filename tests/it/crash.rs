//! `kill -9` of the server at any instant loses nothing: no acknowledged job, no result, no line
//! of output; and nothing runs twice.

use std::collections::BTreeMap;
use std::process::Stdio;

use crate::place::{Place, alive, kill, wait_for};

/// Every execution of a job writes one line here.
fn runs(place: &Place) -> BTreeMap<u64, usize> {
    let text = std::fs::read_to_string(place.path("runs")).unwrap_or_default();
    let mut runs = BTreeMap::new();
    for line in text.lines() {
        *runs.entry(line.parse().unwrap()).or_default() += 1;
    }
    runs
}

#[test]
fn sixty_jobs_with_the_server_killed_at_every_sixth_give_sixty_right_results() {
    let place = Place::with_slots(4);
    let mark = place.path("runs");
    let mut ids = Vec::new();
    for n in 0..60u32 {
        let code = if n % 7 == 0 { 3 } else { 0 };
        let script = format!(
            "echo $HOLDSHORT_JOB_ID >> {}; echo out-{n}; sleep 0.1; exit {code}",
            mark.display()
        );
        ids.push((place.submit("", &script), n, code));
        if n % 6 == 5 {
            place.kill_server();
        }
    }
    place.run("wait --all --timeout 120s");
    let runs = runs(&place);
    for (id, n, code) in ids {
        let job = place.job(id);
        let state = if code == 0 { "succeeded" } else { "failed" };
        assert_eq!(job["state"], state, "{job}");
        assert_eq!(job["exit_code"], code, "{job}");
        assert_eq!(job["attempt"], 1, "{job}");
        assert_eq!(runs.get(&id), Some(&1), "job {id} ran {:?} times", runs.get(&id));
        assert_eq!(place.ok(&format!("logs {id}")), format!("out-{n}"));
    }
    assert_eq!(place.run("verify journal").code, 0);
    let ledger = place.run("verify ledger");
    assert_eq!(ledger.code, 0, "{ledger:?}");
}

#[test]
fn sixty_kills_at_random_instants_during_adds_starts_and_ends() {
    let place = Place::with_slots(4);
    let mark = place.path("runs");
    let script = format!("echo $HOLDSHORT_JOB_ID >> {}; sleep 0.05", mark.display());
    let mut acknowledged = Vec::new();
    let mut random = 88_172_645_463_325_252_u64;
    for _ in 0..60 {
        // Two clients add while the server dies after a random part of their work.
        let add = || {
            let mut command = place.command(["submit", "--", "sh", "-c", &script]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let mut adds: Vec<_> = (0..4).map(|_| add()).collect();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let pause = u16::try_from(random % 25).unwrap();
        let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(pause));
        if let Some(pid) = pid_in_lock(&place) {
            kill(pid, 9);
            wait_for("the server's end", || !alive(pid));
        }
        for add in adds.drain(..) {
            let output = add.wait_with_output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            match output.status.code() {
                Some(0) => acknowledged.push(text.trim().parse::<u64>().unwrap()),
                // Not answered in time: stored at most once, which the count below shows.
                _ => assert!(text.is_empty(), "{text}"),
            }
        }
    }
    assert_eq!(place.run("wait --all --timeout 120s").code, 0);
    let runs = runs(&place);
    assert!(acknowledged.len() >= 60, "only {} adds were answered", acknowledged.len());
    acknowledged.sort_unstable();
    let count = acknowledged.len();
    acknowledged.dedup();
    assert_eq!(acknowledged.len(), count, "one number was given twice");
    for id in &acknowledged {
        assert_eq!(runs.get(id), Some(&1), "job {id}");
    }
    for (id, times) in runs {
        assert_eq!(times, 1, "job {id} ran more than once");
        let job = place.job(id);
        assert_eq!(job["state"], "succeeded", "{job}");
    }
    assert_eq!(place.run("verify journal").code, 0);
    let ledger = place.run("verify ledger");
    assert_eq!(ledger.code, 0, "{ledger:?}");
    assert_eq!(place.run("journal replay").code, 0);
}

/// The server's process, from the lock of its data directory: asking it would disturb it.
fn pid_in_lock(place: &Place) -> Option<i32> {
    let text = std::fs::read_to_string(place.data().join("lock")).ok()?;
    text.trim().parse().ok()
}

#[test]
fn a_running_job_is_adopted_and_can_be_stopped() {
    let place = Place::with_slots(2);
    let ends = place.submit("", "sleep 1; echo done");
    let runs_on = place.submit("", "trap 'echo stopped; exit 9' TERM; echo on; sleep 300 & wait");
    place.until_state(ends, "running");
    place.until_state(runs_on, "running");
    place.kill_server();
    let job = place.job(runs_on);
    assert_eq!((job["state"].as_str(), job["attempt"].as_u64()), (Some("running"), Some(1)));
    let pid = i32::try_from(job["tasks"][0]["pid"].as_i64().unwrap()).unwrap();
    assert!(alive(pid));
    place.until_state(ends, "succeeded");
    assert_eq!(place.ok(&format!("logs {ends}")), "done");
    place.ok(&format!("cancel {runs_on} --yes"));
    place.until_state(runs_on, "cancelled");
    assert!(!alive(pid));
    assert!(place.ok(&format!("logs {runs_on}")).contains("stopped"));
}

#[test]
fn a_job_that_ends_while_no_server_runs_keeps_its_result() {
    let place = Place::with_slots(2);
    let go = place.path("go");
    let script =
        format!("echo early; while [ ! -e {} ]; do sleep 0.05; done; exit 5", go.display());
    let id = place.submit("", &script);
    let pid = place.until_state(id, "running")["tasks"][0]["pid"].as_i64().unwrap();
    place.kill_server();
    std::fs::write(go, "").unwrap();
    wait_for("the job's end", || !alive(i32::try_from(pid).unwrap()));
    let job = place.until_state(id, "failed");
    assert_eq!(job["exit_code"], 5);
    assert_eq!(place.ok(&format!("logs {id}")), "early");
}

#[test]
fn a_job_that_is_cancelled_while_it_starts_ends() {
    let place = Place::with_slots(2);
    let ids: Vec<u64> = (0..100)
        .map(|_| {
            let id = place.submit("", "sleep 300");
            place.ok(&format!("cancel {id} --yes"));
            id
        })
        .collect();
    // Each on its own: on a busy machine all of them may take long, none of them does.
    for id in ids {
        place.until_state(id, "cancelled");
    }
    let jobs = place.json("ls state=cancelled --all");
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 100);
}

#[test]
fn a_time_limit_is_kept_while_no_server_runs_and_the_end_keeps_its_own_time() {
    let place = Place::with_slots(2);
    let id = place.submit("--time-limit 2s", "sleep 300");
    let pid = place.until_state(id, "running")["tasks"][0]["pid"].as_i64().unwrap();
    place.kill_server();
    let pid = i32::try_from(pid).unwrap();
    wait_for("its supervisor's patience", || !alive(pid));
    let over = std::time::SystemTime::now();
    // Nobody looks for a while.
    wait_for("a moment to pass", || over.elapsed().unwrap().as_millis() > 2_500);
    let job = place.job(id);
    assert_eq!(job["state"], "timed_out", "{job}");
    let (started, ended) = (job["started_mono"].as_u64(), job["ended_mono"].as_u64());
    let ran = ended.unwrap() - started.unwrap();
    assert!(ran >= 2_000, "{ran} ms");
    let looked = job["since_mono"].as_u64().unwrap();
    assert!(ended.unwrap() + 2_000 <= looked, "it ended when it ended, not when we looked");
}
