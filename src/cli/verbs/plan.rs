//! `plan --what-if "…"`: what would happen, without touching anything.

use std::ffi::OsString;

use clap::{Args, Parser};

use crate::api::wire::plan::PlanDocument;
use crate::base::quantity;
use crate::cli::args::{values, words};
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::shown;
use crate::cli::tree::{Cli, Linked, Verb};
use crate::cli::verbs::submit::{Ready, dependencies};
use crate::link::Link;
use crate::model::Resources;
use crate::model::outlook::Supposition;
use crate::model::team::Bounds;
use crate::view::describe;

/// `plan`.
#[derive(Debug, Args)]
#[command(after_help = "What can be supposed:\n  \
                        submit OPTIONS -- COMMAND   as `holdshort submit`; the command may be left out\n  \
                        add-node gpu=4 cpu=32 mem=128Gi\n  \
                        quota TEAM gpu=8\n  \
                        drain NODE")]
pub struct Plan {
    /// What is supposed, as one word of the shell
    #[arg(long, value_name = "WORDS")]
    what_if: String,
}

/// A question that may lack the numbers of jobs a submission comes after.
enum Question {
    Submits(Box<Ready>),
    Whole(Supposition),
}

impl Plan {
    /// What can be refused without a server.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self, session: &Session) -> Result<(), Failure> {
        self.question(session).map(drop)
    }

    fn question(&self, session: &Session) -> Result<Question, Failure> {
        const HINT: &str = "holdshort plan --what-if \"add-node gpu=4\"; --help lists the others";
        let words = words::split(&self.what_if).map_err(|error| Failure::usage(error, HINT))?;
        let usage = |what: String| Failure::usage(what, HINT);
        let rest = words.get(1..).unwrap_or_default();
        match (words.first().map(String::as_str), rest) {
            (Some("submit"), rest) => submits(session, rest),
            (Some("add-node"), amounts) => {
                let bounds = bounds(amounts).map_err(usage)?;
                Ok(Question::Whole(Supposition::AddNode(Resources {
                    cpu_milli: bounds.cpu_milli.unwrap_or(0),
                    mem_bytes: bounds.mem_bytes.unwrap_or(0),
                    gpu_milli: bounds.gpu_milli.unwrap_or(0),
                    ..Resources::default()
                })))
            }
            (Some("quota"), [team, amounts @ ..]) => {
                let team = values::team(team).map_err(usage)?;
                let quota = bounds(amounts).map_err(usage)?;
                Ok(Question::Whole(Supposition::Quota { team, quota }))
            }
            (Some("drain"), [node]) => {
                let node = values::name(node).map_err(usage)?;
                Ok(Question::Whole(Supposition::Drain(node)))
            }
            _ => Err(usage(format!("{:?} is nothing that can be supposed", self.what_if))),
        }
    }

    /// Asks, and prints the answer.
    ///
    /// # Errors
    /// The server's.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let what = match self.question(session)? {
            Question::Whole(what) => what,
            Question::Submits(mut ready) => {
                let after = dependencies(link, &ready.after).await?;
                let Some(mut job) = ready.jobs.pop().filter(|_| ready.jobs.is_empty()) else {
                    let what = "more than one submission is supposed";
                    return Err(Failure::usage(what, "ask of one at a time"));
                };
                job.after = after;
                // Its values are nobody's business here, and play no part.
                job.env = Default::default();
                Supposition::Submit(Box::new(job))
            }
        };
        let outlook = link.plan(what).await?;
        let at = link.summary().await?.at;
        if session.globals.json {
            session.json(&PlanDocument::new(&outlook))?;
        } else {
            let lines = describe::outlook(&outlook, &shown::sight(at));
            session.output.out(&shown::text(&lines, session.output))?;
        }
        Ok(OK)
    }
}

/// A submission as `submit` reads it; what it runs plays no part and may be left out.
fn submits(session: &Session, rest: &[String]) -> Result<Question, Failure> {
    let mut args: Vec<OsString> = ["holdshort", "submit"].map(OsString::from).to_vec();
    args.extend(rest.iter().map(OsString::from));
    if !rest.iter().any(|word| word == "--") {
        args.extend(["--", "true"].map(OsString::from));
    }
    let cli = Cli::try_parse_from(&args).map_err(|e| crate::cli::later::explain(&e, &args))?;
    match cli.verb {
        Some(Verb::Linked(Linked::Submit(submit))) => {
            Ok(Question::Submits(Box::new(submit.prepare(session, &args)?)))
        }
        _ => Err(Failure::usage("this is no submission", "submit OPTIONS -- COMMAND")),
    }
}

/// `gpu=4 cpu=32 mem=128Gi`.
fn bounds(words: &[String]) -> Result<Bounds, String> {
    let mut bounds = Bounds::default();
    for word in words {
        match word.split_once('=') {
            Some(("gpu", n)) => bounds.gpu_milli = Some(quantity::parse_gpu(n)?),
            Some(("cpu", n)) => bounds.cpu_milli = Some(quantity::parse_cpu(n)?),
            Some(("mem", n)) => bounds.mem_bytes = Some(quantity::parse_bytes(n)?),
            _ => return Err(format!("{word:?} is not gpu=N, cpu=N or mem=N")),
        }
    }
    match bounds == Bounds::default() {
        true => Err("no amount is given".to_owned()),
        false => Ok(bounds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::session;

    fn asked(text: &str) -> Result<Question, Failure> {
        let dir = tempfile::tempdir().unwrap();
        Plan { what_if: text.into() }.question(&session(dir.path()))
    }

    #[test]
    fn each_question_is_understood() {
        let whole = |text: &str| match asked(text) {
            Ok(Question::Whole(what)) => what,
            _ => panic!("{text}"),
        };
        let node = Resources { gpu_milli: 4000, cpu_milli: 32_000, ..Resources::default() };
        assert_eq!(whole("add-node gpu=4 cpu=32"), Supposition::AddNode(node));
        let quota = Bounds { gpu_milli: Some(8000), ..Bounds::default() };
        assert_eq!(whole("quota ml gpu=8"), Supposition::Quota { team: "ml".into(), quota });
        assert_eq!(whole("drain n1"), Supposition::Drain("n1".into()));
        for text in ["submit --gpu 2", "submit --gpu 2 -- python train.py"] {
            let Ok(Question::Submits(ready)) = asked(text) else { panic!("{text}") };
            assert_eq!(ready.jobs[0].gpu_milli, Some(2000), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_before_a_server_is_needed() {
        for text in
            ["", "fly", "add-node", "add-node wings=2", "quota ml", "drain", "submit --gpu x"]
        {
            let refused = asked(text).err().map(|failure| failure.code);
            assert_eq!(refused, Some(crate::cli::exit::USAGE), "{text:?}");
        }
    }
}
