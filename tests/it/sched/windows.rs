//! Windows of teams: what holds at which hour, and what a change of the hour does and does not.

use holdshort::base::calendar::{Weekly, clock_in};
use holdshort::base::{JobId, Name, Span};
use holdshort::model::command::{Command, TeamChange};
use holdshort::model::fact::Rule;
use holdshort::model::job::Exit;
use holdshort::model::reason::Code;
use holdshort::model::refusal::RefusalCode;
use holdshort::model::team::{Bounds, BoundsChange, Terms, TermsChange};
use holdshort::model::window::{Window, WindowTerms};
use holdshort::model::{Fact, Team};
use holdshort::sched::actions::windows::openings;
use holdshort::view::sight::Sight;
use holdshort::view::words;

use super::world::{Site, owner};

pub fn cores(n: u64) -> Bounds {
    Bounds { cpu_milli: Some(n * 1000), ..Bounds::default() }
}

/// Sites begin on a Friday, 08:00 UTC, which is 09:00 in Berlin.
fn window(team: &str, from: &str, to: &str, terms: WindowTerms) -> Window {
    let weekly = Weekly::parse("Europe/Berlin", "mon-fri", from, to).unwrap();
    Window { name: format!("{team}-{from}").into(), team: team.into(), weekly, terms }
}

/// Team `ml` owns a limit of one core, and has three from 10:00 to 18:00.
fn site() -> Site {
    let mut site = Site::new(4, 0);
    site.configure(|setup| {
        let terms = Terms { limit: cores(1), ..Terms::default() };
        setup.teams = vec![Team { terms, ..Team::named("ml") }];
        let more = WindowTerms { limit: Some(cores(3)), ..WindowTerms::default() };
        setup.windows = vec![window("ml", "10:00", "18:00", more)];
    });
    site
}

fn limit(site: &Site) -> Option<u64> {
    let team = site.world.teams().find(|team| &*team.name == "ml").unwrap();
    team.terms.limit.cpu_milli
}

fn until(site: &Site) -> Option<String> {
    let team = site.world.teams().find(|team| &*team.name == "ml").unwrap();
    let window = team.window.as_ref()?;
    Some(clock_in(&window.zone, window.until, site.at.wall))
}

#[test]
fn a_window_replaces_terms_from_its_first_instant_to_its_last() {
    let mut site = site();
    assert_eq!((limit(&site), until(&site)), (Some(1000), None));
    site.advance(Span::mins(60) - Span(1));
    assert_eq!(limit(&site), Some(1000));
    site.advance(Span(1));
    assert_eq!((limit(&site), until(&site)), (Some(3000), Some("18:00 Berlin".into())));
    assert!(matches!(&site.facts[0], Fact::WindowOpened { team, .. } if &**team == "ml"));
    site.advance(Span::hours(8) - Span(1));
    assert_eq!(limit(&site), Some(3000));
    site.advance(Span(1));
    assert_eq!((limit(&site), until(&site)), (Some(1000), None));
    assert!(matches!(&site.facts[0], Fact::WindowClosed { .. }));
    // The weekend goes by; on Monday it opens again.
    site.advance(Span::hours(48));
    assert_eq!(limit(&site), Some(1000));
    site.advance(Span::hours(16));
    assert_eq!(limit(&site), Some(3000));
}

#[test]
fn what_is_set_meanwhile_is_the_teams_own_and_holds_afterwards() {
    let mut site = site();
    site.advance(Span::mins(60));
    let set = |terms: Terms| {
        let (team, change) = (Name::from("ml"), TeamChange::Set(Box::new(terms)));
        Command::Team { team, change, key: None, by: owner() }
    };
    site.run(set(Terms { limit: cores(2), priority: 7, ..Terms::default() }));
    assert_eq!(limit(&site), Some(3000));
    let team = |site: &Site| site.world.teams().find(|team| &*team.name == "ml").cloned().unwrap();
    assert_eq!(team(&site).terms.priority, 7, "what the window does not say is the team's own");
    let above = set(Terms { quota: cores(4), limit: cores(5), ..Terms::default() });
    assert_eq!(site.attempt(above).unwrap_err().code, RefusalCode::Usage, "its limit is 3 then");
    site.advance(Span::hours(8));
    assert_eq!((limit(&site), team(&site).terms.priority), (Some(2000), 7));
}

