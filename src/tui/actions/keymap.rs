//! Which keys an action has: those of the table, or those its user gave it.

use std::collections::BTreeMap;

use super::{Action, Danger, TABLE};
use crate::base::nearest;
use crate::tui::keys::{Code, Key};
use crate::tui::panes::{Kind, PANES};

/// Keys by action, where they differ from the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keymap {
    changed: BTreeMap<&'static str, Vec<Key>>,
}

impl Keymap {
    /// The table with these changes: an action's name and its keys, none to take them away.
    ///
    /// # Errors
    /// An unknown action or key, a key that means two things in one pane, or one that is too
    /// easily hit for what it would do.
    pub fn new(changes: &[(String, Vec<String>)]) -> Result<Keymap, String> {
        let mut map = Keymap::default();
        for (name, keys) in changes {
            let action = TABLE.iter().find(|action| action.name == name.as_str());
            let action = action.ok_or_else(|| unknown(name))?;
            let keys = keys.iter().map(|text| readable(action, text));
            map.changed.insert(action.name, keys.collect::<Result<_, _>>()?);
        }
        for registered in PANES {
            map.check(registered.kind)?;
        }
        Ok(map)
    }

    /// The keys of an action.
    pub fn keys(&self, action: &Action) -> Vec<Key> {
        let own = || action.keys.iter().filter_map(|text| Key::parse(text)).collect();
        self.changed.get(action.name).cloned().unwrap_or_else(own)
    }

    /// The first two keys of an action for people: `down j`.
    pub fn text(&self, action: &Action) -> String {
        let keys = self.keys(action);
        let shown: Vec<String> = keys.iter().take(2).map(Key::to_string).collect();
        shown.join(" ")
    }

    /// The action of a key in a kind of pane.
    pub fn action(&self, kind: Kind, key: Key) -> Option<&'static Action> {
        TABLE.iter().find(|action| action.works_in(kind) && self.keys(action).contains(&key))
    }

    fn check(&self, kind: Kind) -> Result<(), String> {
        let mut seen: BTreeMap<Key, &str> = BTreeMap::new();
        for action in TABLE.iter().filter(|action| action.works_in(kind)) {
            for key in self.keys(action) {
                if let Some(other) = seen.insert(key, action.name) {
                    let name = action.name;
                    return Err(format!("{key} would be both {other} and {name}; change one"));
                }
            }
        }
        Ok(())
    }
}

fn unknown(name: &str) -> String {
    match nearest(name, TABLE.iter().map(|action| action.name)) {
        Some(near) => format!("there is no action {name:?}; did you mean {near}?"),
        None => format!("there is no action {name:?}; `:` in the console lists them"),
    }
}

/// A key for an action. What may cost work keeps away from keys that are pressed by mistake.
fn readable(action: &Action, text: &str) -> Result<Key, String> {
    let key = Key::parse(text)
        .ok_or_else(|| format!("{text:?} is no key; write a, G, ctrl-x, enter, space or f5"))?;
    let capital = matches!(key.code, Code::Char(c) if c.is_uppercase()) && !key.ctrl && !key.alt;
    if action.danger == Danger::Destroys && !capital {
        return Err(format!("{} only takes capital letters, not {text}", action.name));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, keys: &[&str]) -> Result<Keymap, String> {
        Keymap::new(&[(name.to_owned(), keys.iter().map(|key| (*key).to_owned()).collect())])
    }

    #[test]
    fn keys_can_be_changed_but_not_into_traps() {
        let map = with("log", &["s", "f3"]).unwrap();
        let log = |key| map.action(Kind::Home, Key::parse(key).unwrap()).map(|a| a.name);
        assert_eq!((log("s"), log("f3"), log("l")), (Some("log"), Some("log"), None));
        assert!(with("log", &[]).unwrap().action(Kind::Home, Key::char('l')).is_none());
        assert!(with("lgo", &["s"]).unwrap_err().contains("did you mean log?"));
        assert!(with("log", &["hyper-v"]).unwrap_err().contains("is no key"));
        assert!(with("log", &["n"]).unwrap_err().contains("would be both"));
        assert!(with("cancel", &["ctrl-k"]).unwrap_err().contains("only takes capital letters"));
        assert!(with("cancel", &["C"]).is_ok());
    }
}
