//! News from the runner that comes twice, late or out of order.

use holdshort::base::{JobId, TaskId};
use holdshort::model::command::{TaskEvent, Verb};
use holdshort::model::job::Exit;

use super::world::Site;

fn everything(rank: u32) -> [TaskEvent; 5] {
    [
        TaskEvent::Started { pid: 9 },
        TaskEvent::Ended { exit: Exit::Code(i32::try_from(rank).unwrap()) },
        TaskEvent::GpuTaken { index: 0, by: "x".into() },
        TaskEvent::AtPrompt { text: "?".into() },
        TaskEvent::PromptOver,
    ]
}

#[test]
fn news_of_a_task_that_is_not_there_changes_nothing() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|job| job.requeue = true);
    site.start(job);
    site.act(job, Verb::Requeue);
    site.end(job, 143);
    let ended = site.submit(|_| {});
    site.start(ended);
    site.end(ended, 0);
    let strays = [
        TaskId { job, attempt: 1, rank: 0 },
        TaskId { job, attempt: 3, rank: 0 },
        TaskId { job, attempt: 2, rank: 1 },
        TaskId { job: ended, attempt: 1, rank: 0 },
        TaskId { job: JobId(99), attempt: 1, rank: 0 },
    ];
    for task in strays {
        for event in everything(task.rank) {
            site.event(task, event);
            assert_eq!(site.facts, [], "{task}");
        }
    }
}

#[test]
fn the_same_news_twice_changes_nothing() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|_| {});
    let task = TaskId { job, attempt: 1, rank: 0 };
    for event in [
        TaskEvent::Started { pid: 4 },
        TaskEvent::AtPrompt { text: "name?".into() },
        TaskEvent::PromptOver,
        TaskEvent::Ended { exit: Exit::Code(0) },
    ] {
        site.event(task, event.clone());
        assert_ne!(site.facts, []);
        site.event(task, event);
        assert_eq!(site.facts, []);
    }
}

#[test]
fn a_process_that_ended_before_its_start_was_seen_has_ended() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|_| {});
    site.end(job, 0);
    site.stand(&[job], &["succeeded"]);
}

#[test]
fn a_question_at_the_prompt_waits_in_the_human_lane_until_it_is_answered() {
    use holdshort::model::page::Lane;
    let mut site = Site::new(2, 0);
    let job = site.submit(|_| {});
    site.start(job);
    let task = TaskId { job, attempt: 1, rank: 0 };
    let human = |site: &Site| site.world.index().lane(Lane::Human, None).count();
    site.event(task, TaskEvent::AtPrompt { text: "Continue? [y/n]".into() });
    assert_eq!(human(&site), 1);
    let why = site.why(job);
    assert!(site.because(job).starts_with("at_prompt"));
    assert_eq!(why.also[0].code.word(), "running", "it runs meanwhile");
    site.act(job, Verb::Answered);
    assert_eq!(human(&site), 0);
    site.event(task, TaskEvent::AtPrompt { text: "Sure?".into() });
    site.pause(job);
    assert_eq!(human(&site), 0, "nobody can answer a frozen job");
    site.event(task, TaskEvent::AtPrompt { text: "Sure?".into() });
    assert_eq!(site.facts, []);
}

#[test]
fn a_start_that_is_seen_during_a_stop_does_not_make_it_run() {
    let mut site = Site::new(2, 0);
    let job = site.submit(|_| {});
    site.cancel(job);
    site.event(TaskId { job, attempt: 1, rank: 0 }, TaskEvent::Started { pid: 4 });
    site.stand(&[job], &["stopping"]);
    assert_eq!(site.job(job).tasks[0].pid, Some(4));
    site.exit(job, &Exit::Signal(15));
    site.stand(&[job], &["cancelled"]);
}
