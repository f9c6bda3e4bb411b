//! What is acted on is what one looks at: filter and marks are seen, a row that stands for more
//! than one job says so, and a question names what it would hit.

use holdshort::base::{JobId, Span};
use holdshort::model::command::Verb;
use holdshort::model::job::{FailureClass, Outcome};

use super::fleet;
use super::grid::{block, staged, text};
use super::link::{Asked, Fake};

fn bar(screen: &str) -> &str {
    screen.lines().find(|line| line.contains("running ") && line.contains("queued ")).unwrap()
}

#[test]
fn a_filter_is_seen_and_its_counts_are_of_one_thing() {
    for size in [(80, 24), (120, 40)] {
        let mut stage = staged(Fake::new(fleet::many()), size, "/team=ops<enter>");
        for keys in ["", "<enter><esc>"] {
            block(stage.press(keys));
            let screen = text(&stage.buffer());
            let bar = bar(&screen);
            assert!(bar.contains("/ team=ops"), "{keys}: {screen}");
            assert!(bar.contains("!1"), "what failed is said: {screen}");
            let ops = fleet::many().jobs.iter().filter(|row| &*row.team == "ops").count();
            assert!(bar.contains("queued 40") && ops > 40, "{bar}");
        }
    }
}

#[test]
fn marks_are_counted_and_those_out_of_sight_are_said() {
    let mut stage = staged(Fake::new(fleet::many()), (80, 24), "3<space><space>");
    let screen = text(&stage.buffer());
    assert!(screen.contains("2 marked"), "{screen}");
    block(stage.press("/name=nothing<enter>"));
    let screen = text(&stage.buffer());
    assert!(screen.contains("2 marked (2 not in sight)"), "{screen}");
}

#[test]
fn an_act_on_marks_one_does_not_look_at_asks_and_names_them() {
    for key in ["P", "N", "A", "+"] {
        let link = Fake::new(fleet::many());
        // The second row is marked and the cursor stands on the third.
        let mut stage = staged(link.clone(), (80, 24), &format!("3j<space>{key}"));
        let screen = text(&stage.buffer());
        assert!(screen.contains("198 finetune-7b"), "{key}: {screen}");
        assert!(stage.app.popup.is_some() && link.asked().is_empty(), "{key}: {screen}");
        block(stage.press("y"));
        let hit = match &link.asked()[..] {
            [Asked::Act(jobs, _)] => jobs.clone(),
            [Asked::Again(job)] => vec![*job],
            other => panic!("{key}: {other:?}"),
        };
        assert_eq!(hit, [JobId(198)], "{key}");
    }
    let link = Fake::new(fleet::many());
    let screen = text(&staged(link.clone(), (80, 24), "3j<space>/name=crawl<enter>P").buffer());
    assert!(screen.contains("1 of 1 not in sight") && link.asked().is_empty(), "{screen}");
}

#[test]
fn a_row_of_an_array_asks_whether_the_element_or_all_of_it_is_meant() {
    let live = |link: &Fake| -> Vec<(usize, Verb)> {
        let acts = link.asked().into_iter().filter_map(|asked| match asked {
            Asked::Act(jobs, verb) => Some((jobs.len(), verb)),
            _ => None,
        });
        acts.collect()
    };
    let cancels =
        |n: usize, acts: &[(usize, Verb)]| matches!(acts, [(k, Verb::CancelIn { .. })] if *k == n);
    for (typed, hit) in [("1<enter>", 1), ("40<enter>", 40)] {
        let link = Fake::new(fleet::many());
        let mut stage = staged(link.clone(), (80, 24), "4jK");
        let screen = text(&stage.buffer());
        assert!(screen.contains("CANCEL 241 batch-embed"), "{screen}");
        assert!(screen.contains("array 241: 40 elements left"), "{screen}");
        block(stage.press("y<enter>"));
        assert_eq!(live(&link), [], "y is no answer to that");
        block(stage.press("K"));
        block(stage.press(typed));
        assert!(cancels(hit, &live(&link)), "{typed}: {:?}", live(&link));
    }
    let link = Fake::new(fleet::many());
    let stage = staged(link.clone(), (80, 24), "4jP");
    assert!(stage.app.popup.is_some() && link.asked().is_empty());
    // A mark on the row is a mark on all of them.
    let stage = staged(Fake::new(fleet::many()), (80, 24), "4j<space>");
    assert!(text(&stage.buffer()).contains("40 marked"));
}

#[test]
fn a_question_about_many_says_what_they_lose() {
    let screen = text(&staged(Fake::new(fleet::many()), (80, 24), "3<space><space>K").buffer());
    for said in ["CANCEL 2 JOBS", "198 finetune-7b of ana: ran 5h02, saved 14m ago", "lost: "] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
    assert!(screen.contains("frees "), "{screen}");
}

#[test]
fn pausing_everything_says_how_much_that_is_and_asks() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), ":pause-all<enter>heat<enter>");
    let screen = text(&stage.buffer());
    assert!(screen.contains("PAUSE EVERYTHING") && screen.contains("because: heat"), "{screen}");
    assert!(screen.contains("7 jobs running") && link.asked().is_empty(), "{screen}");
    block(stage.press("y"));
    assert_eq!(link.asked(), [Asked::PauseAll("heat".into())]);
}

#[test]
fn draining_says_that_jobs_stay_and_a_node_leads_to_its_jobs() {
    let mut stage = staged(Fake::new(fleet::many()), (120, 40), "bD<enter>");
    let screen = text(&stage.buffer());
    assert!(screen.contains("no new work; ") && screen.contains(" on it to the end"), "{screen}");
    block(stage.press("<enter>"));
    assert_eq!(stage.app.front().and_then(|pane| pane.filter()), Some("node=gpu-box-3"));
}

#[test]
fn only_what_u_takes_back_says_so() {
    for (key, said) in [("N", "moved to the front"), ("P", "paused (u takes it back)")] {
        let screen =
            text(&staged(Fake::new(fleet::many()), (80, 24), &format!("3j{key}")).buffer());
        assert!(screen.contains(said), "{screen}");
        assert_eq!(screen.contains("u takes it back"), key == "P", "{screen}");
    }
}

#[test]
fn what_is_not_shown_is_said_at_the_end_too() {
    let link = Fake::new(fleet::many());
    link.change(|fleet| {
        fleet.jobs.retain(|row| row.ended.is_none());
        for id in 700..711 {
            let failed = Outcome::Failed(FailureClass::Exit);
            let (how, exit) = if id < 703 { (failed, 1) } else { (Outcome::Succeeded, 0) };
            fleet.jobs.push(fleet::ended(id, "nightly", how, exit, Span::mins(5)));
        }
    });
    let screen = text(&staged(link, (80, 24), "").buffer());
    let ended = screen.split("ENDED 11").nth(1).unwrap();
    assert_eq!(ended.matches("nightly").count(), 3, "{screen}");
    assert!(ended.contains("+ 8 more"), "{screen}");
}
