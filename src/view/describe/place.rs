//! Nodes, countable resources, and the header line about everything.

use crate::base::Name;
use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::model::Resources;
use crate::model::job::Hold;
use crate::model::page::{CountableRow, NodeRow, Summary};
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::table::{Column, Table};
use crate::view::words::{self, counted, urgency};

/// The lines of `nodes`: a table of nodes, one line for each device that something is to be
/// said of and each job for which room is kept, a table of countable resources, and what is idle
/// because it is kept.
pub fn nodes(summary: &Summary, sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let mut columns = vec![
        Column::text("NODE", 6, 24),
        Column::fixed("STATE"),
        Column::number("TASKS"),
        Column::number("CPU"),
        Column::number("MEM"),
        Column::number("GPU"),
        Column::number("KEPT"),
        Column::text("", 0, usize::MAX),
    ];
    let gpus = summary.nodes.iter().any(|node| node.capacity.gpu_milli > 0);
    columns.retain(|column| gpus || column.title != "GPU");
    let kept = summary.nodes.iter().any(|node| !node.reserved.is_empty());
    columns.retain(|column| kept || column.title != "KEPT");
    let mut table = Table::new(columns);
    for node in &summary.nodes {
        let (state, role) = state(node);
        let pair = |used: u64, all: u64, format: fn(u64) -> String| {
            Cell::plain(format!("{}/{}", format(used), format(all)))
        };
        let mut cells = vec![
            Cell::plain(node.name.as_ref()),
            Cell::new(state, role),
            Cell::plain(node.tasks.to_string()),
            pair(node.used.cpu_milli, node.capacity.cpu_milli, format_cpu),
            pair(node.used.mem_bytes, node.capacity.mem_bytes, format_bytes),
        ];
        if gpus {
            cells.push(pair(node.used.gpu_milli, node.capacity.gpu_milli, format_gpu));
        }
        if kept {
            cells.push(Cell::new(idle(&node.reserved), Role::Queued));
        }
        cells.push(Cell::new(remarks(node, sight), Role::Muted));
        table.row(cells);
        for gpu in node.gpus.iter().filter(|gpu| gpu.foreign.is_some()) {
            let by = gpu.foreign.as_deref().unwrap_or_default();
            let text = format!("  GPU {} {} is used by {by}, not by us", gpu.index, gpu.model);
            table.across(Line::of(text, Role::Stuck));
        }
        for kept in &node.kept {
            let text = format!("  {}", words::kept_for(kept, sight));
            table.across(Line::of(text, Role::Queued));
        }
    }
    let mut lines = table.lines(room);
    lines.extend(words::kept_idle(summary).map(|text| Line::of(text, Role::Muted)));
    if !summary.countables.is_empty() {
        lines.push(Line::empty());
        lines.extend(countables(&summary.countables, sight, room));
    }
    lines
}

/// What is free and kept of the dearest kind: `3 gpu`.
fn idle(reserved: &Resources) -> String {
    match (reserved.gpu_milli, reserved.cpu_milli, reserved.mem_bytes) {
        (0, 0, 0) => "-".to_owned(),
        (0, 0, bytes) => format_bytes(bytes),
        (0, milli, _) => format!("{} cpu", format_cpu(milli)),
        (milli, ..) => format!("{} gpu", format_gpu(milli)),
    }
}

fn state(node: &NodeRow) -> (&'static str, Role) {
    match (node.up, &node.drain) {
        (false, _) => ("lost", Role::Bad),
        (true, Some(_)) if node.tasks > 0 => ("draining", Role::Queued),
        (true, Some(_)) => ("drained", Role::Queued),
        (true, None) => ("up", Role::Good),
    }
}

/// What is unusual about a node.
fn remarks(node: &NodeRow, sight: &Sight) -> String {
    let traits = &node.traits;
    let drain = node.drain.as_ref();
    let drain = drain.map(|drain| {
        let why = words::because(drain.reason.as_deref());
        format!("drained by {} {}{why}", drain.by, sight.day(drain.since.wall))
    });
    let warning = node.warning.as_ref().map(|warning| {
        let verb = if warning.due.wall > sight.now.wall { "vanishes" } else { "was to vanish" };
        format!("{verb} at {}, says {}", sight.second(warning.due.wall), warning.by)
    });
    let spot = traits.spot.then(|| "spot".to_owned());
    let pool = traits.pool.as_ref().map(|pool| format!("pool {pool}"));
    let most = traits.max_tasks.map(|most| format!("at most {}", counted(most.into(), "task")));
    let label = |(key, value): (&Name, &Name)| match value.is_empty() {
        true => key.to_string(),
        false => format!("{key}={value}"),
    };
    let labels = traits.labels.iter().map(label);
    let parts = drain.into_iter().chain(warning).chain(spot).chain(pool).chain(most).chain(labels);
    parts.collect::<Vec<_>>().join(", ")
}

