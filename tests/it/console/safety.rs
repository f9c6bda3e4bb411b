//! What must never happen: acting without being asked, acting in read-only mode.

use holdshort::base::JobId;
use holdshort::model::command::Verb;
use holdshort::model::team::TeamEdit;
use holdshort::tui::Options;
use holdshort::tui::actions::{Danger, TABLE};
use holdshort::tui::event::{Effect, Event};
use holdshort::tui::keys::Key;

use super::fleet;
use super::grid::{block, options, staged, staged_with, text};
use super::link::{Asked, Fake};

/// Keys to a pane and back to a state in which every action could work.
const PLACES: [&str; 9] = ["", "3j", "5", "3j<enter>", "3jl", "t", "b", "dgjjj", "vj"];

fn cancelled(asked: &[Asked]) -> Vec<JobId> {
    let jobs = asked.iter().filter_map(|asked| match asked {
        Asked::Act(
            jobs,
            Verb::CancelIn { .. } | Verb::Cancel { .. } | Verb::Requeue | Verb::Preempt,
        ) => Some(jobs.clone()),
        _ => None,
    });
    jobs.flatten().collect()
}

#[test]
fn no_action_does_anything_in_read_only_mode() {
    for place in PLACES {
        for action in TABLE {
            let link = Fake::new(fleet::many());
            let looks = Options { read_only: true, ..options() };
            let mut stage = staged_with(link.clone(), looks, (80, 24), place);
            block(async {
                // By key, by palette, and through whatever opens.
                if let Some(key) = action.keys.first() {
                    stage.press(&format!("<{key}>")).await;
                }
                stage.press("y1<enter><esc>").await;
                stage.press(&format!(":{}<enter>y1<enter>", action.name)).await;
            });
            assert_eq!(link.asked(), [], "{} at {place:?}", action.name);
        }
    }
}

#[test]
fn read_only_mode_says_so_and_hides_what_acts() {
    let looks = Options { read_only: true, ..options() };
    let screen = text(&staged_with(Fake::new(fleet::many()), looks, (80, 24), "P").buffer());
    assert!(screen.contains("read-only"), "{screen}");
    let looks = Options { read_only: true, ..options() };
    let screen = text(&staged_with(Fake::new(fleet::many()), looks, (80, 24), "").buffer());
    assert!(!screen.contains("K cancel"), "{screen}");
}

#[test]
fn what_destroys_asks_first_and_defaults_to_no() {
    for action in TABLE.iter().filter(|action| action.danger == Danger::Destroys) {
        let key = action.keys[0];
        for answer in ["", "<enter>", "<esc>", "n", "<space>", key, "Y"] {
            let link = Fake::new(fleet::many());
            staged(link.clone(), (80, 24), &format!("3j{key}{answer}"));
            assert_eq!(cancelled(&link.asked()), [], "{} {answer}", action.name);
        }
        let link = Fake::new(fleet::many());
        staged(link.clone(), (80, 24), &format!("3j{key}y"));
        assert_eq!(cancelled(&link.asked()), [JobId(198)], "{}", action.name);
    }
}

#[test]
fn a_key_held_down_never_answers_its_own_question() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "3j");
    block(async {
        stage.event(Event::Key(Key::char('K'))).await;
        for _ in 0..5 {
            stage.event(Event::Key(Key::char('y'))).await;
        }
    });
    assert!(stage.app.popup.is_some(), "the question still stands");
    assert_eq!(link.asked(), []);
}

#[test]
fn many_jobs_take_their_number() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "3<space><space><space>K");
    let screen = text(&stage.buffer());
    assert!(screen.contains("CANCEL 3 JOBS") && screen.contains("type 3"), "{screen}");
    block(stage.press("3<enter>"));
    assert_eq!(cancelled(&link.asked()).len(), 3);
    assert!(stage.app.ground.marks.is_empty(), "what was done is no longer marked");
}

#[test]
fn pasted_text_is_never_a_key() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "3j");
    let text = "K\ny\nP\nD3\n:cancel\n";
    block(async {
        stage.event(Event::Paste(text.into())).await;
        stage.press("K").await;
        stage.event(Event::Paste("y".into())).await;
        stage.press("<esc>t").await;
        stage.event(Event::Paste(text.into())).await;
    });
    assert_eq!(link.asked(), []);
}

#[test]
fn pasted_text_is_an_answer_only_after_enter() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "S");
    block(stage.event(Event::Paste("take B\nrm -rf /\n".into())));
    assert_eq!(link.asked(), []);
    block(stage.press("<enter>"));
    assert_eq!(link.asked(), [Asked::Input(JobId(231), b"take B rm -rf /\r".to_vec())]);
}

#[test]
fn the_terminal_takes_keys_only_while_typing() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "tKx<esc>");
    assert_eq!(link.asked(), []);
    block(stage.press("t"));
    block(stage.press("iB<enter>K<ctrl-c><up>"));
    let bytes: Vec<u8> = link
        .asked()
        .into_iter()
        .filter_map(|asked| match asked {
            Asked::Input(_, bytes) => Some(bytes),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(bytes, b"B\rK\x03\x1b[A");
    assert!(link.asked().contains(&Asked::Resize(19, 80)), "{:?}", link.asked());
    block(stage.press("<ctrl-\\>q"));
    assert_eq!(stage.app.stack.len(), 1);
}

#[test]
fn what_was_done_can_be_taken_back() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "3jP");
    assert!(text(&stage.buffer()).contains("198 paused (u takes it back)"));
    block(stage.press("uu"));
    let verbs: Vec<Verb> = link
        .asked()
        .into_iter()
        .filter_map(|asked| match asked {
            Asked::Act(_, verb) => Some(verb),
            _ => None,
        })
        .collect();
    assert!(matches!(&verbs[..], [Verb::Pause { .. }, Verb::Resume, ..]), "{verbs:?}");
}

