//! Countable resources that the other side, or a person, closes for a while.

use holdshort::base::{JobId, Span, Wall};
use holdshort::model::JobSpec;
use holdshort::model::command::{Command, Report, Until};
use holdshort::model::job::Gang;
use holdshort::model::refusal::{Refusal, RefusalCode};
use holdshort::model::setup::Countable;

use super::world::{Site, inside, owner, person};

fn ask(job: &mut JobSpec) {
    job.request.custom.insert("api:x".into(), 1);
}

fn told(site: &mut Site, job: JobId, until: Until) -> Result<(), Refusal> {
    let report = Report::Limited { resource: "api:x".into(), until };
    site.attempt(Command::Report { job, report, by: inside(job) }).map(drop)
}

fn limit(site: &mut Site, until: Option<Wall>) -> Result<(), Refusal> {
    let (resource, reason) = ("api:x".into(), Some("bill".to_owned()));
    site.attempt(Command::Limit { resource, until, reason, by: owner() }).map(drop)
}

fn until(site: &Site) -> Option<Wall> {
    site.world.limit_of("api:x", site.at.wall).map(|limited| limited.until)
}

#[test]
fn what_one_job_is_told_holds_for_everybody_until_then() {
    let mut site = Site::new(8, 0);
    let told_so = site.submit(ask);
    site.start(told_so);
    told(&mut site, told_so, Until::After(Span::secs(30))).unwrap();
    let reset = site.in_(Span::secs(30));
    let other = site.submit(|job| {
        ask(job);
        job.team = "ml".into();
        job.priority = 900;
    });
    let unrelated = site.submit(|_| {});
    site.stand(&[told_so, other, unrelated], &["running", "queued", "starting"]);
    let because = format!("limited by=owner job={told_so} resource=api:x until_at={}", reset.0);
    assert_eq!(site.because(other), because);
    site.advance(Span::secs(29));
    site.stand(&[other], &["queued"]);
    site.advance(Span::secs(1));
    site.stand(&[other], &["starting"]);
    assert_eq!(until(&site), None);
}

#[test]
fn the_longer_limit_stands() {
    let mut site = Site::new(8, 0);
    let job = site.submit(ask);
    let far = site.in_(Span::hours(5));
    told(&mut site, job, Until::At(far)).unwrap();
    told(&mut site, job, Until::After(Span::secs(30))).unwrap();
    assert_eq!(until(&site), Some(far));
}

#[test]
fn a_person_limits_and_lifts() {
    let mut site = Site::new(8, 0);
    let later = site.in_(Span::hours(1));
    limit(&mut site, Some(later)).unwrap();
    let job = site.submit(ask);
    let because = format!("limited by=owner resource=api:x until_at={} why=bill", later.0);
    assert_eq!(site.because(job), because);
    limit(&mut site, None).unwrap();
    site.stand(&[job], &["starting"]);
    let refusal = limit(&mut site, None).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Conflict);
}

#[test]
fn going_on_after_a_freeze_is_no_start() {
    let mut site = Site::new(8, 0);
    let job = site.submit(ask);
    site.start(job);
    let later = site.in_(Span::hours(1));
    limit(&mut site, Some(later)).unwrap();
    site.pause(job);
    site.resume(job);
    site.stand(&[job], &["running"]);
}

#[test]
fn what_makes_no_sense_or_is_not_theirs_is_refused() {
    let mut site = Site::new(8, 0);
    let (job, plain) = (site.submit(ask), site.submit(|_| {}));
    let now = site.at.wall;
    let code = |result: Result<(), Refusal>| result.unwrap_err().code;
    assert_eq!(code(told(&mut site, job, Until::At(now))), RefusalCode::Usage);
    let weeks = Until::After(Span::hours(9 * 24));
    assert_eq!(code(told(&mut site, job, weeks)), RefusalCode::Usage);
    let soon = Until::After(Span::secs(1));
    assert_eq!(code(told(&mut site, plain, soon)), RefusalCode::Forbidden);
    assert_eq!(code(limit(&mut site, Some(now))), RefusalCode::Usage);
    let later = Some(site.in_(Span::secs(5)));
    let by_others = |resource: &str, by| Command::Limit {
        resource: resource.into(),
        until: later,
        reason: None,
        by,
    };
    let refused = |command, site: &mut Site| site.attempt(command).unwrap_err().code;
    let sam = by_others("api:x", person("sam", 2));
    assert_eq!(refused(sam, &mut site), RefusalCode::Forbidden);
    let from_inside = by_others("api:x", inside(job));
    assert_eq!(refused(from_inside, &mut site), RefusalCode::Forbidden);
    let unknown = by_others("licence", owner());
    assert_eq!(refused(unknown, &mut site), RefusalCode::NotFound);
    assert_eq!(until(&site), None);
}

#[test]
fn fewer_units_than_are_held_let_nobody_new_in() {
    let mut site = Site::new(8, 0);
    let units = |count| Some(Countable { count, per_minute: None });
    site.resource("lic", units(3));
    site.switch("reservation", true);
    let gives = |tasks: u32| {
        move |job: &mut JobSpec| {
            job.request.custom = [("lic".into(), 1)].into();
            job.gang = Gang { size: tasks, min: tasks.min(2) };
            (job.preemptible, job.requeue) = (true, true);
        }
    };
    let holds = site.submit(gives(3));
    site.resource("lic", units(1));
    let waits = site.submit(gives(1));
    site.advance(Span::secs(5));
    site.down(Span::secs(300), false);
    site.stand(&[holds, waits], &["starting", "queued"]);
}
