//! The demo: a [`Link`] to the scene instead of a server.
//!
//! A live demo lets virtual time pass with real time times a factor; a still one stands at an
//! instant, for pictures and tests. The person at the screen is the owner. Nothing is on disk.
//! `pulse` holds the scene and its clock, `follow` the streams.

mod follow;
mod pulse;

use std::sync::Arc;

use bytes::Bytes;
use futures::{FutureExt, StreamExt};

use crate::base::{JobId, Name, ReviewId, Span, TaskId, Wall};
use crate::engine::suppose::suppose;
use crate::engine::{pages, reviews, teams};
use crate::link::{Answer, JobQuery, Link, LinkError, Piece, Stream};
use crate::model::access::Right;
use crate::model::command::{Act, Report, Verb};
use crate::model::history::History;
use crate::model::outlook::{Outlook, Supposition};
use crate::model::page::usage::{UsagePage, UsageQuery};
use crate::model::page::{
    EventRow, JobDetail, JobPage, LogQuery, Query, ReviewCard, ReviewPage, ReviewQuery,
    ServerStatus, Summary, TeamPage, Why,
};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Ask, ReviewAct, ReviewCommand, ReviewVerb};
use crate::model::submission::Submission;
use crate::model::team::TeamEdit;
use crate::model::{Actor, Command, Job, State};
use crate::sched::future::forecast::{FORECASTS, forecasts};
use crate::sched::{explain, rights};
use crate::sim::demo::follow::{EventFeed, LogFeed};
use crate::sim::demo::pulse::Pulse;
use crate::sim::fleet::Fleet;
use crate::sim::site;
use crate::view::filter;

/// Rows of one page at most.
const LIMIT_MAX: usize = 1000;
/// Bytes of one input at most.
const INPUT_MAX: usize = 4096;
/// A process id for pictures: there is no process.
const NO_PID: u32 = 4711;

/// The scene behind a [`Link`]. Cheap to clone; all clones see the same scene.
#[derive(Clone)]
pub struct Demo {
    pulse: Arc<Pulse>,
}

impl Demo {
    /// A scene in which `speed` virtual seconds pass in a real one (1 if it is no sensible
    /// number). Outside a tokio runtime nothing drives it: time passes when somebody asks.
    pub fn live(seed: u64, speed: f64) -> Demo {
        Demo { pulse: Pulse::live(seed, speed) }
    }

    /// A scene that stands still, so long after it opens.
    pub fn still(seed: u64, at: Span) -> Demo {
        Demo { pulse: Pulse::still(seed, at) }
    }

    /// Lets time pass at once, also in a still scene.
    pub fn pass(&self, span: Span) {
        self.pulse.pass(span);
    }

    fn answer<'a, T: 'a>(
        &'a self,
        look: impl FnOnce(&mut Fleet) -> Result<T, Refusal> + Send + 'a,
    ) -> Answer<'a, T> {
        async move { self.pulse.with(look) }.boxed()
    }

    fn command(&self, command: Command) -> Answer<'_, ()> {
        self.answer(|fleet| fleet.command(command).map(drop))
    }
}

/// The person at the screen.
fn owner() -> Actor {
    site::person(site::OWNER)
}

fn find(fleet: &Fleet, id: JobId) -> Result<Arc<Job>, Refusal> {
    fleet.job(id).cloned().ok_or_else(|| {
        let what = format!("there is no job {id}");
        Refusal::new(RefusalCode::NotFound, what, "`holdshort ls` lists the jobs")
    })
}

/// The task behind a terminal.
fn terminal(fleet: &Fleet, id: JobId, rank: u32) -> Result<(Arc<Job>, TaskId), Refusal> {
    let job = find(fleet, id)?;
    rights::on_job(fleet.world(), &owner(), &job, Right::Type)?;
    let task = TaskId { job: id, attempt: job.attempt, rank };
    let refuse = |what: String, hint| Err(Refusal::new(RefusalCode::Conflict, what, hint));
    if !fleet.runs(task) || job.frozen {
        let hint = "`holdshort why` says what it waits for";
        return refuse(format!("job {id} does not run now"), hint);
    }
    if !job.spec.pty {
        return refuse(format!("job {id} has no terminal"), "submit with -t to give it one");
    }
    Ok((job, task))
}

fn list(fleet: &Fleet, query: &JobQuery) -> Result<JobPage, Refusal> {
    let limit = query.limit;
    if limit == 0 || limit > LIMIT_MAX {
        let what = format!("limit {limit} is not 1 to {LIMIT_MAX}");
        return Err(Refusal::new(RefusalCode::Usage, what, "ask for the next page instead"));
    }
    let filter = filter::parse(&query.filter)?;
    let JobQuery { ended, cursor, before, ref ids, .. } = *query;
    let query = Query { filter, ended, limit, cursor, before, ids: ids.clone() };
    let program = |job: &Job| fleet.program(job).cloned();
    let mut page = pages::jobs(fleet.world(), fleet.seq(), fleet.at(), &query, &|_| true, &program);
    if page.jobs.iter().any(|row| row.state == State::Queued) {
        pages::foresee(&mut page.jobs, &forecasts(fleet.world(), fleet.at(), FORECASTS));
    }
    Ok(page)
}

