//! How people say where and how jobs shall run: nodes on one machine, groups, headers, wishes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::{Value, json};

use crate::place::{Place, kill, wait_for};

const TWO: &str = "
[[node]]
name = \"a\"
cpu = 2
mem = \"4Gi\"
gpus = 1
labels = {zone = \"eu\"}
[[node]]
name = \"b\"
cpu = 2
mem = \"4Gi\"
gpus = 2
spot = true
max_tasks = 8
";

fn nodes(place: &Place) -> Vec<Value> {
    place.json("nodes")["nodes"].as_array().unwrap().clone()
}

/// Where the first attempt of an ended job ran.
fn ran_on(place: &Place, job: u64) -> Value {
    place.job(job)["attempts"][0]["nodes"].clone()
}

fn up(place: &Place) -> Vec<String> {
    let names = nodes(place).into_iter().filter(|node| node["state"] == "up");
    names.map(|node| node["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn jobs_run_on_two_nodes_of_one_machine_with_the_machines_own_devices() {
    let place = Place::new(TWO);
    let print = "echo $CUDA_VISIBLE_DEVICES";
    // Node b is a spot node: it takes only what can come back.
    let both = place.submit("--gpu 2 --requeue --spot", print);
    let one = place.submit("--gpu 1 --time-limit 1m", "echo $CUDA_VISIBLE_DEVICES; exec sleep 600");
    place.until_state(both, "succeeded");
    assert_eq!(place.ok(&format!("logs {both}")), "1,2");
    assert_eq!(ran_on(&place, both), json!(["b"]));
    place.until_state(one, "running");
    wait_for("its output", || !place.ok(&format!("logs {one}")).is_empty());
    assert_eq!(place.job(one)["nodes"], json!(["a"]));
    assert_eq!(place.ok(&format!("logs {one}")), "0");
    let seen = nodes(&place);
    assert_eq!((&seen[0]["labels"], &seen[0]["spot"]), (&json!({"zone": "eu"}), &json!(false)));
    assert_eq!((&seen[1]["spot"], &seen[1]["max_tasks"]), (&json!(true), &json!(8)));
    assert!(place.ok("nodes").contains("spot, at most 8 tasks"));
    place.ok(&format!("cancel {one}"));
}

#[test]
fn a_server_takes_over_other_nodes_while_it_runs_and_what_runs_goes_on() {
    let place = Place::new(TWO);
    place.ok("drain b");
    let job = place.submit("", "exec sleep 600");
    place.until_state(job, "running");
    let file = place.path("config/holdshort/config.toml");
    std::fs::write(&file, TWO.replace("\"a\"", "\"c\"").replace("cpu = 2", "cpu = 3")).unwrap();
    kill(place.server().unwrap(), nix::libc::SIGHUP);
    wait_for("the new node", || up(&place) == ["c"]);
    let seen = nodes(&place);
    assert_eq!((&seen[0]["name"], &seen[0]["state"]), (&json!("a"), &json!("lost")));
    assert_eq!(seen.last().unwrap()["capacity"]["cpu_milli"], 3000);
    assert_eq!(place.job(job)["state"], "running", "it runs on where it is");
    let next = place.submit("", "true");
    place.until_state(next, "succeeded");
    assert_eq!(ran_on(&place, next), json!(["c"]));
    place.ok(&format!("cancel {job}"));
    place.until_state(job, "cancelled");
    wait_for("the old node goes", || nodes(&place).iter().all(|node| node["name"] != "a"));
}

#[test]
fn the_configuration_says_whether_shares_are_packed_or_kept_useful() {
    let racks = "[[node]]\nname = \"a\"\ncpu = 2\ngpus = 1\nlabels = {rack = \"a\"}\n\
                 [[node]]\nname = \"b\"\ncpu = 2\ngpus = 1\nlabels = {rack = \"b\"}\n";
    for (word, chosen, last) in
        [("bin_pack", "b", "queued"), ("least_fragmentation", "a", "running")]
    {
        let place = Place::new(&format!("[scheduler]\nplace_gpu = \"{word}\"\n{racks}"));
        let run = |options: &str| {
            place.submit(&format!("--cpu 0.1 --mem 64Mi {options}"), "exec sleep 600")
        };
        let asks = ["0.3 --node-label rack=a", "0.5 --node-label rack=b", "0.2", "0.5", "0.5"];
        let jobs = asks.map(|ask| run(&format!("--gpu {ask}")));
        jobs[..4].iter().for_each(|job| drop(place.until_state(*job, "running")));
        assert_eq!(place.job(jobs[2])["nodes"], json!([chosen]), "{word}");
        place.until_state(jobs[4], last);
        assert!(place.ok("config show").contains(word), "{word}");
        jobs.iter().for_each(|job| drop(place.ok(&format!("cancel {job}"))));
    }
    let wrong = Place::new("[scheduler]\nplace_gpu = \"least_fragmented\"\n");
    assert!(wrong.run("config check").err.contains("did you mean \"least_fragmentation\"?"));
}

#[test]
fn a_check_says_what_the_machine_does_not_have() {
    let place =
        Place::new("[[node]]\nname = \"a\"\ncpu = 9000\n[[node]]\nname = \"b\"\ngpu = 1000\n");
    let ran = place.run("config check");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("the machine has"), "{ran:?}");
    assert!(place.run("config show --origin").out.contains("node[0].cpu = 9000"));
    let wrong = Place::new("[scheduler]\noff = [\"backfil\"]\n");
    let ran = wrong.run("config check");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean \"backfill\"?"), "{ran:?}");
}

