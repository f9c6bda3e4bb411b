//! How a receiver knows that a message is ours and new: an HMAC-SHA256 (RFC 2104) over id, instant
//! and body, in the headers of the Standard Webhooks specification.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::model::ports::notify::Held;

/// What begins a secret that is written in base64.
const PREFIX: &str = "whsec_";
/// Shorter secrets can be guessed.
const SECRET_MIN: usize = 16;
/// Bytes of a value that is held in a file at most.
const HELD_MAX: u64 = 64 * 1024;
/// Bytes that SHA-256 takes at once.
const BLOCK: usize = 64;

/// A value, from where it is held.
///
/// # Errors
/// Why it cannot be had; what it is is not in it.
pub(super) fn read(held: &Held, what: &str) -> Result<String, String> {
    let text = match held {
        Held::Here(text) => text.clone(),
        Held::Env(name) => std::env::var(name)
            .map_err(|_| format!("its {what} is not there: the server has no variable {name}"))?,
        Held::File(path) => {
            let why = |why: String| format!("its {what} cannot be read: {why}");
            let size = std::fs::metadata(path).map_err(|error| why(error.kind().to_string()))?;
            if size.len() > HELD_MAX {
                return Err(why(format!("the file has more than {HELD_MAX} bytes")));
            }
            std::fs::read_to_string(path).map_err(|error| why(error.kind().to_string()))?
        }
    };
    let text = text.trim();
    if text.is_empty() { Err(format!("its {what} is empty")) } else { Ok(text.to_owned()) }
}

/// The headers that sign a body sent at `seconds` since the epoch.
///
/// # Errors
/// When the secret cannot be one.
pub(super) fn headers(
    secret: &str,
    id: &str,
    seconds: u64,
    body: &[u8],
) -> Result<Vec<(&'static str, String)>, String> {
    let key = match secret.strip_prefix(PREFIX) {
        Some(text) => {
            STANDARD.decode(text).map_err(|_| format!("its secret after {PREFIX} is no base64"))?
        }
        None => secret.as_bytes().to_vec(),
    };
    if key.len() < SECRET_MIN {
        return Err(format!("its secret is shorter than {SECRET_MIN} bytes"));
    }
    let signed = [format!("{id}.{seconds}.").as_bytes(), body].concat();
    let signature = STANDARD.encode(hmac(&key, &signed));
    Ok(vec![
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", format!("v1,{signature}")),
    ])
}

fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0u8; BLOCK];
    let hashed = Sha256::digest(key);
    let key = if key.len() > BLOCK { &hashed[..] } else { key };
    block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(text);
    let outer = Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c));
    outer.chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_code_is_that_of_rfc_4231() {
        assert_eq!(
            hex(&hmac(&[0x0b; 20], b"Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let text = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(
            hex(&hmac(&[0xaa; 131], text)),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn the_signature_is_that_of_the_specifications_own_example() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let body = br#"{"test": 2432232314}"#;
        let all = headers(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body).unwrap();
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(all[2], ("webhook-signature", signature.to_owned()));
        assert_eq!(all[1], ("webhook-timestamp", "1614265330".to_owned()));
    }

    #[test]
    fn what_is_no_secret_is_said_without_saying_it() {
        let short = headers("hunter2", "id", 0, b"").unwrap_err();
        assert!(short.contains("shorter") && !short.contains("hunter2"), "{short}");
        assert!(headers("whsec_???", "id", 0, b"").unwrap_err().contains("base64"));
        let gone = read(&Held::File("/nowhere/at/all".into()), "secret").unwrap_err();
        assert!(gone.contains("not found"), "{gone}");
        let unset = read(&Held::Env("HOLDSHORT_NO_SUCH_VARIABLE".into()), "url").unwrap_err();
        assert!(unset.contains("no variable HOLDSHORT_NO_SUCH_VARIABLE"), "{unset}");
    }
}
