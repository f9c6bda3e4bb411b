//! Moving in the list: over rows, lanes and sections, and one step back.

use super::Home;
use super::items::{Item, Pick};
use super::peek::Chosen;
use super::reach::Edge;
use crate::base::{JobId, ReviewId};
use crate::model::page::JobRow;
use crate::tui::ground::Ground;
use crate::tui::panes::{Elements, Pane};
use crate::tui::section::Section;
use crate::view::list::fold;
use crate::view::words::state_short;

impl Home {
    pub(super) fn chosen<'a>(&self, ground: &'a Ground) -> Option<Chosen<'a>> {
        match self.pick? {
            Pick::Job(section, job) => ground.known.slice(section)?.row(job).map(Chosen::Job),
            Pick::Review(review) => ground.known.review_row(review).map(Chosen::Review),
            Pick::Others | Pick::More(_) => None,
        }
    }

    /// Jobs whose rows are in sight, and the chosen one.
    pub(super) fn in_sight(&self) -> Vec<JobId> {
        let height = usize::from(self.body.height);
        let jobs = |items: &[Item]| items.iter().filter_map(Item::job).map(|(_, id)| id).collect();
        let mut seen: Vec<JobId> = if self.in_lanes() {
            let lanes = self.windows.iter().enumerate().take(4);
            lanes
                .flat_map(|(lane, window)| {
                    let rows = self.items.of_lane(lane, Home::lane_of);
                    let at = window.seen(rows.len(), height);
                    let rows = rows.get(at).unwrap_or_default().to_vec();
                    rows.into_iter().filter_map(|at| self.items.list.get(at)?.job())
                })
                .map(|(_, id)| id)
                .collect()
        } else {
            let at = self.windows[0].seen(self.items.list.len(), height);
            jobs(self.items.list.get(at).unwrap_or_default())
        };
        if let Some(Pick::Job(_, job)) = self.pick {
            seen.push(job);
        }
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// Keeps what is chosen chosen: in another section, in a row of its own where it would be
    /// hidden. What is gone for good leaves nothing chosen until the next key.
    pub(super) fn hold_on(&mut self, ground: &Ground, before: usize) {
        if !self.begun {
            let came = |section: &Section| ground.known.slice(*section).is_some();
            let mut may = Section::ALL.into_iter().filter(|s| ground.known.may_have(*s));
            self.begun = ground.known.summary.is_some() && may.all(|section| came(&section));
            self.pick = self.items.pick_near(0);
            return;
        }
        if self.keep.is_some_and(|job| !matches!(self.pick, Some(Pick::Job(_, id)) if id == job)) {
            self.keep = None;
            self.build(ground);
        }
        if let Some(pick) = self.items.find(self.pick) {
            self.pick = Some(pick);
            self.let_go &= !self.has_come(ground);
            return;
        }
        let leaves = self.let_go || self.edge.is_some();
        if let (Some(Pick::Job(_, job)), false) = (self.pick, leaves) {
            let places = |section: &Section| {
                let slice = ground.known.slice(*section);
                self.narrow.is_none_or(|only| only == *section)
                    && slice.is_some_and(|slice| slice.row(job).is_some())
            };
            if let Some(section) = Section::ALL.into_iter().find(places) {
                self.keep = Some(job);
                self.build(ground);
                if self.items.find(self.pick).is_none() {
                    self.unfolded.insert(section);
                    self.build(ground);
                }
                self.pick = self.items.find(self.pick).or(self.pick);
                return;
            }
            if self.has_come(ground) {
                let what = "is not in this list any more; nothing is chosen";
                self.says = Some(format!("{job} {what}"));
                (self.pick, self.gone_at) = (None, before.max(1));
            }
            return;
        }
        if let (Some(Pick::Review(review)), false) = (self.pick, leaves) {
            return self.hold_review(review, ground, before);
        }
        self.let_go &= !self.has_come(ground);
        if self.pick.is_some() || self.gone_at == 0 || self.let_go {
            self.pick = self.items.pick_near(before);
        }
    }

    /// A chosen review that has no row: it is shown again while it is open, else nothing is chosen.
    fn hold_review(&mut self, review: ReviewId, ground: &Ground, before: usize) {
        if ground.known.review_row(review).is_some() {
            self.unfolded.insert(Section::People);
            self.build(ground);
            self.pick = self.items.find(self.pick).or_else(|| self.items.pick_near(before));
            return;
        }
        self.says = Some(format!("{review} is not open any more; nothing is chosen"));
        (self.pick, self.gone_at) = (None, before.max(1));
    }

    /// What is listed is what was asked for last.
    fn has_come(&self, ground: &Ground) -> bool {
        let came = |section: Section| {
            let wanted = self.rows_of(section, ground);
            !ground.known.may_have(section)
                || ground.known.slice(section).is_some_and(|slice| slice.want == wanted)
        };
        Section::ALL.into_iter().all(came)
    }

    /// The elements of an array that share the chosen row.
    pub(super) fn folded(&self, ground: &Ground) -> Option<Elements> {
        let at = self.place()?;
        let Item::Job { section, job, count, open, .. } = self.items.list.get(at)? else {
            return None;
        };
        let row = ground.known.slice(*section)?.row(*job)?;
        let array = row.array.filter(|_| *count > 1)?.id;
        Some(Elements { array, count: *count, open: *open })
    }

    /// Marks the chosen row, with all the elements it stands for, or takes the marks away.
    pub(super) fn mark(&mut self, section: Section, job: JobId, ground: &mut Ground) {
        let mut jobs = vec![job];
        if let (Some(of), Some(slice)) = (self.folded(ground), ground.known.slice(section)) {
            let first = slice.row(job).map(state_short);
            let same = |row: &&JobRow| {
                row.array.is_some_and(|place| place.id == of.array)
                    && Some(state_short(row)) == first
            };
            let folded = fold(&slice.rows.iter().filter(same).collect::<Vec<_>>(), false);
            let alone: Vec<JobId> =
                folded.iter().filter(|row| row.count == 1).map(|row| row.row.id).collect();
            jobs = slice.rows.iter().filter(same).map(|row| row.id).collect();
            jobs.retain(|id| *id == job || !alone.contains(id));
            if of.open {
                let (n, array) = (jobs.len(), of.array);
                ground.say(format!("{n} elements of array {array} are marked, not those not here"));
            }
        }
        if jobs.iter().all(|job| ground.marks.contains(job)) {
            ground.marks.retain(|job| !jobs.contains(job));
        } else {
            ground.marks.extend(jobs);
        }
    }

    /// Chosen job for drawing.
    pub fn pick(&self) -> Option<Pick> {
        self.pick
    }

    /// Moves over rows that can be chosen.
    pub(super) fn step(&mut self, by: isize) {
        let Some(at) = self.place() else { return };
        self.pick = self.items.step(at, by).or(self.pick);
    }

    pub(super) fn step_in_lane(&mut self, by: isize) {
        let Some(pick) = self.pick else { return };
        let rows = self.items.of_lane(Home::lane_of(pick.section()), Home::lane_of);
        let within = rows.iter().position(|row| Some(*row) == self.place()).unwrap_or(0);
        let to = within.saturating_add_signed(by).min(rows.len().saturating_sub(1));
        if let Some(at) = rows.get(to) {
            self.choose(*at);
        }
    }

    /// To the next or the previous section that has rows.
    pub(super) fn side(&mut self, by: isize) {
        let Some(now) = self.pick.map(Pick::section) else { return };
        let firsts = self.items.firsts();
        let at = firsts.iter().position(|(section, _)| *section == now).unwrap_or(0);
        let len = isize::try_from(firsts.len()).unwrap_or(1).max(1);
        let at = isize::try_from(at).unwrap_or(0);
        let to = usize::try_from((at + by).rem_euclid(len)).unwrap_or(0);
        if let Some((_, place)) = firsts.get(to) {
            self.choose(*place);
        }
    }

    pub(super) fn fold(&mut self) {
        let Some(section) = self.narrow.or(self.pick.map(Pick::section)) else { return };
        if !self.unfolded.remove(&section) {
            self.unfolded.insert(section);
        }
        self.reach_back();
    }

    /// The next thing may be in a section that is not shown, or hidden by the filter.
    pub(super) fn widened_next(&mut self, ground: &mut Ground) -> bool {
        let counts = ground.known.counts();
        let hides = self.narrow.is_some() || !self.filter.is_empty();
        let people = ground.known.people_count() > 0;
        if !hides || (!people && counts.stuck == 0) {
            return false;
        }
        if !self.filter.is_empty() {
            ground.say("the filter hid it and is off now");
            self.filter.clear();
            self.narrow = None;
            self.reach_back();
            let section = if people { Section::People } else { Section::Stuck };
            self.edge = Some(Edge::First(section));
            return true;
        }
        self.narrow = None;
        self.reach_back();
        self.settle(ground, self.body);
        self.next_needing()
    }

    pub(super) fn one_back(&mut self, ground: &mut Ground) -> bool {
        if !ground.marks.is_empty() {
            ground.marks.clear();
        } else if !self.filter.is_empty() {
            self.filter.clear();
            self.reach_back();
        } else if self.narrow.is_some() {
            self.narrow = None;
            self.reach_back();
        } else if !self.unfolded.is_empty() {
            self.unfolded.clear();
            self.reach_back();
        } else {
            return false;
        }
        true
    }

    pub(super) fn next_needing(&mut self) -> bool {
        let needs = |item: &Item| {
            matches!(item, Item::Job { section: Section::People | Section::Stuck, .. })
                || matches!(item, Item::Job { section: Section::Ended, bad: true, .. })
                || matches!(item, Item::Review { mine: true, .. })
        };
        // From what needs nobody to the most urgent, from there to the next.
        let here = self.place().filter(|at| self.items.list.get(*at).is_some_and(needs));
        let from = here.map_or(0, |at| at + 1);
        let len = self.items.list.len();
        let found = (0..len).map(|step| (from + step) % len.max(1));
        let found = found.into_iter().find(|at| self.items.list.get(*at).is_some_and(needs));
        if let Some(at) = found {
            self.choose(at);
        }
        found.is_some()
    }
}
