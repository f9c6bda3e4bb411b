//! Who may do what, through `decide`.

use holdshort::base::JobId;
use holdshort::model::Actor;
use holdshort::model::command::{Change, Command, Report, Verb};
use holdshort::model::refusal::{Refusal, RefusalCode};

use super::world::{Site, inside, owner, person, spec, submit};

/// A verb by name, with what it needs to succeed on a running, resumable job of `sam`'s.
fn verbs() -> Vec<(&'static str, Verb)> {
    let set = |change| Verb::Set(change);
    let change = Change::default;
    vec![
        ("cancel", Verb::Cancel { reason: None }),
        ("pause", Verb::Pause { until: None, reason: None }),
        ("requeue", Verb::Requeue),
        ("ack", Verb::Ack),
        ("answered", Verb::Answered),
        ("lower", set(Change { priority: Some(1), ..change() })),
        ("limit", set(Change { time_limit: Some(None), ..change() })),
        ("team", set(Change { team: Some("ml".into()), ..change() })),
        ("raise", set(Change { priority: Some(900), ..change() })),
    ]
}

struct Cast {
    site: Site,
    /// A running job of `sam`'s.
    job: JobId,
    /// A child of it.
    child: JobId,
    /// A queued job of `sam`'s.
    queued: JobId,
    /// A job of somebody else's.
    other: JobId,
}

fn cast() -> Cast {
    let mut site = Site::new(3, 0);
    let sam = person("sam", 2);
    let job = site.try_submit(sam.clone(), |job| job.resumable = true).unwrap();
    let child = site.try_submit(inside(job), |job| job.resumable = true).unwrap();
    let other = site.submit(|job| job.resumable = true);
    let queued = site.try_submit(sam, |_| {}).unwrap();
    site.start_all();
    Cast { site, job, child, queued, other }
}

fn is_forbidden<T: std::fmt::Debug>(result: Result<T, Refusal>) -> bool {
    match result {
        Ok(_) => false,
        Err(refusal) => {
            assert_eq!(refusal.code, RefusalCode::Forbidden, "{refusal}");
            assert!(!refusal.hint.is_empty());
            true
        }
    }
}

#[test]
fn verbs_on_a_job_by_who_asks() {
    let cast = cast();
    let stranger = person("eve", 9);
    let nobody = Actor { user: "x".into(), uid: None, in_job: None, job_by: None };
    let own = |by| (by, cast.job);
    let rows: [(&str, (Actor, JobId), &[&str]); 7] = [
        ("the owner of the server", own(owner()), &[]),
        ("an operator", own(person("olga", 3)), &[]),
        ("the owner of the job", own(person("sam", 2)), &["raise"]),
        ("a submitter on a stranger's job", (person("sam", 2), cast.other), &["*"]),
        ("a viewer", own(person("vera", 1)), &["*"]),
        ("somebody unknown", own(stranger), &["*"]),
        ("nobody", own(nobody), &["*"]),
    ];
    for (who, (by, job), forbidden) in rows {
        for (name, verb) in verbs() {
            let result = cast.site.clone().try_act(by.clone(), &[job], verb);
            let expected = forbidden.contains(&"*") || forbidden.contains(&name);
            assert_eq!(is_forbidden(result), expected, "{who}: {name}");
        }
    }
}

#[test]
fn a_process_in_a_jobs_tree_acts_on_nothing_whatever_its_uid_says() {
    let cast = cast();
    for job in [cast.job, cast.child, cast.other] {
        for (name, verb) in verbs() {
            let result = cast.site.clone().try_act(inside(cast.job), &[job], verb);
            assert!(is_forbidden(result), "{name}");
        }
    }
}

#[test]
fn it_reports_for_its_own_tree_only() {
    let cast = cast();
    let beat = |by, job| Command::Report { job, report: Report::Heartbeat, by };
    for (by, job, allowed) in [
        (inside(cast.job), cast.job, true),
        (inside(cast.job), cast.child, true),
        (inside(cast.child), cast.job, false),
        (inside(cast.job), cast.other, false),
        (person("sam", 2), cast.job, true),
        (person("sam", 2), cast.other, false),
        (person("olga", 3), cast.other, true),
        (person("vera", 1), cast.job, false),
    ] {
        let result = cast.site.clone().attempt(beat(by.clone(), job));
        assert_eq!(is_forbidden(result), !allowed, "{by:?} for {job}");
    }
}

