//! `completions SHELL` and `man [DIR]`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::output::Output;
use crate::cli::verbs::help;

/// `completions`.
#[derive(Debug, Args)]
#[command(after_help = "For bash: holdshort completions bash > \
                        ~/.local/share/bash-completion/completions/holdshort")]
pub struct Completions {
    /// bash, zsh, fish, elvish or powershell
    #[arg(value_enum)]
    shell: Shell,
}

/// `man`.
#[derive(Debug, Args)]
#[command(after_help = "To read it at once: holdshort man | man -l -")]
pub struct Man {
    /// Write a page for each verb to this directory
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Completions {
    /// Prints the script.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub fn run(self, output: Output) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut help::whole(), "holdshort", &mut script);
        output.out(&String::from_utf8_lossy(&script))?;
        Ok(OK)
    }
}

impl Man {
    /// Prints the page, or writes all of them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn run(self, output: Output) -> Outcome {
        let failed = |error: std::io::Error| {
            Failure::failed(format!("cannot write the pages; {error}"), "give a directory")
        };
        match self.dir {
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(help::whole()).render(&mut page).map_err(failed)?;
                output.out(&String::from_utf8_lossy(&page))?;
            }
            Some(dir) => {
                std::fs::create_dir_all(&dir).map_err(failed)?;
                clap_mangen::generate_to(help::whole(), &dir).map_err(failed)?;
            }
        }
        Ok(OK)
    }
}
