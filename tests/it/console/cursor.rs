//! Where the cursor stands, what the footer offers, and what one searches for.

use holdshort::base::{JobId, Span};
use holdshort::model::page::Lane;
use holdshort::tui::Stage;

use super::fleet;
use super::grid::{block, staged, text};
use super::link::Fake;

fn chosen(stage: &Stage) -> Option<u64> {
    stage.app.target().job.map(|job| job.0)
}

#[test]
fn the_first_cursor_stands_on_what_is_most_urgent() {
    let link = Fake::new(fleet::many());
    link.change(|fleet| fleet.jobs.retain(|row| row.lane != Lane::Human));
    let mut stage = staged(link.clone(), (80, 24), "");
    let screen = text(&stage.buffer());
    let line = screen.lines().position(|line| line.starts_with('>')).unwrap();
    let above = screen.lines().nth(line - 1).unwrap();
    assert!(above.contains("STUCK 1"), "{screen}");
    // From then on it stays where it is, whatever comes.
    let before = chosen(&stage);
    link.change(|fleet| fleet.jobs.push(fleet::asking(9, "deploy", "Go? ", Span::secs(1))));
    block(stage.fetch());
    assert_eq!(chosen(&stage), before);
}

#[test]
fn what_is_chosen_stays_chosen_when_its_row_would_be_hidden() {
    for filter in ["", "/team=ops<enter>"] {
        let mut stage = staged(Fake::new(fleet::many()), (80, 24), &format!("{filter}4f<end>"));
        let before = chosen(&stage);
        assert!(before.is_some());
        block(stage.press("0"));
        assert_eq!(chosen(&stage), before, "{filter}");
        let screen = text(&stage.buffer());
        let id = before.unwrap().to_string();
        let row = screen.lines().find(|line| line.starts_with('>')).unwrap();
        assert!(row.contains(&id), "{screen}");
    }
    // It ended and nothing of that would be shown: the row goes with it.
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "3j0");
    assert_eq!(chosen(&stage), Some(198));
    link.change(|fleet| {
        let ok = holdshort::model::job::Outcome::Succeeded;
        fleet.jobs.retain(|row| row.id != JobId(198));
        fleet.jobs.push(fleet::ended(198, "finetune-7b", ok, 0, Span::hours(4)));
    });
    block(stage.fetch());
    assert_eq!(chosen(&stage), Some(198));
    let screen = text(&stage.buffer());
    let row = screen.lines().find(|line| line.starts_with('>')).unwrap();
    assert!(row.contains("198 finetune-7b") && row.contains("succeeded"), "{screen}");
}

#[test]
fn the_chosen_row_moves_a_line_at_a_time_whatever_its_neighbours_say() {
    let mut stage = staged(Fake::new(fleet::many()), (120, 40), "4f");
    let at = |stage: &Stage| {
        let screen = text(&stage.buffer());
        screen.lines().position(|line| line.starts_with('>')).unwrap()
    };
    for (key, by) in [("j", 1), ("k", -1)] {
        for _ in 0..6 {
            let before = at(&stage);
            block(stage.press(key));
            assert_eq!(at(&stage), before.saturating_add_signed(by), "{key}");
        }
    }
}

#[test]
fn esc_does_its_step_whatever_was_said() {
    let mut stage = staged(Fake::new(fleet::many()), (80, 24), "/team=ml<enter>");
    stage.app.ground.complain("something went wrong");
    block(stage.press("<esc>"));
    assert_eq!(stage.app.front().and_then(|pane| pane.filter()), Some(""));
    assert!(!text(&stage.buffer()).contains("something went wrong"));
}

#[test]
fn a_second_search_begins_empty() {
    let mut stage = staged(Fake::new(fleet::many()), (80, 24), "/team=ml<enter>/web");
    assert_eq!(stage.app.front().and_then(|pane| pane.filter()), Some("web"));
    block(stage.press("<esc>"));
    assert_eq!(stage.app.front().and_then(|pane| pane.filter()), Some("team=ml"));
    block(stage.press("/<enter>"));
    assert_eq!(stage.app.front().and_then(|pane| pane.filter()), Some(""));
}

#[test]
fn a_search_says_how_often_and_what_is_the_only_one() {
    let link = Fake::new(fleet::many());
    link.change(|fleet| {
        fleet.output.insert(198, b"one\ntwo\nthree\ntwo again\nonly here\n".to_vec());
    });
    let mut stage = staged(link, (80, 24), "3jl/two<enter>");
    assert!(text(&stage.buffer()).contains("/ two  1 of 2"), "{}", text(&stage.buffer()));
    block(stage.press("n"));
    assert!(text(&stage.buffer()).contains("/ two  2 of 2"));
    block(stage.press("/only<enter>n"));
    let screen = text(&stage.buffer());
    assert!(screen.contains("this is the only line with only"), "{screen}");
    assert!(screen.contains("stays here: f follows"), "{screen}");
    assert!(screen.contains("jobs › 198 finetune-7b log"), "{screen}");
    block(stage.press("/absent<enter>"));
    assert!(text(&stage.buffer()).contains("/ absent  no line has it"));
}

#[test]
fn the_footer_offers_what_is_possible_now() {
    let footer = |keys: &str| {
        let screen = text(&staged(Fake::new(fleet::many()), (120, 40), keys).buffer());
        screen.lines().last().unwrap().to_owned()
    };
    let typing = footer("ti");
    assert!(typing.contains("ctrl-\\ stops typing") && !typing.contains("keys"), "{typing}");
    let asked = footer("3K");
    assert!(!asked.contains("log") && !asked.contains("keys"), "{asked}");
    let log = footer("3jl");
    assert!(!log.contains("n next") && log.contains("filter"), "{log}");
    assert!(footer("3jl/step<enter>").contains("n next"));
}

#[test]
fn the_way_says_nothing_twice() {
    let screen = text(&staged(Fake::new(fleet::many()), (80, 24), "3j<enter>l").buffer());
    assert!(screen.contains("jobs › 198 finetune-7b › log"), "{screen}");
}
