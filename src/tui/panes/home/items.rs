//! Which rows the list has: sections, jobs, "+ n more". Cheap: ids and counts, no text.

use std::collections::BTreeSet;

use crate::base::{JobId, ReviewId};
use crate::model::page::{Counts, JobRow, ReviewRow};
use crate::tui::known::people::is_mine;
use crate::tui::known::{Known, Slice};
use crate::tui::panes::home::is_bad;
use crate::tui::section::Section;
use crate::view::list::fold;

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A section's title.
    Head {
        /// The section.
        section: Section,
        /// Jobs in it, as far as they are known.
        count: u64,
        /// There are more than that.
        open: bool,
        /// Not all of them are here, and these are in the order chosen: how many there are here.
        sorted: Option<(usize, Order)>,
    },
    /// Rows above those that are here.
    Above {
        /// The section.
        section: Section,
    },
    /// A job, or elements of an array that share a row.
    Job {
        /// The section.
        section: Section,
        /// The job, or the first element.
        job: JobId,
        /// Jobs the row stands for.
        count: usize,
        /// There may be more of them.
        open: bool,
        /// GPUs of all of them, in thousandths.
        gpu_milli: u64,
        /// It ended badly.
        bad: bool,
    },
    /// A review that waits on people.
    Review {
        /// The review.
        review: ReviewId,
        /// This user may answer it.
        mine: bool,
    },
    /// Reviews that only others may answer.
    Others {
        /// How many.
        hidden: u64,
    },
    /// Rows that are not shown.
    More {
        /// The section.
        section: Section,
        /// How many jobs; nothing if nobody knows.
        hidden: Option<u64>,
        /// There are more than that.
        open: bool,
    },
}

/// What is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// A job in a section.
    Job(Section, JobId),
    /// A review.
    Review(ReviewId),
    /// Reviews that only others may answer.
    Others,
    /// A section's rest.
    More(Section),
}

/// In which order the rows of a section stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The server's.
    #[default]
    Urgency,
    /// The longest in its state first.
    Longest,
    /// By name.
    Name,
    /// What asks for most first.
    Size,
}

/// How the list is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct How {
    /// Of which version of what is known.
    pub version: u64,
    /// One section only.
    pub narrow: Option<Section>,
    /// Sections that show every row.
    pub unfolded: BTreeSet<Section>,
    /// The order inside a section.
    pub order: Order,
    /// A job that has a row even where there is room for fewer.
    pub keep: Option<JobId>,
    /// Rows there is room for.
    pub room: usize,
}

/// The rows of the list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Items {
    /// All of them.
    pub list: Vec<Item>,
}

impl Order {
    /// The next one.
    pub const fn next(self) -> Order {
        match self {
            Order::Urgency => Order::Longest,
            Order::Longest => Order::Name,
            Order::Name => Order::Size,
            Order::Size => Order::Urgency,
        }
    }

    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Order::Urgency => "by urgency",
            Order::Longest => "longest first",
            Order::Name => "by name",
            Order::Size => "largest first",
        }
    }

    fn apply(self, rows: &mut [&JobRow]) {
        let size = |row: &JobRow| {
            let tasks = u64::from(row.gang.size);
            (row.request.gpu_milli.saturating_mul(tasks), row.request.cpu_milli * tasks.min(4096))
        };
        match self {
            Order::Urgency => {}
            Order::Longest => rows.sort_by_key(|row| row.since.now),
            Order::Name => rows.sort_by(|a, b| a.name.cmp(&b.name)),
            Order::Size => rows.sort_by_key(|row| std::cmp::Reverse(size(row))),
        }
    }
}

impl Pick {
    /// The section it is in.
    pub const fn section(self) -> Section {
        match self {
            Pick::Job(section, _) | Pick::More(section) => section,
            Pick::Review(_) | Pick::Others => Section::People,
        }
    }
}

impl Item {
    /// Its section.
    pub const fn section(&self) -> Section {
        match self {
            Item::Head { section, .. }
            | Item::Above { section }
            | Item::Job { section, .. }
            | Item::More { section, .. } => *section,
            Item::Review { .. } | Item::Others { .. } => Section::People,
        }
    }

