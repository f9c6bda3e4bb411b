//! S17: a review that has waited for most of its time.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::{At, Span, Wall};
use crate::model::finding::{Level, Signal};
use crate::model::job::Job;
use crate::model::reason::{Numbers, Value};
use crate::model::review::{Fallback, Review};
use crate::sched::health::{Signals, Verdict};
use crate::sched::policy::review::wake;
use crate::sched::world::World;

/// Half, four fifths and all of the time it has; of several reviews the worst counts. In quiet
/// hours nothing gets worse, and while somebody was asked back nothing changes.
pub(super) fn check(world: &World, job: &Job, _signals: &Signals, at: At) -> Verdict {
    let open = job.asking.open.iter().filter_map(|open| world.desk().get(open.review));
    let open: Vec<&Arc<Review>> = open.filter(|review| review.blocks()).collect();
    let before = job.findings.get(&Signal::ReviewAgeing);
    let worst = open.iter().map(|review| {
        let stood = before.filter(|f| f.evidence.get("review") == Some(&name(review)));
        match review.stopped {
            Some(_) => (stood.map(|finding| finding.level), review),
            None => (reached(review, at.wall), review),
        }
    });
    let worst = worst.max_by_key(|(level, review)| (*level, std::cmp::Reverse(review.deadline)));
    let next = open.iter().filter(|review| review.stopped.is_none());
    let next = next.filter_map(|review| {
        let later = steps(review).into_iter().map(|(due, _)| due);
        later.filter(|due| *due > at.wall).min()
    });
    let next = next.min().map(|due| at.now + due.since(at.wall));
    match worst {
        Some((level, review)) => Verdict { level, evidence: evidence(review, at.wall), next },
        None => Verdict { level: None, evidence: Numbers::new(), next },
    }
}

/// When a review reaches each level.
fn steps(review: &Review) -> [(Wall, Level); 3] {
    let stood = stood(review);
    let window = window(review);
    let quiet = review.rule.quiet.as_ref();
    let after = |percent: u64| wake(quiet, review.deadline - window.percent(100 - percent));
    // One that asks again in silence has had its time once the first one is over.
    let whole = match review.rule.fallback {
        Fallback::KeepWaiting => review.asked.wall + review.rule.within + stood,
        _ => review.deadline,
    };
    [
        (after(50).min(whole), Level::Notice),
        (after(80).min(whole), Level::Suspect),
        (whole, Level::Stuck),
    ]
}

/// The time it has in all; that in which its clock stood is none.
fn window(review: &Review) -> Span {
    review.deadline.since(review.asked.wall + stood(review))
}

/// How long its clock stood so far.
fn stood(review: &Review) -> Span {
    let (mut stood, mut since) = (Span::ZERO, None);
    for said in &review.talk {
        match since {
            None if !said.answer => since = Some(said.at.wall),
            Some(then) if said.answer => {
                stood = stood + said.at.wall.since(then);
                since = None;
            }
            _ => {}
        }
    }
    stood
}

fn reached(review: &Review, wall: Wall) -> Option<Level> {
    let steps = steps(review).into_iter().rev();
    steps.into_iter().find(|(due, _)| *due <= wall).map(|(_, level)| level)
}

fn name(review: &Review) -> Value {
    Value::from(review.id.to_string())
}

/// What it is, how long it has waited of which time, who knows of it.
fn evidence(review: &Review, wall: Wall) -> Numbers {
    let waited = wall.since(review.asked.wall);
    let window = window(review);
    let told = review.told.iter().filter(|told| told.failed.is_none());
    let told: BTreeSet<&str> = told.map(|told| &*told.to).collect();
    let list = |names: BTreeSet<&str>| match names.is_empty() {
        true => "nobody".to_owned(),
        false => names.into_iter().collect::<Vec<_>>().join(", "),
    };
    let opened = review.opened.keys().map(|name| &**name).collect();
    [
        ("review".into(), name(review)),
        ("waited_ms".into(), Value::from(waited.0)),
        ("of_ms".into(), Value::from(window.0)),
        ("told".into(), Value::from(list(told))),
        ("open_at_the_screen_of".into(), Value::from(list(opened))),
    ]
    .into()
}
