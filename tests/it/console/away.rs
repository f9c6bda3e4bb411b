//! A server that was stopped, that died, that hangs: what the console says and does.

use std::sync::Arc;

use holdshort::base::{JobId, Span};
use holdshort::link::STOPPED;
use holdshort::model::command::Verb;
use holdshort::tui::event::{Deed, Effect, Event};
use holdshort::tui::feed::{Connection, Data, tasks};
use holdshort::tui::{Options, Starter};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::CommandBuilder;

use super::fleet;
use super::grid::{block, options, staged, staged_with, text};
use super::link::Fake;
use super::pty::{Screen, run};
use crate::place::{Place, wait_for};

fn lost(why: &str) -> Event {
    Event::Data(Data::Link(Connection::Lost { why: why.into(), attempt: 1 }))
}

#[test]
fn a_server_that_was_stopped_is_started_only_on_demand() {
    let may = Options { starter: Some(Starter(Arc::new(|| Ok(())))), ..options() };
    let looks = Options { read_only: true, ..may.clone() };
    for (options, offers) in [(may, true), (looks, false), (options(), false)] {
        let mut stage = staged_with(Fake::new(fleet::many()), options, (80, 24), "");
        block(stage.event(lost(STOPPED)));
        let screen = text(&stage.buffer());
        assert!(screen.contains("server stopped"), "{screen}");
        assert_eq!(screen.contains("press r to start it"), offers, "{screen}");
        block(stage.press("r"));
        assert_eq!(stage.effects.contains(&Effect::Start), offers);
    }
    // Nothing is started where nothing was stopped.
    let may = Options { starter: Some(Starter(Arc::new(|| Ok(())))), ..options() };
    let mut stage = staged_with(Fake::new(fleet::many()), may, (80, 24), "r");
    block(stage.event(lost("connection refused")));
    block(stage.press("r"));
    assert!(!stage.effects.contains(&Effect::Start));
}

#[test]
fn the_message_log_keeps_when_it_went_and_when_it_came_back() {
    let mut stage = staged(Fake::new(fleet::many()), (80, 24), "");
    block(async {
        stage.event(lost("connection refused")).await;
        stage.pass(Span::secs(12)).await;
        stage.event(Event::Data(Data::Link(Connection::Live))).await;
        stage.press("m").await;
    });
    let screen = text(&stage.buffer());
    assert!(screen.contains("the server went away: connection refused"), "{screen}");
    assert!(screen.contains("the server is back after 12s"), "{screen}");
}

#[test]
fn a_server_that_hangs_does_not_look_live() {
    let mut stage = staged(Fake::new(fleet::many()), (80, 24), "");
    block(async {
        stage.pass(Span::secs(10)).await;
        stage.event(Event::Data(Data::Silent(true))).await;
        stage.pass(Span::secs(2)).await;
    });
    let screen = text(&stage.buffer());
    assert!(screen.contains("no answer for 5s") && !screen.contains(" live"), "{screen}");
    block(stage.event(Event::Data(Data::Silent(false))));
    assert!(text(&stage.buffer()).contains(" live"));
    let verb = Verb::Pause { until: None, reason: None };
    let deed = Deed::Act { jobs: vec![JobId(198)], verb };
    block(stage.event(Event::Data(Data::Did(deed, Err(tasks::slow())))));
    let screen = text(&stage.buffer());
    let said = "no answer within 10 s: nobody knows yet whether 198 paused";
    assert!(screen.contains(said), "{screen}");
}

/// The console of the real binary.
fn console(place: &Place, args: &[&str]) -> Screen {
    let plain = place.command(args);
    let mut command = CommandBuilder::new(plain.get_program());
    command.args(plain.get_args());
    command.env_clear();
    for (name, value) in plain.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("TERM", "xterm-256color");
    command.cwd(std::env::temp_dir());
    run(command, (100, 30))
}

#[test]
fn a_console_that_only_looks_starts_no_server() {
    let place = Place::with_slots(2);
    let mut screen = console(&place, &["--read-only"]);
    screen.until("reconnecting");
    assert_eq!(place.server(), None);
    place.ok("server start");
    screen.until(" live");
    place.ok("server stop");
    screen.until("reconnecting");
    assert_eq!(place.server(), None);
    screen.keys("q");
    assert_eq!(screen.end(), 0);
}

#[test]
fn an_open_console_revives_what_died_and_not_what_was_stopped() {
    let place = Place::with_slots(2);
    let mut screen = console(&place, &[]);
    screen.until(" live");
    let first = place.server().unwrap();
    kill(Pid::from_raw(first), Signal::SIGKILL).unwrap();
    wait_for("another server", || place.server().is_some_and(|pid| pid != first));
    screen.until(" live");
    place.ok("server stop");
    screen.until("server stopped, press r to start it");
    assert_eq!(place.server(), None);
    screen.keys("r");
    screen.until(" live");
    assert!(place.server().is_some());
    screen.keys("m");
    screen.until("the server went away");
    screen.until("the server is back");
    screen.keys("qq");
    assert_eq!(screen.end(), 0);
}

#[test]
fn a_stopped_process_is_seen_not_to_answer() {
    let place = Place::with_slots(2);
    let mut screen = console(&place, &[]);
    screen.until(" live");
    let pid = Pid::from_raw(place.server().unwrap());
    kill(pid, Signal::SIGSTOP).unwrap();
    screen.until("no answer for");
    kill(pid, Signal::SIGCONT).unwrap();
    screen.until(" live");
    screen.keys("q");
    assert_eq!(screen.end(), 0);
}
