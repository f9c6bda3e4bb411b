//! From what somebody wants to the command that says it.

use crate::base::{Digest, JobId};
use crate::engine::Receipt;
use crate::engine::assemble::Published;
use crate::engine::handle::{Handle, lock};
use crate::model::Actor;
use crate::model::action::Action;
use crate::model::action::command::Said;
use crate::model::command::{Act, Command, Key, Submit, Verb};
use crate::model::job::{ArrayPlace, Dependency, Gang, JobSpec, Outcome, State};
use crate::model::ports::journal::StorageError;
use crate::model::program::{EXEC_BYTES_MAX, EXEC_STRING_MAX, Environment, Program};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::submission::{ARRAY_MAX, Submission};

/// How a step is run; the words after it are for people to read.
const STEP: [&str; 3] = ["holdshort", "step", "--"];

impl Handle {
    /// Fills in defaults, stores programs and environments, and queues the jobs: all or none.
    ///
    /// # Errors
    /// What the core refuses; commands and environments that no kernel would execute.
    pub async fn submit(
        &self,
        jobs: Vec<Submission>,
        key: Option<String>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        let published = self.published();
        let defaults = &published.world.setup().defaults;
        let array = jobs.iter().any(|job| job.array.is_some());
        if array && jobs.len() > 1 {
            return Err(usage("an array and other jobs in one request", "submit them one by one"));
        }
        let mut specs = Vec::new();
        let mut contents = Vec::new();
        // The jobs of a batch share one environment as a rule: it is looked at once.
        let mut last: Option<(&Environment, Digest)> = None;
        for job in &jobs {
            check_exec(job)?;
            let env = match last {
                Some((env, digest)) if *env == job.env => digest,
                _ => self.keep_environment(&job.env)?,
            };
            last = Some((&job.env, env));
            let (digest, bytes) = stored_program(&job.program(env))?;
            contents.push((digest, bytes));
            let spec = job.to_spec(defaults, digest, by.in_job);
            expand(&mut specs, spec, job)?;
        }
        contents.dedup();
        let ended = self.ended_dependencies(&published, &specs)?;
        let body = print_of(&specs);
        let key = key.map(|key| Key { key: format!("{} {key}", by.user), body });
        let submit = Submit { jobs: specs, array, key, by, ended };
        self.send(Command::Submit(submit), contents).await
    }

    /// A copy of a job as a new one; what `changes` says wins.
    ///
    /// # Errors
    /// As [`Handle::submit`], and when there is no such job.
    pub async fn again(
        &self,
        id: JobId,
        changes: Submission,
        key: Option<String>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        let published = self.published();
        let job = self.find(&published, id)?;
        let see = crate::model::access::Right::See;
        crate::sched::rights::on_job(&published.world, &by, &job, see)?;
        if let Some(review) = job.spec.step {
            let what = format!("job {id} does once what {review} approved, and has no copy");
            return Err(Refusal::new(RefusalCode::Conflict, what, "its job asks for it anew"));
        }
        let program = lock(&self.inner.stored).get(&job.spec.program);
        let program = program.ok_or_else(|| {
            let what = format!("the command of job {id} is not stored any more");
            Refusal::new(RefusalCode::NotFound, what, "submit it anew")
        })?;
        let body = print_of(&(id, &changes));
        let (spec, program) = self.changed(&job.spec, program, &changes)?;
        let contents = vec![stored_program(&program)?];
        let specs = vec![spec];
        let ended = self.ended_dependencies(&published, &specs)?;
        let key = key.map(|key| Key { key: format!("{} {key}", by.user), body });
        let submit = Submit { jobs: specs, array: false, key, by, ended };
        self.send(Command::Submit(submit), contents).await
    }

    /// Does something with jobs, all or none; a key makes asking again harmless.
    ///
    /// # Errors
    /// What the core refuses.
    pub async fn act(
        &self,
        jobs: Vec<JobId>,
        verb: Verb,
        key: Option<String>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        let body = print_of(&(&jobs, &verb));
        let key = key.map(|key| Key { key: format!("{} {key}", by.user), body });
        self.command(Command::Act(Act { jobs, verb, by, key })).await
    }

