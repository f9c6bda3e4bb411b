//! `submit` and `run`: what is queued, and what is said about it.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::JobId;
use crate::cli::args::environment::Own;
use crate::cli::args::options::Options;
use crate::cli::args::program::{self, Surroundings};
use crate::cli::args::values::After;
use crate::cli::args::{batch, header};
use crate::cli::clock;
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::follow::{self, Ends};
use crate::cli::output;
use crate::cli::session::Session;
use crate::cli::targets;
use crate::cli::verbs::enable;
use crate::link::Link;
use crate::model::job::Dependency;
use crate::model::page::Ended;
use crate::model::submission::Submission;

/// Bytes of a script or batch that are read.
const FILE_MAX: u64 = 64 * 1024 * 1024;

/// `submit`.
#[derive(Debug, Args)]
#[command(override_usage = "holdshort submit [OPTIONS] -- <CMD>...\n       \
                            holdshort submit [OPTIONS] <SCRIPT> [ARGS]...\n       \
                            holdshort submit [OPTIONS] --batch <FILE>")]
#[command(after_help = "A script may carry options in its first comment lines: `#HOLDSHORT --cpu \
                        2`, or the common `#SBATCH` ones. It is run from where it lies.")]
pub struct Submit {
    #[command(flatten)]
    options: Options,
    /// One job for each line of FILE (- is stdin), run by `sh -c`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "array", "tty"])]
    batch: Option<PathBuf>,
    /// After `--`: the command. Else a script and its arguments
    #[arg(value_name = "CMD", trailing_var_arg = true, num_args = 0..)]
    words: Vec<OsString>,
}

/// `run`.
#[derive(Debug, Args)]
#[command(after_help = "ctrl-c once explains, twice cancels the job; ctrl-\\ leaves it running.")]
pub struct Run {
    #[command(flatten)]
    options: Options,
    /// The command
    #[arg(value_name = "CMD", last = true, required = true)]
    words: Vec<OsString>,
}

/// Jobs that only lack the numbers of those they come after.
#[derive(Debug, Default)]
pub struct Ready {
    /// The jobs.
    pub jobs: Vec<Submission>,
    /// Whom they all come after, as it was typed.
    pub after: Vec<After>,
}

/// Looks up whom they come after, and queues them.
async fn send(link: &dyn Link, ready: Ready) -> Result<Vec<JobId>, Failure> {
    let mut jobs = ready.jobs;
    let after = dependencies(link, &ready.after).await?;
    for job in &mut jobs {
        job.after.clone_from(&after);
    }
    Ok(link.submit(jobs).await?)
}

/// The jobs that `--after` names; the number of an array stands for all its elements.
///
/// # Errors
/// The server's.
pub async fn dependencies(link: &dyn Link, after: &[After]) -> Result<Vec<Dependency>, Failure> {
    let mut dependencies = Vec::new();
    for wanted in after {
        for row in targets::expand(link, &wanted.target, Ended::All).await? {
            dependencies.push(Dependency { job: row.id, kind: wanted.kind });
        }
    }
    Ok(dependencies)
}

impl Submit {
    /// The words are the end of the command line; what stands before them is `--` if they were
    /// set off by it, which clap does not tell.
    pub fn is_escaped(&self, args: &[OsString]) -> bool {
        let before = args.len().checked_sub(self.words.len() + 1);
        before.and_then(|at| args.get(at)).is_some_and(|word| word == "--")
    }

    /// The jobs, without those they come after. No server is needed for that, so a senseless
    /// command line starts none.
    ///
    /// # Errors
    /// A usage failure.
    pub fn prepare(&self, session: &Session, args: &[OsString]) -> Result<Ready, Failure> {
        match &self.batch {
            Some(file) => {
                let base = submission(session, &self.options, false)?;
                let jobs = batch::jobs(&read_text(file)?, &base)?;
                Ok(Ready { jobs, after: self.options.after.clone() })
            }
            None if self.is_escaped(args) => command(session, &self.options, &self.words),
            None => script(session, &self.options, &self.words),
        }
    }

