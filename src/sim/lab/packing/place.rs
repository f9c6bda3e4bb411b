//! Lists of nodes and tasks, in the columns of Alibaba's openb trace.

use crate::base::Name;
use crate::model::Resources;
use crate::sched::policy::fit::{Room, WHOLE};
use crate::sched::policy::fragments::CLASSES;
use crate::sim::lab::TraceError;

/// Columns that a list of nodes must have.
const NODE: [&str; 5] = ["sn", "cpu_milli", "memory_mib", "gpu", "model"];
/// Columns that a list of tasks must have; `gpu_spec` may be there too.
const TASK: [&str; 4] = ["cpu_milli", "memory_mib", "num_gpu", "gpu_milli"];
/// Devices of one node or task at most.
const DEVICES: u64 = 1024;
/// Nothing in a list is larger than this, so that no sum of many wraps.
const LARGEST: u64 = 1 << 40;

/// Empty nodes, and tasks that could come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// By name.
    pub rooms: Vec<Room>,
    /// As they stand in the list.
    pub tasks: Vec<Task>,
}

/// A task that takes room for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// What it takes.
    pub request: Resources,
    /// The set of models that will do; see [`Room::open_to`].
    pub class: u32,
}

impl Task {
    /// The node has a model that will do.
    pub fn may_use(&self, room: &Room) -> bool {
        room.open_to.checked_shr(self.class).unwrap_or(0) & 1 == 1
    }
}

impl Place {
    /// Reads both lists.
    ///
    /// # Errors
    /// Which line of which list makes no sense, and why; `true` for the list of tasks.
    pub fn parse(nodes: &str, tasks: &str) -> Result<Place, (bool, TraceError)> {
        // What a task may use: any model, or one of these.
        let mut classes = vec![String::new()];
        let tasks = parse_tasks(tasks, &mut classes).map_err(|error| (true, error))?;
        let rooms = parse_nodes(nodes, &classes).map_err(|error| (false, error))?;
        Ok(Place { rooms, tasks })
    }

    /// Thousandths of devices of all nodes.
    pub fn gpu_milli(&self) -> u64 {
        self.rooms.iter().map(Room::gpu_later).sum()
    }
}

fn parse_tasks(list: &str, classes: &mut Vec<String>) -> Result<Vec<Task>, TraceError> {
    let table = Columns::of(list, &TASK)?;
    let spec = table.find("gpu_spec");
    let task = |row: Row<'_>| {
        let [cpu_milli, mem_mib, devices, share] = [0, 1, 2, 3].map(|at| row.number(table.at[at]));
        let (devices, share) = (devices?, share?);
        let gpu_milli = match devices {
            0 => 0,
            1 if (1..=WHOLE).contains(&share) => share,
            2..=DEVICES if share == WHOLE => devices * WHOLE,
            _ => return Err(row.wrong(format!("{devices} devices of {share} thousandths each"))),
        };
        let models = spec.map_or("", |at| row.cell(at));
        let known = classes.iter().position(|known| known == models);
        let class = known.unwrap_or(classes.len());
        if known.is_none() {
            classes.push(models.to_owned());
        }
        if class >= CLASSES {
            return Err(row.wrong(format!("more than {CLASSES} different sets of models")));
        }
        let request = Resources {
            cpu_milli: cpu_milli?,
            mem_bytes: mem_mib? << 20,
            gpu_milli,
            ..Resources::default()
        };
        Ok(Task { request, class: u32::try_from(class).unwrap_or(u32::MAX) })
    };
    let tasks: Vec<Task> = table.rows(list).map(task).collect::<Result<_, _>>()?;
    if tasks.is_empty() {
        return Err(TraceError { line: 0, what: "it has no tasks".to_owned() });
    }
    Ok(tasks)
}

fn parse_nodes(list: &str, classes: &[String]) -> Result<Vec<Room>, TraceError> {
    let table = Columns::of(list, &NODE)?;
    let room = |row: Row<'_>| {
        let [cpu_milli, mem_mib, devices] = [1, 2, 3].map(|at| row.number(table.at[at]));
        let (devices, model) = (devices?, row.cell(table.at[4]));
        if devices > DEVICES {
            return Err(row.wrong(format!("{devices} devices; at most {DEVICES} of a node count")));
        }
        let indices: Vec<u32> = (0..u32::try_from(devices).unwrap_or(0)).collect();
        let name = Name::from(row.cell(table.at[0]));
        let mut room = Room::empty(name, cpu_milli?, mem_mib? << 20, None, &indices);
        let does = |class: &str| class.is_empty() || class.split('|').any(|one| one == model);
        let open = (0..).zip(classes).filter(|(_, class)| does(class));
        room.open_to = open.fold(0, |bits, (at, _): (u32, _)| bits | 1_u64.wrapping_shl(at));
        Ok(room)
    };
    let mut rooms: Vec<Room> = table.rows(list).map(room).collect::<Result<_, _>>()?;
    rooms.sort_by(|a, b| a.name.cmp(&b.name));
    if rooms.iter().all(|room| room.devices.is_empty()) {
        return Err(TraceError { line: 0, what: "no node has a device".to_owned() });
    }
    Ok(rooms)
}

/// Where the columns of a list are.
struct Columns<'a> {
    titles: Vec<&'a str>,
    at: Vec<usize>,
}

impl<'a> Columns<'a> {
    fn of(list: &'a str, needed: &[&str]) -> Result<Columns<'a>, TraceError> {
        let titles: Vec<&str> = list.lines().next().unwrap_or("").split(',').collect();
        let find = |name: &&str| {
            titles.iter().position(|title| title.trim() == *name).ok_or_else(|| TraceError {
                line: 1,
                what: format!("no column is called {name}; needed are {}", needed.join(", ")),
            })
        };
        let at = needed.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Columns { titles, at })
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.titles.iter().position(|title| title.trim() == name)
    }

    fn rows(&self, list: &'a str) -> impl Iterator<Item = Row<'a>> + use<'a> {
        let lines = (1..).zip(list.lines()).skip(1).filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(line, text)| Row { line, cells: text.split(',').map(str::trim).collect() })
    }
}

struct Row<'a> {
    line: usize,
    cells: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn cell(&self, at: usize) -> &'a str {
        self.cells.get(at).copied().unwrap_or("")
    }

    fn number(&self, at: usize) -> Result<u64, TraceError> {
        let cell = self.cell(at);
        let number = cell.parse().ok().filter(|number| *number < LARGEST);
        number.ok_or_else(|| self.wrong(format!("{cell:?} is not a number of it")))
    }

    fn wrong(&self, what: String) -> TraceError {
        TraceError { line: self.line, what }
    }
}
