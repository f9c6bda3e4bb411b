//! `reviews`: who waits for people.

use clap::Args;

use crate::api::wire::review::list::{ReviewList, cursor_of};
use crate::base::{JobId, Name};
use crate::cli::args::target::Target;
use crate::cli::args::values;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::{shown, targets};
use crate::link::Link;
use crate::model::action::EffectClass;
use crate::model::page::reviews::Which;
use crate::model::page::{ReviewPage, ReviewQuery};
use crate::model::review::ReviewState;
use crate::view::describe;

/// Rows asked for at once.
const PAGE: usize = 1000;

/// `reviews`.
#[derive(Debug, Args)]
#[command(after_help = "`holdshort show R17` shows one to the last character, `approve R17` and \
                        `deny R17` answer it.")]
pub struct Reviews {
    /// Only those that you may answer
    #[arg(long)]
    mine: bool,
    /// Only those that jobs of this person ask; `me`: yours
    #[arg(long, value_name = "WHO", value_parser = values::name)]
    by: Option<Name>,
    /// Those that are over too
    #[arg(long, short = 'a')]
    all: bool,
    /// Only those in one state: denied, expired, approved …
    #[arg(long, value_name = "STATE", conflicts_with = "all", value_parser = state)]
    state: Option<ReviewState>,
    /// Only those of one job
    #[arg(long, value_name = "JOB")]
    job: Option<Target>,
    /// Only those of a team and the teams below it
    #[arg(long, value_name = "TEAM", value_parser = values::team)]
    team: Option<Name>,
    /// Only those of one class: money, irreversible …
    #[arg(long, value_name = "CLASS", value_parser = effect)]
    effect: Option<EffectClass>,
    /// Rows at most [default: all open ones; 1000 of all]
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    limit: Option<u32>,
    /// Go on after an earlier page: its next_cursor
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

fn state(text: &str) -> Result<ReviewState, String> {
    let words: Vec<&str> = ReviewState::ALL.map(ReviewState::word).into();
    ReviewState::of(text).ok_or_else(|| format!("`{text}` is none of {}", words.join(", ")))
}

fn effect(text: &str) -> Result<EffectClass, String> {
    let words: Vec<&str> = EffectClass::ALL.map(EffectClass::word).into();
    EffectClass::of(text).ok_or_else(|| format!("`{text}` is none of {}", words.join(", ")))
}

impl Reviews {
    /// Prints the list.
    ///
    /// # Errors
    /// The server's; a cursor that is none.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = match &self.job {
            Some(target) => Some(targets::id(link, target).await?),
            None => None,
        };
        let page = self.page(link, job).await?;
        if session.globals.json {
            session.json(&ReviewList::from(&page))?;
        } else {
            let lines = describe::reviews(&page, &shown::sight(page.at), shown::room());
            session.output.out(&shown::text(&lines, session.output))?;
        }
        Ok(OK)
    }

    async fn page(&self, link: &dyn Link, job: Option<JobId>) -> Result<ReviewPage, Failure> {
        let cursor = self.cursor.as_deref().map(cursor_of).transpose().map_err(|problem| {
            Failure::usage(format!("--cursor: {problem}"), "take next_cursor of an earlier page")
        })?;
        let which = match self.state {
            Some(state) => Which::In(state),
            None if self.all => Which::All,
            None => Which::Open,
        };
        let limit = self.limit.map_or(PAGE, |n| usize::try_from(n).unwrap_or(PAGE)).min(PAGE);
        let mut query = ReviewQuery {
            which,
            mine: self.mine,
            by: self.by.clone(),
            job,
            team: self.team.clone(),
            effect: self.effect,
            limit,
            cursor,
        };
        let mut page = link.reviews(query.clone()).await?;
        // Open ones are for somebody to answer: none is left out.
        while which == Which::Open && self.limit.is_none() && page.next.is_some() {
            query.cursor = page.next;
            let more = link.reviews(query.clone()).await?;
            page.reviews.extend(more.reviews);
            page.next = more.next;
        }
        Ok(page)
    }
}
