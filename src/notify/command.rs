//! Runs a program of the user's: the message as JSON on its input, no shell, no longer than it may.

use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use crate::notify::worker::Tried;

/// Bytes of what a program complains that are read.
const SAID_MAX: u64 = 4096;
/// What it has said is read for so long after its end: something it left behind may keep the pipe.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Runs it. It arrived if the program ends with 0.
pub(super) async fn run(argv: &[String], input: &[u8], limit: Duration) -> Tried {
    let Some((program, args)) = argv.split_first() else {
        return Tried::Never("no program is named".to_owned());
    };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    // Its own group, so that what it started ends with it.
    command.process_group(0).kill_on_drop(true);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Tried::Never(format!("cannot be run: {}", error.kind())),
    };
    let group = child.id().and_then(|pid| i32::try_from(pid).ok()).map(Pid::from_raw);
    match tokio::time::timeout(limit, wait(&mut child, input)).await {
        Ok(tried) => tried,
        Err(_) => {
            if let Some(group) = group {
                let _ = killpg(group, Signal::SIGKILL);
            }
            let _ = child.wait().await;
            Tried::Again(format!("did not end within {} ms", limit.as_millis()))
        }
    }
}

async fn wait(child: &mut Child, input: &[u8]) -> Tried {
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let feed = async move {
        if let Some(mut stdin) = stdin {
            // One that does not read it may be content all the same.
            let _ = stdin.write_all(input).await;
        }
    };
    let listen = async move {
        let mut said = Vec::new();
        if let Some(stderr) = stderr {
            let _ = stderr.take(SAID_MAX).read_to_end(&mut said).await;
        }
        said
    };
    let listening = tokio::spawn(listen);
    let (_, ended) = tokio::join!(feed, child.wait());
    match ended {
        Ok(status) if status.success() => Tried::Arrived,
        Ok(status) => {
            let said = tokio::time::timeout(LAST_WORDS, listening).await;
            let said = said.ok().and_then(Result::ok).unwrap_or_default();
            let said = String::from_utf8_lossy(&said).trim().to_owned();
            let text = if said.is_empty() { String::new() } else { format!(": {said}") };
            Tried::Again(format!("{status}{text}"))
        }
        Err(error) => Tried::Again(format!("lost: {}", error.kind())),
    }
}
