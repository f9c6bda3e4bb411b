//! Exported chains: nothing can be changed in one unseen.

use proptest::prelude::*;

use super::*;

const START: Link = Link { seq: 0, digest: Digest([9; 32]) };

/// An exported chain of so many entries.
fn exported(count: u64) -> Vec<String> {
    let mut lines = vec![first_line(START.digest, START)];
    let mut head = START;
    for n in 1..=count {
        let entry = format!(
            "{{\"at\":\"2026-01-01T00:00:0{}Z\",\"record\":{},\"review\":\"R{}\",\"v\":1}}",
            n % 10,
            n * 3,
            n % 4 + 1
        );
        let link = head.digest.chained(n, entry.as_bytes());
        head = Link { seq: n, digest: link };
        lines.push(line(n, link, entry.as_bytes()));
    }
    lines.push(last_line(head));
    lines
}

fn faults(lines: &[String]) -> Vec<String> {
    match check(lines.iter().cloned(), |_, _, _, _| {}) {
        Ok(report) => report.faults.iter().map(ToString::to_string).collect(),
        Err(why) => vec![why],
    }
}

#[test]
fn an_untouched_file_is_sound_and_says_where_it_ends() {
    let lines = exported(12);
    let report = check(lines.iter().cloned(), |_, _, _, _| {}).unwrap();
    assert_eq!(report.faults, []);
    assert_eq!((report.entries, report.head.seq), (12, 12));
    assert_eq!(faults(&exported(0)), Vec::<String>::new());
}

#[test]
fn a_fault_names_its_entry() {
    let mut lines = exported(6);
    lines[3] = lines[3].replace("\"record\":9", "\"record\":8");
    assert_eq!(faults(&lines), ["entry 3 is not what was written: its link says otherwise"]);
    let mut lines = exported(6);
    lines.remove(4);
    assert_eq!(faults(&lines), ["entry 4 is missing"]);
    let mut lines = exported(6);
    lines.swap(2, 3);
    assert!(faults(&lines).contains(&"entry 2 is missing".to_owned()), "{:?}", faults(&lines));
    let mut lines = exported(6);
    lines.truncate(5);
    assert_eq!(faults(&lines), ["the last line is missing: entries after 4 may be too"]);
    let mut lines = exported(6);
    lines.drain(5..7);
    assert_eq!(faults(&lines), ["entries 5 to 6 are missing"]);
}

proptest! {
    /// Every single byte that is changed, put in or taken out is found.
    #[test]
    fn every_single_edit_is_found(
        count in 1u64..8,
        place in any::<prop::sample::Index>(),
        byte in 0x20u8..0x7f,
        how in 0..3,
    ) {
        let lines = exported(count);
        let mut bytes = lines.join("\n").into_bytes();
        let at = place.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            _ => { bytes.remove(at); }
        }
        let changed: Vec<String> =
            String::from_utf8(bytes).unwrap().split('\n').map(str::to_owned).collect();
        prop_assume!(changed != lines);
        prop_assert!(!faults(&changed).is_empty());
    }

    /// Every line that is removed, put elsewhere or doubled is found.
    #[test]
    fn every_removal_swap_and_doubling_is_found(
        count in 1u64..8,
        one in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        how in 0..3,
    ) {
        let lines = exported(count);
        let (one, other) = (one.index(lines.len()), other.index(lines.len()));
        let mut changed = lines.clone();
        match how {
            0 => { changed.remove(one); }
            1 => changed.swap(one, other),
            _ => { let line = changed[one].clone(); changed.insert(other, line); }
        }
        prop_assume!(changed != lines);
        prop_assert!(!faults(&changed).is_empty());
    }
}
