//! The store from outside: what was acknowledged is there, what is damaged is said and kept.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use holdshort::base::Digest;
use holdshort::model::ports::journal::{Batch, Journal, Snapshot, StorageError};
use holdshort::store::{DataDir, LockError, Reader, Spool, Store, verify};

mod audit;
mod cost;
mod damage;
mod full;

/// Bytes of record `seq`, all different.
fn bytes_of(seq: u64) -> Vec<u8> {
    let mut bytes = format!("{{\"seq\":{seq},\"pad\":\"").into_bytes();
    bytes.resize(500, b'a' + u8::try_from(seq % 26).unwrap());
    bytes
}

fn records(range: std::ops::RangeInclusive<u64>) -> Batch {
    Batch { records: range.map(|seq| (seq, bytes_of(seq))).collect(), ..Batch::default() }
}

/// Every record the store replays after `seq`, bytes compared.
fn replayed(store: &Store, seq: u64) -> Result<Vec<u64>, StorageError> {
    let mut seen = Vec::new();
    store.replay(seq, &mut |seq, bytes| {
        assert_eq!(bytes, bytes_of(seq), "record {seq}");
        seen.push(seq);
        Ok(())
    })?;
    Ok(seen)
}

fn open(dir: &Path) -> (DataDir, Store) {
    let dir = DataDir::lock(dir).unwrap();
    let store = Store::open(&dir).unwrap();
    (dir, store)
}

fn snapshot(seq: u64, bytes: usize) -> Snapshot {
    let body = (0..bytes).map(|i| u8::try_from((i as u64 * 7 + seq) % 251).unwrap()).collect();
    Snapshot { seq, body }
}

#[test]
fn what_was_committed_is_there_after_reopening_and_for_readers() {
    let temp = tempfile::tempdir().unwrap();
    let content = b"[\"sh\",\"-c\",\"true\"]".to_vec();
    let name = Digest::of(&content);
    let head = {
        let (_dir, mut store) = open(temp.path());
        store.commit(&records(1..=3)).unwrap();
        let mut batch = records(4..=4);
        batch.contents = vec![(name, content.clone()), (name, content.clone())];
        batch.summaries = vec![(7, b"first".to_vec()), (7, b"later".to_vec())];
        store.commit(&batch).unwrap();
        store.commit(&Batch::default()).unwrap();
        let reader = store.reader().unwrap();
        assert_eq!(reader.content(&name).unwrap(), Some(content.clone()));
        assert_eq!(reader.summary(7).unwrap(), Some(b"later".to_vec()));
        assert_eq!(reader.records(2, 1).unwrap(), vec![(3, bytes_of(3))]);
        assert_eq!(reader.oldest().unwrap(), Some(1));
        store.head()
    };
    let (_dir, store) = open(temp.path());
    assert_eq!(store.head(), head);
    assert_eq!(replayed(&store, 0).unwrap(), [1, 2, 3, 4]);
    assert_eq!(replayed(&store, 3).unwrap(), [4]);
    assert_eq!(store.content(&name).unwrap(), Some(content));
    assert_eq!(store.content(&Digest::of(b"no")).unwrap(), None);
    assert_eq!(store.summary(7).unwrap(), Some(b"later".to_vec()));
    assert_eq!(store.summary(8).unwrap(), None);
}

#[test]
fn a_record_out_of_order_and_a_misnamed_content_are_refused_whole() {
    let temp = tempfile::tempdir().unwrap();
    let (_dir, mut store) = open(temp.path());
    store.commit(&records(1..=2)).unwrap();
    for wrong in [records(2..=2), records(4..=4)] {
        assert!(matches!(store.commit(&wrong), Err(StorageError::Failed(_))));
    }
    let mut misnamed = records(3..=3);
    misnamed.contents = vec![(Digest::of(b"a"), b"b".to_vec())];
    assert!(matches!(store.commit(&misnamed), Err(StorageError::Failed(_))));
    assert_eq!(replayed(&store, 0).unwrap(), [1, 2]);
    store.commit(&records(3..=3)).unwrap();
}

#[test]
fn files_are_private_and_a_second_server_is_told_the_pid() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a/data");
    let (dir, mut store) = open(&path);
    store.commit(&records(1..=1)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    for entry in fs::read_dir(&path).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
    }
    let refused = DataDir::lock(&path).unwrap_err();
    assert!(matches!(refused, LockError::Taken { pid: Some(p), .. } if p == std::process::id()));
    assert!(refused.to_string().contains(&std::process::id().to_string()));
    drop((store, dir));
    DataDir::lock(&path).unwrap();
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = DataDir::lock(&file.join("below")).unwrap_err();
    assert!(matches!(refused, LockError::Unusable { .. }));
    assert!(refused.to_string().contains("file/below"), "{refused}");
}

