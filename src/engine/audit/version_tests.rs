//! What stands in an entry, by its version: those that were written stay as they are.

use super::entries;
use crate::base::{At, JobId, Mono, ReviewId, Wall};
use crate::model::command::Command;
use crate::model::fact::{Fact, Record, ReviewFact};
use crate::model::people::{Actor, Evidence};
use crate::model::review::{ReviewAct, ReviewCommand, ReviewVerb};
use crate::sched::World;

const AT: At = At { now: Mono(5), wall: Wall(1_800_000_000_000) };

fn said(verb: ReviewVerb, by: Actor, fact: ReviewFact) -> Vec<String> {
    let review = ReviewId(17);
    let act = ReviewAct { review, verb, by, key: None };
    let command = Command::Review(Box::new(ReviewCommand::Act(act)));
    let fact = Fact::Review { review, job: JobId(42), fact: Box::new(fact) };
    let record = Record { seq: 9, at: AT, command, facts: vec![fact] };
    let made = entries(&record, &World::new()).into_iter();
    made.map(|entry| String::from_utf8(entry.bytes).unwrap()).collect()
}

fn dora() -> Actor {
    Actor { user: "dora".into(), uid: Some(7), in_job: None, job_by: None }
}

fn job(job_by: Option<Evidence>) -> Actor {
    Actor { in_job: Some(JobId(42)), job_by, ..dora() }
}

fn taken_by(by: Actor) -> Vec<String> {
    let verb = ReviewVerb::Answer { text: "yes".into() };
    said(verb, by, ReviewFact::Redeemed { attempt: 1 })
}

#[test]
fn an_entry_of_version_1_is_what_it_was() {
    let opened =
        said(ReviewVerb::Look, dora(), ReviewFact::Opened { by: "dora".into(), until: None });
    let wanted = "{\"at\":\"2027-01-15T08:00:00Z\",\"by\":{\"command\":\"look\",\"in_job\":null,\
                  \"known_by\":\"uid_of_socket_peer_outside_of_jobs\",\"uid\":7,\"user\":\"dora\"},\
                  \"fact\":{\"by\":\"dora\",\"kind\":\"opened\"},\"job\":42,\"record\":9,\
                  \"review\":\"R17\",\"v\":1}";
    assert_eq!(opened, [wanted]);
    let before = taken_by(job(None));
    assert!(before[0].contains("\"known_by\":\"process_tree_or_token_of_job\""), "{before:?}");
    assert!(before[0].ends_with("\"v\":1}"), "{before:?}");
}

#[test]
fn a_jobs_own_acts_say_how_it_was_known() {
    for (evidence, word) in
        [(Evidence::Tree, "process_tree_of_job"), (Evidence::Token, "token_of_job")]
    {
        let said = taken_by(job(Some(evidence)));
        assert!(said[0].contains(&format!("\"known_by\":\"{word}\"")), "{said:?}");
        assert!(said[0].ends_with("\"v\":2}"), "{said:?}");
    }
}

#[test]
fn a_vote_that_is_taken_back_is_kept_and_a_look_that_goes_on_is_not() {
    let revoke = ReviewVerb::Revoke { reason: None };
    let (by, seat) = ("dora".into(), "ana".into());
    let back = said(revoke, dora(), ReviewFact::TakenBack { by, seat });
    let wanted = "\"fact\":{\"by\":\"dora\",\"kind\":\"taken_back\",\"seat\":\"ana\"}";
    assert!(back[0].contains(wanted) && back[0].ends_with("\"v\":2}"), "{back:?}");
    let looks = ReviewFact::LooksOn { by: "dora".into(), until: Wall(1) };
    assert_eq!(said(ReviewVerb::Look, dora(), looks), [""; 0]);
}