    /// The job it shows.
    pub fn job(&self) -> Option<(Section, JobId)> {
        match self {
            Item::Job { section, job, .. } => Some((*section, *job)),
            _ => None,
        }
    }

    /// It is no title.
    pub fn can_be_chosen(&self) -> bool {
        self.pick().is_some()
    }

    fn pick(&self) -> Option<Pick> {
        match self {
            Item::Head { .. } | Item::Above { .. } => None,
            Item::Job { section, job, .. } => Some(Pick::Job(*section, *job)),
            Item::Review { review, .. } => Some(Pick::Review(*review)),
            Item::Others { .. } => Some(Pick::Others),
            Item::More { section, .. } => Some(Pick::More(*section)),
        }
    }
}

/// A section with its rows, before it is decided how many are shown.
struct Part {
    section: Section,
    jobs: Vec<Item>,
    /// Rows that are shown whatever the room: what failed, what asks.
    must: usize,
    count: u64,
    /// There are more than `count`.
    open: bool,
    /// There are more than came.
    beyond: bool,
    /// There are some above.
    above: bool,
    sorted: Option<(usize, Order)>,
    whole: bool,
    /// Reviews that this user may answer.
    mine: usize,
    /// Reviews that only others may answer, where they have no rows.
    others: u64,
}

impl Items {
    /// The rows for what is known.
    pub fn of(known: &Known, how: &How) -> Items {
        let shown = Section::ALL.into_iter().filter(|s| how.narrow.is_none_or(|only| only == *s));
        let parts: Vec<Part> = shown
            .filter_map(|section| {
                let slice = known.slice(section)?;
                let whole = how.narrow.is_some() || how.unfolded.contains(&section);
                let part = part(section, slice, known.counts(), how, whole);
                Some(if section == Section::People {
                    with_reviews(part, known, slice)
                } else {
                    part
                })
            })
            .filter(|part| !part.jobs.is_empty() || part.others > 0)
            .collect();
        let shares = shares(&parts, how.room);
        let mut list = Vec::new();
        for (part, share) in parts.into_iter().zip(shares) {
            let Part { section, count, open, beyond, above, sorted, others, .. } = part;
            list.push(Item::Head { section, count, open, sorted });
            list.extend(above.then_some(Item::Above { section }));
            let stands_for = |items: &[Item]| {
                let each = items.iter().map(|item| match item {
                    Item::Job { count, .. } => *count as u64,
                    Item::Review { .. } => 1,
                    _ => 0,
                });
                each.sum::<u64>()
            };
            let mut jobs = part.jobs;
            let share = share.min(jobs.len());
            let kept = jobs
                .iter()
                .position(|item| how.keep.is_some() && item.job().map(|(_, job)| job) == how.keep);
            if let Some(at) = kept.filter(|at| *at >= share) {
                // It takes the last place there is.
                let item = jobs.remove(at);
                jobs.insert(share.saturating_sub(1), item);
            }
            let (seen, hidden) = jobs.split_at(share.max(usize::from(kept.is_some())));
            list.extend(seen);
            let rest = count.saturating_sub(stands_for(seen)).max(stands_for(hidden));
            let alone = hidden.is_empty() && !beyond;
            if !alone {
                // How many lie above a window is not known, so neither is how many lie below.
                let hidden = (!above).then_some(rest);
                list.push(Item::More { section, hidden, open });
            }
            // One line is enough for all that has none.
            list.extend((others > 0 && alone).then_some(Item::Others { hidden: others }));
        }
        Items { list }
    }

    /// Where something stands.
    pub fn place(&self, pick: Option<Pick>) -> Option<usize> {
        let pick = pick?;
        self.list.iter().position(|item| item.pick() == Some(pick))
    }

    /// The same thing, in its section or another.
    pub fn find(&self, pick: Option<Pick>) -> Option<Pick> {
        let pick = pick?;
        if self.place(Some(pick)).is_some() {
            return Some(pick);
        }
        let Pick::Job(_, job) = pick else { return None };
        let same = self.list.iter().find(|item| item.job().is_some_and(|(_, id)| id == job));
        same.and_then(Item::pick)
    }

