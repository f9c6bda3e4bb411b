//! What a job asks for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::action::ActionShown;
use super::{hash_of, hash_text};
use crate::api::wire::words::Word as _;
use crate::api::wire::{WireError, name_map};
use crate::base::Span;
use crate::model::action::EffectClass;
use crate::model::review::{Alternative, Ask, Wait};

/// What a job asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskShown {
    /// The class of its effect.
    pub effect: String,
    /// What it wants to do.
    pub action: ActionShown,
    /// What the asker says about it; nobody checked this.
    pub summary: String,
    /// Who inside the job asks.
    pub agent: Option<String>,
    /// Other things that would do.
    pub alternatives: Vec<AlternativeShown>,
    /// What must still be so when the right is used, by name.
    pub conditions: BTreeMap<String, String>,
    /// How it waits.
    pub wait: WaitShown,
    /// The caller's idempotency key; null means the action's hash.
    pub key: Option<String>,
    /// Once it is approved it may run as a small job of its own: digest of that job's program.
    #[serde(default)]
    pub step: Option<String>,
    /// The submission did not say that the job would ask for such a thing.
    pub undeclared: bool,
}

/// Something else that would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlternativeShown {
    /// Its name.
    pub name: String,
    /// What it is, says the asker.
    pub summary: String,
}

/// What a job does while it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WaitShown {
    /// `park`, `hold`, `freeze` or `go`.
    pub mode: String,
    /// `hold`: at most so many milliseconds.
    pub most_ms: Option<u64>,
}

impl From<Wait> for WaitShown {
    fn from(from: Wait) -> WaitShown {
        let most_ms = match from {
            Wait::Hold { most } => Some(most.0),
            Wait::Park | Wait::Freeze | Wait::Go => None,
        };
        WaitShown { mode: from.word().to_owned(), most_ms }
    }
}

impl TryFrom<WaitShown> for Wait {
    type Error = WireError;

    fn try_from(from: WaitShown) -> Result<Wait, WireError> {
        let most = from.most_ms.map(Span).ok_or_else(|| WireError::missing("wait.most_ms"));
        Ok(match from.mode.as_str() {
            "park" => Wait::Park,
            "hold" => Wait::Hold { most: most? },
            "freeze" => Wait::Freeze,
            "go" => Wait::Go,
            other => return Err(WireError::unknown("wait", other)),
        })
    }
}

impl From<&Ask> for AskShown {
    fn from(from: &Ask) -> AskShown {
        let other = |other: &Alternative| AlternativeShown {
            name: other.name.to_string(),
            summary: other.summary.clone(),
        };
        let conditions = from.conditions.iter().map(|(k, v)| (k.to_string(), v.clone()));
        AskShown {
            effect: from.effect.to_word(),
            action: (&from.action).into(),
            summary: from.summary.clone(),
            agent: from.agent.as_ref().map(ToString::to_string),
            alternatives: from.alternatives.iter().map(other).collect(),
            conditions: conditions.collect(),
            wait: from.wait.into(),
            key: from.key.clone(),
            step: from.step.map(hash_text),
            undeclared: from.undeclared,
        }
    }
}

impl TryFrom<AskShown> for Ask {
    type Error = WireError;

    fn try_from(from: AskShown) -> Result<Ask, WireError> {
        let other = |other: AlternativeShown| Alternative {
            name: other.name.into(),
            summary: other.summary,
        };
        Ok(Ask {
            effect: EffectClass::of_word(&from.effect)?,
            action: from.action.try_into()?,
            summary: from.summary,
            agent: from.agent.map(Into::into),
            alternatives: from.alternatives.into_iter().map(other).collect(),
            conditions: name_map(from.conditions),
            wait: from.wait.try_into()?,
            key: from.key,
            step: from.step.as_deref().map(hash_of).transpose()?,
            undeclared: from.undeclared,
        })
    }
}
