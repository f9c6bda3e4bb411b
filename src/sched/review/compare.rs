//! What differs from earlier yeses to the same tool, value by value.
//!
//! A person who sees the tenth payment of a week should look at the one account that is new. Of a
//! command line options are told apart by name, wherever they stand.

use std::collections::BTreeMap;

use crate::model::action::amount::Value;
use crate::model::action::{Action, leaves};
use crate::model::page::reviews::{Compared, ComparedLine, Mark};
use crate::model::review::{Review, ReviewState};
use crate::sched::world::World;

/// Yeses that are looked at, the latest first.
const YESES_MAX: usize = 200;
/// Bytes of them that are read at most.
const BYTES_MAX: usize = 1 << 20;
/// Values that are told.
const LINES_MAX: usize = 64;
/// Values that are told of what stood at one place.
const VALUES_MAX: usize = 3;
/// More digits than this are an account rather than an amount.
const DIGITS_MAX: usize = 9;

/// What the yeses that people gave to the same tool before this review were for; `may_see` says
/// of which.
pub fn compare(world: &World, review: &Review, may_see: &dyn Fn(&Review) -> bool) -> Compared {
    let to = family(review.action());
    let earlier = world.desk().back_from(review.id);
    let alike = earlier.filter(|r| was_approved(r) && family(r.action()) == to && may_see(r));
    let mut bytes = 0;
    let within = alike.take(YESES_MAX).take_while(|r| {
        bytes += r.action().kept_bytes();
        bytes <= BYTES_MAX
    });
    let earlier: Vec<Vec<(String, String)>> = within.map(|r| values(r.action())).collect();
    let lines = lines(values(review.action()), &earlier);
    Compared { to, yeses: u32::try_from(earlier.len()).unwrap_or(u32::MAX), lines }
}

/// People said yes to it, whatever became of that.
fn was_approved(review: &Review) -> bool {
    let by_people = review.decision.as_ref().is_some_and(|decision| !decision.by.is_empty());
    matches!(review.state, ReviewState::Approved | ReviewState::Redeemed) && by_people
        || review.state == ReviewState::Lapsed && !review.votes.is_empty()
}

/// What yeses are compared by: the tool, or the first word of a command.
fn family(action: &Action) -> String {
    if let Some(tool) = &action.tool {
        return tool.to_string();
    }
    let first = leaves(action).into_iter().find(|(path, _)| path == "args.argv.0");
    first.map_or_else(|| action.kind.to_string(), |(_, word)| word)
}

/// The values of an action; those of a command line under the names of its options.
fn values(action: &Action) -> Vec<(String, String)> {
    let (argv, others): (Vec<_>, Vec<_>) =
        leaves(action).into_iter().partition(|(path, _)| path.starts_with("args.argv."));
    let mut argv: Vec<String> = argv.into_iter().map(|(_, word)| word).collect();
    let rest = argv.split_off(argv.iter().position(|word| is_option(word)).unwrap_or(argv.len()));
    let mut found = Vec::new();
    if !argv.is_empty() {
        found.push(("command".to_owned(), argv.join(" ")));
    }
    let mut words = rest.into_iter().peekable();
    let mut loose = 0;
    while let Some(word) = words.next() {
        if !is_option(&word) {
            loose += 1;
            found.push((format!("word {loose}"), word));
        } else if let Some((name, value)) = word.split_once('=') {
            found.push((name.to_owned(), value.to_owned()));
        } else {
            let value = words.next_if(|next| !is_option(next)).unwrap_or_default();
            found.push((word, value));
        }
    }
    found.extend(others.into_iter().filter(|(path, _)| path != "kind" && path != "tool"));
    found
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit())
}

fn lines(now: Vec<(String, String)>, earlier: &[Vec<(String, String)>]) -> Vec<ComparedLine> {
    if earlier.is_empty() {
        return Vec::new();
    }
    let mut before: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    for (path, value) in earlier.iter().flatten() {
        *before.entry(path).or_default().entry(value).or_default() += 1;
    }
    let mut found = Vec::new();
    for (path, value) in now {
        let known = before.remove(&*path).unwrap_or_default();
        found.push(line(path, Some(value), &known));
    }
    let gone = before.into_iter().map(|(path, known)| line(path.to_owned(), None, &known));
    found.extend(gone);
    // What differs must not be lost among what does not.
    if found.len() > LINES_MAX {
        found.sort_by_key(|line| line.mark == Mark::Known);
        found.truncate(LINES_MAX);
    }
    found
}

