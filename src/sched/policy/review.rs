//! Which rule a request meets, when enough people have spoken, what is due when. Plain numbers
//! and words in, an answer out.
//!
//! The defaults are those of a survey of thirty systems with human approval; what silence may do
//! follows one principle: it never lets happen what cannot be undone.

use crate::base::calendar::Weekly;
use crate::base::{Digest, Name, Span, Wall};
use crate::model::action::{Amount, EffectClass};
use crate::model::review::{Demand, Fallback, ReviewPolicy, Rule};
use crate::model::team::is_within;

/// What a review without a policy waits if its job holds nothing meanwhile.
pub const PARKED_FOR: Span = Span::hours(7 * 24);
/// Reminded after so many percent of the time, unless a policy says otherwise.
const REMIND_AT: u8 = 50;
/// Escalated after so many percent of the time.
const ESCALATE_AT: u8 = 80;

/// What a request is about, as far as rules look at it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The job's team.
    pub team: &'a str,
    /// The class.
    pub effect: EffectClass,
    /// The tool.
    pub tool: Option<&'a str>,
    /// The money.
    pub amount: Option<&'a Amount>,
}

/// The first policy that fits.
pub fn fitting<'a>(policies: &'a [ReviewPolicy], of: Subject<'_>) -> Option<&'a ReviewPolicy> {
    policies.iter().find(|policy| fits(policy, of))
}

fn fits(policy: &ReviewPolicy, of: Subject<'_>) -> bool {
    let above = |least: &Amount| {
        of.amount.is_some_and(|a| a.currency == least.currency && a.value > least.value)
    };
    // What nobody classified is treated as irreversible.
    let of_class = policy.effects.contains(&of.effect)
        || of.effect == EffectClass::Unknown && policy.effects.contains(&EffectClass::Irreversible);
    (policy.team.is_empty() || is_within(of.team, &policy.team))
        && (policy.effects.is_empty() || of_class)
        && (policy.tools.is_empty() || of.tool.is_some_and(|tool| policy.tools.contains(tool)))
        && policy.above.as_ref().is_none_or(above)
}

/// Within which time a class is decided while its job holds what it has.
pub const fn short(effect: EffectClass) -> Span {
    match effect {
        EffectClass::Read | EffectClass::Reversible => Span::hours(24),
        EffectClass::Irreversible | EffectClass::Unknown => Span::hours(1),
        EffectClass::External => Span::mins(30),
        EffectClass::Money => Span::hours(4),
    }
}

/// How long a yes is good once the job runs.
const fn life(effect: EffectClass) -> Span {
    match effect {
        EffectClass::External | EffectClass::Money => Span::mins(10),
        EffectClass::Irreversible | EffectClass::Unknown => Span::mins(15),
        EffectClass::Read | EffectClass::Reversible => Span::hours(1),
    }
}

/// The rule for one request: the policy's words over the defaults of the class. `holds` says that
/// the job keeps what it has while it waits.
pub fn rule(policy: Option<&ReviewPolicy>, effect: EffectClass, holds: bool) -> Rule {
    let said = policy.cloned().unwrap_or_default();
    let (remind_at, escalate_at) = match effect {
        EffectClass::Money => (25, 50),
        _ => (REMIND_AT, ESCALATE_AT),
    };
    let within = if holds { short(effect) } else { PARKED_FOR };
    let repeats = if effect.may_repeat() { said.uses.unwrap_or(1) } else { 1 };
    Rule {
        policy: policy.map(|policy| policy.name.clone()),
        version: version(policy),
        need: said.need.unwrap_or(1).max(1),
        deny_at: said.deny_at.unwrap_or(1).max(1),
        within: said.within.unwrap_or(within),
        remind_at: said.remind_at.unwrap_or(remind_at).min(100),
        escalate_at: said.escalate_at.unwrap_or(escalate_at).min(100),
        fallback: silence(effect, said.fallback),
        assurance: said.assurance.unwrap_or(Demand::Any),
        grant: said.grant.unwrap_or(life(effect)),
        uses: repeats.max(1),
        quiet: said.quiet,
    }
}

