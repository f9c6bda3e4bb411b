//! What is reserved while free room is given out, so that nobody who may start later delays it.
//!
//! A job may start beside reservations if it is expected to end before they begin, or if it
//! takes only what they leave over (Lifka 1995; for several reservations Mu'alem and Feitelson
//! 2001). One of which nothing is known never counts as ending.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::base::{JobId, Mono, Name};
use crate::model::Resources;
use crate::model::estimate::Confidence;
use crate::model::job::{Job, State};
use crate::model::page::Lane;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::future::ask::{Ask, Slot};
use crate::sched::future::estimate::{self, Left};
use crate::sched::future::line::Shared;
use crate::sched::future::timeline::{By, Timeline, parts};
use crate::sched::policy::fit::{Grip, WHOLE, When};

/// What is reserved, on a timeline.
#[derive(Debug, Clone)]
pub struct Guard {
    timeline: Timeline,
    /// In the order in which they were made.
    pub slots: Vec<Slot>,
}

/// A reservation that stands at the end of a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The job.
    pub job: JobId,
    /// From when on, and what; `None` leaves the one it has as it is.
    pub slot: Option<Slot>,
    /// When it could start if all took as long as half of them do.
    pub from: Mono,
}

impl Deref for Guard {
    type Target = Timeline;

    fn deref(&self) -> &Timeline {
        &self.timeline
    }
}

impl DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }
}

impl Guard {
    /// Nothing is reserved yet.
    pub fn new(board: &Board, by: By) -> Guard {
        // As long as nothing is decided it is the same for whoever asks.
        let timeline = match (by, board.deeds.is_empty()) {
            (By::P90, true) => board.timeline.get_or_init(|| Timeline::of(board, by)).clone(),
            _ => Timeline::of(board, by),
        };
        Guard { timeline, slots: Vec::new() }
    }

    /// Reserves the earliest room for a job; whether there is some.
    pub fn reserve_for(&mut self, board: &Board, head: &Head) -> bool {
        let ask = Ask::of(board, &self.timeline, head);
        ask.is_some_and(|ask| self.reserve(board, &ask))
    }

    /// Reserves the earliest room for what is asked for; whether there is some.
    pub fn reserve(&mut self, board: &Board, ask: &Ask) -> bool {
        let slot = self.look(board, ask, board.at().now);
        slot.map(|slot| self.keep(slot)).is_some()
    }

    /// The earliest room for what is asked for, from a time on.
    pub fn look(&mut self, board: &Board, ask: &Ask, from: Mono) -> Option<Slot> {
        self.timeline.know(board, [ask]);
        self.timeline.earliest(ask, from)
    }

    /// Keeps room for a job.
    pub fn keep(&mut self, slot: Slot) {
        self.timeline.reserve(&slot);
        self.slots.push(slot);
    }

    /// From when on something is reserved for a job.
    pub fn reserved_from(&self, job: JobId) -> Option<Mono> {
        self.slots.iter().find(|slot| slot.job == job).map(|slot| slot.at)
    }

    /// Gives up what is reserved for a job.
    pub fn release(&mut self, job: JobId) {
        let mine = |slot: &Slot| slot.job == job;
        for slot in self.slots.extract_if(.., |slot| mine(slot)) {
            self.timeline.release(&slot);
        }
    }
}

/// When a job that starts now can be counted on to have ended.
pub fn surely_over(board: &Board, job: &Job) -> Mono {
    let left = estimate::left(board.world(), job, board.at());
    match left.confidence {
        Confidence::None => Mono(u64::MAX),
        Confidence::Low | Confidence::High => board.at().now + left.p90,
    }
}

impl Board {
    /// What has run since before the cycle, with how long each will go on.
    pub(in crate::sched) fn runs(&self) -> &[(Arc<Job>, Left)] {
        self.runs.get_or_init(|| {
            let index = self.world().index();
            let lanes = [Lane::Running, Lane::Human].into_iter();
            let jobs = lanes.flat_map(|lane| index.lane(lane, None));
            let jobs = jobs.filter_map(|(_, id)| self.world().job(id));
            let goes = jobs.filter(|job| !matches!(job.state, State::Stopping(_)) && !job.frozen);
            goes.map(|job| (job.clone(), estimate::left(self.world(), job, self.at()))).collect()
        })
    }

    /// Whether a task that is over by then may start on a node beside what is reserved there.
    pub(in crate::sched) fn admits(&self, node: usize, request: &Resources, over: Mono) -> bool {
        let Some(guard) = &self.guard else { return true };
        let grip = |when| self.rooms[node].grip(request, when, self.by(request));
        let grip = grip(When::Now).or_else(|| grip(When::Later));
        let shared = grip.and_then(|grip| self.shared_device(node, &grip));
        guard.admits(node, &parts(request), shared, over)
    }

    /// The device of which a grip is a share.
    fn shared_device(&self, node: usize, grip: &Grip) -> Option<Shared> {
        let devices = &self.rooms[node].devices;
        let device = match grip {
            Grip::Share { at, .. } => devices.get(*at),
            Grip::Known(shares) => {
                let share = shares.iter().find(|share| share.milli < WHOLE)?;
                devices.iter().find(|device| device.index == share.index)
            }
            Grip::Nothing | Grip::Whole(_) => None,
        }?;
        Some(Shared { index: device.index, whole: device.is_whole(When::Later) })
    }

    /// The same for countable resources.
    pub(in crate::sched) fn admits_units(&self, id: JobId, sum: &Resources) -> bool {
        let Some(guard) = self.guard.as_ref().filter(|_| !sum.custom.is_empty()) else {
            return true;
        };
        let Some(job) = self.world().job(id) else { return false };
        guard.admits_units(&sum.custom, surely_over(self, job))
    }

    /// A task is about to take room: what is reserved later is looked at without it.
    pub(in crate::sched) fn guard_takes(
        &mut self,
        id: JobId,
        node: usize,
        request: &Resources,
        grip: &Grip,
    ) {
        let shared = self.shared_device(node, grip);
        let Some(mut guard) = self.guard.take() else { return };
        if let Some(job) = self.world().job(id) {
            let until = self.at().now + estimate::left(self.world(), job, self.at()).p90;
            let line = guard.take(node, &parts(request), shared, until);
            self.keep_line(node, line);
            let units: &BTreeMap<Name, u64> = &request.custom;
            for (name, line) in guard.take_units(units, until) {
                self.keep_units(name, line);
            }
        }
        self.guard = Some(guard);
    }

    /// Does something as if nothing were reserved.
    pub(in crate::sched) fn unguarded<T>(&mut self, act: impl FnOnce(&mut Board) -> T) -> T {
        let guard = self.guard.take();
        let done = act(self);
        self.guard = guard;
        done
    }
}
