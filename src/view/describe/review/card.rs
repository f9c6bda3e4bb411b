//! The parts of a card that compare and check: what earlier yeses were for, what was found out
//! without asking the asker, what the job holds meanwhile.

use super::bytes::{self, ByteLine};
use super::escape::escaped;
use super::lines::Lines;
use crate::base::text::pad;
use crate::base::{Wall, duration};
use crate::model::action::{Action, Args, Json};
use crate::model::page::ReviewCard;
use crate::model::page::reviews::{Compared, ComparedLine, Mark};
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// Columns for the name of a value.
const NAME: usize = 12;
/// Columns of the bytes at most: what differs is said at the end of a line.
const BYTES_MAX: usize = 100;
/// Other reviews about the same that are named.
const SAME_NAMED: usize = 3;

/// The bytes at a width, with a mark where something differs from earlier yeses.
pub fn bytes(card: &ReviewCard, columns: usize) -> Vec<Line> {
    let lines = bytes::lines(&card.review);
    let first = |line: &ByteLine| {
        let same = |other: &&ByteLine| other.name() == line.name();
        lines.iter().find(same).is_some_and(|first| std::ptr::eq(first, line))
    };
    let mark = |line: &ByteLine| {
        let name = line.name();
        let known = card.compared.lines.iter().find(|known| known.path == name)?;
        if !first(line) {
            return None;
        }
        match known.mark {
            _ if varies(known, card.compared.yeses) => None,
            Mark::New => Some("DIFFERS"),
            Mark::High => Some("HIGHER"),
            Mark::Low => Some("LOWER"),
            Mark::Known | Mark::Gone => None,
        }
    };
    bytes::laid_out(&lines, columns.min(BYTES_MAX), &mark)
}

/// `COMPARED WITH 14 EARLIER YESES TO payctl`.
pub fn compared_title(compared: &Compared) -> String {
    let to = escaped(&compared.to);
    match compared.yeses {
        0 => "COMPARED WITH EARLIER YESES".to_owned(),
        1 => format!("COMPARED WITH 1 EARLIER YES TO {to}"),
        n => format!("COMPARED WITH {n} EARLIER YESES TO {to}"),
    }
}

/// What differs from them, value by value; then what does not.
pub fn compared(compared: &Compared, out: &mut Lines) {
    if compared.yeses == 0 {
        let text = format!("nobody has said yes to {} before", compared.to);
        return out.text(&text, Role::NeedsYou);
    }
    let (varying, rest): (Vec<&ComparedLine>, Vec<&ComparedLine>) =
        compared.lines.iter().partition(|line| varies(line, compared.yeses));
    let (same, other): (Vec<&ComparedLine>, Vec<&ComparedLine>) =
        rest.into_iter().partition(|line| line.mark == Mark::Known);
    for line in &other {
        one(line, out);
    }
    if other.is_empty() {
        out.text("every value stood there before", Role::Good);
    } else if !same.is_empty() {
        let names: Vec<&str> = same.iter().map(|line| name(&line.path)).collect();
        out.text(&format!("as before: {}", names.join(", ")), Role::Muted);
    }
    if !varying.is_empty() {
        let names: Vec<&str> = varying.iter().map(|line| name(&line.path)).collect();
        out.text(&format!("another each time: {}", names.join(", ")), Role::Muted);
    }
}

/// It was another value each time, as a number of an invoice is: that it is new says nothing.
fn varies(line: &ComparedLine, yeses: u32) -> bool {
    let values = u32::try_from(line.before.len()).unwrap_or(u32::MAX).saturating_add(line.more);
    line.mark == Mark::New && yeses >= 3 && values >= yeses
}

fn name(path: &str) -> &str {
    path.strip_prefix("args.").unwrap_or(path)
}

fn one(line: &ComparedLine, out: &mut Lines) {
    let name = pad(&escaped(name(&line.path)), NAME);
    let mark = line.mark.word().to_uppercase();
    let nothing = || "nothing".to_owned();
    let now = line.now.clone().unwrap_or_else(nothing);
    out.named(&format!("{name} {mark:<5}now "), &now, Role::NeedsYou);
    let before = match &line.range {
        Some((least, most)) => format!("{least} to {most}"),
        None if line.before.is_empty() => nothing(),
        None => {
            let times = |(value, count): &(String, u32)| format!("{value} ({count}x)");
            let mut all: Vec<String> = line.before.iter().map(times).collect();
            all.extend((line.more > 0).then(|| format!("{} more", line.more)));
            all.join(", ")
        }
    };
    out.named(&format!("{:NAME$} {:5}was ", "", ""), &before, Role::Plain);
}

