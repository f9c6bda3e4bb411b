//! The lab against published results, and on the command line.
//!
//! The figures of the EASY family are those of Gaussier, Glesser, Reis and Trystram (SC15,
//! "Improving backfilling by using machine learning to predict running times"), from their
//! result files; those of FCFS and conservative backfilling come from two other simulators that
//! agree on every job. The logs are of the Parallel Workloads Archive and are not ours to ship.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "a test says that it is skipped")]

use std::path::PathBuf;

use holdshort::sim::lab::{self, Metrics, Policy, Trace, bounds};

use crate::cli_world::World;

/// Mean bounded slowdowns of KTH-SP2, SDSC-SP2 and CTC-SP2.
const SLOWDOWNS: [(&str, [&str; 3]); 12] = [
    ("fcfs", ["6814.97", "13823.5", "3651.57"]),
    ("easy", ["92.576540", "87.870324", "49.571290"]),
    ("easy-exact", ["71.722385", "70.477942", "37.165401"]),
    ("easy-doubled", ["79.930251", "82.135225", "44.168734"]),
    ("easy-sjbf", ["69.405401", "84.888945", "30.041070"]),
    ("easy-sjbf-doubled", ["58.912532", "77.901041", "30.397414"]),
    ("easy-sjbf-exact", ["49.847719", "56.836221", "17.571687"]),
    ("easy-tsafrir", ["85.442906", "100.018265", "64.647429"]),
    ("easy-tsafrir-request", ["65.723589", "79.212088", "35.323961"]),
    ("easy++", ["63.500677", "79.396282", "85.767172"]),
    ("easy++-request", ["62.856883", "65.063601", "26.533786"]),
    ("conservative", ["88.997275", "89.656291", "53.110473"]),
];

/// Mean waits in seconds.
const WAITS: [(&str, [&str; 3]); 3] = [
    ("fcfs", ["353776", "1535569", "655557"]),
    ("easy", ["6837", "20498", "14273"]),
    ("conservative", ["7310.6", "21889.3", "16753.1"]),
];

struct Log {
    file: &'static str,
    processors: u32,
    jobs: usize,
    /// Seconds from the first submission in which no schedule can be shorter.
    makespan: &'static str,
    mean_flow: &'static str,
}

const LOGS: [Log; 3] = [
    Log {
        file: "KTH-SP2-1996-28481.swf",
        processors: 100,
        jobs: 28_481,
        makespan: "29363626",
        mean_flow: "8860",
    },
    Log {
        file: "SDSC-SP2-54006.swf",
        processors: 128,
        jobs: 54_006,
        makespan: "63189634",
        mean_flow: "7353",
    },
    Log {
        file: "CTC-SP2-77199.swf",
        processors: 338,
        jobs: 77_199,
        makespan: "29306682",
        mean_flow: "11254",
    },
];

/// A log, if the data is here.
fn log_file(name: &str) -> Option<PathBuf> {
    let Some(data) = std::env::var_os("HOLDSHORT_TEST_DATA") else {
        eprintln!("skipped: the logs are not here (HOLDSHORT_TEST_DATA is not set)");
        return None;
    };
    let path = PathBuf::from(data).join("traces/hpc").join(name);
    if !path.exists() {
        eprintln!("skipped: there is no {}", path.display());
        return None;
    }
    Some(path)
}

/// With as many digits as were printed.
fn assert_printed(value: f64, printed: &str, what: &str) {
    let digits = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
    assert_eq!(format!("{value:.digits$}"), printed, "{what}");
}

