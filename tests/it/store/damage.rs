//! Damaged, foreign and newer files: nothing is overwritten, nothing is lost in silence.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use holdshort::model::ports::journal::{Journal as _, StorageError};
use holdshort::store::{DataDir, Fault, Store, verify};
use rusqlite::Connection;

use super::{open, records, replayed, snapshot};

/// Changes stored rows behind the store's back.
pub(super) fn sql(dir: &Path, sql: &str) {
    Connection::open(dir.join("journal.db")).unwrap().execute_batch(sql).unwrap();
}

/// Every file of the journal, by name.
pub(super) fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    named
        .filter(|(name, _)| name.starts_with("journal.db") && !name.ends_with("-shm"))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// Lays a journal's files into an empty directory.
fn lay(dir: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_none_or(|name| name != "ballast") {
            fs::remove_file(path).unwrap();
        }
    }
    for (name, bytes) in files {
        fs::write(dir.join(name), bytes).unwrap();
    }
}

/// Opens what lies there: either a prefix of the records (how many), or it is said to be
/// damaged; then it is unchanged and a copy of it is kept.
fn prefix_or_damaged(dir: &Path, laid: &BTreeMap<String, Vec<u8>>) -> Option<u64> {
    let locked = DataDir::lock(dir).unwrap();
    let outcome = Store::open(&locked).and_then(|store| replayed(&store, 0));
    match outcome {
        Ok(seen) => {
            assert!(seen.iter().copied().eq(1..=seen.len() as u64), "{seen:?}");
            Some(seen.len() as u64)
        }
        Err(StorageError::Damaged(text)) => {
            let found = files(dir);
            for (name, bytes) in laid {
                assert_eq!(found.get(name), Some(bytes), "{name} was changed: {text}");
                let copy = name.replace("journal.db", "journal.db.damaged-1");
                assert_eq!(found.get(&copy), Some(bytes), "no copy {copy}: {text}");
            }
            assert!(text.contains("journal.db.damaged-1"), "{text}");
            None
        }
        Err(other) => panic!("neither a prefix nor damaged: {other:?}"),
    }
}

/// The files of a journal of `count` records; with the log carried into the file, or not.
fn journal(count: u64, closed: bool) -> BTreeMap<String, Vec<u8>> {
    let temp = tempfile::tempdir().unwrap();
    let (dir, mut store) = open(temp.path());
    for seq in 1..=count {
        store.commit(&records(seq..=seq)).unwrap();
    }
    if closed {
        drop((store, dir));
    }
    files(temp.path())
}

#[test]
fn a_file_cut_at_every_byte_of_its_last_page_is_a_prefix_or_damaged() {
    let whole = journal(30, true);
    let file = &whole["journal.db"];
    let temp = tempfile::tempdir().unwrap();
    let mut damaged = 0;
    for len in file.len() - 512..file.len() {
        let cut = BTreeMap::from([("journal.db".to_owned(), file[..len].to_vec())]);
        lay(temp.path(), &cut);
        damaged += u32::from(prefix_or_damaged(temp.path(), &cut).is_none());
    }
    assert!(damaged > 400, "the file holds everything: a cut is seen ({damaged})");
}

#[test]
fn a_log_cut_at_every_byte_of_its_last_commit_is_a_prefix() {
    let whole = journal(30, false);
    let log = &whole["journal.db-wal"];
    let temp = tempfile::tempdir().unwrap();
    for len in log.len() - 6 * 536..=log.len() {
        let mut cut = whole.clone();
        cut.insert("journal.db-wal".into(), log[..len].to_vec());
        lay(temp.path(), &cut);
        let kept = prefix_or_damaged(temp.path(), &cut).expect("a cut log is no damage");
        assert!((28..=30).contains(&kept), "{kept} records at {len}");
    }
}

#[test]
fn a_log_beside_a_cut_file_is_a_prefix_or_damaged() {
    let whole = journal(5, false);
    let temp = tempfile::tempdir().unwrap();
    for len in 0..whole["journal.db"].len() {
        if len > 120 && len % 37 != 0 {
            continue;
        }
        let mut cut = whole.clone();
        cut.insert("journal.db".into(), whole["journal.db"][..len].to_vec());
        lay(temp.path(), &cut);
        prefix_or_damaged(temp.path(), &cut);
    }
    let mut missing = whole.clone();
    missing.remove("journal.db");
    lay(temp.path(), &missing);
    assert_eq!(prefix_or_damaged(temp.path(), &missing), None);
    assert!(!temp.path().join("journal.db").exists());
}

