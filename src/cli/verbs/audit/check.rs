//! `verify audit`: an installation's audit, or an exported file, checked offline. Nothing is
//! changed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;

use crate::api::auth::signature::check_kept;
use crate::base::Digest;
use crate::cli::exit::{FAILED, Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::verbs::journal::storage;
use crate::engine::audit::check::{Compare, Fault, Stored, Walk};
use crate::engine::audit::{Entry, file};
use crate::engine::metering::{audit_head, read_snapshot};
use crate::engine::replay::read_record;
use crate::model::action::Json;
use crate::model::ports::journal::{Link, StorageError};
use crate::model::review::Signature;
use crate::sched::World;
use crate::store::{AuditRow, Reader};

use super::Rows;

/// What was found, wherever it was looked for.
struct Found {
    place: String,
    installation: Digest,
    after: Link,
    head: Link,
    entries: u64,
    signatures: u64,
    faults: Vec<Fault>,
}

/// Checks the audit of the data directory, or a file that was exported. `known` is the link of an
/// entry that was kept elsewhere and must be in the chain.
///
/// # Errors
/// When it cannot be read at all, and when anything is wrong with it.
pub fn verify(session: &Session, path: Option<&Path>, known: Option<&str>) -> Outcome {
    let known = known.map(digest).transpose()?;
    let found = match path {
        Some(path) => of_file(path, known)?,
        None => {
            let dir = &session.places.paths.data;
            of_installation(dir, known).map_err(|error| storage(&error, dir))?
        }
    };
    report(session, &found)
}

fn digest(text: &str) -> Result<Digest, Failure> {
    let hex = text.strip_prefix("sha256:").unwrap_or(text);
    hex.parse().map_err(|why| Failure::usage(format!("--head {text}: {why}"), "sha256:HEX"))
}

/// What is looked at beside the chain: signatures, and a link that was kept elsewhere.
struct Beside {
    installation: Digest,
    known: Option<Digest>,
    signatures: u64,
}

impl Beside {
    fn entry(&mut self, n: u64, entry: &Entry, walk: &mut Walk) {
        if self.known == Some(walk.head().digest) {
            self.known = None;
        }
        let Some(signed) = signature_of(entry) else { return };
        self.signatures += 1;
        if let Some(why) = self.fault_of(entry, &signed) {
            walk.fault(Fault::Entry(n, why));
        }
    }

    /// The signature is one over its text, and the text says what the vote says.
    fn fault_of(&self, entry: &Entry, signed: &Signature) -> Option<String> {
        if let Err(why) = check_kept(signed) {
            return Some(why);
        }
        let Ok(text) = Json::read(&signed.text) else { return Some("it signs no ballot".into()) };
        let installation = Json::text(&self.installation.to_string());
        let vote = |key| entry.find(&["fact", "vote", key]);
        let pairs = [
            ("installation", Some(&installation)),
            ("review", entry.find(&["review"])),
            ("job", entry.find(&["job"])),
            ("voter", vote("by")),
            ("verdict", vote("verdict")),
            ("action_hash", vote("action_hash")),
            ("reason", vote("reason")),
            ("uses", vote("uses")),
            ("until", vote("until")),
        ];
        let other = pairs.into_iter().find(|(key, wanted)| text.get(key) != *wanted);
        other.map(|(key, _)| format!("its signature is for another {key}"))
    }

    fn finish(&self, walk: &mut Walk) {
        if let Some(known) = self.known {
            let what = format!(
                "no entry has the link sha256:{known}: entries were removed at the end, or the \
                 chain was written anew"
            );
            walk.fault(Fault::Head(what));
        }
    }
}

fn signature_of(entry: &Entry) -> Option<Signature> {
    let text = |key| entry.text(&["fact", "vote", "signature", key]).map(str::to_owned);
    Some(Signature {
        key: text("key")?,
        touched: entry.is_set(&["fact", "vote", "signature", "touched"]),
        armoured: text("armoured")?,
        text: text("text")?,
    })
}

fn stored(row: AuditRow) -> Stored {
    let AuditRow { n, link, review, bytes } = row;
    Stored { n, link, review, bytes }
}

/// A check of an installation under way.
struct Check {
    walk: Walk,
    beside: Beside,
    /// Where a snapshot says that the audit was when it was taken.
    pin: Option<Link>,
}

impl Check {
    fn entry(&mut self, stored: &Stored) {
        let entry = self.walk.entry(stored);
        if let Some(entry) = entry {
            self.beside.entry(stored.n, &entry, &mut self.walk);
        }
        let pin = self.pin.filter(|pin| pin.seq == stored.n && pin.digest != stored.link);
        if pin.is_some() && self.walk.is_sound() {
            let what = "it is not what it was when the snapshot was taken".to_owned();
            self.walk.fault(Fault::Entry(stored.n, what));
        }
    }
}

fn of_installation(dir: &Path, known: Option<Digest>) -> Result<Found, StorageError> {
    let rows = Rows::open(dir)?;
    let begin = Link { seq: 0, digest: rows.base.link };
    let snapshot = rows.reader.snapshot()?;
    let pin = snapshot.as_ref().and_then(|snapshot| audit_head(&snapshot.body));
    let installation = rows.base.link;
    let beside = Beside { installation, known, signatures: 0 };
    let mut check = Check { walk: Walk::new(begin), beside, pin };
    // The journal tells what the audit must say from where it begins.
    let (world, from) = match (rows.reader.base()?.seq, snapshot) {
        (0, _) | (_, None) => (World::new(), 0),
        (_, Some(snapshot)) => (read_snapshot(&snapshot.body)?.0, snapshot.seq),
    };
    let unheard = rows.base.seq.max(from);
    let mut ahead = Ahead { reader: &rows.reader, after: 0, page: Vec::new().into_iter() };
    while let Some(row) = ahead.next_if(|row| record_of(row) <= unheard)? {
        check.entry(&stored(row));
    }
    let mut compare = Compare::new(world);
    rows.reader.replay(from, &mut |seq, bytes| {
        let record = read_record(seq, bytes)?;
        compare.record(&record, seq > unheard);
        while compare.is_due() {
            let Some(row) = ahead.next_if(|_| true)? else { break };
            let row = stored(row);
            check.entry(&row);
            let differs = compare.entry(&row);
            if let Some(fault) = differs.filter(|_| check.walk.is_sound()) {
                check.walk.fault(fault);
            }
        }
        Ok(())
    })?;
    while let Some(row) = ahead.next_if(|_| true)? {
        let n = row.n;
        check.entry(&stored(row));
        if check.walk.is_sound() {
            check.walk.fault(Fault::Entry(n, "the journal says nothing of it".to_owned()));
        }
    }
    let Check { mut walk, beside, pin } = check;
    let head = walk.head();
    if let Some(pin) = pin.filter(|pin| pin.seq > head.seq) {
        walk.fault(Fault::Missing { from: head.seq.saturating_add(1), to: pin.seq });
    }
    if let Some(fault) = compare.finish().filter(|_| walk.is_sound()) {
        walk.fault(fault);
    }
    beside.finish(&mut walk);
    let (entries, faults) = walk.finish();
    let place = format!("the audit in {}", dir.display());
    let signatures = beside.signatures;
    Ok(Found { place, installation, after: begin, head, entries, signatures, faults })
}

/// The record an entry says it is from; the last of all if it does not say.
fn record_of(row: &AuditRow) -> u64 {
    Entry::read(&row.bytes).map_or(u64::MAX, |entry| entry.record)
}

/// Entries one by one.
struct Ahead<'a> {
    reader: &'a Reader,
    after: u64,
    page: std::vec::IntoIter<AuditRow>,
}

