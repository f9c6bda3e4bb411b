//! The ledger of a real server: nothing of it is lost or counted twice by a crash, a compaction
//! or an upgrade, what is tampered with is named, and what is too old lives on as sums of its day.

use rusqlite::Connection;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::place::{Place, wait_for};

fn sql(place: &Place, text: &str) -> u64 {
    let conn = Connection::open(place.data().join("journal.db")).unwrap();
    conn.execute(text, []).unwrap() as u64
}

/// Exact sums of cores by job and class.
fn sums(place: &Place) -> Vec<(u64, String, u128)> {
    let usage = place.json("usage --by job");
    let rows = usage["usage"].as_array().unwrap().iter().filter(|row| !row["job"].is_null());
    let row = |row: &Value| {
        let sum = row["cpu_milli_ms"].as_str().unwrap().parse().unwrap();
        (row["job"].as_u64().unwrap(), row["class"].as_str().unwrap().to_owned(), sum)
    };
    rows.map(row).collect()
}

fn verified(place: &Place) -> Value {
    let ran = place.run("verify ledger --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.out).unwrap()
}

/// A place in which three jobs have run, of which one was frozen for a while.
fn used() -> (Place, [u64; 3]) {
    let place = Place::with_slots(2);
    let frozen = place.submit("", "sleep 1");
    place.until_state(frozen, "running");
    place.ok(&format!("pause {frozen}"));
    place.until_state(frozen, "paused");
    let jobs = [frozen, place.submit("", "exit 3"), place.submit("--cpu 500m", "true")];
    place.ok(&format!("resume {frozen}"));
    place.run("wait --all --timeout 60s");
    (place, jobs)
}

#[test]
fn a_bill_outlives_a_crash_and_a_compaction() {
    let (place, jobs) = used();
    let before = sums(&place);
    for job in jobs {
        let shown = place.job(job);
        let end = |key: &str| shown[key].as_u64().unwrap();
        let lasted = u128::from(end("ended_mono") - end("started_mono"));
        let milli = u128::from(shown["request"]["cpu_milli"].as_u64().unwrap());
        let own = before.iter().filter(|(id, class, _)| *id == job && class != "held");
        let booked: u128 = own.map(|(_, _, sum)| sum).sum();
        // Cores are given back while it is frozen.
        let held = if job == jobs[0] { lasted * milli - booked } else { 0 };
        assert_eq!(booked + held, lasted * milli, "{job}: {before:?}");
        assert!(job != jobs[0] || held > 0, "{before:?}");
    }
    assert!(before.iter().any(|(_, class, _)| class == "start_stop"));
    place.kill_server();
    assert_eq!(verified(&place)["from_seq"], 0);
    assert_eq!(sums(&place), before);
    let dropped = place.ok("journal compact");
    assert!(!dropped.starts_with("0 "), "{dropped}");
    assert_eq!(sums(&place), before);
    place.kill_server();
    assert_eq!(sums(&place), before);
    place.submit("", "true");
    place.run("wait --all --timeout 60s");
    place.kill_server();
    let after = verified(&place);
    assert!(after["from_seq"].as_u64().unwrap() > 0);
    let of_cores = after["resources"].as_array().unwrap().iter();
    let cores = of_cores.clone().find(|row| row["resource"] == "cpu_milli").unwrap();
    let booked: u128 = cores["booked_ms"].as_object().unwrap().values().map(exact).sum();
    assert_eq!(booked, exact(&cores["capacity_ms"]), "{after}");
}

fn exact(value: &Value) -> u128 {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn what_is_changed_or_missing_in_the_ledger_is_named() {
    let (place, _) = used();
    place.kill_server();
    verified(&place);
    let last = "(SELECT max(seq) FROM ledger)";
    let byte = format!("UPDATE ledger SET now = now + 1 WHERE seq = {last}");
    assert_eq!(sql(&place, &byte), 1);
    let ran = place.run("verify journal");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("the ledger's row of record"), "{ran:?}");
    assert_eq!(sql(&place, &format!("DELETE FROM ledger WHERE seq = {last}")), 1);
    let ran = place.run("verify ledger");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("fault: record ") && ran.err.contains("not stored"), "{ran:?}");
}

#[test]
fn a_journal_of_before_metering_is_metered_from_then_on() {
    let (place, _) = used();
    let sleeper = place.submit("", "sleep 600");
    place.until_state(sleeper, "running");
    place.kill_server();
    sql(&place, "DROP TABLE ledger");
    sql(&place, "DROP TABLE unmetered");
    sql(&place, "DROP TABLE audit");
    sql(&place, "DROP TABLE audit_base");
    let conn = Connection::open(place.data().join("journal.db")).unwrap();
    conn.pragma_update(None, "user_version", 1).unwrap();
    drop(conn);
    assert_eq!(place.run("verify journal").code, 0);
    verified(&place);
    let jobs = || sums(&place).into_iter().map(|(job, ..)| job).collect::<Vec<_>>();
    wait_for("the job that runs", || jobs().contains(&sleeper));
    assert!(jobs().iter().all(|job| *job == sleeper), "{:?}", sums(&place));
    place.ok(&format!("cancel {sleeper}"));
    place.run("wait --all --timeout 60s");
    place.kill_server();
    verified(&place);
}

