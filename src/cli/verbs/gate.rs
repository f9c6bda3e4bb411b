//! `gate`: asks for exactly this command, waits, uses the yes and runs it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::base::text::sanitise;
use crate::base::{JobId, Name};
use crate::cli::args::environment::{Own, gather};
use crate::cli::asking::answer::{self, Standing};
use crate::cli::asking::covered::{Covered, look};
use crate::cli::asking::options::AskOptions;
use crate::cli::asking::{self, CHANGED, OVER, deed, failed};
use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::link::Link;
use crate::model::action::command::{KIND, Said};
use crate::model::page::ReviewQuery;
use crate::model::page::reviews::Which;
use crate::model::program::Environment;
use crate::model::review::{ReviewPolicy, ReviewState, ReviewVerb};
use crate::sched::policy::review::{Subject, fitting};

/// `gate`.
#[derive(Debug, Args)]
#[command(before_help = "Examples, in a job:
  holdshort gate --effect irreversible -- ./drop-old-tables.sh
  holdshort gate --effect external --wait 10m --summary 'as agreed' -- curl -fsS -X POST …")]
#[command(
    after_help = "A yes covers the words, the directory, the executable and the script that \
                        an interpreter is given, byte by byte, and the variables that the rule \
                        lists. Exit codes before it runs: 10 no, 11 expired, 12 withdrawn or \
                        spent, 13 changed since the yes, 14 lost as a step (it may have taken \
                        effect), 75 parked, 69 no answer to be had, 64 usage; after that the \
                        command's own. Run again after it was done, it gives \
                        that code once more and runs nothing; --idempotency-key asks anew."
)]
pub struct Gate {
    #[command(flatten)]
    options: AskOptions,
    /// It needs no GPU: once this job has ended with 75, a yes runs it at once as a small step of
    /// its own, and this line then gives its code and output [default: what the rule says]
    #[arg(long, overrides_with = "no_step")]
    step: bool,
    /// Only this job itself runs it, whatever the rule says
    #[arg(long, overrides_with = "step")]
    no_step: bool,
    /// The command
    #[arg(value_name = "CMD", last = true, required = true)]
    words: Vec<OsString>,
}

impl Gate {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A usage failure.
    pub fn check(&self, session: &Session) -> Result<(), Failure> {
        asking::own_job(session, "gate").map(drop)?;
        let action =
            self.look(&[])?.line.action(self.options.target.clone(), self.options.money()?);
        self.options.ask(action).map(drop)
    }

