//! Questions about what would happen, and the answers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::job::Expected;
use super::submission::Submission;
use super::words::Word as _;
use super::{SCHEMA_VERSION, WireError, names, texts};
use crate::base::JobId;
use crate::model::Resources;
use crate::model::fact::Rule;
use crate::model::outlook::{Outlook, Shift, Start, Supposition, Taken};
use crate::model::team::Bounds;

/// What if …: exactly one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PlanRequest {
    /// Somebody submitted this.
    Submit(Box<Submission>),
    /// There were one more node.
    AddNode(Partial),
    /// A team were owed so much.
    Quota {
        /// Its path.
        team: String,
        /// What it were owed; null stays.
        quota: Partial,
    },
    /// A node were drained.
    Drain {
        /// Its name.
        node: String,
    },
}

/// Amounts of which some may be left open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Partial {
    /// Thousandths of a core.
    pub cpu_milli: Option<u64>,
    /// Bytes of memory.
    pub mem_bytes: Option<u64>,
    /// Thousandths of a GPU.
    pub gpu_milli: Option<u64>,
}

/// The document of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanDocument {
    /// 1.
    pub schema_version: u32,
    /// The answer.
    pub plan: Plan,
}

/// What would happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Plan {
    /// Numbers of the jobs a submission would make.
    pub made: Vec<u64>,
    /// Jobs that would start at once.
    pub starts: Vec<PlanStart>,
    /// Jobs that would have to give room at once.
    pub evictions: Vec<PlanEviction>,
    /// Jobs whose forecast would change.
    pub forecasts: Vec<PlanShift>,
}

/// A job that would start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanStart {
    /// The job.
    pub job: u64,
    /// Its name.
    pub name: String,
    /// Where.
    pub nodes: Vec<String>,
}

/// A job that would have to give room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanEviction {
    /// The job.
    pub job: u64,
    /// Its name.
    pub name: String,
    /// By which rule.
    pub rule: String,
    /// Who would get the room.
    pub taker: Option<u64>,
    /// It would go on elsewhere at once.
    pub moved: bool,
}

/// A job whose forecast would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanShift {
    /// The job.
    pub job: u64,
    /// Its name.
    pub name: String,
    /// What is expected now.
    pub before: Option<Expected>,
    /// What would be expected.
    pub after: Option<Expected>,
    /// People are asked about it: it would come back then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returns: bool,
    /// Nodes on which room would be kept for that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_on: Vec<String>,
}

impl PlanRequest {
    /// The request for a question.
    pub fn new(what: &Supposition) -> PlanRequest {
        match what {
            Supposition::Submit(job) => PlanRequest::Submit(Box::new(Submission::changes(job))),
            Supposition::AddNode(capacity) => {
                let some = |n: u64| (n > 0).then_some(n);
                PlanRequest::AddNode(Partial {
                    cpu_milli: some(capacity.cpu_milli),
                    mem_bytes: some(capacity.mem_bytes),
                    gpu_milli: some(capacity.gpu_milli),
                })
            }
            Supposition::Quota { team, quota } => PlanRequest::Quota {
                team: team.to_string(),
                quota: Partial {
                    cpu_milli: quota.cpu_milli,
                    mem_bytes: quota.mem_bytes,
                    gpu_milli: quota.gpu_milli,
                },
            },
            Supposition::Drain(node) => PlanRequest::Drain { node: node.to_string() },
        }
    }

    /// The question.
    ///
    /// # Errors
    /// When a word of a submission is unknown.
    pub fn into_model(self) -> Result<Supposition, WireError> {
        Ok(match self {
            PlanRequest::Submit(job) => Supposition::Submit(Box::new(job.into_model()?)),
            PlanRequest::AddNode(amounts) => Supposition::AddNode(Resources {
                cpu_milli: amounts.cpu_milli.unwrap_or(0),
                mem_bytes: amounts.mem_bytes.unwrap_or(0),
                gpu_milli: amounts.gpu_milli.unwrap_or(0),
                ..Resources::default()
            }),
            PlanRequest::Quota { team, quota } => Supposition::Quota {
                team: team.into(),
                quota: Bounds {
                    cpu_milli: quota.cpu_milli,
                    mem_bytes: quota.mem_bytes,
                    gpu_milli: quota.gpu_milli,
                },
            },
            PlanRequest::Drain { node } => Supposition::Drain(node.into()),
        })
    }
}

impl PlanDocument {
    /// The document of an answer.
    pub fn new(outlook: &Outlook) -> PlanDocument {
        let start = |start: &Start| PlanStart {
            job: start.job.0,
            name: start.name.to_string(),
            nodes: texts(&start.nodes),
        };
        let taken = |taken: &Taken| PlanEviction {
            job: taken.job.0,
            name: taken.name.to_string(),
            rule: taken.rule.to_word(),
            taker: taken.taker.map(|taker| taker.0),
            moved: taken.moved,
        };
        let shift = |shift: &Shift| PlanShift {
            job: shift.job.0,
            name: shift.name.to_string(),
            before: shift.before.map(Expected::from),
            after: shift.after.map(Expected::from),
            returns: shift.returns,
            kept_on: shift.kept_on.iter().map(ToString::to_string).collect(),
        };
        let plan = Plan {
            made: outlook.made.iter().map(|job| job.0).collect(),
            starts: outlook.starts.iter().map(start).collect(),
            evictions: outlook.evictions.iter().map(taken).collect(),
            forecasts: outlook.shifts.iter().map(shift).collect(),
        };
        PlanDocument { schema_version: SCHEMA_VERSION, plan }
    }
}

impl TryFrom<PlanDocument> for Outlook {
    type Error = WireError;

    fn try_from(document: PlanDocument) -> Result<Outlook, WireError> {
        super::check_version(document.schema_version)?;
        let from = document.plan;
        let start = |start: PlanStart| Start {
            job: JobId(start.job),
            name: start.name.into(),
            nodes: names(start.nodes),
        };
        let taken = |taken: PlanEviction| -> Result<Taken, WireError> {
            Ok(Taken {
                job: JobId(taken.job),
                name: taken.name.into(),
                rule: Rule::of_word(&taken.rule)?,
                taker: taken.taker.map(JobId),
                moved: taken.moved,
            })
        };
        let shift = |shift: PlanShift| -> Result<Shift, WireError> {
            Ok(Shift {
                job: JobId(shift.job),
                name: shift.name.into(),
                before: shift.before.map(TryInto::try_into).transpose()?,
                after: shift.after.map(TryInto::try_into).transpose()?,
                returns: shift.returns,
                kept_on: shift.kept_on.into_iter().map(Into::into).collect(),
            })
        };
        Ok(Outlook {
            made: from.made.into_iter().map(JobId).collect(),
            starts: from.starts.into_iter().map(start).collect(),
            evictions: from.evictions.into_iter().map(taken).collect::<Result<_, _>>()?,
            shifts: from.forecasts.into_iter().map(shift).collect::<Result<_, _>>()?,
        })
    }
}