impl Ahead<'_> {
    fn next_if(
        &mut self,
        take: impl Fn(&AuditRow) -> bool,
    ) -> Result<Option<AuditRow>, StorageError> {
        if self.page.as_slice().is_empty() {
            self.page = self.reader.audit(self.after, None, super::ROWS)?.into_iter();
        }
        if !self.page.as_slice().first().is_some_and(take) {
            return Ok(None);
        }
        let row = self.page.next();
        self.after = row.as_ref().map_or(self.after, |row| row.n);
        Ok(row)
    }
}

fn of_file(path: &Path, known: Option<Digest>) -> Result<Found, Failure> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        let hint = "`holdshort audit export` writes such a file";
        Failure::failed(format!("{shown} can't be read: {error}"), hint)
    };
    let mut opened = BufReader::new(std::fs::File::open(path).map_err(unreadable)?);
    let mut failed = None;
    let mut whole = true;
    let lines = std::iter::from_fn(|| {
        let mut line = Vec::new();
        match opened.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => {
                whole = line.pop_if(|last| *last == b'\n').is_some();
                Some(String::from_utf8_lossy(&line).into_owned())
            }
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    });
    let mut beside = None;
    let checked = file::check(lines, |installation, n, entry, walk| {
        let beside = beside.get_or_insert(Beside { installation, known, signatures: 0 });
        beside.entry(n, entry, walk);
    });
    if let Some(error) = failed {
        return Err(unreadable(error));
    }
    let checked = checked.map_err(|why| {
        let hint = "`holdshort audit export` writes such a file";
        Failure::failed(format!("{shown} is no exported audit: {why}"), hint)
    })?;
    let file::FileReport { installation, after, head, entries, mut faults } = checked;
    let beside = beside.unwrap_or(Beside { installation, known, signatures: 0 });
    let mut last = Walk::new(head);
    if beside.known != Some(after.digest) {
        beside.finish(&mut last);
    }
    faults.extend(last.finish().1);
    if !whole {
        faults.push(Fault::Head("the last line has no end".to_owned()));
    }
    let place = format!("the audit in {shown}");
    Ok(Found { place, installation, after, head, entries, signatures: beside.signatures, faults })
}

fn report(session: &Session, found: &Found) -> Outcome {
    let Found { place, installation, after, head, entries, signatures, faults } = found;
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    if session.globals.json {
        session.json(&serde_json::json!({
            "schema_version": 1,
            "installation": installation.to_string(),
            "after_n": after.seq,
            "entries": entries,
            "signatures": signatures,
            "head_n": head.seq,
            "head": format!("sha256:{}", head.digest),
            "faults": said,
        }))?;
    } else {
        if said.is_empty() {
            session.output.line(&format!("{place} is sound"))?;
        }
        let begin = match after.seq {
            0 => String::new(),
            n => format!(" after entry {n}, where the file begins"),
        };
        session.output.line(&format!(
            "{entries} entries{begin}, {signatures} signed votes; installation {installation}"
        ))?;
        session.output.line(&format!("last entry {}, chain sha256:{}", head.seq, head.digest))?;
        for fault in &said {
            session.output.note(&format!("fault: {fault}"));
        }
    }
    if said.is_empty() {
        return Ok(OK);
    }
    let hint = "nothing was changed; keep a copy before anything else";
    Err(Failure::new(FAILED, format!("{} faults in {place}", said.len()), hint))
}
