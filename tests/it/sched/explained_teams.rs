//! `why` about whose turn it is, who holds what, and who gave room to whom; with the words.

use holdshort::base::{JobId, Span};
use holdshort::engine::teams;
use holdshort::model::JobSpec;
use holdshort::model::command::Verb;
use holdshort::model::job::{DependencyKind, Gang};
use holdshort::model::reason::Code;
use holdshort::model::team::{Bounds, Terms};
use holdshort::model::{Reason, Team};
use holdshort::view::sight::Sight;
use holdshort::view::words;

use super::world::{Site, after, countable, reason_text};

/// A preemptible job with a way back, of a team.
fn of(team: &str, cores: u64) -> impl Fn(&mut JobSpec) {
    let team = team.to_owned();
    move |job| {
        job.team = team.as_str().into();
        job.request.cpu_milli = cores * 1000;
        job.preemptible = true;
        job.requeue = true;
    }
}

/// Teams `a` and `b` that share the cores of one node, each with this quota of cores.
fn two_teams(cores: u64, quota: [u64; 2]) -> Site {
    let mut site = Site::new(cores, 0);
    let team = |name: &str, quota: u64| {
        let quota =
            Bounds { cpu_milli: Some(quota * 1000), mem_bytes: Some(1 << 50), gpu_milli: Some(0) };
        Team { terms: Terms { quota, ..Terms::default() }, ..Team::named(name) }
    };
    site.configure(|setup| setup.teams.extend([team("a", quota[0]), team("b", quota[1])]));
    site
}

fn also(site: &Site, job: JobId, code: Code) -> Option<Reason> {
    site.why(job).also.into_iter().find(|reason| reason.code == code)
}

#[track_caller]
fn said(site: &Site, job: JobId, code: Code) -> String {
    let reason = also(site, job, code).unwrap_or_else(|| panic!("{:#?}", site.why(job)));
    words::reason(&reason, &Sight::utc(site.at))
}

/// The lines of what would change it.
fn changes(site: &Site, job: JobId) -> Vec<String> {
    let why = site.why(job);
    why.would_change.iter().map(|reason| words::change(reason, &Sight::utc(site.at))).collect()
}

#[test]
fn the_place_in_the_queue_comes_with_its_keys() {
    let mut site = Site::new(1, 0);
    site.submit(|_| {});
    let jobs = site.submit_many(3, |_| {});
    let turn = said(&site, jobs[1], Code::Turn);
    assert!(turn.starts_with("number 2 of 3 in team default: priority 200, submitted"), "{turn}");
    site.act(jobs[2], Verb::Next);
    let turn = said(&site, jobs[2], Code::Turn);
    assert!(turn.starts_with("number 1 of 3") && turn.contains("moved to the front"), "{turn}");
}

#[test]
fn boosts_deadlines_and_inheritance_say_where_they_come_from() {
    let mut site = Site::new(1, 0);
    site.submit(|job| job.priority = 600);
    let deadline = site.in_(Span::hours(3));
    let old = site.submit(|job| {
        job.deadline = Some(deadline);
        job.estimate = Some(Span::hours(1));
    });
    let urgent = site.submit(|job| {
        job.priority = 400;
        job.after = vec![after(old, DependencyKind::Any)];
    });
    site.advance(Span::mins(65));
    let boosted = said(&site, old, Code::Boosted);
    assert!(boosted.starts_with("priority 200 +2 steps: it has waited since"), "{boosted}");
    assert!(boosted.ends_with(", sorted as 250"), "{boosted}");
    let inherits = said(&site, old, Code::Inherits);
    let expected = format!("has priority 400 instead of 250 from {urgent}, which comes after it");
    assert_eq!(inherits, expected);
    let deadline = said(&site, old, Code::Deadline);
    assert!(deadline.starts_with("should have ended by "), "{deadline}");
    assert!(deadline.contains(": must start by "), "{deadline}");
}

