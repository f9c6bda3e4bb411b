//! What a signed vote signs: one line of canonical JSON (RFC 8785) that names everything the
//! vote is about, so that the signature is good for nothing else.
//!
//! Another installation, review, action, verdict, reason, policy, person or an earlier vote of
//! the same person give another text. The server works the text out by itself and compares.

use crate::base::{Digest, JobId, Name, ReviewId, Wall};
use crate::model::action::Json;

use super::{Review, Verdict};

/// The namespace of the signatures (SSHSIG): `ssh-keygen -Y verify -n holdshort-review`.
pub const NAMESPACE: &str = "holdshort-review";
/// Bytes of a signed text at most: a reason may be escaped character by character.
pub const TEXT_MAX: usize = 48 << 10;
/// Bytes of an armoured signature at most.
pub const ARMOURED_MAX: usize = 8 << 10;

/// What a signer must know beside the review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booth {
    /// The installation: where its audit begins ([`crate::model::ports::Journal::installation`]).
    pub installation: Digest,
    /// The voter, as the server knows them.
    pub voter: Name,
    /// How many votes of theirs the review has, and one: so no signature counts twice.
    pub ballot: u32,
}

/// Everything that one vote is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    /// The installation.
    pub installation: Digest,
    /// Who votes.
    pub voter: Name,
    /// Their vote on this review, counted from 1.
    pub ballot: u32,
    /// The review.
    pub review: ReviewId,
    /// Its version.
    pub version: u32,
    /// The job that asks.
    pub job: JobId,
    /// Hash of what it is about.
    pub hash: Digest,
    /// The policy it is decided by; `None` for the defaults.
    pub policy: Option<Name>,
    /// The policy's version.
    pub policy_version: Name,
    /// Yes or no.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<String>,
    /// A yes is good so often, if the voter says so.
    pub uses: Option<u32>,
    /// A yes is good until then, if the voter says so.
    pub until: Option<Wall>,
}

/// What a voter says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cast<'a> {
    /// Yes or no.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<&'a str>,
    /// A yes is good so often.
    pub uses: Option<u32>,
    /// A yes is good until then.
    pub until: Option<Wall>,
}

impl Booth {
    /// What `voter` must know to sign a vote on `review`.
    pub fn of(installation: Digest, voter: &Name, review: &Review) -> Booth {
        let votes = review.votes.iter().filter(|vote| vote.by == *voter).count();
        let ballot = u32::try_from(votes).unwrap_or(u32::MAX).saturating_add(1);
        Booth { installation, voter: voter.clone(), ballot }
    }
}

impl Ballot {
    /// The ballot of a vote on a review as it is now.
    pub fn of(booth: &Booth, review: &Review, cast: Cast<'_>) -> Ballot {
        let reason = cast.reason.map(str::trim).filter(|reason| !reason.is_empty());
        Ballot {
            installation: booth.installation,
            voter: booth.voter.clone(),
            ballot: booth.ballot,
            review: review.id,
            version: review.version,
            job: review.job,
            hash: review.hash,
            policy: review.rule.policy.clone(),
            policy_version: review.rule.version.clone(),
            verdict: cast.verdict,
            reason: reason.map(ToOwned::to_owned),
            uses: cast.uses,
            until: cast.until,
        }
    }

    fn json(&self) -> Json {
        let number = |n: u64| Json::Number(n.to_string());
        let text = |text: Option<&str>| text.map_or(Json::Null, Json::text);
        let pairs = [
            ("v", number(1)),
            ("installation", Json::text(&self.installation.to_string())),
            ("voter", Json::text(&self.voter)),
            ("ballot", number(self.ballot.into())),
            ("review", Json::text(&self.review.to_string())),
            ("review_version", number(self.version.into())),
            ("job", number(self.job.0)),
            ("action_hash", Json::text(&format!("sha256:{}", self.hash))),
            ("policy", text(self.policy.as_deref())),
            ("policy_version", Json::text(&self.policy_version)),
            ("verdict", Json::text(self.verdict.word())),
            ("reason", text(self.reason.as_deref())),
            ("uses", self.uses.map_or(Json::Null, |uses| number(uses.into()))),
            ("until", self.until.map_or(Json::Null, |until| Json::text(&until.rfc3339()))),
        ];
        Json::object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The bytes that are signed: one line, its end included, so that a file or a pipe of it is
    /// what `ssh-keygen` checks.
    pub fn text(&self) -> String {
        format!("{}\n", self.json().canonical())
    }

    /// In what a text that was signed differs from this ballot, in words; `None` if it is it.
    pub fn difference(&self, signed: &str) -> Option<String> {
        if signed == self.text() {
            return None;
        }
        let Ok(Json::Object(found)) = Json::read(signed) else {
            return Some("it is no ballot of holdshort".to_owned());
        };
        let found = Json::Object(found);
        let Json::Object(wanted) = self.json() else { return Some("it is no ballot".to_owned()) };
        let differs = wanted.iter().find(|(key, value)| found.get(key) != Some(value));
        Some(match differs {
            Some((key, value)) => {
                let was = found.get(key).map_or("nothing".to_owned(), Json::canonical);
                format!("it says {key} {was}, and this vote has {}", value.canonical())
            }
            None => "it is written in another way".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut Ballot);

    fn ballot() -> Ballot {
        Ballot {
            installation: Digest([7; 32]),
            voter: "ana".into(),
            ballot: 1,
            review: ReviewId(17),
            version: 2,
            job: JobId(42),
            hash: Digest::of(b"x"),
            policy: Some("large".into()),
            policy_version: "abcd1234".into(),
            verdict: Verdict::Approve,
            reason: None,
            uses: None,
            until: None,
        }
    }

    #[test]
    fn the_text_is_one_canonical_line() {
        let text = ballot().text();
        assert_eq!(text.matches('\n').count(), 1);
        let line = text.strip_suffix('\n').unwrap();
        assert_eq!(Json::read(line).unwrap().canonical(), line);
        assert!(line.starts_with("{\"action_hash\":\"sha256:"), "{line}");
    }

    #[test]
    fn whatever_is_changed_is_named() {
        let changes: [(&str, Change); 13] = [
            ("installation", |b| b.installation = Digest([8; 32])),
            ("voter", |b| b.voter = "bob".into()),
            ("ballot", |b| b.ballot = 2),
            ("review", |b| b.review = ReviewId(18)),
            ("review_version", |b| b.version = 3),
            ("job", |b| b.job = JobId(43)),
            ("action_hash", |b| b.hash = Digest::of(b"y")),
            ("policy", |b| b.policy = None),
            ("policy_version", |b| b.policy_version = "0".into()),
            ("verdict", |b| b.verdict = Verdict::Deny { stop: false }),
            ("reason", |b| b.reason = Some("no\n\u{202e}".into())),
            ("uses", |b| b.uses = Some(2)),
            ("until", |b| b.until = Some(Wall(0))),
        ];
        assert_eq!(ballot().difference(&ballot().text()), None);
        for (key, change) in changes {
            let mut other = ballot();
            change(&mut other);
            let said = ballot().difference(&other.text()).unwrap();
            assert!(said.starts_with(&format!("it says {key} ")), "{said}");
        }
        let spaced = ballot().text().replace(':', ": ");
        assert!(ballot().difference(&spaced).is_some());
        assert!(ballot().difference("[]").is_some());
        assert!(ballot().difference(ballot().text().trim_end()).is_some());
    }
}
