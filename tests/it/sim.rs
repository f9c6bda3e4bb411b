//! The simulation seen from outside: what it records is a journal like any other, and the demo
//! is a link like any other.

use holdshort::base::Span;
use holdshort::link::{JobQuery, Link};
use holdshort::model::page::Ended;
use holdshort::sched::{World, decide};
use holdshort::sim::{Demo, Fleet, Scale};

#[test]
fn the_records_of_a_busy_evening_give_the_same_world_again() {
    for seed in [11, 12] {
        let mut fleet = Fleet::new(seed, &Scale::BUSY);
        fleet.advance(fleet.at().now + Span::hours(5));
        let mut world = World::new();
        for record in fleet.records(0, usize::MAX) {
            let decision = decide(&world, &record.command, record.at).unwrap();
            assert_eq!(decision.facts, record.facts, "seed {seed}, record {}", record.seq);
            let mut applied = world.clone();
            record.facts.iter().for_each(|fact| applied.apply(record.at, fact));
            world = decision.world;
            assert_eq!(applied.at(), world.at());
            assert_eq!(applied.job_count(), world.job_count());
        }
        assert_eq!(world, *fleet.world(), "seed {seed}");
        assert_eq!(fleet.faults(), &[] as &[String]);
    }
}

#[test]
fn a_larger_installation_keeps_the_rules_too() {
    let scale = Scale { gpu_nodes: 12, cpu_nodes: 6, jobs_per_hour: 400, acts_per_hour: 60 };
    let mut fleet = Fleet::new(21, &scale);
    fleet.advance(fleet.at().now + Span::hours(4));
    fleet.check();
    assert_eq!(fleet.faults(), &[] as &[String]);
    let counts = fleet.world().index().counts();
    assert!(counts.running > 40, "{counts:?}");
}

#[tokio::test]
async fn a_demo_can_stand_behind_any_reader_of_links() {
    let link: Box<dyn Link> = Box::new(Demo::still(7, Span::ZERO));
    let ended = Ended::Since(link.looked(None).await.unwrap());
    let query =
        JobQuery { filter: "team=ml gpu=1..".into(), ended, limit: 200, ..JobQuery::default() };
    let page = link.jobs(query).await.unwrap();
    assert!(page.jobs.len() > 10, "{}", page.jobs.len());
    assert!(page.counts.human >= 4 && page.counts.stuck == 4);
    for row in &page.jobs {
        assert_eq!(link.job(row.id).await.unwrap().row, *row);
    }
}
