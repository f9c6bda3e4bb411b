//! Elastic pools: what makes them grow, what lets them shrink, and what bounds both.

use holdshort::base::{JobId, Name, Span};
use holdshort::model::command::Command;
use holdshort::model::job::Gang;
use holdshort::model::node::Traits;
use holdshort::model::pool::Pool;
use holdshort::model::{Effect, Fact, Resources, Team};
use holdshort::sched::effects;

use super::world::{GIB, Site, countable, owner, spec, submit};

/// Nodes of two cores that come after a minute of waiting and go after ten unused.
fn pool() -> Pool {
    Pool {
        name: "p".into(),
        min: 0,
        max: 3,
        capacity: Resources { cpu_milli: 2000, mem_bytes: 8 * GIB, ..Resources::default() },
        traits: Traits { pool: Some("p".into()), ..Traits::default() },
        grow_after: Span::mins(1),
        shrink_after: Span::mins(10),
        price_milli: 0,
        cost_cap_milli: None,
        up: None,
        down: None,
    }
}

/// One fixed node of one core, and the pool.
fn site(change: impl FnOnce(&mut Pool)) -> Site {
    let mut site = Site::new(1, 0);
    let mut pool = pool();
    change(&mut pool);
    site.configure(|setup| setup.pools = vec![pool]);
    site
}

/// The pool's nodes that take work.
fn here(site: &Site) -> Vec<String> {
    let ours = site.world.nodes().filter(|node| node.traits.pool.is_some());
    let open = ours.filter(|node| node.up && node.drain.is_none());
    open.map(|node| node.name.to_string()).collect()
}

fn two_cores(site: &mut Site, n: usize) -> Vec<JobId> {
    site.submit_many(n, |job| job.request.cpu_milli = 2000)
}

#[test]
fn it_grows_for_what_has_waited_and_shrinks_when_nobody_used_it_for_long() {
    let mut site = site(|_| {});
    let jobs = two_cores(&mut site, 2);
    assert!(site.why(jobs[0]).reason.code.word() != "never_fits", "the pool could hold it");
    site.advance(Span::mins(1) - Span(1));
    assert!(here(&site).is_empty());
    site.advance(Span(1));
    assert_eq!(here(&site), ["p-1", "p-2"]);
    site.stand(&jobs, &["starting", "starting"]);
    site.start_all();
    site.end(jobs[1], 0);
    site.advance(Span::mins(10) - Span(1));
    assert_eq!(here(&site).len(), 2);
    site.advance(Span(1));
    assert_eq!(here(&site).len(), 1);
    assert!(site.facts.iter().any(|fact| matches!(fact, Fact::NodeDrained { on: true, .. })));
    site.advance(Span::hours(1));
    assert_eq!(here(&site).len(), 1, "something runs there");
    site.end(jobs[0], 0);
    site.advance(Span::mins(10));
    assert!(here(&site).is_empty());
    // It comes again under the same name.
    two_cores(&mut site, 1);
    site.advance(Span::mins(1));
    assert_eq!(here(&site), ["p-1"]);
}

#[test]
fn what_fits_where_there_is_room_or_is_held_back_makes_nothing_grow() {
    let mut site = site(|_| {});
    site.submit(|_| {});
    let held = site.submit(|job| job.request.custom.extend([("api:x".into(), 9)]));
    let large = site.submit(|job| job.request.cpu_milli = 3000);
    site.advance(Span::hours(1));
    assert!(here(&site).is_empty());
    assert_ne!(site.word(held), "starting");
    assert_eq!(site.because(large).split(' ').next(), Some("never_fits"));
}

#[test]
fn it_grows_for_one_that_waits_behind_hundreds_that_wait_for_something_else() {
    let mut site = site(|_| {});
    site.json_every = 100;
    site.resource("api:x", Some(countable(1, None)));
    let mut busy = spec();
    busy.request.custom = [("api:x".into(), 1)].into();
    site.run(Command::Submit(submit(vec![busy; 300], owner())));
    let jobs = two_cores(&mut site, 3);
    site.advance(Span::mins(1));
    assert_eq!(here(&site).len(), 3);
    site.stand(&jobs, &["starting"; 3]);
}

#[test]
fn it_grows_for_no_more_than_its_team_and_its_resources_let_run() {
    let mut site = site(|pool| pool.max = 9);
    site.configure(|setup| {
        setup.teams.push(Team::named("default"));
        setup.teams.last_mut().unwrap().terms.limit.cpu_milli = Some(5000);
    });
    two_cores(&mut site, 6);
    site.advance(Span::mins(2));
    assert_eq!(here(&site).len(), 2);
    site.resource("api:x", Some(countable(1, None)));
    site.submit_many(3, |job| {
        job.request.cpu_milli = 2000;
        job.request.custom = [("api:x".into(), 1)].into();
        job.team = "ml".into();
    });
    site.advance(Span::mins(2));
    assert_eq!(here(&site).len(), 3);
}

