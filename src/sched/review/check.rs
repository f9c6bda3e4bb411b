//! Which rule an action would meet, and whether anybody could say yes. Nothing is asked by it.

use std::collections::BTreeSet;

use super::who;
use crate::base::{Name, Wall};
use crate::model::action::EffectClass;
use crate::model::review::{Demand, ReviewPolicy, Rule, Wait};
use crate::model::setup::Setup;
use crate::sched::policy::review::{self as policy, Subject};

/// What an action would meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// The rule, for a job that holds nothing while it waits.
    pub rule: Rule,
    /// How its job would wait, if the rule says so.
    pub wait: Option<Wait>,
    /// The variables that a yes to a command line covers.
    pub env: Vec<Name>,
    /// Who would be asked first; empty when the job's owner decides alone.
    pub asked: Vec<Name>,
    /// Who would be asked once it is escalated.
    pub next: Vec<Name>,
    /// Those who would be asked first are not at work now, so the next people are asked at once.
    pub after_hours: bool,
    /// Nobody is asked: a read without a rule of its own.
    pub passes: bool,
    /// Nobody could ever approve it: why.
    pub nobody: Option<String>,
}

/// What an action would meet at `wall`. `owner` owns the job, and decides only if nobody else is
/// listed. `known` says whether a name is a person's who can sign in.
pub fn meets(
    setup: &Setup,
    subject: Subject<'_>,
    owner: &str,
    wall: Wall,
    known: impl Fn(&str) -> bool,
) -> Met {
    let policy = policy::fitting(&setup.review_policies, subject);
    let waits = policy.and_then(|policy| policy.wait);
    let holds = waits.is_some_and(|wait| wait != Wait::Park);
    let rule = policy::rule(policy, subject.effect, holds);
    let mut asked = named(setup, policy, subject.team);
    let mut next: Vec<Name> = policy.map(|p| p.escalate_to.clone()).unwrap_or_default();
    next.retain(|name| !asked.contains(name));
    for list in [&mut asked, &mut next] {
        list.retain(|name| **name != *owner);
    }
    let hours = policy.and_then(|policy| policy.hours.as_ref());
    Met {
        nobody: nobody(&rule, &asked, &next, known),
        wait: waits,
        env: policy.map(|policy| policy.env.iter().cloned().collect()).unwrap_or_default(),
        after_hours: hours.is_some_and(|hours| hours.open_at(wall).is_none()),
        passes: policy.is_none() && subject.effect == EffectClass::Read,
        rule,
        asked,
        next,
    }
}

fn named(setup: &Setup, policy: Option<&ReviewPolicy>, team: &str) -> Vec<Name> {
    match policy.map(|policy| &policy.approvers) {
        Some(named) if !named.is_empty() => named.clone(),
        _ => who::approvers_in(setup, team),
    }
}

/// Why nobody could approve, if that is so.
fn nobody(
    rule: &Rule,
    asked: &[Name],
    next: &[Name],
    known: impl Fn(&str) -> bool,
) -> Option<String> {
    let listed: BTreeSet<&Name> = asked.iter().chain(next).collect();
    if listed.is_empty() {
        // The owner alone has one vote, of the uid that the job runs as.
        let few = rule.need > 1;
        let unsure = rule.assurance == Demand::High;
        return if few {
            Some(format!("{} yeses are needed and only the job's owner may vote", rule.need))
        } else {
            unsure.then(|| {
                "only the job's owner may vote, and the rule wants a hardware key or another uid; \
                 without such a key nobody could approve"
                    .to_owned()
            })
        };
    }
    let (can, cannot): (Vec<&Name>, Vec<&Name>) = listed.into_iter().partition(|name| known(name));
    if (can.len() as u64) < u64::from(rule.need) {
        let names: Vec<&str> = cannot.iter().map(|name| &***name).collect();
        let unknown = match names.as_slice() {
            [] => String::new(),
            names => format!(" ({} cannot sign in: no [[user]] of this machine)", names.join(", ")),
        };
        return Some(format!(
            "{} yeses are needed and {} people may vote{unknown}",
            rule.need,
            can.len()
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::people::{Grant, Role, User};

    fn setup(policies: Vec<ReviewPolicy>) -> Setup {
        let user = |name: &str, uid| User {
            name: name.into(),
            os_user: name.into(),
            uid: Some(uid),
            grants: vec![Grant { team: "fin".into(), role: Role::Approver }],
        };
        Setup {
            users: vec![user("ana", 1), user("bob", 2)],
            review_policies: policies,
            ..Setup::default()
        }
    }

    fn met(setup: &Setup, team: &str, owner: &str) -> Met {
        let effect = EffectClass::Money;
        let subject = Subject { team, effect, tool: None, amount: None };
        let known = |name: &str| ["ana", "bob", "carl"].contains(&name);
        meets(setup, subject, owner, Wall(0), known)
    }

    fn policy(change: impl FnOnce(&mut ReviewPolicy)) -> ReviewPolicy {
        let mut policy = ReviewPolicy { name: "rule".into(), ..ReviewPolicy::default() };
        change(&mut policy);
        policy
    }

    #[test]
    fn people_are_those_of_the_rule_else_of_the_team_else_the_owner() {
        let names = |met: &Met| met.asked.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&met(&setup(vec![]), "fin/pay", "carl")), ["ana", "bob"]);
        assert_eq!(names(&met(&setup(vec![]), "fin", "ana")), ["bob"], "never one's own");
        let alone = met(&setup(vec![]), "ml", "carl");
        assert_eq!((alone.asked.len(), alone.nobody), (0, None));
        let listed = setup(vec![policy(|p| p.approvers = vec!["bob".into()])]);
        assert_eq!(names(&met(&listed, "ml", "carl")), ["bob"]);
    }

    #[test]
    fn what_nobody_could_approve_is_said() {
        let why = |policy| met(&setup(vec![policy]), "ml", "carl").nobody.unwrap_or_default();
        assert!(why(policy(|p| p.need = Some(2))).contains("only the job's owner"));
        assert!(why(policy(|p| p.assurance = Some(Demand::High))).contains("hardware key"));
        let ghosts = |p: &mut ReviewPolicy| p.approvers = vec!["zoe".into()];
        assert!(why(policy(ghosts)).contains("zoe cannot sign in"));
        let few = |p: &mut ReviewPolicy| {
            p.approvers = vec!["ana".into(), "carl".into()];
            p.need = Some(2);
        };
        assert!(why(policy(few)).contains("2 yeses are needed and 1 people"), "carl is the owner");
        let enough = |p: &mut ReviewPolicy| {
            p.approvers = vec!["ana".into()];
            p.escalate_to = vec!["bob".into()];
            p.need = Some(2);
        };
        assert_eq!(why(policy(enough)), "");
    }
}
