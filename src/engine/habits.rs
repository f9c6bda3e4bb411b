//! How the rules for reviews are answered, for readers.

use crate::base::Span;
use crate::engine::handle::Handle;
use crate::model::Actor;
use crate::model::access::Right;
use crate::model::page::habits::HabitRow;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::sched::policy::habit::Habit;
use crate::sched::{World, rights};

/// One row for each group of people that was asked, those that look least first.
pub fn rows(world: &World) -> Vec<HabitRow> {
    let row = |(group, habit): (&crate::base::Name, &Habit)| HabitRow {
        group: group.clone(),
        yes: habit.yes,
        no: habit.no,
        expired: habit.expired,
        yes_percent: habit.yes_percent(),
        median: habit.median(),
        blind: habit.is_blind(),
    };
    let mut rows: Vec<HabitRow> = world.desk().habits().map(row).collect();
    rows.sort_by_key(|row| (!row.blind, row.median.unwrap_or(Span(u64::MAX)), row.group.clone()));
    rows
}

impl Handle {
    /// How each rule is answered.
    ///
    /// # Errors
    /// For a process of a job, and for whoever may not see every team.
    pub async fn habits(&self, by: &Actor) -> Result<Vec<HabitRow>, Refusal> {
        let world = self.published().world;
        if let Some(job) = by.in_job {
            let what = format!("a process of job {job} sees no habits of people");
            return Err(Refusal::new(RefusalCode::Forbidden, what, ""));
        }
        rights::on_team(&world, by, "", Right::See)?;
        Ok(rows(&world))
    }
}