fn equals_the_tables(which: usize) {
    let log = &LOGS[which];
    let Some(path) = log_file(log.file) else { return };
    let trace = Trace::parse(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!((trace.processors, trace.jobs.len()), (Some(log.processors), log.jobs));
    assert_eq!(trace.oddities.sentences(), [""; 0]);
    for (name, published) in SLOWDOWNS {
        let policy: Policy = name.parse().unwrap();
        let schedule = lab::reference(&trace, policy, log.processors).unwrap();
        let metrics = Metrics::of(&trace, &schedule, log.processors);
        let what = format!("{name} on {}", log.file);
        assert_printed(metrics.bounded_slowdown.mean, published[which], &what);
        if let Some((_, waits)) = WAITS.iter().find(|(policy, _)| *policy == name) {
            assert_printed(metrics.wait_s.mean, waits[which], &what);
        }
        let least = bounds::mean_flow_s(&trace, log.processors);
        assert!(metrics.flow_s.mean >= least, "{what}");
        assert!(seconds(metrics.last_end.0) >= bounds::last_end_s(&trace, log.processors) - 1e-3);
    }
    let first = seconds(trace.jobs[0].submit.0);
    let makespan = bounds::last_end_s(&trace, log.processors) - first;
    assert_printed(makespan, log.makespan, log.file);
    assert_printed(bounds::mean_flow_s(&trace, log.processors), log.mean_flow, log.file);
}

#[allow(clippy::cast_precision_loss)]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

#[test]
fn kth_equals_the_published_tables() {
    equals_the_tables(0);
}

#[test]
fn sdsc_equals_the_published_tables() {
    equals_the_tables(1);
}

#[test]
fn ctc_equals_the_published_tables() {
    equals_the_tables(2);
}

/// Three jobs on four processors: the second waits for the first, the third passes it.
const SMALL: &str = "\
; MaxProcs: 4
7 0 -1 100 -1 -1 -1 3 100 -1 1 1 -1 -1 -1 -1 -1 -1
9 1 -1 10 -1 -1 -1 4 10 -1 1 1 -1 -1 -1 -1 -1 -1
8 2 -1 20 1 -1 -1 -1 30 -1 1 2 -1 -1 -1 -1 -1 -1
5 3 -1 -1 -1 -1 -1 2 30 -1 5 2 -1 -1 -1 -1 -1 -1
";

const RUN: [&str; 4] = ["lab", "run", "--reference", "--trace"];

#[test]
fn a_run_prints_a_table_a_document_and_the_waits() {
    let world = World::new();
    world.write("small.swf", SMALL);
    let words = [&RUN[..], &["small.swf", "--policy", "easy", "--waits", "waits"]].concat();
    let said = world.run(&words);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("1 job left out, which never ran"), "{said:?}");
    assert!(said.err.contains("the allocated ones are taken"), "{said:?}");
    assert!(said.out.contains("bounded slowdown  4.300000"), "{}", said.out);
    let waits = std::fs::read_to_string(world.path("waits")).unwrap();
    assert_eq!(waits, "7 0\n8 0\n9 99\n");
    let document = world.json(&[&RUN[..], &["small.swf", "--policy", "fcfs"]].concat());
    assert_eq!(document["policy"], "fcfs");
    assert_eq!((document["jobs"].as_u64(), document["processors"].as_u64()), (Some(3), Some(4)));
    assert_eq!(document["left_out"]["never_ran"], 1);
    assert_eq!(document["wait_s"]["max"], 108.0);
    assert_eq!(document["makespan_s"], 130);
    for key in ["mean", "p50", "p90", "p99", "max"] {
        for group in ["wait_s", "flow_s", "bounded_slowdown"] {
            assert!(document[group][key].is_number(), "{group}.{key}");
        }
    }
}

#[test]
fn a_run_through_the_scheduler_itself_measures_the_same_and_counts_events() {
    let world = World::new();
    world.write("small.swf", SMALL);
    let run = ["lab", "run", "--trace", "small.swf"];
    let said = world.run(&[&run[..], &["--waits", "waits"]].concat());
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("1 job left out, which never ran"), "{said:?}");
    assert!(said.out.contains("bounded slowdown  4.300000"), "{}", said.out);
    assert_eq!(std::fs::read_to_string(world.path("waits")).unwrap(), "7 0\n8 0\n9 99\n");
    let document = world.json(&[&run[..], &["--off", "backfill"]].concat());
    assert_eq!((document["mode"].as_str(), document["jobs"].as_u64()), (Some("live"), Some(3)));
    assert_eq!(document["wait_s"]["max"], 108.0, "nobody passes the second");
    assert_eq!((&document["makespan_s"], &document["live_jobs_most"]), (&130.0.into(), &3.into()));
    // Three submissions, starts and ends, and what timers bring.
    assert!(document["events"].as_u64().unwrap() >= 9, "{document}");
    assert!(document["events_per_minute"].as_f64().unwrap() > 0.0);
    // On two nodes the second job is a gang over both.
    let two = world.json(&[&run[..], &["--nodes", "2", "--processors", "6"]].concat());
    assert_eq!((two["nodes"].as_u64(), two["wait_s"]["max"].as_f64()), (Some(2), Some(99.0)));
}

