//! How full a node will be: what of it is in use at each column of time, if all ends when it
//! probably does.

use crate::base::Wall;
use crate::model::page::{JobRow, NodeRow};
use crate::view::hours::Axis;

/// Steps of a column, eighths.
const FULL: u64 = 8;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// In use or kept, in eighths, rounded up.
    pub eighths: u8,
    /// Some of it is kept for a job that waits.
    pub kept: bool,
}

/// Columns from now to the edge: devices of a node that has some, else cores.
pub fn load(node: &NodeRow, here: &[&JobRow], axis: &Axis, now: Wall) -> Vec<Level> {
    let gpus = node.capacity.gpu_milli > 0;
    let all = if gpus { node.capacity.gpu_milli } else { node.capacity.cpu_milli };
    let used = if gpus { node.used.gpu_milli } else { node.used.cpu_milli };
    let held = |row: &JobRow| match gpus {
        true => {
            let here = node.on_gpus.iter().filter(|on| on.job == row.id);
            here.map(|on| on.milli).sum()
        }
        // Its tasks are taken to be spread evenly.
        false => row.holds.cpu_milli / u64::try_from(row.nodes.len().max(1)).unwrap_or(1),
    };
    let ends: Vec<(u16, u64)> = here
        .iter()
        .filter_map(|row| Some((axis.column(row.expected_end?.max(now)), held(row))))
        .collect();
    let kept: Vec<(u16, u16, u64)> = node
        .kept
        .iter()
        .map(|kept| {
            let room = if gpus { kept.room.gpu_milli } else { kept.room.cpu_milli };
            let until = kept.until.map_or(u16::MAX, |until| axis.column(until));
            (axis.column(kept.from.max(now)), until, room)
        })
        .collect();
    let level = |column: u16| {
        let over: u64 = ends.iter().filter(|(end, _)| *end <= column).map(|(_, held)| held).sum();
        let kept = kept.iter().filter(|(from, until, _)| (*from..*until).contains(&column));
        let kept: u64 = kept.map(|(.., room)| room).sum();
        let full = used.saturating_sub(over).saturating_add(kept).min(all);
        let eighths = (full * FULL).div_ceil(all.max(1)).min(FULL);
        Level { eighths: u8::try_from(eighths).unwrap_or(0), kept: kept > 0 }
    };
    (axis.column(now)..axis.columns).map(level).collect()
}
