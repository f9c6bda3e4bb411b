//! The console signs: with a real server and a real agent, or one that has a device.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use holdshort::link::local::Local;
use holdshort::link::{Link, Pen};
use holdshort::model::review::{Review, ReviewVerb, Verdict};
use holdshort::tui::event::{Deed, Effect, Event};
use holdshort::tui::feed::{Data, Feed};
use holdshort::tui::keys::Key;
use holdshort::tui::{Open, Options, Signs, Stage};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::bench::{bench, write_own};
use super::device::{Answers, agent_with, device};
use crate::audit::Office;
use crate::console::grid::{options, text};

const SURE: &str = "[[review_policy]]\nname = \"sure\"\nassurance = \"high\"\n";
const TYPED: &str = "Atable<enter>";
const PATIENCE: Duration = Duration::from_secs(30);

fn allow(office: &Office, lines: &str) {
    write_own(&office.place.path("config/holdshort/allowed_signers"), lines);
}

fn link(office: &Office) -> Arc<dyn Link> {
    Arc::new(Local::new(office.place.path("run/holdshort/socket")))
}

/// A console that has a review open.
async fn opened(office: &Office, review: &Review, signs: Signs, agent: Option<&Path>) -> Stage {
    let pen = Pen { agent: agent.map(Into::into), key: None };
    let options = Options { open: Open::Review(review.id), signs, pen, ..options() };
    Stage::open(link(office), options, (120, 40)).await
}

/// What the console said last when somebody said yes, and the review.
fn says_yes(
    office: &Office,
    review: &Review,
    signs: Signs,
    agent: Option<&Path>,
) -> (String, Review) {
    office.runtime.block_on(async {
        let mut stage = opened(office, review, signs, agent).await;
        stage.press(TYPED).await;
        let after = link(office).review(review.id, None).await.unwrap().review;
        let said = stage.app.ground.messages.all.back().map(|said| said.text.clone());
        (said.unwrap_or_default(), after)
    })
}

#[test]
fn every_vote_is_signed_by_the_agents_key_where_that_is_wanted() {
    let Some(bench) = bench() else { return };
    let office = Office::new("");
    let key = bench.key("a", "ed25519", "secret");
    allow(&office, &bench.line("ana", &key));
    let agent = bench.agent(&[&key]);
    let (first, second) = (office.ask("table"), office.ask("table"));
    let second = if second.id == first.id { office.ask("other") } else { second };
    let (screen, after) = says_yes(&office, &first, Signs::Always, Some(&agent.socket));
    assert!(screen.contains("yes to R1; it counts from 10s on"), "{screen}");
    assert!(after.votes[0].signature.is_some(), "{after:?}");
    office.runtime.block_on(async {
        let mut stage = opened(&office, &second, Signs::Always, Some(&agent.socket)).await;
        stage.press("D").await;
        stage.press("2<enter>").await;
        assert!(text(&stage.buffer()).contains("your key signs it"), "{}", text(&stage.buffer()));
        stage.press("<enter>").await;
        let after = link(&office).review(second.id, None).await.unwrap().review;
        assert!(after.votes[0].signature.is_some(), "{after:?}");
        assert!(after.is_open(), "it can be taken back");
        stage.press("u").await;
        let after = link(&office).review(second.id, None).await.unwrap().review;
        assert!(after.votes[0].back.is_some(), "{after:?}");
    });
    assert_eq!(office.sound()["signatures"], 2);
}

#[test]
fn a_rule_that_asks_for_a_touched_key_gets_it_from_the_console() {
    let Some(bench) = bench() else { return };
    let office = Office::new(SURE);
    let device = device(&bench);
    allow(&office, &device.line("ana"));
    let socket = bench.path("agent");
    let serving = agent_with(device, &socket, Answers::Touched);
    let review = office.ask("table");
    let (screen, after) = says_yes(&office, &review, Signs::Needed, Some(&socket));
    serving.join().unwrap();
    assert_eq!(after.state.word(), "approved", "{screen}");
    assert_eq!(after.votes[0].assurance.word(), "hardware");
}

