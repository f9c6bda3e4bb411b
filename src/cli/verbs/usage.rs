//! `usage`: who used how much; with amounts, in a job, what it used itself.

use std::collections::BTreeMap;

use clap::Args;

use crate::api::wire::usage::UsageList;
use crate::base::{Name, Span, Wall, duration, moment, quantity};
use crate::cli::args::values;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::verbs::limit;
use crate::cli::verbs::report::{About, send};
use crate::cli::{clock, shown};
use crate::link::Link;
use crate::model::command::{Report, Until};
use crate::model::page::usage::{UsageBy, UsageQuery};
use crate::view::describe;

/// `usage`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without amounts it prints what was metered: every hour of every core, GiB \
                        and device is in one class, so that the column of a node sums to what it \
                        has. With amounts it reports what a job used itself."
)]
pub struct Usage {
    #[command(flatten)]
    about: About,
    /// In a job, what it used since its last report: tokens_in=1200 calls=1
    #[arg(value_name = "NAME=N", value_parser = amount)]
    amounts: Vec<(Name, u64)>,
    /// A report with a key counts once, however often it is sent
    #[arg(long, value_name = "KEY", requires = "amounts")]
    key: Option<String>,
    /// From then on: 24h (ago), 08:00, or a full time [default: since metering began]
    #[arg(long, value_name = "TIME", conflicts_with = "amounts")]
    since: Option<String>,
    /// Up to then [default: now]; with --limited, when it may be taken again: 15:00, +30s
    #[arg(long, value_name = "TIME", conflicts_with = "amounts")]
    until: Option<String>,
    /// In a job: the other side gives no more of this for now, so nobody starts on it
    #[arg(long, value_name = "RESOURCE", conflicts_with_all = ["amounts", "since", "by"],
        value_parser = values::name)]
    limited: Option<Name>,
    /// With --limited: it may be taken again after so long
    #[arg(long, value_name = "TIME", requires = "limited", conflicts_with = "until",
        value_parser = retry_after)]
    retry_after: Option<Span>,
    /// Sums by team, job, node or class
    #[arg(long, value_name = "WHAT", default_value = "team", hide_default_value = true)]
    by: UsageBy,
}

/// A duration, or seconds alone as the header `Retry-After` has them.
fn retry_after(text: &str) -> Result<Span, String> {
    text.parse::<u64>().map_or_else(|_| duration::parse(text), |secs| Ok(Span::secs(secs)))
}

fn amount(text: &str) -> Result<(Name, u64), String> {
    let Some((name, n)) = text.split_once('=') else {
        return Err("an amount is NAME=N, such as tokens_in=1200".to_owned());
    };
    Ok((values::name(name)?, quantity::parse_count(n)?))
}

impl Usage {
    /// Prints the sums, or says what the job used.
    ///
    /// # Errors
    /// The server's, a time that makes no sense, or no job.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        if let Some(resource) = self.limited {
            let until = match (self.retry_after, self.until.as_deref()) {
                (Some(span), _) => Until::After(span),
                (None, Some(text)) => Until::At(limit::at(text)?),
                (None, None) => {
                    let what = "--limited does not say until when";
                    return Err(Failure::usage(what, "--until 15:00, or --retry-after 30"));
                }
            };
            return send(link, self.about, Report::Limited { resource, until }).await;
        }
        if self.amounts.is_empty() {
            return self.show(session, link).await;
        }
        let mut amounts: BTreeMap<Name, u64> = BTreeMap::new();
        for (name, n) in self.amounts {
            let sum = amounts.entry(name).or_default();
            *sum = sum.saturating_add(n);
        }
        send(link, self.about, Report::Usage { amounts, key: self.key }).await
    }

    async fn show(self, session: &Session, link: &dyn Link) -> Outcome {
        let now = clock::wall();
        let read = |what: &str, text: Option<String>| {
            let read = text.map(|text| past(&text, now)).transpose();
            read.map_err(|problem| Failure::usage(format!("{what}: {problem}"), "--since 24h"))
        };
        let (from, to) = (read("--since", self.since)?, read("--until", self.until)?);
        let page = link.usage(UsageQuery { from, to, by: self.by }).await?;
        if session.globals.json {
            session.json(&UsageList::from(&page))?;
        } else {
            let lines = describe::usage(&page, &shown::sight(page.at), shown::room());
            session.output.out(&shown::text(&lines, session.output))?;
        }
        Ok(OK)
    }
}

/// A time that is over: a duration ago, or a moment. A time of day is the last one.
pub(super) fn past(text: &str, now: Wall) -> Result<Wall, String> {
    if let Ok(Span(ago)) = duration::parse(text) {
        return Ok(Wall(now.0.saturating_sub(i64::try_from(ago).unwrap_or(i64::MAX))));
    }
    let next = moment::parse(text, now, &chrono::Local)?;
    let Wall(day_before) = Wall(next.0.saturating_sub(24 * 3_600_000));
    Ok(if next > now && day_before <= now.0 { Wall(day_before) } else { next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_whole_numbers_with_a_name() {
        assert_eq!(amount("tokens_in=1200"), Ok(("tokens_in".into(), 1200)));
        assert!(amount("tokens_in").is_err());
        assert!(amount("=3").is_err());
        assert!(amount("calls=-1").is_err());
    }

    #[test]
    fn a_time_that_is_over_is_a_duration_ago_or_the_last_such_time() {
        let now = Wall(1_800_000_000_000);
        assert_eq!(past("24h", now), Ok(Wall(now.0 - 86_400_000)));
        assert_eq!(past("2027-01-01T00:00:00Z", now), Ok(Wall(1_798_761_600_000)));
        for time in ["00:00", "08:00", "23:59"] {
            let then = past(time, now).unwrap();
            assert!(then <= now && now.since(then) <= Span::hours(24), "{time}");
        }
        assert!(past("soon", now).is_err());
    }
}
