//! Reserves room for jobs that cannot start, after nobody could be made to give them some
//! (DESIGN.md 5.3).
//!
//! A reservation is looked for anew when somebody could use its room, when its time has come,
//! or when one is missing; else it stays. It is a fact when it is new or changes materially.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{JobId, Name, Span};
use crate::model::fact::Class;
use crate::model::job::{Reservation, State};
use crate::model::{Fact, Resources};
use crate::sched::actions::overstayed::MOVES;
use crate::sched::board::Board;
use crate::sched::board::heads::Head;
use crate::sched::future::ask::Slot;
use crate::sched::future::guard::{Guard, Kept};
use crate::sched::future::keeper::{RESERVATIONS_MAX, may_reserve, patient};
use crate::sched::future::returning::backs;
use crate::sched::future::timeline::By;
use crate::sched::plan::Plan;

/// A change of less is none.
const LITTLE: Span = Span::secs(5);
/// Nor is one of fewer hundredths of the time that is left.
const LITTLE_PERCENT: u64 = 5;

/// Decides for whom room is kept. Notes nothing: [`settle`] does.
pub fn run(board: &mut Board) {
    let all = candidates(board, &board.left);
    let heads = first_of_each_team(&all);
    if heads.is_empty() {
        return;
    }
    let stored = |head: &Head| board.world().job(head.id()).and_then(|job| job.reserved.clone());
    let stands = |head: &Head| stored(head).is_some_and(|reserved| reserved.at > board.at().now);
    let backs = backs(board);
    let both = heads.iter().chain(backs.iter().map(|back| &back.head));
    if !board.guarded && both.clone().all(stands) {
        let from = board.at().now;
        board.kept = both.map(|head| Kept { job: head.id(), slot: None, from }).collect();
        return;
    }
    let mut late = Guard::new(board, By::P90);
    let (mut heads, mut teams) = (Vec::new(), BTreeSet::new());
    for head in all {
        let open = heads.len() < RESERVATIONS_MAX && !teams.contains(&head.team);
        if open && late.reserve_for(board, &head) {
            teams.insert(head.team);
            heads.push(head);
        }
    }
    let open = backs.len().min(RESERVATIONS_MAX.saturating_sub(heads.len()));
    if !heads.is_empty() {
        for back in &backs[..open] {
            late.keep_for_return(board, back);
        }
    }
    // When they could start if all goes fast is only asked where it is to be told.
    let changes = |slot: &Slot| {
        let stored = board.world().job(slot.job).and_then(|job| job.reserved.as_deref());
        stored.is_none_or(|stored| is_material(board, stored, slot, &room_of(board, slot)))
    };
    let told = late.slots.iter().any(changes);
    let mut soon = told.then(|| Guard::new(board, By::Median));
    let mut kept = Vec::new();
    for slot in &late.slots {
        let head = heads.iter().find(|head| head.id() == slot.job);
        let from = soon.as_mut().zip(head).and_then(|(soon, head)| {
            soon.reserve_for(board, head);
            soon.slots.last().filter(|soon| soon.job == slot.job).map(|soon| soon.at)
        });
        let from = from.map_or(slot.at, |from| from.min(slot.at));
        kept.push(Kept { job: slot.job, slot: Some(slot.clone()), from });
    }
    board.kept = kept;
}

/// Of some jobs that wait, by turn, those that may have a reservation, in the order in which they
/// get it: of each team the first.
pub fn chosen(board: &Board, heads: &[Head]) -> Vec<Head> {
    first_of_each_team(&candidates(board, heads))
}

/// All that may have one, in that order. Of each team the first gets it for whom room can be
/// foreseen.
fn candidates(board: &Board, heads: &[Head]) -> Vec<Head> {
    if !board.world().setup().cycle.on("reservation") {
        return Vec::new();
    }
    let mut jobs = BTreeSet::new();
    let rest = heads.iter().filter(|head| may_reserve(board, head)).cloned();
    let all = patient(board, heads).into_iter().chain(rest);
    all.filter(|head| jobs.insert(head.id())).collect()
}

fn first_of_each_team(all: &[Head]) -> Vec<Head> {
    let mut teams = BTreeSet::new();
    let firsts = all.iter().filter(|head| teams.insert(head.team));
    firsts.take(RESERVATIONS_MAX).cloned().collect()
}

/// What is kept, by the names of nodes.
fn room_of(board: &Board, slot: &Slot) -> BTreeMap<Name, Resources> {
    let unsigned = |n: i64| u64::try_from(n).unwrap_or(0);
    let room = slot.room.iter().map(|(node, [cpu, mem, _, gpu, _])| {
        let kept = Resources {
            cpu_milli: unsigned(*cpu),
            mem_bytes: unsigned(*mem),
            gpu_milli: unsigned(*gpu),
            ..Resources::default()
        };
        (board.rooms[*node].name.clone(), kept)
    });
    room.collect()
}

/// Whether a reservation changes so much that it is worth a fact.
fn is_material(
    board: &Board,
    stored: &Reservation,
    slot: &Slot,
    room: &BTreeMap<Name, Resources>,
) -> bool {
    let now = board.at().now;
    let by = slot.at.since(stored.at).max(stored.at.since(slot.at));
    let little = LITTLE.max(slot.at.since(now).percent(LITTLE_PERCENT));
    let due = stored.at <= now && slot.at > now;
    // Within an instant it does not go from one place to another and back: promises avoid it, and
    // both could go on changing places.
    let is_there = |name: &Name| board.node(name).is_some_and(|node| board.is_open(node));
    let stays = stored.chosen == now && stored.room.keys().all(is_there);
    due || by > little || (stored.room != *room && !stays)
}

/// Notes what is new and what is over; whether one was put off so often that those who overstay
/// may be made to give room for it.
pub fn settle(board: &Board, plan: &mut Plan) -> bool {
    let mut put_off = false;
    let kept: BTreeSet<JobId> = board.kept.iter().map(|kept| kept.job).collect();
    let before: Vec<JobId> = plan.world().index().reserved().map(|(_, job)| job).collect();
    // One that is promised what others are giving back has it until it starts.
    let stands = |job: &JobId| kept.contains(job) || board.is_promised(*job);
    for job in before.into_iter().filter(|job| !stands(job)) {
        plan.note(Fact::ReservationOver { job });
    }
    for Kept { job, slot, from } in &board.kept {
        let Some(slot) = slot else { continue };
        let stored = plan.job(*job).and_then(|job| job.reserved.clone());
        let (job, at, from, class) = (*job, slot.at, *from, Class::Reserved);
        let room = room_of(board, slot);
        match stored {
            None => plan.note(Fact::ReservationMade { job, at, from, room, class }),
            Some(stored) if is_material(board, &stored, slot, &room) => {
                let waits = plan.job(job).is_some_and(|job| job.state == State::Queued);
                put_off |= waits && at > stored.at && stored.moves + 1 >= MOVES;
                plan.note(Fact::ReservationMoved { job, at, from, room, class });
            }
            Some(_) => {}
        }
    }
    put_off
}
