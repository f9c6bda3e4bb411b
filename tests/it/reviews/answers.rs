//! The command line of those who answer.

use std::fs::File;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use nix::pty::{Winsize, openpty};
use serde_json::json;

use super::{Office, digits, draft, id, payment, yes};
use crate::place::wait_for;

/// A person's terminal with a command in it.
struct Person {
    child: std::process::Child,
    keys: File,
    screen: Arc<Mutex<Vec<u8>>>,
    _line: std::os::fd::OwnedFd,
}

impl Person {
    fn types_at(office: &Office, words: &[&str]) -> Person {
        let size = Winsize { ws_row: 60, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let line = || pty.slave.try_clone().unwrap();
        let mut command = office.place.command(words);
        command.stdin(line()).stdout(line()).stderr(line());
        let child = command.spawn().unwrap();
        let keys = File::from(pty.master);
        let screen: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (mut reader, drawn) = (keys.try_clone().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let mut bytes = [0u8; 4096];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                drawn.lock().unwrap().extend(&bytes[..n]);
            }
        });
        Person { child, keys, screen, _line: pty.slave }
    }

    fn sees(&self, text: &str) {
        wait_for(text, || String::from_utf8_lossy(&self.screen.lock().unwrap()).contains(text));
    }

    fn types(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    fn ends(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

#[tokio::test]
async fn a_job_names_its_open_review_and_there_is_no_blind_yes() {
    let office = Office::new();
    let place = &office.place;
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);

    let told = place.run(&format!("approve {job}"));
    assert_eq!(told.code, 2);
    assert!(told.err.contains(&format!("{job} has one open review: {name}")), "{}", told.err);
    assert!(place.ok(&format!("show {job}")).contains(&name));
    assert!(place.ok("ls").contains(&name));
    let list = place.ok("reviews --mine");
    assert!(list.contains(&name) && list.contains("pay 4180.00 EUR to acme"), "{list}");
    assert_eq!(place.json("reviews")["reviews"][0]["id"], name);

    let blind = place.run(&format!("approve {name}"));
    assert_eq!(blind.code, 8, "{blind:?}");
    assert!(blind.out.contains("4180.00") && blind.out.contains("MONEY"), "{}", blind.out);
    assert_eq!(place.run(&format!("approve {name} --hash {}", &digits(&review)[..7])).code, 8);
    assert_eq!(place.run(&format!("approve {name} --hash 00000000")).code, 4);
    assert_eq!(place.json(&format!("show {name}"))["review"]["state"], "open");

    let said = place.ok(&format!("approve {name} --hash {} --reason due", digits(&review)));
    assert!(said.ends_with(&format!("{name} is approved")), "{said}");
    let again = place.run(&format!("approve {name} --hash {}", digits(&review)));
    assert_eq!(again.code, 4, "{again:?}");
    place.ok(&format!("revoke {name} --reason wrong"));
    assert_eq!(place.json(&format!("show {name}"))["review"]["state"], "revoked");
    assert_eq!(place.run("approve R99 --hash 00000000").code, 3);
    assert_eq!(place.run("approve team:ml").code, 2);
}

#[tokio::test]
async fn on_a_terminal_the_amount_is_typed() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    let mut person = Person::types_at(&office, &["approve", &name]);
    person.sees("WHAT WILL RUN");
    person.sees("Type the amount");
    person.types("y\r");
    assert_eq!(person.ends(), 8, "y is no yes to money");
    assert_eq!(office.get(&format!("/reviews/{name}")).await["review"]["state"], "open");
    let mut person = Person::types_at(&office, &["approve", &name]);
    person.sees("Type the amount");
    person.types("4180\r");
    assert_eq!(person.ends(), 0);
    office.until_review(&name, "approved");
    let other = office.asks(job, draft()).await;
    let mut person = Person::types_at(&office, &["approve", &id(&other)]);
    person.sees("Type yes");
    person.types("yes\r");
    assert_eq!(person.ends(), 0);
    office.until_review(&id(&other), "approved");
}

#[tokio::test]
async fn a_no_has_a_reason_in_words_or_by_number_and_may_stop_the_job() {
    let office = Office::new();
    let place = &office.place;
    let job = office.job();
    let review = office.asks(job, payment()).await;
    assert_eq!(place.run(&format!("deny {}", id(&review))).code, 2);
    assert_eq!(place.run(&format!("deny {} --reason 9", id(&review))).code, 2);
    place.ok(&format!("deny {} --reason 2", id(&review)));
    let denied = place.json(&format!("show {}", id(&review)))["review"].clone();
    assert_eq!(denied["decision"]["reason"], "wrong target");
    assert_eq!(place.job(job)["state"], "running", "it goes on");
    let review = office.asks(job, draft()).await;
    let said = place.args(["deny", &id(&review), "--reason", "not this way", "--stop"]);
    assert_eq!(said.code, 0, "{said:?}");
    let ended = place.until_state(job, "denied");
    assert!(ended["ended_at"].is_string());
    let list = place.ok("reviews --all");
    assert!(list.contains("denied by") && list.contains("not this way"), "{list}");
}

