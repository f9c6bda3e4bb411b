//! The made-up runner: carries out effects, moves processes along and reports what they do.

use std::sync::Arc;

use crate::base::{JobId, Span, TaskId};
use crate::model::command::{Act, Report, TaskEvent, Verb};
use crate::model::job::{Exit, Job, StopFor};
use crate::model::node::Traits;
use crate::model::{Actor, Command, Effect};
use crate::sim::conduct::Conduct;
use crate::sim::dice::Dice;
use crate::sim::fleet::{Due, Fleet};
use crate::sim::process::{Line, Process, Read, Step};
use crate::sim::site;

/// Between the order to start and the process.
const START: (u64, u64) = (200, 2500);
/// Between TERM and the end of a program that hears it.
const GOING: (u64, u64) = (300, 4000);
/// The first process id.
const PIDS: u64 = 20_000;

impl Fleet {
    pub(super) fn carry_out(&mut self, effect: &Effect) {
        let now = self.at.now;
        match *effect {
            Effect::Start { task } => self.start(task),
            Effect::Stop { task, why, grace } => self.stop(task, why, grace),
            Effect::Freeze { task } => self.with(task, |process| process.freeze(now)),
            Effect::Thaw { task } => self.thaw(task),
            Effect::Forget { task } => {
                self.signals.forget(task);
            }
            // The core's own timer ends what has run too long; output goes with the job.
            Effect::Limit { .. } | Effect::Archive { .. } | Effect::Pool { .. } => {}
        }
    }

    pub(super) fn with(&mut self, task: TaskId, change: impl FnOnce(&mut Process)) {
        if let Some(process) = self.processes.get_mut(&task) {
            change(process);
        }
    }

    fn chance(&self, task: TaskId, purpose: u64) -> Dice {
        let (attempt, rank) = (u64::from(task.attempt), u64::from(task.rank));
        Dice::of(self.seed, &[task.job.0, attempt, rank, purpose])
    }

    fn start(&mut self, task: TaskId) {
        if self.processes.contains_key(&task) {
            return;
        }
        let Some(job) = self.world.job(task.job).cloned() else { return };
        let conduct = self.conduct(&job);
        let from = self.saved.get(&task.job).copied().filter(|_| job.resume);
        let from = from.unwrap_or(Span::ZERO);
        let process = Process::new(task, job.spec.name.clone(), conduct, self.seed, from);
        self.processes.insert(task, process);
        let delay = Span(self.chance(task, 1).between(START.0, START.1));
        self.agenda.put(self.at.now + delay, Due::Began(task));
    }

    fn conduct(&mut self, job: &Job) -> Arc<Conduct> {
        if let Some(known) = self.conducts.get(&job.id) {
            return known.clone();
        }
        let argv = self.program(job).map(|program| program.argv.clone()).unwrap_or_default();
        let mut dice = Dice::of(self.seed, &[job.id.0]);
        let conduct = Arc::new(Conduct::guess(&argv, job.spec.estimate, &mut dice));
        self.conducts.insert(job.id, conduct.clone());
        conduct
    }

    fn stop(&mut self, task: TaskId, why: StopFor, grace: Span) {
        let Some(process) = self.processes.get(&task).filter(|p| !p.leaving && p.over.is_none())
        else {
            return;
        };
        let parks = process.conduct.saves.is_some();
        let deaf = process.conduct.deaf;
        let going = Span(self.chance(task, 2).between(GOING.0, GOING.1));
        let (after, exit) = match why {
            _ if deaf || going > grace => (grace, Exit::Signal(9)),
            StopFor::Pause | StopFor::Requeue | StopFor::Spot | StopFor::Timeout if parks => {
                (going, Exit::Code(75))
            }
            _ => (going, Exit::Signal(15)),
        };
        let now = self.at.now;
        self.with(task, |process| process.leave(now));
        self.agenda.put(now + after, Due::Gone(task, exit));
    }

