//! A disk that is really full, or really read-only: on a small file system of its own where
//! this user may mount one, else this says that it was skipped.

use std::path::Path;
use std::process::Command;

use holdshort::model::ports::journal::{Journal as _, StorageError};
use holdshort::store::{DataDir, LockError, Spool, Store};

use super::{open, records, replayed};

/// A mounted file system, taken away again when dropped.
struct Small(tempfile::TempDir);

impl Small {
    fn mount(mebibytes: u32) -> Option<Small> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = mount(&format!("size={mebibytes}m"), dir.path());
        if !mounted {
            println!("skipped: no right to mount a small file system here");
        }
        mounted.then_some(Small(dir))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn mount(options: &str, at: &Path) -> bool {
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at);
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_full_disk_refuses_whole_batches_and_the_ballast_gives_room_for_more() {
    let Some(small) = Small::mount(20) else { return };
    let (dir, mut store) = open(small.0.path());
    let ballast = small.0.path().join("ballast");
    assert_eq!(std::fs::metadata(&ballast).unwrap().len(), 4 << 20);
    let mut stored = 0;
    let refused = loop {
        match store.commit(&records(stored + 1..=stored + 100)) {
            Ok(()) => stored += 100,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, StorageError::Full(_)), "{refused:?}");
    assert_eq!(store.head().seq, stored);
    let spool = Spool::open(small.0.path());
    let stored_env = spool.and_then(|spool| spool.put(&[b'x'; 1 << 20]));
    assert!(matches!(stored_env, Err(StorageError::Full(_))), "{stored_env:?}");
    assert!(store.release_ballast());
    assert!(!store.release_ballast(), "it is given back once");
    store.commit(&records(stored + 1..=stored + 100)).unwrap();
    store.restore_ballast();
    assert!(!ballast.exists(), "there is no room for it");
    drop(store);
    let store = Store::open(&dir).unwrap();
    assert_eq!(replayed(&store, 0).unwrap().len() as u64, stored + 100);
}

#[test]
fn a_new_journal_on_a_full_disk_is_refused_and_made_later() {
    let Some(small) = Small::mount(1) else { return };
    let dir = DataDir::lock(small.0.path()).unwrap();
    let filler = small.0.path().join("filler");
    let _ = std::fs::write(&filler, vec![0; 2 << 20]);
    let refused = Store::open(&dir).unwrap_err();
    assert!(matches!(refused, StorageError::Full(_)), "{refused:?}");
    std::fs::remove_file(&filler).unwrap();
    let mut store = Store::open(&dir).unwrap();
    store.commit(&records(1..=1)).unwrap();
}

#[test]
fn a_read_only_directory_is_named_with_what_to_do() {
    let Some(small) = Small::mount(20) else { return };
    drop(open(small.0.path()));
    assert!(mount("remount,ro", small.0.path()));
    let refused = DataDir::lock(small.0.path()).unwrap_err();
    assert!(matches!(refused, LockError::Unusable { .. }));
    let text = refused.to_string();
    assert!(text.contains("Read-only") && text.contains("--data-dir"), "{text}");
}
