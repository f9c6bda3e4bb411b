//! What somebody wants to do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{hash_of, hash_text};
use crate::api::wire::WireError;
use crate::model::action::{self, Action, Args, FileLine};

/// What somebody wants to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionShown {
    /// What kind of thing.
    pub kind: String,
    /// The tool, if one is used.
    pub tool: Option<String>,
    /// The arguments as canonical JSON text (RFC 8785): exactly these bytes are covered; null if
    /// they are stored.
    pub args: Option<String>,
    /// Arguments that are too long to be shown at once.
    pub stored: Option<StoredShown>,
    /// On what.
    pub target: Option<String>,
    /// How much money.
    pub amount: Option<AmountShown>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AmountShown {
    /// How much, as text: `4180.00`.
    pub value: String,
    /// Of what: `EUR`.
    pub currency: String,
}

/// Arguments that are too long to be shown at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StoredShown {
    /// Digest of the bytes.
    pub digest: String,
    /// How many there are.
    pub bytes: u64,
    /// What they consist of.
    pub files: Vec<FileShown>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileShown {
    /// Its path.
    pub path: String,
    /// Digest of its bytes.
    pub digest: String,
    /// How many there are.
    pub bytes: u64,
}

impl From<&action::Amount> for AmountShown {
    fn from(from: &action::Amount) -> AmountShown {
        AmountShown { value: from.value.to_string(), currency: from.currency.to_string() }
    }
}

impl TryFrom<AmountShown> for action::Amount {
    type Error = WireError;

    fn try_from(from: AmountShown) -> Result<action::Amount, WireError> {
        action::Amount::parse(&from.value, &from.currency).map_err(WireError)
    }
}

impl From<&Action> for ActionShown {
    fn from(from: &Action) -> ActionShown {
        let (args, stored) = match &from.args {
            Args::Here(text) => (Some(text.clone()), None),
            Args::Stored { digest, bytes, files } => {
                let file = |file: &FileLine| FileShown {
                    path: file.path.clone(),
                    digest: hash_text(file.digest),
                    bytes: file.bytes,
                };
                let files = files.iter().map(file).collect();
                let digest = hash_text(*digest);
                (None, Some(StoredShown { digest, bytes: *bytes, files }))
            }
        };
        ActionShown {
            kind: from.kind.to_string(),
            tool: from.tool.as_ref().map(ToString::to_string),
            args,
            stored,
            target: from.target.clone(),
            amount: from.amount.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<ActionShown> for Action {
    type Error = WireError;

    fn try_from(from: ActionShown) -> Result<Action, WireError> {
        let args = match (from.args, from.stored) {
            (Some(text), None) => Args::Here(text),
            (None, Some(stored)) => {
                let file = |file: FileShown| {
                    let digest = hash_of(&file.digest)?;
                    Ok(FileLine { path: file.path, digest, bytes: file.bytes })
                };
                let files: Result<_, WireError> = stored.files.into_iter().map(file).collect();
                let digest = hash_of(&stored.digest)?;
                Args::Stored { digest, bytes: stored.bytes, files: files? }
            }
            _ => return Err(WireError("an action has either args or stored".to_owned())),
        };
        Ok(Action {
            kind: from.kind.into(),
            tool: from.tool.map(Into::into),
            args,
            target: from.target,
            amount: from.amount.map(TryInto::try_into).transpose()?,
        })
    }
}
