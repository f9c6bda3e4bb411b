//! What answers a review. Each key opens a line or a question; none of them says yes by itself.

use crate::base::{Name, ReviewId, Span};
use crate::link::Pen;
use crate::model::action::differences;
use crate::model::page::ReviewCard;
use crate::model::review::{Review, ReviewState, ReviewVerb};
use crate::tui::app::App;
use crate::tui::editing;
use crate::tui::event::{Deed, Editing, Effect};
use crate::tui::ground::Signs;
use crate::tui::panes::Command;
use crate::tui::popups::answer::{Answer, Question, Read};
use crate::tui::popups::{Confirm, Popup, Then};
use crate::view::describe::review::Proof;
use crate::view::describe::review::escape::escaped;
use crate::view::line::{Line, Role};
use crate::view::words;

type Out = Vec<Effect>;
type Condition = Result<(), String>;

/// A card has to stand there so long before it can be approved.
const READING: Span = Span(800);

fn card(app: &App) -> Result<&ReviewCard, String> {
    let id = app.target().review.ok_or_else(|| "no review is chosen".to_owned())?;
    app.ground.known.cards.get(&id).ok_or_else(|| format!("{id} is not here yet"))
}

fn open(app: &App) -> Result<&ReviewCard, String> {
    let card = card(app)?;
    let review = &card.review;
    if review.is_open() {
        return Ok(card);
    }
    let by = review.decision.as_ref().map(|decision| decision.by.join(", ")).unwrap_or_default();
    let by = if by.is_empty() { by } else { format!(" by {by}") };
    Err(format!("{} is {}{by}", review.id, review.state.word()))
}

/// It is open and this user may decide it.
fn mine(app: &App) -> Result<&ReviewCard, String> {
    let card = open(app)?;
    let reader = &card.beside.reader;
    match (&reader.seat, &reader.why_not) {
        (Some(_), _) => Ok(card),
        (None, Some(why)) => Err(why.clone()),
        (None, None) => Err("you may not decide it".to_owned()),
    }
}

/// It can be decided, and a yes of this user would count. Whether it was read is asked when the
/// key is pressed, so that the key stays in sight.
pub fn can_approve(app: &App) -> Condition {
    let card = mine(app)?;
    let reader = &card.beside.reader;
    let options = &app.ground.options;
    let signs = options.signs != Signs::Never;
    match &reader.why_not {
        Some(why) if !reader.sure && !signs => Err(why.clone()),
        Some(why) if !reader.sure && options.pen.is_empty() => {
            Err(format!("{why}, and there is no SSH agent: SSH_AUTH_SOCK is unset"))
        }
        _ => not_signing(app),
    }
}

/// It can be decided.
pub fn can_answer(app: &App) -> Condition {
    mine(app).and_then(|_| not_signing(app))
}

/// One vote at a time waits for a key.
fn not_signing(app: &App) -> Condition {
    match app.ground.signing {
        Some(review) => Err(format!("your vote on {review} waits for your key first")),
        None => Ok(()),
    }
}

/// With what a vote on a card is signed, if it is.
fn pen(app: &App, card: &ReviewCard, yes: bool) -> Option<Pen> {
    let options = &app.ground.options;
    let signed = match options.signs {
        Signs::Always => true,
        Signs::Needed => yes && !card.beside.reader.sure,
        Signs::Never => false,
    };
    signed.then(|| options.pen.clone())
}

/// It is open.
pub fn is_open(app: &App) -> Condition {
    open(app).map(|_| ())
}

/// A yes was given that was not used; or one's own vote does not decide it yet.
pub fn can_revoke(app: &App) -> Condition {
    let card = card(app)?;
    match card.review.state {
        ReviewState::Approved => Ok(()),
        ReviewState::Redeemed => Err(format!("{} was done already", card.review.id)),
        ReviewState::Open if card.beside.reader.voted.is_some() => Ok(()),
        ReviewState::Open => Err("you have not answered it; D says no".to_owned()),
        state => Err(format!("it is {}", state.word())),
    }
}

/// Opens the line for a yes, if all of what it is for was read.
pub fn approve(app: &mut App, _: &mut Out) {
    let Ok(card) = mine(app) else { return };
    let (review, pen) = (card.review.clone(), pen(app, card, true));
    let now = app.ground.known.clock.console();
    let reading = app.front().and_then(|pane| pane.reading());
    let reading = reading.filter(|reading| reading.hash == review.hash);
    let why = match reading {
        None => Some("it is not on the screen yet"),
        Some(read) if !read.whole => Some("read the bytes to their end first: j, or v for all"),
        Some(read) if now.0.saturating_sub(read.since.0) < READING.0 => {
            Some("it came up just now; read it, then A again")
        }
        Some(_) => None,
    };
    if let Some(why) = why {
        app.ground.say(format!("no yes to {}: {why}", review.id));
        return;
    }
    let question = Question::Yes(Proof::of(&review));
    ask(app, question, &review, pen);
}

