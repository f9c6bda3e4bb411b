//! How a made-up program behaves: how long it runs, what it says, asks and leaves behind.

use crate::base::{Span, duration};
use crate::model::job::Exit;
use crate::sim::dice::Dice;
use crate::sim::voice::Voice;

/// How a job's processes behave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conduct {
    /// What its output sounds like.
    pub voice: Voice,
    /// Work of one task from the beginning to the end.
    pub run: Span,
    /// Hundredths by which a task's work may be shorter or longer.
    pub spread: u64,
    /// How its attempts end, the first one first; the last stands for all later ones. Empty: 0.
    pub ends: Vec<Exit>,
    /// Of a thousand attempts that would end well, so many end with 1.
    pub fails: u64,
    /// What it says before a bad end.
    pub last_words: String,
    /// What it asks at its prompt.
    pub asks: Vec<Ask>,
    /// It writes nothing.
    pub quiet: bool,
    /// It reports progress, and what it used, after so much work.
    pub reports: Option<Span>,
    /// It saves itself after so much work.
    pub saves: Option<Span>,
    /// It does not hear TERM and has to be killed.
    pub deaf: bool,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// After so much work.
    pub after: Span,
    /// The question.
    pub text: String,
    /// A colleague answers after so long; `None`: only the demo's own user can.
    pub patience: Option<Span>,
}

impl Conduct {
    /// A program that works for a while and ends well.
    pub fn of(voice: Voice, run: Span) -> Conduct {
        Conduct {
            voice,
            run,
            spread: 0,
            ends: Vec::new(),
            fails: 0,
            last_words: String::new(),
            asks: Vec::new(),
            quiet: false,
            reports: None,
            saves: None,
            deaf: false,
        }
    }

    /// What a command that a person typed probably does: `sleep 60` sleeps, `false` fails, and
    /// anything else works for some minutes.
    pub fn guess(argv: &[String], estimate: Option<Span>, dice: &mut Dice) -> Conduct {
        let words: Vec<&str> = argv.iter().flat_map(|arg| arg.split_whitespace()).collect();
        let slept = words.windows(2).find_map(|pair| match pair {
            ["sleep", time] => match time.parse() {
                Ok(seconds) => Some(Span(1000u64.saturating_mul(seconds))),
                Err(_) => duration::parse(time).ok(),
            },
            _ => None,
        });
        let some = || dice.span(Span::mins(1), Span::mins(20));
        let quick = ["true", "false", "echo"].iter().any(|word| words.first() == Some(word));
        let seconds = if quick { Some(Span(200)) } else { slept };
        let mut conduct = Conduct::of(Voice::Plain, seconds.or(estimate).unwrap_or_else(some));
        conduct.quiet = words.first() == Some(&"sleep");
        if words.first() == Some(&"false") {
            conduct.ends.push(Exit::Code(1));
        }
        conduct
    }

    /// How one attempt of one task turns out: how much work it is, and how it ends.
    pub fn turn_out(&self, attempt: u32, dice: &mut Dice) -> (Span, Exit) {
        let run = Span(dice.about(self.run, self.spread).0.max(1));
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        let exit = self.ends.get(index).or(self.ends.last()).cloned().unwrap_or(Exit::Code(0));
        if exit.is_success() && dice.chance(self.fails) {
            // A failure comes somewhere on the way, not at the end.
            return (Span(dice.between(1, run.0)), Exit::Code(1));
        }
        (run, exit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_end_stands_for_all_later_attempts() {
        let mut conduct = Conduct::of(Voice::Plain, Span::secs(9));
        conduct.ends = vec![Exit::Code(1), Exit::Signal(9)];
        let ends: Vec<Exit> =
            (1..=3).map(|attempt| conduct.turn_out(attempt, &mut Dice::new(1)).1).collect();
        assert_eq!(ends, [Exit::Code(1), Exit::Signal(9), Exit::Signal(9)]);
    }

    #[test]
    fn a_typed_command_behaves_as_it_reads() {
        let guess = |line: &str| {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            Conduct::guess(&argv, None, &mut Dice::new(1))
        };
        assert_eq!(guess("sleep 90").run, Span::secs(90));
        assert_eq!(guess("false").ends, [Exit::Code(1)]);
        assert!(guess("./agent.sh").run >= Span::mins(1));
    }
}
