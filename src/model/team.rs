//! A team: a queue in a tree. In this form it can only be paused; shares come with the
//! scheduler's policies.

use serde::{Deserialize, Serialize};

use crate::base::Name;
use crate::model::job::Hold;

/// The team of a job that names none.
pub const DEFAULT_TEAM: &str = "default";

/// A queue of jobs, named by its path in the tree: `org/ml/research`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Its path.
    pub name: Name,
    /// Set while a person holds the whole team back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Hold>,
}
