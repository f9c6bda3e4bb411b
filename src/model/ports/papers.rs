//! What a job gets to read when it comes back with an answer.

use crate::model::review::Review;

/// Writes answers down. The engine knows when and where, not in which words.
pub trait Papers: Send + Sync {
    /// The content of the file that tells a job how its review was decided.
    fn decision(&self, review: &Review) -> Vec<u8>;
}
