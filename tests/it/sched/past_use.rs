//! What a team used in the past counts against its part of the surplus, as long as it has not
//! faded, and only if the configuration says so.

use holdshort::base::{JobId, Span};
use holdshort::model::job::JobSpec;
use holdshort::model::team::{Bounds, Terms};
use holdshort::model::{Command, Team};

use super::world::Site;

/// Ten cores that nobody is owed, for two teams of the same weight.
fn site(half_life: Option<Span>) -> Site {
    let mut site = Site::new(10, 0);
    let quota = Bounds { cpu_milli: Some(0), ..Bounds::default() };
    let terms = Terms { quota, ..Terms::default() };
    let team = |name: &str| Team { terms: terms.clone(), ..Team::named(name) };
    site.configure(|setup| {
        setup.teams = ["ml", "web"].map(team).into();
        setup.cycle.usage_half_life = half_life;
    });
    site
}

fn preemptible(team: &str) -> impl Fn(&mut JobSpec) + Clone {
    let team = team.to_owned();
    move |job: &mut JobSpec| {
        job.team = (&*team).into();
        job.request.mem_bytes = 0;
        job.preemptible = true;
        job.requeue = true;
    }
}

/// Team ml has all cores for so long; then both teams want all. How many cores each holds in
/// the end.
fn after(site: &mut Site, hours: u64) -> (usize, usize) {
    let mine: Vec<JobId> = (0..10).map(|_| site.submit(preemptible("ml"))).collect();
    mine.iter().for_each(|job| site.start(*job));
    for _ in 0..hours {
        site.advance(Span::hours(1));
        site.run(Command::Tick);
        // Facts wind the meter; a job that comes and goes is one.
        let passing = site.submit(|job| job.request.cpu_milli = 0);
        site.start(passing);
        site.end(passing, 0);
    }
    (0..10).for_each(|_| {
        site.submit(preemptible("web"));
    });
    for job in mine {
        if site.job(job).stop.is_some() {
            site.end(job, 143);
        }
    }
    let held = |team: &str| {
        let jobs = site.holding();
        jobs.iter().filter(|job| &*site.job(**job).spec.team == team).count()
    };
    (held("ml"), held("web"))
}

#[test]
fn past_use_counts_only_with_a_half_life() {
    assert_eq!(after(&mut site(None), 10), (5, 5));
    assert_eq!(after(&mut site(Some(Span::hours(4))), 10), (1, 9));
}

#[test]
fn a_weight_of_zero_does_not_look_at_past_use() {
    let mut site = site(Some(Span::hours(4)));
    site.configure(|setup| setup.cycle.usage_weight = 0);
    assert_eq!(after(&mut site, 10), (5, 5));
}