    /// Queues jobs and prints their numbers.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link, ready: Ready) -> Outcome {
        let ids = send(link, ready).await?;
        let one_line_each = self.batch.is_some();
        let shown = if one_line_each { ids.as_slice() } else { ids.get(..1).unwrap_or_default() };
        print_ids(session, shown)?;
        if let [id] = shown {
            say_where(session, link, *id).await;
        }
        Ok(OK)
    }
}

fn print_ids(session: &Session, ids: &[JobId]) -> Result<(), Failure> {
    if session.globals.json {
        let ids: Vec<u64> = ids.iter().map(|id| id.0).collect();
        let document = serde_json::json!({"schema_version": 1, "ids": ids});
        return session.output.line(&document.to_string());
    }
    let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
    session.output.out(&lines)
}

impl Run {
    /// The job, as [`Submit::prepare`].
    ///
    /// # Errors
    /// A usage failure.
    pub fn prepare(&self, session: &Session) -> Result<Ready, Failure> {
        if self.options.array.is_some() {
            return Err(Failure::usage(
                "`run` shows one job, an array is many",
                "use submit --array, then wait",
            ));
        }
        command(session, &self.options, &self.words)
    }

    /// Queues a job, shows its output and ends with its code.
    ///
    /// # Errors
    /// The server's, as 125.
    pub async fn run(self, session: &Session, link: &dyn Link, ready: Ready) -> Outcome {
        self.shown(session, link, ready).await.map_err(Failure::instead_of_a_job)
    }

    async fn shown(self, session: &Session, link: &dyn Link, ready: Ready) -> Outcome {
        let ids = send(link, ready).await?;
        let Some(id) = ids.first().copied() else {
            return Err(Failure::failed("the server queued nothing", ""));
        };
        let here = output::can_ask() && output::out_is_terminal();
        let ends = if self.options.tty && here {
            super::attach::look(session, link, id, 0, true).await?
        } else {
            follow::run(session, link, id).await?
        };
        match ends {
            Ends::Left => Ok(OK),
            Ends::Over => follow::code(session, link, id).await,
        }
    }
}

/// A submission of the words as they are.
fn command(session: &Session, options: &Options, words: &[OsString]) -> Result<Ready, Failure> {
    let mut job = submission(session, options, false)?;
    job.argv = program::argv(words, &job.env)?;
    Ok(Ready { jobs: vec![job], after: options.after.clone() })
}

/// A submission of a script, with the options of its header.
fn script(session: &Session, options: &Options, words: &[OsString]) -> Result<Ready, Failure> {
    let Some((file, args)) = words.split_first() else {
        return Err(Failure::usage("there is no command", "holdshort submit -- ./agent.sh"));
    };
    let path = std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file));
    if path.extension().is_some_and(|ext| ext == "toml" || ext == "yaml" || ext == "yml") {
        let what = format!("{} looks like a flow; this version has none yet", path.display());
        return Err(Failure::usage(what, "submit its commands one by one, with --after"));
    }
    let content = read(&path).map_err(|failure| {
        let shown = file.display();
        Failure::usage(failure.what, format!("if it is a command: holdshort submit -- {shown} …"))
    })?;
    let header = header::read(&content).map_err(|failure| Failure {
        what: format!("{}, {}", file.display(), failure.what),
        ..failure
    })?;
    for warning in &header.warnings {
        session.output.warn(warning);
    }
    let shown = path.to_str().ok_or_else(|| {
        Failure::usage(format!("the path {} is not UTF-8 text", path.display()), "rename it")
    })?;
    let own = program::of_script(shown, is_executable(&path), &content);
    let mut argv: Vec<OsString> = own.into_iter().map(OsString::from).collect();
    argv.extend(args.iter().cloned());
    let mut options = options.clone().over(header.options);
    if options.name.is_none() {
        let own = path.file_name().and_then(|name| name.to_str()).unwrap_or("script");
        options.name = crate::cli::args::values::name(own).ok();
    }
    command(session, &options, &argv)
}

/// A submission without its command.
///
/// # Errors
/// A senseless option.
pub fn submission(session: &Session, options: &Options, copy: bool) -> Result<Submission, Failure> {
    let around = Surroundings { cwd: here(options)?, now: clock::wall(), environment: &Own };
    let (submission, not_text) = program::submission(options, &around, copy)?;
    for name in not_text {
        session.output.warn(&format!("the variable {name} is not UTF-8 text and stays behind"));
    }
    Ok(submission)
}

