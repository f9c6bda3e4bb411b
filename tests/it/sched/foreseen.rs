//! Free room over time, as the core tells it only as far as somebody looks, is what all expected
//! ends at once come to: those that every job that runs is asked for, sorted, as one step function.

use std::collections::BTreeMap;

use holdshort::base::{At, Mono, Name, Span};
use holdshort::model::Resources;
use holdshort::sched::World;
use holdshort::sched::actions::STEPS;
use holdshort::sched::board::Board;
use holdshort::sched::future::line::Line;
use holdshort::sched::future::timeline::{By, Parts, Timeline, free, parts};
use holdshort::sched::policy::fit::{Grip, Room, WHOLE};
use holdshort::sched::policy::profile::Profile;

use super::world::Site;

/// So much later the same world is looked at again: much has outlived what was expected by then.
const LATER: [Span; 4] = [Span::ZERO, Span::secs(40), Span::mins(70), Span::hours(40)];

/// What ends on a node.
#[derive(Default)]
struct Ends {
    all: Vec<(Mono, Parts)>,
    shared: BTreeMap<u32, Mono>,
}

impl Ends {
    fn add(&mut self, room: &Room, request: &Resources, grip: &Grip, end: Mono) {
        let shares: Vec<(u32, u64)> = match grip {
            Grip::Nothing | Grip::Whole(_) => Vec::new(),
            Grip::Share { at, milli } => vec![(room.devices[*at].index, *milli)],
            Grip::Known(shares) => {
                let ours = |index: u32| room.devices.iter().any(|device| device.index == index);
                let shares = shares.iter().filter(|share| ours(share.index));
                shares.map(|share| (share.index, share.milli)).collect()
            }
        };
        let (mut milli, mut whole) = match grip {
            Grip::Whole(count) => (count * WHOLE, *count),
            _ => (0, 0),
        };
        for (device, share) in shares {
            milli += share;
            if share >= WHOLE {
                whole += 1;
            } else {
                let last = self.shared.entry(device).or_insert(end);
                *last = end.max(*last);
            }
        }
        let [cpu, mem, task, ..] = parts(request);
        self.all.push((end, [cpu, mem, task, milli as i64, whole as i64]));
    }

    fn profile(mut self, room: &Room) -> Profile<Parts> {
        self.all.extend(self.shared.into_values().map(|end| (end, [0, 0, 0, 0, 1])));
        self.all.sort_unstable();
        Profile::with_ends(free(room), self.all)
    }
}

fn profiles(board: &Board, timeline: &Timeline) -> Vec<Profile<Parts>> {
    let mut ends: Vec<Ends> = board.rooms.iter().map(|_| Ends::default()).collect();
    timeline.each_end(board, |job, (_, group), spot, end| {
        let request = job.spec.request_of(group);
        ends[spot.node].add(&board.rooms[spot.node], request, &spot.grip, end);
    });
    ends.into_iter().zip(&board.rooms).map(|(ends, room)| ends.profile(room)).collect()
}

/// What is answered otherwise, of one node.
fn differs(line: &mut Line, profile: &mut Profile<Parts>, now: Mono) -> Option<String> {
    let most = profile.steps().map(|(_, free)| *free).last().unwrap_or_default();
    let some = |of: i64| most.map(|part| part / of);
    let needs = [some(1), some(2), some(3), [most[0], 0, 1, 0, 0], [1, 1, 1, 400, 0], [0; 5]];
    let lengths = [Span(1), Span::secs(50), Span::hours(3), Span::hours(900)];
    for (round, need) in needs.iter().enumerate() {
        let steps: Vec<Mono> = profile.steps().map(|(at, _)| at).collect();
        // What is looked at first must not matter: the last instant in some rounds.
        let mut instants: Vec<Mono> = steps.iter().map(|at| (*at).max(now)).collect();
        instants.extend(steps.iter().map(|at| (*at + Span(7)).max(now)));
        if round % 2 == 0 {
            instants.reverse();
        }
        for length in lengths {
            let from = instants.get(round).copied().unwrap_or(now);
            let latest = instants.get(round * 2 + 1).copied().unwrap_or(now + Span::mins(3));
            let (ours, theirs) =
                (line.earliest(need, length, from), profile.earliest(need, length, from));
            if ours != theirs {
                return Some(format!("earliest {need:?} {length:?} {from:?}: {ours:?} {theirs:?}"));
            }
            let ours = line.earliest_by(need, length, from, latest);
            let theirs = profile.earliest_by(need, length, from, latest);
            if ours != theirs {
                return Some(format!("earliest by {latest:?} {need:?}: {ours:?} {theirs:?}"));
            }
            let ours = line.fits(need, from, from + length);
            if ours != profile.fits(need, from, from + length) {
                return Some(format!("fits {need:?} {from:?} {length:?}: {ours}"));
            }
        }
        for at in instants {
            let (ours, theirs) = (line.free_at(at), *profile.free_at(at));
            if ours != theirs {
                return Some(format!("free at {at:?}: {ours:?}, not {theirs:?}"));
            }
        }
        // Something is kept, so that the next round looks at what is left.
        let length = lengths[round % lengths.len()];
        if let Some(start) = profile.earliest(need, length, now) {
            profile.reserve(start, start + length, need);
            line.reserve(start, start + length, need);
        }
    }
    None
}

