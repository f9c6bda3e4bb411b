//! Words that this version does not know: verbs and options that are planned, and other tools'
//! habits. Each is a usage error with an answer, never ignored.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::target::Target;
use super::exit::Failure;
use crate::base::nearest;
use crate::base::text::sanitise;

/// Verbs of the contract that this version does not have.
pub const VERBS: &[&str] = &[
    "adopt",
    "budgets",
    "context",
    "costs",
    "diff",
    "do",
    "hook",
    "invoice",
    "mcp",
    "prices",
    "report",
    "spawn",
    "templates",
    "tls",
    "token",
    "user",
    "watch",
];

/// Options of the contract that this version does not have.
pub const OPTIONS: &[&str] = &["--engine", "--focus", "--listen", "--worktree"];

/// Verbs of other tools, our line for each, and what its `{}` stands for.
pub const OTHERS: &[(&str, &str, &str)] = &[
    ("squeue", "holdshort ls", ""),
    ("sinfo", "holdshort nodes", ""),
    ("sacct", "holdshort ls --all", ""),
    ("scancel", "holdshort cancel {}", "42"),
    ("sbatch", "holdshort submit {}", "FILE"),
    ("srun", "holdshort run -- {}", "CMD"),
    ("scontrol", "holdshort show 42, holdshort set 42 priority=300", ""),
    ("kill", "holdshort cancel {}", "42"),
    ("ps", "holdshort ls", ""),
    ("rm", "holdshort cancel {}", "42"),
    ("tail", "holdshort logs {} -f", "42"),
    ("describe", "holdshort show {}", "42"),
];

/// Words that later versions take after a verb which is here.
const NESTED: &[(&str, &str)] = &[("lab", "compare")];

/// What a command line that clap refused should have been; `rest` is what was typed after the
/// program's name.
pub fn explain(error: &clap::Error, rest: &[OsString]) -> Failure {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let at = Reached::by(error);
    let failure = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            context(ContextKind::InvalidSubcommand).map(|word| at.no_word(&word, rest))
        }
        ErrorKind::UnknownArgument => {
            let argument = context(ContextKind::InvalidArg);
            let argument = argument.filter(|argument| argument.starts_with('-'));
            argument.map(|argument| option(&argument).unwrap_or_else(|| at.no_option(&argument)))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Some(Failure::usage("a word is missing", at.one_of()))
        }
        ErrorKind::ValueValidation => value(error),
        _ => None,
    };
    failure.unwrap_or_else(|| in_our_words(error))
}

/// The verb whose line was refused.
struct Reached {
    command: clap::Command,
    /// `submit`, `server stop`; empty for no verb.
    path: Vec<String>,
}

impl Reached {
    /// Clap says where it was by its usage line.
    fn by(error: &clap::Error) -> Reached {
        let text = error.render().to_string();
        let usage = text.lines().find_map(|line| line.trim().strip_prefix("Usage: holdshort "));
        // The header of a script has the options of `submit` and no usage of its own.
        let usage = usage.or((error.kind() == ErrorKind::UnknownArgument).then_some("submit"));
        let mut command = super::verbs::help::whole();
        command.build();
        let mut path = Vec::new();
        for word in usage.unwrap_or_default().split_whitespace() {
            let Some(next) = command.find_subcommand(word).cloned() else { break };
            command = next;
            path.push(word.to_owned());
        }
        Reached { command, path }
    }

    fn no_word(&self, word: &str, rest: &[OsString]) -> Failure {
        let names = || self.command.get_subcommands().map(clap::Command::get_name);
        let near = nearest(word, names()).map(|near| format!("did you mean `{near}`?"));
        let Some(verb_here) = self.path.first() else {
            if names().any(|name| name == word) {
                let what = format!("`{word}` is a verb of its own and does not belong there");
                return Failure::usage(what, "`holdshort help VERB` lists the words of a verb");
            }
            let what = format!("there is no verb `{word}`");
            let lists = || "`holdshort help all` lists the verbs".to_owned();
            return verb_with(word, rest)
                .unwrap_or_else(|| Failure::usage(what, near.unwrap_or_else(lists)));
        };
        if NESTED.contains(&(verb_here, word)) {
            let what = format!("this version does not have `{verb_here} {word}` yet");
            return Failure::usage(what, self.one_of());
        }
        let what = format!("`{word}` is no word of `{}`", self.path.join(" "));
        Failure::usage(what, near.unwrap_or_else(|| self.one_of()))
    }