#[test]
fn a_team_at_its_share_takes_from_nobody_and_a_higher_quota_would_change_that() {
    let mut site = two_teams(4, [1, 1]);
    let theirs = site.submit(of("b", 2));
    let ours = site.submit(of("a", 2));
    site.start_all();
    let waits = site.submit(of("a", 1));
    assert!(site.because(waits).starts_with("no_room"), "{}", site.because(waits));
    let share = said(&site, waits, Code::AtShare);
    assert_eq!(
        share,
        "team a has its share (2 of 2 cores in use), so it takes from no other; this needs 1 core"
    );
    let would = changes(&site, waits);
    let quota = format!("the quota of team a is 3 cores, in place of {theirs}");
    assert!(would.contains(&quota), "{would:?}");
    let priority = format!("its priority is 201, in place of {ours}");
    assert!(would.contains(&priority), "{would:?}");
}

#[test]
fn who_took_the_room_is_said_with_the_numbers_of_both_teams() {
    let mut site = two_teams(4, [2, 2]);
    let theirs = site.submit_many(2, of("b", 2));
    site.start_all();
    let ours = site.submit(of("a", 2));
    let victim = theirs[1];
    site.stand(&[victim], &["stopping"]);
    let evicted = said(&site, victim, Code::Evicted);
    assert!(evicted.contains(&format!("it gave its room to {ours} at ")), "{evicted}");
    assert!(evicted.contains("its team holds more than its fair share"), "{evicted}");
    assert!(evicted.contains("a had 0 of 2 cores of its share, quota 2 cores"), "{evicted}");
    assert!(evicted.contains("b had 4 of 2 cores of its share, quota 2 cores"), "{evicted}");
    let promised = site.why(ours).reason;
    assert_eq!(reason_text(&promised), format!("promised jobs={victim} node=n1"));
    site.end(victim, 143);
    site.start(ours);
    let displaced = said(&site, ours, Code::Displaced);
    assert!(displaced.starts_with(&format!("{victim} gave room for it: ")), "{displaced}");
    assert!(also(&site, victim, Code::Evicted).is_some(), "still while it waits");
}

#[test]
fn one_that_runs_says_who_could_take_its_place() {
    let mut site = two_teams(4, [1, 1]);
    let ours = site.submit(of("a", 3));
    let firm = site.submit(|job| job.team = "b".into());
    site.start_all();
    let may = said(&site, ours, Code::MayGiveWay);
    assert!(may.contains("jobs of its team with a priority above 200"), "{may}");
    assert!(may.contains("not to other teams") || may.contains("is over its own"), "{may}");
    let keeps = said(&site, firm, Code::KeepsRoom);
    assert_eq!(keeps, "no rule takes its room: it is not preemptible");
}

#[test]
fn nobody_to_take_from_is_said_to_the_one_that_is_owed() {
    let mut site = two_teams(4, [4, 0]);
    site.configure(|setup| {
        let b = setup.teams.iter_mut().find(|team| &*team.name == "b").unwrap();
        b.terms.reclaim_min_runtime = Some(Span::hours(1));
    });
    let theirs = site.submit(of("b", 4));
    site.start_all();
    let waits = site.submit(of("a", 2));
    let owed = said(&site, waits, Code::Owed);
    let expected = "team a may have more (0 of 2 cores in use), but what b holds over its share \
                    may not be taken yet, or would be no help";
    assert_eq!(owed, expected);
    let may = said(&site, theirs, Code::MayGiveWay);
    assert!(may.contains("to teams below their share from "), "{may}");
    assert!(may.contains("for team b is over its own (4 of 2 cores)"), "{may}");
}

#[test]
fn a_delay_before_it_takes_room_is_said() {
    let mut site = Site::new(1, 0);
    site.submit(of("default", 1));
    site.start_all();
    let waits = site.submit(|job| {
        job.priority = 400;
        job.preemption_delay = Some(Span::mins(10));
    });
    let delay = said(&site, waits, Code::PreemptionDelay);
    assert!(delay.starts_with("it makes nobody give room until "), "{delay}");
}

