//! Submissions: from people of the simulation and from the one at the screen.

use crate::base::{Digest, JobId, Name};
use crate::engine::submit::{changed_spec, check_exec, expand};
use crate::model::command::Submit;
use crate::model::job::{Dependency, JobSpec, Outcome, State};
use crate::model::program::{Environment, Program};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::submission::Submission;
use crate::model::{Actor, Command};
use crate::sim::conduct::Conduct;
use crate::sim::fleet::Fleet;
use crate::sim::play::Play;
use crate::sim::site;

/// Programs that are kept; beyond that those that no job in the world has are dropped.
const PROGRAMS_MAX: usize = 2048;

impl Fleet {
    /// Queues jobs, all or none; how they behave follows from their commands.
    ///
    /// # Errors
    /// What the engine and the core refuse.
    pub fn submit(&mut self, jobs: &[Submission], by: Actor) -> Result<Vec<JobId>, Refusal> {
        self.queue(jobs, by, None)
    }

    fn queue(
        &mut self,
        jobs: &[Submission],
        by: Actor,
        conduct: Option<Conduct>,
    ) -> Result<Vec<JobId>, Refusal> {
        let array = jobs.iter().any(|job| job.array.is_some());
        if array && jobs.len() > 1 {
            let what = "an array and other jobs in one request";
            return Err(Refusal::new(RefusalCode::Usage, what, "submit them one by one"));
        }
        let defaults = self.world.setup().defaults.clone();
        let mut specs = Vec::new();
        for job in jobs {
            check_exec(job)?;
            let names = job.env.names().map(str::to_owned).collect();
            let program = self.keep_program(job.program(job.env.digest()), names);
            expand(&mut specs, job.to_spec(&defaults, program, by.in_job), job)?;
        }
        let ended = self.ended(&specs);
        let submit = Submit { jobs: specs, array, key: None, by, ended };
        let ids = self.next_ids(submit.jobs.len());
        // Known before the core decides, for it may start the jobs at once.
        if let Some(conduct) = conduct.map(std::sync::Arc::new) {
            self.conducts.extend(ids.iter().map(|id| (*id, conduct.clone())));
        }
        let queued = self.command(Command::Submit(submit));
        if queued.is_err() {
            ids.iter().for_each(|id| drop(self.conducts.remove(id)));
        }
        queued
    }

    /// A copy of a job as a new one, which behaves as the old one did.
    ///
    /// # Errors
    /// As [`Fleet::submit`], and when there is no such job.
    pub fn again(&mut self, id: JobId, changes: &Submission, by: Actor) -> Result<JobId, Refusal> {
        let missing = || {
            let what = format!("there is no job {id}");
            Refusal::new(RefusalCode::NotFound, what, "`holdshort ls` lists the jobs")
        };
        let job = self.job(id).cloned().ok_or_else(missing)?;
        let mut program = self.program(&job).cloned().ok_or_else(missing)?;
        let names = self.environment(&job).to_vec();
        if !changes.argv.is_empty() {
            program.argv.clone_from(&changes.argv);
        } else if let Some(conduct) = self.conducts.get(&id).cloned() {
            self.conducts.extend(self.next_ids(1).into_iter().map(|id| (id, conduct.clone())));
        }
        if !changes.cwd.is_empty() {
            program.cwd.clone_from(&changes.cwd);
        }
        let digest = self.keep_program(program, names);
        let jobs = vec![changed_spec(&job.spec, changes, digest)];
        let ended = self.ended(&jobs);
        let submit = Submit { jobs, array: false, key: None, by, ended };
        let ids = self.command(Command::Submit(submit))?;
        ids.first().copied().ok_or_else(missing)
    }

    /// Somebody of the simulation submits.
    pub(in crate::sim) fn play(&mut self, play: &Play) {
        let mut job = play.submission.clone();
        let after = play.after.iter().filter_map(|(name, kind)| {
            self.named(name).map(|job| Dependency { job: job.id, kind: *kind })
        });
        job.after = after.collect();
        job.start_at = play.starts_in.map(|span| self.at.wall + span);
        job.env = environment(play);
        let by = site::person(play.by);
        if self.queue(&[job], by, Some(play.conduct.clone())).is_err() {
            self.refused += 1;
        }
    }

    /// The numbers the core will give to the next jobs.
    fn next_ids(&self, count: usize) -> Vec<JobId> {
        let newest = self.world.jobs().last().map_or(0, |job| job.id.0);
        let archived = self.archive.last_key_value().map_or(0, |(id, _)| id.0);
        (newest.max(archived) + 1..).take(count).map(JobId).collect()
    }

    fn keep_program(&mut self, program: Program, names: Vec<String>) -> Digest {
        let mut parts: Vec<&[u8]> = program.argv.iter().map(String::as_bytes).collect();
        parts.extend([program.cwd.as_bytes(), &program.env.0]);
        let digest = Digest::of_parts(&parts);
        if self.programs.len() >= PROGRAMS_MAX {
            let jobs = self.world.jobs().chain(self.archive.values());
            let used: std::collections::BTreeSet<Digest> =
                jobs.map(|job| job.spec.program).collect();
            self.programs.retain(|digest, _| used.contains(digest));
        }
        self.programs.insert(digest, (program, names));
        digest
    }

    /// How jobs ended that are waited for and have left the world.
    fn ended(&self, specs: &[JobSpec]) -> Vec<(JobId, Outcome)> {
        let named = specs.iter().flat_map(|spec| &spec.after).map(|dependency| dependency.job);
        let gone = named.filter(|id| self.world.job(*id).is_none());
        let outcome = |id: JobId| match self.archive.get(&id)?.state {
            State::Ended(outcome) => Some((id, outcome)),
            _ => None,
        };
        gone.filter_map(outcome).collect()
    }
}

/// What an environment of somebody's shell usually has.
fn environment(play: &Play) -> Environment {
    let team = play.submission.team.as_deref().unwrap_or_default();
    let resources = play.submission.custom.keys();
    let key = |name: &Name| {
        let vendor = name.strip_prefix("api:")?;
        Some((format!("{}_API_KEY", vendor.to_uppercase()), "held elsewhere".to_owned()))
    };
    let pair = |(name, value): (&str, String)| (name.to_owned(), value);
    let usual = [
        ("HOME", format!("/home/{}", play.by)),
        ("LANG", "C.UTF-8".into()),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
        ("PWD", format!("/srv/{team}")),
        ("SHELL", "/bin/bash".into()),
        ("USER", play.by.into()),
    ];
    Environment::new(usual.map(pair).into_iter().chain(resources.filter_map(key)))
}
