//! `why`, state by state.

use holdshort::base::Span;
use holdshort::model::command::Verb;
use holdshort::model::job::{Dependency, DependencyKind, Exit, Gang};

use super::world::{GIB, Site, reason_text};

#[test]
fn why_in_each_state_says_so_with_numbers() {
    let mut site = Site::new(4, 0);
    let since = site.at.wall.0;
    let job = site.submit(|job| job.resumable = true);
    assert_eq!(site.because(job), "starting");
    site.start(job);
    assert_eq!(site.because(job), format!("running since_at={since}"));
    site.pause(job);
    assert_eq!(site.because(job), "stopping for=pause");
    site.end(job, 75);
    assert_eq!(site.because(job), format!("paused by=owner since_at={since}"));
    site.resume(job);
    site.start(job);
    site.end(job, 0);
    assert_eq!(site.because(job), "ended code=0 outcome=succeeded");
    assert_eq!(site.why(job).position, None);
}

#[test]
fn no_room_names_only_what_is_short_and_who_could_make_room() {
    let mut site = Site::new(4, 0);
    let small = site.submit(|_| {});
    let big = site.submit(|job| {
        job.request.cpu_milli = 2500;
        job.request.mem_bytes = 60 * GIB;
    });
    let job = site.submit(|job| {
        job.request.cpu_milli = 2000;
        job.request.mem_bytes = 2 * GIB;
    });
    site.start_all();
    assert_eq!(site.because(job), "no_room best_cpu_milli=500 need_cpu_milli=2000");
    let why = site.why(job);
    assert_eq!(why.position, Some(1));
    let changes: Vec<String> = why.would_change.iter().map(reason_text).collect();
    assert_eq!(changes, [format!("running job={big}")], "the end of {small} would not do");
}

#[test]
fn what_holds_back_the_job_comes_before_room_and_the_rest_follows() {
    let mut site = Site::new(2, 0);
    site.submit(|job| (job.request.cpu_milli, job.team) = (2000, "ml".into()));
    let job = site.submit(|_| {});
    site.pause_team(Some("default"), None);
    let codes = |reasons: &[holdshort::model::Reason]| {
        reasons.iter().map(|reason| reason.code.word()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&site.why(job).also), ["no_room"]);
    // With everything paused the room is free.
    site.pause_team(None, None);
    let why = site.why(job);
    assert_eq!(why.reason.code.word(), "all_paused");
    assert_eq!(codes(&why.also), ["team_paused"]);
}

#[test]
fn a_waiting_job_is_told_of_what_comes_after_the_wait() {
    let mut site = Site::new(2, 0);
    let start = site.in_(Span::mins(1));
    let job = site.submit(|job| {
        job.start_at = Some(start);
        job.request.cpu_milli = 3000;
    });
    let why = site.why(job);
    assert_eq!(why.reason.code.word(), "start_at");
    assert_eq!(reason_text(&why.also[0]), "never_fits largest_cpu_milli=2000 need_cpu_milli=3000");
}

#[test]
fn a_gang_is_told_how_many_would_fit() {
    let mut site = Site::new(2, 0);
    site.node("n2", 3, 64, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 6, min: 6 });
    let because = "never_fits gang=6 largest_cpu_milli=3000 need_cpu_milli=1000 placed=5";
    assert_eq!(site.because(gang), because);
}

#[test]
fn what_a_person_can_do_or_must_wait_for_is_named() {
    let mut site = Site::new(2, 0);
    let changes = |site: &Site, job| -> Vec<String> {
        site.why(job).would_change.iter().map(|reason| reason.code.word().to_owned()).collect()
    };
    let job = site.submit(|job| job.retry = 1);
    site.start(job);
    assert_eq!(changes(&site, job), [""; 0]);
    let after = site.submit(|spec| {
        spec.after = vec![Dependency { job, kind: DependencyKind::Any }];
    });
    assert_eq!(changes(&site, after), ["after_jobs"]);
    site.pause(job);
    assert_eq!(changes(&site, job), ["paused"]);
    site.resume(job);
    site.end(job, 3);
    assert_eq!(changes(&site, job), ["backoff"]);
    site.pause_team(None, None);
    let waits = site.submit(|_| {});
    assert_eq!(changes(&site, waits), ["all_paused"]);
    site.resume_team(None);
    site.advance(Span::mins(5));
    site.start(job);
    site.end(job, 3);
    assert_eq!(site.because(job), "ended code=3 outcome=failed");
    assert_eq!(changes(&site, job), ["ended"]);
    let huge = site.submit(|job| job.request.cpu_milli = 9000);
    assert_eq!(changes(&site, huge), ["never_fits"]);
}

#[test]
fn the_words_know_every_number_the_core_gives() {
    use holdshort::view::{sight::Sight, words};
    let mut site = Site::new(2, 0);
    let said = |site: &Site, job| words::reason(&site.why(job).reason, &Sight::utc(site.at));
    let job = site.submit(|job| job.retry = 1);
    site.start(job);
    site.end(job, 3);
    assert!(said(&site, job).starts_with("failed, retry 1 of 1 in "), "{}", said(&site, job));
    site.advance(Span::mins(5));
    site.start(job);
    site.exit(job, &Exit::Signal(9));
    assert_eq!(said(&site, job), "it ended by signal 9 (KILL)");
    let stopping = site.submit(|_| {});
    site.start(stopping);
    site.cancel(stopping);
    assert_eq!(said(&site, stopping), "its processes are being ended: cancelled");
}

#[test]
fn a_job_that_is_not_there_has_no_why() {
    let site = Site::new(2, 0);
    assert!(
        holdshort::sched::explain::why(&site.world, holdshort::base::JobId(9), site.at).is_none()
    );
}

#[test]
fn position_follows_next() {
    let mut site = Site::new(1, 0);
    let jobs = site.submit_many(4, |_| {});
    site.act(jobs[3], Verb::Next);
    let places: Vec<_> = jobs.iter().map(|job| site.why(*job).position).collect();
    assert_eq!(places, [None, Some(2), Some(3), Some(1)]);
}
