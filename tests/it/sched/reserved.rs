//! Room that is kept for jobs that cannot start, and who may start beside it.

use holdshort::base::{JobId, Span};
use holdshort::model::Fact;
use holdshort::model::command::Verb;
use holdshort::model::job::{JobSpec, Reservation};

use super::world::Site;

/// A site of so many cores on which room is reserved.
fn site(cores: u64) -> Site {
    let mut site = Site::new(cores, 0);
    on(&mut site, "reservation");
    site
}

fn on(site: &mut Site, policy: &str) {
    site.configure(|setup| {
        setup.cycle.off.remove(policy);
    });
}

fn off(site: &mut Site, policy: &str) {
    site.configure(|setup| {
        setup.cycle.off.insert(policy.into());
    });
}

/// So many cores for so many seconds, if anybody knows how long.
fn asks(cores: u64, secs: Option<u64>) -> impl Fn(&mut JobSpec) {
    move |spec| {
        spec.request.cpu_milli = cores * 1000;
        spec.estimate = secs.map(Span::secs);
    }
}

fn reserved(site: &Site, job: JobId) -> Option<&Reservation> {
    site.job(job).reserved.as_deref()
}

/// In how many seconds the room is kept from on.
fn starts_in(site: &Site, job: JobId) -> Option<u64> {
    reserved(site, job).map(|reserved| reserved.at.since(site.at.now).0 / 1000)
}

/// Four of six cores run for 100 s, and a job that needs all six waits.
fn blocked() -> (Site, JobId, JobId) {
    let mut site = site(6);
    let runs = site.submit(asks(4, Some(100)));
    site.start(runs);
    let waits = site.submit(asks(6, Some(50)));
    (site, runs, waits)
}

#[test]
fn a_job_that_cannot_start_gets_room_from_the_end_of_what_runs_on() {
    let (mut site, runs, waits) = blocked();
    assert_eq!(starts_in(&site, waits), Some(100));
    let room = &reserved(&site, waits).unwrap().room;
    assert_eq!(room.get("n1").map(|kept| kept.cpu_milli), Some(6000));
    site.advance(Span::secs(60));
    site.end(runs, 0);
    site.stand(&[waits], &["starting"]);
    assert_eq!(reserved(&site, waits), None);
}

#[test]
fn others_start_before_it_only_if_they_end_before_or_use_other_room() {
    let (mut site, _, waits) = blocked();
    let long = site.submit(asks(1, Some(101)));
    let short = site.submit(asks(1, Some(100)));
    let unknown = site.submit(asks(1, None));
    site.stand(&[long, short, unknown], &["queued", "starting", "queued"]);
    assert_eq!(starts_in(&site, waits), Some(100), "nobody delayed it");
    site.node("n2", 2, 8, 0);
    site.stand(&[long, unknown], &["starting", "starting"]);
    let nodes = |job: JobId| site.job(job).tasks[0].placement.as_ref().unwrap().node.clone();
    assert_eq!([nodes(long), nodes(unknown)].map(|name| name.to_string()), ["n2", "n2"]);
}

#[test]
fn what_is_left_over_beside_it_is_free_for_all() {
    let mut site = site(8);
    let runs = site.submit(asks(6, Some(100)));
    site.start(runs);
    let waits = site.submit(asks(7, Some(50)));
    let one = site.submit(asks(1, None));
    let other = site.submit(asks(1, None));
    site.stand(&[waits, one, other], &["queued", "starting", "queued"]);
}

#[test]
fn without_the_policies_others_pass_or_nobody_does() {
    let (mut site, _, waits) = blocked();
    let long = site.submit(asks(1, Some(500)));
    site.stand(&[long], &["queued"]);
    off(&mut site, "reservation");
    site.stand(&[waits, long], &["queued", "starting"]);
    assert_eq!(reserved(&site, waits), None);

    let (mut site, _, waits) = blocked();
    off(&mut site, "backfill");
    let short = site.submit(asks(1, Some(10)));
    site.stand(&[waits, short], &["queued", "queued"]);
    on(&mut site, "backfill");
    site.stand(&[short], &["starting"]);
}

#[test]
fn a_wrong_estimate_puts_it_off_and_lets_others_in() {
    let (mut site, runs, waits) = blocked();
    let long = site.submit(asks(1, Some(101)));
    site.advance(Span::secs(99));
    site.stand(&[long], &["queued"]);
    site.advance(Span::secs(1));
    // For all that is known it takes as long again.
    assert_eq!(starts_in(&site, waits), Some(100));
    assert_eq!(reserved(&site, waits).map(|reserved| reserved.moves), Some(1));
    let shorter = site.submit(asks(1, Some(50)));
    site.stand(&[long, shorter], &["queued", "starting"]);
    site.end(runs, 0);
    site.stand(&[waits], &["queued"]);
    assert_eq!(starts_in(&site, waits), Some(50), "it waits for the one that was let in");
}

#[test]
fn where_runs_so_far_were_short_nothing_is_put_off_every_second() {
    let mut site = site(6);
    let named = |cores| {
        move |spec: &mut JobSpec| {
            asks(cores, None)(spec);
            spec.name = "young".into();
        }
    };
    let first = site.submit(named(1));
    site.start(first);
    site.advance(Span::secs(1));
    site.end(first, 0);
    let runs = site.submit(named(4));
    site.start(runs);
    let waits = site.submit(asks(6, Some(50)));
    assert_eq!(starts_in(&site, waits), Some(1));
    site.advance(Span::secs(59));
    assert_eq!(reserved(&site, waits).map(|held| held.moves), Some(1));
    assert_eq!(starts_in(&site, waits), Some(1), "a minute in all");
}

