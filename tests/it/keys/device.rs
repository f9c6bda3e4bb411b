//! Keys on a device (`sk-ssh-ed25519@openssh.com` and its ECDSA kin), played by a key in software
//! that signs what a device signs: the application, flags, a counter and the message
//! (PROTOCOL.u2f).

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;

use holdshort::api::client::sign::{Pen, sign};
use holdshort::base::Digest;
use ssh_encoding::{Decode as _, Encode as _};
use ssh_key::public::{EcdsaPublicKey, KeyData, SkEcdsaSha2NistP256, SkEd25519};
use ssh_key::{
    Algorithm, HashAlg, LineEnding, PrivateKey, PublicKey, Signature, SigningKey, SshSig,
};

use super::bench::{Bench, NOON, ballot, bench};

const APPLICATION: &str = "ssh:";
pub const UNTOUCHED: u8 = 0;
pub const TOUCHED: u8 = 1;
/// The person was verified, by a PIN or a finger.
const VERIFIED: u8 = 4;

/// A device.
pub struct Device {
    inner: PrivateKey,
    key: KeyData,
}

/// One with an ECDSA key.
fn ecdsa_device(bench: &Bench) -> Device {
    let inner = PrivateKey::read_openssh_file(&bench.key("inner-ec", "ecdsa", "")).unwrap();
    let Some(EcdsaPublicKey::NistP256(point)) = inner.public_key().key_data().ecdsa() else {
        panic!("ssh-keygen makes P-256 keys unless told otherwise")
    };
    let key = KeyData::SkEcdsaSha2NistP256(SkEcdsaSha2NistP256::new(*point, APPLICATION));
    Device { inner, key }
}

pub fn device(bench: &Bench) -> Device {
    let inner = PrivateKey::read_openssh_file(&bench.key("inner", "ed25519", "")).unwrap();
    let public = *inner.public_key().key_data().ed25519().unwrap();
    let key = KeyData::SkEd25519(SkEd25519::new(public, APPLICATION));
    Device { inner, key }
}

/// Any key signs through this without its trait being in sight.
fn raw<K: SigningKey>(key: &K, data: &[u8]) -> Vec<u8> {
    key.try_sign(data).unwrap().as_bytes().to_vec()
}

impl Device {
    /// What the device makes of a message.
    fn signature(&self, message: &[u8], flags: u8) -> Signature {
        let counter = 41u32.to_be_bytes();
        let mut data = Digest::of(APPLICATION.as_bytes()).0.to_vec();
        data.push(flags);
        data.extend(counter);
        data.extend(Digest::of(message).0);
        let mut bytes = raw(&self.inner, &data);
        bytes.push(flags);
        bytes.extend(counter);
        Signature::new(self.key.algorithm(), bytes).unwrap()
    }

    /// The same as an agent writes it.
    fn blob(&self, message: &[u8], flags: u8) -> Vec<u8> {
        let signature = self.signature(message, flags);
        let (signed, trailer) = signature.as_bytes().split_at(signature.as_bytes().len() - 5);
        let mut blob = Vec::new();
        self.key.algorithm().encode(&mut blob).unwrap();
        signed.encode(&mut blob).unwrap();
        blob.extend(trailer);
        blob
    }

    pub fn armoured(&self, text: &str, flags: u8) -> String {
        let data = SshSig::signed_data("holdshort-review", HashAlg::Sha512, text.as_bytes());
        let signature = self.signature(&data.unwrap(), flags);
        let sealed =
            SshSig::new(self.key.clone(), "holdshort-review", HashAlg::Sha512, signature).unwrap();
        sealed.to_pem(LineEnding::LF).unwrap()
    }

    /// A line of allowed signers.
    pub fn line(&self, who: &str) -> String {
        format!("{who} {}\n", PublicKey::from(self.key.clone()).to_openssh().unwrap())
    }

    fn allow(&self, bench: &Bench) {
        bench.allow(&self.line("ana"));
    }
}