    fn no_option(&self, argument: &str) -> Failure {
        let name = argument.split('=').next().unwrap_or(argument);
        if name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
            return Failure::usage(format!("`{name}` is less than nothing"), "");
        }
        let of = match self.path.is_empty() {
            true => String::new(),
            false => format!(" of `{}`", self.path.join(" ")),
        };
        let what = format!("`{name}` is no option{of}");
        let longs = self.command.get_arguments().filter_map(clap::Arg::get_long);
        let near = nearest(name.trim_start_matches('-'), longs);
        let help = || {
            let verb = [&["holdshort".to_owned()], self.path.as_slice()].concat().join(" ");
            format!("`{verb} --help` lists them")
        };
        Failure::usage(what, near.map_or_else(help, |near| format!("did you mean --{near}?")))
    }

    /// The words that may follow.
    fn one_of(&self) -> String {
        let words = self.command.get_subcommands().map(clap::Command::get_name);
        let words: Vec<&str> = words.filter(|word| *word != "help").collect();
        format!("holdshort {} {}", self.path.join(" "), words.join("|"))
    }
}

/// The answer to a verb that is not here, if it is known at all.
pub fn verb(word: &str) -> Option<Failure> {
    verb_with(word, &[])
}

fn verb_with(word: &str, rest: &[OsString]) -> Option<Failure> {
    if let Some((theirs, ours, example)) = OTHERS.iter().find(|(theirs, ..)| *theirs == word) {
        let what = format!("`{theirs}` is another tool's verb");
        let typed = typed_after(word, rest);
        let line = ours.replace("{}", typed.as_deref().unwrap_or(example));
        return Some(Failure::usage(what, format!("here it is: {line}")));
    }
    if VERBS.contains(&word) {
        let what = format!("this version does not have `{word}` yet");
        return Some(Failure::usage(what, "`holdshort help all` lists what it has"));
    }
    match word.parse::<Target>() {
        Ok(target) => {
            let what = format!("`{word}` is no verb; alone it opens the console there");
            Some(Failure::usage(what, look_at(&target)))
        }
        Err(_) => None,
    }
}

/// The words after another tool's verb, unless there are options among them: those are not ours.
fn typed_after(verb: &str, rest: &[OsString]) -> Option<String> {
    let at = rest.iter().position(|word| word == verb)?;
    let words: Option<Vec<&str>> = rest[at + 1..].iter().map(|word| word.to_str()).collect();
    let words = words.filter(|words| !words.is_empty())?;
    let plain = |word: &&str| {
        let safe = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
        !word.starts_with('-') && word.chars().all(safe)
    };
    words.iter().all(plain).then(|| words.join(" "))
}

/// The line that shows what the console would.
fn look_at(target: &Target) -> String {
    match target {
        Target::Job(_) | Target::Element(..) | Target::Review(_) => {
            format!("`holdshort show {target}` shows it")
        }
        Target::Team(team) => format!("`holdshort ls team={team}` lists its jobs"),
        Target::Node(node) => format!("`holdshort ls node={node}` lists its jobs"),
        Target::All => "`holdshort ls` lists all jobs".to_owned(),
    }
}

fn option(argument: &str) -> Option<Failure> {
    let name = argument.split(['=', ' ']).next().unwrap_or(argument);
    OPTIONS.contains(&name).then(|| {
        let what = format!("this version does not have `{name}` yet, so it cannot be honoured");
        Failure::usage(what, "leave it out; `holdshort submit --help` lists the options there are")
    })
}

/// A value that cannot be read: its own reason says all, clap's frame repeats it.
fn value(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let why = std::error::Error::source(error)?.to_string();
    let why = sanitise(&why);
    Some(match argument.split([' ', '=']).next().filter(|name| name.starts_with("--")) {
        Some(name) => Failure::usage(format!("{name}: {why}"), ""),
        None => Failure::usage(why, ""),
    })
}

