//! OpenSSH's lists of patterns (ssh_config(5), PATTERNS): `*` is any text, `?` one character,
//! parts are separated by commas, and one with `!` before it excludes.

/// Whether a list names a text.
pub(super) fn in_list(text: &str, list: &str) -> bool {
    let mut named = false;
    for part in list.split(',') {
        match part.strip_prefix('!') {
            Some(pattern) if fits(text, pattern) => return false,
            Some(_) => {}
            None => named |= fits(text, part),
        }
    }
    named
}

/// Whether a text fits a pattern: from the last `*` on is tried again, so it takes at most the
/// product of both lengths.
fn fits(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
    let (mut t, mut p) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(t) {
        match (pattern.get(p), again) {
            (Some(b'*'), _) => {
                again = Some((p + 1, t));
                p += 1;
            }
            (Some(wanted), _) if *wanted == b'?' || wanted == byte => {
                t += 1;
                p += 1;
            }
            (_, Some((after, from))) => {
                again = Some((after, from + 1));
                (p, t) = (after, from + 1);
            }
            _ => return false,
        }
    }
    pattern.iter().skip(p).all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_and_exclude() {
        for (text, list, named) in [
            ("ana", "ana", true),
            ("ana", "bob,ana", true),
            ("ana", "an", false),
            ("ana", "", false),
            ("", "", true),
            ("ana@x.org", "*@x.org", true),
            ("ana@x.org", "*@x.org,!ana@*", false),
            ("ana", "!bob", false),
            ("ana", "a?a", true),
            ("ana", "?", false),
            ("aaaab", "*a*a*b", true),
            ("aaaa", "*a*b*", false),
            ("Ana", "ana", false),
        ] {
            assert_eq!(in_list(text, list), named, "{text} in {list}");
        }
    }
}