fn compare(board: &Board, when: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for by in [By::P90, By::Median] {
        let timeline = Timeline::of(board, by);
        for (node, mut profile) in profiles(board, &timeline).into_iter().enumerate() {
            let mut line = timeline.line(node).clone();
            if let Some(what) = differs(&mut line, &mut profile, board.at().now) {
                let name = &board.rooms[node].name;
                broken.push(format!("{when}, {by:?}, node {name}: {what}"));
            }
        }
    }
    broken
}

/// Where what is foreseen on a board of this world, now and later, is not what all ends come to.
pub fn unforeseen(world: &World, at: At) -> Vec<String> {
    let mut broken = Vec::new();
    for later in LATER {
        let at = At { now: at.now + later, wall: at.wall + later };
        let mut board = Board::of(world, at);
        broken.extend(compare(&board, "at first"));
        if later > Span::secs(40) {
            continue;
        }
        for (name, step) in STEPS {
            if world.setup().cycle.on(name) {
                step(&mut board);
                broken.extend(compare(&board, name));
            }
        }
    }
    broken
}

/// Many tasks of a few names on one node, some with a guess or a limit of their own.
fn crowd() -> Site {
    let mut site = Site::new(90, 4);
    let names: [Name; 3] = ["train".into(), "check".into(), "serve".into()];
    let mut jobs = Vec::new();
    for n in 0..150_usize {
        jobs.push(site.submit(|job| {
            job.name = names[n % 3].clone();
            job.executable = names[n % 2].clone();
            job.preemptible = n % 7 == 0;
            job.requeue = n % 7 == 0;
            job.estimate = (n % 5 == 0).then(|| Span::secs(200 + 31 * n as u64));
            job.time_limit = (n % 4 == 1).then(|| Span::mins(10 + n as u64 % 9));
            job.request.mem_bytes = 1 << 20;
            job.request.gpu_milli = if n % 40 == 3 { 1000 } else { 0 };
        }));
        if n % 6 == 0 {
            site.start_all();
            site.advance(Span::secs(11));
        }
    }
    for job in jobs.iter().step_by(4) {
        site.start_all();
        site.end(*job, 0);
        site.advance(Span::secs(7));
    }
    site.start_all();
    site
}

#[test]
fn what_many_tasks_on_one_node_give_back_is_the_same_step_by_step() {
    let site = crowd();
    assert!(site.world.ends().on("n1").is_some_and(|on| on.tasks.len() > 60));
    let broken = unforeseen(&site.world, site.at);
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_device_that_is_shared_is_whole_again_after_the_last() {
    let mut site = Site::new(90, 1);
    let share = |site: &mut Site, minutes| {
        site.submit(|job| {
            job.request.gpu_milli = 250;
            job.estimate = Some(Span::mins(minutes));
        })
    };
    let (_, _) = (share(&mut site, 10), share(&mut site, 30));
    site.start_all();
    let board = Board::of(&site.world, site.at);
    let timeline = Timeline::of(&board, By::P90);
    let whole = [0, 0, 1, 1000, 1];
    let after = |minutes| site.at.now + Span::mins(minutes);
    assert_eq!(timeline.line(0).earliest(&whole, Span::mins(1), site.at.now), Some(after(30)));
    assert_eq!(timeline.line(0).free_at(after(10))[3..], [750, 0]);
}

#[test]
fn when_a_class_becomes_the_one_to_go_by_its_ends_follow() {
    let mut site = Site::new(8, 0);
    let jobs = site.submit_many(3, |job| job.name = "new".into());
    site.start_all();
    site.advance(Span::mins(5));
    let first = |site: &Site| {
        let board = Board::of(&site.world, site.at);
        let timeline = Timeline::of(&board, By::P90);
        timeline.line(0).earliest(&[8000, 0, 1, 0, 0], Span(1), site.at.now)
    };
    let begun = site.at.now - Span::mins(5);
    assert_eq!(first(&site), Some(begun + Span::mins(30)), "nothing is known of any");
    site.end(jobs[0], 0);
    assert_eq!(first(&site), Some(begun + Span::mins(10)), "five minutes are over, so ten");
    site.advance(Span::mins(1));
    site.end(jobs[1], 0);
    assert_eq!(first(&site), Some(begun + Span::mins(12)), "six are over by now");
}
