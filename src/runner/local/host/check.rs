//! Health checks of services: a command beside the task, with its environment and in its
//! directory, that has only so long to say that all is well.

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::model::ports::runner::{HealthCheck, RunnerEvent};
use crate::runner::local::host::shared::Shared;

/// Between two looks at a check that runs.
const LOOK: Duration = Duration::from_millis(20);

/// Starts a check; what it came to is told as an event.
pub fn start(shared: &Arc<Shared>, check: HealthCheck) {
    let (own, task) = (Arc::clone(shared), check.task);
    let run = move || {
        let (well, said) = run(&check);
        own.tell(RunnerEvent::Checked { task: check.task, well, said });
    };
    let spawned = std::thread::Builder::new().name("health-check".to_owned()).spawn(run);
    if let Err(error) = spawned {
        // No answer of the service: nothing is known of it.
        tracing::warn!("cannot check the health of task {task}: {error}");
    }
}

fn run(check: &HealthCheck) -> (bool, String) {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(&check.command).current_dir(&check.cwd).process_group(0);
    command.env_clear().envs(check.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return (false, format!("it cannot be started: {error}")),
    };
    let patience = check.patience.to_std();
    match wait(&mut child, patience) {
        Some(status) => (status.success(), words(status)),
        None => {
            end(&mut child);
            (false, format!("no answer in {}", crate::base::duration::exact(check.patience)))
        }
    }
}

fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
            _ => return None,
        }
    }
}

/// Ends the check with all that it started.
fn end(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let _ = child.wait();
}

fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an end that nobody understands".to_owned(),
    }
}
