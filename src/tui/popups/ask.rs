//! A line of text to type, in the footer: a filter, an answer, a reason.

use ratatui::layout::Rect;

use crate::base::{JobId, Name, Span};
use crate::model::team::{BoundsChange, TeamEdit, TermsChange};
use crate::tui::app::App;
use crate::tui::event::Deed;
use crate::tui::ground::check_filter;
use crate::tui::keys::{Code, Key};
use crate::tui::popups::{Outcome, Then};
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Input};

/// What the line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A filter; it takes effect while it is typed. Holds what it was before.
    Filter(String),
    /// A search in what is shown; it takes effect while it is typed.
    Search(String),
    /// An answer at a job's prompt: captured when the line was opened.
    Answer {
        /// The job.
        job: JobId,
        /// The task that asks.
        rank: u32,
        /// The job's name, for the label.
        name: String,
    },
    /// Why everything is paused.
    PauseAll,
    /// Why a node is drained.
    Drain(Name),
    /// Why a team is paused.
    PauseTeam(Name),
    /// What a team is owed.
    Quota(Name),
}

/// A line being typed.
#[derive(Debug)]
pub struct Ask {
    about: About,
    input: Input,
    problem: Option<String>,
}

impl Ask {
    /// A line that begins with a text.
    pub fn new(about: About, text: &str) -> Ask {
        Ask { about, input: Input::new(text), problem: None }
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key, _now: Span) -> Outcome {
        match key.code {
            Code::Esc => self.given_up(),
            Code::Char('c') if key.ctrl => self.given_up(),
            Code::Enter => self.entered(),
            _ => {
                self.input.key(key);
                self.changed()
            }
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) -> Outcome {
        self.input.paste(text);
        self.changed()
    }

    fn given_up(&self) -> Outcome {
        Outcome::Closes(match &self.about {
            About::Filter(before) | About::Search(before) => Some(Then::Filter(before.clone())),
            _ => None,
        })
    }

    fn entered(&mut self) -> Outcome {
        let text = self.input.text().to_owned();
        match &self.about {
            About::Filter(_) => match check_filter(&text) {
                Ok(()) => Outcome::Closes(Some(Then::Filter(text))),
                Err(why) => {
                    self.problem = Some(why);
                    Outcome::Stays(None)
                }
            },
            About::Search(_) => Outcome::Closes(Some(Then::Filter(text))),
            About::Answer { job, rank, .. } => {
                let bytes = format!("{text}\r").into_bytes();
                Outcome::Closes(Some(Then::Do(Deed::Input { job: *job, rank: *rank, bytes })))
            }
            About::PauseAll | About::PauseTeam(_) if text.trim().is_empty() => {
                self.problem = Some("say why: others will ask".to_owned());
                Outcome::Stays(None)
            }
            About::PauseAll => Outcome::Closes(Some(Then::Ask(Deed::PauseAll { reason: text }))),
            About::PauseTeam(team) => {
                let deed = Deed::PauseTeam { team: team.clone(), reason: text };
                Outcome::Closes(Some(Then::Ask(deed)))
            }
            About::Drain(node) => {
                let reason = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
                let deed = Deed::Drain { node: node.clone(), on: true, reason };
                Outcome::Closes(Some(Then::Do(deed)))
            }
            About::Quota(team) => match text.trim().parse::<BoundsChange>() {
                Ok(quota) => {
                    let edit = TeamEdit::Set(TermsChange { quota, ..TermsChange::default() });
                    let deed = Deed::EditTeam { team: team.clone(), edit: Box::new(edit) };
                    Outcome::Closes(Some(Then::Ask(deed)))
                }
                Err(why) => {
                    self.problem = Some(why);
                    Outcome::Stays(None)
                }
            },
        }
    }

    /// A filter that can be read takes effect at once; half a word waits.
    fn changed(&mut self) -> Outcome {
        let text = self.input.text().to_owned();
        match &self.about {
            About::Filter(_) => {
                self.problem = check_filter(&text).err();
                let effective = self.problem.is_none();
                Outcome::Stays(effective.then_some(Then::Filter(text)))
            }
            About::Search(_) => Outcome::Stays(Some(Then::Filter(text))),
            _ => {
                self.problem = None;
                Outcome::Stays(None)
            }
        }
    }

    /// Draws it in the footer.
    pub fn draw(&self, _app: &App, canvas: &mut Canvas, footer: Rect) {
        canvas.fill(footer, Ink::Plain);
        let label = match &self.about {
            About::Filter(_) => "filter / ".to_owned(),
            About::Search(_) => "search / ".to_owned(),
            About::Answer { job, name, .. } => format!("answer {job} {name} > "),
            About::PauseAll => "pause everything, because: ".to_owned(),
            About::PauseTeam(team) => format!("pause team {team}, because: "),
            About::Drain(node) => format!("drain {node}, because: "),
            About::Quota(team) => format!("quota of {team}: "),
        };
        let used = canvas.put((footer.x, footer.y), footer.width, &label, Ink::Key);
        let room = footer.width.saturating_sub(used);
        let hint = match (&self.problem, &self.about) {
            (Some(problem), _) => problem.clone(),
            (None, About::Answer { .. }) => "Enter sends, Esc leaves it open".to_owned(),
            (None, About::Filter(now) | About::Search(now)) if !now.is_empty() => {
                format!("now {now}; Enter on nothing ends it, Esc keeps it")
            }
            (None, About::Filter(_)) => "state=queued team=ml gpu=3.. age=1h.. word".to_owned(),
            (None, About::Drain(_)) => "what others should know, or just Enter".to_owned(),
            (None, About::Quota(_)) => "gpu=8,cpu=64,mem=256Gi, none for no bound".to_owned(),
            _ => "Enter takes it, Esc does not".to_owned(),
        };
        let ink = if self.problem.is_some() { Ink::Bad } else { Ink::Muted };
        let wide = u16::try_from(crate::base::text::width(&hint)).unwrap_or(0);
        let typed = u16::try_from(crate::base::text::width(self.input.text())).unwrap_or(room);
        if wide + typed + 4 < room || self.problem.is_some() {
            let most = if self.problem.is_some() { room * 2 / 3 } else { room };
            canvas.put_right((footer.right(), footer.y), most, &hint, ink);
            let room = room.saturating_sub(wide.min(most) + 1);
            self.input.draw(canvas, (footer.x + used, footer.y), room);
        } else {
            self.input.draw(canvas, (footer.x + used, footer.y), room);
        }
    }
}
