//! Reviews as readers get them: rows of lists, and the card on which somebody decides.

use std::collections::BTreeMap;

use crate::base::{At, Digest, JobId, Name, ReviewId, Wall};
use crate::model::Resources;
use crate::model::action::{EffectClass, Subject};
use crate::model::estimate::Forecast;
use crate::model::review::{
    Assurance, Decision, Delegation, Demand, Fallback, Review, ReviewState, Verdict, Vote, Wait,
};

/// Which reviews, how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewQuery {
    /// Those that stand so.
    pub which: Which,
    /// Only open ones that the reader may answer.
    pub mine: bool,
    /// Only those that jobs of this person ask; `me` is the reader.
    pub by: Option<Name>,
    /// Only those of one job.
    pub job: Option<JobId>,
    /// Only those of a team and the teams below it.
    pub team: Option<Name>,
    /// Only those of one class.
    pub effect: Option<EffectClass>,
    /// Rows at most.
    pub limit: usize,
    /// Go on after this row of an earlier page.
    pub cursor: Option<ReviewCursor>,
}

/// Reviews that stand so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Open ones, those that expire first first.
    Open,
    /// Open ones, then all others, the newest first.
    All,
    /// Those in one state.
    In(ReviewState),
}

/// The place of a row in a list. Opaque outside, and good for the length of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewCursor {
    /// Among the open ones.
    Open(Wall, ReviewId),
    /// Among the others.
    Closed(ReviewId),
}

impl Default for ReviewQuery {
    fn default() -> ReviewQuery {
        ReviewQuery {
            which: Which::Open,
            mine: false,
            by: None,
            job: None,
            team: None,
            effect: None,
            limit: 200,
            cursor: None,
        }
    }
}

/// Reviews in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewPage {
    /// The rows.
    pub reviews: Vec<ReviewRow>,
    /// Where the next page starts, if there is one.
    pub next: Option<ReviewCursor>,
    /// Open reviews that the reader may see, whatever the query says.
    pub open: u64,
    /// Those of them that the reader may answer.
    pub mine: u64,
    /// Who sits on the reader's seats, if they were handed on.
    pub away: Option<Delegation>,
    /// The last record the page includes.
    pub seq: u64,
    /// When it was made.
    pub at: At,
}

/// A review in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRow {
    /// Its number.
    pub id: ReviewId,
    /// The job that asks.
    pub job: JobId,
    /// Its team.
    pub team: Name,
    /// Who owns the job.
    pub owner: Name,
    /// Who inside the job asks.
    pub agent: Option<Name>,
    /// The class of its effect.
    pub effect: EffectClass,
    /// What it is about.
    pub subject: Subject,
    /// What the asker says. Nobody checked this.
    pub summary: String,
    /// Hash of what it is about.
    pub hash: Digest,
    /// Where it stands.
    pub state: ReviewState,
    /// Since when.
    pub since: At,
    /// When it was asked.
    pub asked: At,
    /// When it expires.
    pub deadline: Wall,
    /// Somebody asked back: since when its clock stands.
    pub stopped: Option<Wall>,
    /// How far it was escalated.
    pub level: u8,
    /// Counts up with each change.
    pub version: u32,
    /// What happens if nobody decides.
    pub fallback: Fallback,
    /// How its job waits.
    pub wait: Wait,
    /// Everything that was voted.
    pub votes: Vec<Vote>,
    /// Yeses that are needed.
    pub needed: u32,
    /// How sure we must be of who votes.
    pub demand: Demand,
    /// Who has it open, since when.
    pub opened: BTreeMap<Name, At>,
    /// How it was decided.
    pub decision: Option<Decision>,
    /// What does not stand in the review itself.
    pub beside: Beside,
}

/// What readers see beside the review itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The job's name.
    pub job_name: Name,
    /// The word of the job's state.
    pub job_state: Name,
    /// What the job holds while it waits.
    pub holds: Resources,
    /// Yeses that count now.
    pub yes: u32,
    /// Noes that count now.
    pub no: u32,
    /// How the reader stands to it.
    pub reader: Reader,
}

/// How a reader stands to a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The seat that a vote would fill: the reader's own, or that of somebody who handed it on.
    /// `None` if the reader may not decide, or it is not open.
    pub seat: Option<Name>,
    /// The reader owns the job, and nobody else may decide.
    pub own: bool,
    /// Why the reader may not decide, or what a yes would lack.
    pub why_not: Option<String>,
    /// How sure we are of the reader.
    pub assurance: Assurance,
    /// Sure enough for a yes.
    pub sure: bool,
    /// What the reader voted, if that stands: it can be taken back while the review is open.
    pub voted: Option<Verdict>,
}

/// Everything that somebody needs to decide a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewCard {
    /// All of it.
    pub review: Review,
    /// What does not stand in it.
    pub beside: Beside,
    /// Who may decide it now.
    pub listed: Vec<Name>,
    /// Who may too once it is escalated.
    pub next: Vec<Name>,
    /// What earlier yeses to such things were for.
    pub compared: Compared,
    /// Other reviews about exactly the same.
    pub same: Vec<Same>,
    /// When an answer is expected, by what its people took before.
    pub answer: Option<Forecast>,
    /// When the job goes on if it were answered now.
    pub back: Option<Back>,
    /// The last record it includes.
    pub seq: u64,
    /// When it was made.
    pub at: At,
}

/// When a job goes on if its review were answered now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Back {
    /// It never left: its process waits, or it goes on before it is answered.
    Waits,
    /// At once.
    AtOnce,
    /// Then, when there is room.
    Then(Forecast),
    /// Later, nobody knows when: there is no room.
    Later,
    /// Not before so many other reviews are answered.
    Others(u32),
    /// A person holds it back.
    Held,
}

/// Another review about exactly the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Same {
    /// Which.
    pub review: ReviewId,
    /// Whose.
    pub job: JobId,
    /// Where it stands.
    pub state: ReviewState,
    /// How often it was done.
    pub used: u32,
    /// When it was asked.
    pub asked: At,
}

/// What earlier yeses to the same tool were for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared {
    /// To what: `payctl`, a tool's name.
    pub to: String,
    /// Yeses that were looked at.
    pub yeses: u32,
    /// Value by value, in the order of the action; those that are gone last.
    pub lines: Vec<ComparedLine>,
}

/// One value, and what stood there before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedLine {
    /// Where: `--to`, `amount`, `args.branch`.
    pub path: String,
    /// What stands there now.
    pub now: Option<String>,
    /// What stood there and how often, the most frequent first; at most three.
    pub before: Vec<(String, u32)>,
    /// Further values that stood there.
    pub more: u32,
    /// The smallest and the largest, if all of them are numbers.
    pub range: Option<(String, String)>,
    /// How it differs.
    pub mark: Mark,
}

/// How a value differs from all that stood there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// It stood there before, or lies between what did.
    Known,
    /// It never stood there.
    New,
    /// Larger than any.
    High,
    /// Smaller than any.
    Low,
    /// Nothing stands there any more.
    Gone,
}

impl Mark {
    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Mark::Known => "known",
            Mark::New => "new",
            Mark::High => "high",
            Mark::Low => "low",
            Mark::Gone => "gone",
        }
    }

    /// All of them.
    pub const ALL: [Mark; 5] = [Mark::Known, Mark::New, Mark::High, Mark::Low, Mark::Gone];
}

impl Back {
    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Back::Waits => "waits",
            Back::AtOnce => "at_once",
            Back::Then(_) => "then",
            Back::Later => "later",
            Back::Others(_) => "others",
            Back::Held => "held",
        }
    }
}
