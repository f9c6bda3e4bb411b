//! The read behind `usage`: what is stored in the ledger and what is open, summed over a window.

use crate::base::{At, Mono, Name, Wall};
use crate::engine::assemble::Published;
use crate::engine::handle::{Handle, lock};
use crate::engine::metering::{read_day, read_metered};
use crate::engine::reads::stored;
use crate::ledger::{Interval, Report, days};
use crate::model::Actor;
use crate::model::access::Right;
use crate::model::page::usage::{UsagePage, UsageQuery};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::sched::{World, rights};

/// Rows read at once; others may read in between.
const ROWS: usize = 512;
/// Days read at once.
const DAYS: usize = 64;

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
        let mut report = loop {
            let rolled = lock(&self.inner.stored).reader.rolled().map_err(stored)?;
            let report = self.summed(by, &query, &window, seq).await?;
            // Rows that became days meanwhile may be counted in both, or in neither.
            if lock(&self.inner.stored).reader.rolled().map_err(stored)? == rolled {
                break report;
            }
        };
        for interval in meter.settle(at.now) {
            add(&mut report, &world, by, &window, (&interval, at));
        }
        Ok(UsagePage { by: query.by, from: query.from, to, rows: report.rows(), seq, at })
    }
}

impl Handle {
    /// What is stored, up to a record.
    async fn summed(
        &self,
        by: &Actor,
        query: &UsageQuery,
        window: &Window,
        seq: u64,
    ) -> Result<Report, Refusal> {
        let world = self.published().world;
        let mut report = Report::new(query.by);
        let mut day = window.from.map_or(i64::MIN, days::day_of);
        loop {
            let rows = lock(&self.inner.stored).reader.days(day, DAYS).map_err(stored)?;
            for row in rows.iter().filter(|row| window.has(row.day)) {
                let sums = read_day(row).map_err(stored)?;
                report.add_day(&sums, |team| may_see_sums(&world, by, team));
            }
            let Some(last) = rows.last().filter(|_| rows.len() == DAYS) else { break };
            day = last.day.saturating_add(1);
            tokio::task::yield_now().await;
        }
        let before = |wall| lock(&self.inner.stored).reader.metered_before(wall);
        let mut after = query.from.map_or(Ok(0), before).map_err(stored)?;
        loop {
            let rows = lock(&self.inner.stored).reader.metered(after, ROWS).map_err(stored)?;
            let Some(last) = rows.last().map(|row| row.seq) else { break };
            // What was committed after the world was published is open in it.
            for row in rows.iter().filter(|row| row.seq <= seq) {
                for interval in read_metered(row).map_err(stored)? {
                    add(&mut report, &world, by, window, (&interval, row.at));
                }
            }
            if rows.len() < ROWS || last >= seq {
                break;
            }
            after = last;
            tokio::task::yield_now().await;
        }
        Ok(report)
    }
}

/// Adds an interval that the caller may see.
fn add(
    report: &mut Report,
    world: &World,
    by: &Actor,
    window: &Window,
    (interval, at): (&Interval, At),
) {
    if may_see(world, by, interval) {
        let (from, to) = window.at(at);
        report.add(interval, from, to);
    }
}

/// A window of the calendar.
struct Window {
    from: Option<Wall>,
    to: Wall,
}

impl Window {
    /// A day counts as a whole where it begins.
    fn has(&self, day: i64) -> bool {
        let begins = days::begins(day);
        self.from.is_none_or(|from| from <= begins) && begins < self.to
    }

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

/// Sums of a day are of teams: a process in a job's tree cannot tell its own share of them.
fn may_see_sums(world: &World, by: &Actor, team: Option<&Name>) -> bool {
    let Some(team) = team else { return true };
    by.in_job.is_none() && rights::on_team(world, by, team, Right::See).is_ok()
}
