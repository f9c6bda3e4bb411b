//! The words of the filter language; their meaning is [`crate::model::filter`]'s.
//!
//! `state=queued team=ml gpu=3.. age=1h.. label!=debug name~train tier=research,batch`; a bare
//! word matches name, id and team. `>`, `<`, `>=` and `<=` are taken too. A value with spaces
//! stands in double quotes.

use crate::base::{duration, nearest, quantity, text::sanitise};
use crate::model::State;
use crate::model::filter::{Field, Filter, STUCK, Term, Test};
use crate::model::finding::Signal;
use crate::model::page::Lane;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::setup::Tier;

/// Terms of one filter at most.
const TERMS_MAX: usize = 64;
/// Bytes of one filter at most.
const BYTES_MAX: usize = 16 * 1024;

/// The fields by their names; the first name of a field is the one that is suggested.
const FIELDS: &[(&str, Field)] = &[
    ("id", Field::Id),
    ("name", Field::Name),
    ("team", Field::Team),
    ("owner", Field::Owner),
    ("user", Field::Owner),
    ("state", Field::State),
    ("lane", Field::Lane),
    ("tier", Field::Tier),
    ("node", Field::Node),
    ("label", Field::Label(None)),
    ("array", Field::Array),
    ("parent", Field::Parent),
    ("priority", Field::Priority),
    ("cpu", Field::Cpu),
    ("mem", Field::Mem),
    ("gpu", Field::Gpu),
    ("age", Field::Age),
    ("exit", Field::Exit),
    ("exit_code", Field::Exit),
    ("finding", Field::Finding),
    ("preemptible", Field::Preemptible),
    ("deadline", Field::Deadline),
];

/// Names of all fields, for completion.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(name, _)| *name)
}

/// Reads a filter; an empty text matches everything.
///
/// # Errors
/// A refusal of code `usage` that names the nearest known field or value.
pub fn parse(text: &str) -> Result<Filter, Refusal> {
    if text.len() > BYTES_MAX {
        return Err(refuse("the filter is longer than 16 KiB", "name fewer jobs"));
    }
    let words = split(text)?;
    if words.len() > TERMS_MAX {
        return Err(refuse(
            "the filter has more than 64 terms",
            "join values: state=queued,running",
        ));
    }
    words.iter().map(|word| term(word)).collect::<Result<_, _>>().map(|terms| Filter { terms })
}

fn refuse(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::Usage, what, hint)
}

/// Words at spaces, except inside double quotes.
fn split(text: &str) -> Result<Vec<String>, Refusal> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    if quoted {
        return Err(refuse("the filter has a quote without an end", "add the closing \""));
    }
    words.retain(|word| !word.is_empty());
    Ok(words)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Is,
    Contains,
    Above,
    Below,
    From,
    To,
}

/// Longest first, so that `!=` is not read as `!` and `=`.
const OPERATORS: &[(&str, Operator, bool)] = &[
    ("!=", Operator::Is, true),
    ("!~", Operator::Contains, true),
    (">=", Operator::From, false),
    ("<=", Operator::To, false),
    ("=", Operator::Is, false),
    ("~", Operator::Contains, false),
    (">", Operator::Above, false),
    ("<", Operator::Below, false),
];

fn term(word: &str) -> Result<Term, Refusal> {
    let Some(at) = word.find(['=', '!', '~', '<', '>']) else {
        return Ok(Term::Word(word.to_owned()));
    };
    let (name, rest) = word.split_at(at);
    let found = OPERATORS.iter().find(|(sign, ..)| rest.starts_with(sign));
    let Some((sign, operator, negated)) = found else {
        return Err(refuse(
            format!("{:?} is no condition", sanitise(word)),
            "write field=value, field!=value, field~part or field=from..to",
        ));
    };
    let value = rest.get(sign.len()..).unwrap_or_default();
    let field = field(name)?;
    if value.is_empty() {
        return Err(refuse(
            format!("{name}{sign} has no value"),
            format!("write {name}{sign}VALUE"),
        ));
    }
    let test = test(&field, name, *operator, value)?;
    Ok(Term::Field { field, test, negated: *negated })
}

fn field(name: &str) -> Result<Field, Refusal> {
    let lower = name.to_lowercase();
    if let Some(key) = lower.strip_prefix("label.").filter(|key| !key.is_empty()) {
        // The key keeps the case it was written in.
        let key = name.get(name.len() - key.len()..).unwrap_or(key);
        return Ok(Field::Label(Some(key.into())));
    }
    let known = FIELDS.iter().find(|(known, _)| *known == lower);
    known.map(|(_, field)| field.clone()).ok_or_else(|| {
        let what = format!("there is no field {:?}", sanitise(name));
        match nearest(&lower, field_names()) {
            Some(near) => refuse(what, format!("did you mean {near}?")),
            None => {
                let all: Vec<_> = field_names().collect();
                refuse(what, format!("there are {}", all.join(", ")))
            }
        }
    })
}