#[test]
fn no_changed_byte_goes_unnoticed_in_a_record() {
    let whole = journal(12, true);
    let file = &whole["journal.db"];
    let temp = tempfile::tempdir().unwrap();
    for at in (0..file.len()).step_by(17) {
        let mut bytes = file.clone();
        bytes[at] ^= 0x55;
        let changed = BTreeMap::from([("journal.db".to_owned(), bytes)]);
        lay(temp.path(), &changed);
        let locked = DataDir::lock(temp.path()).unwrap();
        match Store::open(&locked).and_then(|store| replayed(&store, 0)) {
            Ok(seen) => assert!(seen.iter().copied().eq(1..=seen.len() as u64), "{at}: {seen:?}"),
            Err(StorageError::Damaged(_) | StorageError::Newer(_)) => {}
            Err(other) => panic!("byte {at}: {other:?}"),
        }
    }
}

#[test]
fn a_middle_record_that_is_missing_or_changed_is_named() {
    let cases = [
        ("DELETE FROM records WHERE seq = 5", Fault::Missing { from: 5, to: 5 }, "record 5"),
        ("UPDATE records SET bytes = 'x' WHERE seq = 6", Fault::Record(6), "record 6"),
        ("UPDATE records SET link = zeroblob(32) WHERE seq = 7", Fault::Record(7), "record 7"),
    ];
    for (change, fault, named) in cases {
        let temp = tempfile::tempdir().unwrap();
        {
            let (_dir, mut store) = open(temp.path());
            store.commit(&records(1..=9)).unwrap();
        }
        sql(temp.path(), &change.replace("'x'", "x'00'"));
        let (_dir, mut store) = open(temp.path());
        let Err(StorageError::Damaged(text)) = replayed(&store, 0) else { panic!("{change}") };
        assert!(text.contains(named), "{text}");
        assert!(store.commit(&records(10..=10)).is_err(), "nothing more is written");
        assert_eq!(verify(temp.path()).unwrap().faults, [fault], "{change}");
    }
}

#[test]
fn verify_names_snapshots_contents_and_summaries_too() {
    let temp = tempfile::tempdir().unwrap();
    let (_dir, mut store) = open(temp.path());
    let mut batch = records(1..=9);
    let name = holdshort::base::Digest::of(b"content");
    batch.contents = vec![(name, b"content".to_vec())];
    batch.summaries = vec![(3, b"summary".to_vec())];
    store.commit(&batch).unwrap();
    store.put_snapshot(&snapshot(4, 100)).unwrap();
    store.compact().unwrap();
    sql(
        temp.path(),
        "UPDATE contents SET bytes = x'00'; UPDATE summaries SET bytes = x'00';
         UPDATE snapshot_parts SET bytes = x'00'",
    );
    let faults = verify(temp.path()).unwrap().faults;
    assert_eq!(faults, [Fault::Snapshot(4), Fault::Content(name), Fault::Summary(3)]);
    assert!(matches!(store.content(&name), Err(StorageError::Damaged(_))));
    assert!(matches!(store.summary(3), Err(StorageError::Damaged(_))));
    assert!(matches!(store.snapshot(), Err(StorageError::Damaged(_))), "records 1-4 are gone");
    sql(temp.path(), "DELETE FROM snapshots");
    assert!(verify(temp.path()).unwrap().faults.contains(&Fault::Base(4)));
}

#[test]
fn foreign_files_are_left_alone_and_copied_once() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("journal.db");
    let foreign = {
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").unwrap();
        drop(conn);
        fs::read(&path).unwrap()
    };
    for bytes in [foreign, b"hello, I am a text file\n".repeat(40), Vec::new()] {
        let laid = BTreeMap::from([("journal.db".to_owned(), bytes)]);
        lay(temp.path(), &laid);
        for _ in 0..2 {
            assert_eq!(prefix_or_damaged(temp.path(), &laid), None);
        }
        assert_eq!(files(temp.path()).len(), 2, "one copy of the same bytes is enough");
        assert!(verify(temp.path()).is_err());
    }
}

#[test]
fn a_newer_journal_is_refused_and_untouched_whether_its_header_or_its_log_says_so() {
    let temp = tempfile::tempdir().unwrap();
    drop(open(temp.path()));
    sql(temp.path(), "PRAGMA user_version = 999");
    let in_header = files(temp.path());
    lay(temp.path(), &journal(3, true));
    let in_log = {
        let conn = Connection::open(temp.path().join("journal.db")).unwrap();
        conn.execute_batch("PRAGMA user_version = 999").unwrap();
        files(temp.path())
    };
    assert!(in_log["journal.db-wal"].len() > 500);
    for laid in [in_header, in_log] {
        lay(temp.path(), &laid);
        let dir = DataDir::lock(temp.path()).unwrap();
        let Err(StorageError::Newer(text)) = Store::open(&dir) else { panic!("it was opened") };
        assert!(text.contains("999") && text.contains("journal.db"), "{text}");
        assert_eq!(files(temp.path()), laid);
    }
}
