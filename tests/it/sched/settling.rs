//! One cycle decides all: what it gives it does not take back, and what stands in nobody's way is
//! given. Found by random sequences ([`super::random`]), kept here by name.

use holdshort::base::Span;
use holdshort::model::command::{Command, TeamChange, Verb};
use holdshort::model::fact::Eviction;
use holdshort::model::job::{Gang, Groups, JobSpec, TaskGroup, TaskState};
use holdshort::model::setup::Countable;
use holdshort::model::team::Terms;
use holdshort::model::{Fact, Resources};

use super::random::teams;
use super::world::{Site, owner};

fn site() -> Site {
    let mut site = Site::bare();
    site.configure(|setup| setup.teams = teams());
    site.node("n1", 3, 6, 2);
    site
}

#[test]
fn what_a_cycle_has_just_given_is_counted_when_it_is_taken_back() {
    let mut site = site();
    let small = site.submit(|job| (job.request.cpu_milli, job.request.mem_bytes) = (500, 0));
    let grows = site.submit(|job| {
        (job.request.cpu_milli, job.request.mem_bytes) = (1000, 0);
        job.gang = Gang { size: 3, min: 1 };
        (job.preemptible, job.requeue) = (true, true);
    });
    site.advance(Span::secs(1));
    let waits = site.submit(|job| {
        (job.request.cpu_milli, job.request.mem_bytes) = (1000, 0);
        job.gang = Gang { size: 2, min: 2 };
        job.team = "org/a".into();
    });
    // Its team is owed two cores, and one of the three is more than the other's quota.
    site.end(small, 0);
    site.stand(&[grows, waits], &["starting", "queued"]);
    assert_eq!(site.job(grows).active_tasks().count(), 3);
}

#[test]
fn who_is_promised_room_keeps_nobody_from_other_room() {
    let mut site = site();
    site.switch("reservation", true);
    site.resource("lic", Some(Countable { count: 2, per_minute: None }));
    let jobs = site.submit_many(3, |job| {
        (job.request.cpu_milli, job.request.mem_bytes, job.request.gpu_milli) = (0, 0, 500);
        job.request.custom = [("lic".into(), 1)].into();
        job.time_limit = Some(Span::secs(5));
    });
    site.start_all();
    site.submit(|job| {
        (job.request.cpu_milli, job.request.mem_bytes, job.request.gpu_milli) = (0, 0, 700);
        job.team = "org/b".into();
    });
    // Past the patience; two have been told to stop, the third is promised a license.
    site.advance(Span::secs(1800));
    site.stand(&jobs, &["stopping", "stopping", "queued"]);
    let last = site.submit(|job| {
        (job.request.cpu_milli, job.request.mem_bytes, job.request.gpu_milli) = (0, 0, 250);
    });
    site.stand(&[last], &["starting"]);
}

/// Everything is switched on. `n2` has no devices.
fn all(nodes: &[&str]) -> Site {
    let mut site = Site::bare();
    site.configure(|setup| {
        setup.teams = teams();
        setup.cycle.off.clear();
    });
    nodes.iter().for_each(|name| site.node(name, 3, 6, if *name == "n2" { 0 } else { 2 }));
    site
}

/// So many thousandths of cores and of devices for each of `size` tasks, `min` at least.
fn asks(team: &str, cpu: u64, gpu: u64, (size, min): (u32, u32)) -> impl Fn(&mut JobSpec) {
    let team = team.to_owned();
    move |job| {
        job.team = (&*team).into();
        (job.request.cpu_milli, job.request.gpu_milli) = (cpu, gpu);
        job.request.mem_bytes = 0;
        job.gang = Gang { size, min };
    }
}

/// It gives way and comes back.
fn gives_way(ask: impl Fn(&mut JobSpec)) -> impl Fn(&mut JobSpec) {
    move |job| {
        ask(job);
        (job.preemptible, job.requeue) = (true, true);
    }
}

fn terms(site: &mut Site, team: &str, terms: Terms) {
    let change = TeamChange::Set(Box::new(terms));
    site.run(Command::Team { team: team.into(), change, key: None, by: owner() });
}

fn evictions(site: &Site) -> Vec<&Eviction> {
    let evicted = site.facts.iter().filter_map(|fact| match fact {
        Fact::JobEvicted { eviction, .. } => Some(&**eviction),
        _ => None,
    });
    evicted.collect()
}

#[test]
fn a_rank_on_its_way_keeps_its_place_when_another_gives_room() {
    let mut site = all(&["n1", "n2"]);
    site.submit(asks("org/b", 1000, 250, (1, 1)));
    site.submit(gives_way(asks("default", 1000, 0, (1, 1))));
    let service = site.submit(|job| {
        asks("default", 500, 0, (3, 1))(job);
        job.service = Some(Box::default());
    });
    let grown = site.submit(gives_way(asks("org/a", 1000, 0, (3, 1))));
    site.end(service, 0);
    terms(&mut site, "org/b", Terms { priority: 50, ..Terms::default() });
    site.start_all();
    let (first, _) = &**site.job(grown).evicted.as_ref().unwrap();
    assert_eq!((&*first.ranks, first.to[0].0), (&[2][..], 2));
    // The service comes back for the room that rank 2 is on its way to.
    site.advance(Span::secs(5));
    let (last, _) = &**site.job(grown).evicted.as_ref().unwrap();
    assert_eq!(last.to[0].0, 2);
}

