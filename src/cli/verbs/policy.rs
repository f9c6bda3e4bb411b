//! `policy check`: which rule an action would meet, who would be asked, what silence does; `policy
//! stats` is in `habits`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::api::wire::review::rule::RuleShown;
use crate::base::text::sanitise;
use crate::base::{Name, duration};
use crate::cli::args::values;
use crate::cli::clock;
use crate::cli::exit::{FAILED, Failure, OK, Outcome};
use crate::cli::serve;
use crate::cli::session::{Session, block_on};
use crate::cli::verbs::habits::Stats;
use crate::model::action::{Amount, EffectClass};
use crate::model::review::{Demand, Fallback, Rule};
use crate::model::setup::Setup;
use crate::model::team::DEFAULT_TEAM;
use crate::sched::policy::review::{self as rules, Lint, Subject};
use crate::sched::review::check::{Met, meets};
use crate::sched::review::who;

/// `policy`.
#[derive(Debug, Args)]
pub struct Policy {
    #[command(subcommand)]
    verb: PolicyVerb,
}

#[derive(Debug, Subcommand)]
enum PolicyVerb {
    /// Say which rule an action would meet; nobody is asked
    Check(Check),
    /// Say how often rules asked and how they were answered
    Stats(Stats),
}

/// `policy check`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  holdshort policy check
  holdshort policy check --effect money --amount 4180 --currency EUR --team fin")]
#[command(after_help = "It reads the configuration and needs no server. Without --effect all \
                        classes are looked at. Ends with 1 if nobody could ever approve one.")]
struct Check {
    /// What kind of trace it leaves [default: each]
    #[arg(long, value_name = "CLASS", value_parser = values::effect)]
    effect: Option<EffectClass>,
    /// How much money
    #[arg(long, value_name = "N", requires = "currency")]
    amount: Option<String>,
    /// Of what: EUR
    #[arg(long, value_name = "C", requires = "amount")]
    currency: Option<String>,
    /// Team of the job that would ask
    #[arg(long, value_name = "TEAM", default_value = DEFAULT_TEAM, value_parser = values::team)]
    team: Name,
    /// The tool that would be used
    #[arg(long, value_name = "TOOL", value_parser = values::name)]
    tool: Option<Name>,
    /// On what; no rule looks at it
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Who would own the job [default: you]
    #[arg(long, value_name = "USER", value_parser = values::name)]
    owner: Option<Name>,
}

impl Policy {
    /// Prints it.
    ///
    /// # Errors
    /// An amount that makes no sense, and what the server refuses.
    pub fn run(self, session: &Session) -> Outcome {
        match self.verb {
            PolicyVerb::Check(check) => check.run(session),
            PolicyVerb::Stats(stats) => {
                let link = session.link()?;
                block_on(stats.run(session, link.as_ref()))
            }
        }
    }
}

impl Check {
    fn run(&self, session: &Session) -> Outcome {
        let amount = match (&self.amount, &self.currency) {
            (Some(value), Some(currency)) => Some(
                Amount::parse(value, currency)
                    .map_err(|why| Failure::usage(why, "--amount 4180.00 --currency EUR"))?,
            ),
            _ => None,
        };
        let setup = serve::setup(&session.places.config, session.places.uid);
        let own = own_name(&setup, session.places.uid);
        let owner = self.owner.clone().unwrap_or_else(|| own.clone());
        let classes = self.effect.map_or(EffectClass::ALL.to_vec(), |effect| vec![effect]);
        let known = |name: &str| *own == *name || signs_in(&setup, name);
        let met = |effect| {
            let (team, tool, amount) = (&*self.team, self.tool.as_deref(), amount.as_ref());
            let subject = Subject { team, effect, tool, amount };
            (effect, meets(&setup, subject, &owner, clock::wall(), known))
        };
        let met: Vec<(EffectClass, Met)> = classes.into_iter().map(met).collect();
        let lints = rules::lint(&setup.review_policies, |team| who::approvers_in(&setup, team));
        if session.globals.json {
            session.json(&self.document(&owner, &met, &lints))?;
        } else {
            session.output.out(&self.text(&owner, &met, &lints))?;
        }
        Ok(if met.iter().any(|(_, met)| met.nobody.is_some()) { FAILED } else { OK })
    }

