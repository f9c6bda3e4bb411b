//! The options of `submit` by which a job says how it wants to be scheduled.

use clap::Args;

use crate::base::{Name, Span, Wall, duration};
use crate::cli::args::options::joined;
use crate::cli::args::{groups, values};
use crate::model::action::EffectClass;
use crate::model::job::spec::HEALTH_EVERY;
use crate::model::job::{Grace, GroupSet, Service};
use crate::model::submission::{GroupRequest, GroupsRequest, Wishes};

/// Quiet for so long, an interactive job that does not say is idle.
const IDLE: Span = Span::mins(30);

/// How a job wants to be scheduled, as it was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Scheduling")]
pub struct WishOptions {
    /// It may be stopped to make room for others; needs --requeue or --resumable
    #[arg(long, overrides_with = "no_preemptible")]
    pub preemptible: bool,
    /// It may not, which is the default
    #[arg(long, overrides_with = "preemptible")]
    pub no_preemptible: bool,
    /// It should have ended by then: 18:00, `tomorrow 08:00`, +6h
    #[arg(long, value_name = "TIME")]
    pub deadline: Option<String>,
    /// It may run on spot nodes; needs --requeue or --resumable
    #[arg(long)]
    pub spot: bool,
    /// Only nodes with this label; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::label)]
    pub node_label: Vec<(Name, Name)>,
    /// A person works in it: it gets a terminal and an idle timeout
    #[arg(long)]
    pub interactive: bool,
    /// How long it may be quiet before it counts as idle [default: 30m]
    #[arg(long, value_name = "D", requires = "interactive", value_parser = duration::parse)]
    pub idle_timeout: Option<Span>,
    /// It runs on and on
    #[arg(long, conflicts_with = "interactive")]
    pub service: bool,
    /// A command that says by its code whether the service is well
    #[arg(long, value_name = "CMD", requires = "service", value_parser = command)]
    pub health: Option<String>,
    /// How often that command is run [default: 30s]
    #[arg(long, value_name = "D", requires = "health", value_parser = duration::parse)]
    pub health_every: Option<Span>,
    /// Tasks that are never taken from the service [default: 0]
    #[arg(long, value_name = "N", requires = "service")]
    pub baseline: Option<u32>,
    /// Tasks of one kind, instead of --gang: 'NAME: size=4 min=2 gpu=1 cpu=2 mem=4Gi in=SET
    /// label.K=V'; may be repeated, ranks go through them in order
    #[arg(long, value_name = "GROUP", conflicts_with_all = ["gang", "min"],
          value_parser = groups::group)]
    pub group: Vec<GroupRequest>,
    /// Groups or sets of which some must be there together: 'NAME: min=1 in=SET'; may be repeated
    #[arg(long, value_name = "SET", value_parser = groups::set)]
    pub group_set: Vec<GroupSet>,
    /// How many of the groups and sets that are in no set must be there [default: all]
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    pub min_groups: Option<u32>,
    /// How long its gang may stay below its minimum, or `never` [default: the configuration's]
    #[arg(long, value_name = "D", value_parser = grace)]
    pub stale_grace: Option<Grace>,
    /// It makes nobody give room before it has waited so long
    #[arg(long, value_name = "D", value_parser = duration::parse)]
    pub preemption_delay: Option<Span>,
    /// What it may ask people for: irreversible,money; it plans, it does not permit
    #[arg(long, value_name = "EFFECTS", value_delimiter = ',', value_parser = values::effect)]
    pub may_ask: Vec<EffectClass>,
}

fn grace(text: &str) -> Result<Grace, String> {
    match text {
        "never" => Ok(Grace::Never),
        text => duration::parse(text).map(Grace::After).map_err(|why| format!("{why}, or `never`")),
    }
}

fn command(text: &str) -> Result<String, String> {
    let good = !text.trim().is_empty() && !text.contains('\0');
    good.then(|| text.to_owned()).ok_or_else(|| "a command cannot be empty".to_owned())
}

impl WishOptions {
    /// These options where they say something, else those of a script's header.
    #[must_use]
    pub fn over(self, header: WishOptions) -> WishOptions {
        let said = self.preemptible || self.no_preemptible;
        let groups = self.has_groups();
        WishOptions {
            preemptible: if said { self.preemptible } else { header.preemptible },
            no_preemptible: if said { self.no_preemptible } else { header.no_preemptible },
            deadline: self.deadline.or(header.deadline),
            spot: self.spot || header.spot,
            node_label: joined(header.node_label, self.node_label),
            interactive: self.interactive || header.interactive,
            idle_timeout: self.idle_timeout.or(header.idle_timeout),
            service: self.service || header.service,
            health: self.health.or(header.health),
            health_every: self.health_every.or(header.health_every),
            baseline: self.baseline.or(header.baseline),
            // Groups said here are all there are: half of two gangs is none.
            group_set: if groups {
                self.group_set
            } else {
                joined(header.group_set, self.group_set)
            },
            min_groups: if groups { self.min_groups } else { header.min_groups },
            group: if groups { self.group } else { header.group },
            stale_grace: self.stale_grace.or(header.stale_grace),
            preemption_delay: self.preemption_delay.or(header.preemption_delay),
            may_ask: joined(header.may_ask, self.may_ask),
        }
    }

    /// As [`WishOptions::over`] for a later line of the same header, which adds groups to those of
    /// the lines before.
    #[must_use]
    pub fn after(mut self, mut earlier: WishOptions) -> WishOptions {
        self.group = joined(std::mem::take(&mut earlier.group), self.group);
        self.group_set = joined(std::mem::take(&mut earlier.group_set), self.group_set);
        self.min_groups = self.min_groups.or(earlier.min_groups.take());
        self.over(earlier)
    }

    /// Like tasks only.
    pub fn forget_groups(&mut self) {
        (self.group, self.group_set, self.min_groups) = (Vec::new(), Vec::new(), None);
    }

    /// It has kinds of tasks.
    pub fn has_groups(&self) -> bool {
        !self.group.is_empty() || !self.group_set.is_empty() || self.min_groups.is_some()
    }

    /// What they ask for; the deadline is read by whoever knows the time.
    pub fn wishes(&self, deadline: Option<Wall>) -> Wishes {
        let preemptible = (self.preemptible || self.no_preemptible).then_some(self.preemptible);
        let service = || Service {
            health: self.health.clone(),
            health_every: self.health_every.unwrap_or(HEALTH_EVERY),
            baseline: self.baseline.unwrap_or_default(),
            most: None,
        };
        let groups = || GroupsRequest {
            groups: self.group.clone(),
            sets: self.group_set.clone(),
            min_members: self.min_groups,
        };
        Wishes {
            preemptible,
            node_labels: self.node_label.iter().cloned().collect(),
            spot: self.spot,
            deadline,
            stale_grace: self.stale_grace,
            preemption_delay: self.preemption_delay,
            may_ask: self.may_ask.iter().copied().collect(),
            idle_timeout: self.idle_timeout.or(self.interactive.then_some(IDLE)),
            service: self.service.then(service),
            groups: self.has_groups().then(groups),
        }
    }
}
