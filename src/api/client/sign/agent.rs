//! The two things that are asked of an SSH agent (draft-ietf-sshm-ssh-agent): which keys it
//! has, and to sign.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use ssh_encoding::{Decode as _, Encode as _};
use ssh_key::public::KeyData;

/// Bytes of a message at most, as OpenSSH has it.
const MESSAGE_MAX: usize = 256 << 10;
/// An agent says at once which keys it has.
const LIST_WAIT: Duration = Duration::from_secs(10);
/// A person may have to confirm, or to touch a device.
const SIGN_WAIT: Duration = Duration::from_secs(120);

const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;

/// A key that an agent has.
#[derive(Debug, Clone)]
pub(super) struct Held {
    /// The key.
    pub key: KeyData,
    /// What its owner calls it.
    pub comment: String,
}

/// A connection to an agent.
pub(super) struct Agent {
    stream: UnixStream,
}

impl Agent {
    /// Connects.
    pub fn connect(socket: &Path) -> Result<Agent, String> {
        let stream = UnixStream::connect(socket)
            .map_err(|error| format!("no SSH agent answers at {}: {error}", socket.display()))?;
        Ok(Agent { stream })
    }

    /// Its keys; those of kinds that nobody here knows are left out.
    pub fn keys(&mut self) -> Result<Vec<Held>, String> {
        let answer = self.ask(&[REQUEST_IDENTITIES], LIST_WAIT)?;
        let mut rest = body(&answer, IDENTITIES_ANSWER).ok_or("the SSH agent lists no keys")?;
        let mut read = || -> ssh_encoding::Result<Vec<Held>> {
            let rest = &mut rest;
            let count = u32::decode(rest)?;
            let mut held = Vec::new();
            for _ in 0..count {
                let (blob, comment) = (Vec::<u8>::decode(rest)?, Vec::<u8>::decode(rest)?);
                let comment = String::from_utf8_lossy(&comment).into_owned();
                if let Ok(key) = KeyData::decode(&mut blob.as_slice()) {
                    held.push(Held { key, comment });
                }
            }
            Ok(held)
        };
        read().map_err(|error| format!("the SSH agent's list can't be read: {error}"))
    }

    /// Has it sign; the answer is a signature as SSH writes it.
    pub fn sign(&mut self, key: &KeyData, data: &[u8]) -> Result<Vec<u8>, String> {
        let mut request = vec![SIGN_REQUEST];
        let written = encoded(key)
            .and_then(|blob| blob.encode(&mut request))
            .and_then(|()| data.encode(&mut request))
            .and_then(|()| 0u32.encode(&mut request));
        written.map_err(|error| format!("the request to the SSH agent: {error}"))?;
        let answer = self.ask(&request, SIGN_WAIT)?;
        let mut rest = body(&answer, SIGN_RESPONSE).ok_or_else(|| {
            "the SSH agent did not sign: was it confirmed, and the device touched, in time?"
                .to_owned()
        })?;
        Vec::decode(&mut rest).map_err(|error| format!("the SSH agent's signature: {error}"))
    }

    fn ask(&mut self, message: &[u8], wait: Duration) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("the SSH agent does not answer: {error}");
        let mut framed = Vec::with_capacity(message.len() + 4);
        message.encode(&mut framed).map_err(|error| error.to_string())?;
        self.stream.set_read_timeout(Some(wait)).map_err(failed)?;
        self.stream.set_write_timeout(Some(LIST_WAIT)).map_err(failed)?;
        self.stream.write_all(&framed).map_err(failed)?;
        let mut length = [0u8; 4];
        self.stream.read_exact(&mut length).map_err(failed)?;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if length > MESSAGE_MAX {
            return Err(format!("the SSH agent answers with {length} bytes, which is no answer"));
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).map_err(failed)?;
        Ok(answer)
    }
}

/// A message of this kind without its first byte.
fn body(message: &[u8], kind: u8) -> Option<&[u8]> {
    message.split_first().filter(|(found, _)| **found == kind).map(|(_, rest)| rest)
}

/// A key as SSH writes it.
pub(super) fn encoded(key: &KeyData) -> ssh_encoding::Result<Vec<u8>> {
    let mut blob = Vec::new();
    key.encode(&mut blob)?;
    Ok(blob)
}
