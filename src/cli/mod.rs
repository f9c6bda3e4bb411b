//! The command line, and the composition root.
//!
//! May use: everything. Start with [`tree`], which has the verbs, then [`run`], which hands
//! each to its file in [`verbs`]. [`exit`] has the exit codes, [`session`] what every verb has.

pub mod answering;
pub mod args;
pub mod asking;
pub mod autostart;
pub mod clock;
pub mod exit;
pub mod follow;
pub mod later;
pub mod output;
pub mod places;
pub mod replay;
pub mod serve;
pub mod session;
pub mod shown;
pub mod signing;
pub mod targets;
pub mod terminal;
#[cfg(test)]
pub(crate) mod tests;
pub mod tree;
pub mod verbs;

use std::ffi::OsString;

use clap::Parser;
use clap::error::ErrorKind;

use exit::{Failure, OK, Outcome};
use output::Output;
use session::{Session, block_on};
use tree::{Cli, Globals, Linked, Placed, Plain, Verb};
use verbs::console;
use verbs::submit::Ready;

use crate::link::Link;
use crate::tui::Open;

/// Runs the program and returns its exit code. Everything it has to say is said.
pub fn run(args: &[OsString]) -> u8 {
    let (args, open) = target_first(args);
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return refused(&error, &args),
    };
    let output = Output { color: cli.globals.color };
    match dispatch(cli, open, &args) {
        Ok(code) => code,
        Err(failure) => {
            output.failure(&failure);
            if asking::is_one_of_them(&args) {
                asking::for_programs(failure).code
            } else {
                failure.code
            }
        }
    }
}

/// `holdshort 42` opens the console there: a target in place of a verb.
fn target_first(args: &[OsString]) -> (Vec<OsString>, Open) {
    let mut args = args.to_vec();
    match args.get(1).and_then(|word| word.to_str()).and_then(console::opens) {
        Some(open) => {
            args.remove(1);
            (args, open)
        }
        None => (args, Open::Home),
    }
}

/// Help and version are no mistakes; everything else is.
fn refused(error: &clap::Error, args: &[OsString]) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Nobody is there to be told that nobody reads it.
            let _ = error.print();
            OK
        }
        _ => {
            let failure = later::explain(error, args);
            Output::default().failure(&failure);
            if asking::is_one_of_them(args) {
                asking::for_programs(failure).code
            } else {
                failure.code
            }
        }
    }
}

fn dispatch(cli: Cli, open: Open, args: &[OsString]) -> Outcome {
    let output = Output { color: cli.globals.color };
    let Some(verb) = cli.verb else {
        return console::console(&Session::new(cli.globals)?, &cli.look, open);
    };
    match verb {
        Verb::Plain(verb) => plain(verb, cli.globals, output),
        Verb::Placed(verb) => placed(verb, &Session::new(cli.globals)?),
        Verb::Linked(verb) => {
            let session = Session::new(cli.globals)?;
            let ready = prepare(&session, &verb, args)?;
            let instead_of_a_job = matches!(verb, Linked::Run(_));
            let link = session.link().map_err(|failure| {
                if instead_of_a_job { failure.instead_of_a_job() } else { failure }
            })?;
            block_on(linked(&session, link.as_ref(), verb, ready))
        }
    }
}

fn plain(verb: Plain, globals: Globals, output: Output) -> Outcome {
    match verb {
        Plain::Help(verb) => verb.run(output),
        Plain::Completions(verb) => verb.run(output),
        Plain::Man(verb) => verb.run(output),
        Plain::Config(verb) => verb.run(globals),
        Plain::Conform(verb) => verb.run(&globals),
        Plain::Demo(verb) => verb.run(&Session::new(globals)?),
        Plain::Shots(verb) => verb.run(output),
        Plain::Lab(verb) => verb.run(globals.json, output),
    }
}

fn placed(verb: Placed, session: &Session) -> Outcome {
    match verb {
        Placed::Serve(verb) => serve::serve(session, &verb),
        Placed::Server(verb) => verb.run(session),
        Placed::Enable(verb) => verb.run(session),
        Placed::Verify(verb) => verb.run(session),
        Placed::Journal(verb) => verb.run(session),
        Placed::Audit(verb) => verb.run(session),
        Placed::Policy(verb) => verb.run(session),
        Placed::Paths(verb) => verb.run(session),
    }
}

