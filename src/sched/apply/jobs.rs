//! Facts about one job.

use std::sync::Arc;

use crate::base::{At, JobId, Mono, Span};
use crate::model::JobSpec;
use crate::model::fact::Fact;
use crate::model::job::attempt::KEPT;
use crate::model::job::state::EXIT_PARKED;
use crate::model::job::{AttemptRecord, BoostCause, Exit, Job, State, StopFor, Task, TaskState};
use crate::sched::future::estimate;
use crate::sched::gangs;
use crate::sched::world::World;

impl World {
    /// Makes a fact about a job so.
    pub(super) fn apply_to_job(&mut self, at: At, fact: &Fact) {
        let active = self.active(at.now);
        match fact {
            Fact::JobSubmitted { job, spec, owner, uid } => {
                self.next_job = self.next_job.max(job.0 + 1);
                let spec = self.shared_spec(*job, spec);
                self.put_job(new_job(*job, spec, owner.clone(), *uid, at));
            }
            Fact::JobForgotten { job } => {
                self.drop_job(*job);
                self.desk.forget(*job);
            }
            Fact::JobBoosted { job, cause, steps } => {
                if *cause == BoostCause::Ageing && *steps > 0 {
                    self.aged = (at.now, self.aged_now(at.now).saturating_add(1));
                }
                self.change_job(*job, |job| job.boosts.set(*cause, *steps));
            }
            Fact::AttemptBegan { job: id, .. } => {
                if let Some(job) = self.jobs.get(id) {
                    self.hits.note(job, at.now);
                }
                self.change_job(*id, |job| change(job, fact, at, active));
            }
            Fact::AttemptEnded { job, stopped_for, exit } => {
                self.learn(*job, *stopped_for, exit.as_ref(), at);
                self.change_job(*job, |job| change(job, fact, at, active));
            }
            Fact::JobMovedUp { job, front, .. } => {
                self.next_front = self.next_front.max(front.rank + 1);
                self.change_job(*job, |job| job.front = Some(*front));
            }
            other => {
                let Some(id) = other.job() else { return };
                self.change_job(id, |job| change(job, other, at, active));
            }
        }
    }

    /// A batch asks for the same again and again: a job shares what it asks for with the one
    /// before it if that is equal.
    fn shared_spec(&self, job: JobId, spec: &JobSpec) -> Arc<JobSpec> {
        let before = self.jobs.get(&JobId(job.0.saturating_sub(1))).map(|job| &job.spec);
        let equal = before.filter(|before| ***before == *spec);
        equal.map_or_else(|| Arc::new(spec.clone()), Arc::clone)
    }

    /// What a run that is over says of others. It may have been over for a while.
    fn learn(&mut self, id: JobId, why: Option<StopFor>, exit: Option<&Exit>, at: At) {
        let Some(job) = self.jobs.get(&id) else { return };
        let last = job.tasks.iter().filter_map(|task| task.ended).max().unwrap_or(at);
        let ended = self.active(last.now.min(at.now));
        if let Some(sample) = estimate::sample(job, why, exit, ended) {
            let changed = self.history.note(&job.spec, sample, at.now);
            self.expect_anew(self.ends.alike(&changed));
        }
    }

    fn change_job(&mut self, id: JobId, change: impl FnOnce(&mut Job)) {
        if let Some(job) = self.jobs.get(&id) {
            let mut job = Job::clone(job);
            change(&mut job);
            forget_promises(&mut job);
            // Room is kept only for what waits for some, or will once people have answered.
            let waits = matches!(job.state, State::Queued | State::InReview);
            job.reserved = job.reserved.filter(|_| waits);
            let short = gangs::is_short(&job);
            job.short_since = short.then(|| job.short_since.unwrap_or(self.at));
            self.put_job(job);
        }
    }
}

/// The tasks of a new attempt.
pub(super) fn new_tasks(spec: &JobSpec) -> Vec<Task> {
    (0..).zip(spec.groups_by_rank()).map(|(rank, group)| Task::pending(rank, group)).collect()
}

