//! One value: from TOML or from a text (flag, environment, default) to its meaning.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use toml::de::{DeTable, DeValue};

use super::Entries;
use crate::base::{Name, Span, duration, nearest, quantity};
use crate::config::keys::Kind;
use crate::model::people::Role;
use crate::model::setup::{PRIORITY_MAX, Tier};
use crate::model::team::{Bounds, Terms, TermsChange, Weights};

/// What a value means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text, path or name.
    Text(String),
    /// Thousandths, bytes or units, as the key's kind says.
    Amount(u64),
    /// A length of time; `None` is never.
    Span(Option<Span>),
    /// A tier.
    Tier(Tier),
    /// A role.
    Role(Role),
    /// Tables.
    Tables(Vec<Entries>),
    /// Amounts by resource.
    Bounds(Bounds),
    /// Weights by resource.
    Weights(Weights),
    /// True or false.
    Flag(bool),
    /// Names and texts.
    Labels(BTreeMap<Name, Name>),
    /// Indices of devices.
    Indices(Vec<u32>),
    /// Words.
    Words(BTreeSet<Name>),
    /// Names, in order.
    Names(Vec<Name>),
    /// Names with their keys.
    Keys(Vec<(String, Vec<String>)>),
}

/// Roles by their words.
const ROLES: [(&str, Role); 5] = [
    ("approver", Role::Approver),
    ("viewer", Role::Viewer),
    ("submitter", Role::Submitter),
    ("operator", Role::Operator),
    ("admin", Role::Admin),
];

/// Reads a value from TOML; lists of tables are read by the caller.
pub(super) fn read(kind: Kind, value: &DeValue) -> Result<Value, String> {
    let numeric = matches!(
        kind,
        Kind::Cpu | Kind::Bytes | Kind::Gpu | Kind::Count(_) | Kind::Devices(_)
            // A bare number gets the hint about units rather than one about types.
            | Kind::Duration | Kind::DurationOrNever
            | Kind::Weights | Kind::Priority | Kind::Thousandths | Kind::Indices
    );
    match value {
        DeValue::Table(table) if kind == Kind::Keys => keys(table),
        DeValue::Boolean(_) if kind == Kind::Flag => read_text(kind, &written(value)),
        DeValue::Table(table) if matches!(kind, Kind::Bounds | Kind::Weights) => {
            let pair = |(key, value): (&toml::Spanned<Cow<'_, str>>, &toml::Spanned<DeValue>)| {
                format!("{}={}", key.get_ref(), written(value.get_ref()))
            };
            read_text(kind, &table.iter().map(pair).collect::<Vec<_>>().join(","))
        }
        DeValue::Table(table) if kind == Kind::Labels => {
            let label = |(key, value): (&toml::Spanned<Cow<'_, str>>, &toml::Spanned<DeValue>)| {
                let (key, text) = (key.get_ref(), written(value.get_ref()));
                let good = is_word(key) && is_printable(&text);
                good.then(|| (key.as_ref().into(), text.as_str().into()))
                    .ok_or_else(|| format!("{key} = {text:?} is no label; write zone = \"a\""))
            };
            table.iter().map(label).collect::<Result<_, _>>().map(Value::Labels)
        }
        DeValue::Array(items) if kind == Kind::Indices => {
            let index = |item: &toml::Spanned<DeValue>| {
                let text = written(item.get_ref());
                text.parse::<u32>().map_err(|_| format!("{text} is no index; write [0, 3]"))
            };
            let indices: Vec<u32> = items.iter().map(index).collect::<Result<_, _>>()?;
            let distinct: BTreeSet<u32> = indices.iter().copied().collect();
            let twice = "a device stands twice; keep one".to_owned();
            (distinct.len() == indices.len()).then_some(Value::Indices(indices)).ok_or(twice)
        }
        DeValue::Array(items) => match kind {
            Kind::Words(words) => {
                let word = |item: &toml::Spanned<DeValue>| {
                    let text = written(item.get_ref());
                    let known = words.contains(&text.as_str());
                    known.then(|| text.as_str().into()).ok_or_else(|| one_of(&text, words))
                };
                items.iter().map(word).collect::<Result<_, _>>().map(Value::Words)
            }
            Kind::Names => {
                let named = |item: &toml::Spanned<DeValue>| {
                    let text = written(item.get_ref());
                    let why = || format!("{text:?} is no name; write letters, digits and ._:@-");
                    is_word(&text).then(|| text.as_str().into()).ok_or_else(why)
                };
                items.iter().map(named).collect::<Result<_, _>>().map(Value::Names)
            }
            Kind::Texts => {
                let text = |item: &toml::Spanned<DeValue>| match item.get_ref() {
                    DeValue::String(text) if !text.chars().any(char::is_control) => {
                        Ok(text.as_ref().into())
                    }
                    other => Err(format!("{:?} is no text of one line", written(other))),
                };
                items.iter().map(text).collect::<Result<_, _>>().map(Value::Names)
            }
            _ => Err(format!("a list is not {}", wanted(kind))),
        },
        DeValue::String(text) => read_text(kind, text),
        DeValue::Integer(_) | DeValue::Float(_) if numeric => read_text(kind, &written(value)),
        other => Err(format!("a {} is not {}", other.type_str(), wanted(kind))),
    }
}

