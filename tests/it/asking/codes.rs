//! What a job's program gets to see of an answer: exit codes and documents.

use holdshort::model::review::{ReviewState, ReviewVerb, Wait};
use serde_json::Value;

use super::people::Agents;
use crate::place::wait_for;

#[test]
fn each_answer_has_its_code_and_asking_again_finds_it() {
    let agents = Agents::new(
        "[[review_policy]]\nname = \"soon\"\neffects = [\"unknown\"]\nwithin = \"1s\"\n",
    );
    let ask = "holdshort ask --wait 60s --effect";
    let script = format!(
        "for what in yes no back; do {ask} external -- $what; echo $what $? >> $DIR/codes; done\n\
         {ask} external -- yes; echo again $? >> $DIR/codes\n\
         {ask} unknown -- nobody; echo late $? >> $DIR/codes\n\
         {ask} read -- look; echo read $? >> $DIR/codes"
    );
    let job = agents.submit("", &script);
    agents.approve(&agents.open(job));
    agents.until_line("codes", "yes");
    agents.deny(&agents.open(job), "not needed");
    agents.until_line("codes", "no");
    let back = ReviewVerb::Withdraw { reason: None, abandoned: false };
    agents.act(agents.open(job).id, back);
    agents.place.until_state(job, "succeeded");
    let codes = ["yes 0", "no 10", "back 12", "again 0", "late 11", "read 0"];
    assert_eq!(agents.lines("codes"), codes);
    let asked = agents.asked(job);
    assert_eq!(asked.len(), 5, "asking again opened nothing");
    assert!(matches!(asked[0].ask.wait, Wait::Hold { .. }));
    assert_eq!(asked[3].decision.as_ref().unwrap().by.len(), 0, "time is nobody");
}

#[test]
fn a_call_that_makes_no_sense_is_64_and_asks_nobody() {
    let agents = Agents::new("");
    let lines = [
        "ask",
        "ask --effect money -- pay",
        "ask --effect money --amount 1 -- pay",
        "ask --effect money --amount 1e3 --currency EUR -- pay",
        "ask --effect irreversible -- drop",
        "ask --effect surely -- x",
        "ask --effect external",
        "ask --effect external --action @missing",
        "ask --effect external --action @bad",
        "ask --effect external --wait 1m --park -- x",
        "gate --effect external -- ./missing",
        "gate --effect external",
        "gate --effect money -- true",
        "redeem R99 --hash 12345678",
        "redeem seventeen --hash 12345678",
        "withdraw R99",
        "--color maybe ask",
    ];
    let each = |line: &&str| {
        format!("holdshort {line}; code=$?; [ $code = 64 ] || echo $code of '{line}' >> $DIR/bad")
    };
    let script: Vec<String> = lines.iter().map(each).collect();
    std::fs::write(agents.path("bad-action"), "{\"kind\":\"x\",\"args\":{\"a\":1,\"a\":2}}")
        .unwrap();
    let script = script.join("\n").replace("@bad", "@$DIR/bad-action");
    let job = agents.submit("", &script);
    agents.place.until_state(job, "succeeded");
    assert_eq!(agents.lines("bad"), [""; 0]);
    assert_eq!(agents.asked(job), []);
    // Outside of a job people ask nobody.
    for line in ["ask --effect external -- x", "gate --effect external -- true"] {
        let ran = agents.place.run(line);
        assert_eq!(ran.code, 64, "{line}: {ran:?}");
        assert!(ran.err.contains("runs in none"), "{ran:?}");
    }
}

#[test]
fn parked_is_75_and_comes_with_a_document() {
    let agents = Agents::new("");
    let action = r#"{"kind":"tool","tool":"pay","args":{"to":"X"},
                     "amount":{"value":"10","currency":"EUR"}}"#;
    std::fs::write(agents.path("action.json"), action).unwrap();
    let script = "if [ -z \"$HOLDSHORT_RESUME\" ]; then\n\
                  holdshort ask --effect money --action @$DIR/action.json --json > $DIR/doc\n\
                  exit $?; fi\n\
                  cp $HOLDSHORT_DECISION_FILE $DIR/decision; echo $HOLDSHORT_REQUEST_ID > $DIR/id\n\
                  hash=$(grep -o 'sha256:[0-9a-f]*' $DIR/decision | head -1)\n\
                  R=$HOLDSHORT_REQUEST_ID\n\
                  for hash in sha256:00000000 $hash $hash; do\n\
                  holdshort redeem $R --hash $hash; echo $? >> $DIR/redeems; done";
    let job = agents.submit("--may-ask irreversible", script);
    agents.place.until_state(job, "in_review");
    let document: Value = serde_json::from_str(&agents.lines("doc").join("\n")).unwrap();
    let review = agents.open(job);
    assert_eq!(document["id"], review.id.to_string());
    assert_eq!((&document["state"], &document["exit_code"]), (&"open".into(), &Value::Null));
    assert!(review.ask.undeclared, "money was not said to be asked for");
    let shown = agents.place.json(&format!("show {job}"));
    assert_eq!(shown["job"]["may_ask"][0], "irreversible", "{shown}");
    agents.approve(&review);
    agents.place.until_state(job, "succeeded");
    assert_eq!(agents.lines("id"), [review.id.to_string()]);
    let decision: Value = serde_json::from_str(&agents.lines("decision").join("\n")).unwrap();
    assert_eq!((&decision["state"], &decision["exit_code"]), (&"approved".into(), &0.into()));
    assert_eq!(agents.lines("redeems"), ["13", "0", "12"], "changed, used, used up");
}

