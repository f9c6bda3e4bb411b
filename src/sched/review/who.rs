//! Who may decide a review.
//!
//! A process in a job's tree never may. The owner of the job may only if nobody else is listed:
//! then that is recorded. Who is listed is asked of the configuration as it is now, for a vote and
//! again when its right is used, so that somebody who was taken off the list has no say.

use std::collections::BTreeSet;

use crate::base::{Name, Wall};
use crate::model::access::{Right, may, role_in};
use crate::model::people::{Actor, Role};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Assurance, Demand, Review, ReviewPolicy, Signature, Verdict, Vote};
use crate::model::setup::Setup;
use crate::model::team::is_within;
use crate::sched::world::World;

/// A seat somebody may vote from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// Whose.
    pub of: Name,
    /// The voter owns the job and nobody else may decide.
    pub own: bool,
}

/// The policy of a review as it is configured now.
fn policy<'a>(world: &'a World, review: &Review) -> Option<&'a ReviewPolicy> {
    let name = review.rule.policy.as_ref()?;
    world.setup().review_policies.iter().find(|policy| policy.name == *name)
}

/// Approvers of a team by role: those that `[[user]]` names for it or for a team above it.
pub fn approvers_of(world: &World, team: &str) -> Vec<Name> {
    approvers_in(world.setup(), team)
}

/// The same of a configuration that nothing runs by.
pub fn approvers_in(setup: &Setup, team: &str) -> Vec<Name> {
    let covers = |path: &str| path.is_empty() || is_within(team, path);
    let users = setup.users.iter().filter(|user| {
        user.grants.iter().any(|grant| grant.role == Role::Approver && covers(&grant.team))
    });
    users.map(|user| user.name.clone()).collect()
}

/// Everybody who is listed to decide a review now; with `all` also those it has not been escalated
/// to yet.
pub fn listed(world: &World, review: &Review, all: bool) -> Vec<Name> {
    let reached = all || review.level >= 2;
    listed_for(world, policy(world, review), &review.team, reached)
}

fn listed_for(
    world: &World,
    policy: Option<&ReviewPolicy>,
    team: &str,
    escalated: bool,
) -> Vec<Name> {
    let mut named = match policy.map(|policy| &policy.approvers) {
        Some(named) if !named.is_empty() => named.clone(),
        _ => approvers_of(world, team),
    };
    let next = policy.map(|policy| &policy.escalate_to[..]).unwrap_or_default();
    if escalated {
        named.extend(next.iter().cloned());
    }
    let mut seen = BTreeSet::new();
    named.retain(|name| seen.insert(name.clone()));
    named
}

/// Who is asked when a review is opened: those who are listed, or the next people if those are
/// not at work; the owner if nobody else is.
pub fn first_asked(
    world: &World,
    policy: Option<&ReviewPolicy>,
    team: &str,
    owner: &Name,
    at_work: bool,
) -> Vec<Name> {
    let mut named = listed_for(world, policy, team, !at_work);
    named.retain(|name| name != owner);
    if named.is_empty() { vec![owner.clone()] } else { named }
}

fn is_owner(world: &World, review: &Review, name: &str, uid: Option<u32>) -> bool {
    let same_uid = |uid: Option<u32>| uid.is_some() && uid == review.owner_uid;
    *review.owner == *name || same_uid(uid) || same_uid(uid_of(world, name))
}

fn uid_of(world: &World, name: &str) -> Option<u32> {
    world.setup().users.iter().find(|user| *user.name == *name)?.uid
}

/// The seat from which somebody may vote now.
///
/// # Errors
/// Why not, and who may.
pub fn seat(world: &World, review: &Review, by: &Actor, wall: Wall) -> Result<Seat, Refusal> {
    if let Some(job) = by.in_job {
        let what = format!("a process of job {job} never decides a review");
        return Err(Refusal::new(
            RefusalCode::Forbidden,
            what,
            "a person does, outside of any job",
        ));
    }
    let setup = world.setup();
    let role = role_in(by, &review.team, &setup.users, setup.owner_uid);
    let relation = crate::model::access::Relation { owner: false, own_tree: false };
    let owner = is_owner(world, review, &by.user, by.uid);
    if !owner && !may(Right::Vote, role, false, relation) {
        return Err(not_listed(by, &[]));
    }
    seat_of(world, review, &by.user, by.uid, wall).ok_or_else(|| {
        let others: Vec<Name> = others(world, review);
        if owner && !others.is_empty() {
            let what =
                format!("{} owns job {} and may not decide what it asks", by.user, review.job);
            let hint = format!("one of these may: {}", super::names(&others));
            return Refusal::new(RefusalCode::Forbidden, what, hint);
        }
        not_listed(by, &others)
    })
}

