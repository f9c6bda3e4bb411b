//! The scene as it opens.

use super::*;
use crate::base::JobId;
use crate::model::fact::Rule;
use crate::model::filter::Filter;
use crate::model::page::{Ended, JobPage, JobRow, Lane, Query};
use crate::model::review::{ReviewAct, ReviewCommand, ReviewState, ReviewVerb, Verdict};
use crate::view::sight::Sight;

fn page(fleet: &Fleet) -> JobPage {
    let mark = fleet.world().looked(site::OWNER);
    let filter = Filter::default();
    let query = Query {
        filter,
        ended: Ended::Since(mark),
        limit: 2000,
        cursor: None,
        before: None,
        ids: vec![],
    };
    let program = |job: &crate::model::Job| fleet.program(job).cloned();
    crate::engine::pages::jobs(fleet.world(), fleet.seq(), fleet.at(), &query, &|_| true, &program)
}

fn of_lane(page: &JobPage, lane: Lane) -> Vec<&JobRow> {
    page.jobs.iter().filter(|row| row.lane == lane).collect()
}

fn names<'a>(rows: &[&'a JobRow]) -> Vec<&'a str> {
    rows.iter().map(|row| &*row.name).collect()
}

#[test]
fn the_scene_is_rich_for_any_seed() {
    for seed in [1, 7, 42, 4711] {
        let mut fleet = open(seed);
        fleet.check();
        assert_eq!(fleet.faults(), &[] as &[String]);
        assert_eq!((fleet.at().wall, fleet.refused()), (PRESENT, 0), "seed {seed}");
        let page = page(&fleet);
        let mut people = names(&of_lane(&page, Lane::Human));
        people.sort_unstable();
        let wanted = [
            "fix-auth",
            "migrate-sessions",
            "notify-customers",
            "refactor-billing",
            "rotate-keys",
            "triage-inbox",
        ];
        assert_eq!(people, wanted, "seed {seed}");
        asked(&fleet, seed);
        let running = names(&of_lane(&page, Lane::Running));
        for name in ["finetune-7b", "eval-nightly", "distill-q4", "crawl-eu", "ray-sweep"] {
            assert!(running.contains(&name), "seed {seed}: {name} in {running:?}");
        }
        let stuck: Vec<JobId> = fleet.world().index().stuck().collect();
        // Whoever only asks at a prompt is told of as well.
        let stuck = stuck.iter().map(|id| fleet.job(*id).unwrap());
        let stuck: Vec<&str> =
            stuck.filter(|job| job.prompt.is_none()).map(|job| &*job.spec.name).collect();
        assert_eq!(stuck, ["crawl-eu", "finetune-405b"], "seed {seed}");
        let queued: std::collections::BTreeSet<&str> =
            names(&of_lane(&page, Lane::Queued)).into_iter().collect();
        assert!((26..=34).contains(&queued.len()), "seed {seed}: {queued:?}");
        let ended = of_lane(&page, Lane::Ended);
        let failed: Vec<&JobRow> =
            ended.iter().filter(|row| row.state.word() == "failed").copied().collect();
        assert!(
            (10..=12).contains(&ended.len()) && failed.len() == 3,
            "seed {seed}: {:?}",
            names(&ended)
        );
    }
}

/// What was asked, and how it stands.
fn asked(fleet: &Fleet, seed: u64) {
    let desk = fleet.world().desk();
    let of = |name: &str| {
        let job = fleet.named(name).unwrap();
        desk.of_job(job.id).map(|review| review.state).collect::<Vec<_>>()
    };
    assert_eq!(of("pay-suppliers"), [ReviewState::Redeemed; 6], "seed {seed}");
    assert_eq!(of("docs-writer"), [ReviewState::Denied, ReviewState::Open], "seed {seed}");
    assert_eq!(of("triage-inbox"), [ReviewState::Open], "seed {seed}");
    assert_eq!(desk.open_count(), 5, "seed {seed}");
}

#[test]
fn a_yes_brings_the_job_back_and_its_right_is_used_once_it_takes_effect() {
    let mut fleet = open(7);
    let job = fleet.named("triage-inbox").unwrap().id;
    let review = fleet.world().desk().of_job(job).next().unwrap().clone();
    let verb = ReviewVerb::Vote {
        verdict: Verdict::Approve,
        reason: None,
        hash: Some(review.hash.to_string()),
        version: None,
        undo: Span::secs(10),
        uses: None,
        until: None,
        signature: None,
    };
    let act = ReviewAct { review: review.id, verb, by: site::person(site::OWNER), key: None };
    fleet.review_command(ReviewCommand::Act(act)).unwrap();
    let state = |fleet: &Fleet| fleet.world().desk().get(review.id).unwrap().state;
    assert_eq!(state(&fleet), ReviewState::Approved, "bob had said yes before");
    fleet.advance(fleet.at().now + Span::secs(9));
    assert_eq!(state(&fleet), ReviewState::Approved);
    fleet.advance(fleet.at().now + Span::hours(3));
    assert_eq!(state(&fleet), ReviewState::Redeemed);
    fleet.check();
    assert_eq!(fleet.faults(), &[] as &[String]);
}

#[test]
fn the_scene_lives_on() {
    let mut fleet = open(7);
    let before = fleet.seq();
    fleet.advance(fleet.at().now + Span::hours(6));
    fleet.check();
    assert_eq!(fleet.faults(), &[] as &[String]);
    assert!(fleet.seq() > before + 300, "{}", fleet.seq() - before);
    let counts = fleet.world().index().counts();
    assert!(counts.running >= 4 && counts.human >= 1, "{counts:?}");
}

#[test]
fn every_row_says_what_comes_next() {
    let fleet = open(7);
    let sight = Sight::utc(fleet.at());
    for row in &page(&fleet).jobs {
        let next = crate::view::next::next(row, &sight);
        assert!(!next.is_empty() && next != "waits for room", "{}: {next}", row.name);
    }
}

#[test]
fn the_scene_shows_borrowing_a_reclaim_a_preemption_and_a_reservation() {
    for seed in [1, 7] {
        let fleet = open(seed);
        let teams = crate::engine::teams::page(fleet.world(), fleet.seq(), fleet.at(), &|_| true);
        let ml = teams.teams.iter().find(|row| &*row.name == "ml").unwrap();
        assert_eq!((ml.held.gpu_milli, ml.terms.quota.gpu_milli), (7000, Some(5000)));
        assert!(ml.next_victim.is_some());
        let evicted = |name: &str| fleet.named(name).unwrap().evicted.clone().unwrap().0;
        let taken = evicted("ablate-heads");
        assert!(matches!(taken.rule, Rule::ReclaimFairness | Rule::ReclaimQuota), "{taken:?}");
        assert_eq!(
            taken.taker.and_then(|id| fleet.job(id)).unwrap().spec.name.as_ref(),
            "batch-embed"
        );
        assert_eq!(evicted("asr-calls").rule, Rule::Preempt);
        let kept = page(&fleet).jobs.into_iter().filter(|row| row.kept.is_some()).count();
        assert!(kept > 0, "seed {seed}: no room is kept for anybody");
    }
}
