//! JSON as RFC 8785 writes it: one text for one value, so that a hash of it means the value.
//!
//! Reading is stricter than most readers: a key that stands twice in an object and a whole number
//! that a double cannot hold are refused, since two programs could read them differently and a
//! person would have approved neither or both.

use std::fmt::Write as _;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Objects and lists inside each other at most.
const DEPTH_MAX: usize = 64;
/// The largest whole number that a double and all below it hold exactly.
const WHOLE_MAX: u64 = 1 << 53;

/// A value. Keys of objects are in canonical order: by their UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// True or false.
    Flag(bool),
    /// A number, as it is written canonically.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads JSON text.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn read(text: &str) -> Result<Json, String> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|e| format!("no JSON: {e}"))?;
        read(raw, 0)
    }

    /// A text.
    pub fn text(text: &str) -> Json {
        Json::Text(text.to_owned())
    }

    /// An object of such pairs, put in order.
    pub fn object(pairs: Vec<(String, Json)>) -> Json {
        let mut pairs = pairs;
        pairs.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        Json::Object(pairs)
    }

    /// What stands under a key of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The same object without some of its keys; anything else as it is.
    #[must_use]
    pub fn without(self, keys: &[&str]) -> Json {
        match self {
            Json::Object(pairs) => {
                let kept = pairs.into_iter().filter(|(name, _)| !keys.contains(&name.as_str()));
                Json::Object(kept.collect())
            }
            other => other,
        }
    }

    /// Its canonical text.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Json::Number(number) => out.push_str(number),
            Json::Text(text) => quote(text, out),
            Json::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(pairs) => {
                out.push('{');
                for (at, (name, value)) in pairs.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    quote(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn read(raw: &RawValue, depth: usize) -> Result<Json, String> {
    if depth > DEPTH_MAX {
        return Err(format!("more than {DEPTH_MAX} objects and lists inside each other"));
    }
    let text = raw.get().trim();
    let inside = |item: &RawValue| read(item, depth + 1);
    match text.as_bytes().first() {
        Some(b'{') => {
            let Pairs(pairs) = serde_json::from_str(text).map_err(|e| e.to_string())?;
            let mut read = Vec::with_capacity(pairs.len());
            for (name, value) in pairs {
                read.push((name, inside(&value)?));
            }
            let Json::Object(pairs) = Json::object(read) else { return Ok(Json::Null) };
            match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                Some(pair) => Err(format!("the key {:?} stands twice in one object", pair[0].0)),
                None => Ok(Json::Object(pairs)),
            }
        }
        Some(b'[') => {
            let items: Vec<Box<RawValue>> =
                serde_json::from_str(text).map_err(|e| e.to_string())?;
            items.iter().map(|item| inside(item)).collect::<Result<_, _>>().map(Json::List)
        }
        Some(b'"') => serde_json::from_str(text).map(Json::Text).map_err(|e| e.to_string()),
        Some(b't') => Ok(Json::Flag(true)),
        Some(b'f') => Ok(Json::Flag(false)),
        Some(b'n') => Ok(Json::Null),
        _ => number(text).map(Json::Number),
    }
}

/// The pairs of an object as they stand, keys that stand twice included.
struct Pairs(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// A number as ECMAScript writes the double that is nearest to it.
fn number(text: &str) -> Result<String, String> {
    let whole = text.strip_prefix('-').unwrap_or(text);
    if whole.bytes().all(|b| b.is_ascii_digit())
        && whole.parse::<u64>().ok().is_none_or(|n| n > WHOLE_MAX)
    {
        return Err(format!("{text} is too large to be exact; write it as a text"));
    }
    let double = text.parse().ok().and_then(serde_json::Number::from_f64);
    let Some(double) = double.and_then(|number| number.as_f64()) else {
        return Err(format!("{text} is no number that a double can hold"));
    };
    // The fewest digits that read back as the same double, and their exponent.
    let scientific = format!("{double:e}");
    let (sign, scientific) = match scientific.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", scientific.as_str()),
    };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let digits = mantissa.replace('.', "");
    if digits == "0" {
        return Ok("0".to_owned());
    }
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = even(digits, exponent, &format!("{double:.800e}"));
    Ok(format!("{sign}{}", ecma(&digits, exponent + 1)))
}

/// Where a double lies exactly between the two shortest texts for it, ECMAScript takes the one
/// with the even last digit. `exact` is all of the double's digits.
fn even(digits: String, exponent: i32, exact: &str) -> String {
    let exact: String =
        exact.chars().take_while(|c| *c != 'e').filter(char::is_ascii_digit).collect();
    let (Some(last), Some(before)) = (digits.chars().last(), digits.get(..digits.len() - 1)) else {
        return digits;
    };
    let Some(lower) =
        last.to_digit(10).filter(|d| d % 2 == 1).map(|d| format!("{before}{}", d - 1))
    else {
        return digits;
    };
    if exact.trim_end_matches('0') != format!("{lower}5") {
        return digits;
    }
    let read = |digits: &str| {
        let text = format!("0.{digits}e{}", exponent + 1);
        text.parse().ok().and_then(serde_json::Number::from_f64)
    };
    if read(&lower) == read(&digits) { lower } else { digits }
}

/// ECMAScript's `Number::toString`: `digits` with the point after the first `point` of them.
fn ecma(digits: &str, point: i32) -> String {
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    if (count..=21).contains(&point) {
        return format!("{digits}{}", zeros(point - count));
    }
    if (1..=21).contains(&point) {
        let (before, after) = digits.split_at(usize::try_from(point).unwrap_or(0));
        return format!("{before}.{after}");
    }
    if (-5..=0).contains(&point) {
        return format!("0.{}{digits}", zeros(-point));
    }
    let (first, rest) = digits.split_at(1);
    let rest = if rest.is_empty() { String::new() } else { format!(".{rest}") };
    format!("{first}{rest}e{:+}", point - 1)
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => {
                // Writing to a text cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        Json::read(text).unwrap().canonical()
    }

    #[test]
    fn the_example_of_rfc_8785_section_3_2() {
        let text = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let wanted = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,\
                      0.002,1e-27],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(text), wanted);
    }

    #[test]
    fn keys_are_sorted_by_utf_16_as_in_section_3_2_3() {
        let text = r#"{"\u20ac":"Euro","\r":"Return","\ufb33":"Dalet","1":"One",
            "\ud83d\ude00":"Smile","\u0080":"Control","\u00f6":"o"}"#;
        let Json::Object(pairs) = Json::read(text).unwrap() else { panic!() };
        let order: Vec<&str> = pairs
            .iter()
            .map(|(_, value)| match value {
                Json::Text(text) => text.as_str(),
                _ => "",
            })
            .collect();
        assert_eq!(order, ["Return", "One", "Control", "o", "Euro", "Smile", "Dalet"]);
    }

    #[test]
    fn numbers_of_appendix_b() {
        for (given, wanted) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("5e-324", "5e-324"),
            ("-5e-324", "-5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("9007199254740992", "9007199254740992"),
            ("-9007199254740992", "-9007199254740992"),
            ("295147905179352830000.0", "295147905179352830000"),
            ("9.999999999999997e22", "9.999999999999997e+22"),
            ("1e23", "1e+23"),
            ("1.0000000000000001e23", "1.0000000000000001e+23"),
            ("999999999999999700000.0", "999999999999999700000"),
            ("999999999999999900000.0", "999999999999999900000"),
            ("1e21", "1e+21"),
            ("9.999999999999997e-7", "9.999999999999997e-7"),
            ("0.000001", "0.000001"),
            ("333333333.3333332", "333333333.3333332"),
            ("333333333.33333325", "333333333.33333325"),
            ("-0.0000033333333333333333", "-0.0000033333333333333333"),
            ("1424953923781206.2", "1424953923781206.2"),
        ] {
            assert_eq!(canonical(given), wanted, "{given}");
        }
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        let why = |text: &str| Json::read(text).unwrap_err();
        assert!(why(r#"{"a":1,"b":{"c":1,"c":2}}"#).contains("\"c\" stands twice"));
        assert!(why(r#"{"a":1,"\u0061":2}"#).contains("stands twice"));
        assert!(why("9007199254740993").contains("too large"));
        assert!(why("100000000000000000000").contains("too large"));
        assert!(why("1e400").contains("no number"));
        assert!(why(r#""\ud800""#).contains("hex escape"), "half a character");
        assert!(why("{").contains("no JSON"));
        assert!(why("1 2").contains("no JSON"));
        assert!(why(&format!("{}{}", "[".repeat(80), "]".repeat(80))).contains("inside each"));
    }
}
