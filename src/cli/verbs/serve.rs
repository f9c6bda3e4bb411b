//! `serve`: the options of the server itself. The composition root gives it its body.

use std::os::fd::RawFd;

use clap::Args;

/// `serve`.
#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// Detached from its caller, as the first command starts it
    #[arg(long, hide = true)]
    pub background: bool,
    /// The caller's pipe, which is told when the socket answers
    #[arg(long, hide = true, requires = "background", value_name = "FD")]
    pub ready_fd: Option<RawFd>,
}
