//! Workload traces in the Standard Workload Format (SWF, version 2.2).
//!
//! One job a line in 18 columns of numbers, -1 for what is not known; lines that begin with `;`
//! are comments, some of which say what machine it was. Jobs that never ran are left out and
//! counted; what is missing or makes no sense is filled in and counted, or refused with its line.

use std::fmt;

use crate::base::{Mono, Span};

/// Columns of a job.
const COLUMNS: usize = 18;
/// No time in a trace is larger: three centuries, so that no sum of a million of them wraps.
const LONGEST_S: i64 = 10_000_000_000;
/// What every file compressed with gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// By submission; of one second, as they stand in the file.
    pub jobs: Vec<Job>,
    /// `MaxProcs` of the header: processors of the machine.
    pub processors: Option<u32>,
    /// `MaxNodes` of the header, which says nothing about processors.
    pub nodes: Option<u32>,
    /// What was not as it should be.
    pub oddities: Oddities,
}

/// A job that runs when it gets its processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Its number in the trace.
    pub number: u64,
    /// Its line in the file, from 1.
    pub line: usize,
    /// When it was submitted.
    pub submit: Mono,
    /// How long it runs: at least a second.
    pub run: Span,
    /// How long it asks for: at least as long as it runs.
    pub request: Span,
    /// Processors: requested, else allocated.
    pub size: u32,
    /// Whose it is.
    pub user: Option<u32>,
}

/// How many jobs were not as they should be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Left out: no run time, as when it was cancelled while it waited.
    pub never_ran: usize,
    /// Left out: neither requested nor allocated processors.
    pub without_processors: usize,
    /// Nothing requested: the allocated processors are taken.
    pub allocated: usize,
    /// Without requested time: the run time is taken.
    pub without_request: usize,
    /// Ran longer than requested: the run time is taken as the request.
    pub overran: usize,
}

/// Why a trace cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceError {
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.what),
            line => write!(f, "line {line}: {}", self.what),
        }
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// Reads a file's content.
    ///
    /// # Errors
    /// With the first line that is no job: a column is missing, is no whole number, or is out of
    /// range. When there is no job at all.
    pub fn parse(content: &[u8]) -> Result<Trace, TraceError> {
        if content.starts_with(&GZIP) {
            let what = "it is compressed: unpack it with gunzip first".to_owned();
            return Err(TraceError { line: 0, what });
        }
        let mut trace = Trace::default();
        for (line, text) in (1..).zip(content.split(|byte| *byte == b'\n')) {
            let text = text.trim_ascii();
            match text.first() {
                None => {}
                Some(b';') => trace.header(text),
                Some(_) => {
                    let job = trace.job(line, text).map_err(|what| TraceError { line, what })?;
                    trace.jobs.extend(job);
                }
            }
        }
        if trace.jobs.is_empty() {
            let what = match trace.oddities.left_out() {
                0 => "it has no jobs".to_owned(),
                count => format!("none of its {count} jobs ran"),
            };
            return Err(TraceError { line: 0, what });
        }
        // Stable: what was submitted in the same second stays in the order of the file.
        trace.jobs.sort_by_key(|job| job.submit);
        Ok(trace)
    }

    fn header(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let Some((name, value)) = text.trim_start_matches([';', ' ', '\t']).split_once(':') else {
            return;
        };
        let number = value.split_whitespace().next().and_then(|word| word.parse().ok());
        let number = number.filter(|number| *number > 0);
        match name.trim() {
            "MaxProcs" => self.processors = number.or(self.processors),
            "MaxNodes" => self.nodes = number.or(self.nodes),
            _ => {}
        }
    }

    fn job(&mut self, line: usize, text: &[u8]) -> Result<Option<Job>, String> {
        let columns = Columns::of(text)?;
        let (number, submit) = (columns.number(1)?, columns.number(2)?);
        let (run, request) = (columns.number(4)?, columns.number(9)?);
        let (allocated, requested) = (columns.number(5)?, columns.number(8)?);
        let user = u32::try_from(columns.number(12)?).ok();
        let number = u64::try_from(number).map_err(|_| columns.bad(1, "is below zero"))?;
        let submit = seconds(submit).ok_or_else(|| columns.bad(2, "is no time"))?;
        let run = seconds(run.max(0)).ok_or_else(|| columns.bad(4, "is no time"))?;
        let request = seconds(request.max(0)).ok_or_else(|| columns.bad(9, "is no time"))?;
        let oddities = &mut self.oddities;
        if run == 0 {
            oddities.never_ran += 1;
            return Ok(None);
        }
        let (column, size) = if requested > 0 { (8, requested) } else { (5, allocated) };
        if size <= 0 {
            oddities.without_processors += 1;
            return Ok(None);
        }
        let size = u32::try_from(size).map_err(|_| columns.bad(column, "is too much"))?;
        oddities.allocated += usize::from(column == 5);
        oddities.without_request += usize::from(request == 0);
        oddities.overran += usize::from(request != 0 && request < run);
        let (submit, request) = (Mono(submit * 1000), Span::secs(request.max(run)));
        Ok(Some(Job { number, line, submit, run: Span::secs(run), request, size, user }))
    }

    /// The first job that is larger than a machine.
    pub fn larger_than(&self, processors: u32) -> Option<&Job> {
        let large = self.jobs.iter().filter(|job| job.size > processors);
        large.min_by_key(|job| job.line)
    }
}