#[test]
fn every_configuration_in_the_documentation_is_right() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path());
    let mut checked = 0;
    for file in
        docs.chain([root.join("README.md")]).filter(|f| f.extension().is_some_and(|e| e == "md"))
    {
        let text = std::fs::read_to_string(&file).unwrap();
        let blocks = text.split("\n```toml\n").skip(1);
        let blocks: Vec<&str> = blocks.map(|it| it.split("\n```").next().unwrap()).collect();
        // What is shown of teams may rest on the teams shown before.
        let teams = blocks.iter().find(|block| block.contains("[[team]]")).copied();
        for block in &blocks {
            let rests = block.contains("\nteam = ") && !block.contains("[[team]]");
            let whole = format!("{block}\n{}\n", teams.filter(|_| rests).unwrap_or_default());
            let ran = Place::new(&whole).run("config check");
            assert_eq!(ran.code, 0, "{}: {}\n{block}", file.display(), ran.err);
            checked += 1;
        }
    }
    assert!(checked >= 2, "{checked}");
}

#[test]
fn a_gang_of_groups_starts_whole_and_each_task_knows_its_group() {
    let place = Place::new(TWO);
    let script = place.path("gang.sh");
    let text = "#!/bin/sh\n#HOLDSHORT --group 'head: cpu=1' --group-set s --requeue --spot\n\
                #HOLDSHORT --group 'work: size=2 cpu=1 gpu=1 in=s'\n\
                echo $RANK/$WORLD_SIZE $HOLDSHORT_GROUP\n";
    std::fs::write(&script, text).unwrap();
    let id: u64 = place.ok(&format!("submit {}", script.display())).parse().unwrap();
    place.until_state(id, "succeeded");
    let job = place.job(id);
    assert_eq!(job["gang"], json!({"size": 3, "min": 3, "running": 0}));
    assert_eq!(job["groups"]["groups"][1]["within"], "s");
    for (rank, group) in [(0, "head"), (1, "work"), (2, "work")] {
        let said = place.ok(&format!("logs {id} --task {rank}"));
        assert_eq!(said, format!("{rank}/3 {group}"));
    }
    assert!(place.ok(&format!("show {id}")).contains("GROUPS"));
    let again: u64 = place.ok(&format!("again {id}")).parse().unwrap();
    assert_eq!(place.job(again)["groups"], job["groups"]);
    let plain: u64 = place.ok(&format!("again {id} --gang 2")).parse().unwrap();
    assert_eq!(
        (&place.job(plain)["groups"], &place.job(plain)["gang"]["size"]),
        (&Value::Null, &json!(2))
    );
}

