//! Which lines the picture of the next hours has, and how much of it fits.

use crate::base::{JobId, Wall};
use crate::model::node::Gpu;
use crate::model::page::{JobRow, NodeRow, OnGpu, Opening};
use crate::view::list::{Folded, fold};

/// Lines of what waits that shall be in sight at least, with their title.
const WAITING_LEAST: usize = 4;

/// How much is told of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A line for each device and who has it, then for each job that has none.
    Devices,
    /// A line for each job.
    Jobs,
    /// One line.
    Nodes,
}

/// What is in the picture.
#[derive(Debug, Clone, Default)]
pub struct Seen<'a> {
    /// When windows of teams are open.
    pub openings: &'a [Opening],
    /// The nodes.
    pub nodes: &'a [NodeRow],
    /// Jobs that run, or hold room while people are asked.
    pub running: Vec<&'a JobRow>,
    /// Jobs that wait; some may hold devices.
    pub waiting: Vec<&'a JobRow>,
    /// How many wait in all.
    pub queued: u64,
}

/// A line of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row<'a> {
    /// When a window of a team is open.
    Window(&'a [Opening]),
    /// A node, with its jobs or devices below.
    Node(&'a NodeRow),
    /// A node that is one line, and what runs there.
    Load(&'a NodeRow, Vec<&'a JobRow>),
    /// A device, or one of those that share it.
    Device(Device<'a>),
    /// What waits.
    Waiting(u64),
    /// A job on the node above it.
    Job(&'a JobRow),
    /// A job that waits, or many elements of an array.
    Waits(Folded<'a>),
}

/// A device and one who has it, if anybody does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device<'a> {
    /// Its node.
    pub node: &'a NodeRow,
    /// The device.
    pub gpu: &'a Gpu,
    /// The line above is about the same device.
    pub again: bool,
    /// Who has it, and how much of it.
    pub on: Option<OnGpu>,
    /// The same job, if it is among those that were read.
    pub job: Option<&'a JobRow>,
    /// The line above is about the same job.
    pub same: bool,
    /// For whom it will be kept.
    pub kept: Vec<Kept>,
}

/// A time in which a device is kept for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// The job.
    pub job: JobId,
    /// From when on.
    pub from: Wall,
    /// When that job will probably end; `None` where nobody knows.
    pub until: Option<Wall>,
}

impl Detail {
    /// The most that fits into so many lines; one line for each node if even the nodes fill it.
    pub fn that_fits(seen: &Seen, height: usize) -> Detail {
        let waiting = fold(&seen.waiting, false).len();
        let least = if waiting > 0 { WAITING_LEAST.min(waiting + 1) } else { 0 };
        let others = if waiting > 0 { waiting + 1 } else { 0 };
        let devices = rows(seen, Detail::Devices).len() - others + least;
        match () {
            () if devices <= height => Detail::Devices,
            () if seen.nodes.len() * 2 > height => Detail::Nodes,
            () => Detail::Jobs,
        }
    }

    /// The next one: less, then all again.
    pub fn next(self) -> Detail {
        match self {
            Detail::Devices => Detail::Jobs,
            Detail::Jobs => Detail::Nodes,
            Detail::Nodes => Detail::Devices,
        }
    }

    /// What stands over the names.
    pub fn title(self) -> &'static str {
        match self {
            Detail::Devices => "NODE, GPU, JOB",
            Detail::Jobs => "NODE, JOB",
            Detail::Nodes => "NODE",
        }
    }
}

/// The lines: the windows of teams, each node with its devices and what runs there, what ends
/// first above, then what waits and when it may start.
pub fn rows<'a>(seen: &Seen<'a>, detail: Detail) -> Vec<Row<'a>> {
    let same = |a: &Opening, b: &Opening| (&a.team, &a.window) == (&b.team, &b.window);
    let mut rows: Vec<Row> = seen.openings.chunk_by(same).map(Row::Window).collect();
    for node in seen.nodes {
        let mut here: Vec<&JobRow> =
            seen.running.iter().filter(|row| row.nodes.contains(&node.name)).copied().collect();
        here.sort_by_key(|row| (row.expected_end.is_none(), row.expected_end, row.id));
        if detail == Detail::Nodes {
            rows.push(Row::Load(node, here));
            continue;
        }
        rows.push(Row::Node(node));
        if detail == Detail::Devices {
            rows.extend(devices(node, seen).into_iter().map(Row::Device));
            here.retain(|row| !node.on_gpus.iter().any(|on| on.job == row.id));
        }
        rows.extend(here.into_iter().map(Row::Job));
    }
    if !seen.waiting.is_empty() {
        rows.push(Row::Waiting(seen.queued.max(seen.waiting.len() as u64)));
        rows.extend(fold(&seen.waiting, false).into_iter().map(Row::Waits));
    }
    rows
}

