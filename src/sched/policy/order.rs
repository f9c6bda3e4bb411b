//! Who goes first.
//!
//! Priority (lifted by boosts, by those who wait for it and by `next`), then `next` itself, then
//! the latest start that meets a deadline, then jobs that come back before new ones,
//! then gangs below their minimum before those that have it and those that have more, then age,
//! then number (DESIGN.md 5.5). Victims are taken in the exact reverse. Who of the others goes
//! into the room before a reservation is [`BackfillOrder`].

use std::cmp::Reverse;

use crate::base::{JobId, Mono, Span, Wall};
use crate::model::job::{Job, State};
use crate::sched::policy::gang::Standing;

/// A job's place among those that want room; the smallest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Higher priority first.
    pub priority: Reverse<u16>,
    /// The last one that was moved to the front first.
    pub front: Reverse<u64>,
    /// The one that must start earliest to meet its deadline first, those without one last.
    pub latest_start: Wall,
    /// One that comes back before a new one.
    pub resumed: Reverse<bool>,
    /// A gang below its minimum before one that only grows.
    pub standing: Standing,
    /// Older first.
    pub submitted: Mono,
    /// Lower number first.
    pub id: JobId,
    /// Orders nothing: the priority without that of others that wait for the job. One with a
    /// higher own priority may take its room, unless somebody still more urgent waits for it.
    pub own: u16,
}

impl Place {
    /// The place of a job whose gang stands so.
    pub fn of(job: &Job, standing: Standing) -> Place {
        let runs = matches!(job.state, State::Starting | State::Running);
        Place {
            priority: Reverse(job.sort_priority()),
            front: Reverse(job.front.map_or(0, |front| front.rank)),
            latest_start: job.latest_start.unwrap_or(Wall(i64::MAX)),
            resumed: Reverse(job.attempt > 0 && !runs),
            standing,
            submitted: job.submitted.now,
            id: job.id,
            own: job.own_priority().max(job.front.map_or(0, |front| front.priority)),
        }
    }
}

impl Place {
    /// The place it would have if nobody waited for it: when its room is taken for the very one
    /// that waits, it must not come before that one.
    #[must_use]
    pub fn alone(self) -> Place {
        Place { priority: Reverse(self.own), ..self }
    }
}

/// In which order those behind a reservation are tried for the room before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackfillOrder {
    /// As they came.
    Arrival,
    /// The one with the shortest predicted run first; as they came among equals (SJBF: Tsafrir,
    /// Etsion and Feitelson 2007).
    Shortest,
}

impl BackfillOrder {
    /// The key of a job by its predicted run and its place in line; the smallest goes first.
    pub fn key(self, predicted: Span, place: u32) -> (Span, u32) {
        match self {
            BackfillOrder::Arrival => (Span::ZERO, place),
            BackfillOrder::Shortest => (predicted, place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(priority: u16, front: u64, resumed: bool, submitted: u64, id: u64) -> Place {
        Place {
            priority: Reverse(priority),
            front: Reverse(front),
            latest_start: Wall(i64::MAX),
            resumed: Reverse(resumed),
            standing: Standing::Below,
            submitted: Mono(submitted),
            id: JobId(id),
            own: priority,
        }
    }

    #[test]
    fn each_key_breaks_the_tie_of_the_one_before() {
        let best_first = [
            place(400, 0, false, 9, 9),
            place(200, 2, false, 9, 8),
            place(200, 1, false, 9, 7),
            Place { latest_start: Wall(5), ..place(200, 0, false, 9, 9) },
            Place { latest_start: Wall(6), ..place(200, 0, true, 1, 1) },
            place(200, 0, true, 9, 6),
            place(200, 0, false, 1, 5),
            Place { standing: Standing::Exactly, ..place(200, 0, false, 0, 1) },
            Place { standing: Standing::Above, ..place(200, 0, false, 0, 1) },
            place(100, 9, true, 0, 0),
        ];
        assert!(best_first.is_sorted());
        assert!(place(200, 0, false, 1, 1) < place(200, 0, false, 1, 2));
        assert!(place(200, 0, false, 1, 2) < place(200, 0, false, 2, 1));
    }

    #[test]
    fn backfill_goes_by_arrival_or_by_length_and_then_by_arrival() {
        let jobs = [(Span(9), 1), (Span(3), 2), (Span(3), 3), (Span(1), 4)];
        let sorted = |order: BackfillOrder| {
            let mut jobs = jobs;
            jobs.sort_by_key(|(run, place)| order.key(*run, *place));
            jobs.map(|(_, place)| place)
        };
        assert_eq!(sorted(BackfillOrder::Arrival), [1, 2, 3, 4]);
        assert_eq!(sorted(BackfillOrder::Shortest), [4, 2, 3, 1]);
    }
}
