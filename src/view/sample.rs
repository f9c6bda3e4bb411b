//! A job's row to start tests from.

use std::collections::BTreeMap;

use crate::base::{At, JobId, Mono, Wall};
use crate::model::finding::{Level, Signal};
use crate::model::job::{ArrayPlace, Exit, Gang, Outcome, Prompt, State};
use crate::model::page::{JobRow, Lane};
use crate::model::reason::{Code, Reason};
use crate::model::{Finding, Resources};

/// 2026-11-30 13:00 UTC.
pub const NOON: i64 = 1_796_043_600_000;

/// `ms` milliseconds after the server's clocks began.
pub fn at(ms: u64) -> At {
    At { now: Mono(ms), wall: Wall(NOON + i64::try_from(ms).unwrap()) }
}

/// A queued job of one core.
pub fn queued(id: u64, name: &str) -> JobRow {
    JobRow {
        id: JobId(id),
        name: name.into(),
        team: "default".into(),
        priority: 200,
        lifted: 200,
        owner: "ana".into(),
        state: State::Queued,
        since: at(0),
        hold: None,
        frozen: false,
        lane: Lane::Queued,
        reason: Reason::bare(Code::NoRoom),
        request: Resources { cpu_milli: 1000, mem_bytes: 2 << 30, ..Resources::default() },
        gang: Gang::ONE,
        gang_running: 0,
        attempt: 0,
        submitted: at(0),
        started: None,
        ended: None,
        expected_start: None,
        expected_end: None,
        latest_end: None,
        kept: None,
        evicted_by: None,
        exit: None,
        labels: BTreeMap::new(),
        command: vec!["./agent.sh".into(), "fix it".into()],
        cwd: "/srv/app".into(),
        nodes: vec![],
        parent: None,
        step: None,
        array: None,
        holds: Resources::default(),
        open_reviews: vec![],
        answered: None,
        prompt: None,
        progress: None,
        findings: vec![],
        cancel_at: None,
        acked: None,
        pty: false,
        order: (0, 0),
        preemptible: false,
        deadline: None,
    }
}

/// A running job.
pub fn running(id: u64, name: &str) -> JobRow {
    JobRow {
        state: State::Running,
        lane: Lane::Running,
        reason: Reason::bare(Code::Running),
        attempt: 1,
        gang_running: 1,
        started: Some(at(1000)),
        since: at(1000),
        nodes: vec!["n1".into()],
        ..queued(id, name)
    }
}

/// A running job that asks.
pub fn asking(id: u64, name: &str, text: &str) -> JobRow {
    JobRow {
        lane: Lane::Human,
        reason: Reason::bare(Code::AtPrompt),
        prompt: Some(Prompt { rank: 0, text: text.into(), since: at(2000) }),
        ..running(id, name)
    }
}

/// An ended job.
pub fn ended(id: u64, name: &str, outcome: Outcome, exit: Option<Exit>) -> JobRow {
    JobRow {
        state: State::Ended(outcome),
        lane: Lane::Ended,
        reason: Reason::bare(Code::Ended),
        ended: Some(at(60_000)),
        since: at(60_000),
        exit,
        ..running(id, name)
    }
}

/// The element `index` of the array `array`.
pub fn element(row: JobRow, array: u64, index: u32) -> JobRow {
    JobRow { array: Some(ArrayPlace { id: JobId(array), index, throttle: None }), ..row }
}

/// A finding that stands.
pub fn finding(signal: Signal, level: Level) -> Finding {
    Finding { signal, level, since: at(0), evidence: BTreeMap::new(), acked: None }
}
