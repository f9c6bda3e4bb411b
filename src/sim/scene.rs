//! What the demo shows: a night on one box with eight GPUs and a helper without, at 03:12.
//!
//! The past is played, not painted: every job below was submitted, placed, asked and ended by
//! the real core, so that histories, ages and reasons are what they would be. The seed moves
//! times, lengths and the small jobs of the evening; the main figures (`cast`) stay.

mod asking;
mod cast;

use crate::base::{Mono, Span, Wall};
use crate::model::Command;
use crate::model::command::{Act, TeamChange, Verb};
use crate::model::team::{Bounds, DEFAULT_WEIGHT, Terms, Weights};
use crate::sim::dice::Dice;
use crate::sim::fleet::{Arrivals, Due, Fleet};
use crate::sim::play::Play;
use crate::sim::site::{self, Scale};

/// 30 November 2026, 03:12:04 UTC: the demo opens.
pub const PRESENT: Wall = Wall(1_796_008_324_000);
/// What was played before.
pub const PAST: Span = Span::hours(9);
/// Minutes since the person at the screen last looked at what ended.
const LOOKED: u64 = 290;
/// Minutes since the operators are owed a GPU.
const OWED: u64 = 6;
/// Jobs come by themselves while fewer than this wait, elements of arrays left out.
const QUEUE_MAX: usize = 36;

/// The scene at its present.
pub fn open(seed: u64) -> Fleet {
    let mut fleet = Fleet::begin(seed, &Scale::BOX, before(PAST));
    let present = fleet.at().now + PAST;
    divide(&mut fleet, "ml", 5, DEFAULT_WEIGHT);
    divide(&mut fleet, "web", 1, DEFAULT_WEIGHT);
    divide(&mut fleet, "ops", 0, 0);
    evening(&mut fleet, present);
    let mut dice = Dice::of(seed, &[1]);
    for (minutes, play) in cast::everybody(&mut dice) {
        stage(&mut fleet, present, minutes, play, &mut dice);
    }
    for (minutes, petition) in asking::everything() {
        let due = Due::Petition(Box::new(petition));
        fleet.agenda.put(present - Span::mins(minutes), due);
    }
    let looked = present - Span::mins(LOOKED);
    let mark = before(Span::mins(LOOKED));
    let by = site::person(site::OWNER);
    fleet.agenda.put(looked, Due::Say(Box::new(Command::Looked { mark, by })));
    fleet.advance(present - Span::mins(61));
    hold_fin(&mut fleet);
    fleet.advance(present - Span::mins(40));
    pause(&mut fleet, "notebook-carl", "carl", "keep the session for the demo at 09:00", 348);
    fleet.advance(present - Span::mins(34));
    pause(&mut fleet, "ocr-archive", "carl", "the archive's disk is being replaced", 288);
    fleet.advance(present - Span::mins(OWED));
    // From now on the operators are owed one device, and take it back.
    divide(&mut fleet, "ops", 1, 0);
    fleet.advance(present);
    let each = Span::mins(4);
    let arrivals = Arrivals { until: None, each, small: false, queue_max: QUEUE_MAX };
    fleet.agenda.put(present + Span::mins(2), Due::Arrivals(arrivals));
    fleet
}

/// Says how many GPUs a team is owed, and its part of the surplus.
fn divide(fleet: &mut Fleet, team: &str, gpus: u64, weight: u64) {
    let quota = Bounds { gpu_milli: Some(gpus * 1000), ..Bounds::default() };
    let weight = Weights { gpu: weight, ..Weights::default() };
    let terms = Box::new(Terms { quota, weight, ..Terms::default() });
    let (change, by) = (TeamChange::Set(terms), site::person(site::OWNER));
    fleet.say(Command::Team { team: team.into(), change, key: None, by });
}

fn before(span: Span) -> Wall {
    Wall(PRESENT.0.saturating_sub(i64::try_from(span.0).unwrap_or(0)))
}

/// Small jobs until the evening ends.
fn evening(fleet: &mut Fleet, present: Mono) {
    let until = Some(present - Span::mins(320));
    let arrivals = Arrivals { until, each: Span::secs(70), small: true, queue_max: QUEUE_MAX };
    fleet.agenda.put(fleet.at().now, Due::Arrivals(arrivals));
}

/// Notes a submission for some minutes before the present, give or take. A start time is meant
/// from the present on.
fn stage(fleet: &mut Fleet, present: Mono, minutes: u64, mut play: Play, dice: &mut Dice) {
    let at = present - Span::mins(minutes) - Span(dice.below(40_000));
    play.starts_in = play.starts_in.map(|span| present.since(at) + span);
    fleet.agenda.put(at, Due::Submit(Box::new(play)));
}

fn pause(fleet: &mut Fleet, name: &str, by: &str, reason: &str, minutes_left: u64) {
    let Some(job) = fleet.named(name).map(|job| job.id) else { return };
    let until = Some(PRESENT + Span::mins(minutes_left));
    let verb = Verb::Pause { until, reason: Some(reason.to_owned()) };
    fleet.say(Command::Act(Act { jobs: vec![job], verb, by: site::person(by), key: None }));
}

fn hold_fin(fleet: &mut Fleet) {
    let until = Some(PRESENT + Span::mins(168));
    let reason = "month-end close, back at 06:00".to_owned();
    let (team, by) = (Some("fin".into()), site::person("carl"));
    fleet.say(Command::Pause { team, until, reason, by });
}

#[cfg(test)]
#[path = "scene/tests.rs"]
mod tests;
