//! A recorded workload through the real core: `decide` on a virtual clock, with processes that
//! start at once and end when the record says.
//!
//! Unlike the reference mode this is the scheduler as it is, cycle, reservations and all: events
//! of one instant are decided one by one, what frees room before what asks for it.

use std::collections::{BTreeMap, VecDeque};

use crate::base::{At, JobId, Mono, Span, TaskId, Wall};
use crate::model::command::{Submit, TaskEvent};
use crate::model::job::{Exit, JobSpec};
use crate::model::setup::Setup;
use crate::model::{Actor, Command, Fact};
use crate::sched::{World, decide};

/// One job of a record.
#[derive(Debug, Clone)]
pub struct Work {
    /// When it is submitted, from the beginning on.
    pub submit: Span,
    /// How long its processes run.
    pub run: Span,
    /// What it asks for.
    pub spec: JobSpec,
}

/// When a job ran; both from the beginning on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran {
    /// When its first attempt began.
    pub start: Span,
    /// When its last process was over.
    pub end: Span,
}

/// What happens, in the order in which it does at one instant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Ends(TaskId),
    Submits(usize),
}

/// Jobs on their way through the core.
pub struct Live {
    world: World,
    at: At,
    agenda: BTreeMap<(Mono, Event), ()>,
    /// Which work a job is.
    works: BTreeMap<JobId, usize>,
    /// Which work is being submitted.
    submitted: Option<usize>,
    ran: Vec<Option<Ran>>,
    /// Commands that were decided.
    pub decided: u64,
    /// Jobs that waited or ran at one time, at most.
    pub most_live: u64,
}

/// When it begins: neither clock likes zero.
const BEGIN: At = At { now: Mono(1_000_000), wall: Wall(1_800_000_000_000) };

impl Live {
    /// An installation; `nodes` say what there is.
    ///
    /// # Errors
    /// What the core refuses.
    pub fn new(setup: Setup, nodes: Vec<Command>) -> Result<Live, String> {
        let mut live = Live {
            world: World::new(),
            at: BEGIN,
            agenda: BTreeMap::new(),
            works: BTreeMap::new(),
            submitted: None,
            ran: Vec::new(),
            decided: 0,
            most_live: 0,
        };
        let started = Command::Started { boot: "simulated".into(), offset: 0 };
        for command in [started, Command::Configure(setup)].into_iter().chain(nodes) {
            live.decide(command, &[])?;
        }
        Ok(live)
    }

    /// The world now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Lets all work come and go; when each ran. `look` sees the world after each instant.
    ///
    /// # Errors
    /// What the core refuses, and work that never ran.
    pub fn run(
        &mut self,
        works: &[Work],
        mut look: impl FnMut(&World, At),
    ) -> Result<Vec<Ran>, String> {
        self.ran = vec![None; works.len()];
        for (index, work) in works.iter().enumerate() {
            self.agenda.insert((BEGIN.now + work.submit, Event::Submits(index)), ());
        }
        while let Some(due) = self.next() {
            self.at = At { now: due, wall: BEGIN.wall + due.since(BEGIN.now) };
            let mut idle = true;
            while let Some(((now, event), ())) = self.agenda.first_key_value() {
                if *now > due {
                    break;
                }
                let event = event.clone();
                self.agenda.pop_first();
                self.take(&event, works)?;
                idle = false;
            }
            if idle {
                self.decide(Command::Tick, works)?;
            }
            let counts = self.world.index().counts();
            self.most_live = self.most_live.max(counts.human + counts.running + counts.queued);
            look(&self.world, self.at);
        }
        let ran = self.ran.iter().enumerate();
        ran.map(|(index, ran)| ran.ok_or_else(|| format!("work {index} never ran"))).collect()
    }

    /// The next instant at which something happens; nothing once all is over.
    fn next(&self) -> Option<Mono> {
        let ((event, _), ()) = self.agenda.first_key_value()?;
        let due = self.world.next_due(self.at).0;
        Some(due.map_or(*event, |due| due.min(*event)))
    }

    fn take(&mut self, event: &Event, works: &[Work]) -> Result<(), String> {
        match event {
            Event::Submits(index) => {
                let jobs = vec![works[*index].spec.clone()];
                let by = Actor { user: "lab".into(), uid: Some(0), in_job: None, job_by: None };
                let submit = Submit { jobs, array: false, key: None, by, ended: Vec::new() };
                self.submitted = Some(*index);
                self.decide(Command::Submit(submit), works)
            }
            Event::Ends(task) => {
                let event = TaskEvent::Ended { exit: Exit::Code(0) };
                self.decide(Command::Task { task: *task, event }, works)
            }
        }
    }

    /// Decides a command, and that processes of what it placed run at once.
    fn decide(&mut self, command: Command, works: &[Work]) -> Result<(), String> {
        let mut queue = VecDeque::from([command]);
        while let Some(command) = queue.pop_front() {
            let decision = decide(&self.world, &command, self.at)
                .map_err(|refusal| format!("{command:?} is refused: {refusal:?}"))?;
            self.world = decision.world;
            self.decided += 1;
            self.works.extend(decision.jobs.first().copied().zip(self.submitted.take()));
            for fact in &decision.facts {
                match fact {
                    Fact::TaskPlaced { task, .. } => {
                        let event = TaskEvent::Started { pid: 1 };
                        queue.push_back(Command::Task { task: *task, event });
                        self.starts(*task, works);
                    }
                    Fact::TaskEnded { task, .. } => self.ends(*task),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn starts(&mut self, task: TaskId, works: &[Work]) {
        let Some(index) = self.works.get(&task.job) else { return };
        let start = self.at.now.since(BEGIN.now);
        self.ran[*index].get_or_insert(Ran { start, end: start });
        self.agenda.insert((self.at.now + works[*index].run, Event::Ends(task)), ());
    }

    fn ends(&mut self, task: TaskId) {
        let end = self.at.now.since(BEGIN.now);
        let ran = self.works.get(&task.job).and_then(|index| self.ran[*index].as_mut());
        if let Some(ran) = ran {
            ran.end = end;
        }
    }
}
