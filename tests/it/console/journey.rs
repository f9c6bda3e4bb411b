//! A person decides in the console what a real job asks: with the real program, a real server and
//! a real job that waits for the answer.

use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;

use super::pty::{self, Screen};
use crate::place::{Place, wait_for};

const PATIENCE: Duration = Duration::from_secs(60);

/// The console of a place, opened at a target.
fn console(place: &Place, target: &str) -> Screen {
    let words: Vec<&str> = Some(target).filter(|target| !target.is_empty()).into_iter().collect();
    let own = place.command(words.iter());
    let mut command = CommandBuilder::new(own.get_program());
    command.env_clear();
    for (name, value) in own.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("TERM", "xterm-256color");
    command.args(&words);
    command.cwd(place.path(""));
    pty::run(command, (120, 40))
}

/// Presses a key until a text is there: a line that has just opened does not listen yet, and a card
/// has to stand there for a moment before it can be answered.
fn press_until(screen: &mut Screen, key: &str, text: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !screen.shows(text) {
        assert!(Instant::now() < deadline, "no {text}:\n{}", screen.text());
        screen.keys(key);
        std::thread::park_timeout(Duration::from_millis(700));
    }
}

/// Types into a line that listens.
fn answer(screen: &mut Screen, typed: &str) {
    screen.until("Esc = leave it open");
    // A key too many while the line opened is no part of the answer.
    let clears = if typed == "\r" { "" } else { "\x15" };
    screen.keys(&format!("{clears}{typed}"));
}

fn script(place: &Place, line: &str) -> String {
    let dir = place.path("");
    format!("DIR={}\n{line}; echo $? > $DIR/code", dir.display())
}

fn code(place: &Place) -> String {
    let path = place.path("code");
    wait_for("the answer at the job", || {
        std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n'))
    });
    std::fs::read_to_string(path).unwrap().trim().to_owned()
}

#[test]
fn a_yes_is_typed_and_the_job_goes_on() {
    let place = Place::with_slots(2);
    let ask = "holdshort ask --effect money --amount 12.50 --currency EUR --wait 10m -- pay acme";
    let job = place.submit("--name pay", &script(&place, ask));
    place.until(job, "to ask", |job| job["open_reviews"][0] == "R1");
    let mut screen = console(&place, "R1");
    screen.until("WHAT WILL RUN");
    screen.until("MONEY: cannot be undone");
    press_until(&mut screen, "A", "This is money. Type the amount to say yes");
    answer(&mut screen, "12.50\r");
    screen.until("APPROVED by");
    assert_eq!(code(&place), "0");
    place.until_state(job, "succeeded");
    screen.keys("qq");
    assert_eq!(screen.end(), 0);
}

#[test]
fn a_no_has_a_reason_that_the_job_reads() {
    let place = Place::with_slots(2);
    let ask = "holdshort ask --effect irreversible --target prod --wait 10m -- drop the table";
    let job = place.submit("--name drop", &script(&place, ask));
    place.until(job, "to ask", |job| job["open_reviews"][0] == "R1");
    let mut screen = console(&place, "");
    screen.until("you can answer 1");
    screen.until("R1");
    screen.keys("n\r");
    screen.until("IRREVERSIBLE");
    press_until(&mut screen, "D", "NO to R1");
    answer(&mut screen, "it is still read\r");
    screen.until("and stop the job");
    answer(&mut screen, "\r");
    screen.until("DENIED by");
    assert_eq!(code(&place), "10");
    let said = place.ok(&format!("events {job}"));
    assert!(said.contains("R1 is denied by") && said.contains("it is still read"), "{said}");
    place.until_state(job, "succeeded");
    screen.keys("qq");
    assert_eq!(screen.end(), 0);
}

#[test]
fn a_yes_is_taken_back_before_it_counts() {
    let place = Place::with_slots(2);
    let gate = "holdshort gate --effect external --target list --wait 10m -- touch $DIR/sent";
    let job = place.submit("--name mail", &script(&place, gate));
    place.until(job, "to ask", |job| job["open_reviews"][0] == "R1");
    let mut screen = console(&place, "R1");
    screen.until("EXTERNAL");
    press_until(&mut screen, "A", "Type the target to say yes");
    answer(&mut screen, "list\r");
    screen.until("yes to R1; it counts from 10s on (u takes it back)");
    screen.keys("u");
    screen.until("REVOKED by");
    assert_eq!(code(&place), "10");
    assert!(!place.path("sent").exists());
    place.until_state(job, "succeeded");
    screen.keys("qq");
    assert_eq!(screen.end(), 0);
}
