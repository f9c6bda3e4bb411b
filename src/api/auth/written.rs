//! How a signature that was read is written (PROTOCOL.sshsig): what a reader passes over, such as a
//! length that is not looked at, could otherwise be anything.

use ssh_encoding::pem::{LineEnding, PemLabel};
use ssh_encoding::{Encode, EncodePem as _, Writer};
use ssh_key::{Algorithm, SshSig};

/// Bytes behind the signature of a key on a device: flags and a counter (PROTOCOL.u2f).
pub(super) const TRAILER_BYTES: usize = 5;

const MAGIC: &[u8] = b"SSHSIG";

/// The armoured form of a signature. `ssh-key` writes those of `sk-ecdsa` keys otherwise than it
/// reads them, so it is done here.
pub(super) fn armoured(signature: &SshSig) -> ssh_encoding::Result<String> {
    let mut inner = Vec::new();
    signature.algorithm().encode(&mut inner)?;
    let bytes = signature.signature_bytes();
    let behind = if is_on_device(&signature.algorithm()) { TRAILER_BYTES } else { 0 };
    let (signed, trailer) = bytes.split_at(bytes.len().saturating_sub(behind));
    signed.encode(&mut inner)?;
    inner.write(trailer)?;
    let mut body = MAGIC.to_vec();
    signature.version().encode(&mut body)?;
    signature.public_key().encode_prefixed(&mut body)?;
    signature.namespace().encode(&mut body)?;
    signature.reserved().encode(&mut body)?;
    signature.hash_alg().as_str().encode(&mut body)?;
    inner.encode(&mut body)?;
    Body(body).encode_pem_string(LineEnding::LF)
}

/// The key never leaves a device.
pub(super) fn is_on_device(algorithm: &Algorithm) -> bool {
    matches!(algorithm, Algorithm::SkEd25519 | Algorithm::SkEcdsaSha2NistP256)
}

/// Bytes that are written as they are.
struct Body(Vec<u8>);

impl PemLabel for Body {
    const PEM_LABEL: &'static str = "SSH SIGNATURE";
}

impl Encode for Body {
    fn encoded_len(&self) -> ssh_encoding::Result<usize> {
        Ok(self.0.len())
    }

    fn encode(&self, writer: &mut impl Writer) -> ssh_encoding::Result<()> {
        writer.write(&self.0)
    }
}
