//! The engine as everything outside sees it.
//!
//! Commands go through the loop and come back durable; reads are made here, from the world the
//! loop published last, so that no reader ever holds the loop up.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{broadcast, oneshot};

use crate::base::{At, Digest, JobId, Name, ReviewId, TaskId, Wall};
use crate::config::NodeEntry;
use crate::engine::assemble::{Places, Published, Shared};
use crate::engine::day::Day;
use crate::engine::foresight::Foresight;
use crate::engine::intake::{Door, Request, closed};
use crate::engine::output::Output;
use crate::engine::reads::Programs;
use crate::engine::tokens::Tokens;
use crate::model::access::Right;
use crate::model::command::{Act, Command, Verb};
use crate::model::fact::Record;
use crate::model::job::Hold;
use crate::model::ports::runner::TrafficError;
use crate::model::ports::{Clock, Environments, Runner};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::Setup;
use crate::model::{Actor, Job};
use crate::sched::rights;

/// How long a terminal that takes nothing is tried again.
const TYPE_PATIENCE: Duration = Duration::from_secs(2);
/// Between two tries.
const TYPE_PAUSE: Duration = Duration::from_millis(20);

/// The engine as everything outside sees it. Cheap to clone.
#[derive(Clone)]
pub struct Handle {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) installation: Digest,
    pub(super) door: Door,
    pub(super) shared: Arc<Shared>,
    pub(super) runner: Arc<dyn Runner>,
    pub(super) environments: Arc<dyn Environments>,
    pub(super) stored: Mutex<Programs>,
    pub(super) foresight: Foresight,
    pub(super) day: Mutex<Day>,
    pub(super) places: Places,
    pub(super) output: Output,
    pub(super) tokens: Tokens,
    pub(super) since: Wall,
    pub(super) clock: Arc<dyn Clock>,
}

/// What a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The record that holds it, or the last one if it changed nothing.
    pub seq: u64,
    /// The jobs it made, for a submission.
    pub jobs: Vec<JobId>,
    /// The review it was about, for a command about reviews.
    pub review: Option<ReviewId>,
}

/// Files with a job's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFiles {
    /// In reading order.
    pub files: Vec<PathBuf>,
    /// The task whose output goes on, if the job's newest attempt runs.
    pub live: Option<TaskId>,
}

/// A number for `/metrics`.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// `holdshort_…`, base units.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// It only grows.
    pub counter: bool,
    /// Label pairs, few values each.
    pub labels: Vec<(&'static str, String)>,
    /// The value.
    pub value: f64,
}

impl Handle {
    pub(super) fn published(&self) -> Published {
        self.inner.shared.published()
    }

    /// What time it is now.
    pub fn at(&self) -> At {
        self.published().timeline.at(self.inner.clock.read()).0
    }

    pub(super) fn mechanism(&self) -> String {
        self.inner.runner.mechanism()
    }

    /// Decides a command and waits until it is durable. Submissions go through
    /// [`Handle::submit`].
    ///
    /// # Errors
    /// The refusal of the core; `shutting_down` when the loop has ended.
    pub async fn command(&self, command: Command) -> Result<Receipt, Refusal> {
        self.send(command, Vec::new()).await
    }