#[test]
fn a_cancellation_can_be_taken_back_by_anybody_who_sees_it() {
    let link = Fake::new(fleet::many());
    let mut mine = staged(link.clone(), (80, 24), "3jKy");
    let screen = text(&mine.buffer());
    assert!(screen.contains("198 cancelled in"), "{screen}");
    // Who waits on people stays in front.
    assert!(screen.contains("! 231 fix-auth asks"), "{screen}");
    assert!(screen.contains("u keeps it"), "{screen}");
    assert!(screen.contains("198 cancelled in 5s (u takes it back)"), "{screen}");
    // Another console that did nothing itself.
    let other = staged(link.clone(), (80, 24), "u");
    let kept = Asked::Act(vec![JobId(198)], Verb::Keep);
    assert_eq!(link.asked().last(), Some(&kept));
    assert!(text(&other.buffer()).contains("198 kept"));
    block(mine.fetch());
    assert!(!text(&mine.buffer()).contains("u keeps it"));
    assert!(link.asked().iter().all(|asked| !matches!(asked, Asked::Act(_, Verb::Cancel { .. }))));
}

#[test]
fn leaving_touches_no_job_and_moves_the_mark() {
    let link = Fake::new(fleet::many());
    let stage = staged(link.clone(), (80, 24), "q");
    assert!(stage.effects.contains(&Effect::Quit));
    assert_eq!(link.asked(), []);
    // Esc never leaves.
    let stage = staged(Fake::new(fleet::many()), (80, 24), "<esc><esc><esc>");
    assert!(!stage.effects.contains(&Effect::Quit));
}

#[test]
fn nodes_are_drained_and_come_back() {
    let link = Fake::new(fleet::many());
    staged(link.clone(), (80, 24), "bDnew disk<enter>jD");
    let drained = [
        Asked::Drain("gpu-box-3".into(), true, Some("new disk".to_owned())),
        Asked::Drain("gpu-box-4".into(), false, None),
    ];
    assert_eq!(link.asked(), drained);
    let thought_better = Fake::new(fleet::many());
    let stage = staged(thought_better.clone(), (80, 24), "bD");
    assert!(text(&stage.buffer()).contains("drain gpu-box-3, because: "));
    staged(thought_better.clone(), (80, 24), "bD<esc>");
    assert_eq!(thought_better.asked(), []);
}

#[test]
fn a_team_is_paused_and_its_quota_changed_only_after_a_yes() {
    let team = |asked: &Asked| matches!(asked, Asked::PauseTeam(..) | Asked::EditTeam(..));
    for keys in
        ["dgjjjPmove<enter>", "dgjjjPmove<enter>n", "dgjjjP<enter>y", "dgjjjE,gpu=9<enter><enter>"]
    {
        let link = Fake::new(fleet::many());
        staged(link.clone(), (80, 24), keys);
        assert!(!link.asked().iter().any(team), "{keys}: {:?}", link.asked());
    }
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "dgjjjPmove<enter>");
    let screen = text(&stage.buffer());
    assert!(screen.contains("PAUSE TEAM org/ml/research") && screen.contains("move"), "{screen}");
    block(stage.press("y"));
    assert_eq!(link.asked(), [Asked::PauseTeam("org/ml/research".into(), "move".into())]);
    let screen = text(&stage.buffer());
    assert!(screen.contains("team org/ml/research paused (u takes it back)"), "{screen}");
    block(stage.press("u"));
    assert_eq!(link.asked().last(), Some(&Asked::ResumeTeam("org/ml/research".into())));
}

#[test]
fn a_quota_is_said_in_words_before_it_is_changed_and_can_be_taken_back() {
    let link = Fake::new(fleet::many());
    let mut stage = staged(link.clone(), (80, 24), "dgjjjE");
    let screen = text(&stage.buffer());
    assert!(screen.contains("quota of org/ml/research: gpu=4"), "{screen}");
    block(stage.press("<backspace>x<enter>"));
    assert!(stage.app.popup.is_some() && link.asked().is_empty(), "x is no number");
    block(stage.press("<backspace>2<enter>"));
    let screen = text(&stage.buffer());
    assert!(screen.contains("GPU: 4 GPUs now, 2 GPUs then"), "{screen}");
    assert!(screen.contains("5 GPUs of what it holds is then borrowed"), "{screen}");
    block(stage.press("yu"));
    let quotas = link.asked().into_iter().map(|asked| match asked {
        Asked::EditTeam(_, TeamEdit::Set(change)) => change.quota.gpu_milli,
        other => panic!("{other:?}"),
    });
    assert_eq!(quotas.collect::<Vec<_>>(), [Some(Some(2000)), Some(Some(4000))]);
}

#[test]
fn who_is_alone_is_not_offered_teams() {
    let stage = staged(Fake::new(fleet::few()), (80, 24), "d");
    assert_eq!(stage.app.stack.len(), 1);
    assert!(text(&stage.buffer()).contains("there are no teams here"));
}

#[test]
fn a_team_leads_to_its_jobs() {
    let stage = staged(Fake::new(fleet::many()), (80, 24), "dj<home>jjjj<enter>");
    assert_eq!(stage.app.stack.len(), 1);
    assert_eq!(stage.app.front().and_then(|pane| pane.filter()), Some("team=org/web"));
}
