//! Words that this version does not know: verbs and options that are planned, and other tools'
//! habits. Each is a usage error with an answer, never ignored.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::exit::Failure;

/// Verbs of the contract that this version does not have.
pub const VERBS: &[&str] = &[
    "adopt",
    "approve",
    "ask",
    "ask-back",
    "audit",
    "budgets",
    "conform",
    "context",
    "costs",
    "delegate",
    "deny",
    "diff",
    "do",
    "escalate",
    "extend",
    "gate",
    "hook",
    "invoice",
    "lab",
    "mcp",
    "plan",
    "policy",
    "preempt",
    "prices",
    "quota",
    "redeem",
    "report",
    "reviews",
    "revoke",
    "scale",
    "spawn",
    "team",
    "teams",
    "templates",
    "tls",
    "token",
    "user",
    "watch",
    "withdraw",
];

/// Options of the contract that this version does not have.
pub const OPTIONS: &[&str] = &[
    "--deadline",
    "--engine",
    "--focus",
    "--idle-timeout",
    "--interactive",
    "--listen",
    "--may-ask",
    "--no-preemptible",
    "--node-label",
    "--now",
    "--preemptible",
    "--service",
    "--spot",
    "--worktree",
];

/// Verbs of other tools, and our line for each.
pub const OTHERS: &[(&str, &str)] = &[
    ("squeue", "holdshort ls"),
    ("sinfo", "holdshort nodes"),
    ("sacct", "holdshort ls --all"),
    ("scancel", "holdshort cancel 42"),
    ("sbatch", "holdshort submit FILE"),
    ("srun", "holdshort run -- CMD"),
    ("scontrol", "holdshort show 42, holdshort set 42 priority=300"),
    ("kill", "holdshort cancel 42"),
    ("ps", "holdshort ls"),
    ("rm", "holdshort cancel 42"),
    ("tail", "holdshort logs 42 -f"),
    ("describe", "holdshort show 42"),
];

/// What a command line that clap refused should have been.
pub fn explain(error: &clap::Error) -> Failure {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            if let Some(failure) = context(ContextKind::InvalidSubcommand).as_deref().and_then(verb)
            {
                return failure;
            }
        }
        ErrorKind::UnknownArgument => {
            if let Some(failure) = context(ContextKind::InvalidArg).as_deref().and_then(option) {
                return failure;
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return Failure { what: "a word is missing".to_owned(), ..in_our_words(error) };
        }
        _ => {}
    }
    in_our_words(error)
}

/// The answer to a verb that is not here, if it is known at all.
pub fn verb(word: &str) -> Option<Failure> {
    if let Some((theirs, ours)) = OTHERS.iter().find(|(theirs, _)| *theirs == word) {
        let what = format!("`{theirs}` is another tool's verb");
        return Some(Failure::usage(what, format!("here it is: {ours}")));
    }
    if VERBS.contains(&word) {
        let what = format!("this version does not have `{word}` yet");
        return Some(Failure::usage(what, "`holdshort help all` lists what it has"));
    }
    let looks_like_a_target = word.parse::<super::args::target::Target>().is_ok();
    looks_like_a_target.then(|| {
        let what = "this version has no console yet";
        Failure::usage(what, format!("`holdshort show {word}` shows it"))
    })
}

fn option(argument: &str) -> Option<Failure> {
    let name = argument.split(['=', ' ']).next().unwrap_or(argument);
    OPTIONS.contains(&name).then(|| {
        let what = format!("this version does not have `{name}` yet, so it cannot be honoured");
        Failure::usage(what, "leave it out; `holdshort submit --help` lists the options there are")
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
            // The nearest word is worth more than a way to pass a typo on.
            if hint.is_empty() || tip.contains("similar") {
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
        let words = ["holdshort"].iter().chain(words);
        explain(&Cli::try_parse_from(words).expect_err("it must be refused"))
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
        assert!(failure(&["submit", "--deadline=1h", "--", "true"]).what.contains("--deadline"));
        assert!(failure(&["again", "42", "--spot"]).what.contains("--spot"));
        assert!(failure(&["drain", "n1", "--now"]).what.contains("--now"));
    }

    #[test]
    fn other_tools_verbs_are_answered_with_our_line() {
        for (theirs, ours) in OTHERS {
            let failure = failure(&[theirs, "-u", "me"]);
            assert_eq!(failure.code, USAGE);
            assert!(failure.hint.contains(ours), "{theirs}: {}", failure.hint);
        }
    }

    #[test]
    fn a_typo_gets_the_nearest_word_and_a_bad_value_its_reason() {
        assert!(failure(&["sbumit"]).hint.contains("submit"));
        assert!(failure(&["submit", "--prioity", "3", "--", "x"]).hint.contains("--priority"));
        assert!(failure(&["submit", "--mem", "400m", "--", "x"]).what.contains("400m"));
        assert!(failure(&["submit", "--min", "2", "--", "x"]).what.contains("--gang"));
        assert!(failure(&["42"]).hint.contains("show 42"));
    }
}
