//! What is wrong with the configuration: where, what, why, what to do.

use std::fmt;
use std::path::PathBuf;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What is wrong, why, and what to do.
    pub text: String,
}

/// Where a mistake stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a file, at a line from 1; 0 is the file as a whole.
    File(PathBuf, usize),
    /// In a variable of the environment.
    Env(&'static str),
    /// In a flag that set this key.
    Flag(String),
}

/// All mistakes that were found, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File(path, 0) => write!(f, "{}: {}", path.display(), self.text),
            Place::File(path, line) => write!(f, "{}:{line}: {}", path.display(), self.text),
            Place::Env(name) => write!(f, "{name} in the environment: {}", self.text),
            Place::Flag(key) => write!(f, "flag for {key}: {}", self.text),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
