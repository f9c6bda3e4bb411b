//! Runs the commands that make the nodes of pools and take them away.
//!
//! A command may be run again for the same node after a crash of the server, so it must be content
//! with a node that is there already, or gone.

use std::process::{Command, Stdio};

use crate::base::Name;
use crate::engine::intake::{Door, Request};

/// Bytes of what a command said that are kept.
const SAID_MAX: usize = 500;

/// Runs a command for a node; what came of it goes to the loop.
pub(super) fn run(door: &Door, command: &str, pool: &Name, node: &Name, up: bool) {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).env("HOLDSHORT_NODE", &**node).env("HOLDSHORT_POOL", &**pool);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let (door, node) = (door.clone(), node.clone());
    let wait = move || {
        let failed = match shell.output() {
            Ok(output) if output.status.success() => None,
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr);
                let text: String = text.trim().chars().take(SAID_MAX).collect();
                Some(format!("{}: {text}", output.status))
            }
            Err(error) => Some(format!("cannot be run: {error}")),
        };
        door.send(Request::Provided { node, up, failed });
    };
    if let Err(error) = std::thread::Builder::new().name("pool".into()).spawn(wait) {
        tracing::warn!("cannot run the command of a pool: {error}");
    }
}
