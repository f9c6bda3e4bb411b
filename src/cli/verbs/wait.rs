//! `wait T…|--all`: until jobs end, told by events, never by polling.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use futures::{FutureExt, StreamExt};

use crate::base::{JobId, Span, duration};
use crate::cli::args::target::Target;
use crate::cli::exit::{self, FAILED, Failure, NO_CODE, OK, Outcome, TIMED_OUT, WAIT_TIMED_OUT};
use crate::cli::session::{Revive, Session};
use crate::cli::targets;
use crate::link::{Link, LinkError, Stream};
use crate::model::Fact;
use crate::model::job::{Outcome as JobOutcome, State};
use crate::model::page::{Ended, EventRow, JobRow};

/// `wait`.
#[derive(Debug, Args)]
#[command(after_help = "One job: its exit code, 125 if it ended without one, 124 when time runs \
                        out. Several: 0 if all succeeded, else 1, 7 when time runs out.")]
pub struct Wait {
    /// Jobs: 42, 40_7 (element of an array), 40 (a whole array)
    #[arg(value_name = "JOB", required_unless_present = "all", conflicts_with = "all")]
    targets: Vec<Target>,
    /// Until nothing is live any more, later jobs included; 1 if one of them fails meanwhile
    #[arg(long)]
    all: bool,
    /// Give up after this time: 90s, 2h
    #[arg(long, value_name = "D", value_parser = duration::parse)]
    timeout: Option<Span>,
}

/// How jobs ended.
type Ends = BTreeMap<JobId, JobOutcome>;

impl Wait {
    /// Waits.
    ///
    /// # Errors
    /// The server's; for one job as 125.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let limit = self.timeout;
        let inside = session.inside();
        if self.all {
            let ends = within(limit, all_over(link, session, inside), TIMED_OUT).await?;
            return Ok(say(session, &ends));
        }
        let single = self.targets.len() == 1;
        if inside.is_some_and(|job| self.targets.contains(&Target::Job(job))) {
            let what = "a job that waits for itself would wait for ever";
            return Err(Failure::usage(what, "wait for the numbers of its children"));
        }
        let found = ids(link, &self.targets).await;
        let jobs = if single { found.map_err(Failure::instead_of_a_job)? } else { found? };
        if let (true, [job]) = (single, jobs.as_slice()) {
            let ended = within(limit, until_ended(link, session, *job), WAIT_TIMED_OUT).await;
            let row = ended.map_err(|failure| {
                let timed_out = failure.code == WAIT_TIMED_OUT;
                if timed_out { failure } else { failure.instead_of_a_job() }
            })?;
            return Ok(code(session, &row));
        }
        let ends = within(limit, these_over(link, session, &jobs), TIMED_OUT).await?;
        Ok(say(session, &ends))
    }
}

async fn ids(link: &dyn Link, targets: &[Target]) -> Result<Vec<JobId>, Failure> {
    let mut ids = BTreeSet::new();
    for target in targets {
        let rows = targets::expand(link, target, Ended::All).await?;
        ids.extend(rows.into_iter().map(|row| row.id));
    }
    Ok(ids.into_iter().collect())
}

async fn within<T>(
    limit: Option<Span>,
    work: impl Future<Output = Result<T, Failure>>,
    code: u8,
) -> Result<T, Failure> {
    let Some(limit) = limit else { return work.await };
    let late = || {
        let shown = duration::exact(limit);
        Failure::new(code, format!("still not over after {shown}"), "")
    };
    tokio::time::timeout(limit.to_std(), work).await.map_err(|_| late())?
}

fn code(session: &Session, row: &JobRow) -> u8 {
    let code = exit::of_job(row).unwrap_or(NO_CODE);
    if code == NO_CODE {
        session.output.note(&format!("{} {}", row.id, row.word()));
    }
    code
}

fn say(session: &Session, ends: &Ends) -> u8 {
    let bad: Vec<_> = ends.iter().filter(|(_, end)| **end != JobOutcome::Succeeded).collect();
    for (job, end) in &bad {
        session.output.note(&format!("{job} {}", end.word()));
    }
    if bad.is_empty() { OK } else { FAILED }
}

