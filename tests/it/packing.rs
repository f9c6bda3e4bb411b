//! Packing a fleet against published figures, and on the command line.
//!
//! The figures are of Weng et al. ("Beware of fragmentation", USENIX ATC 2023): the share of the
//! devices of Alibaba's openb trace that was given away when as much had been asked for. They are
//! means of ten orders of arrival of the authors' own chance, so ours lie near them, not on them;
//! `benches/run lab` compares means of ten. The trace is not ours to ship.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "a test says that it is skipped")]

use std::path::PathBuf;

use holdshort::sim::lab::packing::{Place, Way, pack};

use crate::cli_world::World;

/// A list of tasks, if the data is here, beside the nodes.
fn lists(name: &str) -> Option<(PathBuf, PathBuf)> {
    let Some(data) = std::env::var_os("HOLDSHORT_TEST_DATA") else {
        eprintln!("skipped: the trace is not here (HOLDSHORT_TEST_DATA is not set)");
        return None;
    };
    let folder = PathBuf::from(data).join("traces/gpu");
    let tasks = folder.join(format!("openb_pod_list_{name}.csv"));
    if !tasks.exists() {
        eprintln!("skipped: there is no {}", tasks.display());
        return None;
    }
    Some((folder.join("openb_node_list_gpu_node.csv"), tasks))
}

#[test]
fn one_order_of_arrival_comes_near_the_published_shares() {
    for (name, published) in [
        ("default", [(Way::Random, 86.30), (Way::BestFit, 92.86), (Way::Fgd, 95.23)]),
        ("multigpu50", [(Way::Random, 81.28), (Way::BestFit, 95.62), (Way::Fgd, 97.09)]),
    ] {
        let Some((nodes, tasks)) = lists(name) else { return };
        let read = |path| std::fs::read_to_string(path).unwrap();
        let place = Place::parse(&read(nodes), &read(tasks)).unwrap();
        assert_eq!((place.rooms.len(), place.gpu_milli()), (1213, 6_212_000));
        for (way, published) in published {
            let percent = pack(&place, way, 1, 100).percent();
            // Orders of arrival differ by up to half a point among themselves.
            assert!((percent - published).abs() < 1.0, "{name} {way}: {percent} {published}");
        }
    }
}

#[test]
fn the_command_line_says_how_much_each_way_gives_away() {
    let world = World::new();
    let nodes = "sn,cpu_milli,memory_mib,gpu,model\na,8000,1024,1,x\nb,8000,1024,1,x\n";
    let tasks = "cpu_milli,memory_mib,num_gpu,gpu_milli\n100,1,1,500\n100,1,1,500\n100,1,1,1000\n";
    let nodes = world.write("nodes.csv", nodes).display().to_string();
    let tasks = world.write("tasks.csv", tasks).display().to_string();
    let words = ["lab", "pack", "--nodes", &nodes, "--tasks", &tasks];
    let shown = world.ok(&words);
    for (_, word) in Way::ALL {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let more = ["--by", "bin_pack,least_fragmentation", "--seeds", "3"];
    let told = world.json(&[&words[..], &more[..]].concat());
    assert_eq!(
        (&told["nodes"], &told["tasks"], &told["gpu_milli"]),
        (&2.into(), &3.into(), &2000.into())
    );
    let ways = told["ways"].as_array().unwrap();
    assert_eq!(ways.len(), 2);
    for way in ways {
        // Halves meet on one device; only one that comes after a whole one finds none.
        let given = way["given_percent"].as_f64().unwrap();
        assert!((75.0..=100.0).contains(&given), "{given}");
        assert_eq!(way["seeds"].as_array().unwrap().len(), 3);
    }
    let refused = world.run(&[&words[..], &["--by", "fgdd"][..]].concat());
    assert!(refused.code == 2 && refused.err.contains("least_fragmentation"), "{refused:?}");
    let refused = world.run(&["lab", "pack", "--nodes", &tasks, "--tasks", &tasks]);
    assert!(refused.code != 0 && refused.err.contains("no column is called sn"), "{refused:?}");
}