#[test]
fn no_server_is_69_and_one_that_comes_back_is_asked_again() {
    let agents = Agents::new("");
    let wait = "while [ ! -e $DIR/down ]; do sleep 0.02; done";
    let job = agents.submit(
        "",
        &format!("{wait}; holdshort ask --effect external -- x; echo none $? >> $DIR/codes"),
    );
    agents.place.until_state(job, "running");
    agents.place.kill_server();
    agents.touch("down");
    wait_for("it to give up", || !agents.lines("codes").is_empty());
    assert_eq!(agents.lines("codes"), ["none 69"]);
    agents.place.until_state(job, "succeeded");
    assert_eq!(agents.asked(job), []);

    let script = "holdshort ask --effect external --wait 10m -- x; echo over $? >> $DIR/codes";
    let job = agents.submit("", script);
    let review = agents.open(job);
    agents.place.kill_server();
    // Longer than a lost connection is looked for otherwise.
    let gone = std::time::Instant::now();
    wait_for("the usual patience to end", || gone.elapsed().as_millis() > 6_000);
    agents.place.ok("server start");
    agents.approve(&agents.open(job));
    agents.place.until_state(job, "succeeded");
    assert_eq!(agents.lines("codes"), ["none 69", "over 0"]);
    assert_eq!(agents.asked(job).len(), 1, "the same key found it: {review:?}");
    assert_eq!(agents.review(review.id).state, ReviewState::Lapsed, "it was not used");
}

#[test]
fn a_held_question_that_nobody_answers_parks() {
    let agents = Agents::new("");
    let script = "[ -n \"$HOLDSHORT_RESUME\" ] && exit 0\n\
                  holdshort ask --effect external --wait 1s -- x; exit $?";
    let job = agents.submit("--gpu 1", script);
    let review = agents.open(job);
    agents.place.until_state(job, "in_review");
    assert!(agents.review(review.id).is_open());
    agents.deny(&review, "no");
    agents.place.until_state(job, "succeeded");
    let usage = agents.place.json("usage --by class");
    let rows = usage["usage"].as_array().unwrap();
    let parked = rows.iter().find(|row| row["class"] == "parked");
    assert!(parked.is_some(), "what it held while people were asked: {usage}");
    assert_eq!(agents.place.run("verify ledger").code, 0);
}

#[test]
fn a_process_of_the_job_that_left_its_parents_behind_answers_nothing_either() {
    let agents = Agents::new("");
    let field = |name: &str, value: &str| {
        format!("$(sed 's/.*\"{name}\":\"\\({value}\\)\".*/\\1/' $DIR/doc)")
    };
    let script = format!(
        "[ -n \"$HOLDSHORT_RESUME\" ] && exit 0\n\
         holdshort ask --effect external --json -- x > $DIR/doc\n\
         export R={} H={}\n\
         (setsid sh -c 'env -u HOLDSHORT_TOKEN -u HOLDSHORT_JOB_ID \
         holdshort approve $R --hash $H; echo orphan $? >> $DIR/codes' &)\n\
         while [ ! -s $DIR/codes ]; do sleep 0.02; done; exit 75",
        field("id", "R[0-9]*"),
        field("action_hash", "sha256:[0-9a-f]*")
    );
    let job = agents.submit("", &format!("export DIR\n{script}"));
    agents.until_line("codes", "orphan");
    assert_eq!(agents.lines("codes"), ["orphan 4"]);
    let review = agents.open(job);
    assert_eq!(review.votes, []);
    agents.place.until_state(job, "in_review");
    agents.approve(&review);
    agents.place.until_state(job, "succeeded");
}
