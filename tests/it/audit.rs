//! The audit of the whole program: what it says of a review, that stock `ssh-keygen` accepts what
//! it prints, and that whatever is done to it is found.

use std::path::Path;

use holdshort::api::client::Client;
use holdshort::api::client::sign::{Pen, sign};
use holdshort::base::{Digest, JobId, Span};
use holdshort::model::action::{Action, Args, EffectClass};
use holdshort::model::review::{Ask, Ballot, Cast, Review, ReviewVerb, Signature, Verdict, Wait};
use rusqlite::Connection;
use serde_json::Value;

use crate::keys::bench::{bench, write_own};
use crate::keys::device::{TOUCHED, UNTOUCHED, device};
use crate::place::Place;

/// The one person of these tests, whoever runs them.
fn config(more: &str) -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).unwrap().unwrap().name;
    format!(
        "[[node]]\nname = \"n1\"\ncpu = \"4\"\nmem = \"64Gi\"\n\
         [[user]]\nname = \"ana\"\nos_user = \"{user}\"\nrole = \"admin\"\n{more}"
    )
}

/// An installation with one person, who is asked.
pub struct Office {
    pub place: Place,
    pub runtime: tokio::runtime::Runtime,
    job: JobId,
}

impl Office {
    pub fn new(more: &str) -> Office {
        let place = Place::new(&config(more));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let job = JobId(place.submit("", "sleep 600"));
        place.until_state(job.0, "running");
        Office { place, runtime, job }
    }

    fn client(&self) -> Client {
        Client::new(self.place.path("run/holdshort/socket"))
    }

    /// The job's owner asks for it.
    pub fn ask(&self, what: &str) -> Review {
        let args = Args::Here(format!("{{\"argv\":[\"drop\",\"{what}\"]}}"));
        let action = Action {
            kind: "command".into(),
            tool: None,
            args,
            target: Some(what.to_owned()),
            amount: None,
        };
        let ask = Ask {
            step: None,
            effect: EffectClass::Irreversible,
            action,
            summary: "drops it".to_owned(),
            agent: None,
            alternatives: Vec::new(),
            conditions: std::collections::BTreeMap::default(),
            wait: Wait::Hold { most: Span::hours(1) },
            key: None,
            undeclared: false,
        };
        let asked = self.runtime.block_on(self.client().ask(Some(self.job), &ask, None));
        asked.unwrap().review
    }

    fn vote(
        &self,
        review: &Review,
        cast: Cast<'_>,
        signature: Option<Signature>,
    ) -> Result<Review, String> {
        let verb = ReviewVerb::Vote {
            verdict: cast.verdict,
            reason: cast.reason.map(str::to_owned),
            hash: Some(review.hash.to_string()),
            version: Some(review.version),
            undo: Span::ZERO,
            uses: cast.uses,
            until: cast.until,
            signature: signature.map(Box::new),
        };
        let done = self.runtime.block_on(self.client().review_act(review.id, &verb, None));
        done.map(|card| card.review).map_err(|error| error.to_string())
    }

    /// A signature of this vote, by whatever signs a text.
    fn signed(
        &self,
        review: &Review,
        cast: Cast<'_>,
        sign: impl FnOnce(&str) -> String,
    ) -> Signature {
        let booth = self.runtime.block_on(self.client().booth(review.id)).unwrap();
        let text = Ballot::of(&booth, review, cast).text();
        Signature { key: String::new(), touched: false, armoured: sign(&text), text }
    }

    fn sql(&self, sql: &str) {
        let path = self.place.data().join("journal.db");
        Connection::open(path).unwrap().execute_batch(sql).unwrap();
    }

    /// What `verify audit` says of the installation.
    fn verify(&self) -> (i32, String) {
        let ran = self.place.run("verify audit");
        (ran.code, ran.out + &ran.err)
    }

