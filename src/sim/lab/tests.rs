//! The subtle rules on small traces, job by job; every policy against a plain second
//! implementation; and what no schedule can go below.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;

use super::plain::Plain;
use super::policy::Rule;
use super::*;

/// Submit, run, processors, request, user.
type Row = (u64, u64, u32, u64, u32);

/// A trace of these jobs, numbered from 1, by way of its text.
fn trace(rows: &[Row]) -> Trace {
    let mut text = String::new();
    for (number, (submit, run, size, request, user)) in (1..).zip(rows) {
        let rest = format!("{size} {request} -1 1 {user} -1 -1 -1 -1 -1 -1");
        writeln!(text, "{number} {submit} -1 {run} -1 -1 -1 {rest}").unwrap();
    }
    Trace::parse(text.as_bytes()).unwrap()
}

/// Waits by job number.
fn waits(policy: &str, processors: u32, rows: &[Row]) -> Vec<u64> {
    let trace = trace(rows);
    let schedule = reference(&trace, policy.parse().unwrap(), processors).unwrap();
    let mut waits: Vec<_> =
        schedule.waits(&trace).map(|(job, wait)| (job.number, wait.0 / 1000)).collect();
    waits.sort_unstable();
    waits.into_iter().map(|(_, wait)| wait).collect()
}

#[test]
fn the_head_starts_first_and_only_backfilling_passes_it() {
    let rows = [(0, 100, 3, 100, 1), (1, 50, 4, 50, 1), (2, 10, 1, 20, 1)];
    assert_eq!(waits("fcfs", 4, &rows), [0, 99, 148]);
    assert_eq!(waits("easy", 4, &rows), [0, 99, 0]);
    assert_eq!(waits("conservative", 4, &rows), [0, 99, 0]);
}

#[test]
fn a_predicted_end_frees_processors_for_a_submission_of_that_second() {
    // The first ends at 100 as predicted. Job 2 comes at 100, before that end is handled.
    let rows = [(0, 100, 4, 100, 1), (100, 10, 4, 10, 1), (100, 10, 4, 10, 1)];
    for policy in ["fcfs", "easy", "easy++", "conservative"] {
        assert_eq!(waits(policy, 4, &rows), [0, 0, 10], "{policy}");
    }
    // An end ahead of its prediction is handled after the submissions of its second.
    let rows = [(0, 100, 3, 200, 1), (50, 10, 2, 300, 1), (100, 10, 1, 400, 1)];
    assert_eq!(waits("easy", 4, &rows), [0, 50, 0]);
}

#[test]
fn jobs_of_nobody_are_predicted_like_those_of_one_user() {
    // Two short runs make job 5 look short enough to pass the head.
    let rows = [
        (0, 5, 1, 90, 1),
        (0, 7, 1, 90, 1),
        (0, 50, 3, 50, 9),
        (11, 90, 5, 90, 9),
        (12, 20, 1, 90, 1),
    ];
    let starts = |users: &dyn Fn(usize) -> Option<u32>| {
        let mut trace = trace(&rows);
        trace.jobs.iter_mut().enumerate().for_each(|(at, job)| job.user = users(at));
        reference(&trace, "easy-tsafrir".parse().unwrap(), 5).unwrap()
    };
    assert_eq!(starts(&|_| None), starts(&|_| Some(7)));
    assert_ne!(starts(&|_| None), starts(&|at| u32::try_from(at).ok()));
}

#[test]
fn at_one_instant_submissions_come_before_ends() {
    // Job 1 ends early in the second in which jobs 4 and 5 come, both short enough to pass the
    // head. The end's pass knows both and takes the shorter.
    let rows = [
        (0, 10, 2, 90, 1),
        (0, 100, 2, 100, 1),
        (1, 9, 4, 9, 1),
        (10, 80, 2, 80, 1),
        (10, 50, 2, 50, 1),
    ];
    assert_eq!(waits("easy-sjbf", 4, &rows), [0, 0, 99, 99, 0]);
    assert_eq!(waits("easy", 4, &rows), [0, 0, 99, 0, 99]);
}

#[test]
fn a_prediction_that_comes_true_does_not_run_out() {
    // Job 4 runs for 10 as predicted. What comes in the second of its end finds its processors
    // free, so job 6 starts before job 7 is known; were it taken for late, job 7 would be first.
    let rows = [
        (0, 10, 1, 900, 7),
        (0, 10, 1, 900, 7),
        (100, 100, 2, 100, 8),
        (100, 10, 2, 900, 7),
        (101, 9, 4, 9, 8),
        (110, 80, 2, 80, 9),
        (110, 50, 2, 50, 9),
    ];
    assert_eq!(waits("easy++-request", 4, &rows), [0, 0, 0, 0, 99, 0, 99]);
}