#[test]
fn slurms_words_for_wishes_are_understood() {
    let place = Place::with_slots(2);
    place.ok("pause all --reason test --yes");
    let script = place.path("job.sh");
    let text = "#!/bin/sh\n#SBATCH --deadline=now+2hours -C a100 --requeue\n\
                #HOLDSHORT --preemptible --preemption-delay 5m\ntrue\n";
    std::fs::write(&script, text).unwrap();
    let ran = place.run(&format!("submit {}", script.display()));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let job = place.job(1);
    assert_eq!(job["node_labels"], json!({"a100": ""}));
    assert_eq!((&job["preemptible"], &job["requeue"]), (&json!(true), &json!(true)));
    assert_eq!(job["preemption_delay_ms"], 300_000);
    assert!(job["deadline"].is_string());
    let ids = |filter: &str| {
        let list = place.json(&format!("ls {filter}"));
        list["jobs"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((ids("deadline=..3h"), ids("preemptible=no")), (vec![json!(1)], vec![]));
    place.ok("set 1 deadline=none preemptible=no");
    assert_eq!(
        (&place.job(1)["deadline"], &place.job(1)["preemptible"]),
        (&Value::Null, &json!(false))
    );
}

#[tokio::test]
async fn what_gives_its_room_away_needs_a_way_back() {
    let place = Place::with_slots(1);
    let once = place.submit("", "exec sleep 600");
    assert_eq!(place.run("submit --preemptible -- true").code, 2);
    assert_eq!(place.run(&format!("set {once} preemptible=yes")).code, 2);
    assert_eq!(place.run(&format!("again {once} --spot")).code, 2);
    place.until_state(once, "running");
    assert_eq!(place.run(&format!("preempt {once}")).code, 4);
    let socket = place.json("server status")["socket"].as_str().unwrap().to_owned();
    let http = reqwest::Client::builder().unix_socket(socket.as_str()).build().unwrap();
    let group = |name: &str, within: &str| json!({"name": name, "within": within});
    let set = json!([{"name": "s"}]);
    for (job, part) in [
        (json!({"command": ["true"], "preemptible": true}), "preemptible job must say"),
        (json!({"command": ["true"], "groups": {"groups": [group("a", "s")]}}), "which is no set"),
        (
            json!({"command": ["true"], "groups": {"groups": [group("s", "s")], "sets": set}}),
            "stands twice",
        ),
        (json!({"command": ["true"], "service": {"baseline": 2}}), "baseline"),
    ] {
        let body = json!({"cwd": "/", "jobs": [job]});
        let answer = http.post("http://x/api/v1/jobs").json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{body}");
        let said: Value = answer.json().await.unwrap();
        assert!(said["detail"].as_str().unwrap().contains(part), "{part}: {said}");
    }
    place.ok(&format!("cancel {once}"));
}

#[test]
fn a_preempted_job_says_who_sent_it_away() {
    let place = Place::with_slots(1);
    let job = place.submit("--preemptible --requeue --grace 1s", "exec sleep 600");
    place.until_state(job, "running");
    place.ok("drain n1");
    place.ok(&format!("preempt {job}"));
    place.until_state(job, "queued");
    let evicted = &place.job(job)["evicted"];
    assert_eq!(evicted["rule"], "person");
    assert!(evicted["by"].is_string() && evicted["at"].is_string());
    let shown = place.ok(&format!("show {job}"));
    assert!(shown.contains("gave room") && shown.contains("(person)"), "{shown}");
    assert_eq!(place.job(job)["evicted_by"]["rule"], "person");
    let row = place.ok("ls");
    assert!(row.contains("evicted by "), "{row}");
}

#[test]
fn room_that_is_kept_is_shown_with_whom_it_is_for_and_what_it_costs() {
    let place = Place::with_slots(2);
    let runs = place.submit("--cpu 1 --estimate 10m", "exec sleep 600");
    place.until_state(runs, "running");
    assert_eq!(nodes(&place)[0]["reserved"]["cpu_milli"], 0);
    assert!(!place.ok("nodes").contains("kept"), "nobody is told of what there is none of");
    let waits = place.submit("--cpu 2 --estimate 10m", "true");
    let long = place.submit("--cpu 1 --estimate 1h", "true");
    wait_for("the room is kept", || nodes(&place)[0]["reserved"]["cpu_milli"] == 1000);
    let node = &nodes(&place)[0];
    assert_eq!(node["kept"][0]["job"], waits);
    assert_eq!(node["kept"][0]["room"]["cpu_milli"], 2000);
    let shown = place.ok("nodes");
    assert!(shown.contains(&format!("kept for {waits} from ")), "{shown}");
    assert!(shown.contains("kept idle for waiting jobs: 1 core"), "{shown}");
    assert!(place.job(long)["expected_start_at"].is_object(), "and the one behind knows when");
    let booked = || {
        let usage = place.json("usage --by class");
        let rows = usage["usage"].as_array().unwrap().clone();
        let row = rows.into_iter().find(|row| row["class"] == "reserved");
        row.is_some_and(|row| row["core_hours"] != "0.000000")
    };
    wait_for("it is in the ledger", booked);
    wait_for("it is in the sum of the day", || {
        let day = &place.json("nodes")["reserved_24h"];
        day["reserved"]["cpu_milli_ms"] != "0" && day["all"]["cpu_milli_ms"] != "0"
    });
    place.ok(&format!("cancel --yes {runs} {waits} {long}"));
    place.until_state(runs, "cancelled");
    assert_eq!(nodes(&place)[0]["kept"], json!([]));
    place.ok("verify ledger");
}

#[test]
fn events_say_when_room_is_reserved_on_the_calendar() {
    let place = Place::with_slots(1);
    let runs = place.submit("--estimate 10m", "exec sleep 600");
    place.until_state(runs, "running");
    let waits = place.submit("--estimate 1m", "exec sleep 60");
    let events = place.ok(&format!("events {waits}"));
    let line = events.lines().find(|line| line.contains("room reserved from")).unwrap();
    let from = line.split("reserved from ").nth(1).unwrap();
    let first = from.split_whitespace().next().unwrap();
    assert!(!first.contains('-'), "in ten minutes is no other year: {line}");
}