/// Opens the line for a no.
pub fn deny(app: &mut App, _: &mut Out) {
    let Ok(card) = open(app) else { return };
    let (review, pen) = (card.review.clone(), pen(app, card, false));
    ask(app, Question::No, &review, pen);
}

/// Opens the line for a question to the asker.
pub fn ask_back(app: &mut App, _: &mut Out) {
    asks(app, |_| Question::AskBack);
}

/// Opens the line for who takes the seat.
pub fn delegate(app: &mut App, _: &mut Out) {
    asks(app, |card| {
        let you = card.beside.reader.seat.as_ref();
        let others = card.listed.iter().chain(&card.next).filter(|name| Some(*name) != you);
        Question::Delegate(others.cloned().collect())
    });
}

/// Opens the line for more time.
pub fn extend(app: &mut App, _: &mut Out) {
    asks(app, |_| Question::Extend);
}

fn asks(app: &mut App, question: impl Fn(&ReviewCard) -> Question) {
    let Ok(card) = open(app) else { return };
    let (question, review) = (question(card), card.review.clone());
    ask(app, question, &review, None);
}

fn ask(app: &mut App, question: Question, review: &Review, pen: Option<Pen>) {
    let now = app.ground.known.clock.console();
    let answer = Answer::new(question, Read::of(review), now).signed(review, pen);
    app.popup = Some(Popup::Answer(Box::new(answer)));
}

/// Asks whether the next people shall be asked too.
pub fn escalate(app: &mut App, _: &mut Out) {
    let Ok(card) = open(app) else { return };
    let id = card.review.id;
    let names = |names: &[Name]| match names {
        [] => "those who were asked already, once more".to_owned(),
        names => names.join(", "),
    };
    let lines = vec![Line::of(format!("asks now: {}", names(&card.next)), Role::Plain)];
    confirm(app, format!("ESCALATE {id}"), id, ReviewVerb::Escalate, lines);
}

/// Asks whether the yes shall be taken back, or one's own vote.
pub fn revoke(app: &mut App, _: &mut Out) {
    let Ok(card) = card(app) else { return };
    let review = &card.review;
    let id = review.id;
    let what = words::review::deed(review.ask.effect, &review.action().subject());
    let (title, then) = match review.is_open() {
        true => (format!("TAKE BACK YOUR ANSWER TO {id}"), "it stays open".to_owned()),
        false => {
            let then = format!("job {} is told that it may not", review.job);
            (format!("TAKE BACK THE YES TO {id}"), then)
        }
    };
    let lines = vec![Line::of(what, Role::Plain), Line::of(then, Role::NeedsYou)];
    confirm(app, title, id, ReviewVerb::Revoke { reason: None }, lines);
}

fn confirm(app: &mut App, title: String, review: ReviewId, verb: ReviewVerb, lines: Vec<Line>) {
    let now = app.ground.known.clock.console();
    let deed = Deed::Review { review, verb: Box::new(verb) };
    let question = Confirm::new(title, Vec::new(), Then::Do(deed), now).saying(lines);
    app.popup = Some(Popup::Confirm(question));
}

/// Opens what it is about in the editor. What comes back is asked about before it is sent.
pub fn edit(app: &mut App, out: &mut Out) {
    let Ok(card) = mine(app) else { return };
    let review = &card.review;
    let action = review.action().clone();
    match editing::text(&action) {
        Ok(text) => {
            let (review, hash) = (review.id, review.hash.to_string());
            out.push(Effect::Edit(Box::new(Editing { review, hash, action, text })));
        }
        Err(why) => app.ground.say(why),
    }
}

/// Only the bytes, or everything again.
pub fn bytes(app: &mut App, _: &mut Out) {
    app.command(&Command::Bytes);
}

/// A text came back from the editor: what it changes, and whether that is meant.
pub fn edited(app: &mut App, from: &Editing, result: Result<String, String>) {
    let id = from.review;
    let action = match result.and_then(|text| editing::action(&from.action, &text)) {
        Ok(action) => action,
        Err(why) => return app.ground.complain(format!("{id} is not changed: {why}")),
    };
    let changes = differences(&from.action, &action);
    if changes.is_empty() {
        return app.ground.say(format!("{id} is as it was"));
    }
    let nothing = || "nothing".to_owned();
    let mut lines: Vec<Line> = Vec::new();
    for change in &changes {
        let path = change.path.strip_prefix("args.").unwrap_or(&change.path);
        let before = change.before.as_deref().map_or_else(nothing, escaped);
        let after = change.after.as_deref().map_or_else(nothing, escaped);
        let text = format!("{}: {before} becomes {after}", escaped(path));
        lines.push(Line::of(text, Role::Plain));
    }
    let text = "It gets a new hash: every vote so far is void, also yours.";
    lines.push(Line::of(text, Role::NeedsYou));
    let verb = ReviewVerb::Edit { action: Box::new(action), hash: Some(from.hash.clone()) };
    confirm(app, format!("CHANGE {id}"), id, verb, lines);
}
