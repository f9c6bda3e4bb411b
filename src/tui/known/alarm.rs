//! What deserves the attention of somebody who looks elsewhere: each thing once.

use std::collections::BTreeSet;

use crate::base::text::{cut, sanitise};
use crate::base::{JobId, ReviewId};
use crate::model::State;
use crate::model::job::Outcome;
use crate::tui::known::Known;
use crate::tui::known::people::is_mine;
use crate::tui::section::Section;
use crate::view::describe::review::silence;
use crate::view::sight::Sight;
use crate::view::words;

/// Alarms that are remembered.
const REMEMBERED: usize = 4096;

/// Alarms that were given.
#[derive(Debug, Default)]
pub struct Alarms {
    /// Reviews, and whether it was said that their time is short.
    reviews: BTreeSet<(ReviewId, bool)>,
    /// The first look at reviews is no alarm either.
    reviews_known: bool,
    given: BTreeSet<(Section, JobId, u64)>,
    /// The first look at a section is no alarm: it was so before.
    known: BTreeSet<Section>,
}

impl Alarms {
    /// One line for everything that is new, or nothing.
    pub fn fresh(&mut self, known: &Known, sight: &Sight) -> Option<String> {
        let mut new = self.reviews(known, sight);
        for section in [Section::People, Section::Stuck, Section::Ended] {
            // What a filter hides still rings. A filtered page would make old things look new
            // when the filter goes.
            let listed = || known.slice(section).filter(|slice| slice.filter.is_empty());
            let Some(slice) = known.watched(section).or_else(listed) else { continue };
            let first = self.known.insert(section);
            for row in slice.rows.iter().filter(|row| !known.is_told_by_review(row)) {
                let bad = |how| !matches!(how, Outcome::Succeeded | Outcome::Cancelled);
                let said = match (section, &row.state) {
                    (Section::People, _) => "asks",
                    (Section::Stuck, _) => "is stuck",
                    (_, State::Ended(how)) if bad(*how) => how.word(),
                    _ => continue,
                };
                let since = row.prompt.as_ref().map_or(row.since, |prompt| prompt.since);
                let since = if section == Section::Stuck { 0 } else { since.now.0 };
                if self.given.insert((section, row.id, since)) && !first {
                    new.push(format!("{} {} {said}", row.id, cut(&sanitise(&row.name), 24)));
                }
            }
        }
        while self.given.len() > REMEMBERED {
            self.given.pop_first();
        }
        let more = new.len().saturating_sub(2);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        new.truncate(2);
        (!new.is_empty()).then(|| format!("{}{rest}", new.join(", ")))
    }
}

impl Alarms {
    /// Reviews that are new, and those whose time has become short.
    fn reviews(&mut self, known: &Known, sight: &Sight) -> Vec<String> {
        let first = known.reviews.is_some() && !std::mem::replace(&mut self.reviews_known, true);
        let mut new = Vec::new();
        for row in known.open_reviews().filter(|row| is_mine(&row.beside)) {
            let (id, deed) = (row.id, cut(&words::review::deed_of(row), 32).into_owned());
            if self.reviews.insert((id, false)) && !first {
                new.push(format!("{id} asks: {deed}"));
            } else if silence::is_pressing(row, sight) && self.reviews.insert((id, true)) && !first
            {
                let when = silence::countdown(row, sight);
                new.push(format!("{id} {when}: {deed}"));
            }
        }
        while self.reviews.len() > REMEMBERED {
            self.reviews.pop_first();
        }
        new
    }
}

/// The window's title: how many things need somebody.
pub fn title(known: &Known, place: &str) -> String {
    let place = sanitise(place);
    match (known.people_count(), known.counts().stuck) {
        (0, 0) => format!("holdshort {place}"),
        (0, stuck) => format!("({stuck} stuck) holdshort {place}"),
        (human, 0) => format!("({human} need you) holdshort {place}"),
        (human, stuck) => format!("({human} need you, {stuck} stuck) holdshort {place}"),
    }
}