    /// Takes over configuration that was read anew, nodes included. Devices are looked for only
    /// when the server starts.
    ///
    /// # Errors
    /// `shutting_down` when the loop has ended.
    pub async fn configure(&self, setup: Setup, nodes: Vec<NodeEntry>) -> Result<Receipt, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.inner.door.put(Request::Configure { setup: Box::new(setup), nodes, reply })?;
        answer.await.map_err(|_| closed())?
    }

    pub(super) async fn send(
        &self,
        command: Command,
        contents: Vec<(Digest, Vec<u8>)>,
    ) -> Result<Receipt, Refusal> {
        let (reply, answer) = oneshot::channel();
        let command = Box::new(command);
        self.inner.door.put(Request::Decide { command, contents, reply })?;
        answer.await.map_err(|_| closed())?
    }

    /// Durable records as they come. A receiver that lags gets `Lagged` and reads the gap with
    /// [`Handle::records`].
    pub fn follow(&self) -> broadcast::Receiver<Arc<Record>> {
        self.inner.shared.follow.subscribe()
    }

    /// Bytes for a terminal. A question at its prompt is answered by them.
    ///
    /// # Errors
    /// When the caller may not type there, or the task has no terminal or takes no more.
    pub async fn input(
        &self,
        by: Actor,
        job: JobId,
        rank: u32,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        let (task, asks) = self.terminal(&by, job, rank)?;
        let woken = self.wake(&by, job).await?;
        let typed = self.type_in(task, bytes).await;
        typed.map_err(|error| if woken { goes_on(job, &error) } else { traffic(job, &error) })?;
        lock(&self.inner.shared.typed).insert(task);
        if asks {
            let act = Act { jobs: vec![job], verb: Verb::Answered, by, key: None };
            // The answer is in; a job that ended meanwhile has no question to close.
            let _ = self.command(Command::Act(act)).await;
        }
        Ok(())
    }

    /// Types, with a little patience: a server that has just started may still be connecting to
    /// the supervisor, and a program may just be busy.
    async fn type_in(&self, task: TaskId, bytes: &[u8]) -> Result<(), TrafficError> {
        let until = tokio::time::Instant::now() + TYPE_PATIENCE;
        loop {
            match self.inner.runner.input(task, bytes) {
                Err(TrafficError::Busy) if tokio::time::Instant::now() < until => {
                    tokio::time::sleep(TYPE_PAUSE).await;
                }
                other => return other,
            }
        }
    }

    /// A new size of a terminal.
    ///
    /// # Errors
    /// As [`Handle::input`].
    pub async fn resize(
        &self,
        by: &Actor,
        job: JobId,
        rank: u32,
        rows: u16,
        cols: u16,
    ) -> Result<(), Refusal> {
        let (task, _) = self.terminal(by, job, rank)?;
        self.wake(by, job).await?;
        self.inner.runner.resize(task, rows, cols).map_err(|error| traffic(job, &error))?;
        lock(&self.inner.shared.typed).insert(task);
        Ok(())
    }

    /// Whoever comes back to a job that was put away for being idle lets it go on; whether it
    /// was.
    async fn wake(&self, by: &Actor, id: JobId) -> Result<bool, Refusal> {
        let idle = |job: &Arc<Job>| job.hold.as_ref().is_some_and(Hold::is_for_idleness);
        if !self.published().world.job(id).is_some_and(idle) {
            return Ok(false);
        }
        let act = Act { jobs: vec![id], verb: Verb::Resume, by: by.clone(), key: None };
        self.command(Command::Act(act)).await.map(|_| true)
    }

    /// The task behind a terminal, and whether a question stands there.
    fn terminal(&self, by: &Actor, id: JobId, rank: u32) -> Result<(TaskId, bool), Refusal> {
        let published = self.published();
        let job = published.world.job(id).ok_or_else(|| no_such_job(id))?;
        rights::on_job(&published.world, by, job, Right::Type)?;
        let asks = job.prompt.as_ref().is_some_and(|prompt| prompt.rank == rank);
        Ok((TaskId { job: id, attempt: job.attempt, rank }, asks))
    }

    /// The job in whose process tree `pid` lives, if any.
    pub fn job_of_process(&self, pid: u32) -> Option<JobId> {
        self.inner.runner.task_of(pid).map(|task| task.job)
    }

    /// The job a token of ours was given to; `None` if it is forged or its attempt is over.
    pub fn job_of_token(&self, token: &str) -> Option<JobId> {
        let (id, attempt) = self.inner.tokens.check(token)?;
        let published = self.published();
        let job: &Job = published.world.job(id)?;
        (job.attempt == attempt && job.active_tasks().next().is_some()).then_some(id)
    }

    /// OpenSSH's file of who may sign votes with which key; it may not be there.
    pub fn allowed_signers(&self) -> &Path {
        &self.inner.places.allowed_signers
    }

    /// What names the installation in signed votes: where its audit begins.
    pub fn installation(&self) -> Digest {
        self.inner.installation
    }

    /// Name shown for a uid: from `[[user]]`, else the system's name, else the number.
    pub fn user_of(&self, uid: u32) -> Name {
        let published = self.published();
        let users = &published.world.setup().users;
        if let Some(user) = users.iter().find(|user| user.uid == Some(uid)) {
            return user.name.clone();
        }
        let known = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(uid));
        match known {
            Ok(Some(user)) => user.name.into(),
            _ => uid.to_string().into(),
        }
    }

    /// When the caller last looked at what ended; `Some` moves the mark forward, durably.
    ///
    /// # Errors
    /// When the server is shutting down.
    pub async fn looked(&self, by: &Actor, mark: Option<Wall>) -> Result<Wall, Refusal> {
        let before = self.published().world.looked(&by.user);
        if let Some(mark) = mark {
            self.command(Command::Looked { mark, by: by.clone() }).await?;
        }
        Ok(before)
    }

    /// Drops journal records that a fresh snapshot covers; how many.
    ///
    /// # Errors
    /// When the caller is no admin, or storage fails.
    pub async fn compact(&self, by: &Actor) -> Result<u64, Refusal> {
        rights::on_team(&self.published().world, by, "", Right::Administer)?;
        let (reply, answer) = oneshot::channel();
        self.inner.door.put(Request::Compact { reply })?;
        answer.await.map_err(|_| closed())?
    }

    /// Ends the server: after cancelling every job, or leaving them to their supervisors, to be
    /// found by the next server.
    ///
    /// # Errors
    /// When the caller is no admin.
    pub async fn stop(&self, by: &Actor, with_jobs: bool) -> Result<(), Refusal> {
        rights::on_team(&self.published().world, by, "", Right::Administer)?;
        if with_jobs {
            self.cancel_all(by).await?;
        }
        self.shut_down().await;
        Ok(())
    }

    /// Ends the loop after what is in it; for signals.
    pub async fn shut_down(&self) {
        let (reply, done) = oneshot::channel();
        if self.inner.door.put(Request::Stop { reply }).is_ok() {
            let _ = done.await;
        }
    }

    async fn cancel_all(&self, by: &Actor) -> Result<(), Refusal> {
        let mut news = self.follow();
        let live = |handle: &Handle| -> Vec<JobId> {
            let world = handle.published().world;
            world.jobs().filter(|job| job.is_live()).map(|job| job.id).collect()
        };
        loop {
            let jobs = live(self);
            if jobs.is_empty() {
                return Ok(());
            }
            let reason = Some("the server was stopped with its jobs".into());
            let act = Act { jobs, verb: Verb::Cancel { reason }, by: by.clone(), key: None };
            match self.command(Command::Act(act)).await {
                Ok(_) => break,
                // One of them ended meanwhile: all or none were cancelled, so none was.
                Err(refusal) if refusal.code == RefusalCode::Conflict => {}
                Err(refusal) => return Err(refusal),
            }
        }
        while !live(self).is_empty() {
            if let Err(broadcast::error::RecvError::Closed) = news.recv().await {
                break;
            }
        }
        Ok(())
    }

    /// Waits until the loop has taken up what earlier servers left: before that a process in a
    /// job's tree could not be told from others.
    pub async fn awake(&self) {
        let mut awake = self.inner.shared.awake.subscribe();
        // The sender lives as long as this handle.
        let _ = awake.wait_for(|awake| *awake).await;
    }

    /// Nothing is queued, running or waiting.
    pub fn is_idle(&self) -> bool {
        let counts = self.published().world.index().counts();
        counts.human + counts.running + counts.queued == 0
    }
}