#[test]
fn a_gang_that_does_not_fit_says_why_node_by_node() {
    let mut site = Site::bare();
    for (name, gpus) in [("n1", 2), ("n2", 2), ("n3", 0), ("n4", 2)] {
        site.node(name, 8, 64, gpus);
    }
    site.drain("n4", true);
    site.submit(|job| job.request.gpu_milli = 2000);
    let gang = site.submit(|job| {
        job.request.gpu_milli = 2000;
        job.gang = Gang { size: 3, min: 3 };
    });
    let because = site.because(gang);
    assert!(because.contains("nodes=4 nodes_drained=1 nodes_fit=1"), "{because}");
    let words = words::reason(&site.why(gang).reason, &Sight::utc(site.at));
    let expected = "needs room for all 3 tasks at once: 1 fits now; \
                    of 4 nodes 1 would do, 2 lack GPUs, 1 are drained";
    assert_eq!(words, expected);
}

#[test]
fn a_stuck_job_that_runs_says_what_is_stuck_first() {
    use holdshort::model::command::Command;
    use holdshort::model::finding::{Level, Signal};
    let mut site = Site::new(1, 0);
    let job = site.submit(|_| {});
    site.start(job);
    let find = |level| Command::Find {
        job,
        signal: Signal::NeverStarted,
        level: Some(level),
        evidence: [("silent_ms".into(), 300_000u64.into())].into(),
    };
    site.run(find(Level::Notice));
    assert_eq!(site.why(job).reason.code, Code::Running);
    site.run(find(Level::Stuck));
    let why = site.why(job);
    let said = words::reason(&why.reason, &Sight::utc(site.at));
    assert_eq!(said, "started and has given no sign of life (silent 5m)");
    assert_eq!(why.also[0].code, Code::Running);
    site.act(job, Verb::Ack);
    assert_eq!(site.why(job).reason.code, Code::Running, "somebody knows");
}

#[test]
fn what_would_change_it_holds_when_it_is_done() {
    let mut site = Site::new(2, 0);
    let runs = site.submit(of("default", 2));
    site.start_all();
    let waits = site.submit(of("default", 1));
    let would = site.why(waits).would_change;
    let priority = would.iter().find(|reason| reason.code == Code::PriorityWouldDo).unwrap();
    let text = reason_text(priority);
    assert_eq!(text, format!("priority_would_do job={waits} jobs={runs} priority=201"));
    let change = holdshort::model::command::Change { priority: Some(201), ..Default::default() };
    site.set(waits, change);
    site.stand(&[runs], &["stopping"]);
}

#[test]
fn a_unit_that_others_wait_for_is_said_to_its_holder() {
    let mut site = Site::new(4, 0);
    site.resource("lic", Some(countable(1, None)));
    let licensed = |priority| {
        move |job: &mut JobSpec| {
            job.priority = priority;
            job.request.custom.insert("lic".into(), 1);
        }
    };
    let holder = site.submit(licensed(100));
    site.start(holder);
    let urgent = site.submit(licensed(400));
    let inherits = said(&site, holder, Code::Inherits);
    let expected =
        format!("has priority 400 instead of 100 from {urgent}, which waits for its lic");
    assert_eq!(inherits, expected);
}

#[test]
fn a_team_over_its_share_says_since_when_at_least_and_an_owed_one_since_when_it_waits() {
    let mut site = two_teams(4, [2, 2]);
    let page = |site: &Site| teams::page(&site.world, 1, site.at, &|_| true);
    let since = |site: &Site, name: &str| {
        let row = page(site).teams.into_iter().find(|row| &*row.name == name).unwrap();
        (row.over_since.map(|at| at.now), row.owed_since.map(|at| at.now))
    };
    let firm = |job: &mut JobSpec| {
        (job.team, job.preemptible) = ("b".into(), true);
        job.requeue = true;
    };
    site.submit_many(2, firm);
    site.start_all();
    site.advance(Span::secs(30));
    let crossed = site.at.now;
    site.submit(firm);
    site.start_all();
    site.advance(Span::secs(10));
    assert_eq!(since(&site, "b"), (None, None), "nobody else wants any");
    // Whoever is owed may not take yet, so it waits.
    let delayed = |job: &mut JobSpec| {
        job.team = "a".into();
        job.request.cpu_milli = 2000;
        job.preemption_delay = Some(Span::hours(1));
    };
    let asked = site.at.now;
    site.submit(delayed);
    site.advance(Span::secs(5));
    assert_eq!(since(&site, "b"), (Some(crossed), None), "the third of its jobs was too many");
    assert_eq!(since(&site, "a"), (None, Some(asked)));
}
