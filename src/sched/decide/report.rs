//! A job speaks about itself.

use crate::base::JobId;
use crate::model::access::Right;
use crate::model::command::Report;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::{Actor, Fact};
use crate::sched::decide::rights;
use crate::sched::plan::Plan;

/// Bytes of a line of text or a path at most.
const TEXT_MAX: usize = 4096;
/// Names a job may report usage under.
const USAGE_NAMES_MAX: usize = 64;

/// Takes a report.
pub(super) fn decide(
    plan: &mut Plan,
    id: JobId,
    report: &Report,
    by: &Actor,
) -> Result<(), Refusal> {
    let Some(job) = plan.job(id) else {
        let what = format!("there is no job {id}");
        return Err(Refusal::new(RefusalCode::NotFound, what, "`holdshort ls` lists the jobs"));
    };
    rights::on_job(plan.world(), by, &job, Right::Report)?;
    if !job.is_live() {
        let what = format!("job {id} has ended");
        return Err(Refusal::new(RefusalCode::Conflict, what, ""));
    }
    match report {
        Report::Checkpoint { basis_points, .. } | Report::Progress { basis_points, .. } => {
            if basis_points.is_some_and(|points| points > 10_000) {
                return Err(usage("progress lies between 0 and 1", "0.4, or 40%"));
            }
        }
        Report::Heartbeat => {}
        Report::Limited { resource, until } => {
            let until = until.from(plan.at().wall);
            super::limit::by_job(plan, &job, resource, until, by)?;
        }
        Report::Usage { amounts, key } => {
            let key = key.as_ref().map(|key| format!("usage {id} {key}"));
            if let Some(key) = key {
                if plan.world().keys.contains_key(&key) {
                    return Ok(());
                }
                let (first, body) = (JobId(0), String::new());
                plan.note(Fact::KeyUsed { key, first, count: 0, body });
            }
            let known = |name: &&_| !job.usage.contains_key(*name);
            if job.usage.len() + amounts.keys().filter(known).count() > USAGE_NAMES_MAX {
                let hint = format!("a job reports under at most {USAGE_NAMES_MAX} names");
                return Err(usage("too many kinds of usage", hint));
            }
        }
    }
    let too_long = |text: &Option<String>| text.as_ref().is_some_and(|t| t.len() > TEXT_MAX);
    match report {
        Report::Checkpoint { path: text, .. } | Report::Progress { text, .. } if too_long(text) => {
            Err(usage("the text is too long", format!("at most {TEXT_MAX} bytes")))
        }
        _ => {
            plan.note(Fact::JobReported { job: id, report: report.clone() });
            Ok(())
        }
    }
}

fn usage(what: &str, hint: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::Usage, what, hint)
}
