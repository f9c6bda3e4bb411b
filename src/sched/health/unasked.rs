//! S16: a question at its prompt, and no review: whoever could answer is not told.

use crate::base::{At, Span};
use crate::model::finding::Level;
use crate::model::job::{Job, State};
use crate::model::reason::{Numbers, Value};
use crate::sched::health::{Signals, Verdict, graded};
use crate::sched::world::World;

/// 60 s, 3 min, 10 min after the question. In what a person works in, a prompt is no question.
pub(super) fn check(_world: &World, job: &Job, _signals: &Signals, at: At) -> Verdict {
    let quiet = Verdict { level: None, evidence: Numbers::new(), next: None };
    let runs = job.state == State::Running && !job.frozen;
    let alone = runs && job.spec.idle_timeout.is_none() && !job.asking.blocks();
    let Some(prompt) = job.prompt.as_ref().filter(|_| alone) else { return quiet };
    let after = |span: Span| prompt.since.now + span;
    let steps = [
        (after(Span::secs(60)), Level::Notice),
        (after(Span::mins(3)), Level::Suspect),
        (after(Span::mins(10)), Level::Stuck),
    ];
    let (level, next) = graded(at.now, steps);
    let waited = at.now.since(prompt.since.now);
    let evidence =
        [("asks".into(), Value::from(&*prompt.text)), ("waited_ms".into(), Value::from(waited.0))];
    Verdict { level, evidence: evidence.into(), next }
}
