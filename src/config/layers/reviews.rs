//! `[[review_policy]]`: who decides what agents ask for.

use super::Layers;
use super::tables::{amount, name, span};
use crate::base::Name;
use crate::base::calendar::Weekly;
use crate::config::document::{Entries, Value};
use crate::model::action::{Amount, EffectClass};
use crate::model::review::{Demand, Fallback, ReviewPolicy, Wait};

impl Layers<'_> {
    pub(super) fn review_policies(&mut self) -> Vec<ReviewPolicy> {
        self.distinct("review_policy", "name");
        let mut policies = Vec::new();
        for table in self.file.tables("review_policy") {
            let Some(named) = name(table, "name") else { continue };
            match policy(table, named.clone()) {
                Ok(policy) => policies.push(policy),
                Err(why) => self.say(table.line, format!("review_policy {named}: {why}")),
            }
        }
        policies
    }
}

fn policy(table: &Entries, named: Name) -> Result<ReviewPolicy, String> {
    let count = |key| amount(table, key).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let percent = |key| match amount(table, key) {
        Some(n) if n > 100 => Err(format!("{key} is a percentage, and {n} is above 100")),
        Some(n) => Ok(u8::try_from(n).ok()),
        None => Ok(None),
    };
    let hours = |key| name(table, key).map(|text| hours(&text)).transpose();
    let policy = ReviewPolicy {
        name: named,
        team: name(table, "team").unwrap_or_else(|| "".into()),
        effects: effects(table),
        tools: names(table, "tools").into_iter().collect(),
        above: above(table)?,
        approvers: names(table, "approvers"),
        escalate_to: names(table, "escalate_to"),
        need: count("need"),
        deny_at: count("deny_at"),
        within: span(table, "within"),
        remind_at: percent("remind_at")?,
        escalate_at: percent("escalate_at")?,
        fallback: fallback(table)?,
        assurance: name(table, "assurance")
            .map(|word| if &*word == "high" { Demand::High } else { Demand::Any }),
        grant: span(table, "grant"),
        uses: count("uses"),
        wait: wait(table)?,
        whole_only: table.get("whole_only").is_some_and(|f| f.value == Value::Flag(true)),
        env: names(table, "env").into_iter().collect(),
        step: table.get("step").is_some_and(|f| f.value == Value::Flag(true)),
        hours: hours("hours")?,
        quiet: hours("quiet")?,
    };
    policy.problem().map_or(Ok(policy), Err)
}

fn names(table: &Entries, key: &str) -> Vec<Name> {
    match table.get(key).map(|found| &found.value) {
        Some(Value::Names(names)) => names.clone(),
        _ => Vec::new(),
    }
}

fn effects(table: &Entries) -> std::collections::BTreeSet<EffectClass> {
    match table.get("effects").map(|found| &found.value) {
        Some(Value::Words(words)) => words.iter().filter_map(|w| EffectClass::of(w)).collect(),
        _ => std::collections::BTreeSet::new(),
    }
}

fn above(table: &Entries) -> Result<Option<Amount>, String> {
    match (name(table, "above"), name(table, "currency")) {
        (None, None) => Ok(None),
        (Some(value), Some(currency)) => Amount::parse(&value, &currency).map(Some),
        _ => Err("above and currency belong together: say both or none".to_owned()),
    }
}

fn fallback(table: &Entries) -> Result<Option<Fallback>, String> {
    let alternative = name(table, "alternative");
    let Some(word) = name(table, "fallback") else {
        let why = || "alternative needs fallback = \"run_alternative\"".to_owned();
        return if alternative.is_some() { Err(why()) } else { Ok(None) };
    };
    Ok(Some(match (&*word, alternative) {
        ("run_alternative", Some(name)) => Fallback::RunAlternative(name),
        ("run_alternative", None) => {
            return Err("run_alternative needs alternative: the name of one".to_owned());
        }
        ("deny_and_cancel", _) => Fallback::DenyAndCancel,
        ("keep_waiting", _) => Fallback::KeepWaiting,
        ("approve", _) => Fallback::Approve,
        _ => Fallback::Deny,
    }))
}