    pub fn sound(&self) -> Value {
        let found = self.place.json("verify audit");
        assert_eq!(found["faults"].as_array().unwrap().len(), 0, "{found}");
        found
    }
}

fn yes() -> Cast<'static> {
    Cast { verdict: Verdict::Approve, reason: None, uses: None, until: None }
}

fn with_key(key: &Path) -> impl FnOnce(&str) -> String {
    let pen = Pen { agent: None, key: Some(key.to_owned()) };
    move |text| sign(&pen, text).unwrap()
}

fn allow(office: &Office, lines: &str) {
    write_own(&office.place.path("config/holdshort/allowed_signers"), lines);
}

#[test]
fn ssh_keygen_accepts_what_audit_show_prints() {
    let Some(bench) = bench() else { return };
    let office = Office::new("");
    let key = bench.key("a", "ed25519", "");
    allow(&office, &bench.line("ana", &key));
    bench.allow(&bench.line("ana", &key));
    let review = office.ask("table");
    let signature = office.signed(&review, yes(), with_key(&key));
    let after = office.vote(&review, yes(), Some(signature)).unwrap();
    let vote = &after.votes[0];
    assert!(vote.signature.is_some() && vote.own);
    assert_eq!(vote.assurance.word(), "same-user");

    let action = office.place.run("audit show R1 --action").out;
    assert_eq!(Digest::of(action.as_bytes()), review.hash);
    assert_eq!(action, review.canonical());
    let text = office.place.run("audit show R1 --vote 1 --text").out;
    let armoured = office.place.run("audit show R1 --vote 1 --signature").out;
    let verified = bench.keygen_verifies("ana", &armoured, &text);
    assert!(verified.status.success(), "{verified:?}");
    let other = bench.keygen_verifies("ana", &armoured, &text.replace("approve", "deny"));
    assert!(!other.status.success());

    let shown = office.place.ok("audit show R1");
    for part in [
        "requested  ask by ana (uid ",
        &review.hash_text(),
        "vote 1: ana approve of sha256:",
        "assurance: same-user",
        "signed with SHA256:",
        "-----BEGIN SSH SIGNATURE-----",
        "ssh-keygen -Y verify -f ALLOWED_SIGNERS -I ana -n holdshort-review -s vote.sig",
        "decided",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert_eq!(office.sound()["signatures"], 1);
    assert_eq!(office.place.run("audit show R2").code, 3);
    assert_eq!(office.place.run("audit show R1 --vote 2 --text").code, 3);
}

#[test]
fn the_command_line_signs_a_yes_and_a_no() {
    let Some(bench) = bench() else { return };
    let office = Office::new("");
    let key = bench.key("a", "ed25519", "");
    allow(&office, &bench.line("ana", &key));
    let (first, second) = (office.ask("table"), office.ask("another"));
    let hash = first.hash.to_string();
    let key = key.to_str().unwrap();
    let unsigned = office.place.args(["approve", "R1", "--hash", &hash[..8], "--sign"]);
    assert_eq!(unsigned.code, 4, "{unsigned:?}");
    assert!(unsigned.err.contains("not signed, so it was not sent"), "{unsigned:?}");
    let yes = office.place.args(["approve", "R1", "--hash", &hash[..8], "--sign", "--key", key]);
    assert_eq!(yes.code, 0, "{yes:?}");
    let agent = bench.agent(&[Path::new(key)]);
    let mut no = office.place.command(["deny", "R2", "--reason", " not now ", "--sign"]);
    let no = no.env("SSH_AUTH_SOCK", &agent.socket).output().unwrap();
    assert!(no.status.success(), "{no:?}");
    for (review, verdict) in [(first.id, "approve"), (second.id, "deny")] {
        let after = office.runtime.block_on(office.client().review(review, None)).unwrap().review;
        assert_eq!(after.votes[0].verdict.word(), verdict);
        let signature = after.votes[0].signature.as_ref().unwrap();
        assert!(signature.text.contains(&format!("\"verdict\":\"{verdict}\"")));
    }
    assert_eq!(office.sound()["signatures"], 2);
}

#[test]
fn a_signature_that_is_not_good_refuses_the_vote_and_leaves_no_trace() {
    let Some(bench) = bench() else { return };
    let office = Office::new("");
    let (key, stranger) = (bench.key("a", "ed25519", ""), bench.key("b", "ed25519", ""));
    let review = office.ask("table");
    let good = office.signed(&review, yes(), with_key(&key));
    let fails = |signature: &Signature, cast: Cast<'_>, part: &str| {
        let said = office.vote(&review, cast, Some(signature.clone())).unwrap_err();
        assert!(said.contains(part), "{part}: {said}");
    };
    fails(&good, yes(), "allowed_signers");
    allow(&office, &bench.line("ana", &stranger));
    fails(&good, yes(), "lists no key SHA256:");
    allow(&office, &bench.line("bob", &key));
    fails(&good, yes(), "is bob's, not ana's");
    allow(&office, &bench.line("ana", &key));
    let no = Cast { verdict: Verdict::Deny { stop: false }, reason: Some("no"), ..yes() };
    fails(&good, no, "it says reason null");
    let other = office.ask("another");
    let for_other = office.signed(&other, yes(), with_key(&key));
    fails(&for_other, yes(), "it says action_hash");
    fails(&Signature { text: String::new(), ..for_other }, yes(), "no signature of this vote");
    let git = bench.keygen_signs(&key, "git", &good.text);
    fails(&Signature { armoured: git, ..good.clone() }, yes(), "it is for \"git\"");
    let card = office.runtime.block_on(office.client().review(review.id, None)).unwrap();
    assert_eq!(card.review.votes, []);
    // And it is still good for what it is for, with the text or without.
    office.vote(&review, yes(), Some(Signature { text: String::new(), ..good })).unwrap();
    office.sound();
}

