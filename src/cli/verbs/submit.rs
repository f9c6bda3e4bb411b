//! `submit` and `run`: what is queued, and what is said about it.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::JobId;
use crate::cli::args::environment::Own;
use crate::cli::args::options::Options;
use crate::cli::args::program::{self, Surroundings};
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

impl Submit {
    /// The words are the end of the command line; what stands before them is `--` if they were
    /// set off by it, which clap does not tell.
    pub fn is_escaped(&self, args: &[OsString]) -> bool {
        let before = args.len().checked_sub(self.words.len() + 1);
        before.and_then(|at| args.get(at)).is_some_and(|word| word == "--")
    }

    /// Queues jobs and prints their numbers. `escaped`: the words stood after `--`.
    ///
    /// # Errors
    /// The server's, or a senseless command line.
    pub async fn run(self, session: &Session, link: &dyn Link, escaped: bool) -> Outcome {
        let jobs = match &self.batch {
            Some(file) => {
                let base = submission(session, link, &self.options, false).await?;
                batch::jobs(&read_text(file)?, &base)?
            }
            None if escaped => {
                vec![command(session, link, &self.options, &self.words).await?]
            }
            None => vec![script(session, link, self.options, &self.words).await?],
        };
        let one_line_each = self.batch.is_some();
        let ids = link.submit(jobs).await?;
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
    /// Queues a job, shows its output and ends with its code.
    ///
    /// # Errors
    /// The server's, as 125; or a senseless command line.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        if self.options.array.is_some() {
            return Err(Failure::usage(
                "`run` shows one job, an array is many",
                "use submit --array, then wait",
            ));
        }
        let pty = self.options.tty;
        let job = command(session, link, &self.options, &self.words).await?;
        let ids = link.submit(vec![job]).await.map_err(Failure::from);
        let ids = ids.map_err(Failure::instead_of_a_job)?;
        let Some(id) = ids.first().copied() else {
            return Err(Failure::failed("the server queued nothing", "").instead_of_a_job());
        };
        let shown = if pty {
            super::attach::look(session, link, id, 0, true).await
        } else {
            follow::run(session, link, id).await
        };
        match shown.map_err(Failure::instead_of_a_job)? {
            Ends::Left => Ok(OK),
            Ends::Over => follow::code(session, link, id).await.map_err(Failure::instead_of_a_job),
        }
    }
}

/// A submission of the words as they are.
async fn command(
    session: &Session,
    link: &dyn Link,
    options: &Options,
    words: &[OsString],
) -> Result<Submission, Failure> {
    let mut job = submission(session, link, options, false).await?;
    job.argv = program::argv(words, &job.env)?;
    Ok(job)
}

/// A submission of a script, with the options of its header.
async fn script(
    session: &Session,
    link: &dyn Link,
    options: Options,
    words: &[OsString],
) -> Result<Submission, Failure> {
    let Some((file, args)) = words.split_first() else {
        return Err(Failure::usage("there is no command", "holdshort submit -- ./agent.sh"));
    };
    let path = std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file));
    if path.extension().is_some_and(|ext| ext == "toml" || ext == "yaml" || ext == "yml") {
        let what = format!("{} looks like a flow, and this version has no flows yet", path.display());
        return Err(Failure::usage(what, "submit its commands one by one, with --after"));
    }
    let content = read(&path).map_err(|failure| {
        let shown = file.display();
        Failure::usage(failure.what, format!("if it is a command: holdshort submit -- {shown} …"))
    })?;
    let header = header::read(&content)?;
    for warning in &header.warnings {
        session.output.warn(warning);
    }
    let shown = path.to_str().ok_or_else(|| {
        Failure::usage(format!("the path {} is not UTF-8 text", path.display()), "rename it")
    })?;
    let mut argv: Vec<OsString> =
        program::of_script(shown, is_executable(&path), &content).into_iter().map(Into::into).collect();
    argv.extend(args.iter().cloned());
    let mut options = options.over(header.options);
    if options.name.is_none() {
        let own = path.file_name().and_then(|name| name.to_str()).unwrap_or("script");
        options.name = crate::cli::args::values::name(own).ok();
    }
    command(session, link, &options, &argv).await
}

/// A submission without its command.
///
/// # Errors
/// A senseless option, or a job of `--after` that does not exist.
pub async fn submission(
    session: &Session,
    link: &dyn Link,
    options: &Options,
    copy: bool,
) -> Result<Submission, Failure> {
    let mut after = Vec::new();
    for wanted in &options.after {
        // The number of an array stands for all its elements.
        let rows = targets::expand(link, &wanted.target, Ended::All).await?;
        after.extend(rows.into_iter().map(|row| Dependency { job: row.id, kind: wanted.kind }));
    }
    let around = Surroundings {
        cwd: here(options)?,
        now: clock::wall(),
        environment: &Own,
    };
    let (submission, not_text) = program::submission(options, after, &around, copy)?;
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
    Failure::usage(format!("cannot read {}; {error}", path.display()), "")
}

/// On a terminal: where the job stands and how to see it.
pub async fn say_where(session: &Session, link: &dyn Link, id: JobId) {
    if !output::out_is_terminal() || session.globals.json {
        return;
    }
    let Ok(detail) = link.job(id).await else { return };
    let row = detail.row;
    let place = if row.nodes.is_empty() {
        row.state.word().to_owned()
    } else {
        format!("{} on {}", row.state.word(), row.nodes.join(", "))
    };
    let see = if row.pty { "attach" } else { "logs -f" };
    session.output.note(&format!("{place}; see it: holdshort {see} {id}"));
    enable::offer(session);
}