#[test]
fn a_job_may_end_at_the_shadow_but_not_after_it() {
    let with = |request| [(0, 100, 3, 100, 1), (1, 9, 4, 9, 1), (2, 5, 1, request, 1)];
    assert_eq!(waits("easy", 4, &with(98)), [0, 99, 0], "2 + 98 = 100");
    assert_eq!(waits("easy", 4, &with(99)), [0, 99, 107], "behind the head, which fills all");
    assert_eq!(waits("easy-doubled", 4, &with(99)), [0, 99, 0], "the shadow is at 200 then");
}

#[test]
fn extra_shrinks_only_by_what_ends_after_the_shadow() {
    // At 100 the head (4 of 6) leaves 2. One long job takes 1 of them, a second the other, a
    // third gets none; the short ones do not count.
    let rows = [
        (0, 100, 3, 100, 1),
        (0, 20, 1, 20, 1),
        (1, 9, 4, 9, 1),
        (2, 5, 1, 500, 1),
        (2, 5, 1, 5, 1),
        (3, 300, 2, 500, 1),
        (8, 300, 1, 500, 1),
    ];
    // Job 6 needs both of the two that job 4 has cut to one until 7; then the pass at its end
    // counts anew.
    assert_eq!(waits("easy", 6, &rows), [0, 0, 99, 0, 0, 4, 101]);
}

#[test]
fn a_submission_that_does_not_fit_starts_no_pass_unless_the_policy_is_eager() {
    // User 7's predictions: job 3's is corrected at 130, which moves the shadow of job 4 back so
    // that job 5 could start; nothing looks until job 6 comes and does not fit.
    let rows = [
        (0, 10, 1, 900, 7),
        (0, 10, 1, 900, 7),
        (100, 300, 3, 900, 7),
        (101, 10, 4, 10, 8),
        (102, 5, 1, 600, 9),
        (150, 10, 2, 600, 9),
    ];
    assert_eq!(waits("easy-tsafrir-request", 4, &rows)[4], 308);
    assert_eq!(waits("easy++-request", 4, &rows)[4], 48);
}

#[test]
fn a_prediction_counts_completed_runs_and_not_those_of_its_own_second() {
    // Two runs of 10 make a prediction of 10: job 4, seen so, fits before job 3's shadow at 150.
    // With the second run ending in the second of job 4's submission the request holds.
    let with = |second| {
        let first = [(0, 10, 1, 90, 7), (second, 10, 1, 90, 7)];
        let rest = [(40, 110, 3, 110, 1), (45, 9, 4, 9, 1), (50, 10, 1, 900, 7)];
        [first.as_slice(), &rest].concat()
    };
    assert_eq!(waits("easy-tsafrir-request", 4, &with(20)), [0, 0, 0, 105, 0]);
    assert_eq!(waits("easy-tsafrir-request", 4, &with(40)), [0, 0, 0, 105, 109]);
}

#[test]
fn corrections_go_step_by_step_or_to_the_request() {
    // Job 3 is predicted to take 10 and takes 200. Of the head, job 4, the shadow is therefore
    // at 110 first; after a correction at 170 (one minute) or 1000 (the request).
    let rows = |submit| {
        [
            (0, 10, 1, 900, 7),
            (0, 10, 1, 900, 7),
            (100, 200, 3, 900, 7),
            (101, 10, 4, 10, 8),
            (submit, 5, 1, 60, 9),
        ]
    };
    assert_eq!(waits("easy-tsafrir", 4, &rows(110))[4], 0, "110 + 60 = 170: at the shadow");
    assert_eq!(waits("easy-tsafrir", 4, &rows(111))[4], 199);
    assert_eq!(waits("easy-tsafrir-request", 4, &rows(111))[4], 0);
    // The second step lengthens the prediction by four minutes, from 70 to 310.
    assert_eq!(waits("easy-tsafrir", 4, &rows(170))[4], 0);
    assert_eq!(waits("easy-tsafrir", 4, &rows(109))[4], 201, "before the first correction");
}

#[test]
fn shortest_first_takes_the_shorter_prediction_and_of_equals_the_earlier() {
    let rows = [
        (0, 100, 3, 100, 1),
        (0, 5, 1, 5, 1),
        (1, 9, 4, 9, 1),
        (2, 20, 1, 20, 1),
        (3, 10, 1, 10, 1),
        (4, 10, 1, 10, 1),
    ];
    assert_eq!(waits("easy", 4, &rows), [0, 0, 99, 3, 22, 31]);
    assert_eq!(waits("easy-sjbf", 4, &rows), [0, 0, 99, 23, 2, 11]);
}

