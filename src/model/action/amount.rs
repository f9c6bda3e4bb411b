//! An amount of money in one currency, exact to a millionth.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Json;
use crate::base::Name;

/// Digits after the point at most.
const DECIMALS: usize = 6;
/// Millionths in one.
const ONE: u64 = 1_000_000;

/// So much of a currency. Written `4180.00`; never negative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// How much.
    pub value: Value,
    /// Of what: `EUR`.
    pub currency: Name,
}

/// A number of units, in millionths; written as a text with at least two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value(pub u64);

impl Amount {
    /// Reads a number and a currency.
    ///
    /// # Errors
    /// What is wrong and what to write instead.
    pub fn parse(value: &str, currency: &str) -> Result<Amount, String> {
        let upper = currency.to_ascii_uppercase();
        let letters = upper.len() == 3 && upper.bytes().all(|b| b.is_ascii_uppercase());
        if !letters {
            return Err(format!("{currency:?} is no currency; write a code such as EUR"));
        }
        Ok(Amount { value: Value::parse(value)?, currency: upper.as_str().into() })
    }

    /// As it stands in what is hashed.
    pub fn json(&self) -> Json {
        Json::object(vec![
            ("value".to_owned(), Json::text(&self.value.to_string())),
            ("currency".to_owned(), Json::text(&self.currency)),
        ])
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.value, self.currency)
    }
}

impl Value {
    /// Reads digits with at most six decimals.
    ///
    /// # Errors
    /// What is wrong and what to write instead.
    pub fn parse(text: &str) -> Result<Value, String> {
        let wrong = || format!("{text:?} is no amount; write 4180.00, without signs or spaces");
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) {
            return Err(wrong());
        }
        if part.len() > DECIMALS {
            return Err(format!("{text:?} has more than {DECIMALS} decimals"));
        }
        let whole: u64 = whole.parse().map_err(|_| wrong())?;
        let millionths: u64 = format!("{part:0<DECIMALS$}").parse().map_err(|_| wrong())?;
        let sum = whole.checked_mul(ONE).and_then(|n| n.checked_add(millionths));
        sum.map(Value).ok_or_else(|| format!("{text:?} is more than can be counted"))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = format!("{:06}", self.0 % ONE);
        let kept = part.trim_end_matches('0').len().max(2);
        write!(f, "{}.{}", self.0 / ONE, part.get(..kept).unwrap_or("00"))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Value::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_exact_and_has_one_form() {
        let shown = |text: &str| Value::parse(text).unwrap().to_string();
        assert_eq!(shown("4180"), "4180.00");
        assert_eq!(shown("4180.1"), "4180.10");
        assert_eq!(shown("0.000001"), "0.000001");
        assert_eq!(Amount::parse("1", "eur").unwrap().to_string(), "1.00 EUR");
        for bad in ["", "-1", "+1", "1,5", "1e3", " 1", "1.", ".5", "1.0000001", "99999999999999"] {
            assert!(Value::parse(bad).is_err(), "{bad}");
        }
        assert!(Amount::parse("1", "euro").is_err());
    }
}
