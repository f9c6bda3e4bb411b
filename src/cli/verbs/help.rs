//! `help`, `help all`, `help VERB`.

use clap::{Args, CommandFactory};

use crate::cli::exit::{Failure, OK, Outcome};
use crate::cli::later;
use crate::cli::output::Output;
use crate::cli::tree::Cli;

/// `help`.
#[derive(Debug, Args)]
pub struct Help {
    /// `all`, or a verb: `server stop`
    #[arg(value_name = "all|VERB")]
    topic: Vec<String>,
}

impl Help {
    /// Prints it.
    ///
    /// # Errors
    /// When there is no such verb.
    pub fn run(self, output: Output) -> Outcome {
        output.out(&text(&self.topic, output.out_has_colour())?)?;
        Ok(OK)
    }
}

/// The command tree with every verb shown.
pub fn whole() -> clap::Command {
    Cli::command().mut_subcommands(|verb| verb.hide(false)).subcommand_help_heading("Verbs")
}

fn text(topic: &[String], colour: bool) -> Result<String, Failure> {
    let mut command = match topic {
        [] => Cli::command(),
        _ => whole(),
    };
    command.build();
    let mut at = command;
    for word in topic.iter().filter(|_| topic != ["all"]) {
        let Some(next) = at.get_subcommands().find(|verb| named(verb, word)).cloned() else {
            return Err(later::verb(word).unwrap_or_else(|| {
                let what = format!("there is no verb `{word}`");
                Failure::usage(what, "`holdshort help all` lists them")
            }));
        };
        at = next;
    }
    let styled = at.render_help();
    Ok(if colour { styled.ansi().to_string() } else { styled.to_string() })
}

fn named(command: &clap::Command, word: &str) -> bool {
    command.get_name() == word || command.get_all_aliases().any(|alias| alias == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> Result<String, Failure> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        text(&words, false)
    }

    #[test]
    fn all_lists_every_verb_and_a_verb_explains_itself() {
        let all = help(&["all"]).unwrap();
        for verb in ["submit", "undrain", "heartbeat", "completions", "journal"] {
            assert!(all.contains(&format!("\n  {verb}")), "{verb}\n{all}");
        }
        assert!(help(&["submit"]).unwrap().contains("--time-limit"));
        assert!(help(&["server", "stop"]).unwrap().contains("--with-jobs"));
        assert!(help(&["stop"]).unwrap().contains("--reason"));
        assert!(help(&["budgets"]).unwrap_err().what.contains("does not have"));
        assert!(help(&["nonsense"]).is_err());
    }
}
