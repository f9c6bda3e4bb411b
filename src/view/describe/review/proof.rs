//! What somebody has to do to say yes, beyond pressing a key: the more it costs, the more one has
//! to show of what was read.

use super::escape::has_escapes;
use crate::base::text::width;
use crate::model::action::amount::Value;
use crate::model::action::{Amount, EffectClass};
use crate::model::review::{HASH_DIGITS, Review};

/// Columns of a target that one can be asked to type.
const TYPED_MAX: usize = 48;

/// What shows that the card was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The same key a second time: nothing is lost by a mistake.
    Again,
    /// The amount is typed.
    Amount(Amount),
    /// The target is typed.
    Target(String),
    /// The beginning of the hash is typed, where there is no target that could be.
    Hash(String),
}

impl Proof {
    /// What a yes to a review takes.
    pub fn of(review: &Review) -> Proof {
        let action = review.action();
        match (review.ask.effect, &action.amount, &action.target) {
            (EffectClass::Read | EffectClass::Reversible, ..) => Proof::Again,
            (EffectClass::Money, Some(amount), _) => Proof::Amount(amount.clone()),
            (_, _, Some(target)) if can_be_typed(target) => Proof::Target(target.clone()),
            _ => {
                let hash = review.hash.to_string();
                Proof::Hash(hash.get(..HASH_DIGITS).unwrap_or("").to_owned())
            }
        }
    }

    /// What was typed is it.
    pub fn fits(&self, typed: &str) -> bool {
        let typed = typed.trim();
        match self {
            Proof::Again => false,
            Proof::Amount(amount) => is_amount(typed, amount),
            Proof::Target(target) => typed == target.trim(),
            Proof::Hash(hash) => typed.eq_ignore_ascii_case(hash),
        }
    }

    /// What has to be done, as a sentence.
    pub fn asks(&self, effect: EffectClass) -> String {
        let what = match effect {
            EffectClass::Read => "This changes nothing.",
            EffectClass::Reversible => "This can be undone.",
            EffectClass::Irreversible => "This cannot be undone.",
            EffectClass::External => "Others will see this.",
            EffectClass::Money => "This is money.",
            EffectClass::Unknown => "Nobody said what this does; take it for irreversible.",
        };
        let how = match self {
            Proof::Again => {
                "Press A a second time to say yes, any other key leaves it open.".to_owned()
            }
            Proof::Amount(_) => format!("Type the amount to say yes: {}", self.to_type()),
            Proof::Target(_) => format!("Type the target to say yes: {}", self.to_type()),
            Proof::Hash(_) => {
                format!("Type the first 8 digits of the hash to say yes: {}", self.to_type())
            }
        };
        format!("{what} {how}")
    }

    /// What is typed, character by character; nothing where a key is pressed instead.
    pub fn to_type(&self) -> String {
        match self {
            Proof::Again => String::new(),
            Proof::Amount(amount) => amount.to_string(),
            Proof::Target(target) => target.trim().to_owned(),
            Proof::Hash(digits) => digits.clone(),
        }
    }
}

/// A person can type it as it is.
fn can_be_typed(target: &str) -> bool {
    let target = target.trim();
    !target.is_empty() && width(target) <= TYPED_MAX && !has_escapes(target) && target.is_ascii()
}

/// The number, with or without separators and the currency.
fn is_amount(typed: &str, amount: &Amount) -> bool {
    let upper = typed.to_ascii_uppercase();
    let number = upper.strip_suffix(&*amount.currency).unwrap_or(&upper);
    let number: String = number.chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
    Value::parse(&number) == Ok(amount.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_amount_is_the_amount() {
        let proof = Proof::Amount(Amount::parse("4180", "EUR").unwrap());
        for typed in ["4180", "4180.00", "4,180.00", " 4180.0 ", "4180 eur", "4180.00 EUR"] {
            assert!(proof.fits(typed), "{typed}");
        }
        for typed in ["", "418", "4180.01", "4180 USD", "4.180", "-4180", "y", "yes", "4180,00"] {
            assert!(!proof.fits(typed), "{typed}");
        }
    }

    #[test]
    fn what_is_asked_for_stands_there_as_it_is_typed() {
        let amount = Proof::Amount(Amount::parse("4180", "EUR").unwrap());
        let target = Proof::Target(" origin main ".into());
        for proof in [amount, target, Proof::Hash("7f3a91c0".into())] {
            let asked = proof.asks(EffectClass::Money);
            assert!(asked.ends_with(&format!(": {}", proof.to_type())), "{asked}");
            assert!(proof.fits(&proof.to_type()), "{asked}");
        }
    }

    #[test]
    fn what_nobody_can_type_is_not_asked_for() {
        assert!(can_be_typed("origin main"));
        for target in ["", " ", "prod\u{202e}", "a\tb", "прод", &"x".repeat(60)] {
            assert!(!can_be_typed(target), "{target}");
        }
        assert!(Proof::Hash("7f3a91c0".into()).fits("7F3A91C0"));
        assert!(!Proof::Again.fits(""));
    }
}