    fn thaw(&mut self, task: TaskId) {
        let at = self.at;
        let question = self.processes.get_mut(&task).and_then(|process| process.thaw(at));
        if let Some(text) = question {
            self.tell(task, TaskEvent::AtPrompt { text });
        }
        self.plan(task);
    }

    fn tell(&mut self, task: TaskId, event: TaskEvent) {
        self.say(Command::Task { task, event });
    }

    /// Notes when a process does its next step.
    pub(super) fn plan(&mut self, task: TaskId) {
        let next = self.processes.get(&task).and_then(|p| Some((p.next()?, p.turn)));
        if let Some(((due, step), turn)) = next {
            self.agenda.put(due.max(self.at.now), Due::Step(task, turn, step));
        }
    }

    pub(super) fn began(&mut self, task: TaskId) {
        let at = self.at;
        let Some(process) = self.processes.get_mut(&task) else { return };
        if process.leaving || process.over.is_some() {
            return;
        }
        if let Exit::NotStarted(why) = process.exit.clone() {
            return self.gone(task, Exit::NotStarted(why));
        }
        if self.gpu_taken(task) {
            return;
        }
        let Some(process) = self.processes.get_mut(&task) else { return };
        process.began = true;
        process.go_on(at);
        let pid = PIDS + self.chance(task, 3).below(40_000);
        self.tell(task, TaskEvent::Started { pid: u32::try_from(pid).unwrap_or(1) });
        self.plan(task);
        self.use_rights(task.job);
    }

    /// Whether somebody else was faster at the task's GPU. Later that one is gone again, and the
    /// machine says so.
    fn gpu_taken(&mut self, task: TaskId) -> bool {
        let Some(job) = self.world.job(task.job) else { return false };
        let rank = usize::try_from(task.rank).unwrap_or(usize::MAX);
        let placed = job.tasks.get(rank).and_then(|task| task.placement.clone());
        let Some(placement) = placed else { return false };
        let Some(share) = placement.gpus.first() else { return false };
        let Some(node) = self.world.node(&placement.node).cloned() else { return false };
        let Some(by) = self.intruder.take() else { return false };
        self.processes.remove(&task);
        self.tell(task, TaskEvent::GpuTaken { index: share.index, by });
        let (name, capacity, gpus) = (node.name.clone(), node.capacity.clone(), node.gpus.clone());
        let free = Command::NodeSeen { name, capacity, gpus, traits: Traits::default() };
        self.agenda.put(self.at.now + Span::mins(10), Due::Say(Box::new(free)));
        true
    }

    pub(super) fn gone(&mut self, task: TaskId, exit: Exit) {
        let now = self.at.now;
        let Some(process) = self.processes.get_mut(&task).filter(|p| p.over.is_none()) else {
            return;
        };
        process.end(now, exit.clone());
        if task.rank == 0 {
            self.saved.insert(task.job, process.saved());
        }
        self.tell(task, TaskEvent::Ended { exit });
    }

    pub(super) fn step(&mut self, task: TaskId, turn: u64, step: Step) {
        let now = self.at.now;
        let Some(process) = self.processes.get_mut(&task).filter(|p| p.turn == turn) else {
            return;
        };
        process.done(step, now);
        let (asks, exit) = (process.question().cloned(), process.exit.clone());
        let basis_points = Some(process.basis_points(now));
        match step {
            Step::End => return self.gone(task, exit),
            Step::Ask => {
                let turn = process.turn;
                let Some(ask) = asks else { return };
                let patience = ask.patience.map(|span| self.chance(task, 4).about(span, 30));
                if let Some(patience) = patience {
                    self.agenda.put(now + patience, Due::Answer(task, turn));
                }
                self.tell(task, TaskEvent::AtPrompt { text: ask.text });
            }
            Step::Report => {
                self.report(task.job, Report::Progress { basis_points, text: None });
                self.report_usage(task);
            }
            Step::Save => {
                let path = Some(format!("/srv/checkpoints/{}/latest", task.job));
                self.report(task.job, Report::Checkpoint { path, basis_points });
            }
        }
        self.plan(task);
    }