#[test]
fn what_is_being_stopped_of_a_frozen_job_counts_for_nobody_when_it_goes_on() {
    let mut site = all(&["n1", "n2", "n3"]);
    let frozen = site.submit(gives_way(asks("default", 3000, 0, (3, 1))));
    let taker = site.submit(gives_way(asks("ml", 500, 2000, (1, 1))));
    site.start_all();
    assert_eq!(evictions(&site).len(), 1);
    site.pause(taker);
    site.pause(frozen);
    site.try_act(owner(), &[taker, frozen], Verb::Resume).unwrap();
    // Two of its three tasks are left: what its team may have.
    assert!(evictions(&site).is_empty());
    assert!(!site.job(frozen).frozen);
}

#[test]
fn of_two_that_waited_too_long_the_first_starts_where_it_can() {
    let mut site = all(&["n1"]);
    let runs = site.submit(|job| {
        asks("default", 3000, 0, (1, 1))(job);
        job.priority = 200;
    });
    let first = site.submit(|job| {
        asks("default", 3000, 0, (1, 1))(job);
        job.priority = 200;
    });
    terms(&mut site, "default", Terms { priority: 50, ..Terms::default() });
    site.submit(asks("default", 500, 0, (1, 1)));
    site.advance(Span::mins(30));
    site.end(runs, 0);
    site.stand(&[first], &["starting"]);
}

#[test]
fn a_reservation_stays_where_it_is_while_promises_are_made_beside_it() {
    let mut site = all(&["n1", "n2", "n3"]);
    site.switch("consolidate", false);
    site.submit(gives_way(asks("default", 2000, 250, (2, 2))));
    let waits = site.submit(gives_way(asks("ml", 1000, 2000, (3, 1))));
    let start_at = Some(site.in_(Span::secs(1)));
    let grows = site.submit(|job| {
        gives_way(asks("org/a", 1000, 500, (3, 1)))(job);
        job.start_at = start_at;
    });
    // Two of its tasks start, one on each node with devices, and the third is promised room on one.
    site.advance(Span::secs(1));
    let third = site.job(grows).tasks[2].clone();
    assert_eq!(third.state, TaskState::Nominated);
    let (kept, promised) = (site.job(waits).reserved.clone(), third.placement);
    assert!(!kept.as_ref().unwrap().room.contains_key(&promised.as_ref().unwrap().node));
    for _ in 0..3 {
        site.advance(Span::secs(1));
        assert_eq!(site.job(waits).reserved.as_ref().unwrap().room, kept.as_ref().unwrap().room);
        assert_eq!(site.job(grows).tasks[2].placement, promised);
    }
}

#[test]
fn the_surplus_of_a_gang_counts_as_taken_where_its_core_is() {
    let mut site = all(&["n1", "n2"]);
    site.submit(asks("default", 1000, 250, (1, 1)));
    let other = site.submit(|job| {
        gives_way(asks("default", 1000, 0, (1, 1)))(job);
        job.priority = 400;
    });
    // Its minimum is beside the other, its surplus on both nodes.
    let gang = site.submit(|job| {
        gives_way(asks("default", 1000, 0, (3, 1)))(job);
        let half = Resources { cpu_milli: 500, ..Resources::default() };
        let group = |name: &str, gang, request| TaskGroup {
            name: name.into(),
            within: None,
            gang,
            request,
            node_labels: [].into(),
        };
        let first = group("first", job.gang, job.request.clone());
        let second = group("second", Gang { size: 2, min: 1 }, half);
        let groups = Groups { groups: vec![first, second], ..Groups::default() };
        (job.gang, job.groups) = (groups.gang(), Some(Box::new(groups)));
    });
    site.start_all();
    let taker = site.submit(gives_way(asks("org/a", 3000, 0, (1, 1))));
    // With all of the gang gone its team has no more than its share, and the other stays; so
    // no node would be free, and nobody is stopped.
    site.stand(&[other, gang, taker], &["running", "running", "queued"]);
}

#[test]
fn room_is_reserved_for_when_what_a_job_needs_is_open_again() {
    let mut site = all(&["n1"]);
    let (until, by) = (Some(site.in_(Span::secs(90))), owner());
    site.run(Command::Limit { resource: "api:x".into(), until, reason: None, by });
    let mut submit = |cores: u64, change: &dyn Fn(&mut JobSpec)| {
        site.submit(|job| {
            gives_way(asks("default", cores * 1000, 0, (1, 1)))(job);
            change(job);
        })
    };
    let waits = submit(2, &|job| job.request.custom = [("api:x".into(), 1)].into());
    // One that would be in its way by then, and one that is over before.
    let long = submit(2, &|_| ());
    let short = submit(3, &|job| job.time_limit = Some(Span::secs(60)));
    site.stand(&[waits, long, short], &["queued", "queued", "starting"]);
    site.end(short, 0);
    site.advance(Span::secs(90));
    site.stand(&[waits, long], &["starting", "queued"]);
}