/// The devices of a node, one line for each that has it.
fn devices<'a>(node: &'a NodeRow, seen: &Seen<'a>) -> Vec<Device<'a>> {
    let find = |id: JobId| {
        let all = seen.running.iter().chain(&seen.waiting);
        all.copied().find(|row| row.id == id)
    };
    let mut lines: Vec<Device> = Vec::with_capacity(node.gpus.len());
    for gpu in &node.gpus {
        let line = |on: Option<OnGpu>, again, same| {
            let job = on.and_then(|on| find(on.job));
            Device { node, gpu, again, on, job, same, kept: Vec::new() }
        };
        let mut again = false;
        for on in node.on_gpus.iter().filter(|on| on.index == gpu.index) {
            let above = lines.last().and_then(|above| above.on);
            let same = above.is_some_and(|above| above.job == on.job);
            lines.push(line(Some(*on), again, same));
            again = true;
        }
        if !again {
            lines.push(line(None, false, false));
        }
    }
    keep(node, &mut lines);
    lines
}

/// A reservation counts devices and names none: it is drawn on those that are expected to be free
/// first, and of one that is shared on its last line.
fn keep(node: &NodeRow, lines: &mut [Device]) {
    for kept in &node.kept {
        let count = kept.room.gpu_milli.div_ceil(1000);
        let mut free: Vec<(Wall, u32)> =
            node.gpus.iter().map(|gpu| (free_at(lines, gpu), gpu.index)).collect();
        free.sort_unstable();
        for (_, index) in free.into_iter().take(usize::try_from(count).unwrap_or(usize::MAX)) {
            let line = lines.iter_mut().rev().find(|line| line.gpu.index == index);
            let kept = Kept { job: kept.job, from: kept.from, until: kept.until };
            line.into_iter().for_each(|line| line.kept.push(kept));
        }
    }
}

/// When nobody has a device any more, as far as that is known.
fn free_at(lines: &[Device], gpu: &Gpu) -> Wall {
    const NEVER: Wall = Wall(i64::MAX);
    let here = lines.iter().filter(|line| line.gpu.index == gpu.index);
    let ends = here.map(|line| {
        let held = match (line.on, line.job) {
            (None, _) => Wall(0),
            (Some(_), job) => {
                job.and_then(|job| job.latest_end.or(job.expected_end)).unwrap_or(NEVER)
            }
        };
        let kept = line.kept.iter().map(|kept| kept.until.unwrap_or(NEVER)).max();
        held.max(kept.unwrap_or(Wall(0)))
    });
    if gpu.foreign.is_some() { NEVER } else { ends.max().unwrap_or(Wall(0)) }
}

/// Jobs among the lines, by their places; of a free device the one it is kept for.
pub fn job_at(rows: &[Row], at: usize) -> Option<JobId> {
    match rows.get(at)? {
        Row::Job(row) => Some(row.id),
        Row::Waits(folded) => Some(folded.row.id),
        Row::Device(device) => {
            let kept = device.kept.first().map(|kept| kept.job);
            device.on.map(|on| on.job).or(kept)
        }
        Row::Window(_) | Row::Node(_) | Row::Load(..) | Row::Waiting(_) => None,
    }
}
