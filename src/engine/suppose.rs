//! From a question about what would happen to the answer, beside the loop.

use crate::base::Name;
use crate::engine::handle::Handle;
use crate::engine::submit::{check_exec, expand};
use crate::model::command::{Command, Submit, TeamChange};
use crate::model::node::{Gpu, Traits};
use crate::model::outlook::{Outlook, Supposition};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::submission::Submission;
use crate::model::{Actor, Resources};
use crate::sched::World;
use crate::sched::future::forecast::FORECASTS;
use crate::sched::future::whatif::outlook;

/// The node that is supposed to be there; no real one may have this name.
const SUPPOSED: &str = "(new)";

impl Handle {
    /// What would happen. Nothing becomes so.
    ///
    /// # Errors
    /// What the core would refuse, and what the caller may not do.
    pub fn suppose(&self, by: &Actor, what: &Supposition) -> Result<Outlook, Refusal> {
        suppose(&self.published().world, by, what, self.at())
    }
}

/// What would happen in a world.
///
/// # Errors
/// What the core would refuse.
pub fn suppose(
    world: &World,
    by: &Actor,
    what: &Supposition,
    at: crate::base::At,
) -> Result<Outlook, Refusal> {
    let command = match what {
        Supposition::Submit(job) => submit(world, by, job)?,
        Supposition::AddNode(capacity) => node(capacity),
        Supposition::Quota { team, quota } => {
            let Some(known) = world.teams().find(|known| known.name == *team) else {
                let what = format!("there is no team {team}");
                return Err(Refusal::new(RefusalCode::NotFound, what, "`holdshort team ls`"));
            };
            let mut terms = known.terms.clone();
            terms.quota.cpu_milli = quota.cpu_milli.or(terms.quota.cpu_milli);
            terms.quota.mem_bytes = quota.mem_bytes.or(terms.quota.mem_bytes);
            terms.quota.gpu_milli = quota.gpu_milli.or(terms.quota.gpu_milli);
            let (team, by) = (team.clone(), by.clone());
            Command::Team { team, change: TeamChange::Set(Box::new(terms)), by, key: None }
        }
        Supposition::Drain(node) => {
            Command::Drain { node: node.clone(), on: true, reason: None, by: by.clone() }
        }
    };
    outlook(world, &[command], at, FORECASTS)
}

fn submit(world: &World, by: &Actor, job: &Submission) -> Result<Command, Refusal> {
    check_exec(job)?;
    let (defaults, nothing) = (&world.setup().defaults, crate::base::Digest::of(b""));
    let spec = job.to_spec(defaults, nothing, by.in_job);
    let (mut jobs, array) = (Vec::new(), job.array.is_some());
    expand(&mut jobs, spec, job)?;
    Ok(Command::Submit(Submit { jobs, array, key: None, by: by.clone(), ended: Vec::new() }))
}

/// A node with so many whole devices. What is not said of it is plenty.
fn node(capacity: &Resources) -> Command {
    const PLENTY_CPU: u64 = 1_000_000;
    const PLENTY_MEM: u64 = 1 << 42;
    let or = |n: u64, plenty| if n == 0 { plenty } else { n };
    let count = u32::try_from(capacity.gpu_milli / 1000).unwrap_or(u32::MAX).min(1024);
    let device = |index: u32| Gpu {
        index,
        uuid: Name::from(format!("{SUPPOSED}-{index}")),
        model: SUPPOSED.into(),
        mem_bytes: 0,
        foreign: None,
    };
    let capacity = Resources {
        cpu_milli: or(capacity.cpu_milli, PLENTY_CPU),
        mem_bytes: or(capacity.mem_bytes, PLENTY_MEM),
        gpu_milli: u64::from(count) * 1000,
        ..Resources::default()
    };
    let gpus = (0..count).map(device).collect();
    Command::NodeSeen { name: SUPPOSED.into(), capacity, gpus, traits: Traits::default() }
}
