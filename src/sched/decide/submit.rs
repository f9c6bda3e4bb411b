//! Queues jobs: all of them or none.

use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::base::{JobId, Name};
use crate::model::access::Right;
use crate::model::command::Submit;
use crate::model::job::{ArrayPlace, Dependency, JobSpec, Outcome, State};
use crate::model::reason::{Reason, Value};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::PRIORITY_MAX;
use crate::model::submission::ARRAY_MAX;
use crate::model::{Actor, Fact};
use crate::sched::decide::{check_deadline, check_limit, known_team, life, rights};
use crate::sched::explain::never_fits;
use crate::sched::plan::Plan;

/// Tasks a gang may have at most.
const GANG_MAX: u32 = 4096;

/// Numbers of the new jobs, in order; of the earlier ones if the key was used before.
pub(super) fn decide(plan: &mut Plan, submit: &Submit) -> Result<Vec<JobId>, Refusal> {
    if let Some(earlier) = super::act::earlier(plan, submit.key.as_ref())? {
        return Ok(earlier);
    }
    if submit.jobs.is_empty() {
        return Err(usage("nothing to submit", "give a command after `--`"));
    }
    if submit.jobs.len() > ARRAY_MAX {
        let what = format!("{} jobs in one request", submit.jobs.len());
        return Err(usage(what, format!("at most {ARRAY_MAX} at once")));
    }
    let parent = submit.by.in_job.and_then(|job| plan.job(job));
    for spec in &submit.jobs {
        check(plan, spec, submit, parent.as_deref())?;
    }
    let first = plan.world().next_job;
    let (owner, uid) = owner(&submit.by, parent.as_deref());
    for (spec, number) in submit.jobs.iter().zip(first..) {
        let mut spec = spec.clone();
        spec.parent = submit.by.in_job;
        // Only a yes makes steps.
        spec.step = None;
        if submit.array {
            spec.array = spec.array.map(|a| ArrayPlace { id: JobId(first), ..a });
        }
        let job = JobId(number);
        let spec = Box::new(spec);
        plan.note(Fact::JobSubmitted { job, spec, owner: owner.clone(), uid });
        life::settle(plan, job);
    }
    let count = u32::try_from(submit.jobs.len()).unwrap_or(u32::MAX);
    if let Some(key) = &submit.key {
        let (key, body) = (key.key.clone(), key.body.clone());
        plan.note(Fact::KeyUsed { key, first: JobId(first), count, body });
    }
    Ok((first..).take(submit.jobs.len()).map(JobId).collect())
}

/// A child belongs to whoever owns its parent.
fn owner(by: &Actor, parent: Option<&crate::model::Job>) -> (Name, Option<u32>) {
    parent.map_or((by.user.clone(), by.uid), |parent| (parent.owner.clone(), parent.owner_uid))
}

fn check(
    plan: &Plan,
    spec: &JobSpec,
    submit: &Submit,
    parent: Option<&crate::model::Job>,
) -> Result<(), Refusal> {
    if submit.by.in_job.is_some() && !parent.is_some_and(crate::model::Job::is_live) {
        return Err(Refusal::new(
            RefusalCode::Forbidden,
            "the submitting job is over",
            "submit from outside",
        ));
    }
    known_team(plan, &spec.team)?;
    rights::on_team(plan.world(), &submit.by, &spec.team, Right::Submit)?;
    check_leaf(plan, &spec.team)?;
    if spec.priority > PRIORITY_MAX {
        let what = format!("priority {} is out of range", spec.priority);
        return Err(usage(what, format!("0 to {PRIORITY_MAX}, higher goes first")));
    }
    if let Some(parent) = parent.filter(|parent| spec.priority > parent.spec.priority) {
        let what = format!("priority {} is above that of its parent", spec.priority);
        let hint = format!("a child may have at most {}", parent.spec.priority);
        return Err(Refusal::new(RefusalCode::Forbidden, what, hint));
    }
    check_deadline(plan, spec.deadline)?;
    check_size(spec)?;
    check_wishes(spec)?;
    for dependency in &spec.after {
        check_dependency(plan, dependency, submit)?;
    }
    let groups = spec.groups.iter().flat_map(|groups| &groups.groups);
    let of_groups = groups.flat_map(|group| group.request.custom.keys());
    for name in spec.request.custom.keys().chain(of_groups) {
        if plan.world().countable(name).is_none() {
            let what = format!("there is no resource {name}");
            let hint = "add it to the configuration: [[resource]] name = \"…\" count = …";
            return Err(usage(what, hint));
        }
    }
    match never_fits(plan.world(), spec) {
        Some(reason) if spec.must_fit => Err(Refusal::new(
            RefusalCode::NeverFits,
            format!("it could never start here: it needs {}", describe(&reason)),
            "`holdshort nodes` shows what there is",
        )),
        _ => Ok(()),
    }
}

