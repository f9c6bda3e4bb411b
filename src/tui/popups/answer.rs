//! The line in which somebody answers a review. It leaves the card above it in sight.
//!
//! It is for the bytes and the version of the card that was read, and closes when these change. It
//! ignores what arrives in its first moment, and goes on ignoring as long as more arrives: a key
//! held down, a paste without brackets or a torn escape sequence says nothing. Enter alone is no
//! yes, and no single key is one.

use ratatui::layout::Rect;

use crate::base::text::fold_lines;
use crate::base::{Name, ReviewId, Span, duration};
use crate::link::Pen;
use crate::model::action::EffectClass;
use crate::model::review::{DENIAL_REASONS, HASH_DIGITS, Review, ReviewVerb, TEXT_MAX, Verdict};
use crate::tui::event::Deed;
use crate::tui::keys::{Code, Key};
use crate::tui::known::Known;
use crate::tui::popups::confirm::DEAF;
use crate::tui::popups::{Outcome, Then};
use crate::tui::theme::Ink;
use crate::tui::widgets::{Canvas, Input};
use crate::view::describe::review::Proof;
use crate::view::describe::review::then::UNDO_SECONDS;
use crate::view::words;

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Whether it is a yes, and what shows that.
    Yes(Proof),
    /// Why it is a no.
    No,
    /// Whether the job stops, once it is said why.
    Stop(String),
    /// What the asker is asked.
    AskBack,
    /// To whom the seat goes; who could be meant.
    Delegate(Vec<Name>),
    /// How much more time there is.
    Extend,
}

/// The card that was read when the line opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The review.
    pub review: ReviewId,
    /// Hash of what it is about, in full.
    pub hash: String,
    /// Its version.
    pub version: u32,
    effect: EffectClass,
    deed: String,
    job: String,
}

impl Read {
    /// Of a review that stands on the screen.
    pub fn of(review: &Review) -> Read {
        Read {
            review: review.id,
            hash: review.hash.to_string(),
            version: review.version,
            effect: review.ask.effect,
            deed: words::review::deed(review.ask.effect, &review.action().subject()),
            job: review.job.to_string(),
        }
    }
}

/// The line.
#[derive(Debug)]
pub struct Answer {
    question: Question,
    read: Read,
    /// The review that was read, and with what a vote on it is signed.
    signed: Option<(Box<Review>, Pen)>,
    input: Input,
    problem: Option<String>,
    /// When it opened, or when something last arrived that it ignored.
    quiet_since: Span,
}

impl Answer {
    /// Opens it.
    pub fn new(question: Question, read: Read, now: Span) -> Answer {
        let text = if question == Question::Extend { "1h" } else { "" };
        let input = Input::new(text);
        Answer { question, read, signed: None, input, problem: None, quiet_since: now }
    }

    /// Its votes on the review that was read are signed, if there is a pen.
    #[must_use]
    pub fn signed(self, review: &Review, pen: Option<Pen>) -> Answer {
        Answer { signed: pen.map(|pen| (Box::new(review.clone()), pen)), ..self }
    }

    /// What is answered.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// When it begins to take keys.
    pub fn opens_at(&self) -> Span {
        self.quiet_since + DEAF
    }

    /// Why it is for something that is not there any more.
    pub fn void(&self, known: &Known) -> Option<String> {
        let id = self.read.review;
        let review = &known.cards.get(&id)?.review;
        if !review.is_open() {
            return Some(format!(
                "{id} is {} meanwhile: your answer is not sent",
                review.state.word()
            ));
        }
        let same = review.version == self.read.version && review.hash.to_string() == self.read.hash;
        (!same).then(|| format!("{id} changed while you answered: read it again"))
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key, now: Span) -> Outcome {
        if now < self.opens_at() {
            self.quiet_since = now;
            return Outcome::Stays(None);
        }
        let leaves = key.code == Code::Esc || (key.ctrl && key.code == Code::Char('c'));
        if leaves {
            return self.left();
        }
        match (&self.question, key.code) {
            (Question::Yes(Proof::Again), _) if key == Key::char('A') => {
                self.votes(Verdict::Approve)
            }
            (Question::Yes(Proof::Again), _) => self.left(),
            (Question::Stop(_), Code::Char('s')) if key == Key::char('s') => {
                self.votes(Verdict::Deny { stop: true })
            }
            (Question::Stop(_), Code::Enter) => self.votes(Verdict::Deny { stop: false }),
            (Question::Stop(_), _) => self.left(),
            (_, Code::Enter) => self.entered(now),
            _ => {
                self.input.key(key);
                self.problem = None;
                Outcome::Stays(None)
            }
        }
    }

    /// Takes pasted text. A yes is typed.
    pub fn paste(&mut self, text: &str, now: Span) -> Outcome {
        match self.question {
            Question::Yes(_) => {
                self.problem = Some("a yes is typed, not pasted".to_owned());
                self.quiet_since = now;
            }
            Question::Stop(_) => self.quiet_since = now,
            _ => self.input.paste(text),
        }
        Outcome::Stays(None)
    }

    fn left(&self) -> Outcome {
        let text = format!("{} is left open: nothing was decided", self.read.review);
        Outcome::Closes(Some(Then::Say(text)))
    }

