//! The armoured form of a signature (PROTOCOL.sshsig).

use ssh_encoding::pem::{LineEnding, PemLabel};
use ssh_encoding::{CheckedSum as _, Encode, EncodePem as _, Writer};
use ssh_key::public::KeyData;
use ssh_key::{HashAlg, SshSig};

use super::agent::encoded;

const MAGIC: &[u8] = b"SSHSIG";
const VERSION: u32 = 1;
/// The hash of the text inside, as `ssh-keygen` takes it by default.
const HASH: HashAlg = HashAlg::Sha512;

/// A signature as an agent gave it, and what belongs around it. The bytes of an agent are put in
/// as they are: keys on a device have a flag and a counter behind their signature.
struct Sealed<'a> {
    key: Vec<u8>,
    namespace: &'a str,
    signature: &'a [u8],
}

impl PemLabel for Sealed<'_> {
    const PEM_LABEL: &'static str = "SSH SIGNATURE";
}

impl Encode for Sealed<'_> {
    fn encoded_len(&self) -> ssh_encoding::Result<usize> {
        [
            MAGIC.len(),
            VERSION.encoded_len()?,
            self.key.encoded_len()?,
            self.namespace.encoded_len()?,
            "".encoded_len()?,
            HASH.as_str().encoded_len()?,
            self.signature.encoded_len()?,
        ]
        .checked_sum()
    }

    fn encode(&self, writer: &mut impl Writer) -> ssh_encoding::Result<()> {
        writer.write(MAGIC)?;
        VERSION.encode(writer)?;
        self.key.encode(writer)?;
        self.namespace.encode(writer)?;
        "".encode(writer)?;
        HASH.as_str().encode(writer)?;
        self.signature.encode(writer)
    }
}

/// What a key signs for a text in a namespace.
pub(super) fn to_sign(namespace: &str, text: &str) -> Result<Vec<u8>, String> {
    SshSig::signed_data(namespace, HASH, text.as_bytes()).map_err(|error| error.to_string())
}

/// The armoured signature; `signature` as SSH writes it.
pub(super) fn armoured(key: &KeyData, namespace: &str, signature: &[u8]) -> Result<String, String> {
    let key = encoded(key).map_err(|error| error.to_string())?;
    let sealed = Sealed { key, namespace, signature };
    let text = sealed.encode_pem_string(LineEnding::LF).map_err(|error| error.to_string())?;
    Ok(if text.ends_with('\n') { text } else { format!("{text}\n") })
}
