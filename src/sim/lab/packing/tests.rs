//! Lists that are read or refused, and what the ways of choosing come to.

use super::*;

const NODES: &str = "sn,cpu_milli,memory_mib,gpu,model\nb,8000,1024,2,new\na,4000,1024,1,old\n";
const TASKS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n\
                     x,1000,16,1,500,\ny,1000,16,2,1000,new\nz,500,16,0,0,old|new\n";

#[test]
fn lists_are_read_by_the_names_of_their_columns() {
    let place = Place::parse(NODES, TASKS).unwrap();
    let names: Vec<&str> = place.rooms.iter().map(|room| &*room.name).collect();
    assert_eq!((names, place.gpu_milli()), (vec!["a", "b"], 3000));
    let gpus: Vec<u64> = place.tasks.iter().map(|task| task.request.gpu_milli).collect();
    assert_eq!(gpus, [500, 2000, 0]);
    let open = |task: usize| {
        let may_use = |room| place.tasks[task].may_use(room);
        place.rooms.iter().map(may_use).collect::<Vec<bool>>()
    };
    assert_eq!(open(0), [true, true]);
    assert_eq!(open(1), [false, true]);
    assert_eq!(open(2), [true, true]);
    let short = "cpu_milli,gpu_milli,num_gpu,memory_mib\n1,1000,1,1\n";
    assert_eq!(Place::parse(NODES, short).unwrap().tasks[0].request.gpu_milli, 1000);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    let head = "cpu_milli,memory_mib,num_gpu,gpu_milli\n";
    for (tasks, line, says) in [
        ("cpu_milli\n1\n", 1, "no column is called memory_mib"),
        (head, 0, "no tasks"),
        (&format!("{head}1,1,1,1000\nx,1,1,1\n"), 3, "\"x\" is not a number"),
        (&format!("{head}1,1,2,500\n"), 2, "2 devices of 500 thousandths"),
        (&format!("{head}1,1,1,0\n"), 2, "1 devices of 0 thousandths"),
        (&format!("{head}1,1,1\n"), 2, "\"\" is not a number"),
        (&format!("{head}99999999999999,1,1,1\n"), 2, "is not a number"),
    ] {
        let (of_tasks, error) = Place::parse(NODES, tasks).unwrap_err();
        assert!(of_tasks && error.line == line && error.what.contains(says), "{error}");
    }
    let none = "sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\n";
    let (of_tasks, error) = Place::parse(none, TASKS).unwrap_err();
    assert!(!of_tasks && error.what == "no node has a device", "{error}");
}

#[test]
fn a_seed_decides_alone_and_every_way_places_what_fits() {
    let place = Place::parse(NODES, TASKS).unwrap();
    for (way, word) in Way::ALL {
        assert_eq!((word.parse(), way.to_string()), (Ok(way), word.to_owned()));
        let first = pack(&place, way, 7, 100);
        assert_eq!(first, pack(&place, way, 7, 100), "{word}");
        assert!(first.given > 0 && first.given <= 3000 && first.placed <= first.came, "{word}");
    }
    assert!("fdg".parse::<Way>().unwrap_err().contains("best_fit"));
}
