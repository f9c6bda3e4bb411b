//! Cases of the order of gangs and of their members.

use std::cmp::Ordering;

use serde::Deserialize;
use serde_json::Value;

use crate::sched::policy::gang::{Group, Member, Set, Standing, member_order};
use crate::sim::conform::{same, typed};

/// Task states in which a task has room, or is promised some, and is not giving it back.
const ACTIVE: &[&str] = &["running", "bound", "binding", "allocated", "pipelined"];

pub(super) fn job_first(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        left: Job,
        right: Job,
        expect: String,
    }
    #[derive(Deserialize)]
    struct Job {
        min_available: u32,
        #[serde(default)]
        tasks: Vec<String>,
    }
    let standing = |job: &Job| {
        let active = job.tasks.iter().filter(|state| ACTIVE.contains(&state.as_str())).count();
        Standing::of(u32::try_from(active).unwrap_or(u32::MAX), job.min_available)
    };
    let case: Case = typed(case)?;
    let order = standing(&case.left).cmp(&standing(&case.right));
    same(&case.expect.as_str(), &side(order))
}

/// A group has `active` tasks, a set has `members`.
#[derive(Deserialize)]
struct MemberCase {
    #[serde(default)]
    min: Option<u32>,
    #[serde(default)]
    active: u32,
    #[serde(default)]
    members: Option<Vec<MemberCase>>,
}

impl MemberCase {
    fn member(&self) -> Member {
        match &self.members {
            Some(members) => {
                let members = members.iter().map(MemberCase::member).collect();
                Member::Set(Set { min: self.min, members })
            }
            None => {
                let min = self.min.unwrap_or(0);
                Member::Group(Group { min, active: self.active, ..Group::default() })
            }
        }
    }
}

pub(super) fn member_first(case: &Value) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Case {
        left: MemberCase,
        right: MemberCase,
        expect: String,
    }
    let case: Case = typed(case)?;
    let order = member_order(&case.left.member(), &case.right.member());
    same(&case.expect.as_str(), &side(order))
}

fn side(order: Ordering) -> &'static str {
    match order {
        Ordering::Less => "left",
        Ordering::Equal => "same",
        Ordering::Greater => "right",
    }
}
