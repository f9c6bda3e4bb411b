//! A hundred thousand queued jobs: what is decided per job must not grow with their number.

use holdshort::base::{At, JobId, Mono, TaskId};
use holdshort::model::command::{Command, TaskEvent};
use holdshort::model::job::{Exit, JobSpec};
use holdshort::model::page::Lane;
use holdshort::sched::{World, decide};

use super::world::{Site, owner, spec, submit};

const QUEUED: usize = 100_000;
const ENDED: usize = 1_000;

fn step(world: &mut World, at: At, command: &Command) -> Vec<JobId> {
    let decision = decide(world, command, at).unwrap();
    *world = decision.world;
    decision.jobs
}

#[test]
fn a_hundred_thousand_queued_jobs_start_and_end_one_by_one() {
    let site = Site::new(2, 0);
    let (mut world, mut at) = (site.world, site.at);
    // Twenty kinds of job in two teams at three priorities: shapes, not a single queue.
    let kind = |n: usize| {
        let mut job = JobSpec { priority: [100, 200, 300][n % 3], ..spec() };
        job.request.cpu_milli = 500 + 100 * (n as u64 % 10);
        job.team = ["default", "ml"][n % 2].into();
        job
    };
    for batch in 0..QUEUED / 1000 {
        let jobs = (0..1000).map(|n| kind(batch * 1000 + n)).collect();
        step(&mut world, at, &Command::Submit(submit(jobs, owner())));
    }
    assert_eq!(world.jobs().count(), QUEUED);
    let mut ended = 0;
    while ended < ENDED {
        let running: Vec<JobId> =
            world.index().lane(Lane::Running, None).map(|(_, job)| job).collect();
        assert!(!running.is_empty(), "somebody always fits");
        for job in running {
            at.now = Mono(at.now.0 + 1);
            let task = TaskId { job, attempt: 1, rank: 0 };
            for event in [TaskEvent::Started { pid: 1 }, TaskEvent::Ended { exit: Exit::Code(0) }] {
                step(&mut world, at, &Command::Task { task, event });
            }
            ended += 1;
        }
    }
    let counts = world.index().counts();
    assert_eq!(counts.ended as usize, ended);
    assert_eq!((counts.queued + counts.running) as usize, QUEUED - ended);
    // The best of them went first.
    let mut done = world.jobs().filter(|job| !job.is_live());
    assert!(done.all(|job| job.spec.priority == 300));
}