#[test]
fn one_of_each_team_and_in_order() {
    let mut site = site(4);
    let runs = site.submit(asks(3, Some(100)));
    site.start(runs);
    let first = site.submit(asks(4, Some(10)));
    let second = site.submit(asks(4, Some(10)));
    let other = site.submit(|spec| {
        asks(3, Some(10))(spec);
        spec.team = "ml".into();
    });
    assert_eq!(starts_in(&site, second), None);
    let both = [starts_in(&site, first), starts_in(&site, other)];
    assert!(both == [Some(100), Some(110)] || both == [Some(110), Some(100)], "{both:?}");
    site.cancel(first);
    assert!(starts_in(&site, second).is_some());
}

#[test]
fn who_has_waited_too_long_comes_first() {
    let mut site = site(4);
    let runs = site.submit(asks(3, Some(20_000)));
    site.start(runs);
    let patient = site.submit(|spec| {
        asks(4, Some(10))(spec);
        spec.priority = 100;
    });
    site.submit(asks(2, Some(10)));
    assert_eq!(starts_in(&site, patient), None, "the more important one has the only one");
    let small = |site: &mut Site| {
        site.submit(|spec| {
            asks(1, Some(30_000))(spec);
            spec.priority = 400;
        })
    };
    let before = small(&mut site);
    site.stand(&[before], &["starting"]);
    site.start(before);
    site.end(before, 0);
    site.advance(Span::mins(31));
    assert!(starts_in(&site, patient).is_some(), "its patience is over");
    let after = small(&mut site);
    site.stand(&[after], &["queued"]);
    site.configure(|setup| setup.cycle.patience = Span::ZERO);
    site.stand(&[after], &["starting"]);
}

#[test]
fn a_gang_gets_room_on_several_nodes_at_once() {
    let mut site = site(4);
    site.node("n2", 4, 64, 0);
    let one = site.submit(asks(4, Some(100)));
    let two = site.submit(asks(4, Some(300)));
    site.start_all();
    let gang = site.submit(|spec| {
        asks(3, Some(10))(spec);
        (spec.gang.size, spec.gang.min) = (2, 2);
    });
    assert_eq!(starts_in(&site, gang), Some(300));
    assert_eq!(reserved(&site, gang).unwrap().room.len(), 2);
    site.end(one, 0);
    let filler = site.submit(asks(4, Some(299)));
    site.stand(&[gang, filler], &["queued", "starting"]);
    let _ = two;
}

#[test]
fn countable_resources_are_reserved_too() {
    let mut site = site(8);
    site.resource("api:x", Some(super::given::countable(4, None)));
    let units = |n: u64, secs: Option<u64>| {
        move |spec: &mut JobSpec| {
            asks(1, secs)(spec);
            spec.request.custom = [("api:x".into(), n)].into();
        }
    };
    let runs = site.submit(units(3, Some(100)));
    site.start(runs);
    let waits = site.submit(units(4, Some(10)));
    assert_eq!(starts_in(&site, waits), Some(100));
    let long = site.submit(units(1, Some(200)));
    let short = site.submit(units(1, Some(50)));
    site.stand(&[long, short], &["queued", "starting"]);
}

#[test]
fn a_job_its_own_team_keeps_back_reserves_nothing() {
    let (mut site, _, waits) = blocked();
    site.pause_team(Some("default"), None);
    assert_eq!(reserved(&site, waits), None);
    site.resume_team(Some("default"));
    assert!(reserved(&site, waits).is_some());
    site.act(waits, Verb::Pause { until: None, reason: None });
    assert_eq!(reserved(&site, waits), None);
    assert!(!site.facts.iter().any(|fact| matches!(fact, Fact::ReservationOver { .. })));
}

/// A job that can stop and come back is let in beside a reservation and runs on and on.
fn overstayer(site: &mut Site) -> JobId {
    let job = site.submit(|spec| {
        asks(1, Some(50))(spec);
        spec.team = "ml".into();
        (spec.preemptible, spec.resumable) = (true, true);
    });
    site.start(job);
    job
}

#[test]
fn who_overstays_gives_room_after_the_second_move() {
    let (mut site, runs, waits) = blocked();
    let late = overstayer(&mut site);
    site.stand(&[late], &["running"]);
    site.advance(Span::secs(90));
    site.end(runs, 0);
    site.stand(&[waits, late], &["queued", "running"]);
    let moves = |site: &Site| reserved(site, waits).map(|held| held.moves);
    while moves(&site).is_some_and(|moves| moves < 1) {
        site.advance(Span::secs(10));
    }
    site.stand(&[late], &["running"]);
    off(&mut site, "overstayed");
    site.advance(Span::mins(30));
    assert!(moves(&site) >= Some(2));
    site.stand(&[late], &["running"]);
    on(&mut site, "overstayed");
    site.stand(&[waits, late], &["queued", "stopping"]);
    let rule = site.job(late).evicted.as_ref().map(|evicted| evicted.0.rule);
    assert_eq!(rule, Some(holdshort::model::fact::Rule::Overstayed));
    site.end(late, 0);
    site.stand(&[waits], &["starting"]);
}
