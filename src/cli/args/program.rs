//! Options and words become submissions: the last step before a job is sent.

use std::path::{Path, PathBuf};

use crate::base::{Wall, moment};
use crate::cli::args::environment::{self, Gathered};
use crate::cli::args::options::Options;
use crate::cli::exit::Failure;
use crate::model::Resources;
use crate::model::program::Environment;
use crate::model::submission::{Submission, Wishes};

/// What the command line knows of its surroundings.
pub struct Surroundings<'a> {
    /// The caller's directory.
    pub cwd: PathBuf,
    /// The time of day.
    pub now: Wall,
    /// The caller's environment.
    pub environment: &'a dyn environment::Source,
}

/// A submission without its command, and the variables that were left out.
///
/// The jobs of `options.after` are left to whoever can look them up. For a copy (`again`)
/// directory and environment stay empty unless something was said about them, which keeps the
/// copied ones.
///
/// # Errors
/// A usage failure for values that make no sense here and now.
pub fn submission(
    options: &Options,
    around: &Surroundings<'_>,
    copy: bool,
) -> Result<(Submission, Vec<String>), Failure> {
    let env_said = options.clean_env || !options.env.is_empty();
    let Gathered { environment, not_text } = if copy && !env_said {
        Gathered::default()
    } else {
        environment::gather(around.environment, &options.env, options.clean_env)
            .map_err(|problem| Failure::usage(problem, ""))?
    };
    let submission = Submission {
        cwd: directory(options, around, copy)?,
        env: environment,
        start_at: time("start-at", options.start_at.as_deref(), around)?,
        wishes: wishes(options, around)?,
        ..plain(options)
    };
    let way_back = copy || submission.requeue || submission.resumable;
    for (asked, option) in [
        (submission.wishes.preemptible == Some(true), "preemptible"),
        (submission.wishes.spot, "spot"),
    ] {
        if asked && !way_back {
            let what = format!("--{option} needs a way back after the job was stopped for others");
            return Err(Failure::usage(what, "--requeue from the beginning, or --resumable"));
        }
    }
    if submission.gang.is_some_and(|gang| submission.min.is_some_and(|min| min > gang)) {
        return Err(Failure::usage("--min is more than --gang", "--gang 8 --min 4"));
    }
    Ok((submission, not_text))
}

/// The fields that only need copying.
fn plain(options: &Options) -> Submission {
    Submission {
        name: options.name.clone(),
        team: options.team.clone(),
        tier: options.tier,
        priority: options.priority,
        cpu_milli: options.cpu,
        mem_bytes: options.mem,
        gpu_milli: options.gpu,
        custom: options.resource.iter().cloned().collect(),
        gang: options.gang,
        min: options.min,
        array: options.array.clone(),
        estimate: options.estimate,
        time_limit: options.time_limit,
        grace: options.grace,
        warn: options.warn_signal,
        requeue: options.requeue,
        resumable: options.resumable,
        retry: options.retry.unwrap_or(0),
        labels: options.label.iter().cloned().collect(),
        must_fit: options.must_fit,
        hard: options.hard,
        pty: options.tty || options.wishes.interactive,
        ..Submission::default()
    }
}

fn directory(options: &Options, around: &Surroundings<'_>, copy: bool) -> Result<String, Failure> {
    let path = match &options.cwd {
        None if copy => return Ok(String::new()),
        None => around.cwd.clone(),
        Some(given) => {
            let path = around.cwd.join(given);
            if !path.is_dir() {
                let what = format!("there is no directory {}", path.display());
                return Err(Failure::usage(what, "--cwd takes a directory that exists"));
            }
            std::path::absolute(&path).unwrap_or(path)
        }
    };
    text_of(&path)
}

fn text_of(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let what = format!("the directory {} is not UTF-8 text", path.display());
        Failure::usage(what, "start from another directory or give --cwd DIR")
    })
}

/// What was said about scheduling.
fn wishes(options: &Options, around: &Surroundings<'_>) -> Result<Wishes, Failure> {
    let asked = &options.wishes;
    let deadline = time("deadline", asked.deadline.as_deref(), around)?;
    if deadline.is_some_and(|deadline| deadline <= around.now) {
        return Err(Failure::usage("--deadline is over already", "--deadline +2h"));
    }
    let wishes = asked.wishes(deadline);
    let groups = wishes.groups.as_ref().map(|groups| groups.over(&Resources::default()));
    match groups.and_then(|groups| groups.problem()) {
        Some(problem) => Err(Failure::usage(problem, "--group 'worker: size=4 gpu=1 in=SET'")),
        None => Ok(wishes),
    }
}

