//! From what was typed to the jobs that are meant, and the question before many are hit.

use clap::Args;

use super::args::target::Target;
use super::exit::{Failure, NEEDS_YES, NOT_FOUND};
use super::output::{self, Output};
use crate::base::JobId;
use crate::base::text::sanitise;
use crate::link::{JobQuery, Link};
use crate::model::page::{Ended, JobRow};

/// Rows asked for at once.
const PAGE: usize = 1000;
/// Jobs that are named before a question.
const NAMED_MAX: usize = 20;

/// Which jobs a changing verb is about.
#[derive(Debug, Clone, Default, Args)]
pub struct Many {
    /// Jobs: 42, 40_7 (element of an array), 40 (a whole array)
    #[arg(value_name = "JOB", required_unless_present = "filter")]
    pub targets: Vec<Target>,
    /// Every live job that matches: 'team=ml state=queued'
    #[arg(long = "where", value_name = "FILTER", conflicts_with = "targets")]
    pub filter: Option<String>,
    /// Do not ask how many jobs are meant
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// The jobs that are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Each once, in the order they were named.
    pub rows: Vec<JobRow>,
    /// Named one by one or by a filter, so that somebody may have meant fewer.
    pub many: bool,
    /// Not all were named by number: a filter or an array stood for them.
    pub implied: bool,
}

impl Hit {
    /// Their numbers.
    pub fn ids(&self) -> Vec<JobId> {
        self.rows.iter().map(|row| row.id).collect()
    }
}

/// Every row a filter matches.
///
/// # Errors
/// The server's.
pub async fn every(link: &dyn Link, filter: &str, ended: Ended) -> Result<Vec<JobRow>, Failure> {
    let mut rows = Vec::new();
    let mut cursor = None;
    loop {
        let query = JobQuery {
            filter: filter.to_owned(),
            ended,
            limit: PAGE,
            cursor,
            ..JobQuery::default()
        };
        let page = link.jobs(query).await?;
        rows.extend(page.jobs);
        cursor = page.next;
        if cursor.is_none() {
            return Ok(rows);
        }
    }
}

/// The one job that a target names. The number of an array is its first element.
///
/// # Errors
/// The server's, [`NOT_FOUND`], or usage for a target that is no job.
pub async fn one(link: &dyn Link, target: &Target) -> Result<JobRow, Failure> {
    match target {
        Target::Job(id) => Ok(link.job(*id).await?.row),
        Target::Element(array, index) => element(link, *array, *index).await,
        other => Err(no_job(other)),
    }
}

/// The number of one job.
///
/// # Errors
/// As [`one`]; a plain number is not looked up.
pub async fn id(link: &dyn Link, target: &Target) -> Result<JobId, Failure> {
    match target {
        Target::Job(id) => Ok(*id),
        other => one(link, other).await.map(|row| row.id),
    }
}

fn no_job(target: &Target) -> Failure {
    if let Target::Review(id) = target {
        let hint = "`holdshort show` shows it, `approve` and `deny` answer it";
        return Failure::usage(format!("{id} is a review, and this is done with jobs"), hint);
    }
    Failure::usage(format!("`{target}` is no job"), "this verb takes job numbers: 42 or 40_7")
}

/// Elements have consecutive numbers, so the right one is nearly always found at once.
async fn element(link: &dyn Link, array: JobId, index: u32) -> Result<JobRow, Failure> {
    let first = link.job(array).await?.row;
    let missing =
        |why: &str| Failure::new(NOT_FOUND, format!("there is no {array}_{index}; {why}"), "");
    let Some(place) = first.array else {
        return Err(missing(&format!("{array} is not an array")));
    };
    if place.id != array {
        return Err(missing(&format!("{array} is an element of array {}", place.id)));
    }
    if let Some(offset) = index.checked_sub(place.index) {
        let guess = JobId(array.0.saturating_add(u64::from(offset)));
        if let Ok(detail) = link.job(guess).await
            && is_element(&detail.row, array, index)
        {
            return Ok(detail.row);
        }
    }
    let rows = every(link, &format!("array={array}"), Ended::All).await?;
    let found = rows.into_iter().find(|row| is_element(row, array, index));
    found.ok_or_else(|| missing("the array has no such index"))
}

fn is_element(row: &JobRow, array: JobId, index: u32) -> bool {
    row.array.is_some_and(|place| place.id == array && place.index == index)
}

/// The jobs a target names: all elements for the number of an array.
///
/// # Errors
/// As [`one`].
pub async fn expand(
    link: &dyn Link,
    target: &Target,
    ended: Ended,
) -> Result<Vec<JobRow>, Failure> {
    let row = one(link, target).await?;
    let whole = matches!(target, Target::Job(id) if row.array.is_some_and(|a| a.id == *id));
    if !whole {
        return Ok(vec![row]);
    }
    let rows = every(link, &format!("array={}", row.id), ended).await?;
    // An array that is over is named all the same, so that the refusal can say so.
    Ok(if rows.is_empty() { vec![row] } else { rows })
}

