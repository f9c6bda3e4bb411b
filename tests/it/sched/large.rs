//! A large installation, where a full cycle runs at most once a second: what happens at once, and
//! what waits for it.

use holdshort::base::{JobId, Span};
use holdshort::model::command::{Change, Command, Verb};
use holdshort::model::job::{Gang, JobSpec, TaskState};
use holdshort::model::team::{Bounds, Terms};
use holdshort::model::{Fact, Team};

use super::world::Site;

/// So many cores, where every installation counts as large.
fn site(cores: u64) -> Site {
    let mut site = Site::new(cores, 0);
    site.configure(|setup| setup.cycle.large = 0);
    site
}

fn gives(cores: u64, priority: u16) -> impl Fn(&mut JobSpec) + Clone {
    move |job: &mut JobSpec| {
        job.request.cpu_milli = cores * 1000;
        job.request.mem_bytes = 0;
        job.priority = priority;
        (job.preemptible, job.requeue) = (true, true);
    }
}

fn is_evicted(site: &Site, id: JobId) -> bool {
    let evicted = |fact: &Fact| matches!(fact, Fact::JobEvicted { job, .. } if *job == id);
    site.facts.iter().any(evicted)
}

fn puts_off(site: &Site) -> bool {
    site.facts.iter().any(|fact| matches!(fact, Fact::CycleDue { at: Some(_) }))
}

#[test]
fn what_comes_free_starts_somebody_at_once() {
    let mut site = site(2);
    let runs = site.submit(gives(2, 200));
    site.start(runs);
    let waits = site.submit(gives(2, 200));
    site.stand(&[runs, waits], &["running", "queued"]);
    site.end(runs, 0);
    site.stand(&[waits], &["starting"]);
}

#[test]
fn who_needs_others_to_give_room_waits_for_the_full_cycle() {
    let mut site = site(2);
    let runs = site.submit(gives(2, 200));
    site.start(runs);
    site.advance(Span::secs(2));
    let urgent = site.submit(gives(2, 400));
    assert!(puts_off(&site) && !is_evicted(&site, runs));
    let due = site.world.next_due(site.at).0.unwrap();
    assert_eq!(due.since(site.at.now), Span::secs(1));
    site.advance(Span(999));
    assert!(!is_evicted(&site, runs));
    site.advance(Span(1));
    assert!(is_evicted(&site, runs));
    site.stand(&[urgent], &["queued"]);
    site.end(runs, 0);
    site.stand(&[urgent, runs], &["starting", "queued"]);
}

#[test]
fn events_that_keep_coming_do_not_put_the_full_cycle_off_for_ever() {
    let mut site = site(2);
    let runs = site.submit(gives(2, 200));
    site.start(runs);
    site.submit(gives(2, 400));
    // Somebody asks for something every 300 ms, and nobody is woken by a timer.
    let is_over = (0..4).any(|_| {
        site.at.now = site.at.now + Span(300);
        site.at.wall = site.at.wall + Span(300);
        site.submit(gives(1, 100));
        is_evicted(&site, runs)
    });
    assert!(is_over, "no full cycle in 1.2 s");
}

#[test]
fn a_promise_stands_until_all_of_it_is_free() {
    let mut site = site(4);
    let small: Vec<JobId> = site.submit_many(4, gives(1, 200));
    small.iter().for_each(|job| site.start(*job));
    site.advance(Span::secs(2));
    let gang = site.submit(|job| {
        gives(1, 400)(job);
        job.gang = Gang { size: 2, min: 2 };
    });
    site.advance(Span::secs(1));
    assert_eq!(site.tasks(gang, |state| state == TaskState::Nominated).len(), 2);
    let leave: Vec<JobId> = small.into_iter().filter(|job| site.word(*job) == "stopping").collect();
    assert_eq!(leave.len(), 2);
    // One more wants just the room of the first that leaves: it is promised to the gang.
    let other = site.submit(gives(1, 200));
    site.end(leave[0], 0);
    site.stand(&[gang, other], &["queued", "queued"]);
    site.end(leave[1], 0);
    site.stand(&[gang, other], &["starting", "queued"]);
}

