//! What will run: every value that a yes is bound to, one on each line, none left out.
//!
//! A command line is laid out with an option on each line, a script keeps its lines, anything else
//! is a list of values by path. Lines have numbers, so that one sees where a long one goes on.
//! Start with [`lines`]; [`laid_out`] fits them to a width.

use super::escape::{Piece, escaped, pieces};
use crate::base::text::{pad, width};
use crate::model::action::{Action, Args, Json, projection};
use crate::model::review::Review;
use crate::view::line::{Cell, Line, Role};

/// Columns of a label: as many as the longest takes, within bounds.
const LABEL: (usize, usize) = (9, 18);

/// One value, or a few that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteLine {
    /// Where in the action it stands: `args.argv.2`, `amount`.
    pub paths: Vec<String>,
    /// What stands before it, if it is no part of a command.
    pub label: String,
    /// The value.
    pub value: Vec<Piece>,
    /// A line of a text that goes on with another line.
    pub goes_on: bool,
    /// The same again so often: empty lines of a text.
    pub times: usize,
}

impl ByteLine {
    /// What it is called where values are compared: an option, `command`, or its path.
    pub fn name(&self) -> String {
        let path = self.paths.first().map_or("", String::as_str);
        let Some(at) = path.strip_prefix("args.argv.") else { return path.to_owned() };
        if at == "0" {
            return "command".to_owned();
        }
        let text: String = self.value.iter().map(|piece| &*piece.text).collect();
        let word = text.trim_start().split([' ', '=']).next().unwrap_or_default();
        word.to_owned()
    }
}

/// Everything that a yes to a review is bound to.
pub fn lines(review: &Review) -> Vec<ByteLine> {
    let mut out = of_action(review.action());
    out.push(labelled("effect", "effect", review.ask.effect.word()));
    out.push(labelled("principal", "for", &review.owner));
    out
}

/// Everything in an action that its hash covers.
pub fn of_action(action: &Action) -> Vec<ByteLine> {
    let mut out = Vec::new();
    let advisory = projection::advisory(action.tool.as_deref());
    match &action.args {
        Args::Here(text) => match Json::read(text) {
            Ok(args) => arguments(&args.without(advisory), &mut out),
            Err(_) => out.push(labelled("args", "args", text)),
        },
        Args::Stored { digest, bytes, files } => {
            let text = format!("{bytes} bytes, sha256:{digest}");
            out.push(labelled("args", "stored", &text));
            out.extend(files.iter().map(|file| {
                let text = format!("{} {} bytes, sha256:{}", file.path, file.bytes, file.digest);
                labelled(&format!("args.{}", file.path), "file", &text)
            }));
        }
    }
    if let Some(tool) = &action.tool {
        out.push(labelled("tool", "tool", tool));
    }
    out.push(labelled("kind", "kind", &action.kind));
    if let Some(target) = &action.target {
        out.push(labelled("target", "target", target));
    }
    if let Some(amount) = &action.amount {
        out.push(labelled("amount", "amount", &amount.to_string()));
    }
    out
}

fn labelled(path: &str, label: &str, value: &str) -> ByteLine {
    let (paths, label) = (vec![path.to_owned()], label.to_owned());
    ByteLine { paths, label, value: pieces(value), goes_on: false, times: 1 }
}

fn arguments(args: &Json, out: &mut Vec<ByteLine>) {
    let Json::Object(pairs) = args else { return values("args", "args", args, out) };
    // What is executed comes first, wherever its key stands in the alphabet.
    let first = |name: &str| !["argv", "command"].contains(&name);
    let mut pairs: Vec<&(String, Json)> = pairs.iter().collect();
    pairs.sort_by_key(|(name, _)| first(name));
    for (name, value) in pairs {
        let path = format!("args.{name}");
        match (name.as_str(), value, words(value)) {
            ("argv", _, Some(words)) if !words.is_empty() => command_line(&path, &words, out),
            ("command", Json::Text(text), _) => script(&path, "", text, out),
            _ => values(&path, name, value, out),
        }
    }
}

fn text_of(item: &Json) -> Option<&str> {
    match item {
        Json::Text(text) => Some(text),
        _ => None,
    }
}

/// A list of texts.
fn words(value: &Json) -> Option<Vec<&str>> {
    let Json::List(items) = value else { return None };
    items.iter().map(text_of).collect()
}

/// The program and its verb on the first line, then an option with its values on each.
fn command_line(path: &str, words: &[&str], out: &mut Vec<ByteLine>) {
    for (at, word) in words.iter().enumerate() {
        let path = format!("{path}.{at}");
        let shown = shell_word(word);
        let begins = at == 0 || (word.starts_with('-') && word.len() > 1);
        match out.last_mut().filter(|_| !begins) {
            Some(line) => {
                line.value.push(Piece { text: " ".to_owned(), escape: false });
                line.value.extend(shown);
                line.paths.push(path);
            }
            None => {
                let label = String::new();
                let indent = Piece { text: "  ".to_owned(), escape: false };
                let value = (at > 0).then_some(indent).into_iter().chain(shown).collect();
                out.push(ByteLine { paths: vec![path], label, value, goes_on: false, times: 1 });
            }
        }
    }
}