fn wait(table: &Entries) -> Result<Option<Wait>, String> {
    let most = span(table, "hold_for");
    Ok(match (name(table, "wait").as_deref(), most) {
        (None, None) => None,
        (Some("hold"), Some(most)) => Some(Wait::Hold { most }),
        (Some("hold"), None) => return Err("wait = \"hold\" needs hold_for".to_owned()),
        (_, Some(_)) => return Err("hold_for needs wait = \"hold\"".to_owned()),
        (Some("freeze"), None) => Some(Wait::Freeze),
        (Some("go"), None) => Some(Wait::Go),
        (Some(_), None) => Some(Wait::Park),
    })
}

/// `mon-fri 08:00-18:00 Europe/Berlin`.
fn hours(text: &str) -> Result<Weekly, String> {
    let mut parts = text.split_whitespace();
    let wrong = || format!("{text:?} are no hours; write mon-fri 08:00-18:00 Europe/Berlin");
    let (Some(days), Some(times), Some(zone), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(wrong());
    };
    let (from, to) = times.split_once('-').ok_or_else(wrong)?;
    Weekly::parse(zone, days, from, to)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::base::Span;
    use crate::config::layers::{Given, merge};

    fn policies(text: &str) -> Result<Vec<ReviewPolicy>, String> {
        let file = Path::new("config.toml");
        let given = Given { file, must_exist: false, env: &|_| None, flags: &[] };
        merge(&given, text).map(|config| config.review_policies).map_err(|e| e.to_string())
    }

    #[test]
    fn a_policy_is_read_with_all_its_words() {
        let read = policies(
            r#"
            [[review_policy]]
            name = "large"
            team = "fin"
            effects = ["money"]
            above = "1000"
            currency = "EUR"
            approvers = ["ana", "bob"]
            escalate_to = ["dora"]
            need = 2
            within = "4h"
            fallback = "run_alternative"
            alternative = "draft"
            assurance = "high"
            grant = "10m"
            wait = "hold"
            hold_for = "5m"
            hours = "mon-fri 08:00-18:00 Europe/Berlin"
            "#,
        );
        let policy = &read.unwrap()[0];
        assert_eq!(policy.above.as_ref().unwrap().to_string(), "1000.00 EUR");
        assert_eq!(policy.approvers, ["ana".into(), "bob".into()]);
        assert_eq!((policy.need, policy.within), (Some(2), Some(Span::hours(4))));
        assert_eq!(policy.fallback, Some(Fallback::RunAlternative("draft".into())));
        assert_eq!(policy.assurance, Some(Demand::High));
        assert_eq!(policy.wait, Some(Wait::Hold { most: Span::mins(5) }));
        assert_eq!(policy.hours.as_ref().unwrap().days, 0b1_1111);
    }

    #[test]
    fn what_would_be_unsafe_or_makes_no_sense_is_refused_when_it_is_loaded() {
        for (text, said) in [
            ("effects = [\"money\"]\nfallback = \"approve\"", "cannot be undone"),
            ("fallback = \"approve\"", "cannot be undone"),
            ("effects = [\"money\"]\nuses = 3", "once only"),
            ("effects = [\"external\"]\nwait = \"go\"", "before it is answered"),
            ("above = \"10\"", "belong together"),
            ("remind_at = 101", "percentage"),
            ("quiet = \"nights\"", "no hours"),
            ("fallback = \"run_alternative\"", "needs alternative"),
            ("effects = [\"monye\"]", "did you mean \"money\""),
            ("wait = \"hold\"", "needs hold_for"),
        ] {
            let why = policies(&format!("[[review_policy]]\nname = \"p\"\n{text}")).unwrap_err();
            assert!(why.contains(said), "{text}: {why}");
        }
        let good = "[[review_policy]]\nname = \"p\"\neffects = [\"read\"]\nfallback = \"approve\"";
        assert_eq!(policies(good).unwrap()[0].fallback, Some(Fallback::Approve));
    }
}