fn time(
    option: &str,
    text: Option<&str>,
    around: &Surroundings<'_>,
) -> Result<Option<Wall>, Failure> {
    let parse = |text: &str| moment::parse(text, around.now, &chrono::Local);
    let said = text.map(parse).transpose();
    said.map_err(|problem| Failure::usage(format!("--{option}: {problem}"), ""))
}

/// Arguments as text, and small enough to be executed with this environment.
///
/// # Errors
/// A usage failure.
pub fn argv(words: &[std::ffi::OsString], env: &Environment) -> Result<Vec<String>, Failure> {
    let text = |word: &std::ffi::OsString| {
        word.to_str().filter(|text| !text.contains('\0')).map(str::to_owned).ok_or_else(|| {
            let what = format!("the argument {} is not UTF-8 text", word.display());
            Failure::usage(what, "put it into a script")
        })
    };
    let argv = words.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    if argv.first().is_none_or(String::is_empty) {
        return Err(Failure::usage("there is no command", "holdshort submit -- ./agent.sh"));
    }
    fits(&argv, env)?;
    Ok(argv)
}

/// Refuses what could not be executed.
///
/// # Errors
/// A usage failure with the sizes.
pub fn fits(argv: &[String], env: &Environment) -> Result<(), Failure> {
    environment::check_size(argv, env).map_err(|problem| Failure::usage(problem, ""))
}

/// The command that runs a script: itself if it is executable, else the interpreter of its first
/// line, else `sh`. The script is run from where it lies.
pub fn of_script(path: &str, executable: bool, content: &[u8]) -> Vec<String> {
    if executable {
        return vec![path.to_owned()];
    }
    let first = content.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(first).unwrap_or_default();
    let interpreter = line.strip_prefix("#!").map(str::trim).filter(|rest| !rest.is_empty());
    let mut argv: Vec<String> = match interpreter {
        None => vec!["sh".to_owned()],
        // As the kernel does it: one interpreter and at most one argument.
        Some(rest) => rest.splitn(2, [' ', '\t']).map(|word| word.trim().to_owned()).collect(),
    };
    argv.push(path.to_owned());
    argv
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::ffi::OsString;

    struct Nothing;
    impl environment::Source for Nothing {
        fn all(&self) -> Vec<(OsString, OsString)> {
            vec![("A".into(), "1".into())]
        }
    }

    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Only {
        #[command(flatten)]
        options: Options,
    }

    fn parsed(words: &[&str], copy: bool) -> Result<Submission, Failure> {
        let options = Only::try_parse_from(words).unwrap().options;
        let around = Surroundings { cwd: "/".into(), now: Wall(0), environment: &Nothing };
        submission(&options, &around, copy).map(|(submission, _)| submission)
    }

    #[test]
    fn a_plain_submission_takes_directory_and_environment_from_here() {
        let submission = parsed(&[], false).unwrap();
        assert_eq!(submission.cwd, "/");
        assert_eq!(submission.env.names().collect::<Vec<_>>(), ["A"]);
    }

    #[test]
    fn a_copy_keeps_directory_and_environment_unless_something_is_said() {
        let copy = parsed(&["--cpu", "2"], true).unwrap();
        assert_eq!(copy, Submission { cpu_milli: Some(2000), ..Submission::default() });
        let changed = parsed(&["--cwd", ".", "--env", "B=2"], true).unwrap();
        assert_eq!(changed.cwd, "/");
        assert_eq!(changed.env.names().collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn what_makes_no_sense_here_and_now_is_refused_with_2() {
        for words in [
            ["--cwd", "/no/such/directory"].as_slice(),
            &["--gang", "2", "--min", "3"],
            &["--start-at", "soon"],
            &["--env", "SSH_AUTH_SOCK"],
        ] {
            assert_eq!(
                parsed(words, false).unwrap_err().code,
                crate::cli::exit::USAGE,
                "{words:?}"
            );
        }
    }

    #[test]
    fn a_script_is_run_by_itself_its_interpreter_or_sh() {
        let argv = |executable, content: &[u8]| of_script("/s", executable, content).join(" ");
        assert_eq!(argv(true, b"#!/bin/bash\n"), "/s");
        assert_eq!(argv(false, b"#!/bin/bash -eu -x\n"), "/bin/bash -eu -x /s");
        assert_eq!(of_script("/s", false, b"#! /bin/bash -eu -x").len(), 3);
        assert_eq!(argv(false, b"#!\necho"), "sh /s");
        assert_eq!(argv(false, b"echo"), "sh /s");
    }
}
