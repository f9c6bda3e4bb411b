//! The read behind `usage`: what is stored in the ledger and what is open, summed over a window.

use crate::base::{At, Mono, Wall};
use crate::engine::assemble::Published;
use crate::engine::handle::{Handle, lock};
use crate::engine::metering::read_metered;
use crate::engine::reads::stored;
use crate::ledger::{Interval, Report};
use crate::model::Actor;
use crate::model::access::Right;
use crate::model::page::usage::{UsagePage, UsageQuery};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::sched::{World, rights};

/// Rows read at once; others may read in between.
const ROWS: usize = 512;

impl Handle {
    /// Sums of what was used, by whom and how it is booked: of teams that the caller may see, and
    /// of what nobody held.
    ///
    /// # Errors
    /// When the window is empty, the caller has no role at all, or the store fails.
    pub async fn usage(&self, by: &Actor, query: UsageQuery) -> Result<UsagePage, Refusal> {
        let Published { world, meter, seq, .. } = self.published();
        anywhere(&world, by)?;
        let at = self.at();
        let to = query.to.unwrap_or(at.wall).min(at.wall);
        if query.from.is_some_and(|from| from >= to) {
            let what = "the window is empty: it ends before it begins";
            return Err(Refusal::new(RefusalCode::Usage, what, "give an earlier --since"));
        }
        let window = Window { from: query.from, to };
        let mut report = Report::new(query.by);
        let mut add = |interval: &Interval, at: At| {
            if may_see(&world, by, interval) {
                let (from, to) = window.at(at);
                report.add(interval, from, to);
            }
        };
        let before = |wall| lock(&self.inner.stored).reader.metered_before(wall);
        let mut after = query.from.map_or(Ok(0), before).map_err(stored)?;
        loop {
            let rows = lock(&self.inner.stored).reader.metered(after, ROWS).map_err(stored)?;
            let Some(last) = rows.last().map(|row| row.seq) else { break };
            // What was committed after the world was published is open in it.
            for row in rows.iter().filter(|row| row.seq <= seq) {
                let intervals = read_metered(row).map_err(stored)?;
                intervals.iter().for_each(|interval| add(interval, row.at));
            }
            if rows.len() < ROWS || last >= seq {
                break;
            }
            after = last;
            tokio::task::yield_now().await;
        }
        meter.settle(at.now).iter().for_each(|interval| add(interval, at));
        Ok(UsagePage { by: query.by, from: query.from, to, rows: report.rows(), seq, at })
    }
}

/// A window of the calendar.
struct Window {
    from: Option<Wall>,
    to: Wall,
}

impl Window {
    /// The same on the scheduler's clock, as the two stood to each other at an instant.
    fn at(&self, at: At) -> (Mono, Mono) {
        let mono = |wall: Wall| at.now + wall.since(at.wall) - at.wall.since(wall);
        (self.from.map_or(Mono(0), mono), mono(self.to))
    }
}

fn anywhere(world: &World, by: &Actor) -> Result<(), Refusal> {
    let team = by.in_job.and_then(|job| world.job(job)).map(|job| job.spec.team.clone());
    let teams = world.teams().map(|team| team.name.clone()).chain(team).chain(["".into()]);
    let mut denied = Ok(());
    for team in teams {
        denied = rights::on_team(world, by, &team, Right::See);
        if denied.is_ok() {
            return Ok(());
        }
    }
    denied
}

/// A process in a job's tree sees what its own tree used, and nobody's; others see their teams.
fn may_see(world: &World, by: &Actor, interval: &Interval) -> bool {
    let Some(holder) = &interval.holder else { return true };
    match (by.in_job, world.job(holder.task.job)) {
        (None, _) => rights::on_team(world, by, &holder.team, Right::See).is_ok(),
        (Some(_), Some(job)) => rights::on_job(world, by, job, Right::See).is_ok(),
        (Some(own), None) => own == holder.task.job,
    }
}
