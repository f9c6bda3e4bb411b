//! The table of actions as a page of documentation.

use std::fmt::Write;

use super::{Action, Danger, TABLE};

/// Every action with its keys, where it works and what it can do, as Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Keys of the console\n\nLower case looks (except `z` seen, `u` undo, `+`/`-` and `i`), \
         capitals act. What may cost work asks first, and the answer is No unless you say \
         otherwise. This page is made from the table of actions.\n",
    );
    for (title, danger) in [
        ("Acts, and asks first", Danger::Destroys),
        ("Acts", Danger::Acts),
        ("Looks", Danger::Looks),
    ] {
        // Writing to a text cannot fail.
        let _ = write!(out, "\n## {title}\n\n| key | action | does | where |\n|---|---|---|---|\n");
        for action in TABLE.iter().filter(|action| action.danger == danger) {
            let _ = writeln!(out, "{}", row(action));
        }
    }
    out
}

fn row(action: &Action) -> String {
    let keys: Vec<String> = action.keys.iter().map(|key| format!("`{key}`")).collect();
    let keys = if keys.is_empty() { "by name".to_owned() } else { keys.join(" ") };
    let panes: Vec<String> =
        action.panes.iter().map(|kind| format!("{kind:?}").to_lowercase()).collect();
    let panes = if panes.is_empty() { "everywhere".to_owned() } else { panes.join(", ") };
    format!("| {keys} | {} | {} | {panes} |", action.name, action.help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_docs_is_fresh() {
        let page = include_str!("../../../docs/KEYS.md");
        // Written anew on request, so that nobody has to copy it by hand.
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/KEYS.md");
        if std::env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always") {
            std::fs::write(path, reference()).unwrap();
            return;
        }
        assert_eq!(page, reference(), "docs/KEYS.md is stale: INSTA_UPDATE=always writes it");
    }
}
