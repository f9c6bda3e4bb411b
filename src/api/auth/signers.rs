//! OpenSSH's file of allowed signers (ssh-keygen(1), ALLOWED SIGNERS): who may sign with which
//! key, for what and when.
//!
//! A line is `PRINCIPALS [OPTIONS] KEYTYPE KEY [COMMENT]`. A file with a line that can't be read
//! allows nobody, since the line may be the one that takes a key away.

use std::path::{Path, PathBuf};

use chrono::{Local, NaiveDate, NaiveDateTime, TimeZone as _, Utc};
use ssh_key::public::KeyData;
use ssh_key::{HashAlg, PublicKey};

use super::pattern;
use crate::base::Wall;

/// Bytes of such a file at most.
const FILE_MAX: u64 = 1 << 20;

/// A file of allowed signers.
#[derive(Debug, Clone)]
pub struct Signers {
    path: PathBuf,
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
struct Line {
    number: usize,
    principals: String,
    options: Options,
    key: KeyData,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Options {
    authority: bool,
    namespaces: Option<String>,
    after: Option<Wall>,
    before: Option<Wall>,
}

impl Signers {
    /// Reads the file. It is read for each signature, so that what was changed counts at once.
    ///
    /// # Errors
    /// When it can't be read, when others than its owner may write to it, and when a line of it
    /// makes no sense.
    pub fn open(path: &Path) -> Result<Signers, String> {
        use std::os::unix::fs::MetadataExt as _;
        let failed = |error: std::io::Error| {
            format!("{} can't be read: {error}; it lists who may sign", path.display())
        };
        let about = std::fs::metadata(path).map_err(failed)?;
        if about.mode() & 0o022 != 0 {
            let path = path.display();
            return Err(format!("others than its owner may write to {path}; chmod go-w {path}"));
        }
        if about.len() > FILE_MAX {
            return Err(format!("{} has more than {FILE_MAX} bytes", path.display()));
        }
        Signers::read(path, &std::fs::read_to_string(path).map_err(failed)?)
    }

    /// Reads the text of such a file.
    ///
    /// # Errors
    /// The first line that makes no sense, and why.
    pub fn read(path: &Path, text: &str) -> Result<Signers, String> {
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_matches([' ', '\t', '\r']);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let read = read_line(number, line);
            lines.push(read.map_err(|why| format!("{}:{number}: {why}", path.display()))?);
        }
        Ok(Signers { path: path.to_owned(), lines })
    }

