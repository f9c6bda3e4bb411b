//! Gangs and arrays.

use holdshort::model::job::{Exit, FailureClass, Gang, Outcome};

use super::world::Site;

#[test]
fn a_gang_starts_whole_or_not_at_all() {
    let mut site = Site::new(4, 0);
    let one = site.submit(|job| job.request.cpu_milli = 2000);
    let gang = site.submit(|job| job.gang = Gang { size: 3, min: 3 });
    site.stand(&[gang], &["queued"]);
    assert_eq!(
        site.because(gang),
        "gang_incomplete best_cpu_milli=0 gang=3 need_cpu_milli=1000 placed=2"
    );
    site.start(one);
    site.end(one, 0);
    assert_eq!(site.job(gang).active_tasks().count(), 3);
}

#[test]
fn a_gang_may_spread_over_nodes() {
    let mut site = Site::new(2, 0);
    site.node("n2", 2, 8, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 4, min: 4 });
    let nodes: Vec<_> =
        site.job(gang).active_tasks().map(|t| &*t.placement.as_ref().unwrap().node).collect();
    assert_eq!(nodes, ["n1", "n1", "n2", "n2"]);
}

#[test]
fn it_runs_once_its_minimum_does() {
    let mut site = Site::new(4, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 3, min: 2 });
    let tasks = site.tasks(gang, |_| true);
    let started = |pid| holdshort::model::command::TaskEvent::Started { pid };
    site.event(tasks[2], started(7));
    site.stand(&[gang], &["starting"]);
    site.event(tasks[0], started(8));
    site.stand(&[gang], &["running"]);
}

#[test]
fn a_gang_above_its_minimum_grows_task_by_task_as_room_comes() {
    let mut site = Site::new(4, 0);
    let jobs = site.submit_many(2, |_| {});
    let gang = site.submit(|job| job.gang = Gang { size: 4, min: 2 });
    assert_eq!(site.job(gang).active_tasks().count(), 2);
    site.start_all();
    for (grown, job) in jobs.into_iter().enumerate() {
        site.end(job, 0);
        assert_eq!(site.job(gang).active_tasks().count(), 3 + grown);
    }
    site.stand(&[gang], &["running"]);
    site.start_all();
    site.end(gang, 0);
    assert_eq!(site.outcome(gang), Outcome::Succeeded);
    assert_eq!(site.job(gang).attempt, 1, "growing is no new attempt");
}

#[test]
fn a_gang_of_which_a_task_is_done_grows_no_more() {
    let mut site = Site::new(2, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 3, min: 2 });
    site.start(gang);
    site.end_rank(gang, 0, Exit::Code(0));
    assert_eq!(site.job(gang).active_tasks().count(), 1);
    site.end_rank(gang, 1, Exit::Code(0));
    assert_eq!(site.outcome(gang), Outcome::Succeeded);
}

#[test]
fn one_bad_end_ends_the_gang_with_its_code() {
    let mut site = Site::new(4, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 3, min: 3 });
    site.start(gang);
    site.end_rank(gang, 1, Exit::Code(3));
    site.stand(&[gang], &["stopping"]);
    site.advance(holdshort::base::Span::secs(1));
    site.exit(gang, &Exit::Signal(15));
    assert_eq!(site.outcome(gang), Outcome::Failed(FailureClass::Exit));
    assert_eq!(site.job(gang).exit, Some(Exit::Code(3)), "not that of those we stopped");
    assert_eq!(site.holding(), []);
}

#[test]
fn a_gang_that_ends_task_by_task_succeeds_with_the_last() {
    let mut site = Site::new(4, 0);
    let gang = site.submit(|job| job.gang = Gang { size: 2, min: 2 });
    let queued = site.submit(|job| job.request.cpu_milli = 3000);
    site.start(gang);
    site.end_rank(gang, 1, Exit::Code(0));
    site.stand(&[gang, queued], &["running", "starting"]);
    site.end_rank(gang, 0, Exit::Code(0));
    site.stand(&[gang], &["succeeded"]);
}

#[test]
fn an_array_is_as_many_jobs_with_one_number_in_common() {
    let mut site = Site::new(2, 0);
    let jobs = site.array(5, None);
    for (index, id) in (0u32..).zip(&jobs) {
        let place = site.job(*id).spec.array.unwrap();
        assert_eq!((place.id, place.index), (jobs[0], index));
    }
    site.stand(&jobs, &["starting", "starting", "queued", "queued", "queued"]);
}

#[test]
fn an_array_runs_no_more_elements_at_once_than_its_throttle() {
    let mut site = Site::new(8, 0);
    let jobs = site.array(4, Some(2));
    let other = site.submit(|_| {});
    site.stand(&jobs, &["starting", "starting", "queued", "queued"]);
    site.stand(&[other], &["starting"]);
    assert_eq!(site.because(jobs[2]), "array_throttle running=2 throttle=2");
    site.start_all();
    site.end(jobs[0], 1);
    site.stand(&jobs, &["failed", "running", "starting", "queued"]);
}

#[test]
fn a_frozen_element_counts_and_may_go_on_under_its_throttle() {
    let mut site = Site::new(8, 0);
    let jobs = site.array(2, Some(1));
    site.start_all();
    site.pause(jobs[0]);
    site.stand(&jobs, &["paused", "queued"]);
    site.resume(jobs[0]);
    site.stand(&jobs, &["running", "queued"]);
}
