//! A signature that is not this vote's, this person's or valid now refuses the vote.

use holdshort::api::auth::signature::{Claimed, check};
use holdshort::api::auth::signers::Signers;
use holdshort::base::{Digest, ReviewId, Wall};
use holdshort::model::refusal::RefusalCode;
use holdshort::model::review::{Ballot, Verdict};

use super::bench::{NOON, ballot, bench};

fn refusal(
    result: Result<holdshort::model::review::Signature, holdshort::model::refusal::Refusal>,
) -> String {
    let refusal = result.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Forbidden);
    assert!(refusal.what.starts_with("the vote was not taken"), "{refusal:?}");
    refusal.what
}

type Change = fn(&mut Ballot);

#[test]
fn a_signature_for_anything_else_is_refused() {
    let Some(bench) = bench() else { return };
    let key = bench.key("a", "ed25519", "");
    bench.allow(&bench.line("ana,bob", &key));
    let changes: [(&str, Change); 8] = [
        ("action_hash", |b| b.hash = Digest::of(b"pay 1000 EUR")),
        ("verdict", |b| b.verdict = Verdict::Deny { stop: false }),
        ("verdict", |b| b.verdict = Verdict::Deny { stop: true }),
        ("review", |b| b.review = ReviewId(18)),
        ("installation", |b| b.installation = Digest([8; 32])),
        ("voter", |b| b.voter = "bob".into()),
        ("ballot", |b| b.ballot = 2),
        ("uses", |b| b.uses = Some(9)),
    ];
    for (what, change) in changes {
        let mut other = ballot();
        change(&mut other);
        let armoured = bench.keygen_signs(&key, "holdshort-review", &other.text());
        // With its own text, which is another vote's; and with this vote's, which it never signed.
        let signers = Signers::open(&bench.path("allowed")).unwrap();
        let claimed = Claimed { text: other.text(), armoured: armoured.clone() };
        let said = refusal(check(&signers, &ballot(), &claimed, NOON));
        assert!(said.contains(&format!("it says {what} ")), "{said}");
        let said = refusal(bench.check(&ballot(), &armoured, NOON));
        assert!(said.contains("no signature of this vote"), "{said}");
    }
}

#[test]
fn a_signature_in_another_namespace_is_refused() {
    let Some(bench) = bench() else { return };
    let key = bench.key("a", "ed25519", "");
    bench.allow(&bench.line("ana", &key));
    let armoured = bench.keygen_signs(&key, "git", &ballot().text());
    let said = refusal(bench.check(&ballot(), &armoured, NOON));
    assert!(said.contains("it is for \"git\""), "{said}");
}

#[test]
fn a_key_that_may_not_sign_this_now_is_refused() {
    let Some(bench) = bench() else { return };
    let key = bench.key("a", "ed25519", "");
    let other = bench.key("b", "ed25519", "");
    let armoured = bench.keygen_signs(&key, "holdshort-review", &ballot().text());
    for (line, part) in [
        (bench.line("ana", &other), "lists no key SHA256:"),
        (bench.line("bob", &key), "is bob's, not ana's"),
        (bench.line("ana namespaces=\"git\"", &key), "is for git only"),
        (bench.line("ana valid-before=\"20260101Z\"", &key), "was valid until 2026-01-01"),
        (bench.line("ana valid-after=\"20990101Z\"", &key), "not valid before 2099-01-01"),
        (bench.line("ana cert-authority", &key), "cert-authority is not taken"),
        (String::new(), "lists no key SHA256:"),
    ] {
        bench.allow(&line);
        let said = refusal(bench.check(&ballot(), &armoured, NOON));
        assert!(said.contains(part), "{line}: {said}");
    }
    bench.allow(&bench.line("ana valid-before=\"20260101Z\"", &key));
    bench.check(&ballot(), &armoured, Wall(1_760_000_000_000)).unwrap();
}

#[test]
fn a_signature_that_was_touched_up_is_refused_wherever() {
    let Some(bench) = bench() else { return };
    let key = bench.key("a", "ed25519", "");
    bench.allow(&bench.line("ana", &key));
    let armoured = bench.keygen_signs(&key, "holdshort-review", &ballot().text());
    let letters: Vec<usize> = armoured
        .char_indices()
        .filter(|(at, letter)| {
            let line = armoured[..*at].rfind('\n').map_or(0, |end| end + 1);
            letter.is_ascii_alphanumeric() && !armoured[line..].starts_with('-')
        })
        .map(|(at, _)| at)
        .collect();
    assert!(letters.len() > 200);
    for at in letters {
        let mut changed = armoured.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        let result = bench.check(&ballot(), &changed, NOON);
        assert!(result.is_err(), "letter {at} may be changed");
    }
    for nonsense in ["", "x", "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n"] {
        let said = refusal(bench.check(&ballot(), nonsense, NOON));
        assert!(said.contains("it is no SSH signature"), "{said}");
    }
    let said = refusal(bench.check(&ballot(), &armoured.repeat(40), NOON));
    assert!(said.contains("too long"), "{said}");
}

#[test]
fn keys_of_other_kinds_are_refused_by_name() {
    let Some(bench) = bench() else { return };
    let key = bench.key("r", "rsa", "");
    bench.allow(&bench.line("ana", &key));
    let armoured = bench.keygen_signs(&key, "holdshort-review", &ballot().text());
    let said = refusal(bench.check(&ballot(), &armoured, NOON));
    assert!(said.contains("rsa"), "{said}");
    assert!(said.contains("are not taken"), "{said}");
}

#[test]
fn a_file_that_others_may_write_to_allows_nobody() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(bench) = bench() else { return };
    let path = bench.allow(&bench.line("ana", &bench.key("a", "ed25519", "")));
    let mode = |mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        Signers::open(&path)
    };
    assert!(mode(0o664).unwrap_err().contains("chmod go-w"));
    assert!(mode(0o646).unwrap_err().contains("others than its owner"));
    assert!(mode(0o644).is_ok());
    let missing = Signers::open(&bench.path("missing")).unwrap_err();
    assert!(missing.contains("lists who may sign"), "{missing}");
}
