//! The one table of rights: verb × role × team × inside a job (INTERFACE.md, people and rights).
//!
//! [`may`] is asked by the core for every command and by the engine for every read.

use crate::model::people::{Actor, Role, User};

/// Something a caller wants to do, as far as rights are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Look at jobs, nodes, events.
    See,
    /// Look at a job's output.
    ReadOutput,
    /// Queue a job in a team.
    Submit,
    /// Cancel, pause, resume, requeue, set, ack one's own job.
    ActOnOwn,
    /// The same with anybody's.
    ActOnAny,
    /// Type into a job's terminal.
    Type,
    /// Move a job before others of its team, change its priority upwards.
    Reorder,
    /// Pause a team or everything, drain a node.
    Operate,
    /// Stop the server, compact the journal.
    Administer,
    /// Speak for a job: checkpoint, progress, heartbeat, usage.
    Report,
    /// Ask people on a job's behalf, take that back, use the right that a yes gives.
    Ask,
    /// Answer what a job asks; who of those that may look is for the rule of the review to say.
    Vote,
}

/// How the caller stands to what it wants to act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relation {
    /// It owns the job (or would own it).
    pub owner: bool,
    /// The job is the one in whose tree the caller runs, or a descendant of it.
    pub own_tree: bool,
}

/// The table: the least role for each right, and whether a process in a job's tree may.
struct Row {
    right: Right,
    role: Role,
    /// A process in a job's tree may, on its own tree.
    in_job: bool,
}

const TABLE: &[Row] = &[
    Row { right: Right::See, role: Role::Viewer, in_job: true },
    Row { right: Right::ReadOutput, role: Role::Viewer, in_job: true },
    Row { right: Right::Submit, role: Role::Submitter, in_job: true },
    Row { right: Right::ActOnOwn, role: Role::Submitter, in_job: false },
    Row { right: Right::ActOnAny, role: Role::Operator, in_job: false },
    Row { right: Right::Type, role: Role::Submitter, in_job: false },
    Row { right: Right::Reorder, role: Role::Operator, in_job: false },
    Row { right: Right::Operate, role: Role::Operator, in_job: false },
    Row { right: Right::Administer, role: Role::Admin, in_job: false },
    Row { right: Right::Report, role: Role::Submitter, in_job: true },
    Row { right: Right::Ask, role: Role::Submitter, in_job: true },
    Row { right: Right::Vote, role: Role::Viewer, in_job: false },
];

/// The role of `actor` in `team`: the server's owner is admin everywhere, others have what
/// `[[user]]` grants them there or above, and nobody else has any.
pub fn role_in(actor: &Actor, team: &str, users: &[User], owner_uid: u32) -> Option<Role> {
    if actor.uid == Some(owner_uid) {
        return Some(Role::Admin);
    }
    let user = users.iter().find(|user| user.uid.is_some() && user.uid == actor.uid)?;
    let covers = |path: &str| {
        path.is_empty()
            || team == path
            || team.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
    };
    let held = user.grants.iter().filter(|grant| covers(&grant.team));
    // An approver may look, whatever else.
    held.map(|grant| grant.role.max(Role::Viewer)).max()
}

/// May somebody with this role (or a process in a job's tree) do this?
///
/// `role` is the caller's role in the team concerned; `in_job` says that the caller runs in a
/// job's tree, which then replaces the role altogether.
pub fn may(right: Right, role: Option<Role>, in_job: bool, relation: Relation) -> bool {
    let Some(row) = TABLE.iter().find(|row| row.right == right) else { return false };
    if in_job {
        return row.in_job && relation.own_tree;
    }
    let Some(role) = role else { return false };
    let owned_only = matches!(right, Right::ActOnOwn | Right::Type | Right::Report | Right::Ask);
    role >= row.role && (!owned_only || relation.owner || role >= Role::Operator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::people::Grant;

    const OWN: Relation = Relation { owner: true, own_tree: false };
    const OTHER: Relation = Relation { owner: false, own_tree: false };
    const TREE: Relation = Relation { owner: true, own_tree: true };

    #[test]
    fn every_right_has_a_row() {
        for right in [
            Right::See,
            Right::ReadOutput,
            Right::Submit,
            Right::ActOnOwn,
            Right::ActOnAny,
            Right::Type,
            Right::Reorder,
            Right::Operate,
            Right::Administer,
            Right::Report,
            Right::Ask,
            Right::Vote,
        ] {
            assert!(may(right, Some(Role::Admin), false, OWN), "{right:?}");
            assert!(!may(right, None, false, OWN), "{right:?}");
        }
    }

    #[test]
    fn a_process_in_a_jobs_tree_has_that_jobs_rights_whatever_its_uid_says() {
        let admin = Some(Role::Admin);
        let allowed = [Right::See, Right::ReadOutput, Right::Submit, Right::Report, Right::Ask];
        for row in TABLE {
            assert_eq!(may(row.right, admin, true, TREE), allowed.contains(&row.right));
            assert!(!may(row.right, admin, true, OTHER), "{:?} on a stranger", row.right);
        }
    }

    #[test]
    fn a_submitter_acts_on_own_jobs_and_an_operator_on_all() {
        assert!(may(Right::ActOnOwn, Some(Role::Submitter), false, OWN));
        assert!(!may(Right::ActOnOwn, Some(Role::Submitter), false, OTHER));
        assert!(may(Right::ActOnOwn, Some(Role::Operator), false, OTHER));
        assert!(!may(Right::Submit, Some(Role::Viewer), false, OWN));
    }

    #[test]
    fn a_grant_covers_the_subtree_and_nothing_beside_it() {
        let user = User {
            name: "ana".into(),
            os_user: "ana".into(),
            uid: Some(7),
            grants: vec![Grant { team: "org/ml".into(), role: Role::Operator }],
        };
        let ana = Actor { user: "ana".into(), uid: Some(7), in_job: None, job_by: None };
        let role = |team| role_in(&ana, team, std::slice::from_ref(&user), 1000);
        assert_eq!(role("org/ml"), Some(Role::Operator));
        assert_eq!(role("org/ml/research"), Some(Role::Operator));
        assert_eq!(role("org/mlops"), None);
        assert_eq!(role("org"), None);
        let nobody = Actor { user: "x".into(), uid: None, in_job: None, job_by: None };
        assert_eq!(role_in(&nobody, "org/ml", &[user], 1000), None);
    }
}
