//! Every pane at four sizes, empty, with few jobs, with many, and with nobody answering.

use std::sync::Arc;

use holdshort::base::{JobId, Span};
use holdshort::model::job::{FailureClass, Hold, Outcome};
use holdshort::tui::event::{Effect, Event};
use holdshort::tui::feed::{Connection, Data};
use holdshort::tui::theme::Theme;
use holdshort::tui::{Options, Stage};

use super::fleet::{self, Fleet};
use super::grid::{block, options, printed, staged, staged_with, text};
use super::link::{Asked, Fake};

pub const SIZES: [(u16, u16); 4] = [(40, 10), (80, 24), (120, 40), (200, 60)];
/// Every pane by the keys that lead to it from the list.
pub const PANES: [(&str, &str); 12] = [
    ("home", ""),
    ("narrowed", "4"),
    ("job", "<enter>"),
    ("log", "l"),
    ("log-with-times", "ls"),
    ("terminal", "t"),
    ("nodes", "b"),
    ("teams", "d"),
    ("hours", "v"),
    ("events", "e"),
    ("messages", "m"),
    ("help", "?"),
];

fn shown(fleet: Fleet, size: (u16, u16), keys: &str) -> String {
    printed(&staged(Fake::new(fleet), size, keys).buffer())
}

macro_rules! snapshot {
    ($name:literal, $fleet:expr, $size:expr, $keys:literal) => {
        insta::assert_snapshot!($name, shown($fleet, $size, $keys));
    };
}

#[test]
fn screens_read_as_they_should() {
    snapshot!("home-many-80x24", fleet::many(), (80, 24), "");
    snapshot!("home-many-120x40", fleet::many(), (120, 40), "");
    snapshot!("home-many-40x10", fleet::many(), (40, 10), "");
    snapshot!("home-few-80x24", fleet::few(), (80, 24), "");
    snapshot!("home-empty-80x24", Fleet::default(), (80, 24), "");
    snapshot!("job-many-80x24", fleet::many(), (80, 24), "3j<enter>");
    snapshot!("log-many-80x24", fleet::many(), (80, 24), "3jl/norm<enter>");
    snapshot!("terminal-many-80x24", fleet::many(), (80, 24), "t");
    snapshot!("nodes-many-80x24", fleet::many(), (80, 24), "b");
    snapshot!("events-many-80x24", fleet::many(), (80, 24), "e");
    snapshot!("confirm-80x24", fleet::many(), (80, 24), "3K");
    snapshot!("filter-80x24", fleet::many(), (80, 24), "/team=ml");
}

#[test]
fn lanes_stand_side_by_side_where_there_is_room() {
    let screen = text(&staged(Fake::new(fleet::many()), (200, 60), "").buffer());
    let line = screen.lines().find(|line| line.contains("WAITING ON PEOPLE 2")).unwrap();
    for title in ["RUNNING 5", "QUEUED 42", "ENDED 10"] {
        assert!(line.contains(title), "{line}");
    }
    assert!(screen.contains("GPUs in use 9/16"));
}

#[test]
fn every_pane_draws_at_every_size_with_everything_and_with_nothing() {
    for (fleet, has) in [(fleet::many(), true), (fleet::few(), true), (Fleet::default(), false)] {
        for size in SIZES {
            for (pane, keys) in PANES {
                let mut stage = staged(Fake::new(fleet.clone()), size, keys);
                let screen = text(&stage.buffer());
                // To the end, to the beginning, and around: nothing may be there.
                block(stage.press("<end><home><up><pgdn><right><left>fgc"));
                stage.buffer();
                let head = screen.lines().next().unwrap();
                assert!(head.contains("gpu-box-3") || pane == "help", "{pane} {size:?}: {screen}");
                assert!(screen.lines().count() == usize::from(size.1));
                assert!(!has || screen.len() > 100, "{pane} {size:?}");
            }
        }
    }
}

#[test]
fn nobody_answers_and_the_screen_says_so() {
    for size in SIZES {
        let link = Fake::new(fleet::many());
        link.unplug("connection refused");
        for (pane, keys) in PANES {
            let screen = text(&staged(link.clone(), size, keys).buffer());
            let said = screen.contains("reconnecting");
            assert!(said || pane == "help", "{pane} {size:?}: {screen}");
        }
    }
}

#[test]
fn a_lost_connection_keeps_what_is_known_and_refuses_to_act() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "");
    link.unplug("the server closed the connection");
    block(async {
        let lost = Connection::Lost { why: "the server closed the connection".into(), attempt: 1 };
        stage.event(Event::Data(Data::Link(lost))).await;
        stage.pass(Span::secs(12)).await;
        stage.press("P").await;
    });
    let screen = printed(&stage.buffer());
    assert!(screen.contains("stale 13s, reconnecting"), "{screen}");
    assert!(screen.contains("198 finetune-7b"), "{screen}");
    assert!(screen.contains("no connection: the server closed"), "{screen}");
    assert!(screen.contains("~ stale"), "{screen}");
    assert_eq!(link.asked(), []);
}