/// A word as it is if nothing in it could be read in two ways, else between quotes.
fn shell_word(word: &str) -> Vec<Piece> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return pieces(word);
    }
    quoted(word)
}

fn quoted(text: &str) -> Vec<Piece> {
    let quote = || Piece { text: "\"".to_owned(), escape: false };
    let inside = pieces(text).into_iter().map(|piece| match piece.escape {
        true => piece,
        false => {
            let text = piece.text.replace('\\', "\\\\").replace('"', "\\\"");
            Piece { text, ..piece }
        }
    });
    [quote()].into_iter().chain(inside).chain([quote()]).collect()
}

/// A text with its own lines; empty ones that follow each other are counted, not shown.
fn script(path: &str, label: &str, text: &str, out: &mut Vec<ByteLine>) {
    let parts: Vec<&str> = text.split('\n').collect();
    let last = parts.len().saturating_sub(1);
    let from = out.len();
    for (at, part) in parts.iter().enumerate() {
        let goes_on = at < last;
        let same = out.len() > from;
        if let Some(before) = out.last_mut().filter(|_| same && part.is_empty())
            && before.value.is_empty()
            && before.goes_on == goes_on
        {
            before.times += 1;
            continue;
        }
        let label = if at == 0 { label.to_owned() } else { String::new() };
        let paths = vec![path.to_owned()];
        out.push(ByteLine { paths, label, value: pieces(part), goes_on, times: 1 });
    }
}

/// A value and all that is inside it.
fn values(path: &str, label: &str, value: &Json, out: &mut Vec<ByteLine>) {
    match value {
        Json::Object(pairs) if !pairs.is_empty() => {
            for (name, value) in pairs {
                values(&format!("{path}.{name}"), &format!("{label}.{name}"), value, out);
            }
        }
        Json::List(items) if !items.is_empty() => {
            for (at, value) in items.iter().enumerate() {
                values(&format!("{path}.{at}"), &format!("{label}.{at}"), value, out);
            }
        }
        Json::Text(text) if text.contains('\n') => script(path, label, text, out),
        Json::Text(text) => {
            let value = value_word(text);
            let (paths, label) = (vec![path.to_owned()], label.to_owned());
            out.push(ByteLine { paths, label, value, goes_on: false, times: 1 });
        }
        other => out.push(labelled(path, label, &other.canonical())),
    }
}

/// A text is bare unless it could be taken for a number, a flag, nothing, or end in spaces.
fn value_word(text: &str) -> Vec<Piece> {
    let other = Json::read(text).is_ok() || text.is_empty() || text.trim() != text;
    if other || text.contains('"') { quoted(text) } else { pieces(text) }
}

/// The lines at a width: a number before each, and what `mark` says of a line at its end.
pub fn laid_out(
    lines: &[ByteLine],
    columns: usize,
    mark: &dyn Fn(&ByteLine) -> Option<&'static str>,
) -> Vec<Line> {
    let gutter = lines.len().to_string().len().max(2);
    let room = columns.saturating_sub(gutter + 1).max(8);
    let longest = lines.iter().map(|line| width(&line.label)).max().unwrap_or(0);
    let label = longest.clamp(LABEL.0, LABEL.1);
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let said = mark(line);
        let number = format!("{:>gutter$} ", at + 1);
        let mut rows = folded(line, room, label, said.is_some());
        if let (Some(said), Some(first)) = (said, rows.first_mut()) {
            let used: usize = first.iter().map(Cell::width).sum();
            let said = format!("<- {said}");
            match room.checked_sub(used + width(&said) + 1) {
                Some(space) => {
                    first.push(Cell::plain(" ".repeat(space + 1)));
                    first.push(Cell::new(said, Role::NeedsYou));
                }
                None => {
                    let space = " ".repeat(room.saturating_sub(width(&said)));
                    let cells = vec![Cell::plain(space), Cell::new(said, Role::NeedsYou)];
                    rows.insert(0, cells);
                }
            }
        }
        for (row, cells) in rows.into_iter().enumerate() {
            let before = if row == 0 { number.clone() } else { " ".repeat(gutter + 1) };
            let mut all = vec![Cell::new(before, Role::Muted)];
            all.extend(cells);
            out.push(Line(all));
        }
    }
    out
}

