//! Signs a ballot: with a key that the SSH agent has, or with a key file that needs no
//! passphrase. Passphrases and devices are the agent's business.
//!
//! Start with [`sign`]. Nothing of this talks to the server.

mod agent;
mod seal;

use std::path::{Path, PathBuf};

use ssh_key::public::KeyData;
use ssh_key::{Algorithm, EcdsaCurve, HashAlg, LineEnding, PrivateKey, PublicKey};

use crate::model::review::ballot::NAMESPACE;
use agent::{Agent, Held};

/// Bytes of a key file at most.
const KEY_MAX: u64 = 64 << 10;
/// How a private key begins that `ssh-key` can read.
const PRIVATE: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";

/// With what to sign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pen {
    /// The agent's socket, from `SSH_AUTH_SOCK`.
    pub agent: Option<PathBuf>,
    /// A key file, private or public; `None` takes the only key of the agent.
    pub key: Option<PathBuf>,
}

impl Pen {
    /// There is nothing to sign with.
    pub fn is_empty(&self) -> bool {
        self.agent.is_none() && self.key.is_none()
    }
}

/// Why nothing was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned {
    /// What and why.
    pub what: String,
    /// What to do.
    pub hint: String,
}

fn unsigned(what: impl Into<String>, hint: impl Into<String>) -> Unsigned {
    Unsigned { what: what.into(), hint: hint.into() }
}

/// Signs a text for [`NAMESPACE`]; the answer is the armoured signature. Blocks while a person
/// confirms or touches a device.
///
/// # Errors
/// Without a key, with too many, and when it can't be used.
pub fn sign(pen: &Pen, text: &str) -> Result<String, Unsigned> {
    match &pen.key {
        Some(path) => match read_key(path)? {
            Key::Usable(private) => with_file(&private, text),
            Key::Named(public, why) => with_agent(pen, &public, &why, text),
        },
        None => {
            let key = only_key(pen)?;
            with_agent(pen, &key, "", text)
        }
    }
}

enum Key {
    /// It can sign as it is.
    Usable(Box<PrivateKey>),
    /// It must be found in the agent, and why.
    Named(KeyData, String),
}

fn read_key(path: &Path) -> Result<Key, Unsigned> {
    let shown = path.display();
    let failed = |error: std::io::Error| {
        unsigned(format!("the key {shown} can't be read: {error}"), "--key names a key file")
    };
    if std::fs::metadata(path).map_err(failed)?.len() > KEY_MAX {
        return Err(unsigned(format!("{shown} is no key: it is too long"), ""));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    if text.starts_with(PRIVATE) {
        let bad = |error| unsigned(format!("the key {shown} can't be read: {error}"), "");
        return Ok(of_private(PrivateKey::from_openssh(&text).map_err(bad)?, path));
    }
    if text.starts_with("-----BEGIN") {
        let hint = format!("make it one with `ssh-keygen -p -f {shown}`");
        return Err(unsigned(format!("{shown} is not in OpenSSH's format"), hint));
    }
    let public = PublicKey::from_openssh(text.trim()).map_err(|error| {
        unsigned(format!("{shown} is neither a private nor a public key: {error}"), "")
    })?;
    // As `ssh-keygen` does it: the private half may lie beside it.
    let beside = path.with_extension("");
    let private = (path.extension().is_some_and(|end| end == "pub"))
        .then(|| std::fs::read_to_string(&beside).ok())
        .flatten()
        .and_then(|text| PrivateKey::from_openssh(&text).ok())
        .filter(|private| private.public_key().key_data() == public.key_data());
    Ok(match private {
        Some(private) => of_private(private, &beside),
        None => Key::Named(public.key_data().clone(), format!("{shown} is the public half only")),
    })
}

fn of_private(private: PrivateKey, path: &Path) -> Key {
    let public = private.public_key().key_data().clone();
    let shown = path.display();
    if private.is_encrypted() {
        return Key::Named(public, format!("{shown} needs a passphrase"));
    }
    match public.algorithm() {
        Algorithm::SkEd25519 | Algorithm::SkEcdsaSha2NistP256 => {
            Key::Named(public, format!("{shown} is the handle of a device"))
        }
        _ => Key::Usable(Box::new(private)),
    }
}

fn with_file(private: &PrivateKey, text: &str) -> Result<String, Unsigned> {
    let key = private.public_key().key_data();
    check_kind(key)?;
    let signed = private.sign(NAMESPACE, HashAlg::Sha512, text.as_bytes());
    let armoured = signed.and_then(|signature| signature.to_pem(LineEnding::LF));
    armoured.map_err(|error| unsigned(format!("the key can't sign: {error}"), ""))
}

fn with_agent(pen: &Pen, key: &KeyData, why: &str, text: &str) -> Result<String, Unsigned> {
    check_kind(key)?;
    let add = "start one with `eval $(ssh-agent)` and add the key with `ssh-add`";
    let prefix = if why.is_empty() { String::new() } else { format!("{why}, and ") };
    let Some(socket) = &pen.agent else {
        return Err(unsigned(
            format!("{prefix}there is no SSH agent: SSH_AUTH_SOCK is unset"),
            add,
        ));
    };
    let failed = |what: String| unsigned(format!("{prefix}{what}"), add);
    let mut agent = Agent::connect(socket).map_err(failed)?;
    if !agent.keys().map_err(failed)?.iter().any(|held| held.key == *key) {
        let fingerprint = key.fingerprint(HashAlg::Sha256);
        let what = format!("{prefix}the SSH agent has no key {fingerprint}");
        return Err(unsigned(what, "add it with `ssh-add`"));
    }
    let failed = |what: String| unsigned(what, "`ssh-add -T KEY.pub` tries the key alone");
    let data = seal::to_sign(NAMESPACE, text).map_err(failed)?;
    let signature = agent.sign(key, &data).map_err(failed)?;
    seal::armoured(key, NAMESPACE, &signature).map_err(failed)
}

/// The agent's key, if it has one alone that can be used here.
fn only_key(pen: &Pen) -> Result<KeyData, Unsigned> {
    let hint = "--key FILE names a key file; `ssh-add` adds one to the agent";
    let Some(socket) = &pen.agent else {
        return Err(unsigned("there is no key to sign with: SSH_AUTH_SOCK is unset", hint));
    };
    let failed = |what: String| unsigned(what, hint);
    let mut keys = Agent::connect(socket).map_err(failed)?.keys().map_err(failed)?;
    keys.retain(|held| check_kind(&held.key).is_ok());
    match &keys[..] {
        [] => Err(unsigned("the SSH agent has no key that can be used here", hint)),
        [one] => Ok(one.key.clone()),
        several => {
            let names: Vec<String> = several.iter().map(name).collect();
            let what = format!("the SSH agent has several keys: {}", names.join(", "));
            Err(unsigned(what, "--key FILE.pub says which"))
        }
    }
}

fn name(held: &Held) -> String {
    let comment = crate::base::text::sanitise(&held.comment);
    format!("{} ({comment})", held.key.fingerprint(HashAlg::Sha256))
}

/// The kinds of keys that the server takes.
fn check_kind(key: &KeyData) -> Result<(), Unsigned> {
    match key.algorithm() {
        Algorithm::Ed25519
        | Algorithm::SkEd25519
        | Algorithm::SkEcdsaSha2NistP256
        | Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 } => Ok(()),
        other => Err(unsigned(
            format!("keys of the kind {} are not taken", other.as_str()),
            "make one with `ssh-keygen -t ed25519-sk`, or -t ed25519",
        )),
    }
}
