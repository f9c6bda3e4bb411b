//! The filter language: what is read, what it means, what is refused.

use proptest::prelude::*;

use super::*;
use crate::base::JobId;
use crate::model::finding::Level;
use crate::model::job::{Exit, FailureClass, Gang, Outcome};
use crate::view::sample::{asking, at, element, ended, finding, queued, running};

fn hits(filter: &str) -> Vec<u64> {
    let mut tuned = running(12, "Train-7b");
    tuned.team = "org/ml/research".into();
    tuned.priority = 400;
    tuned.request.gpu_milli = 2000;
    tuned.gang = Gang { size: 2, min: 1 };
    tuned.labels = [("kind".into(), "debug".into())].into();
    tuned.parent = Some(JobId(7));
    tuned.preemptible = true;
    tuned.deadline = Some(at(5_400_000).wall);
    tuned.findings = vec![finding(Signal::LongRunning, Level::Notice)];
    let failed = Outcome::Failed(FailureClass::Exit);
    let rows = [
        queued(7, "crawl eu"),
        tuned,
        asking(13, "fix-auth", "A or B?"),
        ended(14, "sync", failed, Some(Exit::Code(3))),
        element(queued(42, "embed"), 40, 7),
    ];
    let filter = parse(filter).unwrap_or_else(|refusal| panic!("{filter}: {refusal}"));
    let hour = at(3_600_000);
    rows.iter().filter(|row| filter.matches(*row, hour)).map(|row| row.id.0).collect()
}

#[test]
fn every_field_means_what_it_says() {
    for (filter, ids) in [
        ("", vec![7, 12, 13, 14, 42]),
        ("train", vec![12]),
        ("ML", vec![12]),
        ("#13", vec![13]),
        ("40_7", vec![42]),
        ("id=7,13", vec![7, 13]),
        ("id=12..13", vec![12, 13]),
        ("name=sync", vec![14]),
        ("name~TRAIN", vec![12]),
        ("name=\"crawl eu\"", vec![7]),
        ("name!~a", vec![14, 42]),
        ("team=org", vec![12]),
        ("team=org/ml", vec![12]),
        ("team=org/m", vec![]),
        ("team!=default", vec![12]),
        ("state=queued", vec![7, 42]),
        ("state=queued,failed", vec![7, 14, 42]),
        ("lane=human", vec![13]),
        ("tier=production", vec![12]),
        ("priority>200", vec![12]),
        ("priority=200,400", vec![7, 12, 13, 14, 42]),
        ("node=n1", vec![12, 13, 14]),
        ("preemptible=yes", vec![12]),
        ("preemptible=no", vec![7, 13, 14, 42]),
        ("deadline=..1h", vec![12]),
        ("deadline=31m..", vec![]),
        ("label=debug", vec![12]),
        ("label!=debug", vec![7, 13, 14, 42]),
        ("label.kind=debug", vec![12]),
        ("label.kind~deb", vec![12]),
        ("array=40", vec![42]),
        ("parent=7", vec![12]),
        ("gpu=3..", vec![12]),
        ("gpu=4", vec![12]),
        ("gpu<4", vec![7, 13, 14, 42]),
        ("gpu>=4", vec![12]),
        ("cpu=..1", vec![7, 13, 14, 42]),
        ("mem>2Gi", vec![12]),
        ("age=1h..", vec![7, 12, 13, 14, 42]),
        ("age>1h", vec![]),
        ("exit=3", vec![14]),
        ("exit!=0", vec![7, 12, 13, 14, 42]),
        ("finding=any", vec![12]),
        ("finding=never_fits", vec![]),
        ("owner=ana state=running", vec![12, 13]),
    ] {
        assert_eq!(hits(filter), ids, "{filter}");
    }
}

#[test]
fn mistakes_name_the_nearest_known_word() {
    for (filter, part) in [
        ("stat=queued", "there is no field \"stat\"; did you mean state?"),
        ("zzzzzz=1", "there are id, name, team"),
        ("state=queud", "did you mean state=queued?"),
        ("state=ended", "write lane=ended"),
        ("state=stuck", "write lane=stuck"),
        ("tier=best", "write one of batch, research, deadline, production"),
        ("gpu=many", "gpu: \"many\" is not an amount"),
        ("mem=400m", "did you mean 400Mi?"),
        ("age=5", "has no unit"),
        ("name>a", "name has no order"),
        ("gpu~1", "gpu is a number"),
        ("gpu=..", "is everything"),
        ("state=", "state= has no value"),
        ("name=a,,b", "remove the comma"),
        ("name!a", "is no condition"),
        ("name=\"a", "quote without an end"),
        ("\x1b[31m=1", "no field \"\""),
    ] {
        let refusal = parse(filter).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Usage);
        assert!(refusal.to_string().contains(part), "{filter}: {refusal}");
    }
    assert!(parse(&"a ".repeat(65)).is_err());
    assert!(parse(&"a".repeat(BYTES_MAX + 1)).is_err());
}

proptest! {
    #[test]
    fn no_text_panics(text in "[a-z=!~<>.,\"0-9 _#]{0,40}|\\PC{0,20}") {
        if let Ok(filter) = parse(&text) {
            let _ = filter.matches(&queued(1, "é"), at(0));
        }
    }
}
