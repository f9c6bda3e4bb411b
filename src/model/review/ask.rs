//! What a job asks for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TEXT_MAX;
use crate::base::{Digest, Name, Span};
use crate::model::action::{Action, EffectClass};

/// Alternatives an asker may name.
const ALTERNATIVES_MAX: usize = 8;
/// Conditions it may name.
const CONDITIONS_MAX: usize = 32;

/// What a job asks for; it never changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// What kind of trace it leaves, says the asker.
    pub effect: EffectClass,
    /// What it wants to do.
    pub action: Action,
    /// What the asker says about it. Nobody checked this.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Who inside the job asks: an agent, a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Name>,
    /// Other things that would do, harmless enough to be done without a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
    /// What must still be so when the right is used, by name: a version, a balance, a digest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<Name, String>,
    /// How it waits.
    pub wait: Wait,
    /// The caller's idempotency key; `None` means the action's hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Once it is approved it may run as a small job of its own, without the asker: digest of the
    /// stored program of that job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Digest>,
    /// The submission did not say that the job would ask for such a thing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undeclared: bool,
}

/// Something else that would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// Its name, as a fallback names it.
    pub name: Name,
    /// What it is, says the asker.
    pub summary: String,
}

/// What a job does while it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// It saves itself and ends with 75; it holds nothing and comes back with the answer.
    Park,
    /// Its process stays and holds everything, at most so long; then it parks.
    Hold {
        /// How long it holds.
        most: Span,
    },
    /// It is frozen where it stands.
    Freeze,
    /// It goes on: the answer can only undo.
    Go,
}

impl Wait {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Wait::Park => "park",
            Wait::Hold { .. } => "hold",
            Wait::Freeze => "freeze",
            Wait::Go => "go",
        }
    }
}

impl Ask {
    /// What is wrong with it, in words.
    pub fn problem(&self) -> Option<String> {
        if let Some(problem) = self.action.problem() {
            return Some(problem);
        }
        if self.effect == EffectClass::Money && self.action.amount.is_none() {
            return Some("money needs an amount and a currency".to_owned());
        }
        if self.effect == EffectClass::Irreversible && self.action.target.is_none() {
            return Some("something irreversible needs a target".to_owned());
        }
        if self.wait == Wait::Go && !self.effect.may_pass_in_silence() {
            let what = "only a read or something reversible may go on before it is answered";
            return Some(what.to_owned());
        }
        let alternatives = self.alternatives.iter().map(|other| other.summary.len());
        let conditions = self.conditions.values().map(String::len);
        let texts = [self.summary.len(), self.key.as_ref().map_or(0, String::len)];
        if texts.into_iter().chain(alternatives).chain(conditions).any(|len| len > TEXT_MAX) {
            return Some(format!("a text of more than {TEXT_MAX} bytes"));
        }
        if self.alternatives.len() > ALTERNATIVES_MAX || self.conditions.len() > CONDITIONS_MAX {
            return Some(format!(
                "at most {ALTERNATIVES_MAX} alternatives and {CONDITIONS_MAX} conditions"
            ));
        }
        None
    }

    /// Bytes of it that the world keeps.
    pub fn kept_bytes(&self) -> usize {
        let alternatives = self.alternatives.iter().map(|other| other.summary.len());
        let conditions = self.conditions.values().map(String::len);
        let texts: usize = alternatives.chain(conditions).sum();
        self.action.kept_bytes() + self.summary.len() + texts
    }
}
