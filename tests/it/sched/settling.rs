//! One cycle decides all: what it gives it does not take back, and what stands in nobody's way is
//! given. Found by random sequences ([`super::random`]), kept here by name.

use holdshort::base::Span;
use holdshort::model::job::Gang;
use holdshort::model::setup::Countable;

use super::random::teams;
use super::world::Site;

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