#[test]
fn a_child_belongs_to_its_parents_owner_and_stands_no_higher() {
    let mut cast = cast();
    let child = cast.site.job(cast.child);
    assert_eq!((child.spec.parent, &*child.owner), (Some(cast.job), "sam"));
    assert_eq!(child.owner_uid, Some(2));
    let higher = cast.site.try_submit(inside(cast.job), |job| job.priority = 201);
    assert!(is_forbidden(higher));
    let elsewhere = cast.site.try_submit(inside(cast.job), |job| job.team = "ml".into());
    assert!(is_forbidden(elsewhere));
    let orphan = cast.site.try_submit(inside(JobId(77)), |_| {});
    assert!(is_forbidden(orphan));
    cast.site.end(cast.job, 0);
    let late = cast.site.try_submit(inside(cast.job), |_| {});
    assert!(is_forbidden(late), "the submitting job is over");
}

#[test]
fn submitting_reordering_and_operating_need_their_roles() {
    let cast = cast();
    let olga = || person("olga", 3);
    let people =
        [("viewer", person("vera", 1)), ("submitter", person("sam", 2)), ("operator", olga())];
    let pause = |by| Command::Pause { team: None, until: None, reason: "x".into(), by };
    let drain = |by| Command::Drain { node: "n1".into(), on: true, reason: None, by };
    let allowed = people.map(|(who, by)| {
        let site = || cast.site.clone();
        let jobs = vec![spec()];
        let may = [
            site().attempt(Command::Submit(submit(jobs, by.clone()))).map(drop),
            site().try_act(by.clone(), &[cast.queued], Verb::Next),
            site().attempt(pause(by.clone())).map(drop),
            site().attempt(Command::Resume { team: Some("ml".into()), by: by.clone() }).map(drop),
            site().attempt(drain(by)).map(drop),
        ];
        (who, may.map(|result| !is_forbidden(result)))
    });
    assert_eq!(
        allowed,
        [
            ("viewer", [false; 5]),
            ("submitter", [true, false, false, false, false]),
            ("operator", [true; 5])
        ]
    );
    for command in [pause(inside(cast.job)), drain(inside(cast.job))] {
        assert!(is_forbidden(cast.site.clone().attempt(command)));
    }
}

#[test]
fn moving_a_job_to_a_team_needs_a_right_there() {
    use holdshort::model::people::{Grant, Role};
    let mut cast = cast();
    cast.site.configure(|setup| {
        setup.users[1].grants = vec![Grant { team: "default".into(), role: Role::Operator }];
    });
    let team = Verb::Set(Change { team: Some("ml".into()), ..Change::default() });
    assert!(is_forbidden(cast.site.try_act(person("sam", 2), &[cast.job], team)));
}

#[test]
fn reports_are_checked_and_usage_with_a_key_counts_once() {
    let mut cast = cast();
    let amounts: std::collections::BTreeMap<_, _> = [("tokens_in".into(), 5)].into();
    let usage =
        |key: Option<&str>| Report::Usage { amounts: amounts.clone(), key: key.map(str::to_owned) };
    for key in [Some("a"), Some("a"), None, Some("b")] {
        cast.site.report(cast.job, usage(key));
    }
    assert_eq!(cast.site.job(cast.job).usage["tokens_in"], 15);
    let mut refused = |report| {
        let by = inside(cast.job);
        cast.site.attempt(Command::Report { job: cast.job, report, by }).unwrap_err().code
    };
    let text = Some("x".repeat(5000));
    assert_eq!(refused(Report::Progress { basis_points: None, text }), RefusalCode::Usage);
    let basis_points = Some(10_001);
    assert_eq!(refused(Report::Progress { basis_points, text: None }), RefusalCode::Usage);
    let many = (0..65).map(|n| (format!("n{n}").as_str().into(), 1)).collect();
    assert_eq!(refused(Report::Usage { amounts: many, key: None }), RefusalCode::Usage);
}
