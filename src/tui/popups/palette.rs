//! Every action by name: type a part, choose, Enter.

use crate::tui::actions::{self, Action};
use crate::tui::app::App;
use crate::tui::keys::{Code, Key};
use crate::tui::popups::{Outcome, Then, middle};
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Input, Window};

/// The palette.
#[derive(Debug, Default)]
pub struct Palette {
    input: Input,
    chosen: usize,
}

impl Palette {
    /// Actions whose name or help has every typed word, best first.
    fn found(&self) -> Vec<&'static Action> {
        let typed = self.input.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let has = |action: &&Action| {
            words
                .iter()
                .all(|word| action.name.contains(word) || action.help.to_lowercase().contains(word))
        };
        let mut found: Vec<_> = actions::TABLE.iter().filter(has).collect();
        let first = words.first().copied().unwrap_or("");
        found.sort_by_key(|action| !action.name.starts_with(first));
        found
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Outcome {
        let len = self.found().len();
        match key.code {
            Code::Esc => return Outcome::Closes(None),
            Code::Char('c') if key.ctrl => return Outcome::Closes(None),
            Code::Up => self.chosen = self.chosen.saturating_sub(1),
            Code::Down => self.chosen = (self.chosen + 1).min(len.saturating_sub(1)),
            Code::Enter => {
                let action = self.found().get(self.chosen).map(|action| Then::Action(action.name));
                return Outcome::Closes(action);
            }
            _ => {
                self.input.key(key);
                self.chosen = 0;
            }
        }
        Outcome::Stays(None)
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) -> Outcome {
        self.input.paste(text);
        self.chosen = 0;
        Outcome::Stays(None)
    }

    /// Draws it.
    pub fn draw(&self, app: &App, canvas: &mut Canvas) {
        let found = self.found();
        let area = middle(canvas.area(), 72, 20);
        let inside = canvas.boxed(area, "what shall be done", Ink::Head);
        let used = canvas.put((inside.x, inside.y), inside.width, ": ", Ink::Key);
        let room = inside.width.saturating_sub(used);
        self.input.draw(canvas, (inside.x + used, inside.y), room);
        let height = usize::from(inside.height.saturating_sub(1));
        let mut window = Window::default();
        window.follow(self.chosen, found.len(), height.max(1));
        for (row, at) in window.seen(found.len(), height).enumerate() {
            let Some(action) = found.get(at) else { continue };
            let y = inside.y + 1 + u16::try_from(row).unwrap_or(0);
            draw_row(app, canvas, (inside.x, y), inside.width, action, at == self.chosen);
        }
    }
}

/// A row of the palette or of help: key, name, what it does or why it cannot.
pub fn draw_row(
    app: &App,
    canvas: &mut Canvas,
    (x, y): (u16, u16),
    columns: u16,
    action: &Action,
    chosen: bool,
) {
    let cannot = actions::allowed(app, action).err();
    let ink = |ink: Ink| if cannot.is_some() { Ink::Muted } else { ink };
    let keys = app.ground.options.keymap.text(action);
    canvas.put((x, y), columns.min(11), &keys, ink(Ink::Key));
    let name = columns.saturating_sub(12).min(15);
    canvas.put((x + 12, y), name, action.name, ink(Ink::Head));
    let room = columns.saturating_sub(28);
    let text = match &cannot {
        Some(why) => format!("{} ({why})", action.help),
        None => action.help.to_owned(),
    };
    canvas.put((x.saturating_add(28), y), room, &text, ink(Ink::Plain));
    if chosen {
        canvas.tint(ratatui::layout::Rect::new(x, y, columns, 1), Ink::Selected);
    }
}
