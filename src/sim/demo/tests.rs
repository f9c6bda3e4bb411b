//! The demo as a link.

use std::time::Duration;

use super::*;
use crate::base::Mono;
use crate::link::LinkError;
use crate::model::Fact;
use crate::model::page::{Ended, Lane};
use futures::StreamExt;

fn still() -> Demo {
    Demo::still(7, Span::ZERO)
}

fn every(filter: &str) -> JobQuery {
    JobQuery { filter: filter.into(), limit: 1000, ..JobQuery::default() }
}

async fn one(demo: &Demo, filter: &str) -> crate::model::page::JobRow {
    demo.jobs(every(filter)).await.unwrap().jobs.remove(0)
}

fn code<T>(result: Result<T, LinkError>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(LinkError::Refused(refusal)) => refusal.code.word(),
        Err(LinkError::Unreachable(_)) => "unreachable",
        Err(LinkError::Protocol(_)) => "protocol",
    }
}

async fn text(demo: &Demo, job: JobId, query: LogQuery) -> String {
    let pieces: Vec<_> = demo.logs(job, query).await.unwrap().collect().await;
    let bytes: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.unwrap().bytes).collect();
    String::from_utf8(bytes).unwrap()
}

/// The next fact that is looked for; a test that waits longer than this has failed.
async fn until(events: &mut Stream<EventRow>, wanted: impl Fn(&Fact) -> bool) -> EventRow {
    let find = async {
        loop {
            let row = events.next().await.unwrap().unwrap();
            if wanted(&row.fact) {
                return row;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), find).await.unwrap()
}

#[tokio::test]
async fn a_still_scene_is_the_same_every_time() {
    let look = async |demo: &Demo| {
        let page = demo.jobs(every("")).await.unwrap();
        let detail = demo.job(one(demo, "finetune-7b").await.id).await.unwrap();
        let events: Vec<_> = demo.events(None, false).await.unwrap().collect().await;
        let log = text(demo, detail.row.id, LogQuery::default()).await;
        (page, detail, events, log, demo.summary().await, demo.status().await)
    };
    let (first, second) = (still(), still());
    let seen = look(&first).await;
    assert_eq!(seen, look(&first).await);
    assert_eq!(seen, look(&second).await);
    assert_ne!(seen.0, Demo::still(8, Span::ZERO).jobs(every("")).await.unwrap());
    assert_ne!(seen.0.at, Demo::still(7, Span::mins(5)).jobs(every("")).await.unwrap().at);
}

#[tokio::test]
async fn pages_follow_each_other_and_filters_are_the_real_ones() {
    let demo = still();
    let whole = demo.jobs(every("team=ops name=batch-embed state=queued")).await.unwrap();
    let mut query = JobQuery { limit: 7, ..every("team=ops name=batch-embed state=queued") };
    let mut rows = Vec::new();
    loop {
        let page = demo.jobs(query.clone()).await.unwrap();
        rows.extend(page.jobs);
        match page.next {
            Some(cursor) => query.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(rows, whole.jobs);
    assert!(rows.len() > 400, "{}", rows.len());
    let refused = demo.jobs(every("stat=queued")).await.unwrap_err();
    assert!(refused.to_string().contains("did you mean state?"), "{refused}");
    assert_eq!(code(demo.jobs(JobQuery { limit: 0, ..every("") }).await), "usage");
    assert_eq!(code(demo.job(JobId(99_999)).await), "not_found");
}

#[tokio::test]
async fn everything_says_why() {
    let demo = still();
    let why = demo.why(one(&demo, "finetune-70b").await.id).await.unwrap();
    assert_eq!(why.reason.code.word(), "no_room");
    let why = demo.why(one(&demo, "write-changelog").await.id).await.unwrap();
    assert_eq!(why.reason.code.word(), "resource_busy");
    let summary = demo.summary().await.unwrap();
    assert_eq!(summary.nodes.len(), 2);
    assert!(summary.countables.iter().any(|c| &*c.name == "api:anthropic" && c.used == c.count));
    assert_eq!(summary.paused_teams.len(), 1);
}

#[tokio::test]
async fn acts_are_decided_by_the_core() {
    let demo = still();
    let running = one(&demo, "docs-writer").await.id;
    demo.act(vec![running], Verb::Cancel { reason: None }).await.unwrap();
    demo.pass(Span::secs(40));
    let ended = demo.job(running).await.unwrap();
    assert_eq!((ended.row.state.word(), ended.row.lane), ("cancelled", Lane::Ended));
    // Its slot goes to the next agent.
    assert_eq!(one(&demo, "fix-flaky-tests").await.state.word(), "running");
    assert_eq!(code(demo.act(vec![running], Verb::Resume).await), "conflict");
    demo.resume(Some("fin".into())).await.unwrap();
    demo.pass(Span::secs(5));
    assert_eq!(one(&demo, "reconcile-bank").await.state.word(), "running");
    demo.drain("cpu-1".into(), true, None).await.unwrap();
    let nodes = demo.summary().await.unwrap().nodes;
    assert!(nodes.iter().any(|node| &*node.name == "cpu-1" && node.drain.is_some()));
    assert_eq!(code(demo.drain("cpu-9".into(), true, None).await), "not_found");
    assert_eq!(code(demo.pause(None, None, " ".into()).await), "usage");
    demo.pause(None, None, "test".into()).await.unwrap();
    assert!(demo.summary().await.unwrap().paused.is_some());
}

#[tokio::test]
async fn jobs_can_be_submitted_and_copied() {
    let demo = still();
    let job = Submission {
        argv: ["sleep", "30"].map(str::to_owned).to_vec(),
        cwd: "/tmp".into(),
        ..Submission::default()
    };
    let ids = demo.submit(vec![job.clone()]).await.unwrap();
    let copy = demo.again(ids[0], Submission::default()).await.unwrap();
    assert_eq!(copy.0, ids[0].0 + 1);
    demo.pass(Span::secs(40));
    for id in [ids[0], copy] {
        let row = demo.job(id).await.unwrap().row;
        assert_eq!((row.state.word(), row.command.join(" ").as_str()), ("succeeded", "sleep 30"));
    }
    assert_eq!(code(demo.submit(vec![Submission { argv: vec![], ..job }]).await), "usage");
}

#[tokio::test]
async fn an_answer_at_a_prompt_lets_a_job_go_on() {
    let demo = still();
    let row = one(&demo, "fix-auth").await;
    assert_eq!(row.lane, Lane::Human);
    demo.input(row.id, 0, Bytes::from_static(b"A")).await.unwrap();
    assert!(one(&demo, "fix-auth").await.prompt.is_some());
    demo.input(row.id, 0, Bytes::from_static(b"\r")).await.unwrap();
    assert_eq!(one(&demo, "fix-auth").await.lane, Lane::Running);
    demo.pass(Span::mins(1));
    let log = text(&demo, row.id, LogQuery { tail_bytes: Some(400), ..LogQuery::default() }).await;
    assert!(log.len() <= 400 && log.contains("> A\r\n"), "{log}");
    let plain = one(&demo, "finetune-7b").await.id;
    assert_eq!(code(demo.input(plain, 0, Bytes::from_static(b"x")).await), "conflict");
    let queued = one(&demo, "audit-deps").await.id;
    assert_eq!(code(demo.resize(queued, 0, 24, 80).await), "conflict");
    demo.resize(row.id, 0, 24, 80).await.unwrap();
}

#[tokio::test]
async fn output_is_bounded_and_grows_while_it_is_followed() {
    let demo = still();
    let job = one(&demo, "finetune-7b").await.id;
    let whole = text(&demo, job, LogQuery::default()).await;
    assert!((1000..=2001).contains(&whole.lines().count()), "{}", whole.lines().count());
    let follow = LogQuery { follow: true, tail_bytes: Some(80), ..LogQuery::default() };
    let mut stream = demo.logs(job, follow).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().bytes.len(), 80);
    demo.pass(Span::mins(2));
    demo.act(vec![job], Verb::Cancel { reason: None }).await.unwrap();
    demo.pass(Span::mins(1));
    let rest: Vec<_> = stream.map(|piece| piece.unwrap().bytes).collect().await;
    let rest = String::from_utf8(rest.concat()).unwrap();
    assert!(rest.contains("loss") && rest.ends_with("terminated\n"), "{rest}");
    let silent = one(&demo, "crawl-eu").await.id;
    assert_eq!(text(&demo, silent, LogQuery::default()).await, "");
    let failed = one(&demo, "sync-crm").await.id;
    assert!(text(&demo, failed, LogQuery::default()).await.contains("401 from crm"));
}

#[tokio::test]
async fn events_are_followed_and_a_gap_is_said() {
    let demo = still();
    let seq = demo.status().await.unwrap().seq;
    let all: Vec<_> = demo.events(None, false).await.unwrap().collect().await;
    assert_eq!(all.last().unwrap().as_ref().unwrap().seq, seq);
    let mut events = demo.events(Some(seq), true).await.unwrap();
    let job = one(&demo, "audit-deps").await.id;
    demo.act(vec![job], Verb::Next).await.unwrap();
    let row = until(&mut events, |_| true).await;
    assert_eq!((row.seq, row.by.as_deref()), (seq + 1, Some("ana")));
    assert!(demo.compact().await.unwrap() > 0);
    demo.pass(Span::mins(5));
    let mut late = demo.events(Some(1), true).await.unwrap();
    assert_eq!(code(late.next().await.unwrap()), "protocol");
    assert!(late.next().await.unwrap().is_ok());
}

#[tokio::test]
async fn time_passes_in_a_live_demo_and_followers_hear_of_it() {
    let demo = Demo::live(7, 600.0);
    let before = demo.summary().await.unwrap();
    let mut events = demo.events(Some(before.seq), true).await.unwrap();
    let row = until(&mut events, |fact| matches!(fact, Fact::JobEnded { .. })).await;
    assert!(row.at.now > before.at.now && row.at.now > Mono(0));
    let follow = LogQuery { follow: true, tail_bytes: Some(0), ..LogQuery::default() };
    let job = one(&demo, "ray-sweep").await.id;
    let mut log = demo.logs(job, follow).await.unwrap();
    let next = tokio::time::timeout(Duration::from_secs(20), log.next()).await.unwrap();
    assert!(!next.unwrap().unwrap().bytes.is_empty());
    assert!(demo.status().await.unwrap().notes[0].contains("600x"));
}

#[tokio::test]
async fn after_its_end_a_demo_answers_no_more_and_its_streams_end() {
    let demo = Demo::live(7, f64::NAN);
    let events = demo.events(None, true).await.unwrap();
    demo.stop(false).await.unwrap();
    assert_eq!(code(demo.summary().await), "unreachable");
    let left = tokio::time::timeout(Duration::from_secs(20), events.count()).await;
    assert_eq!(left.unwrap(), 0);
}

#[tokio::test]
async fn the_last_two_hours_are_remembered() {
    let demo = still();
    let history = demo.history().await.unwrap();
    assert_eq!(history.minutes().len(), crate::model::history::MINUTES);
    let summary = demo.summary().await.unwrap();
    let gpu: u64 = summary.nodes.iter().map(|node| node.used.gpu_milli).sum();
    let last = history.minutes().last().unwrap();
    assert_eq!((last.gpu_milli, last.queued), (gpu, summary.counts.queued));
    let queued = |minute: &crate::model::history::Minute| minute.queued;
    let different: std::collections::BTreeSet<u64> = history.minutes().iter().map(queued).collect();
    assert!(different.len() > 5, "the past was played: {different:?}");
    demo.pass(Span::mins(3));
    assert!(demo.history().await.unwrap().last() > history.last());
}

#[tokio::test]
async fn a_look_is_remembered() {
    let demo = still();
    let at = demo.summary().await.unwrap().at.wall;
    let before = demo.looked(Some(at)).await.unwrap();
    assert!(before < at);
    assert_eq!(demo.looked(None).await.unwrap(), at);
    let since = JobQuery { ended: Ended::Since(at), ..every("lane=ended") };
    assert_eq!(demo.jobs(since).await.unwrap().jobs, []);
}
