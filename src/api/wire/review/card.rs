//! Everything about one review, there and back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reader::BesideShown;
use super::review_of;
use super::shown::ReviewShown;
use crate::api::wire::job::Expected;
use crate::api::wire::time::{Time, join, split};
use crate::api::wire::words::Word as _;
use crate::api::wire::{SCHEMA_VERSION, WireError, check_version, names, texts};
use crate::base::JobId;
use crate::model::page::reviews::{Back, Compared, ComparedLine, Mark, ReviewCard, Same};
use crate::model::review::ReviewState;

/// Everything about one review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewDocument {
    /// 1.
    pub schema_version: u32,
    /// It.
    pub review: CardShown,
    /// The last record of the journal that the document includes.
    pub seq: u64,
    /// When it was made.
    pub at: Time,
    /// The same on the scheduler's clock.
    pub at_mono: u64,
}

/// A review with all that somebody needs to decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CardShown {
    /// The review.
    #[serde(flatten)]
    pub review: ReviewShown,
    /// What does not stand in the review itself.
    pub beside: BesideShown,
    /// Who may decide it now.
    pub listed: Vec<String>,
    /// Who may too once it is escalated.
    pub next: Vec<String>,
    /// What earlier yeses to the same tool were for.
    pub compared: ComparedShown,
    /// Other reviews about exactly the same.
    pub same: Vec<SameShown>,
    /// When an answer is expected.
    pub expected_answer_at: Option<Expected>,
    /// When the job goes on if it were answered now.
    pub back: Option<BackShown>,
}

/// What earlier yeses to the same tool were for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComparedShown {
    /// To what.
    pub to: String,
    /// Yeses that were looked at.
    pub yeses: u32,
    /// Value by value.
    pub values: Vec<ComparedValue>,
}

/// One value, and what stood there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComparedValue {
    /// Where: `--to`, `amount`, `args.branch`.
    pub path: String,
    /// What stands there now.
    pub now: Option<String>,
    /// What stood there most often.
    pub before: Vec<CountedValue>,
    /// Further values that stood there.
    pub more: u32,
    /// The smallest, if all of them are numbers.
    pub least: Option<String>,
    /// The largest.
    pub most: Option<String>,
    /// `known`, `new`, `high`, `low` or `gone`.
    pub mark: String,
}

/// A value that stood somewhere so often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CountedValue {
    /// What.
    pub value: String,
    /// How often.
    pub times: u32,
}

/// Another review about exactly the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SameShown {
    /// `R17`.
    pub id: String,
    /// Whose.
    pub job: u64,
    /// Where it stands.
    pub state: String,
    /// How often it was done.
    pub used: u32,
    /// When it was asked.
    pub asked_at: Time,
    /// The same on the scheduler's clock.
    pub asked_mono: u64,
}

/// When a job goes on if its review were answered now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackShown {
    /// `waits` (its process is there), `at_once`, `then`, `later`, `others` (other reviews are
    /// open) or `held` (by a person).
    pub when: String,
    /// `then`: when.
    pub expected_at: Option<Expected>,
    /// `others`: how many.
    pub others: Option<u32>,
}

impl From<&ReviewCard> for ReviewDocument {
    fn from(from: &ReviewCard) -> ReviewDocument {
        let (at, at_mono) = split(from.at);
        let review = from.into();
        ReviewDocument { schema_version: SCHEMA_VERSION, review, seq: from.seq, at, at_mono }
    }
}

impl From<&ReviewCard> for CardShown {
    fn from(from: &ReviewCard) -> CardShown {
        CardShown {
            review: (&from.review).into(),
            beside: (&from.beside).into(),
            listed: texts(&from.listed),
            next: texts(&from.next),
            compared: (&from.compared).into(),
            same: from.same.iter().map(Into::into).collect(),
            expected_answer_at: from.answer.map(Into::into),
            back: from.back.map(Into::into),
        }
    }
}

impl TryFrom<ReviewDocument> for ReviewCard {
    type Error = WireError;