/// Reads a value from text, as a flag or the environment gives it.
///
/// # Errors
/// What is wrong and what to write instead.
pub fn read_text(kind: Kind, text: &str) -> Result<Value, String> {
    let quoted = || format!("{text:?} is not {}", wanted(kind));
    match kind {
        Kind::Text | Kind::Path => {
            let good = !text.is_empty() && is_printable(text);
            good.then(|| Value::Text(text.to_owned())).ok_or_else(quoted)
        }
        Kind::Word => is_word(text).then(|| Value::Text(text.to_owned())).ok_or_else(quoted),
        Kind::Team => {
            let good = text.split('/').all(is_word) && text.len() <= 200;
            good.then(|| Value::Text(text.to_owned())).ok_or_else(quoted)
        }
        Kind::Duration => duration::parse(text).map(|span| Value::Span(Some(span))),
        Kind::DurationOrNever if text == "never" => Ok(Value::Span(None)),
        Kind::DurationOrNever => {
            let span = duration::parse(text).map_err(|why| format!("{why}, or \"never\""))?;
            Ok(Value::Span(Some(span)))
        }
        Kind::Cpu => quantity::parse_cpu(text).map(Value::Amount),
        Kind::Bytes => quantity::parse_bytes(text).map(Value::Amount),
        Kind::Gpu => quantity::parse_gpu(text).map(Value::Amount),
        Kind::Count(least) => {
            let count = quantity::parse_count(text)?;
            let why = || format!("{text} is too few; write {least} or more");
            (count >= least).then_some(Value::Amount(count)).ok_or_else(why)
        }
        Kind::Devices(_) => {
            let count = quantity::parse_count(text)?;
            let why = || format!("{text} pretend GPUs are too many; write at most 1024");
            (count <= 1024).then_some(Value::Amount(count)).ok_or_else(why)
        }
        Kind::Tier => text.parse().map(Value::Tier).map_err(|()| {
            let words = Tier::ALL.map(Tier::word);
            one_of(text, &words)
        }),
        Kind::Role => {
            let found = ROLES.iter().find(|(word, _)| *word == text);
            found.map(|(_, role)| Value::Role(*role)).ok_or_else(|| {
                let words = ROLES.map(|(word, _)| word);
                one_of(text, &words)
            })
        }
        Kind::Bounds => {
            let quota = text.parse()?;
            let change = TermsChange { quota, ..TermsChange::default() };
            Ok(Value::Bounds(change.over(&Terms::default()).quota))
        }
        Kind::Weights => {
            let weight = text.parse()?;
            let change = TermsChange { weight, ..TermsChange::default() };
            Ok(Value::Weights(change.over(&Terms::default()).weight))
        }
        Kind::Priority => {
            let priority = text.parse::<u16>().ok().filter(|n| *n <= PRIORITY_MAX);
            priority.map(|n| Value::Amount(n.into())).ok_or_else(quoted)
        }
        Kind::Thousandths => quantity::parse_thousandths(text).map(Value::Amount),
        Kind::Flag => text.parse().map(Value::Flag).map_err(|_| quoted()),
        Kind::Indices => {
            let count = quantity::parse_count(text)?;
            (count <= 1024).then_some(Value::Amount(count)).ok_or_else(quoted)
        }
        Kind::OneOf(words) => {
            let known = words.contains(&text);
            known.then(|| Value::Text(text.to_owned())).ok_or_else(|| one_of(text, words))
        }
        Kind::Tables(_) | Kind::Labels | Kind::Words(_) | Kind::Names | Kind::Keys => Err(quoted()),
        Kind::Texts => Err(quoted()),
    }
}

