//! Files of allowed signers: who is taken, who is not and why, and what makes no sense.

use super::*;

const ANA: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN76zuqnjypL54/w4763l7q1Sn3IBYHptJ5wcYfEWkzN";
const BOB: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const NOON: Wall = Wall(1_790_000_000_000);

fn permit(text: &str, who: &str) -> Result<(), String> {
    let signers = Signers::read(Path::new("f"), text)?;
    let key = PublicKey::from_openssh(ANA).unwrap();
    signers.permit(key.key_data(), who, "holdshort-review", NOON)
}

#[test]
fn lines_of_every_form_are_read() {
    for line in [
        format!("ana {ANA}"),
        format!("# who\n\n  ana   {ANA} ana at home\r\n"),
        format!("\"ana,bob\"\t{ANA}"),
        format!("*@x.org,a?a {ANA}"),
        format!("ana namespaces=\"git,holdshort-*\" {ANA}"),
        format!(
            "ana NAMESPACES=\"*\",valid-after=\"20200101\",valid-before=\"21000101000000Z\" {ANA}"
        ),
        format!("bob {BOB}\nana valid-before=\"20200101Z\" {ANA}\nana {ANA}"),
    ] {
        assert_eq!(permit(&line, "ana"), Ok(()), "{line}");
    }
}

#[test]
fn who_is_not_allowed_is_told_why() {
    for (text, part) in [
        (format!("ana {BOB}"), "lists no key SHA256:"),
        (String::new(), "lists no key SHA256:"),
        (format!("bob {ANA}"), "f:1: the key SHA256:"),
        (format!("bob {ANA}"), "is bob's, not ana's"),
        (format!("*,!ana {ANA}"), "not ana's"),
        (format!("ana namespaces=\"git\" {ANA}"), "is for git only, not holdshort-review"),
        (format!("ana valid-after=\"20991231Z\" {ANA}"), "not valid before 2099-12-31T00:00:00"),
        (format!("ana valid-before=\"202001011200Z\" {ANA}"), "valid until 2020-01-01T12:00:00"),
        (format!("bob {ANA}\nana valid-before=\"2020010112\" {ANA}"), "f:2: \"2020010112\""),
        (format!("bob {ANA}\nana namespaces=\"git\" {ANA}"), "f:2: the key"),
        (format!("ana cert-authority {BOB}"), "f:1: cert-authority is not taken here"),
    ] {
        let said = permit(&text, "ana").unwrap_err();
        assert!(said.contains(part), "{text}: {said}");
    }
}

#[test]
fn a_line_that_makes_no_sense_allows_nobody() {
    for (line, part) in [
        ("ana", "f:2: a line needs a name and a key"),
        ("ana ssh-ed25519", "neither a key nor an option"),
        ("ana ssh-ed25519 AAAA", "neither a key nor an option"),
        ("\"ana x", "a quote is not closed"),
        ("ana namespaces=git ssh-ed25519 A", "needs a value in double quotes"),
        ("ana namespaces ssh-ed25519 A", "needs a value: namespaces"),
        ("ana namespaces=\"a\",namespaces=\"b\" k", "stands twice"),
        ("ana valid-after=\"20300101Z\",valid-before=\"20200101Z\" k", "not after valid-after"),
        ("ana valid-after=\"20301301Z\" k", "is no time"),
        ("ana valid-after=\"tomorrow\" k", "is no time"),
        ("ana namespaces=\"a\"", "comes a blank and the key"),
        ("ana namespaces=\"a\" k", "after the name (and options) comes a key"),
    ] {
        let said = permit(&format!("ana {ANA}\n{line}"), "ana").unwrap_err();
        assert!(said.contains(part), "{line}: {said}");
    }
}

#[test]
fn any_text_is_read_or_refused() {
    use proptest::prelude::*;
    proptest!(|(text in "[ana \",=\\\\!*?#a-z\n]{0,60}")| {
        let _ = permit(&text, "ana");
    });
}