/// One line on as many rows as it takes: cut anywhere, for a cut at spaces would hide some.
fn folded(line: &ByteLine, room: usize, label: usize, loud: bool) -> Vec<Vec<Cell>> {
    let plain = if loud { Role::NeedsYou } else { Role::Plain };
    let mut rows: Vec<Vec<Cell>> = vec![Vec::new()];
    let mut used = 0;
    let mut put = |text: &str, role: Role, indent: usize| {
        let mut run = String::new();
        for c in text.chars() {
            let wide = unicode_width::UnicodeWidthChar::width(c).unwrap_or(1);
            if used + wide > room {
                if let Some(row) = rows.last_mut() {
                    row.push(Cell::new(std::mem::take(&mut run), role));
                }
                rows.push(vec![Cell::plain(" ".repeat(indent))]);
                used = indent;
            }
            run.push(c);
            used += wide;
        }
        if let Some(row) = rows.last_mut().filter(|_| !run.is_empty()) {
            row.push(Cell::new(run, role));
        }
    };
    let mut indent = if line.value.first().is_some_and(|p| p.text == "  ") { 4 } else { 0 };
    if !line.label.is_empty() {
        let name = escaped(&line.label);
        let wide = width(&name).max(label);
        put(&pad(&name, wide), Role::Muted, 0);
        put(" ", Role::Plain, 0);
        indent = if wide * 3 < room { wide + 1 } else { 2 };
    }
    for piece in &line.value {
        put(&piece.text, if piece.escape { Role::Bad } else { plain }, indent);
    }
    match (line.goes_on, line.times) {
        (_, 2..) => put(&format!("{} empty lines", line.times), Role::Bad, indent),
        (true, _) => put("⏎", Role::Muted, indent),
        _ => {}
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::line::plain;
    use proptest::prelude::*;

    fn action(args: &str) -> Action {
        let args = Args::Here(Json::read(args).unwrap().canonical());
        Action { kind: "tool".into(), tool: None, args, target: None, amount: None }
    }

    fn shown(action: &Action, columns: usize) -> String {
        plain(&laid_out(&of_action(action), columns, &|_| None))
    }

    #[test]
    fn an_option_has_a_line_and_a_script_keeps_its_own() {
        let pay = action(r#"{"argv":["payctl","transfer","--to","A B","-5"],"cwd":"/srv"}"#);
        let text = shown(&pay, 60);
        assert_eq!(
            text,
            " 1 payctl transfer\n 2   --to \"A B\"\n 3   -5\n 4 cwd       /srv\n 5 kind      tool\n"
        );
        let run = action("{\"command\":\"cd /x\\n\\n\\n\\nrm -rf .\\t\\n\"}");
        assert_eq!(
            shown(&run, 60),
            " 1 cd /x⏎\n 2 3 empty lines\n 3 rm -rf .\\t⏎\n 4\n 5 kind      tool\n"
        );
    }

    #[test]
    fn a_long_line_is_shown_to_its_end_and_types_are_told_apart() {
        let long = action(&format!(r#"{{"argv":["x","{}END"]}}"#, "a".repeat(200)));
        let text = shown(&long, 40);
        assert!(text.contains("END") && text.lines().count() == 7, "{text}");
        assert!(text.lines().all(|line| width(line) <= 40), "{text}");
        let kinds = action(r#"{"a":"5","b":5,"c":null,"d":"null","e":[],"f":{"g":true}}"#);
        let text = shown(&kinds, 60);
        for said in ["a         \"5\"", "b         5", "c         null", "d         \"null\""] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert!(text.contains("f.g       true"), "{text}");
    }

    #[test]
    fn a_line_that_differs_says_so_at_its_end() {
        let pay = action(r#"{"argv":["pay","--to","B"]}"#);
        let differs =
            |line: &ByteLine| line.paths.iter().any(|p| p == "args.argv.2").then_some("DIFFERS");
        let lines = laid_out(&of_action(&pay), 40, &differs);
        assert_eq!(lines[1].plain(), " 2   --to B                   <- DIFFERS");
        assert_eq!(lines[1].0.last().map(|cell| cell.role), Some(Role::NeedsYou));
        let narrow = laid_out(&of_action(&pay), 16, &differs);
        assert!(plain(&narrow).contains("<- DIFFERS"), "{narrow:?}");
    }

    proptest! {
        #[test]
        fn every_character_of_every_value_is_there(text in "\\PC{1,40}", columns in 12usize..90) {
            let args = Json::object(vec![("argv".into(), Json::List(vec![Json::text(&text)]))]);
            let action = Action { args: Args::Here(args.canonical()), ..action("{}") };
            let rows = laid_out(&of_action(&action), columns, &|_| None);
                let cells = |line: &Line| -> String {
                line.0.iter().skip(1).map(|cell| cell.text.as_str()).collect()
            };
            let first: String =
                shell_word(&text).iter().map(|piece| piece.text.clone()).collect();
                let all: String = rows.iter().map(cells).collect();
            prop_assert!(all.starts_with(&first), "{} in {}", first, all);
            prop_assert!(rows.iter().all(|line| width(&line.plain()) <= columns));
        }
    }
}