#[test]
fn usage_is_shown_by_team_job_node_and_class_and_for_a_window() {
    let (place, _) = used();
    let text = place.ok("usage");
    assert!(text.contains("productive") && text.contains("idle"), "{text}");
    assert!(!text.contains("TEAM"), "{text}");
    assert!(place.ok("usage --by node").contains("n1"), "{text}");
    assert!(place.ok("usage --since 10s --by job").contains("JOB"), "{text}");
    let all = place.json("usage --by class");
    let sum = |page: &Value| -> u128 {
        page["usage"].as_array().unwrap().iter().map(|row| exact(&row["cpu_milli_ms"])).sum()
    };
    let part = place.json("usage --by class --since 200ms");
    let time = |key: &str| {
        let text = part[key].as_str().unwrap();
        chrono::DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis()
    };
    // Two cores all the time; the two clocks tick at different instants.
    let window = u128::try_from(time("until") - time("since")).unwrap();
    assert!(sum(&part).abs_diff(2000 * window) <= 2000 * 5, "{part}");
    assert!(sum(&all) > sum(&part));
    for (line, part) in [
        ("usage --by money", "none of team, job, node and class"),
        ("usage --since soon", "--since"),
        ("usage --since 1h --until 2h", "the window is empty"),
        ("usage x=1 --since 1h", "cannot be used with"),
    ] {
        let ran = place.run(line);
        assert!(ran.code != 0 && ran.err.contains(part), "{line}: {ran:?}");
    }
}

/// What teams held, by class: exact sums of cores and memory.
fn held(place: &Place) -> Vec<(String, u128, u128)> {
    let usage = place.json("usage --by team");
    let rows = usage["usage"].as_array().unwrap().iter().filter(|row| !row["team"].is_null());
    let row = |row: &Value| {
        let class = row["class"].as_str().unwrap().to_owned();
        (class, exact(&row["cpu_milli_ms"]), exact(&row["mem_byte_ms"]))
    };
    rows.map(row).collect()
}

/// Makes what is stored in the ledger so many days older.
fn age(place: &Place, days: i64) {
    let conn = Connection::open(place.data().join("journal.db")).unwrap();
    let int = |row: &rusqlite::Row, at: usize| row.get::<_, i64>(at);
    let read = |row: &rusqlite::Row| {
        Ok((int(row, 0)?, int(row, 1)?, int(row, 2)?, row.get::<_, Vec<u8>>(3)?))
    };
    let mut select = conn.prepare("SELECT seq, now, wall, bytes FROM ledger").unwrap();
    let rows: Vec<(i64, i64, i64, Vec<u8>)> =
        select.query_map([], read).unwrap().map(Result::unwrap).collect();
    for (seq, now, wall, bytes) in rows {
        let wall = wall - days * 86_400_000;
        let mut hasher = Sha256::new();
        [seq, now, wall].iter().for_each(|part| hasher.update(part.to_le_bytes()));
        hasher.update(&bytes);
        let hash: [u8; 32] = hasher.finalize().into();
        let sql = "UPDATE ledger SET wall = ?1, hash = ?2 WHERE seq = ?3";
        conn.execute(sql, (wall, hash, seq)).unwrap();
    }
}

fn count(place: &Place, what: &str) -> u64 {
    let conn = Connection::open(place.data().join("journal.db")).unwrap();
    let sql = format!("SELECT count(*) FROM {what}");
    let count: i64 = conn.query_row(&sql, [], |row| row.get(0)).unwrap();
    count.try_into().unwrap()
}

#[test]
fn what_is_older_than_configured_is_kept_by_the_day_whenever_the_server_is_killed() {
    let place = Place::with_slots(8);
    for _ in 0..40 {
        place.submit("--cpu 100m --mem 1M", "true");
    }
    place.run("wait --all --timeout 120s");
    let before = held(&place);
    assert!(before.iter().any(|(class, cores, _)| class == "productive" && *cores > 0));
    place.kill_server();
    assert!(count(&place, "ledger") > 32, "more than a slice");
    age(&place, 500);
    let old = "ledger WHERE wall < (unixepoch() - 401 * 86400) * 1000";
    let mut kills = 0;
    loop {
        // A server answers only after its first slice.
        place.ok("ls");
        place.kill_server();
        kills += 1;
        assert_eq!(place.run("verify journal").code, 0);
        if count(&place, old) == 0 && count(&place, "ledger_days") > 0 {
            break;
        }
        assert!(kills < 1000, "{} rows are left", count(&place, "ledger"));
    }
    assert_eq!(held(&place), before, "killed {kills} times");
    let recent = place.json("usage --by team --since 1h");
    let teams = recent["usage"].as_array().unwrap().iter().filter(|row| !row["team"].is_null());
    assert_eq!(teams.count(), 0, "{recent}");
    place.kill_server();
    assert!(verified(&place)["days"].as_u64().unwrap() > 0);
    let byte =
        "UPDATE ledger_days SET bytes = CAST(replace(CAST(bytes AS TEXT), '1', '2') AS BLOB)";
    assert!(sql(&place, &format!("{byte} WHERE day = (SELECT max(day) FROM ledger_days)")) > 0);
    for what in ["journal", "ledger"] {
        let ran = place.run(&format!("verify {what}"));
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("the ledger's day"), "{ran:?}");
    }
}