#[tokio::test]
async fn what_is_said_around_a_review_is_said_from_the_command_line_too() {
    let office = Office::new();
    let place = &office.place;
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    place.ok(&format!("ask-back {name} same account as last month?"));
    let why = place.ok(&format!("why {name}"));
    assert!(why.contains("clock"), "{why}");
    place.ok(&format!("answer {name} yes"));
    place.ok(&format!("extend {name} 30m"));
    place.ok(&format!("escalate {name}"));
    let now = place.json(&format!("show {name}"))["review"].clone();
    assert_eq!(now["talk"][0]["text"], "same account as last month?");
    assert_eq!(now["level"], 2);
    assert!(now["expires_at"].as_str() > review["expires_at"].as_str());
    assert_eq!(place.run(&format!("extend {name} 60d")).code, 2);
    assert_eq!(place.run(&format!("delegate {name} --to nobody")).code, 4, "the owner cannot");
    assert_eq!(place.run("delegate --to nobody").code, 3);
    let said = place.ok(&format!("show {name}"));
    assert!(said.contains("same account as last month?"), "{said}");
}

#[tokio::test]
async fn an_edit_is_another_action_that_its_writer_says_yes_to() {
    let office = Office::new();
    let place = &office.place;
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    let mut less = payment()["action"].clone();
    less["args"]["argv"][5] = "41.80".into();
    less["amount"]["value"] = "41.80".into();
    let file = place.path("less.json");
    std::fs::write(&file, less.to_string()).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(place.run(&format!("approve {name} --edit {file}")).code, 8);
    place.ok(&format!("approve {name} --edit {file} --hash {}", digits(&review)));
    let now = place.json(&format!("show {name}"))["review"].clone();
    assert_eq!(now["state"], "approved");
    assert_eq!(now["edited_action"]["amount"]["value"], "41.80");
    assert_ne!(now["action_hash"], review["action_hash"]);
    assert_eq!(place.run(&format!("approve {name} --edit /nowhere")).code, 2);
}

#[tokio::test]
async fn a_yes_may_be_good_several_times_until_then() {
    let office = Office::new();
    let place = &office.place;
    let job = office.job();
    let review = office.asks(job, draft()).await;
    let name = id(&review);
    let hash = digits(&review);
    place.ok(&format!("approve {name} --hash {hash} --times 2 --until +2h"));
    let now = place.json(&format!("show {name}"))["review"].clone();
    assert_eq!((&now["grant"]["uses"], &now["grant"]["dated"]), (&json!(2), &json!(true)));
    let redeem = format!("/reviews/{name}/redeem");
    let body = json!({"action_hash": review["action_hash"]});
    for status in [200, 200, 410] {
        assert_eq!(office.post(&redeem, &body).await.status(), status);
    }
    let money = office.asks(job, payment()).await;
    let hash = digits(&money);
    let refused = place.run(&format!("approve {} --hash {hash} --until +2h", id(&money)));
    assert_eq!(refused.code, 2, "{refused:?}");
}

#[tokio::test]
async fn waiting_for_a_job_goes_on_through_its_review() {
    let office = Office::new();
    let place = &office.place;
    let go = place.path("go");
    let script = format!(
        "if [ \"$HOLDSHORT_RESUME\" = 1 ]; then cat $HOLDSHORT_DECISION_FILE; exit 3; fi; \
         while [ ! -e {} ]; do sleep 0.05; done; exit 75",
        go.display()
    );
    let job = place.submit("", &script);
    place.until_state(job, "running");
    let mut what = payment();
    what["wait"] = json!({"mode": "park"});
    let review = office.asks(job, what).await;
    std::fs::write(&go, "").unwrap();
    let parked = place.until_state(job, "in_review");
    assert_eq!(parked["open_reviews"], json!([id(&review)]));
    assert!(place.ok("ls").contains(&id(&review)));
    let card = office.get(&format!("/reviews/{}", id(&review))).await["review"].clone();
    assert_eq!(card["back"]["when"], "at_once", "there is room");
    let mut waits = place.command(["wait", &job.to_string()]).spawn().unwrap();
    office.post(&format!("/reviews/{}/vote", id(&review)), &yes(&review)).await;
    assert_eq!(waits.wait().unwrap().code(), Some(3), "the job's own code");
    let log = place.ok(&format!("logs {job}"));
    assert!(log.contains("\"state\": \"approved\""), "{log}");
    assert!(log.contains(review["action_hash"].as_str().unwrap()), "{log}");
}