#[test]
fn what_is_chosen_stays_chosen_when_rows_move() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "3jj");
    let chosen = |stage: &Stage| stage.app.target().job.unwrap().0;
    assert_eq!(chosen(&stage), 226);
    link.change(|fleet| {
        let new = fleet::running(500, "newcomer", Span::secs(3));
        fleet.jobs.insert(2, new);
        fleet.jobs.retain(|row| row.id.0 != 198);
    });
    block(stage.fetch());
    assert_eq!(chosen(&stage), 226);
    // It is shown nowhere any more: nothing is chosen in its place before a key is pressed.
    link.change(|fleet| fleet.jobs.retain(|row| row.id.0 != 226));
    block(stage.fetch());
    assert_eq!(stage.app.target().job, None);
    assert!(text(&stage.buffer()).contains("226 is not in this list any more"));
    block(stage.press("K"));
    assert!(stage.app.popup.is_none() && link.asked().is_empty());
    block(stage.press("j"));
    assert!(stage.app.target().job.is_some());
}

#[test]
fn a_failure_is_never_folded_and_everybody_gets_a_row() {
    let link = Fake::new(fleet::many());
    link.change(|fleet| {
        let failed = Outcome::Failed(FailureClass::Exit);
        for id in 600..625 {
            fleet.jobs.push(fleet::ended(id, "broken", failed, 1, Span::mins(5)));
        }
    });
    let mut stage = staged(link, (80, 24), "");
    let screen = text(&stage.buffer());
    let rows = |screen: &str, word: &str| screen.lines().filter(|l| l.contains(word)).count();
    for (word, least) in [("at prompt", 2), (" running ", 3), ("queued ", 2), ("failed", 3)] {
        assert!(rows(&screen, word) >= least, "{word}: {screen}");
    }
    // All of them are there to scroll to.
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..60 {
        seen.extend(stage.app.target().job);
        block(stage.press("j"));
    }
    assert!((600..625).all(|id| seen.contains(&JobId(id))), "{seen:?}");
}

#[test]
fn a_question_opened_for_one_job_never_hits_another() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "3jK");
    link.change(|fleet| fleet.jobs.retain(|row| row.id.0 != 219));
    block(async {
        stage.fetch().await;
        stage.press("y").await;
    });
    let asked = link.asked();
    assert!(matches!(&asked[..], [Asked::Act(jobs, _)] if jobs[0].0 == 198), "{asked:?}");
}

#[test]
fn alarms_are_given_once_and_only_for_what_is_new() {
    let link = Fake::new(fleet::few());
    let mut stage = staged(link.clone(), (80, 24), "");
    let told = |stage: &Stage| -> Vec<String> {
        let notes = stage.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(text) => Some(text.clone()),
            _ => None,
        });
        notes.collect()
    };
    assert_eq!(told(&stage), [""; 0]);
    let titles = stage.effects.iter().filter(|effect| matches!(effect, Effect::Title(_)));
    assert!(titles.count() >= 1);
    link.change(|fleet| {
        fleet.jobs.push(fleet::asking(9, "deploy\x07", "Go? ", Span::secs(1)));
    });
    block(async {
        stage.fetch().await;
        stage.fetch().await;
    });
    assert_eq!(told(&stage), ["9 deploy\u{2407} asks"]);
}

#[test]
fn what_a_filter_hides_still_rings_and_is_found() {
    let link = Fake::new(fleet::few());
    let mut stage = staged(link.clone(), (80, 24), "/name=nothing<enter>");
    link.change(|fleet| fleet.jobs.push(fleet::asking(9, "deploy", "Go? ", Span::secs(1))));
    block(stage.fetch());
    let rung = Effect::Notify("9 deploy asks".to_owned());
    assert!(stage.effects.contains(&rung), "{:?}", stage.effects);
    let needing = stage.app.ground.known.counts().human;
    let title = format!("({needing} need you) holdshort gpu-box-3");
    assert!(stage.effects.contains(&Effect::Title(title)), "{:?}", stage.effects);
    block(stage.press("n"));
    let screen = text(&stage.buffer());
    assert!(screen.contains("the filter hid it") && screen.contains("WAITING ON"), "{screen}");
    assert!(stage.app.target().job.is_some());
}

#[test]
fn nobody_alone_sees_teams_or_gpus() {
    let screen = text(&staged(Fake::new(fleet::few()), (80, 24), "").buffer());
    assert!(!screen.contains("TEAM") && !screen.contains("GPU"), "{screen}");
}

