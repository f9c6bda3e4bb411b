//! The exported audit: lines of JSON that anybody can check with nothing but SHA-256.
//!
//! The first line says where the chain begins, the last where it ends, each line between is an
//! entry with its number and link. A link is SHA-256 over the 32 bytes of the link before, the
//! number as eight bytes (lowest first) and the entry's bytes as they stand in the line.

use super::check::{Fault, Stored, Walk};
use crate::base::Digest;
use crate::model::action::Json;
use crate::model::ports::journal::Link;

/// What the first line is called.
const HEADER: &str = "{\"audit\":\"holdshort\",\"v\":1,\"installation\":\"";

/// The first line.
pub fn first_line(installation: Digest, after: Link) -> String {
    format!("{HEADER}{installation}\",\"after\":{}}}", place(after))
}

/// An entry's line.
pub fn line(n: u64, link: Digest, entry: &[u8]) -> String {
    let entry = String::from_utf8_lossy(entry);
    format!("{{\"n\":{n},\"link\":\"sha256:{link}\",\"entry\":{entry}}}")
}

/// The last line.
pub fn last_line(head: Link) -> String {
    format!("{{\"head\":{}}}", place(head))
}

fn place(link: Link) -> String {
    format!("{{\"n\":{},\"link\":\"sha256:{}\"}}", link.seq, link.digest)
}

/// What a check of an exported file found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// The installation it is from.
    pub installation: Digest,
    /// Where the file begins.
    pub after: Link,
    /// Where it ends.
    pub head: Link,
    /// Entries.
    pub entries: u64,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// Checks an exported audit, line by line; `each` gets the installation and every entry with its
/// number.
///
/// # Errors
/// When it does not begin like one.
pub fn check(
    mut lines: impl Iterator<Item = String>,
    mut each: impl FnMut(Digest, u64, &super::Entry, &mut Walk),
) -> Result<FileReport, String> {
    let first = lines.next().unwrap_or_default();
    let (installation, after) = read_first(&first).ok_or("its first line is no audit's")?;
    let mut walk = Walk::new(after);
    if after.seq == 0 && after.digest != installation {
        let what = "the first line names another beginning than the installation's";
        walk.fault(Fault::Head(what.to_owned()));
    }
    let mut end = None;
    for text in lines {
        if end.is_some() {
            walk.fault(Fault::Head("something stands behind the last line".to_owned()));
            break;
        }
        let next = walk.head().seq.saturating_add(1);
        if let Some(stored) = read_line(&text) {
            if let Some(entry) = walk.entry(&stored) {
                each(installation, stored.n, &entry, &mut walk);
            }
        } else if let Some(head) = read_last(&text) {
            end = Some(head);
        } else {
            walk.fault(Fault::Entry(next, "its line is not as it is exported".to_owned()));
        }
    }
    let head = walk.head();
    match end {
        None => walk.fault(Fault::Head(format!(
            "the last line is missing: entries after {} may be too",
            head.seq
        ))),
        Some(end) if end.seq > head.seq => {
            walk.fault(Fault::Missing { from: head.seq.saturating_add(1), to: end.seq });
        }
        Some(end) if end != head => {
            walk.fault(Fault::Head(format!("the last line ends the chain at {}", end.seq)));
        }
        Some(_) => {}
    }
    let (entries, faults) = walk.finish();
    Ok(FileReport { installation, after, head, entries, faults })
}

/// A line is taken only if it is written as [`line()`] writes it, so that nothing in it can be
/// changed unseen.
fn read_line(text: &str) -> Option<Stored> {
    let rest = text.strip_prefix("{\"n\":")?;
    let (n, rest) = rest.split_once(",\"link\":\"sha256:")?;
    let (link, rest) = rest.split_once("\",\"entry\":")?;
    let entry = rest.strip_suffix('}')?;
    let (n, link) = (n.parse().ok()?, link.parse().ok()?);
    if line(n, link, entry.as_bytes()) != text {
        return None;
    }
    let review = match Json::read(entry).ok()?.get("review") {
        Some(Json::Text(review)) => review.parse::<crate::base::ReviewId>().map_or(0, |id| id.0),
        _ => 0,
    };
    Some(Stored { n, link, review, bytes: entry.as_bytes().to_vec() })
}

fn read_place(text: &str) -> Option<Link> {
    let rest = text.strip_prefix("{\"n\":")?;
    let (n, rest) = rest.split_once(",\"link\":\"sha256:")?;
    let digest = rest.strip_suffix("\"}")?;
    Some(Link { seq: n.parse().ok()?, digest: digest.parse().ok()? })
}

fn read_first(text: &str) -> Option<(Digest, Link)> {
    let (installation, rest) = text.strip_prefix(HEADER)?.split_once("\",\"after\":")?;
    let installation = installation.parse().ok()?;
    let after = read_place(rest.strip_suffix('}')?)?;
    (first_line(installation, after) == text).then_some((installation, after))
}

fn read_last(text: &str) -> Option<Link> {
    let head = read_place(text.strip_prefix("{\"head\":")?.strip_suffix('}')?)?;
    (last_line(head) == text).then_some(head)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