#[test]
fn a_yes_that_was_taken_back_does_not_come_back_with_its_signature() {
    let Some(bench) = bench() else { return };
    let office = Office::new("[[review_policy]]\nname = \"two\"\nneed = 2\ndeny_at = 2\n");
    let key = bench.key("a", "ed25519", "");
    allow(&office, &bench.line("ana", &key));
    let review = office.ask("table");
    let signature = office.signed(&review, yes(), with_key(&key));
    let after = office.vote(&review, yes(), Some(signature.clone())).unwrap();
    assert_eq!(after.votes.len(), 1);
    // The same once more is the same vote.
    assert_eq!(office.vote(&review, yes(), Some(signature.clone())).unwrap().votes.len(), 1);
    let no = Cast { verdict: Verdict::Deny { stop: false }, reason: Some("no"), ..yes() };
    office.vote(&after, no, None).unwrap();
    let said = office.vote(&after, yes(), Some(signature)).unwrap_err();
    assert!(said.contains("used for an earlier vote"), "{said}");
}

#[test]
fn only_a_touched_device_is_sure_enough_for_high() {
    let Some(bench) = bench() else { return };
    let office = Office::new("[[review_policy]]\nname = \"sure\"\nassurance = \"high\"\n");
    let device = device(&bench);
    let key = bench.key("a", "ed25519", "");
    allow(&office, &format!("{}{}", device.line("ana"), bench.line("ana", &key)));
    let review = office.ask("table");
    let unsigned = office.vote(&review, yes(), None).unwrap_err();
    assert!(unsigned.contains("needs a touched hardware key"), "{unsigned}");
    let soft = office.signed(&review, yes(), with_key(&key));
    let soft = office.vote(&review, yes(), Some(soft)).unwrap_err();
    assert!(soft.contains("needs a touched hardware key"), "{soft}");
    let untouched = office.signed(&review, yes(), |text| device.armoured(text, UNTOUCHED));
    let untouched = office.vote(&review, yes(), Some(untouched)).unwrap_err();
    assert!(untouched.contains("needs a touched hardware key"), "{untouched}");
    // Whoever sends it can't say that it was touched.
    let mut claimed = office.signed(&review, yes(), |text| device.armoured(text, UNTOUCHED));
    claimed.touched = true;
    office.vote(&review, yes(), Some(claimed)).unwrap_err();
    let touched = office.signed(&review, yes(), |text| device.armoured(text, TOUCHED));
    let after = office.vote(&review, yes(), Some(touched)).unwrap();
    assert_eq!(after.state.word(), "approved");
    assert_eq!(after.votes[0].assurance.word(), "hardware");
    assert!(office.place.ok("audit show R1").contains("on a device that was touched"));
    assert_eq!(office.sound()["signatures"], 1);
}

