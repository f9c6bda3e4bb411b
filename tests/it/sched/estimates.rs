//! How long jobs are expected to run, learned from those that ran before.

use holdshort::base::{JobId, Span};
use holdshort::model::command::Verb;
use holdshort::model::estimate::{Confidence, Estimate, Origin};
use holdshort::model::job::{Exit, JobSpec};
use holdshort::sched::World;
use holdshort::sched::future::estimate;

use super::world::Site;

fn expected(site: &Site, job: JobId) -> Estimate {
    estimate::of_job(&site.world, site.job(job), site.at.now)
}

fn secs(estimate: Estimate) -> (u64, u64, Origin, Confidence) {
    (estimate.median.0 / 1000, estimate.p90.0 / 1000, estimate.origin, estimate.confidence)
}

fn named(name: &'static str, executable: &'static str) -> impl Fn(&mut JobSpec) {
    move |spec| {
        spec.name = name.into();
        spec.executable = executable.into();
    }
}

/// Lets a job of that name run for so long.
fn run(site: &mut Site, name: &'static str, executable: &'static str, secs: u64) -> JobId {
    let job = site.submit(named(name, executable));
    site.start(job);
    site.advance(Span::secs(secs));
    site.end(job, 0);
    job
}

#[test]
fn the_closest_class_with_a_complete_run_speaks_and_the_limit_bounds_it() {
    let mut site = Site::new(8, 0);
    let unknown = site.submit(named("train", "python3"));
    assert_eq!(secs(expected(&site, unknown)).2, Origin::Prior);
    site.cancel(unknown);
    run(&mut site, "sweep", "bash", 40);
    let job = site.submit(named("train", "python3"));
    assert_eq!(secs(expected(&site, job)), (40, 40, Origin::Team, Confidence::Low));
    run(&mut site, "check", "python3", 300);
    assert_eq!(secs(expected(&site, job)), (300, 300, Origin::Executable, Confidence::Low));
    for n in 1..=10 {
        run(&mut site, "train", "python3", 100 * n);
    }
    assert_eq!(secs(expected(&site, job)), (500, 900, Origin::Name, Confidence::High));
    let limited = site.submit(|spec| {
        named("train", "python3")(spec);
        spec.time_limit = Some(Span::secs(600));
    });
    assert_eq!(secs(expected(&site, limited)), (500, 600, Origin::Name, Confidence::High));
    let own = site.submit(|spec| spec.estimate = Some(Span::secs(77)));
    assert_eq!(secs(expected(&site, own)), (77, 77, Origin::Own, Confidence::Low));
    site.configure(|setup| {
        setup.cycle.off.insert("estimate".into());
    });
    assert_eq!(secs(expected(&site, job)).2, Origin::Prior, "switched off, nothing is learned");
    assert_eq!(secs(expected(&site, own)), (77, 77, Origin::Own, Confidence::Low));
}

#[test]
fn a_run_that_was_cut_says_at_least() {
    let mut site = Site::new(8, 0);
    let killed = site.submit(named("agent", "agent"));
    site.start(killed);
    site.advance(Span::secs(4000));
    site.exit(killed, &Exit::Signal(9));
    let parked = site.submit(|spec| {
        named("agent", "agent")(spec);
        spec.resumable = true;
    });
    site.start(parked);
    site.advance(Span::secs(100));
    site.act(parked, Verb::Requeue);
    site.end(parked, 75);
    // Nothing ended by itself: the prior, doubled past what outlived it.
    let next = site.submit(named("agent", "agent"));
    assert_eq!(secs(expected(&site, next)), (7200, 7200, Origin::Prior, Confidence::None));
    // What it did before it was sent back counts.
    site.start(parked);
    site.advance(Span::secs(50));
    site.end(parked, 0);
    assert_eq!(secs(expected(&site, next)).3, Confidence::Low);
    let of_parked = secs(expected(&site, next));
    assert_eq!(of_parked.2, Origin::Name);
    let class = site.submit(named("agent", "agent"));
    assert!(expected(&site, class).median >= Span::secs(150), "{of_parked:?}");
}

#[test]
fn an_overrun_goes_to_the_limit_or_is_doubled_and_then_nothing_is_promised() {
    let mut site = Site::new(8, 0);
    let limited = site.submit(|spec| {
        spec.estimate = Some(Span::secs(60));
        spec.time_limit = Some(Span::secs(600));
    });
    let free = site.submit(|spec| spec.estimate = Some(Span::secs(60)));
    site.start_all();
    site.advance(Span::secs(59));
    assert_eq!(secs(expected(&site, free)), (60, 60, Origin::Own, Confidence::Low));
    site.advance(Span::secs(1));
    assert_eq!(secs(expected(&site, limited)), (600, 600, Origin::Own, Confidence::Low));
    assert_eq!(secs(expected(&site, free)), (120, 120, Origin::Own, Confidence::None));
}

#[test]
fn only_time_in_which_it_ran_counts_and_a_snapshot_keeps_what_was_learned() {
    let mut site = Site::new(8, 0);
    let job = site.submit(named("train", "python3"));
    site.start(job);
    site.advance(Span::secs(10));
    site.pause(job);
    site.advance(Span::secs(500));
    site.down(Span::hours(2), false);
    site.resume(job);
    site.advance(Span::secs(10));
    site.end(job, 0);
    let next = site.submit(named("train", "python3"));
    assert_eq!(secs(expected(&site, next)), (20, 20, Origin::Name, Confidence::Low));
    let text = serde_json::to_string(&site.world).unwrap();
    let read: World = serde_json::from_str(&text).unwrap();
    let of = |world: &World| estimate::of_job(world, site.job(next), site.at.now);
    assert_eq!(of(&read), of(&site.world));
}
