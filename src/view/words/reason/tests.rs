//! Each code with all its numbers, with some and with none.

use super::*;
use crate::model::reason::{Numbers, Value};
use crate::view::sample::{NOON, at};

fn said(code: Code, numbers: &[(&str, Value)]) -> String {
    let numbers: Numbers = numbers.iter().map(|(k, v)| ((*k).into(), v.clone())).collect();
    reason(&Reason { code, numbers }, &Sight::utc(at(0)))
}

fn n(n: i64) -> Value {
    Value::Int(n)
}

fn t(text: &str) -> Value {
    text.into()
}

#[test]
fn lack_of_room_is_said_in_numbers() {
    let gpu = [("need_gpu_milli", n(4000)), ("best_gpu_milli", n(3000))];
    let many = [
        ("need_gpu_milli", n(4000)),
        ("best_gpu_milli", n(3000)),
        ("need_cpu_milli", n(8000)),
        ("best_cpu_milli", n(2500)),
        ("need_mem_bytes", n(1 << 30)),
        ("best_mem_bytes", n(2 << 30)),
    ];
    let never = [("need_gpu_milli", n(16_000)), ("largest_gpu_milli", n(8000))];
    for (code, numbers, sentence) in [
        (Code::NoRoom, &gpu[..], "needs 4 GPUs on one node: best has 3 free"),
        (
            Code::NoRoom,
            &many[..],
            "needs 4 GPUs and 8 cores on one node: best has 3 GPUs and 2.5 cores free",
        ),
        (
            Code::NeverFits,
            &never[..],
            "needs 16 GPUs on one node: the largest has 8, so it can never start",
        ),
        (
            Code::NeverFits,
            &[
                ("gang", n(4)),
                ("need_cpu_milli", n(1000)),
                ("largest_cpu_milli", n(2000)),
                ("placed", n(2)),
            ],
            "4 tasks, each needs 1 core on one node: the largest has 2, all nodes together have \
             room for 2 of them, so it can never start",
        ),
        (
            Code::NeverFits,
            &[("resource", t("api:x")), ("need", n(9)), ("count", n(6))],
            "needs 9 of api:x: there are 6, so it can never start",
        ),
    ] {
        assert_eq!(said(code, numbers), sentence);
    }
}

#[test]
fn other_sentences_carry_their_numbers_too() {
    let hour = NOON + 3_600_000;
    for (code, numbers, sentence) in [
        (
            Code::ResourceBusy,
            &[("resource", t("api:x")), ("need", n(2)), ("free", n(1)), ("count", n(6))][..],
            "needs 2 of api:x: 1 of 6 free",
        ),
        (
            Code::RateLimited,
            &[("resource", t("api:x")), ("count", n(50)), ("next_at", n(hour))],
            "api:x: 50 a minute used up, next 14:00",
        ),
        (
            Code::Paused,
            &[("by", t("ana")), ("until_at", n(hour)), ("why", t("lunch\x1b[31m"))],
            "paused by ana until 14:00: lunch",
        ),
        (Code::TeamPaused, &[("team", t("ml"))], "team ml is paused"),
        (Code::AfterJobs, &[("jobs", t("12, 13"))], "comes after 12, 13"),
        (Code::StartAt, &[("start_at", n(NOON + 20 * 3_600_000))], "starts tomorrow 09:00"),
        (
            Code::GangIncomplete,
            &[("gang", n(8)), ("min", n(4)), ("placed", n(3))],
            "needs room for 4 of its 8 tasks at once: 3 fit now",
        ),
        (
            Code::ArrayThrottle,
            &[("running", n(8)), ("throttle", n(8))],
            "its array runs 8 of at most 8 elements at once",
        ),
        (
            Code::Backoff,
            &[("retry", n(2)), ("retries", n(3)), ("until_at", n(NOON + 9_000))],
            "failed, retry 2 of 3 in 9s",
        ),
        (
            Code::Backoff,
            &[("retry", n(1)), ("retries", n(1)), ("until_at", n(hour))],
            "failed, retry 1 of 1 at 14:00",
        ),
        (
            Code::Stopping,
            &[("for", t("timeout"))],
            "its processes are being ended: its time limit is reached",
        ),
        (Code::Ended, &[("code", n(3))], "it ended with exit code 3"),
        (Code::Ended, &[("code", n(137)), ("signal", n(9))], "it ended by signal 9 (KILL)"),
        (
            Code::Ended,
            &[("code", n(127)), ("text", t("command not found: x"))],
            "it could not be started: command not found: x",
        ),
        (
            Code::GpuForeign,
            &[
                ("need_gpu_milli", n(1000)),
                ("best_gpu_milli", n(0)),
                ("count", n(1)),
                ("by", t("Xorg")),
            ],
            "needs 1 GPU on one node: best has 0 free, 1 used by Xorg",
        ),
    ] {
        assert_eq!(said(code, numbers), sentence);
    }
}

#[test]
fn no_code_needs_its_numbers_and_no_number_of_the_wrong_kind_hurts() {
    let hostile = |name: &str| (name.to_owned(), Value::Text("\x1b]0;x\x07\u{202e}".to_owned()));
    let names = ["need_gpu_milli", "by", "jobs", "start_at", "resource", "count", "team", "min"];
    let numbers: Numbers = names.iter().map(|n| (n.to_owned().into(), hostile(n).1)).collect();
    for code in Code::ALL {
        let sight = Sight::utc(at(0));
        for numbers in [Numbers::new(), numbers.clone()] {
            let reason_given = Reason { code: *code, numbers };
            for text in [reason(&reason_given, &sight), change(&reason_given, &sight)] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{text}");
                assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'), "{text}");
                assert!(!text.contains("  "), "{text}");
            }
        }
    }
}