#[test]
fn why_nothing_was_signed_is_a_sentence_and_nothing_is_sent() {
    let Some(bench) = bench() else { return };
    let office = Office::new(SURE);
    let review = office.ask("table");
    let nobody = bench.path("nobody");
    let no_agent = "there is no SSH agent: SSH_AUTH_SOCK is unset";
    let needs = "a yes needs a signature of a hardware key";
    for (signs, agent, part) in
        [(Signs::Needed, None, no_agent), (Signs::Never, Some(&*nobody), needs)]
    {
        let screen = office.runtime.block_on(async {
            let mut stage = opened(&office, &review, signs, agent).await;
            stage.press("A").await;
            text(&stage.buffer())
        });
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let refused = |signs, agent: Option<&Path>, part: &str| {
        let (screen, after) = says_yes(&office, &review, signs, agent);
        assert!(screen.contains(part), "{part}: {screen}");
        assert_eq!(after.votes, []);
    };
    refused(Signs::Needed, Some(&nobody), "no SSH agent answers at");
    let stranger = bench.key("b", "ed25519", "");
    let agent = bench.agent(&[&stranger]);
    allow(&office, &bench.line("ana", &bench.key("a", "ed25519", "")));
    refused(Signs::Needed, Some(&agent.socket), "lists no key SHA256:");
    // Its key is known and was not touched.
    let device = device(&bench);
    allow(&office, &device.line("ana"));
    let socket = bench.path("device");
    let serving = agent_with(device, &socket, Answers::Refused);
    refused(Signs::Needed, Some(&socket), "the SSH agent did not sign");
    serving.join().unwrap();
}

#[test]
fn while_the_key_waits_for_a_touch_the_console_goes_on() {
    let Some(bench) = bench() else { return };
    let office = Office::new(SURE);
    let device = device(&bench);
    allow(&office, &device.line("ana"));
    let socket = bench.path("agent");
    let (touch, touched) = std::sync::mpsc::channel();
    let serving = agent_with(device, &socket, Answers::Once(touched));
    let review = office.ask("table");
    office.runtime.block_on(async {
        let mut stage = opened(&office, &review, Signs::Needed, Some(&socket)).await;
        stage.press("Atable").await;
        let enter = Event::Key(Key::parse("enter").unwrap());
        let effects = stage.app.update(enter, stage.now);
        let vote = effects.into_iter().find_map(|effect| match effect {
            Effect::Do(deed @ Deed::Signed { .. }) => Some(deed),
            _ => None,
        });
        assert!(
            text(&stage.buffer()).contains("TOUCH YOUR KEY for R1"),
            "{}",
            text(&stage.buffer())
        );
        stage.press("A").await;
        let screen = text(&stage.buffer());
        assert!(stage.app.popup.is_none(), "one vote at a time: {screen}");
        let (out, mut data) = mpsc::channel(256);
        let link = link(&office);
        let feed = Feed::start(&link, &out);
        assert!(feed.act(vote.unwrap()));
        let verb = Box::new(ReviewVerb::AskBack { text: "why?".into() });
        assert!(feed.act(Deed::Review { review: review.id, verb }));
        let mut done = async || loop {
            let next = timeout(PATIENCE, data.recv()).await.unwrap().unwrap();
            if let Data::Did(deed, result) = next {
                return (deed, result);
            }
        };
        let (asked, result) = done().await;
        assert!(matches!(asked, Deed::Review { .. }), "others do not wait: {asked:?}");
        result.unwrap();
        touch.send(()).unwrap();
        let (voted, result) = done().await;
        assert_eq!(result, Ok(None));
        stage.event(Event::Data(Data::Did(voted, result))).await;
        let screen = text(&stage.buffer());
        assert!(screen.contains("yes to R1; it counts"), "{screen}");
        let after = link.review(review.id, None).await.unwrap().review;
        assert_eq!(after.votes[0].verdict, Verdict::Approve);
    });
    serving.join().unwrap();
}