    fn document(&self, owner: &str, met: &[(EffectClass, Met)], lints: &[Lint]) -> Value {
        let one = |(effect, met): &(EffectClass, Met)| {
            json!({
                "effect": effect.word(),
                "rule": RuleShown::from(&met.rule),
                "wait": met.wait.map(|wait| wait.word()),
                "asked": if met.passes { Vec::new() } else { asked(met, owner) },
                "escalate_to": met.next,
                "owner_decides": !met.passes && met.asked.is_empty() && met.next.is_empty(),
                "after_hours": met.after_hours,
                "asks_nobody": met.passes,
                "env": met.env,
                "nobody_could_approve": met.nobody,
            })
        };
        let lint = |lint: &Lint| json!({"policy": lint.policy, "text": lint.text});
        json!({
            "schema_version": 1,
            "team": self.team,
            "owner": owner,
            "target": self.target,
            "checks": met.iter().map(one).collect::<Vec<_>>(),
            "lints": lints.iter().map(lint).collect::<Vec<_>>(),
        })
    }

    fn text(&self, owner: &str, met: &[(EffectClass, Met)], lints: &[Lint]) -> String {
        let mut text = String::new();
        for (effect, met) in met {
            text.push_str(&format!("{:<13} {}\n", effect.word(), sentence(met, owner)));
            if let Some(nobody) = &met.nobody {
                text.push_str(&format!("{:<13} nobody could approve it: {nobody}\n", ""));
            }
        }
        for lint in lints {
            text.push_str(&format!("rule {}: {}\n", sanitise(&lint.policy), lint.text));
        }
        text
    }
}

/// How the server would call whoever runs this.
fn own_name(setup: &Setup, uid: u32) -> Name {
    if let Some(user) = setup.users.iter().find(|user| user.uid == Some(uid)) {
        return user.name.clone();
    }
    let known = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(uid)).ok().flatten();
    known.map_or_else(|| uid.to_string().into(), |user| user.name.into())
}

/// A person whom the server would know: by a uid of this machine.
fn signs_in(setup: &Setup, name: &str) -> bool {
    setup.users.iter().any(|user| *user.name == *name && user.uid.is_some())
}

fn asked(met: &Met, owner: &str) -> Vec<String> {
    let people = if met.after_hours { &met.next } else { &met.asked };
    match people.as_slice() {
        [] if met.asked.is_empty() && met.next.is_empty() => vec![owner.to_owned()],
        [] => met.asked.iter().map(ToString::to_string).collect(),
        people => people.iter().map(ToString::to_string).collect(),
    }
}

fn sentence(met: &Met, owner: &str) -> String {
    let by = match &met.rule.policy {
        Some(policy) => format!("rule {}", sanitise(policy)),
        None => "no rule of its own".to_owned(),
    };
    if met.passes {
        return format!("{by}: passes at once, recorded");
    }
    let own = met.asked.is_empty() && met.next.is_empty();
    let people = sanitise(&asked(met, owner).join(", ")).into_owned();
    let people = if own { format!("{people} alone (recorded as self)") } else { people };
    let hours = if met.after_hours { ", the others not being at work" } else { "" };
    let next = match met.next.as_slice() {
        [] => String::new(),
        next => {
            let names: Vec<&str> = next.iter().map(|name| &**name).collect();
            let at = met.rule.escalate_at;
            format!("; at {at} % of the time also {}", sanitise(&names.join(", ")))
        }
    };
    let wait = met.wait.map_or_else(String::new, |wait| format!("; it waits by {}", wait.word()));
    let env: Vec<&str> = met.env.iter().map(|name| &**name).collect();
    let env = if env.is_empty() {
        String::new()
    } else {
        format!("; covers {} of the environment", sanitise(&env.join(", ")))
    };
    format!("{by}: asks {people}{hours}{next}; {}{wait}{env}", terms(&met.rule))
}

fn terms(rule: &Rule) -> String {
    let need = match rule.need {
        1 => "one yes".to_owned(),
        need => format!("{need} yeses"),
    };
    let sure = if rule.assurance == Demand::High { ", high assurance" } else { "" };
    let within = duration::exact(rule.within);
    let then = match &rule.fallback {
        Fallback::Deny => "denied".to_owned(),
        Fallback::DenyAndCancel => "denied and the job cancelled".to_owned(),
        Fallback::KeepWaiting => "asked again".to_owned(),
        Fallback::RunAlternative(name) => format!("{} instead", sanitise(name)),
        Fallback::Approve => "approved".to_owned(),
    };
    let good = duration::exact(rule.grant);
    format!("{need}{sure} within {within}, else {then}; a yes is good for {good}")
}