fn countables(rows: &[CountableRow], sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let columns = vec![
        Column::text("RESOURCE", 8, 32),
        Column::number("HELD"),
        Column::number("OF"),
        Column::text("RATE", 0, usize::MAX),
    ];
    let mut table = Table::new(columns);
    for row in rows {
        let rate = row.per_minute.map_or_else(String::new, |rate| {
            format!("{} of {rate} taken in the last minute", row.taken)
        });
        let closed = row.limited.as_ref().map(|limited| urgency::closed(limited, sight));
        let rate = match closed {
            Some(closed) => Cell::new(closed, Role::Bad),
            None => Cell::new(rate, Role::Muted),
        };
        let full = row.used >= row.count;
        table.row(vec![
            Cell::plain(row.name.as_ref()),
            Cell::new(row.used.to_string(), if full { Role::Queued } else { Role::Plain }),
            Cell::plain(row.count.to_string()),
            rate,
        ]);
    }
    table.lines(room)
}

/// The header: what is used, how many jobs are where, and what is paused (lines of their own).
pub fn summary(summary: &Summary, sight: &Sight) -> Vec<Line> {
    let mut line = Line::default();
    let sum =
        |pick: fn(&NodeRow) -> u64| summary.nodes.iter().map(pick).fold(0, u64::saturating_add);
    let all_gpus = sum(|node| node.capacity.gpu_milli);
    if all_gpus > 0 {
        let used = sum(|node| node.used.gpu_milli);
        line =
            line.then(format!("gpu {}/{}  ", format_gpu(used), format_gpu(all_gpus)), Role::Plain);
    }
    let cpu = (sum(|node| node.used.cpu_milli), sum(|node| node.capacity.cpu_milli));
    let mem = (sum(|node| node.used.mem_bytes), sum(|node| node.capacity.mem_bytes));
    line = line
        .then(format!("cpu {}/{}  ", format_cpu(cpu.0), format_cpu(cpu.1)), Role::Plain)
        .then(format!("mem {}/{}  ", format_bytes(mem.0), format_bytes(mem.1)), Role::Plain);
    for row in summary.countables.iter().filter(|row| row.used > 0) {
        line = line.then(format!("{} {}/{}  ", row.name, row.used, row.count), Role::Plain);
    }
    let counts = summary.counts;
    let alarm = |n: u64, role| if n > 0 { role } else { Role::Muted };
    line = line
        .then(format!("people {}  ", counts.human), alarm(counts.human, Role::NeedsYou))
        .then(format!("stuck {}  ", counts.stuck), alarm(counts.stuck, Role::Stuck))
        .then(format!("running {}  ", counts.running), alarm(counts.running, Role::Running))
        .then(format!("queued {}  ", counts.queued), alarm(counts.queued, Role::Queued))
        .then(format!("ended {}", counts.ended), Role::Muted);
    let mut lines = vec![line];
    lines.extend(summary.paused.as_ref().map(|hold| held("everything", hold, sight)));
    let teams = summary.paused_teams.iter();
    lines.extend(teams.map(|(team, hold)| held(&format!("team {team}"), hold, sight)));
    let lost = summary.nodes.iter().filter(|node| !node.up).count() as u64;
    if lost > 0 {
        lines.push(Line::of(format!("{} lost", counted(lost, "node")), Role::Bad));
    }
    lines
}

