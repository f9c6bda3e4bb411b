//! Asks before something that cannot be taken back, or that is done to many.
//!
//! It acts on the jobs it was opened for, ignores keys while a finger may still be on the key
//! that opened it, and everything but a clear yes is No. For many jobs one types their number,
//! and for a row that stands for several elements of an array which of them are meant.

use crate::base::text::fold_lines;
use crate::base::{JobId, Span};
use crate::model::command::Verb;
use crate::tui::actions::losses;
use crate::tui::app::App;
use crate::tui::event::Deed;
use crate::tui::keys::{Code, Key};
use crate::tui::popups::{Outcome, Then, middle};
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Input};
use crate::view::line::{Line, Role};

/// Keys are ignored this long.
pub const DEAF: Span = Span(400);

/// A question.
#[derive(Debug)]
pub struct Confirm {
    /// What would be done, in capitals: `CANCEL 42 fix-auth`.
    pub title: String,
    /// The jobs it is about, captured when it opened.
    pub jobs: Vec<JobId>,
    /// What it would mean, where it is about no job.
    about: Vec<Line>,
    /// It may be the whole array instead.
    whole: Option<Box<Whole>>,
    then: Then,
    opened: Span,
    typed: Input,
}

/// The array that a row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// The array.
    pub array: JobId,
    /// Elements it would be done with; nothing if not all of them are known here.
    pub count: Option<usize>,
    /// What is done with all of them.
    pub then: Then,
}

impl Whole {
    /// What one types for it.
    fn answer(&self) -> String {
        self.count.map_or_else(|| "all".to_owned(), |count| count.to_string())
    }

    fn line(&self) -> Line {
        let array = self.array;
        let text = match self.count {
            Some(count) => format!("the row stands for array {array}: {count} elements left"),
            None => format!("the row stands for array {array}; more of it is left than is here"),
        };
        Line::of(text, Role::NeedsYou)
    }
}

impl Confirm {
    /// Asks before `then`.
    pub fn new(title: String, jobs: Vec<JobId>, then: Then, now: Span) -> Confirm {
        let about = Vec::new();
        Confirm { title, jobs, about, whole: None, then, opened: now, typed: Input::default() }
    }

    /// Offers the whole array beside the one element.
    #[must_use]
    pub fn or_whole(self, whole: Whole) -> Confirm {
        Confirm { whole: Some(Box::new(whole)), ..self }
    }

    /// Says what it would mean, instead of what jobs would lose.
    #[must_use]
    pub fn saying(self, about: Vec<Line>) -> Confirm {
        Confirm { about, ..self }
    }

    /// When it begins to take keys.
    pub fn opens_at(&self) -> Span {
        self.opened + DEAF
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key, now: Span) -> Outcome {
        if now < self.opens_at() {
            return Outcome::Stays(None);
        }
        let no = || Outcome::Closes(Some(Then::Say("nothing was done".to_owned())));
        let typed = self.typed.text().trim();
        if let (Code::Enter, Some(whole)) = (key.code, &self.whole)
            && typed == whole.answer()
        {
            return Outcome::Closes(Some(whole.then.clone()));
        }
        match (key.code, self.is_typed()) {
            (Code::Esc, _) => no(),
            (Code::Char('c'), _) if key.ctrl => no(),
            (Code::Enter, true) if typed == self.jobs.len().to_string() => {
                Outcome::Closes(Some(self.then.clone()))
            }
            (Code::Char('y'), false) if key == Key::char('y') => {
                Outcome::Closes(Some(self.then.clone()))
            }
            (Code::Enter, _) | (_, false) => no(),
            (_, true) => {
                self.typed.key(key);
                Outcome::Stays(None)
            }
        }
    }

    /// Which jobs are meant has to be typed.
    fn is_typed(&self) -> bool {
        self.jobs.len() > 1 || self.whole.is_some()
    }

