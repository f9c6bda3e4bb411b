//! `submit --batch FILE`: one job for each line.

use std::path::Path;

use crate::base::Name;
use crate::cli::args::{program, values};
use crate::cli::exit::Failure;
use crate::model::submission::Submission;

/// Jobs one request may bring.
pub const LINES_MAX: usize = 100_000;

/// The jobs of a file: each line runs by `sh -c`; blank lines and lines that start with `#` are
/// left out. `base` says everything but the command.
///
/// # Errors
/// A usage failure that names the line.
pub fn jobs(content: &str, base: &Submission) -> Result<Vec<Submission>, Failure> {
    let mut jobs = Vec::new();
    for (at, line) in content.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.contains('\0') {
            return Err(Failure::usage(format!("line {} holds a NUL byte", at + 1), ""));
        }
        if jobs.len() == LINES_MAX {
            let what = format!("there are more than {LINES_MAX} lines");
            return Err(Failure::usage(what, "split the file"));
        }
        let argv = ["sh", "-c", line].map(str::to_owned).to_vec();
        program::fits(&argv, &base.env)
            .map_err(|f| Failure::usage(format!("line {}: {}", at + 1, f.what), f.hint))?;
        let name = base.name.clone().or_else(|| shown_name(line));
        jobs.push(Submission { argv, name, ..base.clone() });
    }
    if jobs.is_empty() {
        return Err(Failure::usage("the file holds no command", "write one command on each line"));
    }
    Ok(jobs)
}

/// The first word's own name: all lines run by `sh`, which names nothing.
fn shown_name(line: &str) -> Option<Name> {
    let word = line.split_whitespace().next()?;
    let last = Path::new(word).file_name()?.to_str()?;
    values::name(last).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_job_of_its_own() {
        let base = Submission { cwd: "/d".into(), retry: 2, ..Submission::default() };
        let jobs = jobs("echo 'a  b' | wc\n\n# no\n  ./train.sh 7\r\n", &base).unwrap();
        assert_eq!(jobs.len(), 2);
        assert_eq!(jobs[0].argv, ["sh", "-c", "echo 'a  b' | wc"]);
        assert_eq!(jobs[1].argv, ["sh", "-c", "./train.sh 7"]);
        assert_eq!(jobs[1].name.as_deref(), Some("train.sh"));
        assert!(jobs.iter().all(|job| job.retry == 2 && job.cwd == "/d"));
    }

    #[test]
    fn a_name_that_was_given_is_kept() {
        let base = Submission { name: Some("sweep".into()), ..Submission::default() };
        assert_eq!(jobs("true", &base).unwrap()[0].name.as_deref(), Some("sweep"));
    }

    #[test]
    fn a_file_without_commands_or_with_impossible_ones_is_refused() {
        let base = Submission::default();
        assert!(jobs("\n# nothing\n", &base).is_err());
        assert!(jobs("true\na\0b\n", &base).unwrap_err().what.contains("line 2"));
        assert!(jobs(&"x".repeat(200_000), &base).unwrap_err().what.contains("line 1"));
    }
}
