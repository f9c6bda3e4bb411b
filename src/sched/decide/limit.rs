//! A countable resource that nobody may take for a while: the other side said so to a job
//! ("limit resets at 15:00", a 429), or a person does (DESIGN.md 5.11).

use crate::base::{JobId, Name, Span, Wall};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::Limited;
use crate::model::{Actor, Fact, Job};
use crate::sched::decide::rights;
use crate::sched::plan::Plan;

/// The longest time a job may close a resource for everybody: weekly limits exist.
const BY_JOB_MAX: Span = Span::hours(8 * 24);

/// A person closes a resource until then, or opens it.
///
/// # Errors
/// Without the right, for a resource that does not exist, until a time that has passed, or when
/// there is nothing to lift.
pub(super) fn by_person(
    plan: &mut Plan,
    resource: &Name,
    until: Option<Wall>,
    reason: Option<&str>,
    by: &Actor,
) -> Result<(), Refusal> {
    rights::operate(plan, by, None)?;
    known(plan, resource)?;
    let Some(until) = until else {
        if plan.world().limited.contains_key(resource) {
            let by = by.user.clone();
            plan.note(Fact::LimitLifted { resource: resource.clone(), by });
            return Ok(());
        }
        let what = format!("{resource} is not limited");
        return Err(Refusal::new(RefusalCode::Conflict, what, "`holdshort nodes` shows what is"));
    };
    let reason = reason.map(ToOwned::to_owned);
    close(plan, resource, Limited { reason, ..said(plan, until, by, None)? });
    Ok(())
}

/// A job was told that it must wait. What holds for longer already stands.
///
/// # Errors
/// For a resource it does not ask for, until a time that has passed or is too far ahead.
pub(super) fn by_job(
    plan: &mut Plan,
    job: &Job,
    resource: &Name,
    until: Wall,
    by: &Actor,
) -> Result<(), Refusal> {
    known(plan, resource)?;
    if !job.spec.kinds().any(|kind| kind.request.custom.contains_key(resource)) {
        let what = format!("job {} does not ask for {resource}", job.id);
        let hint = format!("submit it with --resource {resource}=1");
        return Err(Refusal::new(RefusalCode::Forbidden, what, hint));
    }
    if until > plan.at().wall + BY_JOB_MAX {
        let what = format!("{resource} would be closed for more than eight days");
        return Err(usage(what, "ask an operator: `holdshort limit`"));
    }
    let limited = said(plan, until, by, Some(job.id))?;
    let wall = plan.at().wall;
    if plan.world().limit_of(resource, wall).is_none_or(|known| known.until < until) {
        close(plan, resource, limited);
    }
    Ok(())
}

fn known(plan: &Plan, resource: &Name) -> Result<(), Refusal> {
    if plan.world().countable(resource).is_some() {
        return Ok(());
    }
    let what = format!("there is no resource {resource}");
    Err(Refusal::new(RefusalCode::NotFound, what, "`holdshort nodes` lists them"))
}

fn said(plan: &Plan, until: Wall, by: &Actor, job: Option<JobId>) -> Result<Limited, Refusal> {
    let since = plan.at();
    if until <= since.wall {
        return Err(usage("the time until which it is limited has passed", "give a later one"));
    }
    Ok(Limited { until, by: by.user.clone(), job, reason: None, since })
}

fn close(plan: &mut Plan, resource: &Name, limited: Limited) {
    plan.note(Fact::ResourceLimited { resource: resource.clone(), limited });
}

fn usage(what: impl Into<String>, hint: &str) -> Refusal {
    Refusal::new(RefusalCode::Usage, what, hint)
}