/// What can be refused without a server is refused before one is started.
fn prepare(session: &Session, verb: &Linked, args: &[OsString]) -> Result<Ready, Failure> {
    match verb {
        Linked::Submit(verb) => return verb.prepare(session, args),
        Linked::Run(verb) => return verb.prepare(session),
        Linked::Again(verb) => verb.check(session)?,
        Linked::Set(verb) => verb.check()?,
        Linked::Pause(verb) => verb.check()?,
        Linked::Team(verb) => verb.check()?,
        Linked::Quota(verb) => verb.check()?,
        Linked::Logs(verb) => verb.check(session)?,
        Linked::Ls(verb) => verb.check()?,
        Linked::Approve(verb) => verb.check()?,
        Linked::Delegate(verb) => verb.check()?,
        Linked::Ask(verb) => verb.check(session)?,
        Linked::Gate(verb) => verb.check(session)?,
        Linked::Plan(verb) => verb.check(session)?,
        _ => {}
    }
    Ok(Ready::default())
}

async fn linked(session: &Session, link: &dyn Link, verb: Linked, ready: Ready) -> Outcome {
    match verb {
        Linked::Submit(verb) => verb.run(session, link, ready).await,
        Linked::Run(verb) => verb.run(session, link, ready).await,
        Linked::Ls(verb) => verb.run(session, link).await,
        Linked::Show(verb) => verb.run(session, link).await,
        Linked::Why(verb) => verb.run(session, link).await,
        Linked::Logs(verb) => verb.run(session, link).await,
        Linked::Attach(verb) => verb.run(session, link).await,
        Linked::Send(verb) => verb.run(session, link).await,
        Linked::Wait(verb) => verb.run(session, link).await,
        Linked::Reviews(verb) => verb.run(session, link).await,
        Linked::Approve(verb) => verb.run(session, link).await,
        Linked::Deny(verb) => verb.run(session, link).await,
        Linked::AskBack(verb) => verb.run(session, link).await,
        Linked::Answer(verb) => verb.run(session, link).await,
        Linked::Delegate(verb) => verb.run(session, link).await,
        Linked::Escalate(verb) => verb.run(session, link).await,
        Linked::Extend(verb) => verb.run(session, link).await,
        Linked::Revoke(verb) => verb.run(session, link).await,
        Linked::Cancel(verb) => verb.run(session, link).await,
        Linked::Pause(verb) => verb.run(session, link).await,
        Linked::Resume(verb) => verb.run(session, link).await,
        Linked::Again(verb) => verb.run(session, link).await,
        Linked::Requeue(verb) => verb.run(session, link).await,
        Linked::Preempt(verb) => verb.run(session, link).await,
        Linked::Set(verb) => verb.run(session, link).await,
        Linked::Next(verb) => verb.run(session, link).await,
        Linked::Keep(verb) => verb.run(session, link).await,
        Linked::Ack(verb) => verb.run(session, link).await,
        Linked::Ask(verb) => verb.run(session, link).await,
        Linked::Gate(verb) => verb.run(session, link).await,
        Linked::Redeem(verb) => verb.run(session, link).await,
        Linked::Step(verb) => verb.run(session, link).await,
        Linked::Withdraw(verb) => verb.run(session, link).await,
        Linked::Nodes(verb) => verb.run(session, link).await,
        Linked::Limit(verb) => verb.run(session, link).await,
        Linked::Drain(verb) => verb.run(session, link).await,
        Linked::Undrain(verb) => verb.run(session, link).await,
        Linked::SpotWarning(verb) => verb.run(session, link).await,
        Linked::Plan(verb) => verb.run(session, link).await,
        Linked::Teams(verb) => verb.run(session, link).await,
        Linked::Team(verb) => verb.run(session, link).await,
        Linked::Quota(verb) => verb.run(session, link).await,
        Linked::Events(verb) => verb.run(session, link).await,
        Linked::Checkpoint(verb) => verb.run(session, link).await,
        Linked::Progress(verb) => verb.run(session, link).await,
        Linked::Scale(verb) => verb.run(session, link).await,
        Linked::Heartbeat(verb) => verb.run(session, link).await,
        Linked::Usage(verb) => verb.run(session, link).await,
    }
}
