//! What a verb is about: `42`, `#42`, `40_7`, `R17`, `team:ml`, `node:n1`, `all`.

use std::fmt;
use std::str::FromStr;

use crate::base::{JobId, Name, ReviewId};
use crate::cli::args::values;

/// What a verb is about, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A job; if it is the first element of an array, the whole array.
    Job(JobId),
    /// An element of an array.
    Element(JobId, u32),
    /// A review.
    Review(ReviewId),
    /// A team.
    Team(Name),
    /// A node.
    Node(Name),
    /// Everything.
    All,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        if text == "all" {
            return Ok(Target::All);
        }
        if let Some(team) = text.strip_prefix("team:") {
            return values::team(team).map(Target::Team);
        }
        if let Some(node) = text.strip_prefix("node:") {
            return values::name(node).map(Target::Node);
        }
        if let Ok(review) = text.parse() {
            return Ok(Target::Review(review));
        }
        job(text).ok_or_else(|| explain(text))
    }
}

fn job(text: &str) -> Option<Target> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let number = |s: &str| -> Option<u64> {
        let numeric = !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        numeric.then(|| s.parse().ok())?
    };
    match digits.split_once('_') {
        None => Some(Target::Job(JobId(number(digits)?))),
        Some((array, index)) => {
            let index = u32::try_from(number(index)?).ok()?;
            Some(Target::Element(JobId(number(array)?), index))
        }
    }
}

fn explain(text: &str) -> String {
    if text.split_once('/').is_some_and(|(_, rest)| job(rest).is_some()) {
        return format!("`{text}` names another context, and this version has only the local one");
    }
    format!("`{text}` is no job; write its number: 42, or 40_7 for an element of an array")
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Job(id) => write!(f, "{id}"),
            Target::Element(id, index) => write!(f, "{id}_{index}"),
            Target::Review(id) => write!(f, "{id}"),
            Target::Team(name) => write!(f, "team:{name}"),
            Target::Node(name) => write!(f, "node:{name}"),
            Target::All => f.write_str("all"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_target_is_understood() {
        assert_eq!("42".parse(), Ok(Target::Job(JobId(42))));
        assert_eq!("#42".parse(), Ok(Target::Job(JobId(42))));
        assert_eq!("40_7".parse(), Ok(Target::Element(JobId(40), 7)));
        assert_eq!("team:org/ml".parse(), Ok(Target::Team("org/ml".into())));
        assert_eq!("node:n1".parse(), Ok(Target::Node("n1".into())));
        assert_eq!("r17".parse(), Ok(Target::Review(ReviewId(17))));
        assert_eq!("all".parse(), Ok(Target::All));
    }

    #[test]
    fn what_is_no_target_says_what_would_be_one() {
        for bad in
            ["", "#", "-1", "+1", "4 2", "40_", "_7", "team:", "node:", "99999999999999999999"]
        {
            assert!(bad.parse::<Target>().is_err(), "{bad}");
        }
        assert!("prod/42".parse::<Target>().unwrap_err().contains("context"));
        assert!("build".parse::<Target>().unwrap_err().contains("42"));
    }
}
