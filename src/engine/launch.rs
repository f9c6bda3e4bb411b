//! From a placed task to everything the runner needs: command, directory, environment, log.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::{Digest, JobId, Span, TaskId};
use crate::engine::assemble::Places;
use crate::engine::output::Output;
use crate::engine::tokens::Tokens;
use crate::model::Job;
use crate::model::job::{GpuShare, TaskState};
use crate::model::ports::journal::JournalReader;
use crate::model::ports::runner::{HealthCheck, Launch};
use crate::model::ports::{Environments, Papers};
use crate::model::program::{Environment, Program};
use crate::sched::World;

/// First port of the range that gangs meet on; a job has its own by number.
const MASTER_PORT_FIRST: u64 = 20_000;
/// A health check has so long for its answer.
const HEALTH_PATIENCE: Span = Span::secs(10);
/// Ports in that range.
const MASTER_PORTS: u64 = 20_000;

/// Makes launches.
pub(super) struct Launcher {
    places: Places,
    tokens: Tokens,
    reader: Box<dyn JournalReader>,
    environments: Arc<dyn Environments>,
    /// The environment read last: most jobs in a row share it.
    last: Option<(Digest, Environment)>,
    output: Output,
    papers: Option<Arc<dyn Papers>>,
}

impl Launcher {
    pub(super) fn new(
        places: Places,
        tokens: Tokens,
        reader: Box<dyn JournalReader>,
        environments: Arc<dyn Environments>,
    ) -> Launcher {
        let output = Output::new(&places.data_dir);
        Launcher { places, tokens, reader, environments, last: None, output, papers: None }
    }

    /// With somebody who writes down what jobs get to read of their answers.
    pub(super) fn with_papers(self, papers: Arc<dyn Papers>) -> Launcher {
        Launcher { papers: Some(papers), ..self }
    }

    pub(super) fn data_dir(&self) -> &Path {
        &self.places.data_dir
    }

    /// Removes output of jobs before `before` that the world does not know any more.
    pub(super) fn drop_output(&self, world: &World, before: JobId) {
        self.output.remove_before(before, world.jobs().map(|job| job.id));
    }

    /// What starts a task; `None` when it needs no start any more.
    ///
    /// # Errors
    /// Why it can't be started, in words.
    pub(super) fn launch(&mut self, world: &World, task: TaskId) -> Result<Option<Launch>, String> {
        let Some(job) = world.job(task.job).filter(|job| job.attempt == task.attempt) else {
            return Ok(None);
        };
        let rank = usize::try_from(task.rank).unwrap_or(usize::MAX);
        let placed = job.tasks.get(rank).filter(|task| task.state == TaskState::Starting);
        let placed = placed.and_then(|task| Some((task, task.placement.as_ref()?)));
        let Some((placed, placement)) = placed else { return Ok(None) };
        let request = job.spec.request_of_task(placed).clone();
        let mut program = self.program(&job.spec.program)?;
        if let (Some(_), Some(first)) = (job.spec.step, program.argv.first_mut()) {
            // Whatever its `PATH` says, it is this program that uses the right.
            *first = self.places.bin_dir.join(&*first).display().to_string();
        }
        let mut env = Vec::clone(&self.environment(&program.env)?.0);
        self.add_ours(&mut env, job, task, &placement.gpus, world);
        self.output
            .prepare(task)
            .map_err(|error| format!("cannot make a directory for its output: {error}"))?;
        self.hand_out(world, job)
            .map_err(|error| format!("cannot write down its answer: {error}"))?;
        let used = job.run_time(world.active(world.at().now));
        let of_pool = world.pools().any(|(_, state)| state.members.contains_key(&placement.node));
        Ok(Some(Launch {
            task,
            argv: program.argv,
            env,
            cwd: program.cwd.into(),
            log: self.output.log(task),
            log_bytes_max: self.places.log_bytes_max,
            pty: job.spec.pty,
            request,
            // Devices of a pool's node are in the books only.
            gpus: if of_pool { Vec::new() } else { placement.gpus.clone() },
            hard: job.spec.hard,
            time_limit: job.spec.time_limit.map(|limit| limit - used),
            grace: job.spec.grace,
            warn: job.spec.warn,
        }))
    }

    /// Writes down the answer with which a job comes back.
    fn hand_out(&self, world: &World, job: &Job) -> std::io::Result<()> {
        let review = job.asking.answered.and_then(|review| world.desk().get(review));
        match (review, &self.papers) {
            (Some(review), Some(papers)) => {
                self.output.write_decision(job.id, &papers.decision(review))
            }
            _ => Ok(()),
        }
    }

    /// What asks a running task of a service whether it is well; `None` when nothing does.
    ///
    /// # Errors
    /// Why its environment is not to be had, in words.
    pub(super) fn health_check(
        &mut self,
        world: &World,
        task: TaskId,
    ) -> Result<Option<HealthCheck>, String> {
        let job = world.job(task.job).filter(|job| job.attempt == task.attempt);
        let Some(job) = job else { return Ok(None) };
        let service = job.spec.service.as_ref();
        let Some(command) = service.and_then(|service| service.health.clone()) else {
            return Ok(None);
        };
        let rank = usize::try_from(task.rank).unwrap_or(usize::MAX);
        let placement = job.tasks.get(rank).and_then(|task| task.placement.as_ref());
        let Some(placement) = placement else { return Ok(None) };
        let program = self.program(&job.spec.program)?;
        let mut env = Vec::clone(&self.environment(&program.env)?.0);
        self.add_ours(&mut env, job, task, &placement.gpus, world);
        let cwd = program.cwd.into();
        Ok(Some(HealthCheck { task, command, env, cwd, patience: HEALTH_PATIENCE }))
    }