fn line(path: String, now: Option<String>, known: &BTreeMap<&str, u32>) -> ComparedLine {
    let mut before: Vec<(String, u32)> =
        known.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect();
    before.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let more = before.len().saturating_sub(VALUES_MAX);
    before.truncate(VALUES_MAX);
    let numbers: Option<Vec<_>> = known.keys().map(|text| Some((number(text)?, *text))).collect();
    let range = numbers.filter(|numbers| numbers.len() > 1).and_then(|numbers| {
        let least = numbers.iter().min_by_key(|(number, _)| number.1)?;
        let most = numbers.iter().max_by_key(|(number, _)| number.1)?;
        let same_unit = numbers.iter().all(|(number, _)| number.0 == least.0.0);
        same_unit.then_some((*least, *most))
    });
    let mark = match &now {
        None => Mark::Gone,
        Some(now) if known.contains_key(&**now) => Mark::Known,
        Some(now) => between(now, known, range.map(|(least, most)| (least.0, most.0))),
    };
    let range = range.map(|(least, most)| (least.1.to_owned(), most.1.to_owned()));
    ComparedLine { path, now, before, more: u32::try_from(more).unwrap_or(u32::MAX), range, mark }
}

/// A number with its unit.
type Number<'a> = (&'a str, Value);

/// Where a value that never stood there lies.
fn between(now: &str, known: &BTreeMap<&str, u32>, range: Option<(Number, Number)>) -> Mark {
    let only = || {
        let (value, _) = known.first_key_value().filter(|_| known.len() == 1)?;
        number(value).map(|one| (one, one))
    };
    let (Some((least, most)), Some(now)) = (range.or_else(only), number(now)) else {
        return Mark::New;
    };
    match now {
        (unit, _) if unit != least.0 => Mark::New,
        (_, value) if value > most.1 => Mark::High,
        (_, value) if value < least.1 => Mark::Low,
        _ => Mark::Known,
    }
}

/// An amount: digits with a point, or with a currency behind them. Long rows of digits and those
/// that begin with a zero name things.
fn number(text: &str) -> Option<Number<'_>> {
    let (digits, unit) = text.split_once(' ').unwrap_or((text, ""));
    let whole = digits.split('.').next().unwrap_or_default();
    let names = whole.len() > DIGITS_MAX || whole.len() > 1 && whole.starts_with('0');
    let unit_is_one = unit.len() <= 3 && unit.bytes().all(|b| b.is_ascii_uppercase());
    if names || !unit_is_one {
        return None;
    }
    Some((unit, Value::parse(digits).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn what_is_new_or_out_of_range_is_marked() {
        let earlier = [
            pairs(&[("--to", "DE1"), ("--amount", "212.00"), ("--ref", "a"), ("--dry", "")]),
            pairs(&[("--to", "DE1"), ("--amount", "3900.00"), ("--ref", "b")]),
        ];
        let marks = |now: &[(&str, &str)]| -> Vec<(String, Mark)> {
            let found = lines(pairs(now), &earlier).into_iter();
            found.map(|line| (line.path, line.mark)).collect()
        };
        let mark = |path: &str, value: &str| {
            let found = marks(&[(path, value)]);
            found.into_iter().find(|(known, _)| known == path).unwrap().1
        };
        assert_eq!(mark("--to", "DE1"), Mark::Known);
        assert_eq!(mark("--to", "DE2"), Mark::New);
        assert_eq!(mark("--amount", "4180.00"), Mark::High);
        assert_eq!(mark("--amount", "212.01"), Mark::Known);
        assert_eq!(mark("--amount", "9.00"), Mark::Low);
        assert_eq!(mark("--amount", "0404"), Mark::New);
        assert_eq!(mark("--cc", "x"), Mark::New);
        let gone = marks(&[("--to", "DE1")]);
        assert!(gone.contains(&("--dry".to_owned(), Mark::Gone)), "{gone:?}");
        assert_eq!(lines(pairs(&[("a", "b")]), &[]), []);
    }

    #[test]
    fn values_are_told_by_how_often_they_stood_there() {
        let earlier: Vec<_> = ["x", "y", "x", "z", "w"].map(|v| pairs(&[("a", v)])).into();
        let found = lines(pairs(&[("a", "y")]), &earlier);
        assert_eq!(found[0].before[0], ("x".to_owned(), 2));
        assert_eq!((found[0].before.len(), found[0].more), (3, 1));
        assert_eq!(found[0].range, None);
    }

    #[test]
    fn amounts_of_another_currency_are_new() {
        let earlier = [pairs(&[("amount", "5.00 EUR")]), pairs(&[("amount", "7.00 EUR")])];
        let mark = |text: &str| lines(pairs(&[("amount", text)]), &earlier)[0].mark;
        assert_eq!(mark("8.00 EUR"), Mark::High);
        assert_eq!(mark("6.00 EUR"), Mark::Known);
        assert_eq!(mark("6.00 USD"), Mark::New);
    }
}
