//! What waits on people: reviews and jobs at a prompt, each thing once, whoever may answer first.

use crate::base::{JobId, ReviewId};
use crate::model::page::reviews::Beside;
use crate::model::page::{JobRow, ReviewRow};
use crate::tui::known::Known;
use crate::tui::section::Section;

impl Known {
    /// Open reviews: those that this user may answer first, of these those that end first.
    pub fn open_reviews(&self) -> impl Iterator<Item = &ReviewRow> {
        let all = || self.reviews.iter().flat_map(|page| &page.reviews);
        let open = |row: &&ReviewRow| row.decision.is_none();
        let mine = move || all().filter(open).filter(|row| is_mine(&row.beside));
        mine().chain(all().filter(open).filter(|row| !is_mine(&row.beside)))
    }

    /// The row of an open review.
    pub fn review_row(&self, id: ReviewId) -> Option<&ReviewRow> {
        self.open_reviews().find(|row| row.id == id)
    }

    /// A review of this job stands in the list, so the job itself need not.
    pub fn is_told_by_review(&self, row: &JobRow) -> bool {
        row.prompt.is_none() && row.open_reviews.iter().any(|id| self.listed.contains(id))
    }

    /// Things that wait on people, whatever a filter says.
    pub fn people_count(&self) -> u64 {
        let reviews = self.reviews.as_ref().map_or(0, |page| page.open);
        reviews + self.counts().human.saturating_sub(self.told_twice())
    }

    /// Those of them that this user can answer.
    pub fn answerable(&self) -> u64 {
        let mine = self.reviews.as_ref().map_or(0, |page| page.mine);
        mine + self.at_prompt().count() as u64
    }

    /// Jobs at a prompt, in the order of the list.
    pub fn at_prompt(&self) -> impl Iterator<Item = &JobRow> {
        let rows = self.people_rows().into_iter().flatten();
        rows.filter(|row| row.prompt.is_some())
    }

    /// A job shown in the list as it is filtered: reviews of other jobs are hidden with them.
    pub fn is_listed(&self, job: JobId) -> bool {
        self.slices.values().any(|slice| slice.row(job).is_some())
    }

    fn told_twice(&self) -> u64 {
        let rows = self.people_rows().into_iter().flatten();
        rows.filter(|row| self.is_told_by_review(row)).count() as u64
    }

    fn people_rows(&self) -> Option<&[JobRow]> {
        let listed = || self.slice(Section::People).filter(|slice| slice.filter.is_empty());
        let slice = self.watched(Section::People).or_else(listed)?;
        Some(&slice.rows)
    }
}

/// This user may answer it.
pub fn is_mine(beside: &Beside) -> bool {
    beside.reader.seat.is_some()
}