    fn program(&self, digest: &Digest) -> Result<Program, String> {
        let bytes = self.reader.content(digest).map_err(|error| error.to_string())?;
        let bytes = bytes.ok_or("its command is missing from the journal")?;
        serde_json::from_slice(&bytes).map_err(|error| format!("its command is damaged: {error}"))
    }

    fn environment(&mut self, digest: &Digest) -> Result<Environment, String> {
        if let Some((_, env)) = self.last.as_ref().filter(|(last, _)| last == digest) {
            return Ok(env.clone());
        }
        let bytes = self.environments.get(digest).map_err(|error| error.to_string())?;
        let bytes = bytes.ok_or("the file with its environment is gone")?;
        let env = Environment::from_bytes(&bytes);
        self.last = Some((*digest, env.clone()));
        Ok(env)
    }

    /// The variables of INTERFACE.md, "Environment of a job".
    fn add_ours(
        &self,
        env: &mut Vec<(String, String)>,
        job: &Job,
        task: TaskId,
        gpus: &[GpuShare],
        world: &World,
    ) {
        let socket = self.places.socket.display();
        // What a step does works on what its job saved.
        let saves = job.spec.parent.filter(|_| job.spec.step.is_some()).unwrap_or(job.id);
        let checkpoint = self.output.checkpoint_dir(saves);
        let mut ours = vec![
            ("HOLDSHORT_JOB_ID", job.id.to_string()),
            ("HOLDSHORT_ATTEMPT", task.attempt.to_string()),
            ("HOLDSHORT_TASK_RANK", task.rank.to_string()),
            ("HOLDSHORT_GANG_SIZE", job.spec.gang.size.to_string()),
            ("HOLDSHORT_CHECKPOINT_DIR", checkpoint.display().to_string()),
            ("HOLDSHORT_OUTPUT", self.output.result_file(job.id).display().to_string()),
            ("HOLDSHORT_SOCKET", socket.to_string()),
            ("HOLDSHORT_API", format!("http+unix://{socket}")),
            ("HOLDSHORT_TOKEN", self.tokens.token(job.id, task.attempt)),
        ];
        if job.resume {
            ours.push(("HOLDSHORT_RESUME", "1".into()));
        }
        if let Some(review) = job.asking.answered {
            let file = self.output.decision_file(job.id).display().to_string();
            ours.push(("HOLDSHORT_DECISION_FILE", file));
            ours.push(("HOLDSHORT_REQUEST_ID", review.to_string()));
        }
        if let Some(review) = job.spec.step {
            ours.push(("HOLDSHORT_REQUEST_ID", review.to_string()));
        }
        if let Some(deadline) = job.spec.deadline {
            ours.push(("HOLDSHORT_DEADLINE", deadline.rfc3339()));
        }
        let rank = usize::try_from(task.rank).ok();
        let placed = rank.and_then(|rank| job.tasks.get(rank));
        if let Some(group) = placed.and_then(|placed| job.spec.group_of_task(placed)) {
            ours.push(("HOLDSHORT_GROUP", group.name.to_string()));
        }
        if let Some(array) = job.spec.array {
            ours.push(("HOLDSHORT_ARRAY_INDEX", array.index.to_string()));
        }
        if world.nodes().any(|node| !node.gpus.is_empty()) {
            let indices: Vec<String> = gpus.iter().map(|share| share.index.to_string()).collect();
            ours.push(("CUDA_VISIBLE_DEVICES", indices.join(",")));
        }
        if job.spec.gang.size > 1 {
            let port = MASTER_PORT_FIRST + job.id.0 % MASTER_PORTS;
            ours.push(("RANK", task.rank.to_string()));
            ours.push(("LOCAL_RANK", task.rank.to_string()));
            ours.push(("WORLD_SIZE", job.spec.gang.size.to_string()));
            ours.push(("MASTER_ADDR", "127.0.0.1".into()));
            ours.push(("MASTER_PORT", port.to_string()));
        }
        let is_ours = |name: &str| ours.iter().any(|(ours, _)| *ours == name);
        let stale = |name: &str| name.starts_with("HOLDSHORT_") || is_ours(name);
        env.retain(|(name, _)| !stale(name));
        env.extend(ours.into_iter().map(|(name, value)| (name.to_owned(), value)));
        self.complete_path(env);
    }

    /// `PATH` gets the directory of our own binary if it lacks it.
    fn complete_path(&self, env: &mut Vec<(String, String)>) {
        let bin: &PathBuf = &self.places.bin_dir;
        let path = env.iter_mut().find(|(name, _)| name == "PATH");
        match path {
            Some((_, path)) if std::env::split_paths(path).any(|dir| dir == *bin) => {}
            Some((_, path)) => *path = format!("{path}:{}", bin.display()),
            None => {
                let path = format!("/usr/local/bin:/usr/bin:/bin:{}", bin.display());
                env.push(("PATH".into(), path));
            }
        }
    }
}
