//! Options in the first comment lines of a script: `#HOLDSHORT --cpu 2`, `#SBATCH -c 2`.

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::cli::args::options::Options;
use crate::cli::args::{sbatch, words};
use crate::cli::exit::Failure;
use crate::cli::later;

/// Bytes at the beginning of a script in which headers are looked for.
pub const HEADER_BYTES: usize = 64 * 1024;

/// What the header of a script says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The options.
    pub options: Options,
    /// A sentence for each line that has no meaning here.
    pub warnings: Vec<String>,
}

/// Options alone, as clap reads them.
#[derive(Debug, Parser)]
#[command(name = "header", no_binary_name = true, disable_help_flag = true)]
#[command(args_override_self = true)]
struct Line {
    #[command(flatten)]
    options: Options,
}

/// Reads the comment lines before a script's first command. `#HOLDSHORT` wins over `#SBATCH`.
///
/// # Errors
/// A usage failure that names the line: an option that does not exist or makes no sense.
pub fn read(script: &[u8]) -> Result<Header, Failure> {
    let text = String::from_utf8_lossy(&script[..script.len().min(HEADER_BYTES)]);
    let mut ours = Options::default();
    let mut slurm: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if !line.is_empty() && !line.starts_with('#') {
            break;
        }
        if let Some(rest) = directive(line, "#HOLDSHORT") {
            let mut line = parse(&split(rest, at)?, at)?;
            line.wishes = line.wishes.after(ours.wishes.clone());
            ours = line.over(ours);
        } else if let Some(rest) = directive(line, "#SBATCH") {
            slurm.extend(split(rest, at)?);
        }
    }
    let translated = sbatch::translate(&slurm);
    let options = ours.over(parse_words(&translated.words).map_err(|problem| {
        Failure::usage(format!("the #SBATCH lines do not make sense; {problem}"), "")
    })?);
    Ok(Header { options, warnings: translated.warnings })
}

/// What follows `keyword` and a blank.
fn directive<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(keyword)?;
    rest.starts_with([' ', '\t']).then_some(rest)
}

fn split(rest: &str, at: usize) -> Result<Vec<String>, Failure> {
    words::split(rest).map_err(|problem| Failure::usage(format!("line {}: {problem}", at + 1), ""))
}

fn parse(words: &[String], at: usize) -> Result<Options, Failure> {
    parse_words(words).map_err(|problem| Failure::usage(format!("line {}: {problem}", at + 1), ""))
}

fn parse_words(words: &[String]) -> Result<Options, String> {
    if words.is_empty() {
        return Ok(Options::default());
    }
    let read = Line::command()
        .try_get_matches_from(words)
        .and_then(|matches| Line::from_arg_matches(&matches));
    read.map(|line| line.options).map_err(|error| {
        let failure = later::explain(&error, &[]);
        [failure.what, failure.hint].join("; ").trim_end_matches("; ").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_up_to_the_first_command() {
        let script = b"#!/bin/sh\n# a comment\n\n#HOLDSHORT --cpu 2 --mem 4Gi\n\
            #HOLDSHORT --name 'two words' --label a=b --label c\necho\n#HOLDSHORT --cpu 9\n";
        let header = read(script).unwrap();
        assert_eq!(header.options.cpu, Some(2000));
        assert_eq!(header.options.mem, Some(4 << 30));
        assert_eq!(header.options.name.as_deref(), Some("two words"));
        assert_eq!(header.options.label.len(), 2);
        assert_eq!(header.warnings, [] as [&str; 0]);
    }

    #[test]
    fn a_later_line_wins_and_ours_wins_over_slurms() {
        let script = b"#SBATCH -c 4 -J slurm\n#HOLDSHORT --cpu 1\n#HOLDSHORT --cpu 3\n";
        let header = read(script).unwrap();
        assert_eq!(header.options.cpu, Some(3000));
        assert_eq!(header.options.name.as_deref(), Some("slurm"));
    }

    #[test]
    fn the_command_line_wins_over_the_header() {
        let header = read(b"#HOLDSHORT --cpu 2 --priority 700 --label a=1\n").unwrap();
        let typed = parse_words(&["--tier", "batch", "--label", "b=2"].map(String::from)).unwrap();
        let merged = typed.over(header.options);
        assert_eq!(merged.cpu, Some(2000));
        assert_eq!(merged.priority, None, "a tier that was typed beats a priority in the file");
        assert_eq!(merged.label, [("a".into(), "1".into()), ("b".into(), "2".into())]);
    }

    #[test]
    fn groups_of_the_command_line_are_all_there_are() {
        let script = b"#HOLDSHORT --group 'head: cpu=2' --group-set s --preemptible --spot\n\
            #HOLDSHORT --group 'work: size=2 in=s'\n";
        let header = read(script).unwrap().options.wishes;
        assert!(header.preemptible && header.spot);
        assert_eq!((header.group.len(), header.group_set.len()), (2, 1), "a later line adds");
        let typed = parse_words(&["--no-preemptible", "--group", "x"].map(String::from)).unwrap();
        let merged = typed.wishes.over(header);
        assert!(!merged.preemptible && merged.no_preemptible && merged.spot);
        assert_eq!((merged.group.len(), merged.group_set.len()), (1, 0));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named() {
        let what = |script: &[u8]| read(script).unwrap_err().what;
        assert!(what(b"#!/bin/sh\n#HOLDSHORT --cpu lots\n").starts_with("line 2:"));
        assert!(what(b"#HOLDSHORT --worktree\n").contains("does not have"));
        assert!(what(b"#HOLDSHORT --nonsense\n").contains("--nonsense"));
        assert!(what(b"#HOLDSHORT --gup 1\n").contains("did you mean --gpu?"));
        assert!(what(b"#HOLDSHORT --name 'x\n").contains("not closed"));
        assert!(what(b"#HOLDSHORT build.sh\n").contains("build.sh"));
        assert_eq!(read(b"#HOLDSHORTER --cpu x\n").unwrap(), Header::default());
        assert_eq!(read(b"\xff\xfe\x00").unwrap(), Header::default());
    }
}
