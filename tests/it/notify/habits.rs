//! How rules are answered, as the command line shows it.

use super::ask;
use crate::asking::people::Agents;

#[test]
fn how_often_people_were_asked_and_said_yes_is_shown() {
    let agents = Agents::new("");
    assert_eq!(agents.place.ok("policy stats"), "nobody was asked anything so far");
    let review = ask(&agents);
    agents.deny(&review, "not today");
    let said = agents.place.ok("policy stats");
    assert!(said.starts_with("team default: 1 ask, 0% yes, looked at for "), "{said}");
    let rules = agents.place.json("policy stats")["rules"].clone();
    assert_eq!((&rules[0]["no"], &rules[0]["blind"]), (&1.into(), &false.into()));
}