impl Oddities {
    /// Jobs that are in the file and not in the trace.
    pub fn left_out(&self) -> usize {
        self.never_ran + self.without_processors
    }

    /// Each kind there is, as a sentence.
    pub fn sentences(&self) -> Vec<String> {
        let jobs = |count: usize| if count == 1 { "1 job".into() } else { format!("{count} jobs") };
        let all = [
            (self.never_ran, "left out, which never ran (run time 0 or unknown)"),
            (self.without_processors, "left out, which name no processors"),
            (self.allocated, "without requested processors: the allocated ones are taken"),
            (self.without_request, "without a requested time: the run time is taken"),
            (self.overran, "ran longer than requested: the run time is taken as the request"),
        ];
        let there = all.iter().filter(|(count, _)| *count > 0);
        there.map(|(count, what)| format!("{} {what}", jobs(*count))).collect()
    }
}

fn seconds(value: i64) -> Option<u64> {
    u64::try_from(value).ok().filter(|_| value <= LONGEST_S)
}

/// The words of a line.
struct Columns<'a>([&'a [u8]; COLUMNS]);

impl<'a> Columns<'a> {
    fn of(text: &'a [u8]) -> Result<Columns<'a>, String> {
        let mut columns = [&text[..0]; COLUMNS];
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let mut found = 0;
        for (column, word) in columns.iter_mut().zip(words) {
            (*column, found) = (word, found + 1);
        }
        if found < COLUMNS {
            return Err(format!("{found} columns, where the format has {COLUMNS}"));
        }
        Ok(Columns(columns))
    }

    /// A column, from 1, as the format counts them.
    fn number(&self, column: usize) -> Result<i64, String> {
        let text = std::str::from_utf8(self.0[column - 1]).ok();
        let number = text.and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.bad(column, "is no whole number"))
    }