    /// What can be chosen at a place or nearest to it.
    pub fn pick_near(&self, at: usize) -> Option<Pick> {
        let after = self.list.iter().skip(at).find_map(Item::pick);
        let before = || self.list.iter().take(at).rev().find_map(Item::pick);
        after.or_else(before)
    }

    /// What can be chosen `by` rows away, titles left out.
    pub fn step(&self, at: usize, by: isize) -> Option<Pick> {
        let steps = by.unsigned_abs();
        let mut found = None;
        let mut count = 0;
        let mut look = |item: &Item| {
            if let Some(pick) = item.pick().filter(|_| count < steps) {
                found = Some(pick);
                count += 1;
            }
        };
        if by >= 0 {
            self.list.iter().skip(at + 1).for_each(&mut look);
        } else {
            self.list.iter().take(at).rev().for_each(&mut look);
        }
        found
    }

    /// The first row of each section.
    pub fn firsts(&self) -> Vec<(Section, usize)> {
        let heads = self.list.iter().enumerate().filter_map(|(at, item)| match item {
            Item::Head { section, .. } => Some((*section, at + 1)),
            _ => None,
        });
        heads.collect()
    }

    /// Places of the rows of a lane.
    pub fn of_lane(&self, lane: usize, lane_of: fn(Section) -> usize) -> Vec<usize> {
        let rows = self.list.iter().enumerate();
        rows.filter(|(_, item)| lane_of(item.section()) == lane).map(|(at, _)| at).collect()
    }
}

fn part(section: Section, slice: &Slice, counts: Counts, how: &How, whole: bool) -> Part {
    let mut rows: Vec<&JobRow> = slice.rows.iter().collect();
    how.order.apply(&mut rows);
    if section == Section::Ended && how.order == Order::Urgency {
        // What failed and nobody has seen comes first.
        rows.sort_by_key(|row| !(is_bad(row) && row.acked.is_none()));
    }
    let folded = fold(&rows, slice.more || slice.above);
    let single = |row: &&JobRow| Item::Job {
        section,
        job: row.id,
        count: 1,
        open: false,
        gpu_milli: row.request.gpu_milli.saturating_mul(u64::from(row.gang.size)),
        bad: is_bad(row),
    };
    let jobs: Vec<Item> = if how.unfolded.contains(&section) {
        rows.iter().map(single).collect()
    } else {
        let many = folded.iter().map(|folded| Item::Job {
            section,
            job: folded.row.id,
            count: folded.count,
            open: folded.open,
            gpu_milli: folded.gpu_milli,
            bad: is_bad(folded.row),
        });
        many.collect()
    };
    let counted = match section {
        Section::People => counts.human,
        Section::Stuck => counts.stuck,
        Section::Running => counts.running,
        Section::Queued => counts.queued,
        Section::Ended => 0,
    };
    let have = slice.rows.len() as u64;
    // A filtered page knows only what it has.
    let count = if slice.filter.is_empty() { counted.max(have) } else { have };
    let bad = rows.iter().filter(|row| is_bad(row) && row.acked.is_none()).count();
    let must = if section == Section::Ended { bad } else { 0 };
    let open =
        (slice.more || slice.above) && (section == Section::Ended || !slice.filter.is_empty());
    let (beyond, above) = (slice.more, slice.above);
    let partly = beyond || above;
    let sorted = (partly && how.order != Order::Urgency).then_some((rows.len(), how.order));
    Part { section, jobs, must, count, open, beyond, above, sorted, whole, mine: 0, others: 0 }
}

