//! Where the values of environments lie: 0600 files beside the journal, one for each distinct
//! content, since secrets never enter the journal.

use std::collections::BTreeSet;

use crate::base::Digest;
use crate::model::ports::journal::StorageError;

/// Stored environments.
pub trait Environments: Send + Sync {
    /// Stores one, durably, unless it is there; returns its name.
    ///
    /// # Errors
    /// Nothing is stored then.
    fn put(&self, bytes: &[u8]) -> Result<Digest, StorageError>;

    /// Reads one back.
    ///
    /// # Errors
    /// When it cannot be read or is not what its name says.
    fn get(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StorageError>;

    /// Removes all but these; how many went.
    ///
    /// # Errors
    /// When the directory cannot be read.
    fn keep(&self, wanted: &BTreeSet<Digest>) -> Result<usize, StorageError>;
}