fn not_listed(by: &Actor, others: &[Name]) -> Refusal {
    let what = format!("{} is not listed to decide this", by.user);
    let hint = match others {
        [] => "`[[user]]` and `[[review_policy]]` in the configuration list approvers".to_owned(),
        others => format!("one of these may: {}", super::names(others)),
    };
    Refusal::new(RefusalCode::Forbidden, what, hint)
}

/// Listed people other than the owner.
fn others(world: &World, review: &Review) -> Vec<Name> {
    let mut listed = listed(world, review, true);
    listed.retain(|name| !is_owner(world, review, name, None));
    listed
}

fn seat_of(
    world: &World,
    review: &Review,
    name: &Name,
    uid: Option<u32>,
    wall: Wall,
) -> Option<Seat> {
    let alone = others(world, review).is_empty();
    let owner = is_owner(world, review, name, uid);
    if alone {
        let actor = Actor { user: name.clone(), uid, in_job: None, job_by: None };
        let setup = world.setup();
        let role = role_in(&actor, &review.team, &setup.users, setup.owner_uid);
        let decides = owner || role >= Some(Role::Admin);
        return decides.then(|| Seat { of: name.clone(), own: owner });
    }
    if owner {
        return None;
    }
    let listed = listed(world, review, false);
    if listed.contains(name) {
        return Some(Seat { of: name.clone(), own: false });
    }
    let handed_by = |from: &&Name| {
        let here = review.delegations.iter().find(|handed| handed.from == **from);
        let away = here.filter(|h| h.holds(wall)).or_else(|| world.desk().away(from, wall));
        away.is_some_and(|handed| handed.to == *name) && !is_owner(world, review, from, None)
    };
    listed.iter().find(handed_by).map(|from| Seat { of: from.clone(), own: false })
}

/// The vote still counts: whoever gave it may still decide.
pub fn counts(world: &World, review: &Review, vote: &Vote, wall: Wall) -> bool {
    let seat = seat_of(world, review, &vote.by, vote.uid, wall);
    seat.is_some_and(|seat| seat.of == vote.seat)
}

/// Yeses and noes that count, each person once, however many names or seats they have.
pub fn tally(world: &World, review: &Review, wall: Wall) -> (Vec<Vote>, Vec<Vote>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    let votes: Vec<&Vote> = review.standing_votes().collect();
    // Of two votes of one person under two names the later counts.
    for vote in votes.into_iter().rev() {
        let uid = vote.uid.or_else(|| uid_of(world, &vote.by));
        let person = uid.map_or_else(|| format!("name {}", vote.by), |uid| format!("uid {uid}"));
        if !counts(world, review, vote, wall) || !seen.insert(person) {
            continue;
        }
        match vote.verdict {
            Verdict::Approve => yes.push(vote.clone()),
            Verdict::Deny { .. } => no.push(vote.clone()),
        }
    }
    yes.reverse();
    no.reverse();
    (yes, no)
}

/// How sure we are that it was a person and not the job: by the signature, and by the uid. Jobs run
/// as the server's user, whoever submitted them.
pub fn assurance(
    world: &World,
    review: &Review,
    by: &Actor,
    signature: Option<&Signature>,
) -> Assurance {
    if signature.is_some_and(|signature| signature.touched) {
        return Assurance::Hardware;
    }
    let server = world.setup().owner_uid;
    match by.uid {
        Some(uid) if uid != server && Some(uid) != review.owner_uid => Assurance::OtherUser,
        _ => Assurance::SameUser,
    }
}

/// Whether that is sure enough.
pub fn is_sure_enough(assurance: Assurance, demand: Demand) -> bool {
    demand == Demand::Any || assurance > Assurance::SameUser
}
