//! Every pane, empty, with few jobs, with many, and with nobody answering, at four sizes, as text
//! and roles: one file for each pane. After a wanted change
//! `INSTA_UPDATE=always cargo test --test it console::screens` writes them anew; read the diff.

use std::fmt::Write as _;

use super::fleet::{self, Fleet};
use super::grid::{compact, staged};
use super::link::Fake;
use super::panes::{PANES, SIZES};

fn fleets() -> [(&'static str, Fleet, bool); 4] {
    [
        ("empty", Fleet::default(), true),
        ("few", fleet::few(), true),
        ("many", fleet::many(), true),
        ("error", fleet::many(), false),
    ]
}

#[test]
fn every_pane_reads_as_it_should_with_everything_and_nothing_at_every_size() {
    for (pane, keys) in PANES {
        let mut all = String::new();
        for (name, fleet, answers) in fleets() {
            for size in SIZES {
                let link = Fake::new(fleet.clone());
                if !answers {
                    link.unplug("connection refused");
                }
                let screen = compact(&staged(link, size, keys).buffer());
                let _ = writeln!(all, "== {pane}, {name}, {} x {}\n{screen}", size.0, size.1);
            }
        }
        insta::assert_snapshot!(pane, all);
    }
}