/// Room is promised to jobs that want some: one that does not any more has none.
fn forget_promises(job: &mut Job) {
    if matches!(job.state, State::Queued | State::Starting | State::Running) {
        return;
    }
    for task in job.tasks.iter_mut().filter(|task| task.state == TaskState::Nominated) {
        *task = Task::pending(task.rank, task.group);
    }
    let waits =
        matches!(job.state, State::Waiting(_) | State::Paused | State::InReview | State::Ended(_));
    if waits && job.tasks.iter().all(|task| task.state == TaskState::Pending) {
        job.tasks.clear();
    }
}

fn new_job(
    id: JobId,
    spec: Arc<JobSpec>,
    owner: crate::base::Name,
    owner_uid: Option<u32>,
    at: At,
) -> Job {
    Job {
        id,
        spec,
        owner,
        owner_uid,
        submitted: at,
        state: State::Queued,
        since: at,
        attempt: 0,
        front: None,
        boosts: Default::default(),
        latest_start: None,
        inherited: None,
        tasks: Vec::new(),
        ran: Span::ZERO,
        worked: Span::ZERO,
        ran_since: None,
        stop: None,
        started: None,
        ended: None,
        exit: None,
        attempts: Vec::new(),
        retries: 0,
        resume: false,
        evicted: None,
        reserved: None,
        short_since: None,
        hold: None,
        frozen: false,
        asking: Default::default(),
        prompt: None,
        progress: None,
        checkpoint: None,
        heartbeat: None,
        usage: Default::default(),
        findings: Default::default(),
        cancel: None,
        acked: None,
    }
}

/// Moves of a job's life; everything else is a mark on it or about one of its tasks.
fn change(job: &mut Job, fact: &Fact, at: At, active: Mono) {
    match fact {
        Fact::JobQueued { .. } => enter(job, State::Queued, at),
        Fact::JobWaits { cause, .. } => enter(job, State::Waiting(*cause), at),
        Fact::JobHeld { hold, .. } => job.hold = Some(hold.clone()),
        Fact::JobReleased { .. } => job.hold = None,
        Fact::JobPaused { .. } => enter(job, State::Paused, at),
        Fact::JobFrozen { .. } => {
            stop_clock(job, active);
            job.frozen = true;
            job.prompt = None;
        }
        Fact::JobThawed { .. } => thaw(job, at, active),
        Fact::AttemptBegan { attempt, resume, .. } => {
            job.attempt = *attempt;
            job.resume = *resume;
            job.tasks = new_tasks(&job.spec);
            job.started = Some(at);
            job.exit = None;
            if !resume {
                job.worked = Span::ZERO;
            }
            job.ran = Span::ZERO;
            job.ran_since = None;
            job.asking.returning = false;
            enter(job, State::Starting, at);
        }
        Fact::JobRunning { .. } => enter(job, State::Running, at),
        Fact::JobStopping { why, .. } => {
            job.stop = Some(*why);
            stop_clock(job, active);
            job.prompt = None;
            for task in job.tasks.iter_mut().filter(|task| task.state.is_active()) {
                task.state = TaskState::Stopping;
            }
            job.cancel = job.cancel.take().filter(|_| *why != StopFor::Cancel);
            enter(job, State::Stopping(*why), at);
        }
        Fact::AttemptEnded { stopped_for, exit, .. } => {
            end_attempt(job, *stopped_for, exit.clone(), at, active);
        }
        Fact::RetryCounted { .. } => job.retries += 1,
        Fact::ServiceRestarts { short, .. } => job.retries = *short,
        Fact::JobEnded { outcome, .. } => {
            job.ended = Some(end_of_run(job).unwrap_or(at));
            job.hold = None;
            job.stop = None;
            job.cancel = None;
            job.asking.waits = false;
            job.asking.returning = false;
            job.findings.clear();
            // Whoever saw its trouble has not seen its end.
            job.acked = None;
            enter(job, State::Ended(*outcome), at);
        }
        Fact::JobChanged { spec, .. } => ask_for(job, spec),
        Fact::JobInReview { .. } | Fact::Review { .. } => {
            super::asking::change(job, fact, at, active);
        }
        other => super::marks::change(job, other, at, active),
    }
}

