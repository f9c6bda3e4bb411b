//! Sequences that once broke a rule, as short as they could be made.

use holdshort::base::Span;
use holdshort::model::Resources;
use holdshort::model::job::{Exit, Gang, Groups, JobSpec, TaskGroup, TaskState};

use super::world::Site;

/// No memory, so many thousandths of cores.
fn cpu(milli: u64) -> impl Fn(&mut JobSpec) + Copy {
    move |job| {
        job.request = Resources { cpu_milli: milli, ..Resources::default() };
        job.priority = 100;
    }
}

#[test]
fn room_that_a_stuck_process_holds_is_promised_to_nobody_and_why_says_so() {
    let mut site = Site::bare();
    site.node("n1", 3, 6, 0);
    let stuck = site.submit_many(2, |job| {
        cpu(1000)(job);
        job.time_limit = Some(Span::secs(5));
    });
    site.start_all();
    // Told to stop, and still there long after that.
    site.advance(Span::secs(1000));
    site.stand(&stuck, &["stopping", "stopping"]);
    let gang = site.submit(|job| {
        cpu(500)(job);
        job.gang = Gang { size: 2, min: 2 };
    });
    let first = site.submit(cpu(1000));
    let second = site.submit(cpu(500));
    site.end_rank(gang, 0, Exit::Code(1));
    // The first is promised what the gang gives back; the second may not take half of it.
    assert_eq!(site.because(first).split(' ').next(), Some("promised"));
    assert_eq!(site.because(second), "no_room best_cpu_milli=0 need_cpu_milli=500");
    site.end_rank(gang, 1, Exit::Signal(15));
    site.stand(&[first, second], &["starting", "queued"]);
    site.end(stuck[0], 0);
    site.stand(&[second], &["starting"]);
}

/// Two whole cores and, from one up to two, half ones.
fn two_kinds(job: &mut JobSpec) {
    let group = |name: &str, size, min, milli| TaskGroup {
        name: name.into(),
        within: None,
        gang: Gang { size, min },
        request: Resources { cpu_milli: milli, ..Resources::default() },
        node_labels: [].into(),
    };
    let groups = vec![group("whole", 2, 2, 1000), group("half", 2, 1, 500)];
    let groups = Groups { groups, ..Groups::default() };
    (job.requeue, job.preemptible, job.gang) = (true, true, groups.gang());
    job.groups = Some(Box::new(groups));
}

#[test]
fn a_task_that_follows_one_that_was_taken_is_booked_as_its_own_kind() {
    let mut site = Site::bare();
    site.configure(|setup| setup.teams = super::random::teams());
    site.node("n1", 3, 6, 0);
    let gang = site.submit(|job| {
        cpu(1000)(job);
        two_kinds(job);
    });
    site.start_all();
    let taker = site.submit(|job| {
        cpu(500)(job);
        job.team = "ml".into();
    });
    site.stand(&[gang, taker], &["running", "queued"]);
    site.end_rank(gang, 3, Exit::Signal(15));
    site.start(taker);
    site.advance(Span::secs(5));
    site.end(taker, 0);
    // Its rank is beyond those of all groups.
    assert_eq!(site.tasks(gang, |state| state == TaskState::Starting)[0].rank, 4);
    site.advance(Span::secs(5));
}