/// Only leaves of the tree of teams hold jobs.
pub(super) fn check_leaf(plan: &Plan, team: &str) -> Result<(), Refusal> {
    let below = plan.world().teams().filter(|other| other.parent() == Some(team));
    let below: Vec<&str> = below.map(|other| &*other.name).collect();
    if below.is_empty() {
        return Ok(());
    }
    let what = format!("team {team} has teams below it, and only leaves of the tree hold jobs");
    Err(usage(what, format!("choose one of {}", below.join(", "))))
}

fn check_size(spec: &JobSpec) -> Result<(), Refusal> {
    let gang = spec.gang;
    if gang.size == 0 || gang.size > GANG_MAX {
        return Err(usage(format!("a gang of {}", gang.size), format!("1 to {GANG_MAX} tasks")));
    }
    if gang.min == 0 || gang.min > gang.size {
        let what = format!("--min {} with --gang {}", gang.min, gang.size);
        return Err(usage(what, "min lies between 1 and the gang's size"));
    }
    let gpu = spec.request.gpu_milli;
    if gpu > 1000 && !gpu.is_multiple_of(1000) {
        return Err(usage("more than one GPU comes in whole devices", "ask for 1, 2, 3 …"));
    }
    check_limit(spec.time_limit)
}

/// What a job wants of the scheduler must make sense, and what gives its room away needs a way
/// back to it (DESIGN.md 5.12).
fn check_wishes(spec: &JobSpec) -> Result<(), Refusal> {
    for (asked, what) in [(spec.preemptible, "preemptible"), (spec.spot, "spot")] {
        if asked && !spec.has_way_back() {
            return Err(no_way_back(what));
        }
    }
    if let Some(groups) = &spec.groups {
        if let Some(problem) = groups.problem() {
            return Err(usage(problem, "`holdshort submit --help` shows how groups are written"));
        }
        if groups.gang() != spec.gang {
            let hint = "leave gang and min out where there are groups";
            return Err(usage("the gang is not the sum of its groups", hint));
        }
    }
    if spec.service.as_ref().is_some_and(|service| service.baseline > spec.gang.size) {
        return Err(usage("the baseline of a service is above its gang", "--gang 4 --baseline 2"));
    }
    Ok(())
}

/// Something that is stopped for others must say how it goes on.
pub(super) fn no_way_back(what: &str) -> Refusal {
    let what = format!("a {what} job must say how it goes on after it was stopped");
    usage(what, "--requeue or --retry from the beginning, --resumable from where it was")
}

/// The other job must be known, and if it has ended, in the way that is asked for.
fn check_dependency(plan: &Plan, on: &Dependency, submit: &Submit) -> Result<(), Refusal> {
    let stored = || submit.ended.iter().find(|(ended, _)| *ended == on.job);
    let ended = match (plan.job(on.job).map(|job| job.state.clone()), stored()) {
        (Some(State::Ended(outcome)), _) => Some(outcome),
        (None, Some((_, outcome))) => Some(*outcome),
        (Some(_), _) => None,
        (None, None) => {
            let what = format!("there is no job {} to come after", on.job);
            let hint = "`holdshort ls` lists the jobs";
            return Err(Refusal::new(RefusalCode::NotFound, what, hint));
        }
    };
    match ended {
        Some(outcome) if !life::meets(on.kind, outcome) => Err(impossible(on.job, outcome)),
        _ => Ok(()),
    }
}

fn impossible(id: JobId, outcome: Outcome) -> Refusal {
    let what = format!("job {id} has ended already ({}): this could never start", outcome.word());
    Refusal::new(RefusalCode::Conflict, what, "use `--after ID:any`, or leave it out")
}

/// What is asked for against the most there is, in words: a refusal has no reader that knows
/// the numbers.
fn describe(reason: &Reason) -> String {
    let number = |name: &str| match reason.numbers.get(name) {
        Some(Value::Int(n)) => u64::try_from(*n).ok(),
        _ => None,
    };
    if let (Some(Value::Text(resource)), Some(need)) =
        (reason.numbers.get("resource"), number("need"))
    {
        return format!("{need} of {resource}, there are {}", number("count").unwrap_or(0));
    }
    type Write = fn(u64) -> String;
    let kinds: [(&str, &str, Write); 3] = [
        ("gpu_milli", " GPUs", format_gpu),
        ("cpu_milli", " cores", format_cpu),
        ("mem_bytes", " of memory", format_bytes),
    ];
    let short = kinds.iter().filter_map(|(name, unit, write)| {
        let (need, most) = (number(&format!("need_{name}"))?, number(&format!("largest_{name}"))?);
        Some(format!("{}{unit}, the largest node has {}", write(need), write(most)))
    });
    let short: Vec<String> = short.collect();
    match (short.is_empty(), number("gang"), number("placed")) {
        (false, None, _) => short.join(" and "),
        (_, Some(gang), Some(placed)) => {
            format!("room for {gang} tasks at once, all nodes together hold {placed}")
        }
        _ => "more than any node has".to_owned(),
    }
}

fn usage(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::Usage, what, hint)
}