#[test]
fn conservative_protects_all_and_compresses_at_every_end() {
    // Job 4 would not delay the head (job 2) but job 3, whose reservation it respects.
    let rows = [(0, 100, 2, 100, 1), (1, 100, 3, 100, 1), (2, 50, 4, 50, 1), (3, 120, 1, 220, 1)];
    assert_eq!(waits("easy", 4, &rows), [0, 99, 198, 0], "120 < 200 in truth, 223 by request");
    assert_eq!(waits("conservative", 4, &rows), [0, 99, 198, 247]);
    // An early end lets the waiting jobs move forward in the order they came.
    let rows = [(0, 10, 4, 100, 1), (1, 50, 4, 50, 1), (2, 20, 2, 20, 1), (3, 20, 2, 20, 1)];
    assert_eq!(waits("conservative", 4, &rows), [0, 9, 58, 57]);
    // At 4 job 3 moves from 30 to 25 only, for job 4 stands at 20 until it moves itself. The end
    // of job 4 at 9, as reserved, gives nothing back, and yet lets job 3 move on to 20.
    let rows = [(0, 20, 1, 20, 1), (0, 4, 1, 30, 1), (1, 10, 2, 10, 1), (2, 5, 1, 5, 1)];
    assert_eq!(waits("conservative", 2, &rows), [0, 0, 19, 2]);
}

#[test]
fn a_job_larger_than_the_machine_is_named_with_its_line() {
    let trace = trace(&[(0, 1, 4, 1, 1), (0, 1, 5, 1, 1)]);
    let error = reference(&trace, Policy::ALL[1], 4).unwrap_err();
    assert_eq!(error.to_string(), "line 2: job 2 needs 5 processors, the machine has 4");
}

/// Jobs in a short time on few processors, so that instants coincide.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..60u64, 1..90u64, 1..=6u32, 0..60u64, 0..3u32);
    vec(
        row.prop_map(|(submit, run, size, more, user)| (submit, run, size, run + more, user)),
        1..25,
    )
}

proptest! {
    #[test]
    fn every_policy_agrees_with_its_rules_written_plainly(rows in rows()) {
        let trace = trace(&rows);
        for policy in Policy::ALL {
            let schedule = reference(&trace, policy, 6).unwrap();
            let waits: Vec<u64> = schedule.waits(&trace).map(|(_, wait)| wait.0 / 1000).collect();
            let plain = Plain::new(&trace, 6);
            let expected = match policy.rule() {
                Rule::Queue(rule) => plain.queued(rule),
                Rule::Conservative => plain.conservative(),
            };
            prop_assert_eq!(waits, expected, "{}", policy);
        }
    }

    #[test]
    fn no_schedule_takes_more_than_there_is_or_goes_below_the_bounds(rows in rows()) {
        let trace = trace(&rows);
        for policy in Policy::ALL {
            let schedule = reference(&trace, policy, 6).unwrap();
            for at in schedule.starts.iter() {
                let running = trace.jobs.iter().zip(&schedule.starts).filter(|(job, start)| {
                    *start <= at && *at < **start + job.run
                });
                prop_assert!(running.map(|(job, _)| job.size).sum::<u32>() <= 6, "{}", policy);
            }
            let metrics = Metrics::of(&trace, &schedule, 6);
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let last_end = metrics.last_end.0 as f64 / 1000.0;
            prop_assert!(last_end >= bounds::last_end_s(&trace, 6) - 1e-6, "{}", policy);
            let flow = metrics.flow_s.mean;
            prop_assert!(flow >= bounds::mean_flow_s(&trace, 6) - 1e-6, "{}", policy);
            prop_assert!(metrics.utilisation <= 1.0 + 1e-9, "{}", policy);
        }
    }
}

#[test]
fn the_bounds_are_reached_where_they_can_be() {
    // One job after the other fills the machine: 10 s of work each, submitted together.
    let rows = [(5, 10, 6, 10, 1), (5, 10, 6, 10, 1), (5, 10, 6, 10, 1)];
    let trace = trace(&rows);
    assert_eq!(bounds::last_end_s(&trace, 6), 35.0);
    assert_eq!(bounds::mean_flow_s(&trace, 6), 20.0);
    let schedule = reference(&trace, Policy::ALL[0], 6).unwrap();
    let metrics = Metrics::of(&trace, &schedule, 6);
    assert_eq!((metrics.last_end.0, metrics.flow_s.mean), (35_000, 20.0));
    assert_eq!(metrics.utilisation, 1.0);
}
