//! What every verb has: the options, the places, the streams and the way to the server.

use std::future::Future;
use std::sync::Arc;

use super::autostart;
use super::exit::{Failure, Outcome, UNREACHABLE};
use super::output::Output;
use super::places::Places;
use super::tree::Globals;
use crate::api::client::PATIENCE;
use crate::base::JobId;
use crate::link::local::Local;
use crate::link::{Link, STOPPED};
use crate::tui::Starter;

/// The variable that names the job to its processes.
const JOB_ID: &str = "HOLDSHORT_JOB_ID";

/// The surroundings of one verb.
pub struct Session {
    /// Options every verb has.
    pub globals: Globals,
    /// Where things lie.
    pub places: Places,
    /// The streams.
    pub output: Output,
}

impl Session {
    /// Finds the places for these options.
    ///
    /// # Errors
    /// When the configuration makes no sense.
    pub fn new(globals: Globals) -> Result<Session, Failure> {
        let places = Places::find(&globals)?;
        let output = Output { color: globals.color };
        Ok(Session { globals, places, output })
    }

    /// The server; started if none runs. In a job it is never started, but waited for: a server
    /// must not live in a job's process tree.
    ///
    /// # Errors
    /// When it cannot be reached or started.
    pub fn link(&self) -> Result<Box<dyn Link>, Failure> {
        if in_job() {
            self.places.check_socket()?;
            if autostart::answers_within(&self.places.paths.socket, PATIENCE) {
                return Ok(Box::new(self.local()));
            }
            return Err(self.unreachable());
        }
        autostart::ensure(&self.places)?;
        let places = self.places.clone();
        let revive = move || autostart::ensure(&places).map(drop).map_err(|f| f.to_string());
        Ok(Box::new(self.local().reviving(revive)))
    }

    /// The server for a console, and what starts it again after somebody stopped it. A console
    /// that only looks starts none, and none is brought back that was stopped on purpose: an
    /// ordered end removes the socket, a crash leaves it.
    ///
    /// # Errors
    /// When it cannot be reached or started.
    pub fn console_link(&self, looks: bool) -> Result<(Box<dyn Link>, Option<Starter>), Failure> {
        if looks && !in_job() {
            self.places.check_socket()?;
            return Ok((Box::new(self.local()), None));
        }
        if in_job() {
            return Ok((self.link()?, None));
        }
        autostart::ensure(&self.places)?;
        let places = self.places.clone();
        let start = move || autostart::ensure(&places).map(drop).map_err(|f| f.to_string());
        let places = self.places.clone();
        let revive = move || match autostart::bring_back(&places) {
            Ok(true) => Ok(()),
            Ok(false) => Err(STOPPED.to_owned()),
            Err(failure) => Err(failure.to_string()),
        };
        Ok((Box::new(self.local().reviving(revive)), Some(Starter(Arc::new(start)))))
    }

    /// The server, if one runs.
    pub fn running_link(&self) -> Option<Box<dyn Link>> {
        let there = autostart::answers(&self.places.paths.socket);
        there.then(|| Box::new(self.local()) as Box<dyn Link>)
    }

    /// A job's token goes along for those that run outside its process tree, as in a container.
    fn local(&self) -> Local {
        let token = std::env::var("HOLDSHORT_TOKEN").ok();
        Local::new(self.places.paths.socket.clone()).with_token(token)
    }

    /// The job in whose tree this runs, as far as its environment says.
    pub fn inside(&self) -> Option<JobId> {
        std::env::var(JOB_ID).ok()?.parse().ok().map(JobId)
    }

    /// Prints one document on one line.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub fn json(&self, document: &impl serde::Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(document)
            .map_err(|error| Failure::failed(format!("cannot print this as JSON; {error}"), ""))?;
        self.output.line(&text)
    }

    /// Why there is no answer.
    pub fn unreachable(&self) -> Failure {
        let what = format!("no server answers at {}", self.places.paths.socket.display());
        Failure::new(UNREACHABLE, what, "start it: holdshort server start")
    }
}

/// This process runs in a job's tree, as far as its environment says.
pub fn in_job() -> bool {
    std::env::var_os(JOB_ID).is_some()
}

/// Runs a future to its end on this thread.
///
/// # Errors
/// The future's own; or that the system has no room for a reactor.
pub fn block_on(future: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("cannot start; {error}"), ""))?;
    let outcome = runtime.block_on(future);
    // A read that never comes back must not keep the process.
    runtime.shutdown_background();
    outcome
}

/// A way to bring back a server that went away while we waited for it.
pub trait Revive {
    /// Returns once a server answers again.
    ///
    /// # Errors
    /// When it cannot be started.
    fn revive(&self) -> Result<(), Failure>;
}

impl Revive for Session {
    fn revive(&self) -> Result<(), Failure> {
        self.link().map(drop)
    }
}
