//! Draws the console: a pure function of its memory.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::actions::{self, Danger, TABLE};
use crate::tui::app::App;
use crate::tui::header;
use crate::tui::keys::Code;
use crate::tui::layout::{LEAST, Layout};
use crate::tui::term::quietly;
use crate::tui::theme::Ink;
use crate::tui::widgets::Canvas;

/// Draws everything.
pub fn draw(app: &App, frame: &mut Frame) {
    let area = frame.area();
    paint(app, frame.buffer_mut(), area);
}

/// Draws everything into a buffer.
pub fn paint(app: &App, buffer: &mut Buffer, area: Rect) {
    let options = &app.ground.options;
    if options.theme.paint {
        let (fg, bg) = options.theme.screen;
        buffer.set_style(area, ratatui::style::Style::new().fg(fg).bg(bg));
    }
    let mut canvas = Canvas::new(buffer, &options.theme, options.ascii);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        canvas.put((area.x, area.y), area.width, "too small", Ink::Muted);
        return;
    }
    let layout = Layout::of(area, &app.ground, app.kind());
    header::header(app, &mut canvas, layout.header);
    header::alert(app, &mut canvas, layout.alert);
    header::way(app, &mut canvas, layout.way);
    canvas.stale(app.ground.known.lost().is_some());
    body(app, &mut canvas, layout.body);
    canvas.stale(false);
    footer(app, &mut canvas, layout.footer);
    if let Some(popup) = &app.popup {
        popup.draw(app, &mut canvas, layout.footer);
    }
}

/// The pane; one that breaks says so and leaves the others alone.
fn body(app: &App, canvas: &mut Canvas, area: Rect) {
    let Some(pane) = app.front() else { return };
    if area.width == 0 || area.height == 0 {
        return;
    }
    let drawn = quietly(|| catch_unwind(AssertUnwindSafe(|| pane.draw(&app.ground, canvas, area))));
    if drawn.is_err() {
        canvas.fill(area, Ink::Plain);
        let text = "this pane broke while it was drawn; Esc goes back, the rest works";
        canvas.put((area.x + 1, area.y), area.width.saturating_sub(1), text, Ink::Bad);
    }
}

/// A message if there is one, else the keys that matter here.
fn footer(app: &App, canvas: &mut Canvas, area: Rect) {
    if area.height == 0 {
        return;
    }
    // A popup takes every key and says which ones it knows; so does a program that is typed to.
    if app.popup.is_some() {
        return;
    }
    if app.front().is_some_and(|pane| pane.is_typing()) {
        let used = canvas.put((area.x + 1, area.y), area.width - 1, "ctrl-\\", Ink::Key);
        let room = area.width.saturating_sub(used + 2);
        canvas.put((area.x + used + 2, area.y), room, "stops typing", Ink::Muted);
        return;
    }
    if let Some(review) = app.ground.signing {
        let text = format!("TOUCH YOUR KEY for {review}, or confirm it where the SSH agent asks");
        let used = canvas.put((area.x + 1, area.y), area.width - 1, &text, Ink::NeedsYou);
        let x = area.x + used + 3;
        let room = area.right().saturating_sub(x);
        canvas.put((x, area.y), room, "nothing is sent before", Ink::Muted);
        return;
    }
    let now = app.ground.known.clock.console();
    if let Some(message) = app.ground.messages.shown(now) {
        let used = canvas.put((area.x + 1, area.y), area.width - 1, &message.text, message.ink);
        if message.ink == Ink::Bad {
            let x = area.x + 1 + used + 2;
            let room = area.right().saturating_sub(x);
            canvas.put((x, area.y), room, "Esc = seen, m = all messages", Ink::Muted);
        }
        return;
    }
    let help = TABLE.iter().find(|action| action.name == "help");
    let help = help.and_then(|help| app.ground.options.keymap.keys(help).first().copied());
    let help = help.map_or_else(String::new, |key| format!("{key} keys"));
    let right = area.right().saturating_sub(1);
    let help_at = canvas.put_right((right, area.y), 16, &help, Ink::Key);
    let mut x = area.x + 1;
    for action in TABLE.iter().filter(|a| !a.footer.is_empty() && a.name != "help") {
        let hidden = action.danger != Danger::Looks && app.ground.options.read_only;
        if hidden || actions::allowed(app, action).is_err() {
            continue;
        }
        let Some(key) = app.ground.options.keymap.keys(action).first().copied() else { continue };
        let key = if key.code == Code::Enter { "Enter".to_owned() } else { key.to_string() };
        let wide = u16::try_from(key.len() + action.footer.len() + 3).unwrap_or(u16::MAX);
        if x.saturating_add(wide) >= help_at {
            break;
        }
        x += canvas.put((x, area.y), wide, &key, Ink::Key) + 1;
        x += canvas.put((x, area.y), wide, action.footer, Ink::Muted) + 2;
    }
}