#[test]
fn bounds_cap_and_minimum_hold() {
    for (max, cap, min, nodes) in [(3, None, 0, 3), (3, Some(5000), 0, 2), (3, None, 1, 3)] {
        let mut site = site(|pool| {
            (pool.max, pool.min) = (max, min);
            (pool.price_milli, pool.cost_cap_milli) = (2500, cap);
        });
        assert_eq!(here(&site).len(), min as usize, "the minimum is there at once");
        let jobs = two_cores(&mut site, 5);
        site.advance(Span::mins(2));
        assert_eq!(here(&site).len(), nodes);
        jobs.iter().for_each(|job| site.cancel(*job));
        site.start_all();
        let live = |site: &Site| jobs.iter().any(|job| site.job(*job).is_live());
        jobs.iter().for_each(|job| site.exit(*job, &holdshort::model::job::Exit::Signal(15)));
        assert!(!live(&site));
        site.advance(Span::mins(11));
        assert_eq!(here(&site).len(), min as usize);
    }
}

#[test]
fn a_gang_gets_as_many_nodes_as_it_lacks() {
    let mut site = site(|pool| pool.max = 9);
    site.submit(|job| {
        job.request.cpu_milli = 2000;
        job.gang = Gang { size: 3, min: 3 };
    });
    site.advance(Span::mins(1));
    assert_eq!(here(&site).len(), 3);
}

#[test]
fn the_switch_and_the_configuration_turn_it_off() {
    let mut site = site(|pool| pool.min = 1);
    site.configure(|setup| setup.cycle.off.extend(["pool".into()]));
    let jobs = two_cores(&mut site, 2);
    site.advance(Span::hours(1));
    assert_eq!(here(&site).len(), 1, "what is there stays");
    site.configure(|setup| setup.cycle.off.clear());
    assert_eq!(here(&site).len(), 2);
    site.start_all();
    site.configure(|setup| setup.pools.clear());
    assert!(here(&site).is_empty(), "nothing new goes there");
    site.stand(&jobs, &["running", "running"]);
    site.end(jobs[0], 0);
    site.end(jobs[1], 0);
    let left = site.world.nodes().filter(|node| node.up && node.traits.pool.is_some());
    assert_eq!(left.count(), 0);
}

#[test]
fn a_command_makes_the_node_and_a_failure_waits_before_the_next_try() {
    let mut site = site(|pool| {
        pool.max = 1;
        (pool.up, pool.down) = (Some("up".into()), Some("down".into()));
    });
    let answer = |site: &mut Site, up, failed: Option<&str>| {
        let (node, failed) = (Name::from("p-1"), failed.map(str::to_owned));
        site.run(Command::PoolNode { node, up, failed });
    };
    let wanted = |up| Effect::Pool { pool: "p".into(), node: "p-1".into(), up };
    let jobs = two_cores(&mut site, 1);
    site.advance(Span::mins(1));
    assert!(here(&site).is_empty());
    assert_eq!(effects::of_facts(&site.facts, &site.world), [wanted(true)]);
    assert!(
        effects::of_world(&site.world).contains(&wanted(true)),
        "asked for again after a crash"
    );
    answer(&mut site, true, Some("no quota"));
    assert!(site.facts.iter().any(|fact| matches!(fact, Fact::PoolFailed { .. })));
    site.advance(Span::mins(1) - Span(1));
    assert!(effects::of_world(&site.world).is_empty());
    site.advance(Span(1));
    assert_eq!(effects::of_world(&site.world), [wanted(true)]);
    answer(&mut site, true, None);
    site.start(jobs[0]);
    site.stand(&jobs, &["running"]);
    site.end(jobs[0], 0);
    site.advance(Span::mins(10));
    assert!(here(&site).is_empty());
    assert_eq!(effects::of_world(&site.world), [wanted(false)]);
    answer(&mut site, false, None);
    assert!(effects::of_world(&site.world).is_empty());
    answer(&mut site, true, None);
    assert!(site.facts.is_empty(), "late news about nothing");
}

#[test]
fn a_node_stays_for_what_is_about_to_start_on_it() {
    let mut site = site(|_| {});
    site.switch("reservation", true);
    site.resource("lic", Some(countable(1, None)));
    let first = two_cores(&mut site, 1)[0];
    site.advance(Span::mins(1));
    site.end(first, 0);
    // Nine minutes unused, and in four what somebody needs who has no other room is open again.
    site.advance(Span::mins(9));
    let (until, by) = (Some(site.in_(Span::mins(4))), owner());
    site.run(Command::Limit { resource: "lic".into(), until, reason: None, by });
    let waits = site.submit(|job| {
        job.request.cpu_milli = 2000;
        job.request.custom = [("lic".into(), 1)].into();
    });
    site.advance(Span::mins(4) - Span(1));
    assert_eq!(here(&site), ["p-1"]);
    site.advance(Span(1));
    site.stand(&[waits], &["starting"]);
}
