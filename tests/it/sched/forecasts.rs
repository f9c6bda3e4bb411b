//! When waiting jobs will probably start, and what such forecasts were worth.

use holdshort::base::{JobId, Span};
use holdshort::model::estimate::Forecast;
use holdshort::model::job::JobSpec;
use holdshort::model::setup::Setup;
use holdshort::sched::future::forecast::{FORECASTS, forecasts};

use super::world::Site;

/// From when to when a job starts, in seconds from now.
fn range(site: &Site, job: JobId) -> Option<(u64, u64)> {
    let all = forecasts(&site.world, site.at, FORECASTS);
    let secs = |Forecast { from, to, .. }: &Forecast| {
        let left = |at: holdshort::base::Wall| at.since(site.at.wall).0 / 1000;
        (left(*from), left(*to))
    };
    all.get(&job).map(secs)
}

fn asks(cores: u64, secs: u64) -> impl Fn(&mut JobSpec) {
    move |spec| {
        spec.request.cpu_milli = cores * 1000;
        spec.estimate = Some(Span::secs(secs));
    }
}

fn site(cores: u64) -> Site {
    let mut site = Site::new(cores, 0);
    site.configure(|setup: &mut Setup| {
        setup.cycle.off.clear();
    });
    site
}

#[test]
fn each_starts_after_those_before_it_and_a_short_one_in_the_gap() {
    let mut site = site(4);
    let runs = site.submit(asks(3, 100));
    site.start(runs);
    let first = site.submit(asks(4, 50));
    let second = site.submit(asks(4, 30));
    let long = site.submit(asks(1, 500));
    assert_eq!(range(&site, first), Some((100, 100)));
    assert_eq!(range(&site, second), Some((150, 150)));
    assert_eq!(range(&site, long), Some((180, 180)));
    assert_eq!(range(&site, runs), None);
    site.advance(Span::secs(40));
    assert_eq!(range(&site, first), Some((60, 60)));
}

#[test]
fn a_start_that_waits_for_ends_of_which_nothing_is_known_is_a_guess() {
    let mut site = site(4);
    let known = site.submit(asks(2, 100));
    let unknown = site.submit(|spec| spec.request.cpu_milli = 2000);
    site.start_all();
    let sure = site.submit(asks(2, 10));
    let guess = |site: &Site, job| forecasts(&site.world, site.at, FORECASTS)[&job].guess;
    assert!(!guess(&site, sure));
    let all = site.submit(asks(4, 10));
    assert!(guess(&site, all));
    let after = site.submit(asks(4, 10));
    assert!(guess(&site, after), "it comes after one whose start is a guess");
    site.end(unknown, 0);
    assert!(!guess(&site, all) && !guess(&site, after));
    // What was known is outlived.
    site.advance(Span::secs(101));
    assert!(guess(&site, all));
    site.end(known, 0);
}

#[test]
fn the_range_is_that_of_the_runs_so_far() {
    let mut site = site(1);
    let named = |spec: &mut JobSpec| spec.name = "train".into();
    for n in 1..=10 {
        let job = site.submit(named);
        site.start(job);
        site.advance(Span::secs(10 * n));
        site.end(job, 0);
    }
    let runs = site.submit(named);
    site.start(runs);
    let waits = site.submit(named);
    let after = site.submit(named);
    assert_eq!(range(&site, waits), Some((50, 90)));
    assert_eq!(range(&site, after), Some((100, 180)));
}

#[test]
fn a_bound_of_the_team_is_waited_for_and_what_can_never_start_has_no_forecast() {
    let mut site = site(8);
    let runs = site.submit(asks(3, 100));
    site.start(runs);
    site.configure(|setup| {
        setup.teams.push(holdshort::model::Team::named("default"));
        let team = setup.teams.last_mut().unwrap();
        team.terms.limit.cpu_milli = Some(4000);
    });
    let waits = site.submit(asks(2, 10));
    site.stand(&[waits], &["queued"]);
    assert_eq!(range(&site, waits), Some((100, 100)));
    let never = site.submit(asks(9, 10));
    assert_eq!(range(&site, never), None);
    site.pause_team(None, None);
    assert_eq!(range(&site, waits), None);
}

/// Two teams of which each is owed so many cores.
fn teams(site: &mut Site, quota: [u64; 2]) {
    site.configure(|setup| {
        for (name, cores) in ["a", "b"].into_iter().zip(quota) {
            let mut team = holdshort::model::Team::named(name);
            team.terms.quota.cpu_milli = Some(cores * 1000);
            setup.teams.push(team);
        }
    });
}