    /// Whether a key may sign for somebody, for this, now.
    ///
    /// # Errors
    /// Why not, and what the file says.
    pub fn permit(
        &self,
        key: &KeyData,
        principal: &str,
        namespace: &str,
        wall: Wall,
    ) -> Result<(), String> {
        let fingerprint = key.fingerprint(HashAlg::Sha256);
        let file = self.path.display();
        let mut best = format!("{file} lists no key {fingerprint}");
        // A line for this very person says more about what is missing than one for another.
        let mut named = false;
        for line in &self.lines {
            let number = line.number;
            let for_them = pattern::in_list(principal, &line.principals);
            let why = match line.refuses(key, principal, namespace, wall) {
                Refused::Nothing => return Ok(()),
                Refused::OtherKey => continue,
                Refused::Because(why) => why,
            };
            if !named {
                best = format!("{file}:{number}: {why}");
                named = for_them;
            }
        }
        Err(best)
    }
}

enum Refused {
    Nothing,
    OtherKey,
    Because(String),
}

impl Line {
    fn refuses(&self, key: &KeyData, principal: &str, namespace: &str, wall: Wall) -> Refused {
        if self.options.authority {
            let listed = pattern::in_list(principal, &self.principals);
            let what = "cert-authority is not taken here; list the signer's own key";
            return if listed { Refused::Because(what.to_owned()) } else { Refused::OtherKey };
        }
        if self.key != *key {
            return Refused::OtherKey;
        }
        let because = |why: String| Refused::Because(why);
        let fingerprint = key.fingerprint(HashAlg::Sha256);
        if !pattern::in_list(principal, &self.principals) {
            let whose = &self.principals;
            return because(format!("the key {fingerprint} is {whose}'s, not {principal}'s"));
        }
        let Options { namespaces, after, before, .. } = &self.options;
        if let Some(list) = namespaces.as_ref().filter(|list| !pattern::in_list(namespace, list)) {
            return because(format!("the key {fingerprint} is for {list} only, not {namespace}"));
        }
        if let Some(after) = after.filter(|after| wall < *after) {
            let after = after.rfc3339();
            return because(format!("the key {fingerprint} is not valid before {after}"));
        }
        if let Some(before) = before.filter(|before| wall > *before) {
            let before = before.rfc3339();
            return because(format!("the key {fingerprint} was valid until {before}"));
        }
        Refused::Nothing
    }
}

fn read_line(number: usize, line: &str) -> Result<Line, String> {
    let (principals, rest) = principals(line)?;
    if principals.is_empty() {
        return Err("a line begins with who may sign".to_owned());
    }
    let (options, rest) = match key_of(rest) {
        Some(_) => (Options::default(), rest),
        None => options(rest)?,
    };
    let Some(key) = key_of(rest) else {
        return Err("after the name (and options) comes a key: ssh-ed25519 AAAA…".to_owned());
    };
    Ok(Line { number, principals, options, key })
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

/// The first word, which may stand in double quotes.
fn principals(line: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = line.strip_prefix('"') {
        let (word, rest) = quoted.split_once('"').ok_or("a quote is not closed")?;
        return Ok((word.to_owned(), rest.trim_start_matches(is_blank)));
    }
    let (word, rest) = line.split_once(is_blank).ok_or("a line needs a name and a key")?;
    Ok((word.to_owned(), rest.trim_start_matches(is_blank)))
}

fn key_of(text: &str) -> Option<KeyData> {
    let mut words = text.split(is_blank).filter(|word| !word.is_empty());
    let (kind, body) = (words.next()?, words.next()?);
    let key = PublicKey::from_openssh(&format!("{kind} {body}")).ok()?;
    Some(key.key_data().clone())
}

/// The options of a line: up to the first blank outside of quotes.
fn options(text: &str) -> Result<(Options, &str), String> {
    let mut found = Options::default();
    let mut rest = text;
    loop {
        let end = rest.find(|c| is_blank(c) || c == '=' || c == ',').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix('=') {
            Some(quoted) => {
                let (value, after) = value(quoted).ok_or_else(|| {
                    format!("{name}= needs a value in double quotes, which are closed")
                })?;
                (Some(value), after)
            }
            None => (None, after),
        };
        found.take(name, value)?;
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => {
                let key = after.trim_start_matches(is_blank);
                return match (found.after, found.before) {
                    (Some(from), Some(to)) if to <= from => {
                        Err("valid-before is not after valid-after".to_owned())
                    }
                    _ if key.len() == after.len() => {
                        Err("after the options comes a blank and the key".to_owned())
                    }
                    _ => Ok((found, key)),
                };
            }
        }
    }
}

/// A quoted value, in which `\"` stands for a quote.
fn value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let end = rest.find(['"', '\\'])?;
        let (piece, more) = rest.split_at(end);
        value.push_str(piece);
        if let Some(more) = more.strip_prefix("\\\"") {
            value.push('"');
            rest = more;
        } else if let Some(more) = more.strip_prefix('\\') {
            value.push('\\');
            rest = more;
        } else {
            return Some((value, more.strip_prefix('"')?));
        }
    }
}

impl Options {
    fn take(&mut self, name: &str, value: Option<String>) -> Result<(), String> {
        let twice = || Err(format!("{name} stands twice"));
        match (name.to_ascii_lowercase().as_str(), value) {
            ("cert-authority", None) => self.authority = true,
            ("namespaces", Some(_)) if self.namespaces.is_some() => return twice(),
            ("namespaces", Some(list)) => self.namespaces = Some(list),
            ("valid-after", Some(_)) if self.after.is_some() => return twice(),
            ("valid-after", Some(time)) => self.after = Some(instant(&time)?),
            ("valid-before", Some(_)) if self.before.is_some() => return twice(),
            ("valid-before", Some(time)) => self.before = Some(instant(&time)?),
            ("namespaces" | "valid-after" | "valid-before", None) => {
                return Err(format!("{name} needs a value: {name}=\"…\""));
            }
            _ => return Err(format!("{name:?} is neither a key nor an option of allowed signers")),
        }
        Ok(())
    }
}

/// `YYYYMMDD[HHMM[SS]]`, local time, or UTC with a `Z` behind it.
fn instant(text: &str) -> Result<Wall, String> {
    let bad = || format!("{text:?} is no time: YYYYMMDD[HHMM[SS]][Z]");
    let (digits, utc) = match text.strip_suffix(['Z', 'z']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let local = match digits.len() {
        8 => NaiveDate::parse_from_str(digits, "%Y%m%d").ok().and_then(|d| d.and_hms_opt(0, 0, 0)),
        12 => NaiveDateTime::parse_from_str(&format!("{digits}00"), "%Y%m%d%H%M%S").ok(),
        14 => NaiveDateTime::parse_from_str(digits, "%Y%m%d%H%M%S").ok(),
        _ => None,
    };
    let local = local.ok_or_else(bad)?;
    let millis = if utc {
        Utc.from_utc_datetime(&local).timestamp_millis()
    } else {
        Local.from_local_datetime(&local).earliest().ok_or_else(bad)?.timestamp_millis()
    };
    Ok(Wall(millis))
}

#[cfg(test)]
#[path = "signers_tests.rs"]
mod tests;
