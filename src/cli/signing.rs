//! `--sign` and `--key` of the verbs that vote: signs what the person was shown.

use std::path::PathBuf;

use clap::Args;

use super::exit::Failure;
use crate::link::{Link, Pen};
use crate::model::review::{Cast, Review, Signature};

/// The variable that names a key file where `--key` does not.
const KEY_ENV: &str = "HOLDSHORT_SIGN_KEY";
/// Where the SSH agent listens.
const AGENT_ENV: &str = "SSH_AUTH_SOCK";

/// Options of a verb that votes.
#[derive(Debug, Clone, Default, Args)]
pub struct Signing {
    /// Sign the vote with an SSH key: the agent's only one, HOLDSHORT_SIGN_KEY, or --key
    #[arg(long)]
    pub sign: bool,
    /// Key file, private or public; one with a passphrase or on a device must be in the agent
    #[arg(long, value_name = "FILE", requires = "sign")]
    pub key: Option<PathBuf>,
}

impl Signing {
    /// The signature of a vote on a review as it was shown, if one is wanted. It waits until the
    /// person has confirmed or touched the device.
    ///
    /// # Errors
    /// Without a key that can be used, and when the server shows one thing under the hash of
    /// another.
    pub async fn signature(
        &self,
        link: &dyn Link,
        review: &Review,
        cast: Cast<'_>,
    ) -> Result<Option<Box<Signature>>, Failure> {
        if !self.sign {
            return Ok(None);
        }
        Ok(Some(link.sign(review, cast, &pen(self.key.clone())).await?))
    }
}

/// With what this user signs: a key file that was named, else one of the environment, else what
/// the SSH agent has.
pub fn pen(key: Option<PathBuf>) -> Pen {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    Pen { agent: set(AGENT_ENV), key: key.or_else(|| set(KEY_ENV)) }
}
