//! What open windows change for a job: which are open, until when, and what holds afterwards.

use crate::model::job::Job;
use crate::model::reason::{Code, Reason};
use crate::model::team::parent;
use crate::sched::policy::amounts::{Amounts, Kind};
use crate::sched::world::World;

/// The open windows of a job's team and of those above it.
pub(super) fn reasons(world: &World, job: &Job) -> Vec<Reason> {
    let need = Amounts::from(&job.spec.request_of_all());
    let kinds = || Kind::SCARCEST.into_iter().filter(|kind| need.get(*kind) > 0);
    let mut reasons = Vec::new();
    let mut above = Some(&*job.spec.team);
    while let Some(name) = above {
        above = parent(name);
        let Some(team) = world.teams.get(name) else { continue };
        let Some(window) = &team.window else { continue };
        let mut reason = Reason::bare(Code::WindowOpen)
            .with("team", name)
            .with("window", &*window.name)
            .with("zone", &*window.zone)
            .with("until_at", window.until.0);
        // Of the dearest thing it asks for, what the window makes of the team's own terms.
        let bounds = [
            ("quota", &team.terms.quota, &window.own.quota),
            ("limit", &team.terms.limit, &window.own.limit),
        ];
        for (word, now, own) in bounds {
            let differs = |kind: &Kind| now.get(*kind) != own.get(*kind);
            let Some(kind) = kinds().find(differs) else { continue };
            let unit = kind.unit_name();
            if let Some(bound) = now.get(kind) {
                reason = reason.with(&format!("{word}_{unit}"), bound);
            }
            if let Some(bound) = own.get(kind) {
                reason = reason.with(&format!("own_{word}_{unit}"), bound);
            }
        }
        reasons.push(reason);
    }
    reasons
}
