//! What a large place costs: rows that are not in sight are neither fetched nor built.

use holdshort::base::Span;
use holdshort::tui::feed::Want;

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
    for _ in 0..12 {
        block(stage.press("<end>"));
    }
    assert!((1000..6000).contains(&held(&stage)), "{}", held(&stage));
    let screen = text(&stage.buffer());
    assert!(screen.contains("more: Enter shows them, / narrows"), "{screen}");
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
