//! The card on which somebody decides, as plain lines: what will run to the last character, what
//! was compared and checked, who decides, what silence, a yes and a no lead to, and apart from it
//! what the asker says.

use crate::base::duration;
use crate::model::page::ReviewCard;
use crate::model::review::ReviewState;
use crate::view::describe::review::{Lines, card as parts, people, silence, then};
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// Columns where there is no terminal to ask.
const WIDE: usize = 100;

/// All of it.
pub fn lines(card: &ReviewCard, sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let columns = room.unwrap_or(WIDE);
    let review = &card.review;
    let mut out = Vec::new();
    let mut part = |title: &str, lines: Vec<Line>| {
        if !lines.is_empty() {
            out.push(Line::empty());
            out.push(Line::of(title, Role::Head));
            out.extend(lines);
        }
    };
    let made = |make: &dyn Fn(&mut Lines)| {
        let mut lines = Lines::new(columns);
        make(&mut lines);
        lines.done()
    };
    // What keys of the console do is said there.
    let without_keys = |lines: Vec<Line>| {
        let spoken = |line: &Line| line.0.iter().any(|cell| cell.role != Role::Muted);
        lines.into_iter().filter(spoken).collect::<Vec<_>>()
    };
    part("WHAT WILL RUN: exact bytes", parts::bytes(card, columns));
    if review.is_open() || card.compared.yeses > 0 {
        let title = parts::compared_title(&card.compared);
        part(&title, made(&|out| parts::compared(&card.compared, out)));
    }
    part("CHECKED NOW", made(&|out| parts::checked(card, sight, out)));
    part("SAID BY THE ASKER (nobody checked this)", made(&|out| people::said(review, out)));
    part("TALK", made(&|out| people::talk(review, sight, out)));
    part("WHO", made(&|out| people::who(card, sight, out)));
    part("VOTES", made(&|out| people::votes(card, None, sight, out)));
    if review.is_open() {
        part("IF YES", without_keys(made(&|out| then::yes(card, sight, out))));
        part("IF NO", without_keys(made(&|out| then::no(review, out))));
    } else {
        part("DECIDED", made(&|out| then::outcome(review, sight, out)));
    }
    part("JOB", made(&|out| parts::job(card, sight, out)));
    let mut all = head(card, sight, columns);
    all.extend(out);
    all
}

/// The title, what happens at zero, and the hash.
fn head(card: &ReviewCard, sight: &Sight, columns: usize) -> Vec<Line> {
    let review = &card.review;
    let mut out = Lines::new(columns);
    out.text(&parts::title(card), Role::Id);
    out.text(words::review::trace(review.ask.effect), Role::NeedsYou);
    let votes = format!("{} of {} yes", card.beside.yes, review.rule.need);
    if review.is_open() {
        let (sentence, role) = silence::sentence(review, sight);
        out.text(&sentence, role);
    }
    out.text(&format!("{}; {votes}", review.state.word()), Role::Plain);
    out.text(&review.hash_text(), Role::Plain);
    out.done()
}

/// How it stands, in a sentence.
pub fn stands(card: &ReviewCard) -> String {
    let review = &card.review;
    let (yes, need) = (card.beside.yes, review.rule.need);
    match review.state {
        ReviewState::Open if review.stopped.is_some() => {
            format!("{} is open, its clock stands until it is answered", review.id)
        }
        ReviewState::Open => {
            let until = review.deadline.rfc3339();
            let held = review.held_no().and_then(|no| no.from);
            let held = held.map_or_else(String::new, |from| {
                let left = duration::short(from.since(card.at.wall));
                format!("; a no counts in {left}, `holdshort revoke {}` takes it back", review.id)
            });
            format!("{} is open until {until}, {yes} of {need} yes{held}", review.id)
        }
        state => {
            let stop = review.decision.as_ref().is_some_and(|decision| decision.stop);
            let stop = if stop { format!(", and job {} stops", review.job) } else { String::new() };
            format!("{} is {}{stop}", review.id, state.word())
        }
    }
}