    fn bad(&self, column: usize, what: &str) -> String {
        let name = match column {
            1 => "job number",
            2 => "submit time",
            4 => "run time",
            5 => "allocated processors",
            8 => "requested processors",
            9 => "requested time",
            _ => "user",
        };
        let value = String::from_utf8_lossy(self.0[column - 1]);
        format!("column {column} ({name}) is \"{value}\", which {what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64, submit: i64, run: i64, procs: [i64; 2], request: i64) -> String {
        let [allocated, requested] = procs;
        let rest = "-1 1 7 -1 -1 -1 -1 -1 -1";
        format!("{number} {submit} -1 {run} {allocated} -1 -1 {requested} {request} {rest}\n")
    }

    fn wrong(text: &str) -> String {
        Trace::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_job_is_read_from_its_columns() {
        let text = format!(
            "; MaxProcs: 100 (of 3 kinds)\r\n;\tMaxNodes: 9\n\n{}",
            line(3, 5, 10, [4, 6], 60)
        );
        let trace = Trace::parse(text.as_bytes()).unwrap();
        assert_eq!((trace.processors, trace.nodes), (Some(100), Some(9)));
        let (run, request) = (Span::secs(10), Span::secs(60));
        let submit = Mono(5000);
        let job = Job { number: 3, line: 4, submit, run, request, size: 6, user: Some(7) };
        assert_eq!(trace.jobs, [job]);
        assert_eq!(trace.oddities, Oddities::default());
    }

    #[test]
    fn what_is_missing_is_filled_in_or_left_out_and_counted() {
        let text = [
            line(1, 9, 10, [4, -1], -1),
            line(2, 5, -1, [4, 4], 60),
            line(3, 5, 0, [4, 4], 60),
            line(4, 5, 10, [-1, 0], 60),
            line(5, 5, 61, [4, 2], 60),
        ];
        let trace = Trace::parse(text.concat().as_bytes()).unwrap();
        let numbers: Vec<_> = trace.jobs.iter().map(|job| (job.number, job.size)).collect();
        assert_eq!(numbers, [(5, 2), (1, 4)], "by submission");
        assert!(trace.jobs.iter().all(|job| job.request == job.run));
        let oddities = trace.oddities;
        assert_eq!((oddities.never_ran, oddities.without_processors), (2, 1));
        assert_eq!((oddities.allocated, oddities.without_request, oddities.overran), (1, 1, 1));
        assert_eq!(oddities.sentences().len(), 5);
        assert_eq!(trace.larger_than(3).map(|job| job.number), Some(1));
        assert_eq!(trace.larger_than(4), None);
    }

    #[test]
    fn order_and_ends_of_lines_change_nothing() {
        let lines =
            [line(2, 5, 10, [4, 4], 60), line(1, 5, 10, [4, 4], 60), line(3, 2, 10, [4, 4], 60)];
        let plain = lines.concat();
        let crossed = plain.replace('\n', "\r\n");
        for text in [plain.trim_end(), &*plain, &*crossed, crossed.trim_end()] {
            let trace = Trace::parse(text.as_bytes()).unwrap();
            let numbers: Vec<u64> = trace.jobs.iter().map(|job| job.number).collect();
            assert_eq!(numbers, [3, 2, 1], "by submission, then as they stand");
        }
        let doubled = format!("{plain}{plain}");
        let trace = Trace::parse(doubled.as_bytes()).unwrap();
        assert_eq!(trace.jobs.len(), 6, "a number that comes twice is two jobs");
    }

    #[test]
    fn what_is_no_job_is_refused_with_its_line() {
        let good = line(1, 0, 1, [1, 1], 1);
        assert_eq!(wrong(&format!("{good}1 2 3\n")), "line 2: 3 columns, where the format has 18");
        assert_eq!(
            wrong(&format!(";\n{}", good.replacen("1 0", "1 noon", 1))),
            "line 2: column 2 (submit time) is \"noon\", which is no whole number"
        );
        assert!(wrong(&line(1, -1, 1, [1, 1], 1)).contains("column 2"));
        assert!(wrong(&line(1, 1 << 60, 1, [1, 1], 1)).contains("column 2"));
        assert!(wrong(&line(1, 1, 1, [1, 1 << 40], 1)).contains("column 8"));
        assert!(wrong(&good.replace("-1 1 7", "-1 1 \u{fc}")).contains("column 12 (user)"));
        assert_eq!(wrong("; Version: 2\n"), "it has no jobs");
        assert_eq!(wrong(&line(1, 0, -1, [1, 1], 1)), "none of its 1 jobs ran");
        let gzip = Trace::parse(&[0x1f, 0x8b, 8]).unwrap_err();
        assert!(gzip.to_string().contains("gunzip"));
    }
}
