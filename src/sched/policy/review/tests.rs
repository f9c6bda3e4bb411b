//! Rules one by one.

use super::*;
use EffectClass::{External, Irreversible, Money, Read, Reversible, Unknown};

fn policy(name: &str, effects: &[EffectClass]) -> ReviewPolicy {
    let effects = effects.iter().copied().collect();
    ReviewPolicy { name: name.into(), effects, ..ReviewPolicy::default() }
}

fn euros(value: &str) -> Amount {
    Amount::parse(value, "EUR").unwrap()
}

fn about(effect: EffectClass) -> Subject<'static> {
    Subject { team: "fin/pay", effect, tool: None, amount: None }
}

#[test]
fn the_first_policy_that_fits_counts() {
    let large = ReviewPolicy { above: Some(euros("1000")), ..policy("large", &[Money]) };
    let fin = ReviewPolicy { team: "fin".into(), ..policy("fin", &[Money]) };
    let tools = ReviewPolicy { tools: ["Bash".into()].into(), ..policy("bash", &[]) };
    let all = [large, fin, tools, policy("rest", &[Irreversible])];
    let name = |of: Subject<'_>| fitting(&all, of).map(|policy| policy.name.to_string());
    let money = |amount: &str| {
        let amount = euros(amount);
        name(Subject { amount: Some(&amount), ..about(Money) })
    };
    assert_eq!(money("1000.01").as_deref(), Some("large"));
    assert_eq!(money("1000").as_deref(), Some("fin"));
    assert_eq!(name(Subject { team: "finance", ..about(Money) }), None);
    assert_eq!(name(Subject { tool: Some("Bash"), ..about(Read) }).as_deref(), Some("bash"));
    assert_eq!(name(about(Unknown)).as_deref(), Some("rest"), "unknown counts as irreversible");
    assert_eq!(name(about(External)), None);
}

#[test]
fn silence_is_never_a_yes_to_what_cannot_be_undone() {
    for effect in EffectClass::ALL {
        assert_eq!(silence(effect, None), Fallback::Deny);
        let approved = silence(effect, Some(Fallback::Approve)) == Fallback::Approve;
        assert_eq!(approved, matches!(effect, Read | Reversible), "{effect:?}");
    }
    let unsafe_ones =
        [policy("all", &[]), policy("money", &[Money]), policy("mixed", &[Read, External])];
    for unsafe_one in unsafe_ones {
        let wrong = [ReviewPolicy { fallback: Some(Fallback::Approve), ..unsafe_one }];
        assert!(lint(&wrong, |_| Vec::new())[0].fatal);
    }
    let good =
        [ReviewPolicy { fallback: Some(Fallback::Approve), ..policy("drafts", &[Reversible]) }];
    assert_eq!(lint(&good, |_| Vec::new()), []);
}

#[test]
fn a_rule_takes_the_policys_words_and_the_defaults_of_the_class() {
    let plain = rule(None, Money, true);
    assert_eq!((plain.within, plain.remind_at, plain.escalate_at), (Span::hours(4), 25, 50));
    assert_eq!(rule(None, Money, false).within, PARKED_FOR);
    let said = ReviewPolicy {
        need: Some(2),
        within: Some(Span::mins(5)),
        uses: Some(9),
        ..policy("p", &[])
    };
    let made = rule(Some(&said), External, true);
    assert_eq!((made.need, made.deny_at, made.within, made.uses), (2, 1, Span::mins(5), 9));
    assert_eq!(rule(Some(&said), Money, true).uses, 1, "money is good once");
    let other = ReviewPolicy { need: Some(3), ..said.clone() };
    assert_ne!(version(Some(&said)), version(Some(&other)));
}

#[test]
fn a_no_that_is_enough_counts_before_a_yes_that_is() {
    assert_eq!(tally(1, 0, 2, 1), None);
    assert_eq!(tally(2, 0, 2, 1), Some(true));
    assert_eq!(tally(2, 1, 2, 2), Some(true));
    assert_eq!(tally(2, 2, 2, 2), Some(false));
}

#[test]
fn reminders_wait_for_the_end_of_quiet_hours_but_not_past_the_deadline() {
    let mut rule = rule(None, Irreversible, true);
    let deadline = Wall(1_800_000_000_000);
    let ago = |mins| deadline - Span::mins(mins);
    assert_eq!(due(deadline, &rule, 0), (ago(30), Due::Remind));
    assert_eq!(due(deadline, &rule, 1), (ago(12), Due::Escalate));
    assert_eq!(due(deadline, &rule, 2), (deadline, Due::Expire));
    rule.quiet = Some(Weekly::parse("UTC", "daily", "00:00", "24:00").unwrap());
    assert_eq!(due(deadline, &rule, 0), (deadline, Due::Remind));
}

#[test]
fn a_class_that_nobody_could_approve_is_named() {
    let two = ReviewPolicy { need: Some(2), approvers: vec!["ana".into()], ..policy("two", &[]) };
    let said = lint(std::slice::from_ref(&two), |_| Vec::new());
    assert!(!said[0].fatal && said[0].text.contains("nobody could ever approve"), "{said:?}");
    let enough = ReviewPolicy { escalate_to: vec!["bob".into()], ..two };
    assert_eq!(lint(&[enough], |_| Vec::new()), []);
    let of_team = ReviewPolicy { need: Some(2), ..policy("team", &[Money]) };
    assert_eq!(lint(std::slice::from_ref(&of_team), |_| vec!["a".into(), "b".into()]), []);
    let hidden = [policy("all", &[]), of_team];
    let said = lint(&hidden, |_| vec!["a".into(), "b".into()]);
    assert!(said[0].text.contains("all stands before it"), "{said:?}");
}
