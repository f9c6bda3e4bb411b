//! Words, or a file, as an action.

use std::io::Read as _;

use serde::Deserialize;

use crate::base::Name;
use crate::cli::asking::options::AskOptions;
use crate::cli::exit::Failure;
use crate::model::action::{Action, Amount, Args, Json, SHOWN_MAX};

/// The kind of an action that is only words.
const SAID: &str = "said";
/// Bytes of a file that are read: more than may be asked for, so that the refusal is the server's.
const FILE_MAX: u64 = 4 * SHOWN_MAX as u64;

/// What `ask` is about: words, or what a file describes.
///
/// # Errors
/// A usage failure.
pub fn of(words: &[String], file: Option<&str>, options: &AskOptions) -> Result<Action, Failure> {
    let money = options.money()?;
    let mut action = match file {
        Some(_) if !words.is_empty() => {
            let what = "both words and --action say what is to be done";
            return Err(Failure::usage(what, "keep one; what you say about it is --summary"));
        }
        Some(file) => described(&text(file)?)?,
        None if words.is_empty() => {
            let what = "it is not said what is to be done";
            let hint = "holdshort ask --effect external --target mail -- send the report to X";
            return Err(Failure::usage(what, hint));
        }
        None => said(words),
    };
    let twice = |what: &str| {
        let what = format!("both --{what} and --action say the {what}");
        Failure::usage(what, "keep one")
    };
    match (&options.target, &action.target) {
        (Some(_), Some(_)) => return Err(twice("target")),
        (given, None) => action.target.clone_from(given),
        _ => {}
    }
    match (money, &action.amount) {
        (Some(_), Some(_)) => return Err(twice("amount")),
        (given @ Some(_), None) => action.amount = given,
        _ => {}
    }
    Ok(action)
}

fn said(words: &[String]) -> Action {
    let words = words.iter().map(|word| Json::text(word)).collect();
    let args = Json::object(vec![("words".to_owned(), Json::List(words))]);
    let args = Args::Here(args.canonical());
    Action { kind: SAID.into(), tool: None, args, target: None, amount: None }
}

fn text(file: &str) -> Result<String, Failure> {
    let path = file.strip_prefix('@').ok_or_else(|| {
        Failure::usage(format!("`{file}` is no file"), "--action @FILE, or --action @- for stdin")
    })?;
    let mut text = String::new();
    let read = match path {
        "-" => std::io::stdin().take(FILE_MAX).read_to_string(&mut text),
        path => std::fs::File::open(path)
            .and_then(|opened| opened.take(FILE_MAX).read_to_string(&mut text)),
    };
    read.map_err(|error| Failure::usage(format!("cannot read {path}: {error}"), ""))?;
    Ok(text)
}

/// The words around the arguments; those are read by our own reader.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described<'a> {
    kind: Name,
    #[serde(default)]
    tool: Option<Name>,
    #[serde(borrow)]
    args: &'a serde_json::value::RawValue,
    #[serde(default)]
    target: Option<String>,
    #[serde(default)]
    amount: Option<Money>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Money {
    value: String,
    currency: String,
}

fn described(text: &str) -> Result<Action, Failure> {
    let form = "{\"kind\": …, \"tool\"?: …, \"args\": …, \"target\"?: …, \
                \"amount\"?: {\"value\": \"4180.00\", \"currency\": \"EUR\"}}";
    let wrong = |why: String| Failure::usage(format!("the action makes no sense: {why}"), form);
    // A key that stands twice is refused, at every depth.
    Json::read(text).map_err(wrong)?;
    let described: Described<'_> =
        serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let args = Json::read(described.args.get()).map_err(wrong)?;
    let amount = described.amount.map(|money| Amount::parse(&money.value, &money.currency));
    Ok(Action {
        kind: described.kind,
        tool: described.tool,
        args: Args::Here(args.canonical()),
        target: described.target,
        amount: amount.transpose().map_err(wrong)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_as_they_were_said() {
        let words = ["mail", "the report"].map(ToOwned::to_owned);
        let shown = said(&words).subject().command;
        assert_eq!(shown.as_deref(), Some("mail the report"));
    }

    #[test]
    fn a_described_action_is_read_strictly() {
        let good = r#"{"kind":"tool","tool":"pay","args":{"to":"X","n":1.0},"target":"bank",
                      "amount":{"value":"10","currency":"eur"}}"#;
        let action = described(good).unwrap();
        assert_eq!(action.args, Args::Here(r#"{"n":1,"to":"X"}"#.into()));
        assert_eq!(action.amount.unwrap().to_string(), "10.00 EUR");
        for bad in [
            "",
            "[]",
            r#"{"kind":"tool"}"#,
            r#"{"kind":"tool","args":{},"extra":1}"#,
            r#"{"kind":"tool","args":{"a":1,"a":2}}"#,
            r#"{"kind":"tool","kind":"x","args":{}}"#,
            r#"{"kind":"tool","args":{},"amount":{"value":"1e3","currency":"EUR"}}"#,
            r#"{"kind":"tool","args":12345678901234567890}"#,
        ] {
            assert!(described(bad).is_err(), "{bad}");
        }
    }
}