    /// The program of a step: it uses the right and runs what was approved, whatever stands here.
    pub(super) fn stored_step(
        &self,
        action: &Action,
        env: Environment,
    ) -> Result<(Digest, Vec<u8>), Refusal> {
        let Some(said) = Said::of(action) else {
            let hint = "`holdshort gate --step -- CMD` asks for one";
            return Err(usage("only a command line can run as a step", hint));
        };
        let mut argv: Vec<String> = STEP.map(str::to_owned).into();
        argv.extend(said.argv);
        let (cwd, submission) = (said.cwd, Submission { argv, env, ..Submission::default() });
        let submission = Submission { cwd, ..submission };
        check_exec(&submission)?;
        let env = self.keep_environment(&submission.env)?;
        stored_program(&submission.program(env))
    }

    fn keep_environment(&self, env: &Environment) -> Result<Digest, Refusal> {
        self.inner.environments.put(&env.to_bytes()).map_err(unstored)
    }

    fn changed(
        &self,
        old: &JobSpec,
        mut program: Program,
        changes: &Submission,
    ) -> Result<(JobSpec, Program), Refusal> {
        if !changes.argv.is_empty() {
            program.argv.clone_from(&changes.argv);
        }
        if !changes.cwd.is_empty() {
            program.cwd.clone_from(&changes.cwd);
        }
        let (argv, cwd, env) = (program.argv.clone(), program.cwd.clone(), changes.env.clone());
        check_exec(&Submission { argv, cwd, env, ..Submission::default() })?;
        if !changes.env.0.is_empty() {
            program.env = self.keep_environment(&changes.env)?;
        }
        let (digest, _) = stored_program(&program)?;
        Ok((changed_spec(old, changes, digest), program))
    }

    /// How jobs ended that are waited for and have left the world.
    fn ended_dependencies(
        &self,
        published: &Published,
        specs: &[JobSpec],
    ) -> Result<Vec<(JobId, Outcome)>, Refusal> {
        let named = specs.iter().flat_map(|spec| &spec.after).map(|d: &Dependency| d.job);
        let gone: std::collections::BTreeSet<JobId> =
            named.filter(|id| published.world.job(*id).is_none()).collect();
        let mut ended = Vec::new();
        for id in gone {
            let summary = lock(&self.inner.stored).summary(id)?;
            if let Some(State::Ended(outcome)) = summary.map(|job| job.state) {
                ended.push((id, outcome));
            }
        }
        Ok(ended)
    }
}

/// What a copy of a job asks for: what `changes` says, else what the old one did.
pub fn changed_spec(old: &JobSpec, changes: &Submission, program: Digest) -> JobSpec {
    let mut request = old.request.clone();
    request.cpu_milli = changes.cpu_milli.unwrap_or(request.cpu_milli);
    request.mem_bytes = changes.mem_bytes.unwrap_or(request.mem_bytes);
    request.gpu_milli = changes.gpu_milli.unwrap_or(request.gpu_milli);
    request.custom.extend(changes.custom.iter().map(|(k, v)| (k.clone(), *v)));
    let mut labels = old.labels.clone();
    labels.extend(changes.labels.iter().map(|(k, v)| (k.clone(), v.clone())));
    let size = changes.gang.unwrap_or(old.gang.size);
    let min = changes.min.or(changes.gang).unwrap_or(old.gang.min);
    let tier = changes.tier.map(crate::model::setup::Tier::priority);
    // A gang that is said anew is one of like tasks again.
    let groups = old.groups.clone().filter(|_| changes.gang.is_none());
    changes.wishes.over(JobSpec {
        name: changes.name.clone().unwrap_or_else(|| old.name.clone()),
        executable: match changes.argv.is_empty() {
            true => old.executable.clone(),
            false => changes.executable(),
        },
        team: changes.team.clone().unwrap_or_else(|| old.team.clone()),
        priority: changes.priority.or(tier).unwrap_or(old.priority),
        request,
        gang: Gang { size, min },
        after: changes.after.clone(),
        start_at: changes.start_at,
        array: None,
        estimate: changes.estimate.or(old.estimate),
        time_limit: changes.time_limit.or(old.time_limit),
        warn: changes.warn.or(old.warn),
        grace: changes.grace.unwrap_or(old.grace),
        requeue: changes.requeue || old.requeue,
        resumable: changes.resumable || old.resumable,
        retry: changes.retry.max(old.retry),
        labels,
        must_fit: changes.must_fit || old.must_fit,
        hard: changes.hard || old.hard,
        pty: changes.pty || old.pty,
        parent: None,
        program,
        groups,
        // A time that was meant for the old job says nothing about the new one.
        deadline: None,
        ..old.clone()
    })
}