    fn entered(&mut self, now: Span) -> Outcome {
        let text = self.input.text().trim().to_owned();
        let review = self.read.review;
        let act = |verb| {
            let deed = Deed::Review { review, verb: Box::new(verb) };
            Outcome::Closes(Some(Then::Do(deed)))
        };
        if text.is_empty() {
            return self.left();
        }
        match &self.question {
            Question::Yes(proof) if proof.fits(&text) => self.votes(Verdict::Approve),
            Question::Yes(_) => self.wrong("that is something else; nothing was decided"),
            Question::No if text.len() > TEXT_MAX => self.wrong("that is too long"),
            Question::No => {
                self.question = Question::Stop(reason(&text));
                self.quiet_since = now;
                Outcome::Stays(None)
            }
            Question::AskBack => act(ReviewVerb::AskBack { text }),
            Question::Delegate(_) => act(ReviewVerb::Delegate { to: text.as_str().into() }),
            Question::Extend => match duration::parse(&text) {
                Ok(by) => act(ReviewVerb::Extend { by }),
                Err(why) => self.wrong(&why),
            },
            Question::Stop(_) => Outcome::Stays(None),
        }
    }

    fn wrong(&mut self, why: &str) -> Outcome {
        self.problem = Some(why.to_owned());
        self.input = Input::default();
        Outcome::Stays(None)
    }

    /// The only place in the console from which a vote comes.
    fn votes(&self, verdict: Verdict) -> Outcome {
        let reason = match &self.question {
            Question::Stop(reason) => Some(reason.clone()),
            _ => None,
        };
        let verb = ReviewVerb::Vote {
            verdict,
            reason,
            hash: Some(self.read.hash.clone()),
            version: Some(self.read.version),
            undo: Span::secs(UNDO_SECONDS),
            uses: None,
            until: None,
            signature: None,
        };
        let verb = Box::new(verb);
        let deed = match self.signed.clone() {
            Some((review, pen)) => Deed::Signed { review, verb, pen },
            None => Deed::Review { review: self.read.review, verb },
        };
        Outcome::Closes(Some(Then::Do(deed)))
    }

    fn title(&self) -> String {
        let Read { review, hash, deed, .. } = &self.read;
        let digits = hash.get(..HASH_DIGITS).unwrap_or("");
        match &self.question {
            Question::Yes(_) => format!("YES to {review}  {digits}  {deed}"),
            Question::No | Question::Stop(_) => format!("NO to {review}  {deed}"),
            Question::AskBack => {
                format!("ASK BACK about {review}: its clock stands until the answer")
            }
            Question::Delegate(_) => format!("HAND ON your seat for {review}"),
            Question::Extend => format!("MORE TIME for {review}"),
        }
    }

    /// What is asked, as a paragraph.
    fn asks(&self) -> String {
        let job = &self.read.job;
        let key = match self.signed {
            Some(_) => " Then your key signs it: touch it when it blinks.",
            None => "",
        };
        match &self.question {
            Question::Yes(proof) => format!("{}{key}", proof.asks(self.read.effect)),
            Question::No => {
                let reasons = DENIAL_REASONS.iter().enumerate();
                let reasons = reasons.map(|(at, reason)| format!("{} {reason}", at + 1));
                let reasons: Vec<String> = reasons.collect();
                format!("Job {job} reads why. A number, or your own words: {}", reasons.join(", "))
            }
            Question::Stop(reason) => format!(
                "\"{reason}\"  Enter = no, job {job} goes on with that.  s = no, and stop the \
                 job.{key}"
            ),
            Question::AskBack => format!("What shall job {job} answer?"),
            Question::Delegate(names) if names.is_empty() => "To whom?".to_owned(),
            Question::Delegate(names) => format!("To whom? {}", names.join(", ")),
            Question::Extend => "How much longer may it stay open? 30m, 2h, 1d".to_owned(),
        }
    }

    /// Something is typed into it.
    fn is_typed(&self) -> bool {
        !matches!(self.question, Question::Yes(Proof::Again) | Question::Stop(_))
    }

    /// Draws it at the bottom, up to the footer's row and including it.
    pub fn draw(&self, now: Span, canvas: &mut Canvas, footer: Rect) {
        let room = usize::from(footer.width.saturating_sub(2)).max(1);
        let paragraph = fold_lines(&self.asks(), room);
        let rows = u16::try_from(paragraph.len() + 2).unwrap_or(u16::MAX).min(footer.bottom());
        let area = Rect { y: footer.bottom() - rows, height: rows, ..footer };
        canvas.fill(area, Ink::Plain);
        canvas.rule(area, &self.title(), Ink::Danger);
        // While it does not listen it looks as deaf as it is.
        let deaf = now < self.opens_at();
        let ink = |ink: Ink| if deaf { Ink::Muted } else { ink };
        let columns = area.width.saturating_sub(2);
        for (y, text) in (area.y + 1..footer.y).zip(&paragraph) {
            canvas.put((area.x + 1, y), columns, text, ink(Ink::Head));
        }
        let (x, y) = (footer.x + 1, footer.y);
        let hint = match &self.problem {
            Some(problem) => problem.as_str(),
            None if deaf => "wait a moment",
            None => "Esc = leave it open",
        };
        let hint_ink = if self.problem.is_some() { Ink::Bad } else { Ink::Muted };
        let right = (footer.right().saturating_sub(1), y);
        let at = canvas.put_right(right, columns * 2 / 3, hint, hint_ink);
        if self.is_typed() {
            let used = canvas.put((x, y), columns, "> ", ink(Ink::Key));
            let room = at.saturating_sub(x + used + 1);
            self.input.draw(canvas, (x + used, y), room);
            if let (Question::Yes(proof), true) = (&self.question, self.input.text().is_empty()) {
                let place = (x + used + 2, y);
                canvas.put(place, room.saturating_sub(2), &proof.to_type(), Ink::Muted);
            }
        }
    }
}

/// A number stands for one of the reasons that are offered.
fn reason(typed: &str) -> String {
    let number = typed.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let known = number.and_then(|at| DENIAL_REASONS.get(at));
    known.map_or_else(|| typed.to_owned(), |reason| (*reason).to_owned())
}
