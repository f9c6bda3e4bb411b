//! The server dies between ask and vote, and between vote and use: nothing is lost, nothing
//! happens twice.

use serde_json::json;

use super::{Office, id, payment, yes};

#[tokio::test]
async fn a_review_survives_the_server_at_every_step_and_its_right_is_used_once() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    office.place.kill_server();
    office.place.ok("server start");
    let now = office.get(&format!("/reviews/{name}")).await["review"].clone();
    assert_eq!(
        (&now["state"], &now["action_hash"], &now["canonical"]),
        (&review["state"], &review["action_hash"], &review["canonical"])
    );
    assert_eq!(office.asks(job, payment()).await["id"], name, "asked again it is the same");
    let vote = format!("/reviews/{name}/vote");
    assert_eq!(office.post(&vote, &yes(&review)).await.status(), 200);
    office.place.kill_server();
    office.place.ok("server start");
    office.place.until_state(job, "running");
    let redeem = format!("/reviews/{name}/redeem");
    let body = json!({"action_hash": review["action_hash"]});
    let keyed = || {
        let ask = office.ask(reqwest::Method::POST, &redeem).header("idempotency-key", "use");
        ask.json(&body).send()
    };
    assert_eq!(keyed().await.unwrap().status(), 200);
    office.place.kill_server();
    office.place.ok("server start");
    assert_eq!(keyed().await.unwrap().status(), 200, "the answer to the lost call");
    let now = office.get(&format!("/reviews/{name}")).await["review"].clone();
    assert_eq!((&now["state"], &now["grant"]["used"]), (&"redeemed".into(), &json!(1)));
    assert_eq!(office.post(&redeem, &body).await.status(), 410);
    assert_eq!(office.place.run("verify journal").code, 0);
    let replayed = office.place.run("journal replay");
    assert_eq!(replayed.code, 0, "{replayed:?}");
}

#[tokio::test]
async fn a_no_that_does_not_count_yet_outlives_console_and_server() {
    let office = Office::new();
    let job = office.job();
    let review = office.asks(job, payment()).await;
    let name = id(&review);
    let no = json!({"verdict": "deny", "reason": "not this one", "undo_ms": 3000});
    let given = office.post(&format!("/reviews/{name}/vote"), &no).await;
    let given: serde_json::Value = given.json().await.unwrap();
    assert_eq!(given["review"]["state"], "open", "{given}");
    assert!(given["review"]["votes"][0]["effective_at"].is_string(), "{given}");
    // Whoever gave it is gone, and so is the server.
    office.place.kill_server();
    office.place.ok("server start");
    let denied = office.until_review(&name, "denied");
    assert_eq!(denied["decision"]["reason"], "not this one");
    assert_eq!(office.place.run("verify audit").code, 0);
    let audit = office.place.ok(&format!("audit show {name}"));
    assert!(audit.contains("counts"), "{audit}");
}
