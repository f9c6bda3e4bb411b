//! Who asks, and what they may do.

use serde::{Deserialize, Serialize};

use crate::base::{JobId, Name};

/// Who issued a command, as the api established it; [`crate::sched`] decides what that allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The person's name: from `[[user]]`, else the operating system's name for the uid.
    pub user: Name,
    /// The uid at the other end of the socket, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<u32>,
    /// The job in whose process tree the caller runs, or whose token it showed. Such a caller
    /// has that job's rights and no others, whatever its uid says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_job: Option<JobId>,
    /// How that was known; `None` for people, and in records that do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_by: Option<Evidence>,
}

/// How it is known that somebody acts for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The process lives in the job's tree.
    Tree,
    /// It showed the job's token, from outside of the tree.
    Token,
}

impl Actor {
    /// As lists of events name it: the job for a process in its tree, else the person.
    pub fn shown(&self) -> Name {
        self.in_job.map_or_else(|| self.user.clone(), |job| format!("job {job}").into())
    }

    /// The program itself: timers, health, reconciliation.
    pub fn system() -> Actor {
        Actor { user: "holdshort".into(), uid: None, in_job: None, job_by: None }
    }
}

/// What a person may do in a team and everything below it. Each includes the ones before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Decide reviews, and look. It stands beside the others rather than below them.
    Approver,
    /// Look.
    Viewer,
    /// Queue jobs and act on one's own.
    Submitter,
    /// Act on everybody's jobs; pause, drain.
    Operator,
    /// Everything, the server itself included.
    Admin,
}

/// A person known by configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The name that is shown.
    pub name: Name,
    /// The operating system's user, by name; the same as `name` if not given.
    pub os_user: Name,
    /// The uid behind `os_user` on this machine, if it has one.
    pub uid: Option<u32>,
    /// What they may do everywhere below a team; an empty path means everywhere.
    pub grants: Vec<Grant>,
}

/// A role in a team's subtree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Path of the team; empty for all of them.
    pub team: Name,
    /// The role.
    pub role: Role,
}
