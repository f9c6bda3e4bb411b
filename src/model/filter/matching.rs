//! What a filter means: applied to a job of the world or to a row of a page alike.

use std::borrow::Cow;

use super::STUCK;
use super::{Field, Filter, Term, Test};
use crate::base::{At, JobId, Name, Wall};
use crate::model::finding::Signal;
use crate::model::job::{ArrayPlace, Exit, Job};
use crate::model::page::{self, JobRow, Lane};
use crate::model::setup::Tier;
use crate::model::{Finding, Resources};

/// Something a filter can look at.
pub trait Subject {
    /// Its number.
    fn id(&self) -> JobId;
    /// Its name.
    fn name(&self) -> &str;
    /// Its team.
    fn team(&self) -> &str;
    /// Its owner.
    fn owner(&self) -> &str;
    /// The word of its state.
    fn word(&self) -> &'static str;
    /// Its lane.
    fn lane(&self) -> Lane;
    /// Its priority.
    fn priority(&self) -> u16;
    /// What each task asks for, and how many tasks there are.
    fn request(&self) -> (&Resources, u32);
    /// Where it runs.
    fn nodes(&self) -> Vec<&Name>;
    /// Its labels.
    fn labels(&self) -> &std::collections::BTreeMap<Name, Name>;
    /// Its place in an array.
    fn array(&self) -> Option<ArrayPlace>;
    /// Its parent.
    fn parent(&self) -> Option<JobId>;
    /// When it was submitted.
    fn submitted(&self) -> At;
    /// How it ended last.
    fn exit(&self) -> Option<&Exit>;
    /// What is wrong with it.
    fn findings(&self) -> Vec<&Finding>;
    /// May be stopped to make room for others.
    fn preemptible(&self) -> bool;
    /// Should have ended by then.
    fn deadline(&self) -> Option<Wall>;
}

impl Filter {
    /// Whether all terms hold for `subject` at `now`.
    pub fn matches(&self, subject: &impl Subject, now: At) -> bool {
        self.terms.iter().all(|term| holds(term, subject, now))
    }
}

fn holds(term: &Term, subject: &impl Subject, now: At) -> bool {
    match term {
        Term::Word(word) => {
            let element = subject.array().is_some_and(|place| {
                word.split_once('_').is_some_and(|(array, index)| {
                    is_number(array, place.id.0) && is_number(index, u64::from(place.index))
                })
            });
            element
                || is_number(word, subject.id().0)
                || contains(subject.name(), word)
                || contains(subject.team(), word)
        }
        Term::Field { field, test, negated } => look(field, test, subject, now) != *negated,
    }
}

/// Whether a field passes a test. A field without a value passes none.
fn look(field: &Field, test: &Test, subject: &impl Subject, now: At) -> bool {
    let (request, tasks) = subject.request();
    let sum = |each: u64| each.saturating_mul(u64::from(tasks));
    match field {
        Field::Id => number(test, subject.id().0),
        Field::Name => text(test, subject.name()),
        Field::Team => team(test, subject.team()),
        Field::Owner => text(test, subject.owner()),
        Field::State => text(test, subject.word()),
        Field::Lane => text(test, subject.lane().word()) || is_stuck(test, subject),
        Field::Tier => text(test, Tier::of(subject.priority()).word()),
        Field::Node => subject.nodes().iter().any(|node| text(test, node)),
        Field::Label(Some(key)) => subject.labels().get(key).is_some_and(|v| text(test, v)),
        Field::Label(None) => subject.labels().iter().any(|(k, v)| text(test, k) || text(test, v)),
        Field::Array => {
            let of_array = subject.array().is_some_and(|place| number(test, place.id.0));
            of_array || subject.parent().is_some_and(|parent| number(test, parent.0))
        }
        Field::Parent => subject.parent().is_some_and(|parent| number(test, parent.0)),
        Field::Priority => number(test, u64::from(subject.priority())),
        Field::Cpu => number(test, sum(request.cpu_milli)),
        Field::Mem => number(test, sum(request.mem_bytes)),
        Field::Gpu => number(test, sum(request.gpu_milli)),
        Field::Age => number(test, now.now.since(subject.submitted().now).0),
        Field::Exit => {
            let code = subject.exit().and_then(Exit::shell_code);
            code.is_some_and(|code| integer(test, i64::from(code)))
        }
        Field::Preemptible => text(test, if subject.preemptible() { "yes" } else { "no" }),
        Field::Deadline => subject
            .deadline()
            .is_some_and(|deadline| integer(test, deadline.0.saturating_sub(now.wall.0))),
        Field::Finding => subject.findings().iter().any(|found| finding(test, found.signal)),
    }
}

/// A stuck job is in its lane and among the stuck ones.
fn is_stuck(test: &Test, subject: &impl Subject) -> bool {
    let live = subject.lane() != Lane::Ended;
    live && text(test, STUCK)
        && page::is_stuck(&subject.findings().into_iter().cloned().collect::<Vec<_>>())
}

