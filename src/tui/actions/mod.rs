//! Actions: one table from which keys, help, palette, footer and read-only mode derive.
//!
//! Start with [`table`]. [`look`] moves and opens, [`act`] asks the server for something,
//! [`cancel`] is the one place from which a job is ended, [`losses`] says what that costs,
//! [`team`] does the same for teams, [`review`] answers reviews, [`undo`] takes back.

pub mod act;
pub mod cancel;
pub mod keymap;
pub mod look;
pub mod losses;
pub mod outcome;
pub mod reference;
pub mod review;
pub mod table;
pub mod team;
pub mod undo;

use crate::tui::app::App;
use crate::tui::event::Effect;
use crate::tui::keys::Key;
use crate::tui::panes::Kind;

pub use keymap::Keymap;
pub use reference::reference;
pub use table::TABLE;

/// What an action can do to jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Danger {
    /// Nothing: it shows something.
    Looks,
    /// It changes something that can be changed back.
    Acts,
    /// It may cost work: it asks first.
    Destroys,
}

/// A row of the table.
pub struct Action {
    /// Its stable name.
    pub name: &'static str,
    /// Its keys in their written form; the first is shown.
    pub keys: &'static [&'static str],
    /// What it does, for help and palette.
    pub help: &'static str,
    /// The word in the footer; empty if it is not shown there.
    pub footer: &'static str,
    /// What it can do.
    pub danger: Danger,
    /// Where it works; everywhere if empty.
    pub panes: &'static [Kind],
    /// Whether it makes sense now, else why not.
    pub when: fn(&App) -> Result<(), String>,
    /// Does it.
    pub run: fn(&mut App, &mut Vec<Effect>),
}

impl Action {
    /// It works in this kind of pane.
    pub fn works_in(&self, kind: Kind) -> bool {
        self.panes.is_empty() || self.panes.contains(&kind)
    }
}

/// Whether an action may run now: the pane, read-only mode, the connection, its own condition.
///
/// # Errors
/// Why not, for help and footer.
pub fn allowed(app: &App, action: &Action) -> Result<(), String> {
    if !action.works_in(app.kind()) {
        return Err("not in this pane".to_owned());
    }
    if action.danger != Danger::Looks {
        app.ground.may_act()?;
    }
    (action.when)(app)
}

/// A key was pressed.
pub fn press(app: &mut App, key: Key, out: &mut Vec<Effect>) {
    match app.ground.options.keymap.action(app.kind(), key) {
        Some(action) => run(app, action, out),
        None => app.ground.say(format!("{key} does nothing here; ? shows the keys")),
    }
}

/// Runs an action by its name.
pub fn run_named(app: &mut App, name: &str, out: &mut Vec<Effect>) {
    if let Some(action) = TABLE.iter().find(|action| action.name == name) {
        run(app, action, out);
    }
}

fn run(app: &mut App, action: &Action, out: &mut Vec<Effect>) {
    match allowed(app, action) {
        Ok(()) => (action.run)(app, out),
        Err(why) => app.ground.say(format!("{}: {why}", action.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::panes::PANES;

    #[test]
    fn no_key_means_two_things_in_one_pane_and_every_key_can_be_read() {
        for registered in PANES {
            let mut seen = std::collections::BTreeMap::new();
            for action in TABLE.iter().filter(|action| action.works_in(registered.kind)) {
                for text in action.keys {
                    let key = Key::parse(text).unwrap_or_else(|| panic!("{text}"));
                    let other = seen.insert(key, action.name);
                    assert_eq!(other, None, "{text} in {:?}: {}", registered.kind, action.name);
                }
            }
        }
    }

    #[test]
    fn capitals_act_and_nothing_else_does() {
        let small = ["seen", "undo", "tier-up", "tier-down", "type"];
        for action in TABLE {
            for text in action.keys {
                let capital = text.len() == 1 && text.chars().all(char::is_uppercase);
                let acts = action.danger != Danger::Looks;
                let excused = small.contains(&action.name) || action.name == "last";
                assert!(capital == acts || excused, "{} {text}", action.name);
                assert!(!acts || !text.starts_with("ctrl-"), "{}", action.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::BTreeSet<_> = TABLE.iter().map(|a| a.name).collect();
        assert_eq!(names.len(), TABLE.len());
    }
}
