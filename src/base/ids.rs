//! Numbers that name things. A number is never reused.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A job's number, printed bare: `42`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u64);

/// A review's number, printed `R17`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReviewId(pub u64);

impl fmt::Display for ReviewId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "R{}", self.0)
    }
}

impl std::str::FromStr for ReviewId {
    type Err = ();

    /// Reads what `Display` writes, in either case.
    fn from_str(s: &str) -> Result<ReviewId, ()> {
        let digits = s.strip_prefix(['R', 'r']).ok_or(())?;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        if plain { digits.parse().map(ReviewId).map_err(|_| ()) } else { Err(()) }
    }
}

/// One process of one attempt of a job. Written `42.2.0`: job, attempt (from 1), rank (from 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId {
    /// The job.
    pub job: JobId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// The rank in the gang, counted from 0.
    pub rank: u32,
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.job, self.attempt, self.rank)
    }
}

impl std::str::FromStr for TaskId {
    type Err = ();

    /// Reads what `Display` writes; anything else is an error without detail, for the caller
    /// knows what it was reading (a spool directory's name).
    fn from_str(s: &str) -> Result<TaskId, ()> {
        let mut parts = s.split('.');
        let mut next = || parts.next().ok_or(());
        let (job, attempt, rank) = (next()?, next()?, next()?);
        if parts.next().is_some() {
            return Err(());
        }
        Ok(TaskId {
            job: JobId(job.parse().map_err(|_| ())?),
            attempt: attempt.parse().map_err(|_| ())?,
            rank: rank.parse().map_err(|_| ())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_id_reads_back_what_it_writes() {
        assert_eq!(ReviewId(17).to_string(), "R17");
        assert_eq!("r17".parse(), Ok(ReviewId(17)));
        for bad in ["", "17", "R", "R-1", "R+1", "R1.2", "R99999999999999999999"] {
            assert_eq!(bad.parse::<ReviewId>(), Err(()), "{bad}");
        }
    }

    #[test]
    fn a_task_id_reads_back_what_it_writes() {
        let id = TaskId { job: JobId(42), attempt: 2, rank: 0 };
        assert_eq!(id.to_string(), "42.2.0");
        assert_eq!("42.2.0".parse(), Ok(id));
        for bad in ["", "42", "42.2", "42.2.0.1", "a.b.c", "42.-1.0"] {
            assert_eq!(bad.parse::<TaskId>(), Err(()), "{bad}");
        }
    }
}
