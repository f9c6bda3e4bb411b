//! What people do to jobs, teams and nodes, and what machines do to people.

use crate::base::{JobId, Name, Span};
use crate::model::command::{Act, Change, Command, Verb};
use crate::model::page::Lane;
use crate::sim::fleet::{Due, Fleet};
use crate::sim::site::{self, TEAMS};

/// Of a thousand things that happen, so often the machine goes to sleep or loses power.
const OUTAGE: u64 = 20;

/// One thing happens.
pub(super) fn act(fleet: &mut Fleet) {
    if fleet.dice.chance(OUTAGE) {
        let span = fleet.dice.span(Span::mins(1), Span::mins(30));
        let off = fleet.dice.chance(500);
        return fleet.outage(span, off);
    }
    match fleet.dice.below(12) {
        0 | 1 => on_job(fleet, Lane::Running, |_| cancel("wrong data")),
        2 => on_job(fleet, Lane::Queued, |_| Verb::Cancel { reason: None }),
        3 | 4 => pause_a_while(fleet),
        5 => on_job(fleet, Lane::Running, |_| Verb::Requeue),
        6 => on_job(fleet, Lane::Queued, |_| Verb::Next),
        7 => on_job(fleet, Lane::Queued, |n| {
            Verb::Set(Change { priority: u16::try_from(n % 500).ok(), ..Change::default() })
        }),
        8 => drain_a_while(fleet),
        9 => hold_a_team(fleet),
        10 => on_job(fleet, Lane::Ended, |_| Verb::Ack),
        // A program that is not ours takes a GPU just before a task of ours gets to it.
        _ => fleet.intruder = Some("blender".into()),
    }
}

fn cancel(reason: &str) -> Verb {
    Verb::Cancel { reason: Some(reason.to_owned()) }
}

/// Somebody of a lane; the ended ones that are looked at are the newest.
fn somebody(fleet: &mut Fleet, lane: Lane) -> Option<JobId> {
    let ids: Vec<JobId> =
        fleet.world.index().lane(lane, None).take(100).map(|(_, id)| id).collect();
    fleet.dice.pick(&ids).copied()
}

fn on_job(fleet: &mut Fleet, lane: Lane, verb: impl Fn(u64) -> Verb) {
    let number = fleet.dice.roll();
    if let Some(job) = somebody(fleet, lane) {
        fleet.say(by_carl(job, verb(number)));
    }
}

fn by_carl(job: JobId, verb: Verb) -> Command {
    Command::Act(Act { jobs: vec![job], verb, by: site::person("carl"), key: None })
}

fn pause_a_while(fleet: &mut Fleet) {
    let Some(job) = somebody(fleet, Lane::Running) else { return };
    let span = fleet.dice.span(Span::mins(1), Span::mins(40));
    let alone = fleet.dice.chance(500);
    let until = alone.then_some(fleet.at.wall + span);
    fleet.say(by_carl(job, Verb::Pause { until, reason: Some("makes room for a demo".into()) }));
    if !alone {
        let resume = by_carl(job, Verb::Resume);
        fleet.agenda.put(fleet.at.now + span, Due::Say(Box::new(resume)));
    }
}

fn drain_a_while(fleet: &mut Fleet) {
    let nodes: Vec<Name> = fleet.world.nodes().map(|node| node.name.clone()).collect();
    let Some(node) = fleet.dice.pick(&nodes).cloned() else { return };
    let drain =
        |on| Command::Drain { node: node.clone(), on, reason: None, by: site::person("carl") };
    fleet.say(drain(true));
    let span = fleet.dice.span(Span::mins(5), Span::mins(60));
    fleet.agenda.put(fleet.at.now + span, Due::Say(Box::new(drain(false))));
}

fn hold_a_team(fleet: &mut Fleet) {
    let team = fleet.dice.pick(&TEAMS).map(|team| Name::from(*team));
    let team = team.filter(|_| !fleet.dice.chance(100));
    let (by, reason) = (site::person("carl"), "maintenance".to_owned());
    fleet.say(Command::Pause { team: team.clone(), until: None, reason, by: by.clone() });
    let span = fleet.dice.span(Span::mins(2), Span::mins(20));
    let resume = Command::Resume { team, by };
    fleet.agenda.put(fleet.at.now + span, Due::Say(Box::new(resume)));
}
