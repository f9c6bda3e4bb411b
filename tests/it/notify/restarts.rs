//! The server is killed between an ask and its message, in the middle of one, and after it.

use holdshort::model::review::Moment;

use super::listener::{Answer, Listener};
use super::{ask, told};
use crate::asking::people::Agents;

#[test]
fn killed_in_between_it_tells_what_was_not_begun_and_never_twice_what_was() {
    let listener = Listener::new(&[Answer::Status(200), Answer::Hang]);
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "a secret of some length").unwrap();
    let agents = Agents::new(&format!(
        "[[notify]]\nname = \"desk\"\nkind = \"webhook\"\nurl = \"{}\"\nsecret_file = \"{}\"\n\
         timeout = \"5m\"\n",
        listener.url(),
        secret.path().display()
    ));
    let arrived = ask(&agents).id;
    told(&agents, arrived, "desk", Moment::Asked);
    let flying = ask(&agents).id;
    listener.until(&format!("review.asked {flying}"));
    // The target takes one after the other, so this one has not been begun.
    let waiting = ask(&agents).id;
    assert_eq!(agents.review(waiting).told, []);
    agents.place.kill_server();
    agents.place.ok("server start");

    assert_eq!(told(&agents, waiting, "desk", Moment::Asked).failed, None);
    let lost = told(&agents, flying, "desk", Moment::Asked);
    let why = lost.failed.unwrap();
    assert!(why.contains("the server ended") && why.contains("may have arrived"), "{why}");
    let later = ask(&agents).id;
    told(&agents, later, "desk", Moment::Asked);
    let asked = [arrived, flying, waiting, later].map(|id| format!("review.asked {id}"));
    assert_eq!(listener.abouts(), asked, "each once, in order");
    let ran = agents.place.run("journal replay");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn what_was_refused_so_far_is_tried_on_by_the_next_server() {
    let listener = Listener::new(&[Answer::Status(503)]);
    let agents = Agents::new(&format!(
        "[[notify]]\nname = \"chat\"\nkind = \"chat\"\nurl = \"{}\"\nbackoff = \"5m\"\n",
        listener.url()
    ));
    let review = ask(&agents).id;
    crate::place::wait_for("the first try to be recorded", || {
        agents.review(review).told.iter().any(|told| told.failed.is_some())
    });
    let told_so_far = agents.review(review).told.remove(0);
    assert_eq!((told_so_far.open, told_so_far.tries), (true, 1), "it is to be tried again");
    agents.place.kill_server();
    agents.place.ok("server start");
    assert_eq!(told(&agents, review, "chat", Moment::Asked).failed, None);
    assert_eq!(listener.got().len(), 2);
}

#[test]
fn a_target_that_is_configured_later_hears_of_what_is_open() {
    let listener = Listener::new(&[]);
    let agents = Agents::new("");
    let review = ask(&agents).id;
    let config = agents.path("config/holdshort/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let more =
        format!("[[notify]]\nname = \"chat\"\nkind = \"chat\"\nurl = \"{}\"\n", listener.url());
    std::fs::write(&config, format!("{text}{more}")).unwrap();
    crate::place::kill(agents.place.server().unwrap(), 1);
    assert_eq!(told(&agents, review, "chat", Moment::Asked).failed, None);
}