/// Waits until one job has ended; its last row.
///
/// # Errors
/// The server's.
pub async fn until_ended(
    link: &dyn Link,
    revive: &dyn Revive,
    job: JobId,
) -> Result<JobRow, Failure> {
    these_over(link, revive, &[job]).await?;
    again(revive, || link.job(job)).await.map(|detail| detail.row)
}

/// Asks again when the server went away; the link itself has tried for a while before.
async fn again<'a, T, A>(revive: &dyn Revive, ask: A) -> Result<T, Failure>
where
    A: Fn() -> crate::link::Answer<'a, T>,
{
    match ask().await {
        Err(LinkError::Unreachable(_)) => {
            revive.revive()?;
            ask().await.map_err(Failure::from)
        }
        other => other.map_err(Failure::from),
    }
}

async fn these_over(link: &dyn Link, revive: &dyn Revive, jobs: &[JobId]) -> Result<Ends, Failure> {
    let mut ends = Ends::new();
    loop {
        // The mark comes before the look: what ends between them is in the events.
        let since = again(revive, || link.summary()).await?.seq;
        for job in jobs {
            if !ends.contains_key(job) {
                let row = again(revive, || link.job(*job)).await?.row;
                if let State::Ended(outcome) = row.state {
                    ends.insert(*job, outcome);
                }
            }
        }
        if jobs.iter().all(|job| ends.contains_key(job)) {
            return Ok(ends);
        }
        let mut events = again(revive, || link.events(Some(since), true)).await?;
        while let Some(event) = connected(events.next().await)? {
            if let Some((job, outcome)) = ended(&event)
                && jobs.contains(&job)
            {
                ends.insert(job, outcome);
                if jobs.iter().all(|job| ends.contains_key(job)) {
                    return Ok(ends);
                }
            }
        }
    }
}

/// What is waited for when all is meant: everything, or inside a job what is below it. Its own
/// life and that of the job that waits for it would never be over.
async fn live(link: &dyn Link, revive: &dyn Revive, inside: Option<JobId>) -> Result<u64, Failure> {
    let Some(job) = inside else {
        let counts = again(revive, || link.summary()).await?.counts;
        return Ok(counts.human + counts.running + counts.queued);
    };
    let seen = targets::every(link, "", Ended::None).await?;
    Ok(seen.iter().filter(|row| row.id != job).count() as u64)
}

async fn all_over(
    link: &dyn Link,
    revive: &dyn Revive,
    inside: Option<JobId>,
) -> Result<Ends, Failure> {
    let mut ends = Ends::new();
    let mut since = None;
    loop {
        let seq = again(revive, || link.summary()).await?.seq;
        let from = *since.get_or_insert(seq);
        if live(link, revive, inside).await? == 0 {
            collect(link, from, &mut ends).await;
            return Ok(ends);
        }
        let mut events = again(revive, || link.events(Some(from), true)).await?;
        loop {
            let event = match events.next().await {
                Some(Err(LinkError::Protocol(_))) => {
                    // Facts are missing; what ended in them is not known to anybody any more.
                    since = None;
                    break;
                }
                next => connected(next)?,
            };
            let Some(event) = event else { break };
            let over = ended(&event);
            // A record may have more facts than were read when a connection breaks.
            since = Some(event.seq.saturating_sub(1));
            ends.extend(over);
            // Under load ends come in crowds: whether all is over is asked once for each crowd.
            if over.is_some() {
                take_crowd(&mut events, &mut ends);
                if live(link, revive, inside).await? == 0 {
                    collect(link, event.seq.saturating_sub(1), &mut ends).await;
                    return Ok(ends);
                }
            }
        }
    }
}

/// Reads what is there already.
fn take_crowd(events: &mut Stream<EventRow>, ends: &mut Ends) {
    while let Some(Some(Ok(event))) = events.next().now_or_never() {
        ends.extend(ended(&event));
    }
}

