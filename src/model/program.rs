//! What a job executes. Kept out of the world: stored once per distinct content, named by digest.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::Digest;

/// Command, directory and environment of a job: the content behind [`crate::model::JobSpec`]'s
/// `program` digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The command and its arguments; never empty.
    pub argv: Vec<String>,
    /// The working directory, absolute.
    pub cwd: String,
    /// The environment, by digest of its stored values.
    pub env: Digest,
}

/// Names and values of an environment, sorted by name. The values lie in a 0600 spool file and
/// never in the journal. The jobs of a batch share one.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(pub Arc<Vec<(String, String)>>);

impl std::fmt::Debug for Environment {
    /// Names only: values may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// Sum of argument and environment bytes the kernel takes at most with its default stack limit.
pub const EXEC_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Bytes of one argument or one `NAME=value` the kernel takes at most.
pub const EXEC_STRING_MAX: usize = 128 * 1024;

impl Environment {
    /// Sorts by name; of a name given twice the last value stays.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Environment {
        let map: std::collections::BTreeMap<_, _> = pairs.into_iter().collect();
        Environment(Arc::new(map.into_iter().collect()))
    }

    /// `NAME=value` records ended by NUL, as the kernel keeps them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, value) in self.0.iter() {
            out.extend_from_slice(name.as_bytes());
            out.push(b'=');
            out.extend_from_slice(value.as_bytes());
            out.push(0);
        }
        out
    }

    /// Reads what [`Environment::to_bytes`] wrote; records that are not text are left out.
    pub fn from_bytes(bytes: &[u8]) -> Environment {
        let record = |raw: &[u8]| {
            let text = std::str::from_utf8(raw).ok()?;
            text.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned()))
        };
        Environment(Arc::new(bytes.split(|b| *b == 0).filter_map(record).collect()))
    }

    /// The name under which the values are stored.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_bytes())
    }

    /// Just the names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_reads_back_and_is_named_by_content_not_order() {
        let pairs = [("B", "2=two\nlines"), ("A", ""), ("B", "last")];
        let owned = |(k, v): (&str, &str)| (k.to_owned(), v.to_owned());
        let env = Environment::new(pairs.map(owned));
        assert_eq!(env.names().collect::<Vec<_>>(), ["A", "B"]);
        assert_eq!(Environment::from_bytes(&env.to_bytes()), env);
        let other = Environment::new([("B", "last"), ("A", "")].map(owned));
        assert_eq!(other.digest(), env.digest());
    }
}
