//! The steps of a scheduling cycle, harmless to disruptive; each can be run alone.
//!
//! Part of deciding every command: [`cycle`] runs after what the command itself changed. The
//! steps in the middle ([`STEPS`]) work on a [`Board`] and may be switched off by name.

pub mod allocate;
pub mod consolidate;
pub mod expire;
pub mod forget;
mod hunt;
mod need;
pub mod offer;
pub mod overstayed;
pub mod pools;
mod potential;
pub mod preempt;
pub mod reclaim;
pub mod reserve;
mod search;
pub mod stale_gang;
pub mod urgency;
pub(in crate::sched) mod victims;
pub mod windows;

use crate::model::Fact;
use crate::sched::board::Board;
use crate::sched::plan::Plan;
use crate::sched::review::{grants, step, timers};

pub use hunt::next_due as protected_until;

/// A step of the cycle.
pub type Step = fn(&mut Board);

/// The steps that give and take room, in order.
pub const STEPS: [(&str, Step); 7] = [
    ("allocate", allocate::run),
    ("consolidate", consolidate::run),
    ("reclaim", reclaim::run),
    ("preempt", preempt::run),
    ("overstayed", overstayed::run),
    ("reservation", reserve::run),
    ("stale_gang", stale_gang::run),
];

/// Passes of one cycle at most: what one pass decides may let the next decide more. Within an
/// instant nothing that stops goes on again, and what started is not stopped in the same breath,
/// so that only so many passes can start or stop anything; promises and reservations are worked
/// out anew from what runs, and are the same as before after a pass that changed nothing else. A
/// handful of passes is the most that was ever seen.
const PASSES: usize = 16;

/// Kinds of waiting jobs times nodes up to which a pass costs next to nothing: there only one that
/// changed nothing is the last, elsewhere also one of which that is to be expected.
const CHEAP: u64 = 1000;

/// Runs the cycle: windows, expire, forget, see who is lifted, then give and take room until
/// nothing changes, with the nodes that pools add for what waits, and forget again. A large
/// installation that had one a moment ago only offers what is free ([`offer`]). At the same time a
/// second run changes nothing.
pub fn cycle(plan: &mut Plan) {
    windows::run(plan);
    expire::run(plan);
    timers::run(plan);
    step::follow(plan);
    // Before anything is placed: what is usual here follows from the jobs that are remembered.
    forget::run(plan);
    // What is offered may leave so little that the rest need not wait.
    let waits = offer::puts_off_cycle(plan) && {
        offer::run(plan);
        offer::puts_off_cycle(plan)
    };
    if !waits {
        full(plan);
    }
    step::follow(plan);
    grants::follow(plan);
    forget::run(plan);
}

/// Gives and takes room by all steps until nothing changes.
pub fn full(plan: &mut Plan) {
    passes(plan);
    // A pool grows by all that is needed at once, and what goes is not used by anybody: the next
    // look changes nothing, unless a pool lets go at once what it has just got.
    for _ in 0..PASSES {
        if !pools::run(plan) {
            break;
        }
        passes(plan);
    }
}

fn passes(plan: &mut Plan) {
    let (mut looked, _) = urgency::run(plan, 0);
    for _ in 0..PASSES {
        let before = plan.facts().len();
        let unsettled = pass(plan, |_| true);
        let (until, reordered) = urgency::run(plan, looked);
        looked = until;
        let changed = plan.facts().len() > before;
        if !changed || !(unsettled || reordered || offer::work(plan.world()) <= CHEAP) {
            return;
        }
        // In a large installation one pass takes so long that whoever waits for a decision would
        // feel the next: it comes with the next full cycle. What is free does not wait for that.
        if offer::is_large(plan.world()) {
            offer::run(plan);
            if offer::is_large(plan.world()) {
                break;
            }
        }
    }
    // The rest is for the next one, which comes even if nothing else happens.
    let at = Some(plan.at().now + offer::CYCLES_APART);
    plan.note(Fact::CycleDue { at });
}

/// Gives and takes room once, by the named steps that are not switched off; whether another pass
/// might do more.
pub fn pass(plan: &mut Plan, named: impl Fn(&str) -> bool) -> bool {
    let index = plan.world().index();
    let idle = index.queue.is_empty() && index.promised.is_empty() && index.short.is_empty();
    if idle && index.reserved.is_empty() {
        return false;
    }
    let before = plan.facts().len();
    let mut board = Board::of(plan.world(), plan.at());
    for (name, step) in STEPS {
        if named(name) && plan.world().setup().cycle.on(name) {
            step(&mut board);
        }
    }
    board.settle(plan);
    let put_off = reserve::settle(&board, plan);
    board.is_unsettled(plan.facts().len() > before) || put_off
}
