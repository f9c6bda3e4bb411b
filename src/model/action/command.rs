//! A command line as an action: what `gate` asks for and then runs.
//!
//! Covered are the words, the directory, the executable they mean with a digest of its bytes, what
//! stands behind a wrapper ([`super::wrapped`]) and the files that an interpreter is told to run
//! with theirs, and of the environment only the names that the rule lists. Reading files is left to
//! whoever may.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Action, Amount, Args, FileLine, Json};
use crate::base::{Digest, Name};

/// The kind of such an action.
pub const KIND: &str = "command";

/// What would be run, and from what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The words, the program's first.
    pub argv: Vec<String>,
    /// The directory it runs in.
    pub cwd: String,
    /// The file that would be executed.
    pub executable: FileLine,
    /// Files that it, a wrapper or an interpreter, would run.
    pub scripts: Vec<FileLine>,
    /// The variables that the rule lists; `None` for one that is not set.
    pub env: BTreeMap<Name, Option<String>>,
}

impl CommandLine {
    /// The action of running it. Its target, if none is given, is the executable and where it runs.
    pub fn action(&self, target: Option<String>, amount: Option<Amount>) -> Action {
        let pair = |key: &str, value: Json| (key.to_owned(), value);
        let words = self.argv.iter().map(|word| Json::text(word)).collect();
        let env = self.env.iter().map(|(name, value)| {
            (name.to_string(), value.as_deref().map_or(Json::Null, Json::text))
        });
        let mut pairs = vec![
            pair("argv", Json::List(words)),
            pair("cwd", Json::text(&self.cwd)),
            pair("executable", file(&self.executable)),
        ];
        if !self.scripts.is_empty() {
            pairs.push(pair("scripts", Json::List(self.scripts.iter().map(file).collect())));
        }
        if !self.env.is_empty() {
            pairs.push(pair("env", Json::object(env.collect())));
        }
        let target = target.unwrap_or_else(|| format!("{} in {}", self.executable.path, self.cwd));
        Action {
            kind: KIND.into(),
            tool: None,
            args: Args::Here(Json::object(pairs).canonical()),
            target: Some(target),
            amount,
        }
    }
}

/// What an action of this kind says of what would be run, however its files look now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The words.
    pub argv: Vec<String>,
    /// The directory.
    pub cwd: String,
    /// The variables that are covered.
    pub env: BTreeMap<Name, Option<String>>,
}

impl Said {
    /// Reads it from an action; `None` if that is no command line.
    pub fn of(action: &Action) -> Option<Said> {
        let Args::Here(text) = &action.args else { return None };
        let args = Json::read(text).ok().filter(|_| &*action.kind == KIND)?;
        let Json::List(words) = args.get("argv")? else { return None };
        let argv: Option<Vec<String>> = words.iter().map(text_of).collect();
        let pairs = match args.get("env") {
            Some(Json::Object(pairs)) => pairs.as_slice(),
            _ => &[],
        };
        let env = pairs.iter().map(|(name, value)| (name.as_str().into(), text_of(value)));
        Some(Said { argv: argv?, cwd: text_of(args.get("cwd")?)?, env: env.collect() })
    }
}