pub(super) fn no_such_job(id: JobId) -> Refusal {
    let what = format!("there is no job {id}");
    Refusal::new(RefusalCode::NotFound, what, "`holdshort ls` lists the jobs")
}

/// Typed to a job that goes on only now.
fn goes_on(job: JobId, error: &TrafficError) -> Refusal {
    if *error != TrafficError::NotRunning {
        return traffic(job, error);
    }
    let what = format!("job {job} was parked while nobody used it, and is queued again now");
    Refusal::new(RefusalCode::Conflict, what, "type again once it runs")
}

fn traffic(job: JobId, error: &TrafficError) -> Refusal {
    match error {
        TrafficError::NotRunning => Refusal::new(
            RefusalCode::Conflict,
            format!("job {job} does not run now"),
            "`holdshort why` says what it waits for",
        ),
        TrafficError::NoTerminal => Refusal::new(
            RefusalCode::Conflict,
            format!("job {job} has no terminal"),
            "submit with -t to give it one",
        ),
        TrafficError::Busy => Refusal::new(
            RefusalCode::TooMany,
            format!("job {job} does not read its terminal and the buffer is full"),
            "wait until it reads",
        ),
        TrafficError::Failed(why) => Refusal::new(RefusalCode::Internal, why.clone(), ""),
    }
}

/// A lock whose holder can't have left things half done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