fn test(field: &Field, name: &str, operator: Operator, value: &str) -> Result<Test, Refusal> {
    if let Some(unit) = unit(field) {
        return numeric(unit, name, operator, value);
    }
    match operator {
        Operator::Contains => Ok(Test::Contains(value.to_owned())),
        Operator::Is => {
            let values: Vec<_> = value.split(',').map(str::to_owned).collect();
            for value in &values {
                check_word(field, name, value)?;
            }
            Ok(Test::OneOf(values))
        }
        _ => Err(refuse(
            format!("{name} has no order, so < and > say nothing"),
            format!("write {name}={value} or {name}~{value}"),
        )),
    }
}

/// Fields with a fixed set of values take no others.
fn check_word(field: &Field, name: &str, value: &str) -> Result<(), Refusal> {
    let known: Vec<&str> = match field {
        Field::State => State::WORDS.to_vec(),
        Field::Lane => Lane::ALL.map(Lane::word).into_iter().chain([STUCK]).collect(),
        Field::Preemptible => vec!["yes", "no"],
        Field::Tier => Tier::ALL.map(Tier::word).to_vec(),
        Field::Finding => Signal::ALL.map(Signal::word).into_iter().chain(["any"]).collect(),
        _ if value.is_empty() => {
            return Err(refuse(format!("{name} has an empty value"), "remove the comma"));
        }
        _ => return Ok(()),
    };
    if known.contains(&value) {
        return Ok(());
    }
    let what = format!("there is no {name} {:?}", sanitise(value));
    Err(match (nearest(&value.to_lowercase(), known.iter().copied()), field) {
        (_, Field::State) if value == "ended" => refuse(what, "write lane=ended"),
        (_, Field::State) if value == STUCK => refuse(what, "write lane=stuck"),
        (Some(near), _) => refuse(what, format!("did you mean {name}={near}?")),
        (None, _) => refuse(what, format!("write one of {}", known.join(", "))),
    })
}

/// How a numeric field's values are written.
type Unit = fn(&str) -> Result<u64, String>;

fn unit(field: &Field) -> Option<Unit> {
    match field {
        Field::Id | Field::Array | Field::Parent => Some(read_id),
        Field::Priority => Some(quantity::parse_count),
        Field::Exit => Some(quantity::parse_count),
        Field::Cpu => Some(quantity::parse_cpu),
        Field::Mem => Some(quantity::parse_bytes),
        Field::Gpu => Some(quantity::parse_gpu),
        Field::Age | Field::Deadline => Some(|text| duration::parse(text).map(|span| span.0)),
        _ => None,
    }
}

fn read_id(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits.parse().map_err(|_| format!("{text:?} is not a job's number; write 42"))
}

fn numeric(unit: Unit, name: &str, operator: Operator, value: &str) -> Result<Test, Refusal> {
    let one = |text: &str| match unit(text) {
        Ok(number) => Ok(i64::try_from(number).unwrap_or(i64::MAX)),
        Err(why) => Err(refuse(format!("{name}: {why}"), format!("a range is {name}=FROM..TO"))),
    };
    let open = |text: &str| if text.is_empty() { Ok(None) } else { one(text).map(Some) };
    let (from, to) = match operator {
        Operator::Contains => {
            return Err(refuse(
                format!("{name} is a number, so ~ says nothing"),
                format!("write {name}={value} or a range"),
            ));
        }
        Operator::From => (Some(one(value)?), None),
        Operator::To => (None, Some(one(value)?)),
        Operator::Above => (Some(one(value)?.saturating_add(1)), None),
        Operator::Below => (None, Some(one(value)? - 1)),
        Operator::Is => match value.split_once("..") {
            Some(("", "")) => return Err(refuse(format!("{name}=.. is everything"), "remove it")),
            Some((from, to)) => (open(from)?, open(to)?),
            None if value.contains(',') => {
                let numbers = value.split(',').map(|v| one(v).map(|n| n.to_string()));
                return numbers.collect::<Result<_, _>>().map(Test::OneOf);
            }
            None => {
                let exactly = one(value)?;
                (Some(exactly), Some(exactly))
            }
        },
    };
    Ok(Test::Range { from, to })
}

#[cfg(test)]
#[path = "filter/tests.rs"]
mod tests;