    fn lines(&self, app: &App) -> Vec<Line> {
        if !self.about.is_empty() {
            return self.about.clone();
        }
        let mut lines: Vec<Line> = self.whole.iter().map(|whole| whole.line()).collect();
        let away = app.out_of_sight(&self.jobs);
        if away > 0 {
            let text = format!("{away} of {} not in sight", self.jobs.len());
            lines.push(Line::of(text, Role::NeedsYou));
        }
        let verb = match &self.then {
            Then::Do(Deed::Act { verb, .. }) => Some(verb),
            _ => None,
        };
        let ends = matches!(self.then, Then::Cancel(_));
        let back = matches!(verb, Some(Verb::Preempt | Verb::Requeue));
        if ends || back {
            lines.extend(losses::losses(app, &self.jobs));
        } else {
            lines.extend(losses::names(app, &self.jobs));
        }
        lines.extend(losses::way_back(app, &self.jobs).filter(|_| back));
        lines
    }

    /// Draws it.
    pub fn draw(&self, app: &App, canvas: &mut Canvas) {
        let screen = canvas.area();
        let columns = 64.min(screen.width.saturating_sub(2)).max(20);
        let inner = usize::from(columns).saturating_sub(4);
        let mut lines = Vec::new();
        for line in self.lines(app) {
            let role = line.0.first().map_or(Role::Plain, |cell| cell.role);
            let folded = fold_lines(&line.plain(), inner);
            lines.extend(folded.into_iter().map(|text| Line::of(text, role)));
        }
        let rows = u16::try_from(lines.len() + 5).unwrap_or(u16::MAX);
        let area = middle(screen, columns, rows);
        let inside = canvas.boxed(area, "are you sure?", Ink::Danger);
        let (x, room) = (inside.x + 1, inside.width.saturating_sub(2));
        canvas.put((x, inside.y), room, &self.title, Ink::Danger);
        let below = (inside.y + 1)..inside.bottom().saturating_sub(2);
        for (y, line) in below.zip(&lines) {
            canvas.line((x, y), room, line);
        }
        let y = inside.bottom().saturating_sub(1);
        let deaf = app.ground.known.clock.console() < self.opens_at();
        // While it does not listen yet its keys look as dead as they are.
        let ink = |ink: Ink| if deaf { Ink::Muted } else { ink };
        if self.is_typed() {
            let ask = match &self.whole {
                Some(whole) => {
                    let (id, all) = (self.jobs.first().map_or(0, |id| id.0), whole.answer());
                    let long = format!("type 1 = only #{id}, {all} = the array, Esc = no: ");
                    let fits = usize::from(room) > long.len() + 4;
                    if fits { long } else { format!("1 = #{id}, {all} = all: ") }
                }
                None => format!("type {} to do it, Esc = no: ", self.jobs.len()),
            };
            let used = canvas.put((x, y), room, &ask, ink(Ink::Key));
            self.typed.draw(canvas, (x + used, y), room.saturating_sub(used).min(8));
        } else {
            let used = canvas.put((x, y), room, "y", ink(Ink::Key));
            let rest = " = yes, do it    any other key = no";
            canvas.put((x + used, y), room.saturating_sub(used), rest, ink(Ink::Plain));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(count: usize) -> Confirm {
        let jobs: Vec<JobId> = (1..=count as u64).map(JobId).collect();
        Confirm::new("CANCEL".into(), jobs.clone(), Then::Cancel(jobs), Span(1000))
    }

    #[test]
    fn only_a_clear_yes_after_a_moment_is_yes() {
        let yes = |outcome: &Outcome| matches!(outcome, Outcome::Closes(Some(Then::Cancel(_))));
        assert_eq!(ask(1).key(Key::char('y'), Span(1399)), Outcome::Stays(None));
        assert!(yes(&ask(1).key(Key::char('y'), Span(1400))));
        for key in ["enter", "esc", "Y", "K", "n", "space", "ctrl-y"] {
            let key = Key::parse(key).unwrap();
            assert!(!yes(&ask(1).key(key, Span(2000))), "{key}");
        }
    }

    #[test]
    fn many_take_their_number() {
        let mut many = ask(12);
        assert_eq!(many.key(Key::char('1'), Span(2000)), Outcome::Stays(None));
        assert_eq!(many.key(Key::char('2'), Span(2000)), Outcome::Stays(None));
        let outcome = many.key(Key::plain(Code::Enter), Span(2000));
        assert!(matches!(outcome, Outcome::Closes(Some(Then::Cancel(_)))));
        let outcome = ask(12).key(Key::plain(Code::Enter), Span(2000));
        assert!(matches!(outcome, Outcome::Closes(Some(Then::Say(_)))));
    }
}