#[test]
fn nobody_starts_into_room_that_the_last_full_cycle_reserved() {
    let mut site = site(6);
    site.configure(|setup| {
        setup.cycle.off.remove("reservation");
    });
    let lasts = |cores: u64, secs: u64| {
        move |job: &mut JobSpec| {
            job.request.cpu_milli = cores * 1000;
            job.estimate = Some(Span::secs(secs));
        }
    };
    let runs = site.submit(lasts(4, 100));
    site.start(runs);
    let waits = site.submit(lasts(6, 50));
    site.advance(Span::secs(2));
    assert!(site.job(waits).reserved.is_some());
    let (long, short) = (site.submit(lasts(1, 200)), site.submit(lasts(1, 50)));
    site.stand(&[waits, long, short], &["queued", "queued", "starting"]);
    site.start(short);
    site.end(runs, 0);
    site.end(short, 0);
    site.stand(&[waits], &["starting"]);
}

#[test]
fn what_is_promised_counts_for_the_quota_of_those_that_never_give_way() {
    let mut site = site(3);
    let team = |name: &str, cpu_milli: u64| {
        let quota = Bounds { cpu_milli: Some(cpu_milli), ..Bounds::default() };
        Team { terms: Terms { quota, ..Terms::default() }, ..Team::named(name) }
    };
    site.configure(|setup| setup.teams = vec![team("default", 2000), team("other", 0)]);
    let runs = site.submit(|job| {
        gives(3, 200)(job);
        job.team = "other".into();
    });
    site.start(runs);
    site.advance(Span::secs(2));
    let firm = |job: &mut JobSpec| {
        (job.request.cpu_milli, job.request.mem_bytes, job.preemptible) = (1000, 0, false);
    };
    let all = [site.submit(firm), site.submit(firm), site.submit(firm)];
    site.advance(Span::secs(1));
    assert!(is_evicted(&site, runs));
    site.end(runs, 0);
    site.stand(&all, &["starting", "starting", "queued"]);
}

#[test]
fn a_small_installation_never_waits() {
    let mut site = Site::new(2, 0);
    let runs = site.submit(gives(2, 200));
    site.start(runs);
    site.advance(Span::secs(2));
    site.submit(gives(2, 400));
    assert!(is_evicted(&site, runs) && !puts_off(&site));
}

#[test]
fn an_installation_that_is_no_longer_large_after_a_pass_has_nothing_left_for_later() {
    let mut site = Site::bare();
    site.configure(|setup| setup.cycle.large = 0);
    site.node("n1", 3, 6, 0);
    let job = site.submit(|job| {
        gives(0, 100)(job);
        job.request.custom = [("api:x".into(), 1)].into();
    });
    let until = Some(site.in_(Span::secs(1)));
    let (resource, by) = ("api:x".into(), super::world::owner());
    site.run(Command::Limit { resource, until, reason: None, by });
    site.act(job, Verb::Requeue);
    site.end(job, 0);
    site.stand(&[job], &["queued"]);
    // The driver sees that another cycle at the same instant changes nothing.
    site.down(Span::secs(1), false);
    site.stand(&[job], &["starting"]);
    assert!(!puts_off(&site));
}

#[test]
fn a_promise_does_not_outlive_the_quota_it_was_made_in() {
    let mut site = site(2);
    site.configure(|setup| {
        let quota = Bounds { cpu_milli: Some(1000), ..Bounds::default() };
        let terms = Terms { quota, ..Terms::default() };
        setup.teams = vec![Team { name: "ml".into(), terms, ..Team::default() }];
    });
    let firm = |job: &mut JobSpec| (job.request.cpu_milli, job.request.mem_bytes) = (2000, 0);
    let runs = site.submit(firm);
    site.start(runs);
    let waits = site.submit(firm);
    site.cancel(runs);
    site.advance(Span::secs(2));
    assert_eq!(site.job(waits).tasks[0].state, TaskState::Nominated);
    // Its new team may hold one core of such jobs.
    site.set(waits, Change { team: Some("ml".into()), ..Change::default() });
    site.end(runs, 0);
    site.stand(&[waits], &["queued"]);
}
