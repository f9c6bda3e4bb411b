//! The options of `submit`, `run` and `again`, and of script headers.

use clap::Args;

use crate::base::{Name, Span, duration, quantity};
use crate::cli::args::values::{self, After};
use crate::cli::args::wishes::WishOptions;
use crate::cli::args::{array, signals};
use crate::model::job::WarnSignal;
use crate::model::setup::Tier;
use crate::model::submission::ArrayRequest;

/// What a job asks for, as it was said. Everything is optional; INTERFACE.md has the defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Options {
    /// Shown name [default: the command's own]
    #[arg(long, value_name = "NAME", value_parser = values::name)]
    pub name: Option<Name>,
    /// Team, as a path [default: default]
    #[arg(long, value_name = "TEAM", value_parser = values::team)]
    pub team: Option<Name>,
    /// batch, research, deadline or production: a name for a priority [default: research]
    #[arg(long, value_name = "TIER", value_parser = values::tier)]
    pub tier: Option<Tier>,
    /// 0 to 1000, higher goes first; wins over the tier
    #[arg(long, value_name = "N", value_parser = values::priority)]
    pub priority: Option<u16>,
    /// Cores for each task: 2, 0.5, 500m [default: 1]
    #[arg(long, value_name = "CORES", value_parser = quantity::parse_cpu)]
    pub cpu: Option<u64>,
    /// Memory for each task: 4Gi, 512Mi [default: 2Gi]
    #[arg(long, value_name = "BYTES", value_parser = quantity::parse_bytes)]
    pub mem: Option<u64>,
    /// GPUs for each task: whole devices, or a share of one below 1; alone it means 1
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1",
          value_parser = quantity::parse_gpu)]
    pub gpu: Option<u64>,
    /// Units of a countable resource for each task: api:anthropic=1; may be repeated
    #[arg(long, value_name = "NAME=N", value_parser = values::resource)]
    pub resource: Vec<(Name, u64)>,
    /// Tasks that run together, each with a rank
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    pub gang: Option<u32>,
    /// Tasks that are enough to start with [default: all of the gang]
    #[arg(long, value_name = "N", requires = "gang", value_parser = values::at_least_one)]
    pub min: Option<u32>,
    /// Only after this job ended well; `12:any` in any way, `12:failed` not well
    #[arg(long, value_name = "JOB[:ok|any|failed]", value_delimiter = ',',
          value_parser = values::after)]
    pub after: Vec<After>,
    /// Not before: 08:00, `tomorrow 08:00`, 2027-01-31T08:00:00Z
    #[arg(long, value_name = "TIME")]
    pub start_at: Option<String>,
    /// One job for each index, at most LIMIT at once: 0-499%8, 1,3,10-20:5
    #[arg(long, value_name = "INDICES[%LIMIT]", value_parser = array::parse)]
    pub array: Option<ArrayRequest>,
    /// How long it will probably run: 10m, 1h30m
    #[arg(long, value_name = "D", value_parser = duration::parse)]
    pub estimate: Option<Span>,
    /// How long it may run at most: 2h, 1-00:00:00
    #[arg(long, value_name = "D", value_parser = duration::parse)]
    pub time_limit: Option<Span>,
    /// A signal some time before a stop: USR1@120s
    #[arg(long, value_name = "SIGNAL[@D]", value_parser = signals::parse_warn)]
    pub warn_signal: Option<WarnSignal>,
    /// Between TERM and KILL [default: 30s]
    #[arg(long, value_name = "D", value_parser = duration::parse)]
    pub grace: Option<Span>,
    /// It may be started again from the beginning after it lost its processes
    #[arg(long)]
    pub requeue: bool,
    /// It saves itself when it is stopped and goes on from there
    #[arg(long)]
    pub resumable: bool,
    /// Further attempts after a failure [default: 0]
    #[arg(long, value_name = "N")]
    pub retry: Option<u32>,
    /// A label; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::label)]
    pub label: Vec<(Name, Name)>,
    /// Set a variable, or take over one of here; may be repeated
    #[arg(long, value_name = "K[=V]")]
    pub env: Vec<String>,
    /// Only --env and the few variables that programs cannot do without
    #[arg(long)]
    pub clean_env: bool,
    /// Directory to run in [default: here]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// Refuse it if it could never start here, instead of waiting
    #[arg(long)]
    pub must_fit: bool,
    /// Requests are limits too, where the kernel can enforce them
    #[arg(long)]
    pub hard: bool,
    /// With a terminal of its own, for `attach` and `send`
    #[arg(short = 't', long)]
    pub tty: bool,
    /// How it wants to be scheduled.
    #[command(flatten)]
    pub wishes: WishOptions,
}

impl Options {
    /// These options where they say something, else those of a script's header. Lists are
    /// joined, the header's first.
    #[must_use]
    pub fn over(self, mut header: Options) -> Options {
        // A gang is said in one way: what is said here takes the place of the other.
        if self.gang.is_some() {
            header.wishes.forget_groups();
        } else if self.wishes.has_groups() {
            (header.gang, header.min) = (None, None);
        }
        Options {
            name: self.name.or(header.name),
            team: self.team.or(header.team),
            // A tier said here is not overruled by a priority said there.
            priority: if self.tier.is_some() {
                self.priority
            } else {
                self.priority.or(header.priority)
            },
            tier: self.tier.or(header.tier),
            cpu: self.cpu.or(header.cpu),
            mem: self.mem.or(header.mem),
            gpu: self.gpu.or(header.gpu),
            resource: joined(header.resource, self.resource),
            min: if self.gang.is_some() { self.min } else { self.min.or(header.min) },
            gang: self.gang.or(header.gang),
            after: joined(header.after, self.after),
            start_at: self.start_at.or(header.start_at),
            array: self.array.or(header.array),
            estimate: self.estimate.or(header.estimate),
            time_limit: self.time_limit.or(header.time_limit),
            warn_signal: self.warn_signal.or(header.warn_signal),
            grace: self.grace.or(header.grace),
            requeue: self.requeue || header.requeue,
            resumable: self.resumable || header.resumable,
            retry: self.retry.or(header.retry),
            label: joined(header.label, self.label),
            env: joined(header.env, self.env),
            clean_env: self.clean_env || header.clean_env,
            cwd: self.cwd.or(header.cwd),
            must_fit: self.must_fit || header.must_fit,
            hard: self.hard || header.hard,
            tty: self.tty || header.tty,
            wishes: self.wishes.over(header.wishes),
        }
    }
}

pub(super) fn joined<T>(mut first: Vec<T>, then: Vec<T>) -> Vec<T> {
    first.extend(then);
    first
}