/// What was checked, by the program and now.
pub fn checked(card: &ReviewCard, sight: &Sight, out: &mut Lines) {
    let review = &card.review;
    match card.same.as_slice() {
        [] => good("these bytes were never asked or done before", out),
        same => {
            for other in same.iter().take(SAME_NAMED) {
                let at = sight.day(other.asked.wall);
                let done = match other.used {
                    0 => String::new(),
                    1 => ", done once".to_owned(),
                    n => format!(", done {n} times"),
                };
                let state = other.state.word();
                let text = format!("the same bytes: {} of {at}, {state}{done}", other.review);
                bad(&text, out);
            }
        }
    }
    characters(review.action(), out);
    if let Args::Stored { bytes, .. } = &review.action().args {
        bad(&format!("{bytes} bytes are not here: only names and digests are"), out);
    }
    if review.ask.undeclared {
        bad("the job did not say that it would ask such a thing", out);
    }
    if let Some(before) = review.denied_before {
        bad(&format!("people said no to such a thing before: {before}"), out);
    }
    if let Some(old) = review.replaces {
        bad(&format!("takes the place of {old}, which was about other bytes"), out);
    }
    for (name, value) in &review.ask.conditions {
        let text = format!("good only while {name} is {value}");
        out.named("..  ", &text, Role::Plain);
    }
    uncovered(review.action(), out);
}

fn good(text: &str, out: &mut Lines) {
    out.named_as("ok  ", text, Role::Good, Role::Plain);
}

fn bad(text: &str, out: &mut Lines) {
    out.named_as("!!  ", text, Role::Bad, Role::NeedsYou);
}

/// Characters that hide or could be taken for others.
fn characters(action: &Action, out: &mut Lines) {
    let lines = bytes::of_action(action);
    let pieces = || lines.iter().flat_map(|line| &line.value);
    let odd = pieces().filter(|p| p.escape).filter(|p| !["\\n", "\\t"].contains(&&*p.text)).count();
    if odd > 0 {
        bad("control, invisible or direction characters stand in it, shown as escapes", out);
    } else {
        good("no hidden characters", out);
    }
    let mut foreign: Vec<char> = Vec::new();
    for c in pieces().filter(|p| !p.escape).flat_map(|p| p.text.chars()) {
        if !c.is_ascii() && !foreign.contains(&c) {
            foreign.push(c);
        }
    }
    if !foreign.is_empty() {
        let shown: Vec<String> =
            foreign.iter().take(6).map(|c| format!("{c} U+{:04X}", u32::from(*c))).collect();
        bad(&format!("letters that are not ASCII: {}", shown.join(", ")), out);
    }
}

/// Words beside the action, which a yes is not bound to.
fn uncovered(action: &Action, out: &mut Lines) {
    let Args::Here(text) = &action.args else { return };
    let Ok(args) = Json::read(text) else { return };
    for name in action.not_covered() {
        let value = args.get(name).map(Json::canonical).unwrap_or_default();
        out.named("..  ", &format!("not covered by a yes: {name} {value}"), Role::Muted);
    }
}

/// What the job holds and what it costs in time.
pub fn job(card: &ReviewCard, sight: &Sight, out: &mut Lines) {
    let review = &card.review;
    let beside = &card.beside;
    let waits = sight.since(review.asked.now);
    let state = beside.job_state.replace('_', " ");
    if review.is_open() {
        out.text(&format!("{state}, waits for {waits}"), Role::Plain);
    } else {
        out.text(&state, Role::Plain);
    }
    if beside.holds.is_empty() {
        out.text("holds nothing", Role::Plain);
    } else {
        out.text(&format!("holds {}", words::amounts(&beside.holds)), Role::NeedsYou);
    }
    if let Some(answer) = card.answer.as_ref().filter(|_| review.is_open()) {
        let now = sight.now.wall;
        let left = |at: Wall| duration::short(at.since(now));
        let (from, to) = (left(answer.from), left(answer.to));
        let within = if from == to { to } else { format!("{from} to {to}") };
        let text = format!("by what they took before the answer comes in {within}");
        out.text(&text, Role::Muted);
    }
}

/// The card's title: `R17  PAY 4180.00 EUR TO acme`.
pub fn title(card: &ReviewCard) -> String {
    let review = &card.review;
    let deed = words::review::deed(review.ask.effect, &review.action().subject());
    format!("{}  {deed}", review.id)
}
