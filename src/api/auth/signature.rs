//! Checks the signature of a vote: made with a key that the allowed signers list for this very
//! person, over this very ballot.

use ssh_key::{Algorithm, HashAlg, PublicKey, SshSig};

use super::signers::Signers;
use super::written::{self, TRAILER_BYTES, is_on_device};
use crate::base::Wall;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::Signature;
use crate::model::review::ballot::{ARMOURED_MAX, Ballot, NAMESPACE, TEXT_MAX};

/// Somebody touched the device.
const FLAG_TOUCHED: u8 = 1;

/// What came with a vote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// What was signed.
    pub text: String,
    /// The armoured signature.
    pub armoured: String,
}

/// Takes a signature for a vote.
///
/// # Errors
/// Whatever is wrong with it refuses the vote: a signature is never left aside.
pub fn check(
    signers: &Signers,
    ballot: &Ballot,
    claimed: &Claimed,
    wall: Wall,
) -> Result<Signature, Refusal> {
    if claimed.text.len() > TEXT_MAX || claimed.armoured.len() > ARMOURED_MAX {
        return Err(refused("it is too long", ""));
    }
    if let Some(difference) = ballot.difference(&claimed.text) {
        return Err(refused(&difference, "look at the review again and sign what it is now"));
    }
    let signature = read(&claimed.armoured, &claimed.text)?;
    let key = signature.public_key();
    let permitted = signers.permit(key, &ballot.voter, NAMESPACE, wall);
    permitted.map_err(|why| refused(&why, "the file's owner adds `NAME KEYTYPE KEY` to it"))?;
    Ok(Signature {
        key: key.fingerprint(HashAlg::Sha256).to_string(),
        touched: is_touched(&signature),
        armoured: claimed.armoured.clone(),
        text: claimed.text.clone(),
    })
}

/// Whether a kept signature is one over its text, whoever may sign: what anybody can check who
/// has nothing but the record.
///
/// # Errors
/// What is wrong with it.
pub fn check_kept(signature: &Signature) -> Result<(), String> {
    let read = read(&signature.armoured, &signature.text).map_err(|refusal| refusal.what)?;
    if read.public_key().fingerprint(HashAlg::Sha256).to_string() != signature.key {
        return Err("the signature was made with another key".to_owned());
    }
    if is_touched(&read) != signature.touched {
        return Err("the signature says otherwise whether its device was touched".to_owned());
    }
    Ok(())
}

fn read(armoured: &str, text: &str) -> Result<SshSig, Refusal> {
    let unreadable = |error: ssh_key::Error| {
        let hint = "sign with `approve --sign`, or with `ssh-keygen -Y sign -n holdshort-review`";
        refused(&format!("it is no SSH signature ({error})"), hint)
    };
    let signature = SshSig::from_pem(armoured).map_err(unreadable)?;
    if signature.version() != SshSig::VERSION {
        let what = format!("it is of version {}, not {}", signature.version(), SshSig::VERSION);
        return Err(refused(&what, ""));
    }
    let written = written::armoured(&signature).map_err(|error| unreadable(error.into()))?;
    let letters = |text: &str| text.split_whitespace().collect::<String>();
    if letters(&written) != letters(armoured) {
        return Err(refused("it is no SSH signature (it is written otherwise than it reads)", ""));
    }
    if signature.namespace() != NAMESPACE {
        let what = format!("it is for {:?}, not for {NAMESPACE}", signature.namespace());
        return Err(refused(&what, &format!("sign for the namespace {NAMESPACE}")));
    }
    let key = PublicKey::from(signature.public_key().clone());
    match key.verify(NAMESPACE, text.as_bytes(), &signature) {
        Ok(()) => Ok(signature),
        Err(ssh_key::Error::AlgorithmUnsupported { .. }) => Err(unsupported(&key.algorithm())),
        Err(_) if !is_supported(&key.algorithm()) => Err(unsupported(&key.algorithm())),
        Err(_) => Err(refused("it is no signature of this vote by the key it names", "")),
    }
}

fn is_supported(algorithm: &Algorithm) -> bool {
    use ssh_key::EcdsaCurve::NistP256;
    matches!(
        algorithm,
        Algorithm::Ed25519
            | Algorithm::SkEd25519
            | Algorithm::SkEcdsaSha2NistP256
            | Algorithm::Ecdsa { curve: NistP256 }
    )
}

fn unsupported(algorithm: &Algorithm) -> Refusal {
    let what = format!("keys of the kind {} are not taken", algorithm.as_str());
    refused(&what, "use one of ssh-keygen -t ed25519-sk, ecdsa-sk, ed25519 or ecdsa")
}

/// The key is on a device, and its flags say that somebody touched it.
fn is_touched(signature: &SshSig) -> bool {
    if !is_on_device(&signature.algorithm()) {
        return false;
    }
    let bytes = signature.signature_bytes();
    let flags = bytes.len().checked_sub(TRAILER_BYTES).and_then(|at| bytes.get(at));
    flags.is_some_and(|flags| flags & FLAG_TOUCHED != 0)
}

fn refused(why: &str, hint: &str) -> Refusal {
    let what = format!("the vote was not taken, for its signature is not good: {why}");
    Refusal::new(RefusalCode::Forbidden, what, hint)
}
