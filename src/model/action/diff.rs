//! What differs between two actions, value by value.

use super::{Action, Args, Json};

/// One value that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where: `args.argv.3`, `amount`.
    pub path: String,
    /// What stood there, if anything did.
    pub before: Option<String>,
    /// What stands there now.
    pub after: Option<String>,
}

/// Everything that differs, in the order of the paths of the first.
pub fn differences(before: &Action, after: &Action) -> Vec<Difference> {
    let (before, after) = (leaves(before), leaves(after));
    let find = |list: &[(String, String)], path: &str| {
        list.iter().find(|(key, _)| key == path).map(|(_, value)| value.clone())
    };
    let mut found = Vec::new();
    for (path, value) in &before {
        let now = find(&after, path);
        if now.as_ref() != Some(value) {
            found.push(Difference { path: path.clone(), before: Some(value.clone()), after: now });
        }
    }
    for (path, value) in after {
        if find(&before, &path).is_none() {
            found.push(Difference { path, before: None, after: Some(value) });
        }
    }
    found
}

/// Every single value of an action with its path, in order: `args.argv.3`, `amount`.
pub fn leaves(action: &Action) -> Vec<(String, String)> {
    let mut leaves = vec![("kind".to_owned(), action.kind.to_string())];
    leaves.extend(action.tool.as_ref().map(|tool| ("tool".to_owned(), tool.to_string())));
    leaves.extend(action.target.as_ref().map(|target| ("target".to_owned(), target.clone())));
    leaves.extend(action.amount.as_ref().map(|amount| ("amount".to_owned(), amount.to_string())));
    match &action.args {
        Args::Here(text) => match Json::read(text) {
            Ok(args) => walk("args", &args, &mut leaves),
            Err(_) => leaves.push(("args".to_owned(), text.clone())),
        },
        Args::Stored { digest, files, .. } => {
            leaves.push(("args".to_owned(), format!("sha256:{digest}")));
            let lines = files.iter().map(|f| (format!("args.{}", f.path), f.digest.to_string()));
            leaves.extend(lines);
        }
    }
    leaves
}

fn walk(path: &str, value: &Json, leaves: &mut Vec<(String, String)>) {
    match value {
        Json::Object(pairs) if !pairs.is_empty() => {
            pairs.iter().for_each(|(key, value)| walk(&format!("{path}.{key}"), value, leaves));
        }
        Json::List(items) if !items.is_empty() => {
            let items = items.iter().enumerate();
            items.for_each(|(at, value)| walk(&format!("{path}.{at}"), value, leaves));
        }
        Json::Text(text) => leaves.push((path.to_owned(), text.clone())),
        other => leaves.push((path.to_owned(), other.canonical())),
    }
}
