//! The audit's entries: in the transaction of the commit, chained, and not the journal's to drop.

use holdshort::model::ports::journal::{Audited, Journal as _};
use holdshort::store::Reader;

use super::damage::sql;
use super::{open, records, snapshot};

fn entry(n: u64) -> Audited {
    Audited { review: n % 2, bytes: format!("{{\"entry\":{n}}}").into_bytes() }
}

#[test]
fn entries_are_chained_and_stay_when_records_go() {
    let temp = tempfile::tempdir().unwrap();
    let (installation, head) = {
        let (_dir, mut store) = open(temp.path());
        assert_eq!(store.audit_head().digest, store.installation());
        let mut batch = records(1..=2);
        batch.audit = vec![entry(1), entry(2)];
        store.commit(&batch).unwrap();
        let mut batch = records(3..=3);
        batch.audit = vec![entry(3)];
        store.commit(&batch).unwrap();
        store.put_snapshot(&snapshot(3, 100)).unwrap();
        assert_eq!(store.compact().unwrap(), 3);
        (store.installation(), store.audit_head())
    };
    let (_dir, mut store) = open(temp.path());
    assert_eq!((store.installation(), store.audit_head()), (installation, head));
    let mut batch = records(4..=4);
    batch.audit = vec![entry(4)];
    store.commit(&batch).unwrap();
    let reader = Reader::open(temp.path()).unwrap();
    let rows = reader.audit(0, None, 10).unwrap();
    let mut link = installation;
    for (n, row) in (1..).zip(&rows) {
        assert_eq!((row.n, &row.bytes), (n, &entry(n).bytes));
        link = link.chained(n, &row.bytes);
        assert_eq!(row.link, link, "entry {n}");
    }
    assert_eq!((rows.len(), store.audit_head().digest), (4, link));
    let of_one: Vec<u64> = reader.audit(1, Some(1), 10).unwrap().iter().map(|row| row.n).collect();
    assert_eq!(of_one, [3]);
    assert_eq!(reader.audit(2, None, 1).unwrap().len(), 1);
}

#[test]
fn what_is_not_committed_leaves_no_entry() {
    let temp = tempfile::tempdir().unwrap();
    let (_dir, mut store) = open(temp.path());
    let before = store.audit_head();
    let mut gap = records(7..=7);
    gap.audit = vec![entry(1)];
    store.commit(&gap).unwrap_err();
    assert_eq!(store.audit_head(), before);
    assert!(Reader::open(temp.path()).unwrap().audit(0, None, 10).unwrap().is_empty());
}

#[test]
fn a_journal_of_an_earlier_version_gets_its_audit_from_there_on() {
    let temp = tempfile::tempdir().unwrap();
    {
        let (_dir, mut store) = open(temp.path());
        store.commit(&records(1..=5)).unwrap();
    }
    sql(temp.path(), "DROP TABLE audit; DROP TABLE audit_base; PRAGMA user_version = 2");
    let reader = Reader::open(temp.path()).unwrap();
    assert_eq!(reader.audit_base().unwrap(), None);
    assert!(reader.audit(0, None, 10).unwrap().is_empty());
    drop(reader);
    let (_dir, store) = open(temp.path());
    let base = Reader::open(temp.path()).unwrap().audit_base().unwrap().unwrap();
    assert_eq!((base.seq, base.link), (5, store.installation()));
}
