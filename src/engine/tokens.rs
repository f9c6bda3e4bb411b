//! The token a job's processes may show where their parentage can't be seen, such as from a
//! container. Derived from a secret, so that none has to be stored: `hs1.JOB.ATTEMPT.MAC`.

use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::base::{Digest, JobId};

/// The server's secret.
#[derive(Clone)]
pub struct Tokens {
    secret: [u8; 32],
}

impl Tokens {
    /// Reads the secret of a data directory, or makes one (0600).
    ///
    /// # Errors
    /// When the file can't be read or made, or has another length than 32 bytes.
    pub fn open(data_dir: &Path) -> std::io::Result<Tokens> {
        let path = data_dir.join("secret");
        let mut secret = [0u8; 32];
        match std::fs::File::open(&path) {
            Ok(mut file) => file.read_exact(&mut secret)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                std::fs::File::open("/dev/urandom")?.read_exact(&mut secret)?;
                let draft = data_dir.join("secret.new");
                let mut options = std::fs::OpenOptions::new();
                options.write(true).create(true).truncate(true).mode(0o600);
                let mut file = options.open(&draft)?;
                file.write_all(&secret)?;
                file.sync_all()?;
                std::fs::rename(&draft, &path)?;
            }
            Err(error) => return Err(error),
        }
        Ok(Tokens { secret })
    }

    /// The token of one attempt of a job.
    pub fn token(&self, job: JobId, attempt: u32) -> String {
        format!("hs1.{job}.{attempt}.{}", self.mac(job, attempt))
    }

    /// The job and attempt a token was given to; `None` if it is not one of ours.
    pub fn check(&self, token: &str) -> Option<(JobId, u32)> {
        let mut parts = token.split('.');
        let (Some("hs1"), Some(job), Some(attempt), Some(mac), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let (job, attempt) = (JobId(job.parse().ok()?), attempt.parse().ok()?);
        let given: Digest = mac.parse().ok()?;
        let differs = given.0.iter().zip(self.mac(job, attempt).0).fold(0, |d, (a, b)| d | (a ^ b));
        (differs == 0).then_some((job, attempt))
    }

    /// HMAC-SHA-256 (RFC 2104) over job and attempt.
    fn mac(&self, job: JobId, attempt: u32) -> Digest {
        let pad = |byte: u8| {
            let mut block = [byte; 64];
            block.iter_mut().zip(self.secret).for_each(|(b, s)| *b ^= s);
            block
        };
        let mut inner = pad(0x36).to_vec();
        inner.extend_from_slice(&job.0.to_le_bytes());
        inner.extend_from_slice(&attempt.to_le_bytes());
        let mut outer = pad(0x5c).to_vec();
        outer.extend_from_slice(&Digest::of(&inner).0);
        Digest::of(&outer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_its_attempt_only_and_survives_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::open(dir.path()).unwrap();
        let token = tokens.token(JobId(7), 2);
        let again = Tokens::open(dir.path()).unwrap();
        assert_eq!(again.check(&token), Some((JobId(7), 2)));
        let forged = token.replacen(".7.", ".8.", 1);
        for bad in [forged.as_str(), "", "hs1.7.2.", &token[..token.len() - 1], "x"] {
            assert_eq!(again.check(bad), None, "{bad}");
        }
    }
}