fn detail(fleet: &Fleet, id: JobId) -> Result<JobDetail, Refusal> {
    let job = find(fleet, id)?;
    let names = fleet.environment(&job).to_vec();
    let program = fleet.program(&job).cloned();
    let mut detail = pages::detail(fleet.world(), &job, fleet.at(), program, names);
    pages::foresee([&mut detail.row], &forecasts(fleet.world(), fleet.at(), FORECASTS));
    Ok(detail)
}

fn card(fleet: &Fleet, id: ReviewId) -> Result<ReviewCard, Refusal> {
    let review = reviews::find(fleet.world(), &owner(), id)?;
    Ok(reviews::card(fleet.world(), fleet.seq(), fleet.at(), &owner(), review))
}

/// Does something with reviews; the one it was about as it stands then.
fn review_command(fleet: &mut Fleet, command: ReviewCommand) -> Result<ReviewCard, Refusal> {
    let about = fleet.review_command(command)?;
    let gone = || Refusal::new(RefusalCode::NotFound, "there is no such review", "");
    card(fleet, about.ok_or_else(gone)?)
}

/// What is typed answers a question once its line is finished.
fn type_in(fleet: &mut Fleet, id: JobId, rank: u32, bytes: &Bytes) -> Result<(), Refusal> {
    let (job, task) = terminal(fleet, id, rank)?;
    let taken = bytes.get(..bytes.len().min(INPUT_MAX)).unwrap_or_default();
    let finished = fleet.type_in(task, &String::from_utf8_lossy(taken));
    if !finished || job.prompt.as_ref().is_none_or(|prompt| prompt.rank != rank) {
        return Ok(());
    }
    let act = Act { jobs: vec![id], verb: Verb::Answered, by: owner(), key: None };
    fleet.command(Command::Act(act)).map(drop)
}