/// It goes on where it was, with the devices it lent.
fn thaw(job: &mut Job, at: At, active: Mono) {
    job.frozen = false;
    for task in &mut job.tasks {
        let lent = std::mem::take(&mut task.lent);
        if let Some(placement) = task.placement.as_mut().filter(|_| !lent.is_empty()) {
            placement.gpus = lent;
        }
    }
    job.asking.returning = false;
    let started = job.tasks.iter().any(|task| task.started.is_some());
    job.ran_since = started.then_some(active);
    let runs = gangs::has_its_minimum(job, |task| task.started.is_some());
    enter(job, if runs { State::Running } else { State::Starting }, at);
}

/// Something else is asked for now.
fn ask_for(job: &mut Job, spec: &JobSpec) {
    // Its place at the front was one in that team and at that priority.
    if spec.team != job.spec.team || spec.priority != job.spec.priority {
        job.front = None;
    }
    let scaled = spec.gang.size != job.spec.gang.size;
    job.spec = Arc::new(spec.clone());
    if scaled {
        super::tasks::resize(job);
    }
}

/// When the run ended that a job ends with: it may be over for long before somebody looks. None
/// for a job that ends without a run, such as one that is cancelled in the queue.
fn end_of_run(job: &Job) -> Option<At> {
    let run = job.attempts.last().filter(|run| run.attempt == job.attempt)?;
    let straight = match job.state {
        State::Stopping(StopFor::Cancel) => run.ended >= job.since,
        State::Starting | State::Running | State::Stopping(_) => true,
        _ => false,
    };
    straight.then_some(run.ended)
}

/// Enters a state; entering the one it is in keeps its date.
pub(super) fn enter(job: &mut Job, state: State, at: At) {
    if job.state != state {
        if matches!(state, State::Paused | State::InReview | State::Waiting(_)) {
            // It waits for something other than its turn.
            job.boosts.ageing = 0;
        }
        job.state = state;
        job.since = at;
    }
}

/// Time from now on does not count as run time.
pub(super) fn stop_clock(job: &mut Job, active: Mono) {
    job.ran = job.run_time(active);
    job.ran_since = None;
}

fn end_attempt(
    job: &mut Job,
    stopped_for: Option<StopFor>,
    exit: Option<Exit>,
    at: At,
    active: Mono,
) {
    let mut nodes: Vec<_> =
        job.tasks.iter().filter_map(|task| Some(task.placement.as_ref()?.node.clone())).collect();
    nodes.sort_unstable();
    nodes.dedup();
    if job.attempts.len() >= KEPT {
        job.attempts.remove(0);
    }
    let last = job.tasks.iter().filter_map(|task| task.ended).max();
    job.attempts.push(AttemptRecord {
        attempt: job.attempt,
        started: job.started.unwrap_or(at),
        ended: last.unwrap_or(at),
        nodes,
        stopped_for,
        exit: exit.clone(),
    });
    job.exit = exit;
    // What it comes back with is done; one that parks for people comes back too.
    let parks = job.exit == Some(Exit::Code(EXIT_PARKED)) && !job.asking.is_nothing();
    job.worked =
        if job.continues() || parks { job.worked + job.run_time(active) } else { Span::ZERO };
    job.ran = Span::ZERO;
    job.tasks.clear();
    // What brought it forward also kept it from those it had overtaken, while it ran.
    job.front = None;
    job.boosts.ageing = 0;
    job.boosts.deadline = 0;
    job.stop = None;
    job.frozen = false;
    job.ran_since = None;
    job.prompt = None;
    job.heartbeat = None;
    // All other findings are about the run that is over.
    job.findings.retain(|signal, _| signal.outlives_runs());
}