#[test]
fn two_changes_at_one_instant_do_not_undo_each_other() {
    let mut site = site();
    site.advance(Span::mins(60));
    let change = |said| {
        let (team, change) = (Name::from("ml"), TeamChange::Change(Box::new(said)));
        Command::Team { team, change, key: None, by: owner() }
    };
    let priority = TermsChange { priority: Some(7), ..TermsChange::default() };
    let quota = BoundsChange { cpu_milli: Some(Some(1000)), ..BoundsChange::default() };
    // Both were said by people who saw the same terms.
    site.run(change(priority));
    site.run(change(TermsChange { quota, ..TermsChange::default() }));
    let own = |site: &Site| {
        let team = site.world.teams().find(|team| &*team.name == "ml").unwrap();
        team.own().clone()
    };
    assert_eq!((own(&site).priority, own(&site).quota), (7, cores(1)));
    assert_eq!(own(&site).limit, cores(1), "not what the window says");
    site.run(change(TermsChange { quota: BoundsChange::NONE, ..TermsChange::default() }));
    assert_eq!((own(&site).priority, own(&site).quota), (7, Bounds::default()));
    let above = BoundsChange { cpu_milli: Some(Some(2000)), ..BoundsChange::default() };
    let above = change(TermsChange { quota: above, ..TermsChange::default() });
    assert_eq!(site.attempt(above).unwrap_err().code, RefusalCode::Usage, "above its own limit");
}

#[test]
fn configuration_closes_and_opens_windows_at_once_and_the_switch_turns_them_off() {
    let mut site = site();
    site.advance(Span::mins(60));
    site.configure(|setup| setup.cycle.off.extend(["window".into()]));
    assert_eq!((limit(&site), site.world.next_due(site.at).1), (Some(1000), None));
    site.configure(|setup| setup.cycle.off.clear());
    assert_eq!(limit(&site), Some(3000));
    site.configure(|setup| setup.windows[0].terms.limit = Some(cores(2)));
    assert_eq!(limit(&site), Some(2000));
    // Of two open ones the first in the list counts; when it closes, the other does.
    site.configure(|setup| {
        let all = WindowTerms { limit: Some(cores(4)), ..WindowTerms::default() };
        setup.windows.insert(0, window("ml", "09:00", "12:00", all));
    });
    assert_eq!((limit(&site), until(&site)), (Some(4000), Some("12:00 Berlin".into())));
    site.advance(Span::hours(2));
    assert_eq!((limit(&site), until(&site)), (Some(2000), Some("18:00 Berlin".into())));
    site.configure(|setup| setup.windows.clear());
    assert_eq!((limit(&site), until(&site)), (Some(1000), None));
}

#[test]
fn a_server_that_was_away_at_the_edge_finds_it_when_it_comes_back() {
    let mut site = site();
    site.down(Span::mins(90), true);
    site.reboot("boot-2");
    assert_eq!(limit(&site), Some(3000));
}
#[test]
fn jobs_start_when_a_window_opens_and_none_is_stopped_when_it_closes() {
    let mut site = site();
    let jobs = site.submit_many(3, |job| job.team = "ml".into());
    site.start_all();
    site.stand(&jobs, &["running", "queued", "queued"]);
    site.advance(Span::mins(60));
    site.start_all();
    site.stand(&jobs, &["running", "running", "running"]);
    site.advance(Span::hours(8));
    site.stand(&jobs, &["running", "running", "running"]);
    // Over its limit it gets nothing new, until it is within it again.
    let late = site.submit(|job| job.team = "ml".into());
    site.end(jobs[0], 0);
    site.end(jobs[1], 0);
    site.stand(&[late], &["queued"]);
    site.end(jobs[2], 0);
    site.stand(&[late], &["starting"]);
}