/// Reviews before the jobs at a prompt, those of others at the end; no job beside its review.
fn with_reviews(part: Part, known: &Known, slice: &Slice) -> Part {
    let filtered = !slice.filter.is_empty();
    let shown = |job: JobId| !filtered || known.is_listed(job);
    let reviews = known.open_reviews().filter(|row| shown(row.job));
    let item = |row: &ReviewRow| Item::Review { review: row.id, mine: is_mine(&row.beside) };
    let reviews: Vec<Item> = reviews.map(item).collect();
    let (mine, theirs): (Vec<Item>, Vec<Item>) =
        reviews.iter().partition(|item| matches!(item, Item::Review { mine: true, .. }));
    let own_row = |item: &Item| {
        let row = item.job().and_then(|(_, job)| slice.row(job));
        row.is_none_or(|row| !known.is_told_by_review(row))
    };
    let listed = part.jobs.len();
    let jobs: Vec<Item> = part.jobs.into_iter().filter(own_row).collect();
    let gone = (listed - jobs.len()) as u64;
    let all = reviews.len() as u64;
    let count = match filtered {
        true => part.count.saturating_sub(gone) + all,
        false => known.people_count().max(all + jobs.len() as u64),
    };
    let others = if part.whole { 0 } else { theirs.len() as u64 };
    let theirs = theirs.into_iter().filter(|_| part.whole);
    let answerable = mine.len();
    let jobs = mine.into_iter().chain(jobs).chain(theirs).collect();
    Part { jobs, count, mine: answerable, others, ..part }
}

impl Part {
    /// Lines it takes with so many rows.
    fn cost(&self, share: usize) -> usize {
        let more = share < self.jobs.len() || self.beyond || self.others > 0;
        1 + share + usize::from(more) + usize::from(self.above)
    }

    /// Rows it begins with.
    fn start(&self) -> usize {
        let len = self.jobs.len();
        match self.section {
            _ if self.whole => len,
            Section::People | Section::Running => len.min(3),
            Section::Ended => len.min(self.must.max(1)),
            Section::Stuck => len.min(1),
            Section::Queued => len.min(2),
        }
    }

    /// Rows it keeps where there is little room.
    fn least(&self) -> usize {
        if self.whole || self.section == Section::Ended {
            self.start()
        } else {
            // Reviews that one may answer come before whatever waits for room.
            self.start().min(self.mine.clamp(1, 3))
        }
    }
}

fn total(parts: &[Part], shares: &[usize]) -> usize {
    parts.iter().zip(shares).map(|(part, share)| part.cost(*share)).sum()
}

/// The rows with which all sections begin. Where that is too much, what can spare a row gives
/// one, so that the end is seen as well; where even that does not help nobody gives.
fn begin(parts: &[Part], room: usize) -> Vec<usize> {
    let shares: Vec<usize> = parts.iter().map(Part::start).collect();
    // Of those with as many the last one gives first.
    let spare = [Section::People, Section::Queued, Section::Running];
    let mut fewer = shares.clone();
    while total(parts, &fewer) > room {
        let gives = |section: &Section| {
            let at = parts.iter().position(|part| part.section == *section)?;
            let share = fewer.get(at).copied()?;
            (share > parts.get(at)?.least()).then_some((at, share))
        };
        let most = spare.iter().filter_map(gives).max_by_key(|(_, share)| *share);
        let Some(share) = most.and_then(|(at, _)| fewer.get_mut(at)) else { return shares };
        *share -= 1;
    }
    fewer
}

/// How many rows each section shows, so that all of it fits if it can.
fn shares(parts: &[Part], room: usize) -> Vec<usize> {
    let len = |part: &Part| part.jobs.len();
    let mut shares = begin(parts, room);
    // What is left goes to people first, then to what is stuck, then in turn to what runs and
    // what waits, last to what ended well.
    let turns: [&[Section]; 4] = [
        &[Section::People],
        &[Section::Stuck],
        &[Section::Running, Section::Queued],
        &[Section::Ended],
    ];
    for turn in turns {
        let mut grown = true;
        while grown {
            grown = false;
            let here = parts.iter().enumerate().filter(|(_, part)| turn.contains(&part.section));
            for (at, part) in here {
                let Some(share) = shares.get(at).copied().filter(|share| *share < len(part)) else {
                    continue;
                };
                // Two at once where "+ 1 more" would only take the last one's place.
                let step = if share + 1 < len(part) { 1 } else { len(part) - share };
                let mut tried = shares.clone();
                if let Some(tried) = tried.get_mut(at) {
                    *tried += step;
                }
                if total(parts, &tried) <= room {
                    shares = tried;
                    grown = true;
                }
            }
        }
    }
    shares
}