/// `log = "v"`, `cancel = ["C", "X"]`; an empty list takes the keys away.
fn keys(table: &DeTable) -> Result<Value, String> {
    let text = |value: &DeValue| match value {
        DeValue::String(key) => Ok(key.to_string()),
        other => Err(format!("a {} is no key; write \"v\" or \"ctrl-x\"", other.type_str())),
    };
    let one = |value: &DeValue| match value {
        DeValue::Array(list) => list.iter().map(|item| text(item.get_ref())).collect(),
        other => text(other).map(|key| vec![key]),
    };
    let each = table.iter().map(|(name, value)| {
        let name = name.get_ref().to_string();
        let keys = one(value.get_ref()).map_err(|why| format!("{name}: {why}"))?;
        Ok((name, keys))
    });
    each.collect::<Result<_, String>>().map(Value::Keys)
}

fn is_printable(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

fn one_of(text: &str, words: &[&str]) -> String {
    match nearest(text, words.iter().copied()) {
        Some(near) => format!("there is no {text:?}; did you mean {near:?}?"),
        None => format!("there is no {text:?}; write one of {}", words.join(", ")),
    }
}

fn is_word(text: &str) -> bool {
    let good = |c: char| c.is_alphanumeric() || "._:@-".contains(c);
    !text.is_empty() && text.len() <= 100 && text.chars().all(good)
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "a text of printable characters",
        Kind::Path => "a path",
        Kind::Word => "a name; write letters, digits and . _ : @ -",
        Kind::Team => "a path of a team; write names with / between them, such as org/ml",
        Kind::Duration | Kind::DurationOrNever => "a length of time; write \"90s\" or \"1h30m\"",
        Kind::Cpu => "a number of cores; write 2, 1.5 or \"500m\"",
        Kind::Bytes => "an amount of memory; write \"4Gi\"",
        Kind::Gpu => "a number of GPUs; write 1 or 0.5",
        Kind::Count(_) => "a whole number",
        Kind::Tier => "a tier; write \"research\"",
        Kind::Role => "a role; write \"operator\"",
        Kind::Devices(_) => "a number of devices or a list; write 2 or [{name = \"a\"}]",
        Kind::Flag => "true or false",
        Kind::Keys => "a table of keys; write {log = \"v\", cancel = [\"C\"]}",
        Kind::Tables(_) => "a list of tables; write [{team = \"ml\", role = \"operator\"}]",
        Kind::Bounds => "amounts; write {gpu = 8, cpu = \"64\", mem = \"256Gi\"}",
        Kind::Weights => "a weight; write 2 or {gpu = 2}",
        Kind::Priority => "a priority; write a whole number from 0 to 1000",
        Kind::Thousandths => "a number; write 1 or 0.5",
        Kind::Labels => "labels; write {zone = \"a\"}",
        Kind::Indices => "devices; write 2 for two of them or [0, 3] for these",
        Kind::OneOf(_) => "one of the words it may be",
        Kind::Words(_) => "a list of names; write [\"reclaim\"]",
        Kind::Names => "a list of names; write [\"ana\", \"bob\"]",
        Kind::Texts => "a list of texts; write [\"/usr/bin/tell\", \"--loud\"]",
    }
}

/// A value as it would be written in a file, on one line.
pub(super) fn written(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => {
            let digits = number.as_str();
            i64::from_str_radix(digits, number.radix())
                .map_or_else(|_| digits.to_owned(), |number| number.to_string())
        }
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(at) => at.to_string(),
        DeValue::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| nested(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(table) => {
            let pair = |(k, v): (&toml::Spanned<_>, &toml::Spanned<DeValue>)| {
                let k: &std::borrow::Cow<str> = k.get_ref();
                format!("{k} = {}", nested(v.get_ref()))
            };
            let pairs: Vec<_> = table.iter().map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

fn nested(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        other => written(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys::SECTIONS;

    #[test]
    fn every_default_of_the_table_is_a_value_of_its_kind() {
        for key in SECTIONS.iter().flat_map(|section| section.keys) {
            if !key.default.is_empty() {
                assert!(read_text(key.kind, key.default).is_ok(), "{}", key.name);
            }
            assert!(key.about.ends_with('.'), "{}", key.name);
        }
    }
}
