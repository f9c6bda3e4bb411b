//! Which jobs are meant: the parsed form of the filter language, and its meaning.
//!
//! The words are parsed in `view/filter`; CLI, API and console share both.

pub mod matching;

use crate::base::Name;

pub use matching::Subject;

/// The word of `lane=` for jobs with a finding that makes them stuck, in whatever lane.
pub const STUCK: &str = "stuck";

/// All terms must hold; no terms match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The terms.
    pub terms: Vec<Term>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// A bare word: id, or part of name or team, without regard to case.
    Word(String),
    /// `key=a,b`, `key!=a`, `key~part`, `key=from..to`.
    Field {
        /// What is looked at.
        field: Field,
        /// The condition.
        test: Test,
        /// `!=`: must not hold.
        negated: bool,
    },
}

/// What a term looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// The number.
    Id,
    /// The shown name.
    Name,
    /// The team; a path matches itself and everything below.
    Team,
    /// The owner.
    Owner,
    /// The state's word.
    State,
    /// The lane's word.
    Lane,
    /// The tier's word.
    Tier,
    /// The node's name.
    Node,
    /// A label: `label.KEY=value`, or any label's key or value with `label=`.
    Label(Option<Name>),
    /// The number of an array or parent.
    Array,
    /// The parent's number.
    Parent,
    /// The priority.
    Priority,
    /// Cores in thousandths, summed over the gang.
    Cpu,
    /// Memory in bytes, summed over the gang.
    Mem,
    /// GPUs in thousandths, summed over the gang.
    Gpu,
    /// Time since submit, in milliseconds.
    Age,
    /// The exit code.
    Exit,
    /// A finding's word, or `any`.
    Finding,
    /// Whether it may be stopped to make room: `yes` or `no`.
    Preemptible,
    /// Time left to its deadline, in milliseconds; negative when that is over.
    Deadline,
}

/// A condition on a field's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// Equals one of these texts.
    OneOf(Vec<String>),
    /// Contains this text, without regard to case.
    Contains(String),
    /// Lies in this range, both ends included; `None` is open.
    Range {
        /// From.
        from: Option<i64>,
        /// To.
        to: Option<i64>,
    },
}
