//! What people say, and how sure we are that it was them.

use serde::{Deserialize, Serialize};

use crate::base::{At, Digest, Name, Wall};

/// One person's word on one hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// Who.
    pub by: Name,
    /// The voter's uid, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<u32>,
    /// Whose seat it fills: the voter's own, or that of somebody who handed it on.
    pub seat: Name,
    /// Yes or no.
    pub verdict: Verdict,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of exactly this.
    pub hash: Digest,
    /// How sure we are.
    pub assurance: Assurance,
    /// This yes is good so often, if the voter said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// This yes is good until then, if the voter said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Wall>,
    /// The voter owns the job and nobody else may decide.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// The signature that came with it, checked by who took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Box<Signature>>,
    /// It takes effect then; until then it can be taken back without anything having happened. A
    /// no decides nothing before, and a yes gives no right; `None` once that is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Wall>,
    /// Its voter took it back, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<At>,
    /// When.
    pub at: At,
}

impl Vote {
    /// A no that does not count yet.
    pub fn is_held(&self) -> bool {
        self.from.is_some() && self.verdict != Verdict::Approve
    }
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Yes.
    Approve,
    /// No.
    Deny {
        /// And the job stops.
        stop: bool,
    },
}

impl Verdict {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Approve => "approve",
            Verdict::Deny { stop: false } => "deny",
            Verdict::Deny { stop: true } => "deny_and_stop",
        }
    }
}

/// How sure we are that a person voted and not the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assurance {
    /// From the uid that the job runs as: the check of the process tree stops accidents only.
    SameUser,
    /// From another uid of this machine, or from another machine.
    OtherUser,
    /// Signed by a hardware key that somebody touched.
    Hardware,
}

impl Assurance {
    /// Its stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Assurance::SameUser => "same-user",
            Assurance::OtherUser => "other-user",
            Assurance::Hardware => "hardware",
        }
    }

    /// The assurance behind a word.
    pub fn of(word: &str) -> Option<Assurance> {
        let all = [Assurance::SameUser, Assurance::OtherUser, Assurance::Hardware];
        all.into_iter().find(|assurance| assurance.word() == word)
    }
}

/// A signature (SSHSIG) over a [`super::Ballot`]. Whoever puts it into a command has checked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Fingerprint of the key: `SHA256:…`.
    pub key: String,
    /// The key is on a device, and the flag says that somebody touched it.
    pub touched: bool,
    /// The armoured signature.
    pub armoured: String,
    /// What was signed ([`super::Ballot::text`]), byte for byte.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}