/// `day` is owed all four cores from 10:00 to 18:00 and nothing otherwise, `night` never anything.
fn two_teams() -> Site {
    let mut site = Site::new(4, 0);
    site.configure(|setup| {
        let terms = Terms { quota: cores(0), ..Terms::default() };
        let team = |name| Team { terms: terms.clone(), ..Team::named(name) };
        setup.teams = vec![team("day"), team("night")];
        let all = WindowTerms { quota: Some(cores(4)), ..WindowTerms::default() };
        setup.windows = vec![window("day", "10:00", "18:00", all)];
    });
    site
}

#[test]
fn at_the_edge_room_is_taken_back_with_notice_by_the_usual_rules() {
    let mut site = two_teams();
    let of = |site: &mut Site, team: &str| {
        let team = Name::from(team);
        site.submit_many(4, |job| {
            (job.team, job.preemptible, job.resumable) = (team.clone(), true, true);
        })
    };
    let night = of(&mut site, "night");
    site.start_all();
    let day = of(&mut site, "day");
    let stopping = |site: &Site, jobs: &[JobId]| {
        jobs.iter().filter(|job| site.word(**job) == "stopping").count()
    };
    let before = stopping(&site, &night);
    assert!(before < 4, "night keeps its fair share of what nobody is owed");
    site.advance(Span::mins(60));
    assert_eq!(stopping(&site, &night), 4, "owed to day now");
    let mut rules = night.iter().map(|job| site.job(*job).evicted.clone().unwrap().0.rule);
    assert!(rules.all(|rule| matches!(rule, Rule::ReclaimQuota | Rule::ReclaimFairness)));
    night.iter().for_each(|job| site.exit(*job, &Exit::Code(75)));
    site.start_all();
    site.stand(&day, &["running"; 4]);
    site.stand(&night, &["queued"; 4]);
    // At 18:00 nobody is owed anything, and night gets its part back.
    site.advance(Span::hours(8));
    assert_eq!(stopping(&site, &day), 2);
}

#[test]
fn why_names_the_open_window_until_when_it_is_and_what_holds_then() {
    let mut site = site();
    let of = |job: &mut holdshort::model::job::JobSpec| job.team = "ml".into();
    site.submit_many(3, of);
    let waits = site.submit(of);
    let window = |site: &Site| {
        let also = site.why(waits).also;
        let window = also.into_iter().find(|reason| reason.code == Code::WindowOpen);
        window.map(|reason| words::reason(&reason, &Sight::utc(site.at)))
    };
    assert_eq!(window(&site), None, "none is open yet");
    site.advance(Span::mins(60));
    let said = "window ml-10:00 of team ml is open until 18:00 Berlin; afterwards limit 1 core \
                instead of 3 cores";
    assert_eq!(window(&site).as_deref(), Some(said));
    site.start_all();
    let running = site.holding()[0];
    let also = site.why(running).also;
    assert!(also.iter().any(|reason| reason.code == Code::WindowOpen), "{also:?}");
}

#[test]
fn the_hours_of_windows_are_told_ahead_and_none_of_a_team_that_is_not_there() {
    let site = site();
    let from = site.at.wall;
    let all = openings(&site.world, from, from + Span::hours(96));
    let said: Vec<(String, String)> = all
        .iter()
        .map(|open| {
            assert_eq!((&*open.team, &*open.window), ("ml", "ml-10:00"));
            let clock = |at| clock_in(&open.zone, at, from);
            (clock(open.from), clock(open.until))
        })
        .collect();
    // From a Friday to a Tuesday: the days between are none of its days.
    let days = [("10:00", "18:00"), ("Mon 10:00", "Mon 18:00")];
    let days = days.map(|(from, until)| (format!("{from} Berlin"), format!("{until} Berlin")));
    assert_eq!(said, days);
    let mut site = site;
    site.switch("window", false);
    assert!(openings(&site.world, from, from + Span::hours(96)).is_empty());
}
