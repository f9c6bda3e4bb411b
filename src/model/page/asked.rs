//! The rest of what a job asked for: how it wants to be scheduled.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{Name, Span};
use crate::model::action::EffectClass;
use crate::model::job::{Grace, Groups, JobSpec, Service};

/// What a job asked for beside what a list shows of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Its task groups, if it has several.
    pub groups: Option<Groups>,
    /// Only nodes with these labels.
    pub node_labels: BTreeMap<Name, Name>,
    /// May run on spot nodes.
    pub spot: bool,
    /// How long its gang may stay below its minimum; `None` asks the configuration.
    pub stale_grace: Option<Grace>,
    /// It makes nobody give room before it has waited so long.
    pub preemption_delay: Option<Span>,
    /// Quiet for so long, it is parked.
    pub idle_timeout: Option<Span>,
    /// It runs on and on.
    pub service: Option<Service>,
    /// What it will probably ask people for.
    pub may_ask: BTreeSet<EffectClass>,
}

impl From<&JobSpec> for Asked {
    fn from(spec: &JobSpec) -> Asked {
        Asked {
            groups: spec.groups.as_deref().cloned(),
            node_labels: spec.node_labels.clone(),
            spot: spec.spot,
            stale_grace: spec.stale_grace,
            preemption_delay: spec.preemption_delay,
            idle_timeout: spec.idle_timeout,
            service: spec.service.as_deref().cloned(),
            may_ask: spec.may_ask.clone(),
        }
    }
}