#[test]
fn jobs_that_ask_for_devices_are_replayed_too() {
    let world = World::new();
    let header = "id,submit_offset_s,gpus,nodes,duration_s,limit_s,user";
    world.write("jobs.csv", &format!("{header}\n1,0.00,3,2,6.2,14,a\n2,0.50,2,1,1.5,3,b\n"));
    world.write("bad.csv", &format!("{header}\n1,0.00,3,2,soon,14,a\n"));
    let run = ["lab", "run", "--trace", "jobs.csv", "--processors", "4", "--nodes", "2"];
    let document = world.json(&run);
    assert_eq!(document["wait_s"]["max"], 5.7, "one device is left, it needs two of one node");
    assert_eq!(document["makespan_s"], 7.7);
    let refused = |words: &[&str], text: &str| {
        let said = world.run(&[&["lab", "run", "--trace"], words].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}: {said:?}");
        assert!(said.err.contains(text), "{words:?}: {said:?}");
    };
    refused(&["jobs.csv"], "does not say what machine it was");
    refused(&["jobs.csv", "--processors", "2"], "line 2: job 1 needs 3 devices on 2 nodes of 2");
    refused(&["jobs.csv", "--processors", "3", "--nodes", "2"], "not shared out evenly");
    refused(&["bad.csv", "--processors", "4"], "line 2: \"soon\" is no number of seconds");
    refused(&["jobs.csv", "--off", "sleep"], "no action or policy `sleep` to switch off");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_line_and_a_way_out() {
    let world = World::new();
    world.write("small.swf", SMALL);
    world.write("bare.swf", SMALL.split_once('\n').unwrap().1);
    world.write("bad.swf", &format!("{SMALL}1 2 3\n"));
    world.write("word.swf", &SMALL.replacen(" 100 ", " long ", 1));
    world.write("empty.swf", "; MaxProcs: 4\n");
    let refused = |code: i32, words: &[&str], texts: &[&str]| {
        let said = world.run(&[&["lab", "run"], words].concat());
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{words:?}: {said:?}");
        for text in texts {
            assert!(said.err.contains(text), "{words:?}: {said:?}");
        }
    };
    let of = |file| ["--reference", "--policy", "easy", "--trace", file];
    refused(2, &of("bare.swf"), &["MaxProcs", "--processors"]);
    refused(1, &of("bad.swf"), &["bad.swf: line 6: 3 columns"]);
    refused(1, &of("word.swf"), &["line 2: column 4 (run time) is \"long\""]);
    refused(1, &of("empty.swf"), &["no jobs"]);
    refused(2, &of("none.swf"), &["cannot read none.swf"]);
    let small = [&of("small.swf")[..], &["--processors", "3"]].concat();
    refused(2, &small, &["line 3: job 9 needs 4 processors, the machine has 3"]);
    refused(2, &of("small.swf")[1..], &["easy is a policy of the literature", "--reference"]);
    refused(2, &["--reference", "--trace", "small.swf"], &["--policy easy"]);
    let nodes = [&of("small.swf")[..], &["--nodes", "2"]].concat();
    refused(2, &nodes, &["--nodes and --off are of the scheduler itself"]);
    refused(2, &[], &["--trace", "lab run --reference --trace FILE.swf --policy P"]);
    let typo = ["--reference", "--policy", "easy+", "--trace", "small.swf"];
    refused(2, &typo, &["there is no policy `easy+`", "easy"]);
    let unwritable = [&of("small.swf")[..], &["--waits", "no/where"]].concat();
    refused(1, &unwritable, &["cannot write no/where"]);
    assert!(world.run(&["lab", "compare"]).err.contains("does not have `lab compare`"));
    assert!(world.ok(&["lab", "run", "--help"]).contains("Policies: fcfs"));
}
