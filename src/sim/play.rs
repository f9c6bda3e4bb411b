//! A submission together with how it will behave.

use crate::base::{Name, Span};
use crate::model::job::{DependencyKind, Exit};
use crate::model::setup::Tier;
use crate::model::submission::{ArrayRequest, Submission};
use crate::sim::conduct::{Ask, Conduct};

/// A job somebody of the simulation submits. Built word by word.
#[derive(Debug, Clone)]
pub struct Play {
    /// What is asked for.
    pub submission: Submission,
    /// Who asks.
    pub by: &'static str,
    /// How it behaves.
    pub conduct: Conduct,
    /// Jobs it comes after, by name: the newest of that name.
    pub after: Vec<(&'static str, DependencyKind)>,
    /// It starts so long after its submission, if said.
    pub starts_in: Option<Span>,
}

impl Play {
    /// A job of a team with a name, by somebody, that runs a command line.
    pub fn new(name: &str, team: &str, by: &'static str, line: &str, conduct: Conduct) -> Play {
        let submission = Submission {
            argv: line.split(' ').map(str::to_owned).collect(),
            cwd: format!("/srv/{team}"),
            name: Some(name.into()),
            team: Some(team.into()),
            ..Submission::default()
        };
        Play { submission, by, conduct, after: Vec::new(), starts_in: None }
    }

    /// Cores and GiB of memory of each task.
    #[must_use]
    pub fn needs(mut self, cores: u64, gib: u64) -> Play {
        self.submission.cpu_milli = Some(cores * 1000);
        self.submission.mem_bytes = Some(gib << 30);
        self
    }

    /// Whole GPUs of each task.
    #[must_use]
    pub fn gpus(mut self, count: u64) -> Play {
        self.submission.gpu_milli = Some(count * 1000);
        self
    }

    /// One unit of a countable resource.
    #[must_use]
    pub fn holds(mut self, resource: &str) -> Play {
        self.submission.custom.insert(resource.into(), 1);
        self
    }

    /// A tier.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Play {
        self.submission.tier = Some(tier);
        self
    }

    /// A gang that starts with `min` of `size` tasks.
    #[must_use]
    pub fn gang(mut self, size: u32, min: u32) -> Play {
        (self.submission.gang, self.submission.min) = (Some(size), Some(min));
        self
    }

    /// An array, and how many of its elements may run at once.
    #[must_use]
    pub fn array(mut self, elements: u32, throttle: Option<u32>) -> Play {
        let indices = (0..elements).collect();
        self.submission.array = Some(ArrayRequest { indices, throttle });
        self
    }

    /// A guess of its run time, and a limit.
    #[must_use]
    pub fn times(mut self, estimate: Option<Span>, limit: Option<Span>) -> Play {
        (self.submission.estimate, self.submission.time_limit) = (estimate, limit);
        self
    }

    /// It saves itself and continues.
    #[must_use]
    pub fn resumable(mut self, each: Span) -> Play {
        self.submission.resumable = true;
        self.conduct.saves = Some(each);
        self
    }

    /// It may be started again from the beginning.
    #[must_use]
    pub fn requeue(mut self) -> Play {
        self.submission.requeue = true;
        self
    }

    /// It may be stopped for others, and starts again later.
    #[must_use]
    pub fn preemptible(mut self) -> Play {
        self.submission.wishes.preemptible = Some(true);
        self.requeue()
    }

    /// It holds what it has for good.
    #[must_use]
    pub fn firm(mut self) -> Play {
        self.submission.wishes.preemptible = Some(false);
        self
    }

    /// Further attempts after a failure.
    #[must_use]
    pub fn retry(mut self, times: u32) -> Play {
        self.submission.retry = times;
        self
    }

    /// It has a terminal.
    #[must_use]
    pub fn terminal(mut self) -> Play {
        self.submission.pty = true;
        self
    }

    /// It asks at its prompt, which needs a terminal.
    #[must_use]
    pub fn asks(mut self, after: Span, text: &str, patience: Option<Span>) -> Play {
        self.conduct.asks.push(Ask { after, text: text.to_owned(), patience });
        self.terminal()
    }

    /// It ends badly.
    #[must_use]
    pub fn ends(mut self, exit: Exit, last_words: &str) -> Play {
        self.conduct.ends.push(exit);
        last_words.clone_into(&mut self.conduct.last_words);
        self
    }

    /// It reports progress after so much work.
    #[must_use]
    pub fn reports(mut self, each: Span) -> Play {
        self.conduct.reports = Some(each);
        self
    }

    /// It writes nothing.
    #[must_use]
    pub fn quiet(mut self) -> Play {
        self.conduct.quiet = true;
        self
    }

    /// It comes after the newest job of a name.
    #[must_use]
    pub fn after(mut self, name: &'static str, kind: DependencyKind) -> Play {
        self.after.push((name, kind));
        self
    }

    /// It starts no sooner than so long after its submission.
    #[must_use]
    pub fn starts_in(mut self, span: Span) -> Play {
        self.starts_in = Some(span);
        self
    }

    /// A label.
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Play {
        let (key, value): (Name, Name) = (key.into(), value.into());
        self.submission.labels.insert(key, value);
        self
    }
}