#[test]
fn only_the_flag_says_that_somebody_touched_it() {
    let Some(bench) = bench() else { return };
    let device = device(&bench);
    device.allow(&bench);
    for (flags, touched) in
        [(UNTOUCHED, false), (TOUCHED, true), (VERIFIED, false), (TOUCHED | VERIFIED, true)]
    {
        let armoured = device.armoured(&ballot().text(), flags);
        let signature = bench.check(&ballot(), &armoured, NOON).unwrap();
        assert_eq!(signature.touched, touched, "flags {flags}");
        if touched {
            let verified = bench.keygen_verifies("ana", &armoured, &ballot().text());
            assert!(verified.status.success(), "{verified:?}");
        }
    }
}

#[test]
fn a_flag_that_was_put_in_later_is_refused() {
    let Some(bench) = bench() else { return };
    let device = device(&bench);
    device.allow(&bench);
    let data = SshSig::signed_data("holdshort-review", HashAlg::Sha512, ballot().text().as_bytes());
    let mut bytes = device.signature(&data.unwrap(), UNTOUCHED).as_bytes().to_vec();
    let flags = bytes.len() - 5;
    bytes[flags] = TOUCHED;
    let forged = Signature::new(Algorithm::SkEd25519, bytes).unwrap();
    let sealed =
        SshSig::new(device.key.clone(), "holdshort-review", HashAlg::Sha512, forged).unwrap();
    let armoured = sealed.to_pem(LineEnding::LF).unwrap();
    let refusal = bench.check(&ballot(), &armoured, NOON).unwrap_err();
    assert!(refusal.what.contains("no signature of this vote"), "{refusal:?}");
    let verified = bench.keygen_verifies("ana", &armoured, &ballot().text());
    assert!(!verified.status.success(), "{verified:?}");
}

/// What comes of it when a device blinks.
pub enum Answers {
    /// Somebody touches it at once.
    Touched,
    /// Somebody touches it once this says so.
    Once(std::sync::mpsc::Receiver<()>),
    /// Nobody does.
    Refused,
}

/// An agent that has a device, until it was asked to sign once.
pub fn agent_with(
    device: Device,
    socket: &std::path::Path,
    answers: Answers,
) -> std::thread::JoinHandle<()> {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        let mut blob = Vec::new();
        device.key.encode(&mut blob).unwrap();
        loop {
            let (mut stream, _) = listener.accept().unwrap();
            let mut length = [0; 4];
            while stream.read_exact(&mut length).is_ok() {
                let mut message = vec![0; u32::from_be_bytes(length) as usize];
                stream.read_exact(&mut message).unwrap();
                let signs = message[0] == 13;
                let answer = match &answers {
                    _ if !signs => holds(&blob),
                    Answers::Refused => vec![5],
                    Answers::Touched => signs_for(&device, &blob, &message),
                    Answers::Once(touched) => {
                        touched.recv().unwrap();
                        signs_for(&device, &blob, &message)
                    }
                };
                let mut framed = Vec::new();
                answer.encode(&mut framed).unwrap();
                stream.write_all(&framed).unwrap();
                if signs {
                    return;
                }
            }
        }
    })
}

/// Which keys it has.
fn holds(blob: &[u8]) -> Vec<u8> {
    let mut answer = vec![12];
    1u32.encode(&mut answer).unwrap();
    blob.encode(&mut answer).unwrap();
    "a device".encode(&mut answer).unwrap();
    answer
}

fn signs_for(device: &Device, blob: &[u8], message: &[u8]) -> Vec<u8> {
    let mut body = &message[1..];
    assert_eq!(Vec::<u8>::decode(&mut body).unwrap(), blob);
    let data = Vec::<u8>::decode(&mut body).unwrap();
    let mut answer = vec![14];
    device.blob(&data, TOUCHED).encode(&mut answer).unwrap();
    answer
}

#[test]
fn a_device_behind_an_agent_signs_and_shows_its_touch() {
    let Some(bench) = bench() else { return };
    for device in [device(&bench), ecdsa_device(&bench)] {
        device.allow(&bench);
        let kind = device.key.algorithm();
        let socket = bench.path(kind.as_str());
        let serving = agent_with(device, &socket, Answers::Touched);
        let armoured = sign(&Pen { agent: Some(socket), key: None }, &ballot().text()).unwrap();
        serving.join().unwrap();
        let signature = bench.check(&ballot(), &armoured, NOON).unwrap();
        assert!(signature.touched, "{kind}");
        let verified = bench.keygen_verifies("ana", &armoured, &ballot().text());
        assert!(verified.status.success(), "{kind}: {verified:?}");
    }
}