fn text(test: &Test, value: &str) -> bool {
    match test {
        Test::OneOf(texts) => texts.iter().any(|text| text == value),
        Test::Contains(part) => contains(value, part),
        Test::Range { .. } => false,
    }
}

/// A path of a team matches itself and everything below.
fn team(test: &Test, value: &str) -> bool {
    let below = |path: &String| {
        value
            .strip_prefix(path.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match test {
        Test::OneOf(paths) => paths.iter().any(below),
        other => text(other, value),
    }
}

fn finding(test: &Test, signal: Signal) -> bool {
    match test {
        Test::OneOf(words) if words.iter().any(|word| word == "any") => true,
        other => text(other, signal.word()),
    }
}

fn number(test: &Test, value: u64) -> bool {
    integer(test, i64::try_from(value).unwrap_or(i64::MAX))
}

fn integer(test: &Test, value: i64) -> bool {
    match test {
        Test::Range { from, to } => {
            from.is_none_or(|from| from <= value) && to.is_none_or(|to| value <= to)
        }
        Test::OneOf(texts) => texts.iter().any(|text| text.parse() == Ok(value)),
        Test::Contains(part) => value.to_string().contains(part.as_str()),
    }
}

fn is_number(text: &str, number: u64) -> bool {
    text.strip_prefix('#').unwrap_or(text).parse() == Ok(number)
}

/// Whether `text` contains `part`, without regard to case.
fn contains(text: &str, part: &str) -> bool {
    if text.is_ascii() && part.is_ascii() {
        let (text, part) = (text.as_bytes(), part.as_bytes());
        return part.is_empty() || text.windows(part.len()).any(|w| w.eq_ignore_ascii_case(part));
    }
    let lower = |text: &str| -> Cow<'static, str> { Cow::Owned(text.to_lowercase()) };
    lower(text).contains(lower(part).as_ref())
}

impl Subject for Job {
    fn id(&self) -> JobId {
        self.id
    }
    fn name(&self) -> &str {
        &self.spec.name
    }
    fn team(&self) -> &str {
        &self.spec.team
    }
    fn owner(&self) -> &str {
        &self.owner
    }
    fn word(&self) -> &'static str {
        self.word()
    }
    fn lane(&self) -> Lane {
        Lane::of(self)
    }
    fn priority(&self) -> u16 {
        self.spec.priority
    }
    fn request(&self) -> (&Resources, u32) {
        (&self.spec.request, self.spec.gang.size)
    }
    fn nodes(&self) -> Vec<&Name> {
        let placed = self.tasks.iter().filter_map(|task| task.placement.as_ref());
        let current = placed.map(|placement| &placement.node);
        let last = self.attempts.last().filter(|_| self.tasks.is_empty());
        current.chain(last.into_iter().flat_map(|attempt| &attempt.nodes)).collect()
    }
    fn labels(&self) -> &std::collections::BTreeMap<Name, Name> {
        &self.spec.labels
    }
    fn array(&self) -> Option<ArrayPlace> {
        self.spec.array
    }
    fn parent(&self) -> Option<JobId> {
        self.spec.parent
    }
    fn submitted(&self) -> At {
        self.submitted
    }
    fn exit(&self) -> Option<&Exit> {
        self.exit.as_ref()
    }
    fn findings(&self) -> Vec<&Finding> {
        self.findings.values().collect()
    }
    fn preemptible(&self) -> bool {
        self.spec.preemptible
    }
    fn deadline(&self) -> Option<Wall> {
        self.spec.deadline
    }
}

impl Subject for JobRow {
    fn id(&self) -> JobId {
        self.id
    }
    fn name(&self) -> &str {
        &self.name
    }
    fn team(&self) -> &str {
        &self.team
    }
    fn owner(&self) -> &str {
        &self.owner
    }
    fn word(&self) -> &'static str {
        self.word()
    }
    fn lane(&self) -> Lane {
        self.lane
    }
    fn priority(&self) -> u16 {
        self.priority
    }
    fn request(&self) -> (&Resources, u32) {
        (&self.request, self.gang.size)
    }
    fn nodes(&self) -> Vec<&Name> {
        self.nodes.iter().collect()
    }
    fn labels(&self) -> &std::collections::BTreeMap<Name, Name> {
        &self.labels
    }
    fn array(&self) -> Option<ArrayPlace> {
        self.array
    }
    fn parent(&self) -> Option<JobId> {
        self.parent
    }
    fn submitted(&self) -> At {
        self.submitted
    }
    fn exit(&self) -> Option<&Exit> {
        self.exit.as_ref()
    }
    fn findings(&self) -> Vec<&Finding> {
        self.findings.iter().collect()
    }
    fn preemptible(&self) -> bool {
        self.preemptible
    }
    fn deadline(&self) -> Option<Wall> {
        self.deadline
    }
}