/// The caller's directory.
fn here(options: &Options) -> Result<PathBuf, Failure> {
    match std::env::current_dir() {
        Ok(dir) => Ok(dir),
        Err(_) if options.cwd.as_ref().is_some_and(|dir| Path::new(dir).is_absolute()) => {
            Ok(PathBuf::from("/"))
        }
        Err(error) => Err(Failure::usage(
            format!("the current directory is gone; {error}"),
            "go to another one or give --cwd DIR",
        )),
    }
}

fn is_executable(path: &Path) -> bool {
    nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok()
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = if path == Path::new("-") {
        read_from(&mut std::io::stdin().lock(), path)?
    } else {
        read(path)?
    };
    String::from_utf8(bytes).map_err(|_| {
        Failure::usage(format!("{} is not UTF-8 text", path.display()), "save it as UTF-8")
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let open = std::fs::File::open(path);
    let mut file = open.map_err(|error| unreadable(path, &error))?;
    read_from(&mut file, path)
}

fn read_from(from: &mut dyn Read, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    from.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_MAX {
        let what = format!("{} is larger than {} MiB", path.display(), FILE_MAX >> 20);
        return Err(Failure::usage(what, "split it"));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot read {}: {}", path.display(), reason(error)), "")
}

/// What the system says, without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// On a terminal: where the job stands and how to see it.
pub async fn say_where(session: &Session, link: &dyn Link, id: JobId) {
    if !output::out_is_terminal() || session.globals.json {
        return;
    }
    let Ok(detail) = link.job(id).await else { return };
    let row = detail.row;
    let place = if row.nodes.is_empty() {
        row.word().to_owned()
    } else {
        format!("{} on {}", row.word(), row.nodes.join(", "))
    };
    let see = if row.pty { "attach" } else { "logs -f" };
    session.output.note(&format!("{place}; see it: holdshort {see} {id}"));
    enable::offer(session);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Span, Wall};
    use crate::cli::exit::USAGE;
    use crate::cli::tests::session;
    use crate::cli::tree::{Cli, Linked, Verb};
    use crate::model::job::{DependencyKind, Grace, GroupSet, Service, WarnSignal};
    use crate::model::setup::Tier;
    use crate::model::submission::{ArrayRequest, GroupRequest, GroupsRequest, Wishes};
    use clap::Parser;

    /// What a command line sends, environment aside.
    fn sent(words: &[&str]) -> Result<Ready, Failure> {
        let dir = tempfile::tempdir().unwrap();
        let args: Vec<OsString> = ["holdshort"].iter().chain(words).map(OsString::from).collect();
        let cli = Cli::try_parse_from(&args).map_err(|e| crate::cli::later::explain(&e, &[]))?;
        let Some(Verb::Linked(Linked::Submit(submit))) = cli.verb else { panic!("{words:?}") };
        submit.prepare(&session(dir.path()), &args)
    }

    fn job(options: &[&str]) -> Submission {
        let words = [&["submit"], options, &["--", "sleep", "1"]].concat();
        let mut ready = sent(&words).unwrap();
        assert_eq!(ready.jobs.len(), 1);
        let job = ready.jobs.remove(0);
        assert_eq!(job.argv, ["sleep", "1"]);
        Submission { argv: Vec::new(), cwd: String::new(), env: Default::default(), ..job }
    }

    #[test]
    fn every_option_of_submit_becomes_its_field() {
        let none = Submission::default;
        let table: Vec<(&[&str], Submission)> = vec![
            (&[], none()),
            (&["--name", "train"], Submission { name: Some("train".into()), ..none() }),
            (&["--team", "org/ml"], Submission { team: Some("org/ml".into()), ..none() }),
            (&["--tier", "batch"], Submission { tier: Some(Tier::Batch), ..none() }),
            (&["--priority", "0"], Submission { priority: Some(0), ..none() }),
            (&["--cpu", "500m"], Submission { cpu_milli: Some(500), ..none() }),
            (&["--mem=4Gi"], Submission { mem_bytes: Some(4 << 30), ..none() }),
            (&["--gpu"], Submission { gpu_milli: Some(1000), ..none() }),
            (&["--gpu", "0.5"], Submission { gpu_milli: Some(500), ..none() }),
            (
                &["--resource", "api:x=2", "--resource", "seat"],
                Submission { custom: [("api:x".into(), 2), ("seat".into(), 1)].into(), ..none() },
            ),
            (&["--gang", "8", "--min", "4"], Submission { gang: Some(8), min: Some(4), ..none() }),
            (
                &["--start-at", "2027-01-31T08:00:00Z"],
                Submission { start_at: Some(Wall(1_801_382_400_000)), ..none() },
            ),
            (
                &["--array", "0-2%2"],
                Submission {
                    array: Some(ArrayRequest { indices: vec![0, 1, 2], throttle: Some(2) }),
                    ..none()
                },
            ),
            (&["--estimate", "10m"], Submission { estimate: Some(Span::mins(10)), ..none() }),
            (&["--time-limit", "1h"], Submission { time_limit: Some(Span::hours(1)), ..none() }),
            (
                &["--warn-signal", "USR1@120s"],
                Submission {
                    warn: Some(WarnSignal { signal: 10, before: Span::secs(120) }),
                    ..none()
                },
            ),
            (&["--grace", "5s"], Submission { grace: Some(Span::secs(5)), ..none() }),
            (&["--requeue"], Submission { requeue: true, ..none() }),
            (&["--resumable"], Submission { resumable: true, ..none() }),
            (&["--retry", "3"], Submission { retry: 3, ..none() }),
            (
                &["--label", "a=b", "--label", "c"],
                Submission {
                    labels: [("a".into(), "b".into()), ("c".into(), "".into())].into(),
                    ..none()
                },
            ),
            (&["--must-fit"], Submission { must_fit: true, ..none() }),
            (&["--hard"], Submission { hard: true, ..none() }),
            (&["-t"], Submission { pty: true, ..none() }),
        ];
        let table = table.into_iter().chain(scheduling_options());
        for (options, wanted) in table {
            assert_eq!(job(options), wanted, "{options:?}");
        }
    }

    fn two_groups() -> GroupsRequest {
        let group = |name: &str, size, within: Option<&str>| GroupRequest {
            name: name.into(),
            size,
            within: within.map(Into::into),
            ..GroupRequest::default()
        };
        GroupsRequest {
            groups: vec![group("head", None, None), group("work", Some(3), Some("s"))],
            sets: vec![GroupSet { name: "s".into(), within: None, min_members: Some(1) }],
            min_members: Some(2),
        }
    }

    /// Options that say how a job wants to be scheduled.
    fn scheduling_options() -> Vec<(&'static [&'static str], Submission)> {
        let none = Submission::default;
        let wish = |wishes| Submission { wishes, ..none() };
        let service = Service { health: Some("true".into()), baseline: 1, ..Service::default() };
        vec![
            (
                &["--preemptible", "--requeue"],
                Submission {
                    requeue: true,
                    ..wish(Wishes { preemptible: Some(true), ..Wishes::default() })
                },
            ),
            (&["--no-preemptible"], wish(Wishes { preemptible: Some(false), ..Wishes::default() })),
            (
                &["--deadline", "2127-01-31T08:00:00Z"],
                wish(Wishes { deadline: Some(Wall(4_957_056_000_000)), ..Wishes::default() }),
            ),
            (
                &["--spot", "--resumable"],
                Submission { resumable: true, ..wish(Wishes { spot: true, ..Wishes::default() }) },
            ),
            (
                &["--node-label", "zone=eu", "--node-label", "fast"],
                wish(Wishes {
                    node_labels: [("zone".into(), "eu".into()), ("fast".into(), "".into())].into(),
                    ..Wishes::default()
                }),
            ),
            (
                &["--interactive", "--idle-timeout", "5m"],
                Submission {
                    pty: true,
                    ..wish(Wishes { idle_timeout: Some(Span::mins(5)), ..Wishes::default() })
                },
            ),
            (
                &["--service", "--health", "true", "--baseline", "1"],
                wish(Wishes { service: Some(service), ..Wishes::default() }),
            ),
            (
                &[
                    "--group",
                    "head",
                    "--group",
                    "work: size=3 in=s",
                    "--group-set",
                    "s: min=1",
                    "--min-groups",
                    "2",
                ],
                wish(Wishes { groups: Some(two_groups()), ..Wishes::default() }),
            ),
            (
                &["--stale-grace", "never"],
                wish(Wishes { stale_grace: Some(Grace::Never), ..Wishes::default() }),
            ),
            (
                &["--preemption-delay", "90s"],
                wish(Wishes { preemption_delay: Some(Span::secs(90)), ..Wishes::default() }),
            ),
        ]
    }

    #[test]
    fn environment_directory_and_dependencies_are_taken_along() {
        let words =
            ["submit", "--clean-env", "--env", "K=v", "--cwd", "/", "--after", "12:any,40_7", "--"];
        let ready = sent(&[&words[..], &["true"]].concat()).unwrap();
        let job = ready.jobs.first().unwrap();
        assert!(job.env.0.contains(&("K".to_owned(), "v".to_owned())));
        assert_eq!(job.cwd, "/");
        let kinds: Vec<_> = ready.after.iter().map(|after| after.kind).collect();
        assert_eq!(kinds, [DependencyKind::Any, DependencyKind::Ok]);
    }

    #[test]
    fn a_script_brings_its_options_and_a_batch_its_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("job.sh");
        std::fs::write(&path, "#!/bin/bash\n#HOLDSHORT --cpu 2 --after 7\necho\n").unwrap();
        let path = path.to_str().unwrap();
        let ready = sent(&["submit", "--mem", "1Gi", path, "--flag", "--", "x"]).unwrap();
        let script = ready.jobs.first().unwrap();
        assert_eq!(script.argv, ["/bin/bash", path, "--flag", "--", "x"]);
        assert_eq!((script.cpu_milli, script.mem_bytes), (Some(2000), Some(1 << 30)));
        assert_eq!(script.name.as_deref(), Some("job.sh"));
        assert_eq!(ready.after.len(), 1);

        let lines = dir.path().join("lines");
        std::fs::write(&lines, "echo 1\necho 2\n").unwrap();
        let ready = sent(&["submit", "--retry", "1", "--batch", lines.to_str().unwrap()]).unwrap();
        assert_eq!(ready.jobs.len(), 2);
        assert!(ready.jobs.iter().all(|job| job.retry == 1));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_2_before_a_server_is_needed() {
        for words in [
            ["submit"].as_slice(),
            &["submit", "--"],
            &["submit", "/no/such/script"],
            &["submit", "flow.toml"],
            &["submit", "--batch", "/no/such/file"],
            &["submit", "--batch", "x", "--", "y"],
            &["submit", "--batch", "x", "--array", "0-3"],
            &["submit", "--min", "2", "--", "x"],
            &["submit", "--gang", "2", "--min", "3", "--", "x"],
            &["submit", "--gang", "0", "--", "x"],
            &["submit", "--mem", "400m", "--", "x"],
            &["submit", "--time-limit", "5", "--", "x"],
            &["submit", "--start-at", "someday", "--", "x"],
            &["submit", "--env", "HOLDSHORT_TOKEN=x", "--", "x"],
            &["submit", "--cwd", "/no/such/directory", "--", "x"],
            &["submit", "--", ""],
            &["submit", "--preemptible", "--", "x"],
            &["submit", "--spot", "--", "x"],
            &["submit", "--deadline", "2001-01-01T00:00:00Z", "--", "x"],
            &["submit", "--idle-timeout", "5m", "--", "x"],
            &["submit", "--health", "true", "--", "x"],
            &["submit", "--group", "a", "--gang", "2", "--", "x"],
            &["submit", "--group", "a", "--group", "a", "--", "x"],
            &["submit", "--group", "a: in=b", "--", "x"],
            &["submit", "--group-set", "a", "--", "x"],
            &["submit", "--stale-grace", "sometime", "--", "x"],
        ] {
            assert_eq!(sent(words).unwrap_err().code, USAGE, "{words:?}");
        }
        let huge = "x".repeat(200_000);
        assert!(sent(&["submit", "--", "echo", &huge]).unwrap_err().what.contains("128 KiB"));
    }
}