    /// Asks, waits, runs.
    ///
    /// # Errors
    /// The server's, with the codes of the contract; the command's own code is no error.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let job = asking::own_job(session, "gate")?;
        let met = self.rule(session, link, job).await?;
        let covered = self.look(&met.env)?;
        for file in &covered.unreadable {
            let file = sanitise(file);
            session.output.warn(&format!("{file} cannot be read: a yes does not cover its bytes"));
        }
        let action = covered.line.action(self.options.target.clone(), self.options.money()?);
        let question = self.options.ask(action)?;
        if !covered.line.scripts.is_empty() {
            session.output.note(&format!("a yes covers {}", sanitise(&covered.files())));
        }
        if let Some(code) = self.outdated(session, link, job, &question).await? {
            return Ok(code);
        }
        let step = self.step_environment(session, &met)?;
        let standing = answer::ask(link, question, step).await?;
        let review = match standing {
            Standing::Answered(review, OK) => review,
            standing => {
                let note = answer::note(standing.review()).unwrap_or_default();
                session.output.note(&note);
                return Ok(standing.code());
            }
        };
        deed::done_once(session, link, *review).await
    }

    fn look(&self, env: &[Name]) -> Result<Covered, Failure> {
        let text = |word: &OsString| {
            word.to_str().map(str::to_owned).ok_or_else(|| {
                let what = format!("the argument {} is not UTF-8 text", word.display());
                Failure::usage(what, "put it into a script")
            })
        };
        look(self.words.iter().map(text).collect::<Result<_, _>>()?, &here()?, env)
    }

    /// What the rule that this would meet says of it.
    async fn rule(&self, session: &Session, link: &dyn Link, job: JobId) -> Result<Met, Failure> {
        let policies = &session.places.config.review_policies;
        let says = |policy: &ReviewPolicy| policy.step || !policy.env.is_empty();
        if !policies.iter().any(says) {
            return Ok(Met::default());
        }
        let detail = link.job(job).await.map_err(failed)?;
        let team = detail.row.team;
        let amount = self.options.money()?;
        let (effect, amount) = (self.options.effect, amount.as_ref());
        let policy = fitting(policies, Subject { team: &team, effect, tool: None, amount });
        let Some(policy) = policy else { return Ok(Met::default()) };
        let groups = detail.asked.groups.into_iter().flat_map(|groups| groups.groups);
        let gpus = detail.row.request.gpu_milli > 0
            || groups.into_iter().any(|group| group.request.gpu_milli > 0);
        Ok(Met { env: policy.env.iter().cloned().collect(), step: policy.step && gpus })
    }

    /// The environment in which it may run as a step: this one, as it is now.
    fn step_environment(
        &self,
        session: &Session,
        met: &Met,
    ) -> Result<Option<Environment>, Failure> {
        if self.no_step || !(self.step || met.step) {
            return Ok(None);
        }
        let wrong = |why| Failure::usage(why, "--no-step runs it in this job");
        let gathered = gather(&Own, &[], false).map_err(wrong)?;
        for name in &gathered.not_text {
            let name = sanitise(name);
            session.output.warn(&format!("{name} is not text: a step runs without it"));
        }
        Ok(Some(gathered.environment))
    }

    /// Earlier questions about the same words, place and variables, whose files are not those of
    /// now: a yes to one is for something else (13, and it is asked anew), an open one is taken
    /// back.
    async fn outdated(
        &self,
        session: &Session,
        link: &dyn Link,
        job: JobId,
        question: &crate::model::review::Ask,
    ) -> Result<Option<u8>, Failure> {
        let query = ReviewQuery { job: Some(job), which: Which::All, ..ReviewQuery::default() };
        let said = Said::of(&question.action);
        for row in link.reviews(query).await.map_err(failed)?.reviews {
            let state = row.state;
            let waits = matches!(state, ReviewState::Open | ReviewState::Approved);
            if !waits || row.effect != question.effect {
                continue;
            }
            let review = link.review(row.id, None).await.map_err(failed)?.review;
            let hash = question.action.hash(review.bound());
            let same = review.hash == hash || review.ask.action.hash(review.bound()) == hash;
            let alike = &*review.ask.action.kind == KIND
                && review.ask.key == question.key
                && Said::of(&review.ask.action) == said;
            if same || !alike {
                continue;
            }
            if state == ReviewState::Open {
                let reason = Some("what would run changed while it was asked".to_owned());
                let verb = ReviewVerb::Withdraw { reason, abandoned: true };
                link.review_act(review.id, verb).await.map_err(failed)?;
                continue;
            }
            let action = Some(Box::new(question.action.clone()));
            let conditions = Default::default();
            let verb = ReviewVerb::Redeem { hash: None, action, conditions };
            return match answer::redeem(link, review.id, verb).await {
                Err(failure) if failure.code == CHANGED => {
                    session.output.failure(&failure);
                    Ok(Some(CHANGED))
                }
                Err(failure) => Err(failure),
                // Another action never uses this right.
                Ok(_) => Ok(Some(OVER)),
            };
        }
        Ok(None)
    }
}

/// What a rule says of a command line.
#[derive(Debug, Default)]
struct Met {
    /// Variables that a yes covers.
    env: Vec<Name>,
    /// It runs as a step: its job holds GPUs, and what it does needs none.
    step: bool,
}

fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("the current directory is gone: {error}"), "cd somewhere else")
    })
}
