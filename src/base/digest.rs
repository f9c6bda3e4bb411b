//! SHA-256 digests: names of stored contents and links of the journal's chain.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest; 64 lower-case hex digits as text.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Digest of one run of bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// Digest of formatted text, which is never held in memory as a whole.
    pub fn of_format(text: fmt::Arguments<'_>) -> Digest {
        struct Hashing(Sha256);
        impl fmt::Write for Hashing {
            fn write_str(&mut self, piece: &str) -> fmt::Result {
                self.0.update(piece);
                Ok(())
            }
        }
        let mut hashing = Hashing(Sha256::new());
        // A hash takes whatever is written to it.
        let _ = fmt::Write::write_fmt(&mut hashing, text);
        Digest(hashing.0.finalize().into())
    }

    /// The link of what follows this link in a chain: over the link, its number in the chain and
    /// its bytes.
    #[must_use]
    pub fn chained(&self, number: u64, bytes: &[u8]) -> Digest {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update(number.to_le_bytes());
        hasher.update(bytes);
        Digest(hasher.finalize().into())
    }

    /// Digest of several parts, each preceded by its length, so that no two lists of parts
    /// share a digest by moving a border.
    pub fn of_parts(parts: &[&[u8]]) -> Digest {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Digest(hasher.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = &'static str;

    /// Reads 64 hex digits of either case.
    fn from_str(s: &str) -> Result<Digest, &'static str> {
        const BAD: &str = "a digest is 64 hex digits";
        if s.len() != 64 || !s.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(BAD);
        }
        let mut out = [0u8; 32];
        for (byte, at) in out.iter_mut().zip((0..).step_by(2)) {
            let pair = s.get(at..at + 2).ok_or(BAD)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| BAD)?;
        }
        Ok(Digest(out))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_reads_back() {
        let digest = Digest::of(b"abc");
        let text = digest.to_string();
        assert!(text.starts_with("ba7816bf8f01cfea"), "FIPS 180-2 test vector: {text}");
        assert_eq!(text.parse(), Ok(digest));
        assert!("xyz".parse::<Digest>().is_err());
        assert!("é".repeat(32).parse::<Digest>().is_err());
        assert!("+f".repeat(32).parse::<Digest>().is_err());
    }

    #[test]
    fn formatted_text_has_the_digest_of_its_bytes() {
        assert_eq!(Digest::of_format(format_args!("{}{}", "a", "bc")), Digest::of(b"abc"));
    }

    #[test]
    fn moving_a_border_changes_the_digest_of_parts() {
        assert_ne!(Digest::of_parts(&[b"ab", b"c"]), Digest::of_parts(&[b"a", b"bc"]));
    }
}
