//! Who decides what, within which time, and what happens if nobody does.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Wait;
use super::grant::USES_MAX;
use crate::base::calendar::Weekly;
use crate::base::{Name, Span};
use crate::model::action::{Amount, EffectClass};

/// `[[review_policy]]`: of those that fit an action the first counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewPolicy {
    /// Its name.
    pub name: Name,
    /// It is for this team and those below it; empty for all.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub team: Name,
    /// It is for these classes; empty for all.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub effects: BTreeSet<EffectClass>,
    /// It is for these tools; empty for all.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tools: BTreeSet<Name>,
    /// It is for more money than this only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<Amount>,
    /// People who may decide; empty for the approvers of the job's team.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Name>,
    /// People who may decide too once it is escalated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub escalate_to: Vec<Name>,
    /// Yeses that are needed; `None` is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need: Option<u32>,
    /// Noes that decide; `None` is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_at: Option<u32>,
    /// Within this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<Span>,
    /// Reminded after so many percent of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<u8>,
    /// Escalated after so many percent of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalate_at: Option<u8>,
    /// Then this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    /// How sure we must be of who votes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Demand>,
    /// A yes is good so long once the job runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<Span>,
    /// A yes is good so often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// How the job waits, whatever it asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// What is too long to be shown whole is refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole_only: bool,
    /// Variables of the environment that a yes to a command line covers too.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub env: BTreeSet<Name>,
    /// What is approved of jobs that hold GPUs needs none, and runs as a small job of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub step: bool,
    /// When the approvers are at work; outside of it the next people are asked at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Weekly>,
    /// When nobody is reminded; what is due then is done at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Weekly>,
}

impl ReviewPolicy {
    /// What makes it unsafe, in words: such a policy is not loaded.
    pub fn problem(&self) -> Option<String> {
        let all_are = |safe: fn(EffectClass) -> bool| {
            !self.effects.is_empty() && self.effects.iter().all(|effect| safe(*effect))
        };
        let harmless = all_are(EffectClass::may_pass_in_silence);
        if self.fallback == Some(Fallback::Approve) && !harmless {
            let what = "silence would approve what cannot be undone";
            return Some(format!("{what}; keep `approve` to effects read and reversible"));
        }
        if self.wait == Some(Wait::Go) && !harmless {
            let what = "the job would go on before it is answered";
            return Some(format!("{what}; keep `go` to effects read and reversible"));
        }
        let once = self.effects.iter().any(|effect| !effect.may_repeat());
        if self.uses.is_some_and(|uses| uses > 1) && once {
            let what = "a yes for money or for what is irreversible is good once only";
            return Some(format!("{what}; leave out uses"));
        }
        let too_often = self.uses.is_some_and(|uses| uses > USES_MAX);
        too_often.then(|| format!("a yes is good {USES_MAX} times at most"))
    }
}

/// What happens when nobody decides in time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// It is not done; the job goes on and is told.
    Deny,
    /// It is not done, and the job is cancelled.
    DenyAndCancel,
    /// It goes on waiting, and everybody who may decide is asked.
    KeepWaiting,
    /// The job is told to do this of its alternatives instead.
    RunAlternative(Name),
    /// It is done. Only for reads and what is reversible.
    Approve,
}

impl Fallback {
    /// Its stable word.
    pub const fn word(&self) -> &'static str {
        match self {
            Fallback::Deny => "deny",
            Fallback::DenyAndCancel => "deny_and_cancel",
            Fallback::KeepWaiting => "keep_waiting",
            Fallback::RunAlternative(_) => "run_alternative",
            Fallback::Approve => "approve",
        }
    }

    /// Words of all.
    pub const WORDS: [&'static str; 5] =
        ["deny", "deny_and_cancel", "keep_waiting", "run_alternative", "approve"];
}

/// How sure we must be of who votes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// Anybody the process tree does not rule out.
    #[default]
    Any,
    /// A touched hardware key, another uid or another machine.
    High,
}

impl Demand {
    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Demand::Any => "any",
            Demand::High => "high",
        }
    }
}

/// What the configuration made of one request, kept with it: a later change of the configuration
/// changes who may vote, and nothing else of what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The policy's name; `None` if none fitted and the defaults hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Name>,
    /// First hex digits of a digest of the policy: its version.
    pub version: Name,
    /// Yeses that are needed.
    pub need: u32,
    /// Noes that decide.
    pub deny_at: u32,
    /// Within this.
    pub within: Span,
    /// Reminded after so many percent of it.
    pub remind_at: u8,
    /// Escalated after so many percent of it.
    pub escalate_at: u8,
    /// Then this.
    pub fallback: Fallback,
    /// How sure we must be of who votes.
    pub assurance: Demand,
    /// A yes is good so long once the job runs.
    pub grant: Span,
    /// A yes is good so often.
    pub uses: u32,
    /// When nobody is reminded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Weekly>,
}
