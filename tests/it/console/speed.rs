//! What a large place costs: rows that are not in sight are neither fetched nor built.

use std::collections::BTreeSet;

use holdshort::base::{JobId, Span};
use holdshort::model::job::ArrayPlace;
use holdshort::tui::feed::Want;
use holdshort::tui::section::Section;

use super::fleet::{self, Fleet};
use super::grid::{block, staged, text};
use super::link::Fake;

fn crowd(n: u64) -> Fleet {
    let mut fleet = fleet::many();
    for id in 0..n {
        fleet.jobs.push(fleet::queued(1000 + id, "crowd"));
    }
    fleet
}

#[test]
fn only_a_part_of_a_crowd_is_held() {
    let link = Fake::new(crowd(20_000));
    let mut stage = staged(link, (80, 24), "4");
    let held = |stage: &holdshort::tui::Stage| {
        stage.app.ground.known.slices.values().map(|slice| slice.rows.len()).sum::<usize>()
    };
    assert!(held(&stage) < 1000, "{}", held(&stage));
    let screen = text(&stage.buffer());
    assert!(screen.contains("QUEUED 20042"), "{screen}");
    // Coming near the end fetches more, up to a bound.
    for _ in 0..9 {
        block(stage.press("<end>"));
    }
    assert!((200..6000).contains(&held(&stage)), "{}", held(&stage));
}

#[test]
fn one_can_walk_through_a_crowd_to_its_end_and_back() {
    let link = Fake::new(crowd(4_500));
    let mut stage = staged(link, (200, 50), "4f");
    let held = |stage: &holdshort::tui::Stage| {
        stage.app.ground.known.slice(Section::Queued).unwrap().rows.len()
    };
    let mut seen = BTreeSet::new();
    let chosen = |stage: &holdshort::tui::Stage| stage.app.target().job;
    let mut walk = |stage: &mut holdshort::tui::Stage, key: &str, to: u64| {
        for _ in 0..600 {
            seen.extend(chosen(stage));
            if chosen(stage) == Some(JobId(to)) {
                return;
            }
            block(stage.press(key));
            assert!(held(stage) <= 6000, "memory is bounded: {}", held(stage));
        }
        panic!("{to} was not reached, but {:?}", chosen(stage));
    };
    walk(&mut stage, "<pgdn>", 5_499);
    let screen = text(&stage.buffer());
    assert!(screen.contains("5499") && !screen.contains("more:"), "{screen}");
    walk(&mut stage, "<pgup>", 240);
    assert!(!text(&stage.buffer()).contains("more above"));
    block(stage.press("G"));
    assert_eq!(chosen(&stage), Some(JobId(5_499)), "the end is one key away");
    block(stage.press("<pgup><pgup>"));
    block(stage.press("g"));
    assert_eq!(chosen(&stage), Some(JobId(240)));
    // A row is never jumped over.
    assert!(seen.len() > 150);
}

#[test]
fn a_window_of_folded_rows_stands_still() {
    let mut fleet = fleet::many();
    let element = fleet.jobs.iter().find(|row| row.array.is_some()).unwrap().clone();
    for index in 0..4_000 {
        let mut row = element.clone();
        row.id = JobId(1000 + u64::from(index));
        row.array = row.array.map(|array| ArrayPlace { index: 100 + index, ..array });
        fleet.jobs.push(row);
    }
    let mut stage = staged(Fake::new(fleet), (120, 40), "4G");
    for _ in 0..5 {
        block(stage.fetch());
    }
    let before = stage.app.wants();
    block(stage.fetch());
    assert_eq!(stage.app.wants(), before, "nothing asks for more by itself");
    assert!(text(&stage.buffer()).contains("batch-embed["), "{}", text(&stage.buffer()));
}

#[test]
fn a_crowd_in_another_order_says_that_it_is_a_part_of_it() {
    let mut stage = staged(Fake::new(crowd(4_500)), (80, 24), "4oo");
    for _ in 0..6 {
        block(stage.press("G"));
    }
    block(stage.press("g"));
    let screen = text(&stage.buffer());
    assert!(screen.contains("QUEUED 4542, the first 3000 by name"), "{screen}");
}

#[test]
fn nothing_ticks_faster_than_what_is_seen_changes() {
    let mut stage = staged(Fake::new(fleet::Fleet::default()), (80, 24), "");
    let next = |stage: &holdshort::tui::Stage| stage.app.next_tick().unwrap() - stage.now;
    assert!(next(&stage) > Span::secs(1), "{:?}", next(&stage));
    // A job that is 48 s old counts seconds while it is in sight.
    stage = staged(Fake::new(fleet::many()), (120, 40), "");
    assert!(next(&stage) <= Span::secs(1));
    block(stage.pass(Span::secs(30)));
    assert!(next(&stage) > Span::secs(1), "{:?}", next(&stage));
}

#[test]
fn a_pane_wants_what_it_shows_and_no_more() {
    let stage = staged(Fake::new(fleet::many()), (80, 24), "3jl");
    let wants = stage.app.wants();
    let rows = wants.iter().filter(|want| matches!(want, Want::Rows(_))).count();
    assert_eq!(rows, 2, "what needs somebody is always known: {wants:?}");
    assert!(wants.iter().any(|want| matches!(want, Want::Output(_))));
}
