//! Which part of each section is fetched: its first rows, more as one comes near their end, and
//! beyond a number, once it is unfolded, a window that slides along, so that memory stays small
//! whatever there is.

use super::Home;
use super::items::{Item, Order, Pick};
use crate::model::page::Cursor;
use crate::tui::feed::{From, Rows};
use crate::tui::ground::Ground;
use crate::tui::known::{Looked, Slice};
use crate::tui::section::Section;

/// Rows of a section that are fetched at first.
const ROWS: usize = 200;
/// Rows of a section that are held at most.
pub const ROWS_MAX: usize = 3000;
/// So close to the last row more is fetched.
const NEAR: usize = 50;

/// The part of one section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    from: From,
    limit: usize,
    again: u32,
}

/// An end of a section that is gone to once its rows are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The first row.
    First(Section),
    /// The last one.
    Last(Section),
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { from: From::Start, limit: ROWS, again: 0 }
    }
}

impl Home {
    /// What is fetched of a section; nothing while it is not known what is new.
    pub(super) fn rows_of(&self, section: Section, ground: &Ground) -> Option<Rows> {
        let since = match (section, self.all_ended, ground.known.looked) {
            (Section::Ended, false, Looked::Unknown) => return None,
            (Section::Ended, false, Looked::At(mark)) => Some(mark),
            _ => None,
        };
        let Reach { from, limit, again } = self.reach.get(section.place()).copied()?;
        let filter = self.filter.clone();
        Some(Rows { section, filter, since, from, limit, again, watch: false })
    }

    /// Begins at the first rows of every section again.
    pub(super) fn reach_back(&mut self) {
        self.reach = [Reach::default(); 5];
        self.edge = None;
    }

    /// Reaches further where one comes near an end, and fills up what has become thin.
    pub(super) fn reach_on(&mut self, ground: &Ground) {
        for section in Section::ALL {
            let wanted = self.rows_of(section, ground);
            // What is shown may still be the answer to an earlier want.
            let slice = ground.known.slice(section).filter(|slice| slice.want == wanted);
            let Some(slice) = slice else { continue };
            let next = self.next_reach(section, slice);
            if let Some(reach) = self.reach.get_mut(section.place()) {
                *reach = next.unwrap_or(*reach);
            }
        }
    }

    fn next_reach(&self, section: Section, slice: &Slice) -> Option<Reach> {
        let reach = self.reach.get(section.place()).copied()?;
        let place = |at: usize| slice.rows.get(at).map(|row| row.place());
        // Only where each row is a line is it plain how far the window's ends are.
        let slides = self.unfolded.contains(&section) && self.order == Order::Urgency;
        let third = slice.rows.len() / 3;
        match self.near(section) {
            (_, true) if slice.more && reach.limit < ROWS_MAX => {
                let limit = (reach.limit * 2).min(ROWS_MAX);
                Some(Reach { limit, ..reach })
            }
            (_, true) if slice.more && slides => {
                Some(Reach { from: From::After(place(third)?), ..reach })
            }
            (true, _) if slice.above && slides => {
                Some(Reach { from: From::Before(place(third * 2)?), ..reach })
            }
            _ if slice.is_thin() => Some(Reach { again: reach.again.wrapping_add(1), ..reach }),
            _ => None,
        }
    }

    /// The chosen row is near the first or the last one of a section.
    fn near(&self, section: Section) -> (bool, bool) {
        let Some(at) = self.place().filter(|_| self.pick.map(Pick::section) == Some(section))
        else {
            return (false, false);
        };
        let here = |item: &&Item| item.section() == section && item.job().is_some();
        let before = self.items.list.iter().take(at).rev().take(NEAR).filter(here).count();
        let after = self.items.list.iter().skip(at + 1).take(NEAR).filter(here).count();
        let chosen = matches!(self.pick, Some(Pick::More(_)));
        (before < NEAR && !chosen, after < NEAR - 1)
    }

    /// Goes to the first or last row; of an unfolded section also if it has to be fetched first.
    pub(super) fn go_to_edge(&mut self, last: bool, ground: &Ground) {
        let len = self.items.list.len();
        self.choose(if last { len.saturating_sub(1) } else { 0 });
        let Some(section) = self.pick.map(Pick::section) else { return };
        let slides = self.unfolded.contains(&section) && self.order == Order::Urgency;
        let slice = ground.known.slice(section).filter(|_| slides);
        let beyond = slice.is_some_and(|slice| if last { slice.more } else { slice.above });
        let Some(reach) = self.reach.get_mut(section.place()).filter(|_| beyond) else { return };
        reach.from = if last { From::Before(Cursor::END) } else { From::Start };
        reach.limit = reach.limit.max(ROWS);
        self.edge = Some(if last { Edge::Last(section) } else { Edge::First(section) });
    }

    /// Chooses the end that was gone to, once it has come.
    pub(super) fn arrive(&mut self, ground: &Ground) {
        let Some(Edge::First(section) | Edge::Last(section)) = self.edge else { return };
        let wanted = self.rows_of(section, ground);
        if ground.known.slice(section).is_none_or(|slice| slice.want != wanted) {
            return;
        }
        let rows = self.items.list.iter().enumerate();
        let mut of_section = rows.filter(|(_, it)| it.section() == section && it.job().is_some());
        let to = match self.edge {
            Some(Edge::Last(_)) => of_section.next_back(),
            _ => of_section.next(),
        };
        if let Some(at) = to.map(|(at, _)| at) {
            self.choose(at);
        }
        self.edge = None;
    }
}
