//! What a state change costs in bytes written, counted by the kernel for this thread.

use holdshort::base::Digest;
use holdshort::model::ports::journal::Journal as _;

use super::{open, records};

/// Bytes this thread has handed to write calls so far.
fn written() -> u64 {
    let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap();
    line.parse().unwrap()
}

#[test]
fn a_state_change_costs_at_most_four_kilobytes_at_any_size() {
    let temp = tempfile::tempdir().unwrap();
    let (_dir, mut store) = open(temp.path());
    let mut next = 1;
    for size in [0, 10_000, 100_000] {
        while next <= size {
            store.commit(&records(next..=next + 999)).unwrap();
            next += 1000;
        }
        // More than one turn of the write-ahead log, so that checkpoints are in the figure.
        let changes = 3000;
        let before = written();
        for seq in next..next + changes {
            store.commit(&records(seq..=seq)).unwrap();
        }
        next += changes;
        let each = (written() - before) / changes;
        println!("{size} records: {each} bytes written per state change");
        assert!(each <= 4096, "{each} bytes per state change at {size} records");
        next = next.next_multiple_of(1000) + 1;
        store.commit(&records(store.head().seq + 1..=next - 1)).unwrap();
    }
}

#[test]
fn the_end_of_a_job_with_its_summary_stays_within_it_too() {
    let temp = tempfile::tempdir().unwrap();
    let (_dir, mut store) = open(temp.path());
    let changes = 3000;
    let before = written();
    for seq in 1..=changes {
        let mut batch = records(seq..=seq);
        batch.summaries = vec![(seq, Digest::of(&seq.to_le_bytes()).to_string().repeat(6).into())];
        store.commit(&batch).unwrap();
    }
    let each = (written() - before) / changes;
    println!("{each} bytes written per end with a summary");
    assert!(each <= 4096, "{each} bytes: one change of 500 bytes and a summary of 384");
}

#[test]
fn a_batch_of_a_hundred_costs_a_fraction_each() {
    let temp = tempfile::tempdir().unwrap();
    let (_dir, mut store) = open(temp.path());
    let before = written();
    for batch in 0..100 {
        store.commit(&records(batch * 100 + 1..=batch * 100 + 100)).unwrap();
    }
    let each = (written() - before) / 10_000;
    println!("{each} bytes written per record in batches of 100");
    assert!(each <= 2048, "{each} bytes per record in batches of 100");
}
