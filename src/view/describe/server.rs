//! The server itself.

use super::sheet::Sheet;
use crate::base::duration;
use crate::model::page::ServerStatus;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;

/// The lines of `server status`.
pub fn status(status: &ServerStatus, sight: &Sight) -> Vec<Line> {
    let mut sheet = Sheet::default();
    let up = duration::short(sight.wall_since(status.since));
    sheet.pair("server", format!("holdshort {}, process {}", status.version, status.pid));
    sheet.pair("since", format!("{} ({up})", sight.full(status.since)));
    sheet.pair("data", status.data_dir.as_str());
    sheet.pair("socket", status.socket.as_str());
    sheet.pair("processes", format!("frozen and ended by {}", status.mechanism));
    let counts = status.counts;
    let jobs = format!(
        "{} waiting on people, {} running, {} queued, {} stuck, {} ended",
        counts.human, counts.running, counts.queued, counts.stuck, counts.ended
    );
    sheet.pair("jobs", jobs);
    sheet.pair("journal", format!("record {}", status.seq));
    for note in &status.notes {
        sheet.pair_as("note", note.as_str(), Role::NeedsYou);
    }
    sheet.done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;
    use crate::model::page::Counts;
    use crate::view::line::plain;
    use crate::view::sample::{NOON, at};

    #[test]
    fn status_is_one_pair_a_line() {
        let given = ServerStatus {
            pid: 4711,
            version: "0.1.0".into(),
            data_dir: "/d".into(),
            socket: "/s".into(),
            since: Wall(NOON),
            counts: Counts { running: 2, ..Counts::default() },
            mechanism: "signals (no cgroup v2 delegated)".into(),
            notes: vec!["the disk is full".into()],
            seq: 12,
        };
        let text = plain(&status(&given, &Sight::utc(at(5_400_000))));
        insta::assert_snapshot!(text, @r"
    server        holdshort 0.1.0, process 4711
    since         2026-11-30 13:00:00 (1h30)
    data          /d
    socket        /s
    processes     frozen and ended by signals (no cgroup v2 delegated)
    jobs          0 waiting on people, 2 running, 0 queued, 0 stuck, 0 ended
    journal       record 12
    note          the disk is full
    ");
    }
}