/// One spec for each element of an array, or just the one.
///
/// # Errors
/// An array of a size or with a limit that makes no sense.
pub fn expand(specs: &mut Vec<JobSpec>, spec: JobSpec, job: &Submission) -> Result<(), Refusal> {
    let Some(array) = &job.array else {
        specs.push(spec);
        return Ok(());
    };
    if array.indices.is_empty() || array.indices.len() > ARRAY_MAX {
        let what = format!("an array of {} elements", array.indices.len());
        return Err(usage(&what, &format!("1 to {ARRAY_MAX}")));
    }
    if array.throttle == Some(0) {
        return Err(usage("an array of which none may run", "give a limit of 1 or more after %"));
    }
    let throttle = array.throttle;
    // The array's number is filled in by the core.
    let place = |index| Some(ArrayPlace { id: JobId(0), index, throttle });
    specs.extend(array.indices.iter().map(|i| JobSpec { array: place(*i), ..spec.clone() }));
    Ok(())
}

/// What the kernel would refuse to execute is refused now, not when its turn comes.
///
/// # Errors
/// What is wrong with command, directory or environment.
pub fn check_exec(job: &Submission) -> Result<(), Refusal> {
    if job.argv.first().is_none_or(String::is_empty) {
        return Err(usage("there is no command", "give one after `--`"));
    }
    if !job.cwd.starts_with('/') {
        return Err(usage("the working directory is not absolute", "give a path from /"));
    }
    let strings = job.argv.iter().map(String::len);
    let env = job.env.0.iter().map(|(name, value)| name.len() + value.len() + 1);
    let lengths = || strings.clone().chain(env.clone());
    if lengths().any(|length| length >= EXEC_STRING_MAX) {
        let what = format!("one argument or variable is longer than {EXEC_STRING_MAX} bytes");
        return Err(usage(&what, "pass it in a file; the kernel takes no more"));
    }
    if lengths().map(|length| length + 9).sum::<usize>() > EXEC_BYTES_MAX {
        let what = format!("command and environment are larger than {EXEC_BYTES_MAX} bytes");
        return Err(usage(&what, "leave variables out with --clean-env"));
    }
    let nul = |text: &String| text.contains('\0');
    let bad_env = |(name, value): &(String, String)| {
        name.is_empty() || name.contains('=') || nul(name) || nul(value)
    };
    if job.argv.iter().any(nul) || nul(&job.cwd) || job.env.0.iter().any(bad_env) {
        return Err(usage("a NUL byte, or a variable without a name", "leave it out"));
    }
    Ok(())
}

fn stored_program(program: &Program) -> Result<(Digest, Vec<u8>), Refusal> {
    let bytes = serde_json::to_vec(program);
    let bytes = bytes.map_err(|e| Refusal::new(RefusalCode::Internal, e.to_string(), ""))?;
    Ok((Digest::of(&bytes), bytes))
}

/// A print of a request that tells another one under the same key.
pub(super) fn print_of(request: &impl std::fmt::Debug) -> String {
    let digest = Digest::of_format(format_args!("{request:?}")).to_string();
    digest.get(..16).unwrap_or(&digest).to_owned()
}

#[expect(clippy::needless_pass_by_value, reason = "an adapter for `map_err`")]
fn unstored(error: StorageError) -> Refusal {
    let code = match error {
        StorageError::Full(_) => RefusalCode::DiskFull,
        _ => RefusalCode::Internal,
    };
    Refusal::new(code, format!("the environment can't be stored: {error}"), "")
}

fn usage(what: &str, hint: &str) -> Refusal {
    Refusal::new(RefusalCode::Usage, what, hint)
}