    fn try_from(from: ReviewDocument) -> Result<ReviewCard, WireError> {
        check_version(from.schema_version)?;
        let card = from.review;
        let same: Result<_, _> = card.same.into_iter().map(TryInto::try_into).collect();
        Ok(ReviewCard {
            review: card.review.try_into()?,
            beside: card.beside.try_into()?,
            listed: names(card.listed),
            next: names(card.next),
            compared: card.compared.try_into()?,
            same: same?,
            answer: card.expected_answer_at.map(TryInto::try_into).transpose()?,
            back: card.back.map(TryInto::try_into).transpose()?,
            seq: from.seq,
            at: join(from.at, from.at_mono),
        })
    }
}

impl From<&Compared> for ComparedShown {
    fn from(from: &Compared) -> ComparedShown {
        let values = from.lines.iter().map(Into::into).collect();
        ComparedShown { to: from.to.clone(), yeses: from.yeses, values }
    }
}

impl TryFrom<ComparedShown> for Compared {
    type Error = WireError;

    fn try_from(from: ComparedShown) -> Result<Compared, WireError> {
        let lines: Result<_, _> = from.values.into_iter().map(TryInto::try_into).collect();
        Ok(Compared { to: from.to, yeses: from.yeses, lines: lines? })
    }
}

impl From<&ComparedLine> for ComparedValue {
    fn from(from: &ComparedLine) -> ComparedValue {
        let counted =
            |(value, times): &(String, u32)| CountedValue { value: value.clone(), times: *times };
        let (least, most) = from.range.clone().unzip();
        ComparedValue {
            path: from.path.clone(),
            now: from.now.clone(),
            before: from.before.iter().map(counted).collect(),
            more: from.more,
            least,
            most,
            mark: from.mark.word().to_owned(),
        }
    }
}

impl TryFrom<ComparedValue> for ComparedLine {
    type Error = WireError;

    fn try_from(from: ComparedValue) -> Result<ComparedLine, WireError> {
        let mark = Mark::ALL.into_iter().find(|mark| mark.word() == from.mark);
        Ok(ComparedLine {
            path: from.path,
            now: from.now,
            before: from.before.into_iter().map(|c| (c.value, c.times)).collect(),
            more: from.more,
            range: from.least.zip(from.most),
            mark: mark.ok_or_else(|| WireError::unknown("mark", &from.mark))?,
        })
    }
}

impl From<&Same> for SameShown {
    fn from(from: &Same) -> SameShown {
        let (asked_at, asked_mono) = split(from.asked);
        SameShown {
            id: from.review.to_string(),
            job: from.job.0,
            state: from.state.to_word(),
            used: from.used,
            asked_at,
            asked_mono,
        }
    }
}

impl TryFrom<SameShown> for Same {
    type Error = WireError;

    fn try_from(from: SameShown) -> Result<Same, WireError> {
        Ok(Same {
            review: review_of(&from.id)?,
            job: JobId(from.job),
            state: ReviewState::of_word(&from.state)?,
            used: from.used,
            asked: join(from.asked_at, from.asked_mono),
        })
    }
}

impl From<Back> for BackShown {
    fn from(from: Back) -> BackShown {
        let when = from.word().to_owned();
        let (expected_at, others) = match from {
            Back::Then(forecast) => (Some(forecast.into()), None),
            Back::Others(count) => (None, Some(count)),
            _ => (None, None),
        };
        BackShown { when, expected_at, others }
    }
}

impl TryFrom<BackShown> for Back {
    type Error = WireError;

    fn try_from(from: BackShown) -> Result<Back, WireError> {
        Ok(match from.when.as_str() {
            "waits" => Back::Waits,
            "at_once" => Back::AtOnce,
            "then" => {
                let then = from.expected_at.ok_or_else(|| WireError::missing("expected_at"))?;
                Back::Then(then.try_into()?)
            }
            "later" => Back::Later,
            "others" => Back::Others(from.others.ok_or_else(|| WireError::missing("others"))?),
            "held" => Back::Held,
            other => return Err(WireError::unknown("when", other)),
        })
    }
}
