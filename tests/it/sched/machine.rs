//! Reboots, outages and nodes that change.

use holdshort::base::Span;
use holdshort::model::command::{Command, Verb};
use holdshort::model::job::Gang;

use super::world::Site;

#[test]
fn a_node_that_is_gone_takes_nothing_and_keeps_what_runs() {
    let mut site = Site::new(2, 0);
    let runs = site.submit(|_| {});
    let waits = site.submit(|job| (job.request.cpu_milli, job.must_fit) = (2000, true));
    site.start(runs);
    site.node("n1", 0, 0, 0);
    assert!(site.world.node("n1").is_some_and(|node| !node.up));
    site.stand(&[runs, waits], &["running", "queued"]);
    assert!(site.job(waits).findings.is_empty(), "without a node nothing can be said");
    site.node("n2", 2, 64, 0);
    site.stand(&[runs, waits], &["running", "starting"]);
    site.end(runs, 0);
    site.stand(&[runs], &["succeeded"]);
}

#[test]
fn after_a_reboot_what_has_a_way_back_is_queued_and_the_rest_is_lost() {
    let mut site = Site::new(8, 0);
    let lost = site.submit(|_| {});
    let back = site.submit(|job| job.requeue = true);
    let resumes = site.submit(|job| job.resumable = true);
    let saved = site.submit(|_| {});
    let gang = site.submit(|job| {
        job.gang = Gang { size: 2, min: 2 };
        job.requeue = true;
    });
    site.start_all();
    site.checkpoint(saved);
    let queued = site.submit(|job| job.request.cpu_milli = 8000);
    site.reboot("boot-2");
    site.stand(
        &[lost, back, resumes, saved, gang],
        &["lost", "starting", "starting", "starting", "starting"],
    );
    site.stand(&[queued], &["queued"]);
    let flags = [back, resumes, saved, gang].map(|job| site.job(job).resume);
    assert_eq!(flags, [false, true, true, false]);
    assert_eq!(site.job(gang).attempt, 2);
}

#[test]
fn the_same_boot_again_loses_nothing() {
    let mut site = Site::new(8, 0);
    let job = site.submit(|_| {});
    site.start(job);
    site.reboot("boot-1");
    site.stand(&[job], &["running"]);
}

#[test]
fn a_reboot_ends_what_was_being_ended_and_keeps_what_was_held() {
    let mut site = Site::new(8, 0);
    let [cancelled, parking, timed] = [0, 1, 2].map(|n| {
        site.submit(|job| {
            job.resumable = n == 1;
            job.time_limit = (n == 2).then_some(Span::mins(1));
        })
    });
    let frozen = site.submit(|job| job.requeue = true);
    let doomed = site.submit(|_| {});
    site.start_all();
    site.cancel(cancelled);
    site.pause(parking);
    site.pause(frozen);
    site.pause(doomed);
    site.advance(Span::mins(1));
    site.reboot("boot-2");
    let jobs = [cancelled, parking, timed, frozen, doomed];
    site.stand(&jobs, &["cancelled", "paused", "timed_out", "paused", "lost"]);
    assert!(!site.job(frozen).frozen);
    site.resume(frozen);
    site.stand(&[frozen], &["starting"]);
}

#[test]
fn power_off_kills_what_sleep_only_suspends() {
    for (off, word) in [(false, "running"), (true, "lost")] {
        let mut site = Site::new(8, 0);
        let job = site.submit(|_| {});
        site.start(job);
        site.down(Span::hours(1), off);
        site.stand(&[job], &[word]);
    }
}

#[test]
fn sleep_counts_for_calendars() {
    let mut site = Site::new(8, 0);
    let start = site.in_(Span::mins(10));
    let job = site.submit(|job| job.start_at = Some(start));
    site.down(Span::hours(1), false);
    site.stand(&[job], &["starting"]);
}

#[test]
fn a_node_that_shrinks_below_its_use_takes_nothing_new_and_evicts_nobody() {
    let mut site = Site::new(4, 0);
    let jobs = site.submit_many(6, |_| {});
    site.start_all();
    site.node("n1", 2, 64, 0);
    assert_eq!(site.holding(), jobs[..4]);
    site.end(jobs[0], 0);
    site.end(jobs[1], 0);
    site.stand(&[jobs[4]], &["queued"]);
    site.end(jobs[2], 0);
    site.stand(&[jobs[4], jobs[5]], &["starting", "queued"]);
}

#[test]
fn a_node_seen_again_as_it_was_is_no_news() {
    let mut site = Site::new(4, 1);
    site.node("n1", 4, 64, 1);
    assert_eq!(site.facts, []);
    site.drain("n1", true);
    site.node("n1", 5, 64, 1);
    assert!(site.world.node("n1").unwrap().drain.is_some(), "a drain outlives the news");
}

#[test]
fn a_team_that_is_no_longer_configured_stays_while_it_has_jobs_or_a_hold() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|job| job.team = "ml".into());
    site.configure(|setup| setup.teams.clear());
    let teams = |site: &Site| site.world.teams().map(|t| t.name.to_string()).collect::<Vec<_>>();
    assert_eq!(teams(&site), ["default", "ml"]);
    site.start(job);
    site.end(job, 0);
    site.configure(|setup| setup.defaults.keep_ended = 7);
    assert_eq!(teams(&site), ["default"]);
}

#[test]
fn neither_clock_goes_back() {
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    let then = site.at;
    site.advance(Span::hours(1));
    site.start(job);
    let late = site.at;
    site.at = then;
    site.act(job, Verb::Cancel { reason: None });
    assert_eq!(site.job(job).since, late);
    assert_eq!(site.world.at(), late);
    site.run(Command::Tick);
}
