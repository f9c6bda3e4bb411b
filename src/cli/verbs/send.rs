//! `send T TEXT`: an answer at a job's prompt.

use bytes::Bytes;
use clap::Args;

use crate::cli::args::target::Target;
use crate::cli::exit::{OK, Outcome};
use crate::cli::session::Session;
use crate::cli::targets;
use crate::link::Link;

/// `send`.
#[derive(Debug, Args)]
pub struct Send {
    /// The job; it must have a terminal (submit -t)
    #[arg(value_name = "JOB")]
    target: Target,
    /// What to type; words are joined by blanks
    #[arg(
        value_name = "TEXT",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    text: Vec<String>,
    /// Do not press Enter after it
    #[arg(long)]
    raw: bool,
    /// The task whose terminal is meant
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    task: u32,
}

impl Send {
    /// Types it.
    ///
    /// # Errors
    /// The server's: no such job, no terminal, not running.
    pub async fn run(self, _session: &Session, link: &dyn Link) -> Outcome {
        // What is typed is never sent twice, so a server that is just going away is found out by
        // a question that may be asked again.
        let job = targets::one(link, &self.target).await?.id;
        link.input(job, self.task, Bytes::from(self.typed())).await?;
        Ok(OK)
    }

    /// The keys: the Enter key of a terminal sends a carriage return.
    fn typed(&self) -> String {
        let enter = if self.raw { "" } else { "\r" };
        format!("{}{enter}", self.text.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::tree::{Cli, Linked, Verb};
    use clap::Parser;

    fn typed(words: &[&str]) -> String {
        let words = ["holdshort", "send"].iter().chain(words);
        match Cli::try_parse_from(words).unwrap().verb {
            Some(Verb::Linked(Linked::Send(send))) => send.typed(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn enter_is_pressed_unless_raw_was_asked_for() {
        assert_eq!(typed(&["42", "yes"]), "yes\r");
        assert_eq!(typed(&["42", "go", "-v", "on"]), "go -v on\r");
        assert_eq!(typed(&["--raw", "42", "y"]), "y");
        assert_eq!(typed(&["42", ""]), "\r");
        assert_eq!(typed(&["42", "--", "-1"]), "-1\r");
    }
}