/// The first line of clap's message, and its tip or usage as the hint.
fn in_our_words(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("the command line makes no sense");
    let mut what = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    let mut hint = String::new();
    for line in lines {
        if let Some(tip) = line.strip_prefix("tip: ") {
            if hint.is_empty() {
                tip.clone_into(&mut hint);
            }
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            if hint.is_empty() {
                hint = format!("usage: {usage}");
            }
        } else if what.ends_with(':') {
            // The names of what is missing stand on lines of their own.
            what = format!("{what} {line}");
        } else if line.starts_with('[') && hint.is_empty() {
            line.trim_matches(['[', ']']).clone_into(&mut hint);
        }
    }
    Failure::usage(what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit::USAGE;
    use crate::cli::tree::Cli;
    use clap::Parser;

    fn failure(words: &[&str]) -> Failure {
        let typed: Vec<OsString> = words.iter().map(OsString::from).collect();
        let words = ["holdshort"].iter().chain(words);
        explain(&Cli::try_parse_from(words).expect_err("it must be refused"), &typed)
    }

    #[test]
    fn verbs_of_later_versions_are_refused_by_name() {
        for word in VERBS {
            let failure = failure(&[word, "x"]);
            assert_eq!(failure.code, USAGE, "{word}");
            assert!(failure.what.contains("does not have"), "{word}: {}", failure.what);
        }
    }

    #[test]
    fn options_of_later_versions_are_refused_wherever_a_job_is_described() {
        for word in OPTIONS {
            for verb in ["submit", "run"] {
                let failure = failure(&[verb, word, "--", "true"]);
                assert_eq!(failure.code, USAGE, "{word}");
                assert!(failure.what.contains("does not have"), "{word}: {}", failure.what);
            }
        }
        assert!(failure(&["submit", "--engine=ray", "--", "true"]).what.contains("--engine"));
        assert!(failure(&["again", "42", "--worktree"]).what.contains("--worktree"));
    }

    #[test]
    fn other_tools_verbs_are_answered_with_our_line() {
        for (theirs, ours, example) in OTHERS {
            let failure = failure(&[theirs, "-u", "me"]);
            assert_eq!(failure.code, USAGE);
            let ours = ours.replace("{}", example);
            assert!(failure.hint.contains(&ours), "{theirs}: {}", failure.hint);
        }
        assert!(failure(&["scancel", "7", "8"]).hint.ends_with("holdshort cancel 7 8"));
        assert!(failure(&["--json", "tail", "7"]).hint.ends_with("holdshort logs 7 -f"));
        assert!(failure(&["sbatch", "run.sh"]).hint.ends_with("holdshort submit run.sh"));
    }

    #[test]
    fn a_typo_gets_the_nearest_word_and_a_bad_value_its_reason() {
        assert!(failure(&["sbumit"]).hint.contains("submit"));
        assert!(failure(&["submit", "--prioity", "3", "--", "x"]).hint.contains("--priority"));
        assert!(failure(&["submit", "--mem", "400m", "--", "x"]).what.starts_with("--mem: "));
        assert!(!failure(&["submit", "--name", "a\nb", "--", "x"]).what.contains('\n'));
        assert!(failure(&["submit", "--cpu", "-1", "--", "x"]).what.contains("less than nothing"));
        assert!(failure(&["submit", "--min", "2", "--", "x"]).what.contains("--gang"));
        assert_eq!(failure(&["submit", "--gup", "1", "--", "x"]).hint, "did you mean --gpu?");
        let nothing_near = failure(&["submit", "--frobnicate", "--", "x"]);
        assert_eq!(nothing_near.what, "`--frobnicate` is no option of `submit`");
        assert!(nothing_near.hint.contains("submit --help"));
        assert_eq!(failure(&["frobnicate"]).what, "there is no verb `frobnicate`");
    }

    #[test]
    fn a_word_that_is_missing_or_wrong_behind_a_verb_gets_those_there_are() {
        assert_eq!(failure(&["server"]).hint, "holdshort server start|stop|status|restart");
        assert_eq!(failure(&["server", "kill"]).what, "`kill` is no word of `server`");
        assert_eq!(failure(&["server", "stpo"]).hint, "did you mean `stop`?");
        assert!(failure(&["lab", "compare"]).what.contains("does not have `lab compare`"));
    }

    #[test]
    fn what_the_console_would_open_is_shown_another_way() {
        assert!(failure(&["42"]).hint.contains("show 42"));
        assert!(failure(&["team:ml"]).hint.contains("ls team=ml"));
        assert!(failure(&["R17"]).hint.contains("show R17"));
    }
}