/// The jobs that are meant; `ended` says which ended ones count where an array or a filter is
/// meant.
///
/// # Errors
/// As [`one`]; [`NOT_FOUND`] when a filter matches nothing.
pub async fn resolve(link: &dyn Link, which: &Many, ended: Ended) -> Result<Hit, Failure> {
    let mut rows: Vec<JobRow> = Vec::new();
    if let Some(filter) = &which.filter {
        rows = every(link, filter, ended).await?;
        if rows.is_empty() {
            return Err(Failure::new(
                NOT_FOUND,
                format!("no live job matches `{filter}`"),
                "`holdshort ls FILTER` shows what a filter matches",
            ));
        }
    }
    let mut implied = which.filter.is_some();
    for target in &which.targets {
        let named = expand(link, target, ended).await?;
        implied |= named.len() > 1;
        rows.extend(named);
    }
    let mut seen = std::collections::BTreeSet::new();
    rows.retain(|row| seen.insert(row.id));
    Ok(Hit { rows, many: which.filter.is_some() || which.targets.len() > 1, implied })
}

/// Lets a person say that so many jobs are meant; with `--yes` nobody is asked.
///
/// # Errors
/// [`NEEDS_YES`] without a terminal, or another answer than the number of jobs.
pub fn confirm(output: Output, hit: &Hit, verb: &str, yes: bool) -> Result<(), Failure> {
    let count = hit.rows.len();
    // A filter may hit another job than the one that was meant, even if it hits only one.
    let certain = !hit.many || (count < 2 && !hit.implied);
    if certain || yes {
        return Ok(());
    }
    for line in named(hit) {
        output.note(&line);
    }
    if !output::can_ask() {
        return Err(Failure::new(
            NEEDS_YES,
            format!("{} meant and there is no terminal to ask on", jobs_are(count)),
            format!("add --yes to {verb} {}", if count == 1 { "it" } else { "them all" }),
        ));
    }
    let them = if count == 1 { "it, type 1" } else { "them, type how many they are" };
    let answer = output::ask(&format!("To {verb} {them} ({count}): "))?;
    if answer.trim() == count.to_string() {
        return Ok(());
    }
    Err(Failure::new(NEEDS_YES, "not confirmed; nothing was changed", ""))
}

fn jobs_are(count: usize) -> String {
    if count == 1 { "1 job is".to_owned() } else { format!("{count} jobs are") }
}

fn named(hit: &Hit) -> Vec<String> {
    let line = |row: &JobRow| format!("  {} {} {}", row.id, sanitise(&row.name), row.word());
    let mut lines: Vec<String> = hit.rows.iter().take(NAMED_MAX).map(line).collect();
    if hit.rows.len() > NAMED_MAX {
        lines.push(format!("  … and {} more", hit.rows.len() - NAMED_MAX));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::{Scripted, row};
    use crate::model::job::ArrayPlace;

    /// Job 1, and an array of 10 (indices 5, 6, 9) whose numbers are 10, 11, 12.
    fn link() -> Scripted {
        let link = Scripted::default();
        link.put(row(1));
        for (id, index) in [(10, 5), (11, 6), (12, 9)] {
            let place = ArrayPlace { id: JobId(10), index, throttle: None };
            link.put(JobRow { array: Some(place), ..row(id) });
        }
        link
    }

    async fn ids(words: &[&str], filter: Option<&str>) -> Result<Vec<u64>, Failure> {
        let which = Many {
            targets: words.iter().map(|word| word.parse().unwrap()).collect(),
            filter: filter.map(str::to_owned),
            yes: false,
        };
        let hit = resolve(&link(), &which, Ended::None).await?;
        Ok(hit.rows.iter().map(|row| row.id.0).collect())
    }

    #[tokio::test]
    async fn a_number_is_a_job_an_array_or_an_element() {
        assert_eq!(ids(&["1"], None).await, Ok(vec![1]));
        assert_eq!(ids(&["10"], None).await, Ok(vec![10, 11, 12]));
        assert_eq!(ids(&["11"], None).await, Ok(vec![11]));
        assert_eq!(ids(&["10_5"], None).await, Ok(vec![10]));
        assert_eq!(
            ids(&["10_9"], None).await,
            Ok(vec![12]),
            "its number does not follow its index"
        );
        assert_eq!(ids(&["10_6", "11", "1"], None).await, Ok(vec![11, 1]), "each once");
        assert_eq!(ids(&[], Some("array=10")).await, Ok(vec![10, 11, 12]));
    }

    #[tokio::test]
    async fn what_does_not_exist_is_not_found() {
        for words in [["2"], ["10_7"], ["1_0"], ["11_6"]] {
            assert_eq!(ids(&words, None).await.unwrap_err().code, NOT_FOUND, "{words:?}");
        }
        assert_eq!(ids(&[], Some("array=99")).await.unwrap_err().code, NOT_FOUND);
        assert_eq!(ids(&["team:ml"], None).await.unwrap_err().code, crate::cli::exit::USAGE);
    }

    #[test]
    fn many_jobs_need_a_yes_where_nobody_can_be_asked() {
        let rows = vec![row(1), row(2)];
        let many = Hit { rows: rows.clone(), many: true, implied: false };
        let asked = |hit: &Hit, yes| confirm(Output::default(), hit, "cancel", yes);
        if !output::can_ask() {
            assert_eq!(asked(&many, false).unwrap_err().code, NEEDS_YES);
        }
        assert_eq!(asked(&many, true), Ok(()));
        let filtered = Hit { rows: vec![row(1)], many: true, implied: true };
        if !output::can_ask() {
            let failure = asked(&filtered, false).unwrap_err();
            assert_eq!(failure.code, NEEDS_YES);
            assert!(failure.what.starts_with("1 job is meant"), "{failure:?}");
        }
        assert_eq!(
            asked(&Hit { rows, many: false, implied: true }, false),
            Ok(()),
            "a whole array is one target"
        );
    }
}
