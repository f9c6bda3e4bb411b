//! What a review is about as a text that somebody can change, and back.

use crate::model::action::amount::Value;
use crate::model::action::{Action, Amount, Args, Json};

/// The parts of an action that can be changed, as JSON on several lines.
///
/// # Errors
/// Why it cannot be changed here.
pub fn text(action: &Action) -> Result<String, String> {
    let Args::Here(args) = &action.args else {
        return Err("it is a list of files; what it is about cannot be changed here".to_owned());
    };
    let args = Json::read(args)?;
    let mut parts = vec![format!("  \"args\": {}", pretty(&args, 1))];
    if let Some(target) = &action.target {
        parts.push(format!("  \"target\": {}", Json::text(target).canonical()));
    }
    if let Some(Amount { value, currency }) = &action.amount {
        let (value, currency) = (value.to_string(), Json::text(currency).canonical());
        parts.push(format!("  \"amount\": {{\"value\": \"{value}\", \"currency\": {currency}}}"));
    }
    Ok(format!("{{\n{}\n}}\n", parts.join(",\n")))
}

/// JSON as people read it; what can be written in one short line is.
fn pretty(value: &Json, depth: usize) -> String {
    const SHORT: usize = 60;
    let canonical = value.canonical();
    let indent = "  ".repeat(depth + 1);
    let end = "  ".repeat(depth);
    match value {
        Json::Object(pairs) if !pairs.is_empty() => {
            let pair = |(key, value): &(String, Json)| {
                format!("{indent}{}: {}", Json::text(key).canonical(), pretty(value, depth + 1))
            };
            let pairs: Vec<String> = pairs.iter().map(pair).collect();
            format!("{{\n{}\n{end}}}", pairs.join(",\n"))
        }
        Json::List(items) if canonical.len() > SHORT && !items.is_empty() => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{indent}{}", pretty(item, depth + 1))).collect();
            format!("[\n{}\n{end}]", items.join(",\n"))
        }
        _ => canonical,
    }
}

/// The action that a changed text describes; kind and tool stay.
///
/// # Errors
/// What is wrong with it.
pub fn action(before: &Action, text: &str) -> Result<Action, String> {
    let json = Json::read(text)?;
    let args = json.get("args").ok_or("`args` is missing")?;
    let target = match json.get("target") {
        None | Some(Json::Null) => None,
        Some(Json::Text(target)) => Some(target.clone()),
        Some(_) => return Err("`target` is a text".to_owned()),
    };
    let amount = match json.get("amount") {
        None | Some(Json::Null) => None,
        Some(amount) => Some(amount_of(amount)?),
    };
    let args = Args::Here(args.canonical());
    let action = Action { args, target, amount, ..before.clone() };
    action.problem().map_or(Ok(action), Err)
}

fn amount_of(json: &Json) -> Result<Amount, String> {
    match (json.get("value"), json.get("currency")) {
        (Some(Json::Text(value) | Json::Number(value)), Some(Json::Text(currency))) => {
            let value: Value = Value::parse(value)?;
            Amount::parse(&value.to_string(), currency)
        }
        _ => Err("`amount` has a `value` and a `currency`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pay() -> Action {
        let args = r#"{"argv":["pay","--to","DE12 0000 1111 2222 3333 4444 5555","--ref","x"]}"#;
        Action {
            kind: "tool".into(),
            tool: Some("payctl".into()),
            args: Args::Here(args.to_owned()),
            target: Some("ACME".into()),
            amount: Some(Amount::parse("4180", "EUR").unwrap()),
        }
    }

    #[test]
    fn what_was_not_changed_comes_back_as_it_was() {
        let text = text(&pay()).unwrap();
        assert_eq!(action(&pay(), &text), Ok(pay()));
        assert!(text.contains("      \"--ref\""), "{text}");
        let less = action(&pay(), &text.replace("4180.00", "418")).unwrap();
        assert_eq!(less.amount.unwrap().to_string(), "418.00 EUR");
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (text, why) in [
            ("", "no JSON"),
            ("{}", "`args` is missing"),
            (r#"{"args":{},"target":5}"#, "`target` is a text"),
            (r#"{"args":{},"amount":{"value":"1,5","currency":"EUR"}}"#, "is no amount"),
            (r#"{"args":{},"amount":"5"}"#, "`amount` has a `value`"),
        ] {
            let said = action(&pay(), text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