#[test]
fn ascii_mode_is_ascii() {
    for (pane, keys) in PANES {
        let ascii = Options { ascii: true, ..options() };
        let screen = text(&staged_with(Fake::new(fleet::many()), ascii, (120, 40), keys).buffer());
        assert!(screen.is_ascii(), "{pane}: {screen}");
    }
}

#[test]
fn foreign_text_is_harmless_everywhere() {
    let link = Fake::new(fleet::few());
    link.change(|fleet| {
        let row = &mut fleet.jobs[0];
        row.name = "a\x1b[2Jb\u{202e}c".into();
        row.owner = "eve\x07".into();
        row.prompt.as_mut().unwrap().text = "\x1b]0;x\x07go?".into();
        fleet.output.insert(2, b"\x1b[8mhidden\x1b[2J\x07\n".to_vec());
    });
    for (pane, keys) in PANES {
        let link: Arc<Fake> = link.clone();
        let screen = text(&staged(link, (120, 40), keys).buffer());
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!screen.chars().any(acts), "{pane}: {screen:?}");
    }
}

#[test]
fn themes_paint_the_same_words() {
    let plain = text(&staged(Fake::new(fleet::many()), (80, 24), "").buffer());
    for (name, _) in holdshort::tui::theme::BUILT_IN {
        let theme: Theme = holdshort::tui::theme::load(name).unwrap();
        let options = Options { theme, ..options() };
        let stage = staged_with(Fake::new(fleet::many()), options, (80, 24), "");
        assert_eq!(text(&stage.buffer()), plain, "{name}");
    }
}

#[test]
fn while_everything_is_paused_the_top_of_every_screen_says_so() {
    let hold = Hold {
        by: "carl".into(),
        since: fleet::ago(Span::mins(11)),
        until: Some(fleet::NOW.wall + Span::hours(3)),
        reason: Some("cooling is out".into()),
    };
    let link = Fake::new(Fleet { paused: Some(hold), ..fleet::many() });
    for (pane, keys) in PANES.iter().filter(|(pane, _)| *pane != "help") {
        let screen = printed(&staged(link.clone(), (80, 24), keys).buffer());
        let said = "! EVERYTHING is paused by carl since 03:01 until 06:12: cooling is out";
        assert!(screen.contains(said), "{pane}: {screen}");
        let halted = format!("\n{0}\n{0}\n", "H".repeat(80));
        assert!(screen.contains(&halted), "{pane}: {screen}");
    }
    link.change(|fleet| fleet.paused = None);
    let screen = printed(&staged(link, (80, 24), "").buffer());
    assert!(!screen.contains("HHHH") && !screen.contains("EVERYTHING"), "{screen}");
}

#[test]
fn taking_a_jobs_room_says_whose_it_is_and_what_is_lost() {
    let screen = text(&staged(Fake::new(fleet::many()), (80, 24), "3jX").buffer());
    for said in
        ["TAKE THE ROOM OF 198 finetune-7b", "lost: 5h02 of work", "it saved itself 14m ago"]
    {
        assert!(screen.contains(said), "{said}: {screen}");
    }
}

#[test]
fn a_job_can_be_read_whole_and_its_environment_comes_last() {
    let link = Fake::new(fleet::many());
    link.change(|fleet| {
        let row = fleet.jobs.iter_mut().find(|row| row.id == JobId(198)).unwrap();
        let long = (0..30).map(|n| format!("--option-{n}=value"));
        row.command = ["python".to_owned()].into_iter().chain(long).collect();
    });
    let mut stage = staged(link, (80, 24), "3j<enter>");
    let mut seen = String::new();
    for _ in 0..8 {
        seen.push_str(&text(&stage.buffer()));
        block(stage.press("<pgdn>"));
    }
    assert!(seen.contains("--option-29=value"), "{seen}");
    let at = |word: &str| seen.find(word).unwrap_or_else(|| panic!("no {word}: {seen}"));
    assert!(at("TIMELINE") < at("ENVIRONMENT"), "{seen}");
}

#[test]
fn a_lane_that_goes_on_says_so() {
    let screen =
        text(&staged(Fake::new(fleet::many()), (200, 60), "<right><right><right>f").buffer());
    let lane = |line: &str| line.split('│').nth(2).map(|text| text.trim().to_owned());
    let more = screen.lines().filter_map(lane).find(|text| text.starts_with("+ "));
    assert!(screen.contains("QUEUED 42") && more.is_some(), "{screen}");
}

#[test]
fn a_team_is_only_cut_where_there_is_no_room() {
    let link = Fake::new(fleet::few());
    link.change(|fleet| fleet.jobs[0].team = "org/ml/research".into());
    let screen = text(&staged(link, (100, 30), "").buffer());
    assert!(screen.contains("org/ml/research"), "{screen}");
}