/// What a team asks for; others may take its room if it says so.
fn of(team: &'static str, cores: u64, secs: u64, gives: bool) -> impl Fn(&mut JobSpec) {
    move |spec| {
        asks(cores, secs)(spec);
        spec.team = team.into();
        (spec.preemptible, spec.requeue) = (gives, gives);
    }
}

#[test]
fn a_firm_job_at_its_quota_waits_for_the_firm_ones_of_its_own_team() {
    let mut site = site(8);
    teams(&mut site, [2, 6]);
    let firm = site.submit(of("a", 2, 100, false));
    site.start(firm);
    let waits = site.submit(of("a", 2, 10, false));
    let after = site.submit(of("a", 1, 10, false));
    site.stand(&[waits, after], &["queued", "queued"]);
    assert_eq!(range(&site, waits), Some((100, 100)), "there is room, and no quota for it");
    assert_eq!(range(&site, after), Some((110, 110)));
    let more = site.submit(of("a", 3, 10, false));
    assert_eq!(range(&site, more), None, "more than its team is ever owed");
}

#[test]
fn a_long_queue_of_one_team_does_not_hide_the_start_of_a_team_at_its_share() {
    let mut site = site(4);
    teams(&mut site, [2, 2]);
    let own = site.submit(of("b", 2, 100, true));
    let other = site.submit(of("a", 2, 40, true));
    site.start(own);
    site.start(other);
    site.submit_many(30, of("a", 1, 40, true));
    let waits = site.submit(of("b", 2, 10, true));
    // Of the first jobs in line it is one, though thirty of the other team are older.
    let all = forecasts(&site.world, site.at, 8);
    assert!(all.contains_key(&waits), "{all:?}");
    // What the other team gives back is its own again, so it starts when its own team's ends.
    assert_eq!(range(&site, waits), Some((100, 100)));
}

#[test]
fn elements_of_an_array_start_as_those_before_them_end() {
    let mut site = site(8);
    let elements = site.array(4, Some(1));
    site.start(elements[0]);
    let starts: Vec<u64> = elements.iter().filter_map(|id| Some(range(&site, *id)?.1)).collect();
    assert_eq!(starts.len(), 3, "all that wait");
    assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "{starts:?}");
}

#[test]
fn what_forecasts_were_worth_is_kept() {
    let mut site = site(1);
    let mut percent = None;
    for n in 0..12 {
        let runs = site.submit(asks(1, 100));
        site.start(runs);
        let waits = site.submit(asks(1, 10));
        percent = forecasts(&site.world, site.at, FORECASTS)[&waits].hits_percent;
        // Every third runs on and on.
        site.advance(Span::secs(if n % 3 == 2 { 1000 } else { 95 }));
        site.end(runs, 0);
        site.start(waits);
        site.end(waits, 0);
    }
    assert_eq!(percent, Some(72), "eight of eleven");
}

#[test]
fn a_large_job_without_a_reservation_holds_nobody_back() {
    let mut site = site(4);
    teams(&mut site, [2, 2]);
    let own = site.submit(of("a", 3, 100, true));
    site.start(own);
    let other = site.submit(of("b", 1, 40, true));
    site.start(other);
    // Beyond its team's share: whoever fits before it goes before it.
    let large = site.submit(of("a", 4, 50, true));
    let small = site.submit(of("a", 1, 500, true));
    assert_eq!(site.job(large).reserved, None);
    assert_eq!(range(&site, small), Some((40, 40)));
    assert_eq!(range(&site, large), Some((540, 540)));
    site.advance(Span::secs(40));
    site.end(other, 0);
    site.stand(&[large, small], &["queued", "starting"]);
}

#[test]
fn what_comes_free_goes_to_the_team_whose_turn_it_is_then() {
    let mut site = site(4);
    teams(&mut site, [1, 3]);
    let own = site.submit_many(3, of("b", 1, 100, true));
    let other = site.submit(of("a", 1, 40, true));
    own.iter().chain([&other]).for_each(|job| site.start(*job));
    let many = site.submit_many(10, of("a", 1, 40, true));
    // It would have to wait until all four are free, and is ahead of the small one in its team.
    let large = site.submit(of("b", 4, 10, true));
    let small = site.submit(of("b", 1, 30, true));
    assert_eq!(range(&site, many[0]), Some((40, 40)));
    assert_eq!(range(&site, many[1]), Some((80, 80)));
    assert_eq!(range(&site, small), Some((100, 100)), "its team has its three cores back");
    assert!(range(&site, large).is_some_and(|(from, _)| from > 100));
}