    /// The machine sleeps, or is off and loses every process; what was due meanwhile happens
    /// when it is back.
    pub(in crate::sim) fn outage(&mut self, span: Span, off: bool) {
        let from = self.at.now;
        for process in self.processes.values_mut().filter(|p| p.over.is_none()) {
            match off {
                true => process.end(from, Exit::Unknown),
                false => process.stand(from),
            }
            if off && process.task.rank == 0 {
                self.saved.insert(process.task.job, process.saved());
            }
        }
        self.set_time(from + span);
        self.say(Command::Down { from, to: self.at.now, off });
        if off {
            let boot = format!("simulated after record {}", self.seq);
            self.say(Command::Started { boot, offset: 0 });
            return;
        }
        let at = self.at;
        let awake: Vec<TaskId> = self.processes.keys().copied().collect();
        for task in awake {
            self.with(task, |process| process.go_on(at));
            self.plan(task);
        }
    }

    fn report(&mut self, job: JobId, report: Report) {
        let Some(known) = self.world.job(job) else { return };
        let (user, uid) = (known.owner.clone(), known.owner_uid);
        let by = Actor { user, uid, in_job: Some(job), job_by: None };
        self.say(Command::Report { job, report, by });
    }

    /// Agents and whatever else holds an API say what they used.
    fn report_usage(&mut self, task: TaskId) {
        let calls = |job: &Arc<Job>| job.spec.request.custom.keys().any(|k| k.starts_with("api:"));
        if !self.world.job(task.job).is_some_and(calls) {
            return;
        }
        let work = self.processes.get(&task).map_or(0, |p| p.work_at(self.at.now).0);
        let mut dice = self.chance(task, work);
        let amounts = [
            ("calls".into(), dice.between(3, 20)),
            ("tokens_in".into(), dice.between(8_000, 90_000)),
            ("tokens_out".into(), dice.between(500, 6_000)),
        ];
        self.report(task.job, Report::Usage { amounts: amounts.into(), key: None });
    }

    /// The question of a job is over: its process goes on.
    pub(super) fn answered(&mut self, job: JobId) {
        let at = self.at;
        let asks = |p: &Process| p.question().is_some();
        let tasks: Vec<TaskId> = self.of_job(job).filter(|p| asks(p)).map(|p| p.task).collect();
        for task in tasks {
            self.with(task, |process| process.answered(at));
            self.plan(task);
        }
    }

    pub(super) fn of_job(&self, job: JobId) -> impl Iterator<Item = &Process> {
        let from = TaskId { job, attempt: 0, rank: 0 };
        let to = TaskId { job, attempt: u32::MAX, rank: u32::MAX };
        self.processes.range(from..=to).map(|(_, process)| process)
    }

    pub(super) fn colleague_answers(&mut self, task: TaskId, turn: u64) {
        let same = |process: &&Process| process.turn == turn && process.question().is_some();
        if self.processes.get(&task).filter(same).is_none() {
            return;
        }
        let text = if self.chance(task, 5).chance(700) { "y\n" } else { "n, leave it\n" };
        self.type_in(task, text);
        let (jobs, by) = (vec![task.job], site::person("carl"));
        self.say(Command::Act(Act { jobs, verb: Verb::Answered, by, key: None }));
    }

    /// Bytes for a terminal; whether a line is finished.
    pub(in crate::sim) fn type_in(&mut self, task: TaskId, text: &str) -> bool {
        let now = self.at.now;
        self.processes.get_mut(&task).is_some_and(|process| process.hear(now, text))
    }

    /// Output of a task since a reader last looked, and how far it is then.
    pub(in crate::sim) fn output(&self, task: TaskId, read: Read) -> (Vec<Line>, Read) {
        let process = self.processes.get(&task);
        process.map_or((Vec::new(), read), |process| process.output(read, self.at.now))
    }

    /// A task's process runs: it has begun and is not over.
    pub(in crate::sim) fn runs(&self, task: TaskId) -> bool {
        self.processes.get(&task).is_some_and(|process| process.began && process.over.is_none())
    }
}
