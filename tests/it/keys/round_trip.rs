//! Our signatures for `ssh-keygen`, and its signatures for us.

use holdshort::api::client::sign::{Pen, sign};

use super::bench::{NOON, ballot, bench};

#[test]
fn ssh_keygen_accepts_what_a_key_file_signs_and_so_do_we() {
    let Some(bench) = bench() else { return };
    for kind in ["ed25519", "ecdsa"] {
        let key = bench.key(kind, kind, "");
        bench.allow(&bench.line("ana", &key));
        // As ssh-keygen has it, the public half names the private one beside it.
        for named in [key.clone(), key.with_extension("pub")] {
            let pen = Pen { agent: None, key: Some(named) };
            let armoured = sign(&pen, &ballot().text()).unwrap();
            let verified = bench.keygen_verifies("ana", &armoured, &ballot().text());
            assert!(verified.status.success(), "{kind}: {verified:?}");
            let signature = bench.check(&ballot(), &armoured, NOON).unwrap();
            assert!(signature.key.starts_with("SHA256:") && !signature.touched, "{signature:?}");
            assert_eq!(signature.text, ballot().text());
            let other = bench.keygen_verifies("ana", &armoured, &ballot().text().replace('7', "8"));
            assert!(!other.status.success(), "{other:?}");
        }
    }
}

#[test]
fn ssh_keygen_accepts_what_an_agent_signs_and_so_do_we() {
    let Some(bench) = bench() else { return };
    let (plain, locked) = (bench.key("a", "ed25519", ""), bench.key("b", "ecdsa", "secret"));
    bench.allow(&format!("{}{}", bench.line("bob", &plain), bench.line("ana", &locked)));
    let agent = bench.agent(&[&plain, &locked]);
    let pen = |key| Pen { agent: Some(agent.socket.clone()), key };
    // A key with a passphrase is known by its public half; the agent has the private one.
    for key in [locked.clone(), locked.with_extension("pub")] {
        let armoured = sign(&pen(Some(key)), &ballot().text()).unwrap();
        let verified = bench.keygen_verifies("ana", &armoured, &ballot().text());
        assert!(verified.status.success(), "{verified:?}");
        bench.check(&ballot(), &armoured, NOON).unwrap();
    }
    let several = sign(&pen(None), &ballot().text()).unwrap_err();
    assert!(several.what.contains("several keys: SHA256:"), "{several:?}");
    assert!(several.hint.contains("--key"), "{several:?}");
}

#[test]
fn the_only_key_of_an_agent_needs_no_name() {
    let Some(bench) = bench() else { return };
    // One of a kind that is not taken does not count.
    let (key, other) = (bench.key("a", "ed25519", ""), bench.key("r", "rsa", ""));
    bench.allow(&bench.line("ana", &key));
    let agent = bench.agent(&[&other, &key]);
    let pen = Pen { agent: Some(agent.socket.clone()), key: None };
    let armoured = sign(&pen, &ballot().text()).unwrap();
    bench.check(&ballot(), &armoured, NOON).unwrap();
}

#[test]
fn we_accept_what_ssh_keygen_signs() {
    let Some(bench) = bench() else { return };
    for kind in ["ed25519", "ecdsa"] {
        let key = bench.key(kind, kind, "");
        let options = "namespaces=\"git,holdshort-*\",valid-after=\"20200101\"";
        let line = bench.line(&format!("\"ana,*@x.org\" {options}"), &key);
        bench.allow(&format!("# who may sign\n\n{line}"));
        let armoured = bench.keygen_signs(&key, "holdshort-review", &ballot().text());
        let signature = bench.check(&ballot(), &armoured, NOON).unwrap();
        assert_eq!(signature.armoured, armoured);
        let verified = bench.keygen_verifies("ana", &armoured, &ballot().text());
        assert!(verified.status.success(), "{verified:?}");
    }
}

#[test]
fn a_key_that_cannot_sign_says_what_to_do() {
    let Some(bench) = bench() else { return };
    let locked = bench.key("locked", "ed25519", "secret");
    let rsa = bench.key("rsa", "rsa", "");
    let fails = |agent: Option<&std::path::Path>, key: Option<&std::path::Path>| {
        let pen = Pen { agent: agent.map(Into::into), key: key.map(Into::into) };
        let failed = sign(&pen, "x\n").unwrap_err();
        format!("{}; {}", failed.what, failed.hint)
    };
    let nobody = bench.path("nobody");
    for (said, part) in [
        (fails(None, None), "SSH_AUTH_SOCK is unset"),
        (fails(Some(&nobody), None), "no SSH agent answers at"),
        (fails(None, Some(&locked)), "needs a passphrase, and there is no SSH agent"),
        (fails(None, Some(&rsa)), "ssh-rsa are not taken; make one with `ssh-keygen -t"),
        (fails(None, Some(&nobody)), "can't be read"),
        (fails(None, Some(&bench.allow("nonsense"))), "neither a private nor a public key"),
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let agent = bench.agent(&[&bench.key("other", "ed25519", "")]);
    let said = fails(Some(&agent.socket), Some(&locked));
    assert!(said.contains("the SSH agent has no key SHA256:"), "{said}");
}
