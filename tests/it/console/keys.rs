//! Keys at random, at sizes at random: nothing panics, nothing is done unasked.

use holdshort::base::Span;
use holdshort::model::command::Verb;
use holdshort::model::review::ReviewVerb;
use holdshort::tui::actions::TABLE;
use holdshort::tui::event::{Event, Mouse};
use holdshort::tui::keys::Key;
use holdshort::tui::popups::Popup;
use proptest::prelude::*;

use super::desk;
use super::fleet::{self, Fleet};
use super::grid::{block, staged};
use super::link::{Asked, Fake};

#[derive(Debug, Clone)]
enum Step {
    Key(Key),
    Size(u16, u16),
    Paste(String),
    Wait(u64),
    Click(u16, u16),
    Lose(u64),
}

fn key() -> impl Strategy<Value = Key> {
    let known: Vec<Key> =
        TABLE.iter().flat_map(|a| a.keys).filter_map(|text| Key::parse(text)).collect();
    // Leaving is tested elsewhere: here the storm goes on.
    let known: Vec<Key> = known.into_iter().filter(|key| *key != Key::ctrl('z')).collect();
    let typed = prop::sample::select("yY123nabz/=:~\"[]{}AD4180.0".chars().collect::<Vec<_>>());
    prop_oneof![4 => prop::sample::select(known), 1 => typed.prop_map(Key::char)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => key().prop_map(Step::Key),
        1 => (0u16..210, 0u16..70).prop_map(|(x, y)| Step::Size(x, y)),
        1 => (0u16..13, 0u16..7).prop_map(|(x, y)| Step::Size(x, y)),
        1 => "\\PC{0,12}".prop_map(Step::Paste),
        1 => (0u64..100_000).prop_map(Step::Wait),
        1 => (0u16..210, 0u16..70).prop_map(|(x, y)| Step::Click(x, y)),
        1 => (0u64..300).prop_map(Step::Lose),
    ]
}

fn fleets() -> impl Strategy<Value = Fleet> {
    prop_oneof![Just(desk::many()), Just(fleet::many()), Just(fleet::few()), Just(Fleet::default())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_storm_of_keys_breaks_nothing_and_destroys_nothing_unasked(
        fleet in fleets(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let link = Fake::new(fleet);
        let mut stage = staged(link.clone(), (80, 24), "");
        block(async {
            for step in steps {
                let asking = matches!(stage.app.popup, Some(Popup::Confirm(_)));
                let answering = matches!(stage.app.popup, Some(Popup::Answer(_)));
                let before = link.asked().len();
                match step {
                    Step::Key(key) => stage.event(Event::Key(key)).await,
                    Step::Size(columns, rows) => {
                        stage.event(Event::Resize { columns, rows }).await;
                    }
                    Step::Paste(text) => stage.event(Event::Paste(text)).await,
                    Step::Wait(ms) => stage.pass(Span(ms)).await,
                    Step::Click(x, y) => stage.event(Event::Mouse(Mouse::Click(x, y))).await,
                    Step::Lose(id) => link.change(|fleet| fleet.jobs.retain(|r| r.id.0 != id)),
                }
                let destroys = |asked: &Asked| {
                    let Asked::Act(_, verb) = asked else { return false };
                    matches!(verb, Verb::CancelIn { .. } | Verb::Cancel { .. })
                        || matches!(verb, Verb::Requeue | Verb::Preempt)
                };
                let did = link.asked().into_iter().skip(before).any(|asked| destroys(&asked));
                assert!(!did || asking, "something was destroyed without a question");
                let votes = |asked: &Asked| {
                    matches!(asked, Asked::Review(_, ReviewVerb::Vote { .. }))
                };
                let voted = link.asked().into_iter().skip(before).any(|asked| votes(&asked));
                assert!(!voted || answering, "somebody voted without an answer line");
                stage.fetch().await;
                stage.buffer();
            }
        });
    }

    #[test]
    fn every_tiny_size_draws(columns in 0u16..=12, rows in 0u16..=6, pane in 0usize..12) {
        let panes =
            ["", "l", "t", "b", "e", "d", "v", "?", "3K", "<enter>", "<enter>v", "<enter>GA"];
        let keys = panes[pane];
        let mut stage = staged(Fake::new(desk::many()), (80, 24), keys);
        block(stage.event(Event::Resize { columns, rows }));
        stage.buffer();
    }
}