fn text_of(json: &Json) -> Option<String> {
    match json {
        Json::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn file(line: &FileLine) -> Json {
    let digest = |digest: Digest| Json::text(&format!("sha256:{digest}"));
    Json::object(vec![
        ("path".to_owned(), Json::text(&line.path)),
        ("digest".to_owned(), digest(line.digest)),
        ("bytes".to_owned(), Json::Number(line.bytes.to_string())),
    ])
}

/// Programs that run files they are given, by their names without a version.
const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "ash",
    "fish",
    "busybox",
    "python",
    "pypy",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "luajit",
    "Rscript",
    "julia",
    "pwsh",
    "tclsh",
    "expect",
    "osascript",
    "java",
    "groovy",
    "scala",
    "elixir",
    "guile",
    "racket",
    "awk",
    "gawk",
    "mawk",
    "sed",
    "make",
    "gmake",
    "psql",
    "sqlite",
    "mysql",
    "ansible-playbook",
];

/// Options after which an interpreter is given what it runs as a word, not as a file.
const INLINE: &[&str] = &["-c", "-e", "-E", "-m", "--eval", "--print", "-p", "-r", "--command"];

/// The words that an interpreter would probably run as files: those that name files (`is_file`
/// says so), up to the first that stands for itself and not behind an option. Behind an option it
/// may be the option's value or the script: both are covered then. Empty for other programs.
pub fn scripts(argv: &[String], is_file: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    let mut after_option = false;
    let Some((program, words)) = argv.split_first().filter(|(program, _)| interprets(program))
    else {
        return found;
    };
    // These name their script behind an option.
    let named = ["awk", "gawk", "mawk", "sed", "make", "gmake", "psql", "mysql"];
    let by_option = named.contains(&plain_name(program));
    for word in words {
        if !by_option && INLINE.contains(&word.as_str()) {
            break;
        }
        if word.len() > 1 && word.starts_with('-') {
            // `--file=x`, `-fx`
            let value = word.split_once('=').map(|(_, value)| value);
            let value = value.or_else(|| word.get(2..)).filter(|_| by_option);
            found.extend(value.filter(|value| !value.is_empty() && is_file(value)));
            after_option = true;
            continue;
        }
        if is_file(word) && (after_option || !by_option) {
            found.push(word);
        }
        if !after_option && !by_option {
            break;
        }
        after_option = false;
    }
    found
}

/// It is a program that runs files it is given.
fn interprets(program: &str) -> bool {
    INTERPRETERS.contains(&plain_name(program))
}

/// `/usr/bin/python3.11` is `python`.
fn plain_name(program: &str) -> &str {
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::action::{Bound, EffectClass};

    fn line() -> CommandLine {
        let file = |path: &str| FileLine {
            path: path.into(),
            digest: Digest::of(path.as_bytes()),
            bytes: 3,
        };
        CommandLine {
            argv: ["bash", "deploy.sh", "prod"].map(ToOwned::to_owned).to_vec(),
            cwd: "/srv".into(),
            executable: file("/usr/bin/bash"),
            scripts: vec![file("/srv/deploy.sh")],
            env: BTreeMap::from([("REGION".into(), Some("eu".into())), ("X".into(), None)]),
        }
    }

    fn hash(line: &CommandLine) -> Digest {
        let bound = Bound { effect: EffectClass::Irreversible, principal: "carl" };
        line.action(None, None).hash(bound)
    }

    #[test]
    fn every_part_is_covered_and_reads_back() {
        let action = line().action(None, None);
        assert_eq!(action.problem(), None);
        assert_eq!(action.target.as_deref(), Some("/usr/bin/bash in /srv"));
        let said = Said::of(&action).unwrap();
        assert_eq!((said.argv, said.cwd), (line().argv, line().cwd));
        assert_eq!(said.env, line().env);
        let changes: [fn(&mut CommandLine); 7] = [
            |line| line.argv.push("x".into()),
            |line| line.cwd.push('x'),
            |line| line.executable.digest = Digest::of(b"other"),
            |line| line.executable.path = "/tmp/bash".into(),
            |line| line.scripts[0].digest = Digest::of(b"other"),
            |line| drop(line.env.insert("REGION".into(), Some("us".into()))),
            |line| drop(line.env.insert("X".into(), Some(String::new()))),
        ];
        for change in changes {
            let mut other = line();
            change(&mut other);
            assert_ne!(hash(&other), hash(&line()), "{other:?}");
        }
    }

    #[test]
    fn the_file_that_an_interpreter_runs_is_found() {
        let found = |line: &str| {
            let argv: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
            let is_file = |word: &str| word.contains('.') || word == "Makefile";
            scripts(&argv, is_file).join(" ")
        };
        assert_eq!(found("bash deploy.sh out.log"), "deploy.sh");
        assert_eq!(found("/usr/bin/python3.11 -u run.py in.csv"), "run.py in.csv");
        assert_eq!(found("node --require hook.js app.js x.js"), "hook.js app.js");
        assert_eq!(found("bash -c ./a.sh b.sh"), "");
        assert_eq!(found("python3 -m http.server"), "");
        assert_eq!(found("psql -d shop -f wipe.sql"), "wipe.sql");
        assert_eq!(found("psql --file=wipe.sql"), "wipe.sql");
        assert_eq!(found("awk -f prog.awk"), "prog.awk");
        assert_eq!(found("cp a.txt b.txt"), "", "it runs no file");
        assert_eq!(found("bash"), "");
    }

    #[test]
    fn what_is_no_command_line_says_nothing() {
        let mut action = line().action(None, None);
        action.kind = "tool".into();
        assert_eq!(Said::of(&action), None);
        action.kind = KIND.into();
        action.args = Args::Here("[]".into());
        assert_eq!(Said::of(&action), None);
    }
}