#[test]
fn the_newest_intact_snapshot_is_found_and_two_are_kept() {
    let temp = tempfile::tempdir().unwrap();
    let (_dir, mut store) = open(temp.path());
    store.commit(&records(1..=9)).unwrap();
    assert_eq!(store.snapshot().unwrap(), None);
    for seq in [3, 6, 9] {
        store.put_snapshot(&snapshot(seq, 200_000)).unwrap();
    }
    assert_eq!(store.snapshot().unwrap(), Some(snapshot(9, 200_000)));
    assert_eq!(verify(temp.path()).unwrap().snapshots, [9, 6]);
    assert!(store.put_snapshot(&snapshot(10, 1)).is_err(), "beyond the journal's end");
    damage::sql(temp.path(), "UPDATE snapshot_parts SET bytes = zeroblob(9) WHERE seq = 9");
    assert_eq!(store.snapshot().unwrap(), Some(snapshot(6, 200_000)));
    damage::sql(temp.path(), "DELETE FROM snapshot_parts");
    assert_eq!(store.snapshot().unwrap(), None, "the records are all there");
    store.put_snapshot(&snapshot(9, 0)).unwrap();
    assert_eq!(store.snapshot().unwrap(), Some(snapshot(9, 0)), "an empty one is one");
}

#[test]
fn compaction_drops_records_shrinks_the_file_and_the_chain_goes_on() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, mut store) = open(temp.path());
    store.commit(&records(1..=2000)).unwrap();
    assert_eq!(store.compact().unwrap(), 0, "nothing stands for the records yet");
    store.put_snapshot(&snapshot(1990, 50_000)).unwrap();
    assert_eq!(store.compact().unwrap(), 1990);
    assert_eq!(store.compact().unwrap(), 0);
    let size = fs::metadata(store.path()).unwrap().len();
    assert!(size < 200_000, "{size} bytes are left");
    store.commit(&records(2001..=2001)).unwrap();
    assert_eq!(replayed(&store, 1990).unwrap(), (1991..=2001).collect::<Vec<_>>());
    assert_eq!(store.reader().unwrap().oldest().unwrap(), Some(1991));
    for seq in [2000, 2001] {
        store.put_snapshot(&snapshot(seq, 10)).unwrap();
    }
    let report = verify(temp.path()).unwrap();
    assert_eq!(report.faults, []);
    assert_eq!(report.base.seq, 1990);
    assert_eq!(report.snapshots, [2001, 2000, 1990], "the one the chain continues from stays");
    let head = store.head();
    drop(store);
    let mut store = Store::open(&dir).unwrap();
    assert_eq!(store.head(), head);
    assert_eq!(store.compact().unwrap(), 11, "even when no record is left");
    drop(store);
    let mut store = Store::open(&dir).unwrap();
    assert_eq!(store.head(), head);
    store.commit(&records(2002..=2002)).unwrap();
    assert_eq!(replayed(&store, 2001).unwrap(), [2002]);
}

#[test]
fn records_can_be_read_offline_in_pages_and_beside_a_server() {
    let temp = tempfile::tempdir().unwrap();
    assert!(matches!(Reader::open(temp.path()), Err(StorageError::Failed(_))), "none there");
    let (dir, mut store) = open(temp.path());
    store.commit(&records(1..=600)).unwrap();
    let count = |after| {
        let reader = Reader::open(temp.path()).unwrap();
        let seen: Vec<u64> = reader.iter(after).map(|record| record.unwrap().0).collect();
        assert_eq!(reader.replay(after, &mut |_, _| Ok(())).unwrap().seq, 600);
        seen.len()
    };
    assert_eq!(count(0), 600);
    drop((store, dir));
    assert_eq!(count(88), 512);
    let before = damage::files(temp.path());
    assert_eq!(verify(temp.path()).unwrap().records, 600);
    assert_eq!(damage::files(temp.path())["journal.db"], before["journal.db"]);
}

#[test]
fn environments_are_stored_once_privately_and_go_when_nobody_wants_them() {
    let temp = tempfile::tempdir().unwrap();
    let spool = Spool::open(temp.path()).unwrap();
    let kept = spool.put(b"A=1\0").unwrap();
    let gone = spool.put(b"B=2\0").unwrap();
    assert_eq!(spool.put(b"A=1\0").unwrap(), kept);
    let file = temp.path().join("env").join(kept.to_string());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(spool.keep(&[kept].into()).unwrap(), 1);
    assert_eq!(spool.get(&gone).unwrap(), None);
    assert_eq!(spool.get(&kept).unwrap(), Some(b"A=1\0".to_vec()));
    fs::write(&file, "X=1\0").unwrap();
    assert!(matches!(spool.get(&kept), Err(StorageError::Damaged(_))));
    fs::write(temp.path().join("env/1-0.new"), "half").unwrap();
    Spool::open(temp.path()).unwrap();
    assert_eq!(fs::read_dir(temp.path().join("env")).unwrap().count(), 1);
}
