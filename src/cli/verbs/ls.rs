//! `ls [FILTER…]`: jobs by urgency.

use clap::Args;

use crate::api::server::sentences::Sentences;
use crate::api::wire::cursor::cursor_of;
use crate::api::wire::list::JobList;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::output;
use crate::cli::session::Session;
use crate::cli::shown;
use crate::link::{JobQuery, Link};
use crate::model::page::{Cursor, Ended, JobPage};
use crate::view::line::{Line, Role};
use crate::view::list::{Listing, list};

/// Rows asked for by a terminal, which shows a screenful of folded lines.
const SCREEN_ROWS: usize = 500;
/// Rows asked for by a pipe or for JSON.
const PIPE_ROWS: usize = 1000;
/// How the section of ended jobs begins.
const ENDED: &str = "ENDED ";
/// Rows asked for at once where all are wanted.
const PAGE: usize = 1000;

/// `ls`.
#[derive(Debug, Args)]
#[command(after_help = "Filters: state=queued team=ml gpu=3.. age=1h.. label!=debug name~train \
                        tier=research,batch; a bare word matches name, id and team.")]
pub struct Ls {
    /// Only jobs that match all of these
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// Everything: all pages, and all ended jobs
    #[arg(long, short = 'a')]
    all: bool,
    /// Rows at most [default: a screenful, 1000 into a pipe]
    #[arg(long, value_name = "N", conflicts_with = "all",
          value_parser = crate::cli::args::values::at_least_one)]
    limit: Option<u32>,
    /// Go on after an earlier page: its next_cursor
    #[arg(long, value_name = "CURSOR", conflicts_with = "all")]
    cursor: Option<String>,
}

impl Ls {
    /// Refuses what makes no sense; the filter is the server's to read.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self) -> Result<(), Failure> {
        self.cursor().map(drop)
    }

    /// Prints the list. On a terminal what ended counts as seen then.
    ///
    /// # Errors
    /// The server's; a filter that makes no sense.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let filter = self.filter.join(" ");
        let ended = if self.all || names_ended(&filter) {
            Ended::All
        } else {
            Ended::Since(link.looked(None).await?)
        };
        let page = self.page(link, &filter, ended).await?;
        if session.globals.json {
            session.json(&JobList::new(&page, &Sentences::at(page.at)))?;
            return Ok(OK);
        }
        let filtered = !filter.is_empty();
        let how = Listing { room: shown::room(), filtered };
        let mut lines = list(&page, &shown::sight(page.at), how);
        let screen = output::out_is_terminal() && !self.all && self.limit.is_none();
        let ends_at = lines.iter().position(|line| line.plain().starts_with(ENDED));
        if let (true, Some((rows, _))) = (screen, output::terminal_size()) {
            lines = fitted(lines, usize::from(rows));
        }
        // Where live jobs filled the screen, nobody has looked at what ended.
        let seen = ends_at.is_none_or(|at| at + 1 < lines.len());
        session.output.out(&shown::text(&lines, session.output))?;
        if output::out_is_terminal() && !filtered && self.cursor.is_none() && seen {
            link.looked(Some(page.at.wall)).await?;
        }
        Ok(OK)
    }

    async fn page(&self, link: &dyn Link, filter: &str, ended: Ended) -> Result<JobPage, Failure> {
        let screen = if output::out_is_terminal() { SCREEN_ROWS } else { PIPE_ROWS };
        let limit = match self.limit {
            _ if self.all => PAGE,
            Some(limit) => usize::try_from(limit).unwrap_or(PAGE),
            None => screen,
        };
        let query = |cursor| JobQuery {
            filter: filter.to_owned(),
            ended,
            limit,
            cursor,
            ..JobQuery::default()
        };
        let mut page = link.jobs(query(self.cursor()?)).await?;
        while self.all && page.next.is_some() {
            let more = link.jobs(query(page.next)).await?;
            page.jobs.extend(more.jobs);
            page.next = more.next;
        }
        Ok(page)
    }

    fn cursor(&self) -> Result<Option<Cursor>, Failure> {
        let Some(text) = &self.cursor else { return Ok(None) };
        cursor_of(text).map(Some).map_err(|problem| {
            Failure::usage(format!("--cursor: {problem}"), "take next_cursor of an earlier page")
        })
    }
}

/// A filter that asks for what ended, or for one job by its number, means all of it, not only
/// what is new.
fn names_ended(filter: &str) -> bool {
    let ended = ["state", "lane", "exit", "id", "array"];
    filter.split_whitespace().any(|term| {
        let key = term.split(['=', '!', '~']).next().unwrap_or(term);
        let number = term.bytes().all(|b| b.is_ascii_digit() || b == b'#');
        number || (key != term && ended.contains(&key))
    })
}

/// As many lines as a screen takes above the next prompt.
fn fitted(mut lines: Vec<Line>, rows: usize) -> Vec<Line> {
    let most = rows.saturating_sub(2).max(5);
    if lines.len() > most + 1 {
        let more = lines.len() - most;
        lines.truncate(most);
        lines.push(Line::of(format!("{more} more lines: holdshort ls --all"), Role::Muted));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_asks_for_ended_jobs_gets_all_of_them() {
        for filter in ["state=failed", "team=ml lane=ended", "exit=1", "42", "array=40"] {
            assert!(names_ended(filter), "{filter}");
        }
        for filter in ["", "train", "team=ml", "name~exit", "stateful"] {
            assert!(!names_ended(filter), "{filter}");
        }
    }

    #[test]
    fn a_long_list_leaves_room_for_the_prompt() {
        let lines = |n: usize| (0..n).map(|i| Line::of(i.to_string(), Role::Plain)).collect();
        assert_eq!(fitted(lines(10), 24).len(), 10);
        let cut = fitted(lines(100), 24);
        assert_eq!(cut.len(), 23);
        assert!(cut[22].plain().starts_with("78 more"));
    }
}
