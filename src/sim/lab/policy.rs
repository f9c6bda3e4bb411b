//! The policies there are, by the names people use for them.

use std::fmt;
use std::str::FromStr;

use crate::base::nearest;
use crate::sched::policy::estimate::{Correction, Prediction};
use crate::sched::policy::order::BackfillOrder;

/// A policy of the literature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    name: &'static str,
    rule: Rule,
}

/// How it decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The head of the queue, perhaps with others before it.
    Queue(QueueRule),
    /// A reservation for every job, by its request.
    Conservative,
}

/// The variants of first come, first served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueRule {
    /// In which order the others may start before the head; `None`: they may not.
    pub backfill: Option<BackfillOrder>,
    /// How long jobs are thought to run.
    pub prediction: Prediction,
    /// What becomes of a prediction that is outlived.
    pub correction: Correction,
    /// A pass at every submission, not only where the new job fits into what is free.
    pub eager: bool,
}

const fn easy(order: BackfillOrder, prediction: Prediction) -> QueueRule {
    let correction = Correction::ToRequest;
    QueueRule { backfill: Some(order), prediction, correction, eager: false }
}

const fn queue(name: &'static str, rule: QueueRule) -> Policy {
    Policy { name, rule: Rule::Queue(rule) }
}

use BackfillOrder::{Arrival, Shortest};
use Prediction::{Doubled, Exact, LastTwo, Request};

const FCFS: QueueRule = QueueRule { backfill: None, ..easy(Arrival, Request) };
const TSAFRIR: QueueRule = easy(Arrival, LastTwo);
const EASY_PLUS: QueueRule = QueueRule { eager: true, ..easy(Shortest, LastTwo) };
const STEPWISE: Correction = Correction::Stepwise;

impl Policy {
    /// All of them.
    pub const ALL: [Policy; 12] = [
        queue("fcfs", FCFS),
        queue("easy", easy(Arrival, Request)),
        queue("easy-exact", easy(Arrival, Exact)),
        queue("easy-doubled", easy(Arrival, Doubled)),
        queue("easy-sjbf", easy(Shortest, Request)),
        queue("easy-sjbf-exact", easy(Shortest, Exact)),
        queue("easy-sjbf-doubled", easy(Shortest, Doubled)),
        queue("easy-tsafrir", QueueRule { correction: STEPWISE, ..TSAFRIR }),
        queue("easy-tsafrir-request", TSAFRIR),
        queue("easy++", QueueRule { correction: STEPWISE, ..EASY_PLUS }),
        queue("easy++-request", EASY_PLUS),
        Policy { name: "conservative", rule: Rule::Conservative },
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// How it decides.
    pub fn rule(self) -> Rule {
        self.rule
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Policy, String> {
        let names = || Policy::ALL.iter().map(|policy| policy.name);
        let found = Policy::ALL.iter().find(|policy| policy.name.eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| {
            let near = nearest(text, names()).map(|near| format!("; did you mean {near}?"));
            let list = || format!("; there are {}", names().collect::<Vec<_>>().join(", "));
            format!("there is no policy `{text}`{}", near.unwrap_or_else(list))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_a_typo_gets_the_nearest() {
        for policy in Policy::ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        assert!("easy-sjfb".parse::<Policy>().unwrap_err().contains("did you mean easy-sjbf"));
        assert!("lottery".parse::<Policy>().unwrap_err().contains("conservative"));
    }
}