impl Link for Demo {
    fn jobs(&self, query: JobQuery) -> Answer<'_, JobPage> {
        self.answer(move |fleet| list(fleet, &query))
    }

    fn job(&self, job: JobId) -> Answer<'_, JobDetail> {
        self.answer(move |fleet| detail(fleet, job))
    }

    fn why(&self, job: JobId) -> Answer<'_, Why> {
        self.answer(move |fleet| {
            let known = find(fleet, job)?;
            let why = explain::why(fleet.world(), job, fleet.at());
            let mut why = why.unwrap_or_else(|| explain::ended(&known));
            let forecasts = forecasts(fleet.world(), fleet.at(), FORECASTS);
            why.expected_start = forecasts.get(&job).copied();
            Ok(why)
        })
    }

    fn plan(&self, what: Supposition) -> Answer<'_, Outlook> {
        self.answer(move |fleet| suppose(fleet.world(), &owner(), &what, fleet.at()))
    }

    fn summary(&self) -> Answer<'_, Summary> {
        self.answer(|fleet| {
            let summary = pages::summary(fleet.world(), fleet.seq(), fleet.at());
            Ok(Summary { kept_day: Some(fleet.kept_day()), ..summary })
        })
    }

    fn history(&self) -> Answer<'_, History> {
        self.answer(|fleet| Ok(fleet.history()))
    }

    fn usage(&self, query: UsageQuery) -> Answer<'_, UsagePage> {
        self.answer(move |fleet| Ok(fleet.usage(query)))
    }

    fn submit(&self, jobs: Vec<Submission>) -> Answer<'_, Vec<JobId>> {
        self.answer(move |fleet| fleet.submit(&jobs, owner()))
    }

    fn again(&self, job: JobId, changes: Submission) -> Answer<'_, JobId> {
        self.answer(move |fleet| fleet.again(job, &changes, owner()))
    }

    fn act(&self, jobs: Vec<JobId>, verb: Verb) -> Answer<'_, ()> {
        self.command(Command::Act(Act { jobs, verb, by: owner(), key: None }))
    }

    fn pause(&self, team: Option<Name>, until: Option<Wall>, reason: String) -> Answer<'_, ()> {
        self.command(Command::Pause { team, until, reason, by: owner() })
    }

    fn resume(&self, team: Option<Name>) -> Answer<'_, ()> {
        self.command(Command::Resume { team, by: owner() })
    }

    fn drain(&self, node: Name, on: bool, reason: Option<String>) -> Answer<'_, ()> {
        self.command(Command::Drain { node, on, reason, by: owner() })
    }

    fn warn_node(&self, node: Name, left: Span) -> Answer<'_, ()> {
        self.command(Command::WarnNode { node, left, by: owner() })
    }

    fn limit(&self, resource: Name, until: Option<Wall>, reason: Option<String>) -> Answer<'_, ()> {
        self.command(Command::Limit { resource, until, reason, by: owner() })
    }

    fn teams(&self) -> Answer<'_, TeamPage> {
        self.answer(|fleet| Ok(teams::page(fleet.world(), fleet.seq(), fleet.at(), &|_| true)))
    }

    fn edit_team(&self, team: Name, edit: TeamEdit) -> Answer<'_, ()> {
        self.answer(move |fleet| {
            let change = teams::change(edit);
            fleet.command(Command::Team { team, change, key: None, by: owner() }).map(drop)
        })
    }

    fn reviews(&self, query: ReviewQuery) -> Answer<'_, ReviewPage> {
        self.answer(move |fleet| {
            Ok(reviews::page(fleet.world(), fleet.seq(), fleet.at(), &owner(), &query))
        })
    }

    fn review(&self, review: ReviewId, _wait: Option<Span>) -> Answer<'_, ReviewCard> {
        self.answer(move |fleet| card(fleet, review))
    }

    fn ask(&self, job: Option<JobId>, ask: Ask) -> Answer<'_, ReviewCard> {
        self.answer(move |fleet| {
            let Some(job) = job else {
                let what = "it is not said which job asks";
                return Err(Refusal::new(RefusalCode::Usage, what, "name the job"));
            };
            let command = ReviewCommand::Ask { job, ask: Box::new(ask), by: owner() };
            review_command(fleet, command)
        })
    }

    fn review_act(&self, review: ReviewId, verb: ReviewVerb) -> Answer<'_, ReviewCard> {
        let act = ReviewAct { review, verb, by: owner(), key: None };
        self.answer(move |fleet| review_command(fleet, ReviewCommand::Act(act)))
    }

    fn away(&self, from: Option<Name>, to: Option<Name>, until: Option<Wall>) -> Answer<'_, ()> {
        let by = owner();
        let from = from.unwrap_or_else(|| by.user.clone());
        self.command(Command::Review(Box::new(ReviewCommand::Away { from, to, until, by })))
    }

    fn report(&self, job: JobId, report: Report) -> Answer<'_, ()> {
        self.command(Command::Report { job, report, by: owner() })
    }

    fn logs(&self, job: JobId, query: LogQuery) -> Answer<'_, Stream<Piece>> {
        let feed = LogFeed::new(self.pulse.clone(), job, query);
        self.answer(move |fleet| find(fleet, job).map(|_| feed.stream()))
    }

    fn events(&self, since: Option<u64>, follow: bool) -> Answer<'_, Stream<EventRow>> {
        let feed = EventFeed::new(self.pulse.clone(), since, follow);
        self.answer(move |_| Ok(feed.stream()))
    }

    fn events_of(
        &self,
        job: JobId,
        since: Option<u64>,
        follow: bool,
    ) -> Answer<'_, Stream<EventRow>> {
        let feed = EventFeed::new(self.pulse.clone(), since, follow);
        self.answer(move |fleet| {
            find(fleet, job)?;
            let about = move |row: &Result<EventRow, LinkError>| {
                std::future::ready(row.as_ref().is_ok_and(|row| row.fact.job() == Some(job)))
            };
            Ok(feed.stream().filter(about).boxed())
        })
    }

    fn input(&self, job: JobId, rank: u32, bytes: Bytes) -> Answer<'_, ()> {
        self.answer(move |fleet| type_in(fleet, job, rank, &bytes))
    }

    fn resize(&self, job: JobId, rank: u32, _rows: u16, _cols: u16) -> Answer<'_, ()> {
        self.answer(move |fleet| terminal(fleet, job, rank).map(drop))
    }

    fn looked(&self, mark: Option<Wall>) -> Answer<'_, Wall> {
        self.answer(move |fleet| {
            let before = fleet.world().looked(site::OWNER);
            if let Some(mark) = mark {
                fleet.command(Command::Looked { mark, by: owner() })?;
            }
            Ok(before)
        })
    }

    fn status(&self) -> Answer<'_, ServerStatus> {
        let note = self.pulse.note();
        self.answer(|fleet| {
            let since = fleet.at().wall.0.saturating_sub_unsigned(fleet.elapsed().0);
            Ok(ServerStatus {
                pid: NO_PID,
                version: env!("CARGO_PKG_VERSION").into(),
                data_dir: "nowhere".into(),
                socket: "none".into(),
                since: Wall(since),
                counts: fleet.world().index().counts(),
                mechanism: "simulated".into(),
                notes: vec![note],
                seq: fleet.seq(),
            })
        })
    }

    fn stop(&self, _with_jobs: bool) -> Answer<'_, ()> {
        async move { self.pulse.stop() }.boxed()
    }

    fn compact(&self) -> Answer<'_, u64> {
        self.answer(|fleet| Ok(fleet.forget_records()))
    }
}

#[cfg(test)]
#[path = "demo/tests.rs"]
mod tests;