#[test]
fn the_audit_outlives_the_journals_records_and_a_killed_server() {
    let office = Office::new("");
    let mut entries = 0;
    for n in 1..=5 {
        office.place.ok("ls");
        let review = office.ask(&format!("table{n}"));
        office.vote(&review, yes(), None).unwrap();
        office.place.kill_server();
        // What was answered is there.
        let found = office.sound()["entries"].as_u64().unwrap();
        assert!(found >= entries + 3, "{found} entries after {entries}");
        entries = found;
        let last: Value = office.place.json(&format!("audit show R{n}"));
        let kinds: Vec<&str> = last["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["entry"]["fact"]["kind"].as_str().unwrap())
            .collect();
        let mut told = kinds.iter();
        for kind in ["requested", "voted", "decided"] {
            assert!(told.any(|found| *found == kind), "{kind}: {kinds:?}");
        }
        if n == 3 {
            let dropped = office.place.ok("journal compact");
            assert!(!dropped.starts_with("0 "), "{dropped}");
        }
    }
    assert_eq!(office.place.run("audit show R1").code, 0);
    let export = office.place.run("audit export").out;
    assert_eq!(export.lines().count() as u64, entries + 2);
    let later = office.place.run("audit export --since 2999-01-01T00:00:00Z").out;
    assert_eq!(later.lines().count(), 2);
    assert_eq!(office.place.run("audit show R1 --action").code, 0);
}

#[test]
fn whatever_is_done_to_the_stored_audit_is_found_and_named() {
    for compacted in [false, true] {
        let office = Office::new("");
        for n in 1..=3 {
            let review = office.ask(&format!("table{n}"));
            office.vote(&review, yes(), None).unwrap();
        }
        if compacted {
            office.place.ok("journal compact");
        }
        let review = office.ask("last");
        office.vote(&review, yes(), None).unwrap();
        office.place.kill_server();
        let found = office.sound();
        let last = found["entries"].as_u64().unwrap();
        let head = found["head"].as_str().unwrap().to_owned();
        let known = |link: &str| office.place.run(&format!("verify audit --head {link}")).code;
        let other = format!("sha256:{}", "0".repeat(64));
        assert_eq!((known(&head), known(&other)), (0, 1));
        office.sql("CREATE TABLE kept AS SELECT * FROM audit");
        let edited = |from: &str, to: &str, n: u64| {
            let text = format!("replace(CAST(bytes AS TEXT), '{from}', '{to}')");
            format!("UPDATE audit SET bytes = CAST({text} AS BLOB) WHERE n = {n}")
        };
        let swapped = "UPDATE audit SET n = -1 WHERE n = 1; UPDATE audit SET n = 1 WHERE n = 2; \
                       UPDATE audit SET n = 2 WHERE n = -1";
        for (change, part) in [
            (edited("\"v\":1", "\"v\":2", 4), "entry 4 "),
            (edited("\"uid\":", "\"uie\":", 2), "entry 2 "),
            ("UPDATE audit SET link = zeroblob(32) WHERE n = 3".to_owned(), "entry 3 "),
            ("UPDATE audit SET review = 9 WHERE n = 5".to_owned(), "entry 5 "),
            ("DELETE FROM audit WHERE n = 2".to_owned(), "entry 2 is missing"),
            ("DELETE FROM audit WHERE n < 3".to_owned(), "entries 1 to 2 are missing"),
            (format!("DELETE FROM audit WHERE n = {last}"), "missing at the end"),
            ("DELETE FROM audit".to_owned(), "missing"),
            (swapped.to_owned(), "entry 1 "),
            ("UPDATE audit_base SET link = zeroblob(32)".to_owned(), "entry 1 "),
        ] {
            let base = "SELECT link FROM audit_base";
            office.sql(&format!("CREATE TABLE old_base AS {base}; {change}"));
            let (code, said) = office.verify();
            assert_eq!(code, 1, "{change}: {said}");
            assert!(said.contains(part), "{change}: {said}");
            office.sql(
                "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; \
                 UPDATE audit_base SET link = (SELECT link FROM old_base); DROP TABLE old_base",
            );
            office.sound();
        }
        office.sql("DROP TABLE kept");
    }
}

#[test]
fn a_chain_that_was_written_anew_is_betrayed_by_the_journal() {
    let office = Office::new("");
    let review = office.ask("table");
    office.vote(&review, yes(), None).unwrap();
    office.place.kill_server();
    let before = office.sound();
    // Somebody who knows how the chain is made edits the vote and links all of it again.
    let path = office.place.data().join("journal.db");
    let conn = Connection::open(path).unwrap();
    let base: [u8; 32] =
        conn.query_row("SELECT link FROM audit_base", [], |row| row.get(0)).unwrap();
    let mut link = Digest(base);
    let count: i64 = conn.query_row("SELECT count(*) FROM audit", [], |row| row.get(0)).unwrap();
    for n in 1..=count {
        let bytes: Vec<u8> =
            conn.query_row("SELECT bytes FROM audit WHERE n = ?1", [n], |row| row.get(0)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let text = text.replace("\"verdict\":\"approve\"", "\"verdict\":\"deny\"");
        link = link.chained(n.unsigned_abs(), text.as_bytes());
        conn.execute(
            "UPDATE audit SET bytes = ?2, link = ?3 WHERE n = ?1",
            (n, text.into_bytes(), link.0),
        )
        .unwrap();
    }
    drop(conn);
    let (code, said) = office.verify();
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("says otherwise than entry "), "{said}");
    let head = before["head"].as_str().unwrap();
    let known = office.place.run(&format!("verify audit --head {head}"));
    assert!(known.err.contains("no entry has the link"), "{known:?}");
}

#[test]
fn an_exported_file_is_checked_without_its_installation() {
    let Some(bench) = bench() else { return };
    let office = Office::new("");
    let key = bench.key("a", "ed25519", "");
    allow(&office, &bench.line("ana", &key));
    let review = office.ask("table");
    let signature = office.signed(&review, yes(), with_key(&key));
    office.vote(&review, yes(), Some(signature)).unwrap();
    let export = office.place.run("audit export").out;
    let file = office.place.path("audit.jsonl");
    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let ran = office.place.args(["verify", "audit", file.to_str().unwrap()]);
        (ran.code, ran.out + &ran.err)
    };
    let (code, said) = check(&export);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 signed votes"), "{said}");
    let lines: Vec<&str> = export.lines().collect();
    let without = |skip: usize| {
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != skip);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    for (text, part) in [
        (export.replace("table", "fable"), "entry 1 "),
        (without(2), "entry 2 is missing"),
        (without(lines.len() - 1), "the last line is missing"),
        (without(lines.len() - 2), "missing"),
        (without(0), "no exported audit"),
        (export.trim_end().to_owned(), "the last line has no end"),
        (export.replacen("\n{\"n\":2", "\r\n{\"n\":2", 1), "entry 1 "),
    ] {
        let (code, said) = check(&text);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(part), "{part}: {said}");
    }
}
