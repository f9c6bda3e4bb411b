//! What past runs say, by class of similar jobs (DESIGN.md 5.4).
//!
//! Each run that is over counts for its name, for its executable and for its team. The classes
//! are bounded: those that no run was added to for longest are forgotten first.

use std::cmp::Reverse;
use std::sync::Arc;

use imbl::OrdMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::{Mono, Name, Span};
use crate::model::job::JobSpec;
use crate::sched::policy::history::{Estimate, History, Sample};

/// Classes that are remembered at most.
pub const CLASSES_MAX: usize = 4096;
/// What a run of a class is expected to take of which none is known.
pub const PRIOR: Span = Span::mins(30);

/// Jobs that are taken for similar, the closest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Of one name in one team.
    Name(Name, Name),
    /// Of one executable in one team.
    Executable(Name, Name),
    /// Of one team.
    Team(Name),
}

impl Class {
    /// The classes of a job, the closest first.
    pub fn all_of(spec: &JobSpec) -> [Class; 3] {
        let team = || spec.team.clone();
        [
            Class::Name(team(), spec.name.clone()),
            Class::Executable(team(), spec.executable.clone()),
            Class::Team(team()),
        ]
    }
}

/// What is known of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    history: History,
    /// When the last run was added.
    last: Mono,
    /// What the runs come to.
    estimate: Estimate,
}

impl Known {
    fn new(history: History, last: Mono) -> Known {
        let estimate = history.estimate(PRIOR);
        Known { history, last, estimate }
    }
}

/// What past runs say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    classes: OrdMap<Class, Arc<Known>>,
}

impl Learned {
    /// A run of such a job is over.
    pub fn note(&mut self, spec: &JobSpec, sample: Sample, now: Mono) {
        for class in Class::all_of(spec) {
            if matches!(&class, Class::Executable(_, executable) if executable.is_empty()) {
                continue;
            }
            let known = self.classes.get(&class);
            let mut history = known.map_or_else(History::default, |known| known.history.clone());
            history.note(sample);
            self.classes.insert(class, Arc::new(Known::new(history, now)));
        }
        self.forget();
    }

    /// What the runs of a class come to; `None` if there were none.
    pub fn of(&self, class: &Class) -> Option<Estimate> {
        self.classes.get(class).map(|known| known.estimate)
    }

    /// How many classes are remembered.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Forgets the oldest of too many; a tenth at once, so that it does not happen at every run.
    fn forget(&mut self) {
        if self.classes.len() <= CLASSES_MAX {
            return;
        }
        let mut all: Vec<_> = std::mem::take(&mut self.classes).into_iter().collect();
        all.sort_by(|(a, known_a), (b, known_b)| {
            (Reverse(known_a.last), a).cmp(&(Reverse(known_b.last), b))
        });
        all.truncate(CLASSES_MAX / 10 * 9);
        self.classes = all.into_iter().collect();
    }
}

impl Serialize for Learned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.classes.iter().map(|(class, known)| (class, known.last, &known.history));
        serializer.collect_seq(all)
    }
}

impl<'de> Deserialize<'de> for Learned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Learned, D::Error> {
        let all = Vec::<(Class, Mono, History)>::deserialize(deserializer)?;
        let known = |(class, last, history)| (class, Arc::new(Known::new(history, last)));
        Ok(Learned { classes: all.into_iter().map(known).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, executable: &str) -> JobSpec {
        let (name, executable) = (name.into(), executable.into());
        JobSpec { name, executable, team: "ml".into(), ..JobSpec::default() }
    }

    fn ran(secs: u64) -> Sample {
        Sample { ran: Span::secs(secs), complete: true }
    }

    #[test]
    fn a_run_counts_for_its_name_its_executable_and_its_team() {
        let mut learned = Learned::default();
        learned.note(&spec("train", "python3"), ran(100), Mono(1));
        learned.note(&spec("check", "python3"), ran(300), Mono(2));
        let [name, executable, team] = Class::all_of(&spec("train", "python3"));
        let median = |class| learned.of(class).map(|estimate| estimate.median);
        assert_eq!(median(&name), Some(Span::secs(100)));
        assert_eq!(median(&executable), Some(Span::secs(100)));
        assert_eq!(learned.of(&team).map(|estimate| estimate.p90), Some(Span::secs(300)));
        assert_eq!(median(&Class::Name("web".into(), "train".into())), None);
    }

    #[test]
    fn the_classes_are_bounded_and_the_oldest_go() {
        let mut learned = Learned::default();
        for n in 0..CLASSES_MAX as u64 {
            learned.note(&spec(&format!("job-{n}"), ""), ran(n), Mono(n));
        }
        assert!(learned.len() <= CLASSES_MAX, "{}", learned.len());
        let named = |n: usize| learned.of(&Class::Name("ml".into(), format!("job-{n}").into()));
        assert!(named(0).is_none() && named(CLASSES_MAX - 1).is_some());
        assert!(learned.of(&Class::Team("ml".into())).is_some(), "it was used last");
    }

    #[test]
    fn it_reads_back_what_it_wrote() {
        let mut learned = Learned::default();
        learned.note(&spec("train", "python3"), ran(100), Mono(1));
        let text = serde_json::to_string(&learned).unwrap();
        assert_eq!(serde_json::from_str::<Learned>(&text).unwrap(), learned);
    }
}
