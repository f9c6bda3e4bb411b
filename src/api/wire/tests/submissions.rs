//! Submissions, there and back, and what is refused of them.

use super::*;

fn wishes() -> model::submission::Wishes {
    let group = model::submission::GroupRequest {
        name: "work".into(),
        within: Some("s".into()),
        size: Some(2),
        min: Some(1),
        gpu_milli: Some(1000),
        custom: BTreeMap::from([("api:x".into(), 1)]),
        node_labels: BTreeMap::from([("zone".into(), "eu".into())]),
        ..model::submission::GroupRequest::default()
    };
    let page::Asked { node_labels, spot, preemption_delay, idle_timeout, may_ask, .. } = asked();
    model::submission::Wishes {
        preemptible: Some(false),
        node_labels,
        spot,
        deadline: Some(Wall(1_800_000_000_000)),
        stale_grace: Some(job::Grace::After(Span::secs(5))),
        preemption_delay,
        idle_timeout,
        service: Some(service()),
        groups: Some(model::submission::GroupsRequest {
            groups: vec![group],
            sets: groups().sets,
            min_members: None,
        }),
        may_ask,
    }
}

fn submission(env: &[(&str, &str)]) -> crate::model::submission::Submission {
    let pairs = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    crate::model::submission::Submission {
        argv: vec!["true".into()],
        cwd: "/tmp".into(),
        env: Environment::new(pairs),
        name: Some("n".into()),
        team: Some("ml".into()),
        tier: Some(Tier::Batch),
        priority: Some(5),
        cpu_milli: Some(500),
        mem_bytes: None,
        gpu_milli: Some(0),
        custom: BTreeMap::from([("api:x".into(), 1)]),
        gang: None,
        min: None,
        after: vec![Dependency { job: JobId(12), kind: DependencyKind::Failed }],
        start_at: Some(Wall(1_800_000_000_000)),
        array: Some(crate::model::submission::ArrayRequest {
            indices: vec![0, 2],
            throttle: Some(1),
        }),
        estimate: Some(Span(1)),
        time_limit: Some(Span(2)),
        grace: Some(Span(3)),
        warn: Some(WarnSignal { signal: 10, before: Span(120_000) }),
        requeue: true,
        resumable: true,
        retry: 2,
        labels: BTreeMap::from([("k".into(), "v".into())]),
        must_fit: true,
        hard: true,
        pty: true,
        wishes: wishes(),
    }
}

#[test]
fn a_gang_is_said_in_one_way() {
    let text =
        r#"{"cwd":"/","jobs":[{"command":["a"],"gang":2,"groups":{"groups":[{"name":"x"}]}}]}"#;
    let request: SubmitRequest = serde_json::from_str(text).unwrap();
    assert!(request.into_model().unwrap_err().0.contains("take the place of gang"));
}

#[test]
fn submissions_read_back_and_say_what_they_share_once() {
    let same = vec![submission(&[("A", "1")]), submission(&[("A", "1")])];
    let request = SubmitRequest::new(&same);
    assert!(request.env.is_some() && request.jobs.iter().all(|job| job.env.is_none()));
    assert_eq!(over_the_wire(&request).into_model(), Ok(same));

    let different = vec![submission(&[("A", "1")]), submission(&[])];
    let request = SubmitRequest::new(&different);
    assert!(request.env.is_none());
    assert_eq!(over_the_wire(&request).into_model(), Ok(different));

    let changes = submission(&[]);
    let document = over_the_wire(&Submission::changes(&changes));
    assert_eq!(document.into_model(), Ok(changes));
    let nothing = Submission::changes(&crate::model::submission::Submission::default());
    assert_eq!(serde_json::to_string(&nothing).unwrap(), "{}");
}

#[test]
fn a_submission_without_command_or_directory_is_refused_by_its_place() {
    let request = |text: &str| serde_json::from_str::<SubmitRequest>(text).unwrap();
    let read = |text: &str| request(text).into_model().unwrap_err().0;
    assert!(read(r#"{"cwd":"/","jobs":[{"command":["a"]},{}]}"#).contains("jobs[1].command"));
    assert!(read(r#"{"jobs":[{"command":["a"]}]}"#).contains("jobs[0].cwd"));
    let unknown = serde_json::from_str::<Submission>(r#"{"gpu":1}"#).unwrap_err().to_string();
    assert!(unknown.contains("`gpu`"), "{unknown}");
}
