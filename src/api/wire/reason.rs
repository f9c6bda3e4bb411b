//! Why something is not (yet) so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{WireError, Words, name_map, text_map};
use crate::model;
use crate::model::reason::Code;

/// A reason: the code is for programs, the text for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reason {
    /// The stable code.
    pub code: String,
    /// One sentence.
    pub text: String,
    /// The numbers and names behind it.
    pub numbers: BTreeMap<String, Value>,
}

/// A number or a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Int(i64),
    /// A name.
    Text(String),
}

impl From<model::reason::Value> for Value {
    fn from(value: model::reason::Value) -> Value {
        match value {
            model::reason::Value::Int(n) => Value::Int(n),
            model::reason::Value::Text(text) => Value::Text(text),
        }
    }
}

impl From<Value> for model::reason::Value {
    fn from(value: Value) -> model::reason::Value {
        match value {
            Value::Int(n) => model::reason::Value::Int(n),
            Value::Text(text) => model::reason::Value::Text(text),
        }
    }
}

impl Reason {
    /// The document of a reason.
    pub fn new(reason: &model::Reason, words: &dyn Words) -> Reason {
        Reason::saying(reason, words.reason(reason))
    }

    /// The document of what would change something.
    pub fn change(reason: &model::Reason, words: &dyn Words) -> Reason {
        Reason::saying(reason, words.change(reason))
    }

    fn saying(reason: &model::Reason, text: String) -> Reason {
        let code = reason.code.word().to_owned();
        Reason { code, text, numbers: text_map(&reason.numbers) }
    }
}

impl TryFrom<Reason> for model::Reason {
    type Error = WireError;

    fn try_from(from: Reason) -> Result<model::Reason, WireError> {
        let code = Code::from_word(&from.code);
        let code = code.ok_or_else(|| WireError::unknown("reason", &from.code))?;
        Ok(model::Reason { code, numbers: name_map(from.numbers) })
    }
}
