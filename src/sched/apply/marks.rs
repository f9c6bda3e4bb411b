//! Facts that leave a mark on a job and do not move it: reports, questions, findings.

use crate::base::{At, Mono};
use crate::model::Finding;
use crate::model::command::Report;
use crate::model::fact::{Eviction, Fact};
use crate::model::job::{Checkpoint, Job, Progress, Prompt, Reservation, ScheduledCancel, State};

/// Makes such a fact so; any other is about one of the job's tasks.
pub(super) fn change(job: &mut Job, fact: &Fact, at: At, active: Mono) {
    match fact {
        Fact::JobReported { report, .. } => take_report(job, report, at),
        Fact::CancelScheduled { due, by, reason, .. } => {
            let (due, by, reason) = (*due, by.clone(), reason.clone());
            job.cancel = Some(ScheduledCancel { due, by, reason });
        }
        Fact::CancelRevoked { .. } => job.cancel = None,
        Fact::JobEvicted { eviction, .. } => {
            job.evicted = Some(Box::new((Eviction::clone(eviction), at)));
        }
        Fact::JobDue { latest_start, .. } => job.latest_start = *latest_start,
        Fact::JobInherits { from, .. } => job.inherited = from.clone().map(Box::new),
        Fact::ReservationMade { at: then, from, room, .. } => {
            let (room, first) = (room.clone(), (*from, *then));
            let (at, from, since, chosen) = (*then, *from, at, at.now);
            let made = Reservation { at, from, room, since, chosen, first, moves: 0 };
            job.reserved = Some(Box::new(made));
        }
        Fact::ReservationMoved { at: then, from, room, .. } => {
            let moved = job.reserved.as_ref().map(|old| {
                let moved = old.moved((*then, *from), room.clone(), at.now);
                // That people are late gives it no right to the room of others.
                let moves = if job.state == State::Queued { moved.moves } else { old.moves };
                Box::new(Reservation { moves, ..moved })
            });
            job.reserved = moved;
        }
        Fact::ReservationOver { .. } => job.reserved = None,
        Fact::JobAcked { by, .. } => {
            job.acked = Some(by.clone());
            job.findings.values_mut().for_each(|finding| finding.acked = Some(by.clone()));
        }
        Fact::AtPrompt { task, text } => {
            job.prompt = Some(Prompt { rank: task.rank, text: text.clone(), since: at });
        }
        Fact::PromptOver { .. } => job.prompt = None,
        Fact::Found { signal, level, evidence, .. } => {
            let before = job.findings.get(signal);
            let since = before.map_or(at, |finding| finding.since);
            // A worse level rings again even if somebody had seen the milder one.
            let acked = before.filter(|f| f.level >= *level).and_then(|f| f.acked.clone());
            if acked.is_none() {
                job.acked = None;
            }
            let (signal, level, evidence) = (*signal, *level, evidence.clone());
            job.findings.insert(signal, Finding { signal, level, since, evidence, acked });
        }
        Fact::FindingOver { signal, .. } => {
            job.findings.remove(signal);
        }
        about_a_task => super::tasks::change(job, about_a_task, at, active),
    }
}

fn take_report(job: &mut Job, report: &Report, at: At) {
    job.heartbeat = Some(at.now);
    match report {
        Report::Checkpoint { path, basis_points } => {
            job.checkpoint = Some(Checkpoint { path: path.clone(), attempt: job.attempt, at });
            if basis_points.is_some() {
                job.progress = Some(Progress { basis_points: *basis_points, text: None, at });
            }
        }
        Report::Progress { basis_points, text } => {
            let (basis_points, text) = (*basis_points, text.clone());
            job.progress = Some(Progress { basis_points, text, at });
        }
        // The change of what is asked for, or what is limited, is a fact of its own.
        Report::Scale { .. } | Report::Heartbeat | Report::Limited { .. } => {}
        Report::Usage { amounts, .. } => {
            for (name, amount) in amounts {
                let sum = job.usage.entry(name.clone()).or_default();
                *sum = sum.saturating_add(*amount);
            }
        }
    }
}
