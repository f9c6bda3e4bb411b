//! Who is told of reviews, as an event of the configuration shows it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::wire::WireError;
use crate::api::wire::words::Word as _;
use crate::base::Name;
use crate::model::action::EffectClass;
use crate::model::review::{Moment, Target};

/// One `[[notify]]`; where it leads stays in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetShown {
    /// Its name.
    pub name: String,
    /// Of reviews of these teams and those below them; empty for all.
    pub teams: Vec<String>,
    /// Of these classes; empty for all.
    pub effects: Vec<String>,
    /// At these moments; empty for all.
    pub moments: Vec<String>,
    /// Told when one of these people is asked; empty for whoever is.
    pub people: Vec<String>,
}

impl From<&Target> for TargetShown {
    fn from(from: &Target) -> TargetShown {
        let names = |names: &[Name]| names.iter().map(ToString::to_string).collect();
        TargetShown {
            name: from.name.to_string(),
            teams: names(&from.teams),
            effects: from.effects.iter().map(|effect| effect.to_word()).collect(),
            moments: from.moments.iter().map(|moment| moment.word().to_owned()).collect(),
            people: names(&from.people),
        }
    }
}

impl TryFrom<TargetShown> for Target {
    type Error = WireError;

    fn try_from(from: TargetShown) -> Result<Target, WireError> {
        let names = |names: Vec<String>| names.into_iter().map(Into::into).collect();
        let effects: Result<_, _> =
            from.effects.iter().map(|effect| EffectClass::of_word(effect)).collect();
        Ok(Target {
            name: from.name.into(),
            teams: names(from.teams),
            effects: effects?,
            // A moment of a later version is none that this one knows.
            moments: from.moments.iter().filter_map(|word| Moment::of(word)).collect(),
            people: names(from.people),
        })
    }
}