/// Ends that happened after the last event that was read: they count, too.
async fn collect(link: &dyn Link, since: u64, ends: &mut Ends) {
    let Ok(mut events) = link.events(Some(since), false).await else { return };
    while let Some(Ok(event)) = events.next().await {
        ends.extend(ended(&event));
    }
}

fn ended(event: &EventRow) -> Option<(JobId, JobOutcome)> {
    match event.fact {
        Fact::JobEnded { job, outcome } => Some((job, outcome)),
        _ => None,
    }
}

/// An event, or `None` when everything must be looked at again: the connection is over, or facts
/// are missing from the stream.
fn connected(next: Option<Result<EventRow, LinkError>>) -> Result<Option<EventRow>, Failure> {
    match next {
        Some(Ok(event)) => Ok(Some(event)),
        Some(Err(LinkError::Refused(refusal))) => Err(refusal.into()),
        None | Some(Err(LinkError::Unreachable(_) | LinkError::Protocol(_))) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::{Scripted, event, row};
    use crate::model::job::{Exit, FailureClass};

    struct Counted(std::cell::Cell<u32>);
    impl Revive for Counted {
        fn revive(&self) -> Result<(), Failure> {
            self.0.set(self.0.get() + 1);
            Ok(())
        }
    }

    fn end(job: u64, outcome: JobOutcome) -> JobRow {
        let exit = Some(Exit::Code(i32::from(outcome != JobOutcome::Succeeded)));
        JobRow { state: State::Ended(outcome), exit, ..row(job) }
    }

    const BAD: JobOutcome = JobOutcome::Failed(FailureClass::Exit);

    #[tokio::test]
    async fn a_job_that_is_over_is_not_waited_for() {
        let link = Scripted::default();
        link.put(end(1, BAD));
        let revive = Counted(0.into());
        let row = until_ended(&link, &revive, JobId(1)).await.unwrap();
        assert_eq!(exit::of_job(&row), Some(1));
    }

    #[tokio::test]
    async fn an_end_is_seen_by_its_event_and_a_lost_server_is_brought_back() {
        let link = Scripted::default();
        link.put(row(1));
        link.put(row(2));
        let lost = || Err(LinkError::Unreachable("gone".into()));
        link.event(vec![Ok(event(5, 1, JobOutcome::Succeeded)), lost()]);
        link.event(vec![Ok(event(6, 7, BAD)), Ok(event(7, 2, BAD))]);
        let revive = Counted(0.into());
        let ends = these_over(&link, &revive, &[JobId(1), JobId(2)]).await.unwrap();
        let wanted = [(JobId(1), JobOutcome::Succeeded), (JobId(2), BAD)];
        assert_eq!(ends, Ends::from(wanted));
    }

    #[tokio::test]
    async fn a_server_that_does_not_answer_is_started_again() {
        let link = Scripted::default();
        link.put(end(1, JobOutcome::Succeeded));
        link.unreachable_once();
        let revive = Counted(0.into());
        these_over(&link, &revive, &[JobId(1)]).await.unwrap();
        assert_eq!(revive.0.get(), 1);
    }

    #[tokio::test]
    async fn waiting_for_all_counts_jobs_that_came_later() {
        let link = Scripted::default();
        link.put(row(1));
        link.live(1);
        let ends = [(1, JobOutcome::Succeeded), (2, BAD)];
        link.event(ends.map(|(job, outcome)| Ok(event(job + 4, job, outcome))).to_vec());
        link.live_after_events(0);
        let ends = all_over(&link, &Counted(0.into()), None).await.unwrap();
        assert_eq!(ends.len(), 2);
    }

    #[tokio::test]
    async fn inside_a_job_its_own_life_is_not_waited_for() {
        let link = Scripted::default();
        link.put(row(1));
        link.live(1);
        let ends = all_over(&link, &Counted(0.into()), Some(JobId(1))).await.unwrap();
        assert_eq!(ends.len(), 0);
    }

    #[tokio::test]
    async fn time_that_runs_out_has_its_own_code() {
        let never = std::future::pending::<Result<(), Failure>>();
        let failure = within(Some(Span(1)), never, WAIT_TIMED_OUT).await.unwrap_err();
        assert_eq!(failure.code, 124);
    }
}