/// What silence does: what the policy says, but never yes to what cannot be undone.
pub fn silence(effect: EffectClass, said: Option<Fallback>) -> Fallback {
    match said {
        Some(Fallback::Approve) if !effect.may_pass_in_silence() => Fallback::Deny,
        Some(fallback) => fallback,
        None => Fallback::Deny,
    }
}

/// First hex digits of a digest of what a policy says: another text, another version.
pub fn version(policy: Option<&ReviewPolicy>) -> Name {
    let Some(policy) = policy else { return "default".into() };
    let text = serde_json::to_vec(policy).unwrap_or_default();
    let digest = Digest::of(&text).to_string();
    digest.get(..12).unwrap_or_default().into()
}

/// What so many yeses and noes come to: `None` while neither is enough. A no that is enough
/// counts before a yes that is.
pub const fn tally(yes: u32, no: u32, need: u32, deny_at: u32) -> Option<bool> {
    if no >= deny_at {
        Some(false)
    } else if yes >= need {
        Some(true)
    } else {
        None
    }
}

/// What time does next to an open review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// Remind those who may decide.
    Remind,
    /// Ask the next people.
    Escalate,
    /// It is over.
    Expire,
}

/// When time next does something: `level` says how far it went already.
pub fn due(deadline: Wall, rule: &Rule, level: u8) -> (Wall, Due) {
    let before = |percent: u8| {
        let left = rule.within.percent(u64::from(100 - percent.min(100)));
        wake(rule.quiet.as_ref(), deadline - left).min(deadline)
    };
    match level {
        0 => (before(rule.remind_at), Due::Remind),
        1 => (before(rule.escalate_at), Due::Escalate),
        _ => (deadline, Due::Expire),
    }
}

/// A moment, or the end of the quiet hours it falls into.
pub fn wake(quiet: Option<&Weekly>, moment: Wall) -> Wall {
    quiet.and_then(|quiet| quiet.open_at(moment)).map_or(moment, |open| open.until)
}

/// A fault of a policy that makes it useless or unsafe, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// The policy's name.
    pub policy: Name,
    /// What is wrong and what to do.
    pub text: String,
    /// It cannot be loaded so; else it is worth knowing.
    pub fatal: bool,
}

/// What is wrong with policies. `approvers` says who may decide in a team (its path) beside those
/// that a policy names.
pub fn lint(policies: &[ReviewPolicy], approvers: impl Fn(&str) -> Vec<Name>) -> Vec<Lint> {
    let mut found = Vec::new();
    for (at, policy) in policies.iter().enumerate() {
        let mut say = |fatal, text: String| {
            found.push(Lint { policy: policy.name.clone(), text, fatal });
        };
        if let Some(text) = policy.problem() {
            say(true, text);
        }
        let named: Vec<Name> = match policy.approvers.is_empty() {
            true => approvers(&policy.team),
            false => policy.approvers.clone(),
        };
        let seats = named.iter().chain(&policy.escalate_to);
        let seats: std::collections::BTreeSet<&Name> = seats.collect();
        let need = policy.need.unwrap_or(1);
        let alone = named.is_empty() && policy.escalate_to.is_empty() && need == 1;
        if !alone && (seats.len() as u64) < u64::from(need) {
            let what = format!("{need} yeses are needed and {} may vote", seats.len());
            say(false, format!("{what}: nobody could ever approve; name more approvers"));
        }
        let shadow = policies.iter().take(at).find(|earlier| covers(earlier, policy));
        if let Some(earlier) = shadow {
            say(false, format!("{} stands before it and fits all it fits", earlier.name));
        }
    }
    found
}

/// Whatever the later fits the earlier fits too.
fn covers(earlier: &ReviewPolicy, later: &ReviewPolicy) -> bool {
    let team = earlier.team.is_empty() || is_within(&later.team, &earlier.team);
    let effects = earlier.effects.is_empty()
        || !later.effects.is_empty() && later.effects.is_subset(&earlier.effects);
    let tools = earlier.tools.is_empty()
        || !later.tools.is_empty() && later.tools.is_subset(&earlier.tools);
    let above = match (&earlier.above, &later.above) {
        (None, _) => true,
        (Some(least), Some(more)) => least.currency == more.currency && least.value <= more.value,
        (Some(_), None) => false,
    };
    team && effects && tools && above
}

#[cfg(test)]
#[path = "review/tests.rs"]
mod tests;