/// Who holds something back, since when, until when, why.
pub fn held(what: &str, hold: &Hold, sight: &Sight) -> Line {
    let since = sight.day(hold.since.wall);
    let until = hold.until.map_or_else(String::new, |at| format!(" until {}", sight.day(at)));
    let why = hold.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
    let text = format!("{what} is paused by {} since {since}{until}{why}", hold.by);
    Line::of(text, Role::NeedsYou)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::node::{Drain, Gpu, Traits, Warning};
    use crate::model::page::usage::{MILLI_MS_PER_HOUR, Used};
    use crate::model::page::{Counts, KeptDay, KeptFor};
    use crate::view::line::plain;
    use crate::view::sample::at;

    fn whole() -> Summary {
        let capacity = Resources {
            cpu_milli: 64_000,
            mem_bytes: 256 << 30,
            gpu_milli: 2000,
            ..Resources::default()
        };
        let gpu = Gpu {
            index: 1,
            uuid: "u".into(),
            model: "A100".into(),
            mem_bytes: 80 << 30,
            foreign: Some("Xorg\x1b[2J (pid 7)".into()),
        };
        let node = NodeRow {
            name: "gpu-box-3".into(),
            up: true,
            capacity,
            used: Resources { cpu_milli: 1500, gpu_milli: 500, ..Resources::default() },
            reserved: Resources::default(),
            kept: Vec::new(),
            foreign: Resources::default(),
            on_gpus: Vec::new(),
            gpus: vec![gpu],
            drain: Some(Drain { by: "ana".into(), since: at(0), reason: None }),
            warning: None,
            tasks: 3,
            traits: Traits {
                labels: [("zone".into(), "eu".into()), ("fast".into(), "".into())].into(),
                spot: true,
                max_tasks: None,
                pool: None,
            },
        };
        let api = CountableRow {
            name: "api:x".into(),
            count: 6,
            used: 5,
            per_minute: Some(50),
            taken: 7,
            limited: None,
        };
        let hold =
            Hold { by: "ana".into(), since: at(0), until: None, reason: Some("move".into()) };
        Summary {
            counts: Counts { human: 1, running: 3, queued: 31, stuck: 0, ended: 9 },
            nodes: vec![node],
            countables: vec![api],
            kept_day: None,
            paused: None,
            paused_teams: vec![("ml".into(), hold)],
            teams: true,
            seq: 9,
            at: at(0),
        }
    }

    #[test]
    fn a_node_that_is_about_to_vanish_says_when() {
        let mut summary = whole();
        let warning = Warning { by: "ana".into(), since: at(0), due: at(120_000) };
        summary.nodes[0].warning = Some(warning);
        let said = |now| plain(&nodes(&summary, &Sight::utc(at(now)), None));
        assert!(said(0).contains("vanishes at 13:02:00, says ana"), "{}", said(0));
        assert!(said(130_000).contains("was to vanish at 13:02:00"), "{}", said(130_000));
    }

    #[test]
    fn nodes_and_resources_are_tables() {
        let lines = nodes(&whole(), &Sight::utc(at(0)), None);
        insta::assert_snapshot!(plain(&lines), @r"
    NODE       STATE     TASKS     CPU      MEM    GPU
    gpu-box-3  draining      3  1.5/64  0/256Gi  0.5/2  drained by ana 13:00, spot, fast, zone=eu
      GPU 1 A100 is used by Xorg (pid 7), not by us

    RESOURCE  HELD  OF  RATE
    api:x        5   6  7 of 50 taken in the last minute
    ");
    }

    #[test]
    fn room_that_is_kept_says_for_whom_and_what_it_costs() {
        let mut summary = whole();
        let gpus = |n: u64| Resources { gpu_milli: n * 1000, ..Resources::default() };
        summary.nodes[0].reserved = gpus(1);
        summary.nodes[0].traits = Traits::default();
        summary.nodes[0].kept = [(240, 3_600_000), (17, 0)]
            .map(|(job, in_ms)| {
                let (job, from) = (crate::base::JobId(job), at(in_ms).wall);
                KeptFor { job, from, until: None, room: gpus(2) }
            })
            .into();
        let used = |gpu_hours: u128, core_hours: u128| Used {
            gpu_milli_ms: gpu_hours * MILLI_MS_PER_HOUR,
            cpu_milli_ms: core_hours * MILLI_MS_PER_HOUR,
            ..Used::default()
        };
        summary.kept_day = Some(KeptDay { reserved: used(3, 0), all: used(48, 1536) });
        summary.countables.clear();
        let said = plain(&nodes(&summary, &Sight::utc(at(0)), None));
        insta::assert_snapshot!(said, @r"
        NODE       STATE     TASKS     CPU      MEM    GPU   KEPT
        gpu-box-3  draining      3  1.5/64  0/256Gi  0.5/2  1 gpu  drained by ana 13:00
          GPU 1 A100 is used by Xorg (pid 7), not by us
          2 GPUs kept for 240 from 14:00
          2 GPUs kept for 17 now
        kept idle for waiting jobs: 1 GPU now; in 24 h 3.00 GPU hours (6.2%)
        ");
        summary.nodes[0].reserved = Resources::default();
        summary.nodes[0].kept.clear();
        let said = plain(&nodes(&summary, &Sight::utc(at(0)), None));
        assert!(said.contains("kept idle for waiting jobs: nothing now; in 24 h"), "{said}");
        summary.kept_day = Some(KeptDay::default());
        let said = plain(&nodes(&summary, &Sight::utc(at(0)), None));
        assert!(!said.contains("kept") && !said.contains("KEPT"), "{said}");
    }

    #[test]
    fn the_header_counts_and_says_what_is_paused() {
        let lines = summary(&whole(), &Sight::utc(at(0)));
        insta::assert_snapshot!(plain(&lines), @r"
    gpu 0.5/2  cpu 1.5/64  mem 0/256Gi  api:x 5/6  people 1  stuck 0  running 3  queued 31  ended 9
    team ml is paused by ana since 13:00: move
    ");
    }
}
