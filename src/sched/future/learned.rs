//! What past runs say, by class of similar jobs (DESIGN.md 5.4).
//!
//! Each run that is over counts for its name, for its executable and for its team. The classes
//! are bounded: those that no run was added to for longest are forgotten first.

use std::cmp::Reverse;
use std::sync::Arc;

use imbl::OrdMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::{Mono, Name, Span};
use crate::model::estimate::Confidence;
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

    fn team(&self) -> &Name {
        let (Class::Name(team, _) | Class::Executable(team, _) | Class::Team(team)) = self;
        team
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

    fn is_trusted(&self) -> bool {
        self.estimate.confidence > Confidence::None
    }
}

/// What past runs say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    teams: OrdMap<Name, OfTeam>,
    /// How many classes are remembered.
    len: usize,
}

/// What the runs of a team say: estimates are asked for far more often than runs end, so that
/// they are found without a copy of a name.
#[derive(Debug, Clone, Default, PartialEq)]
struct OfTeam {
    own: Option<Arc<Known>>,
    names: OrdMap<Name, Arc<Known>>,
    executables: OrdMap<Name, Arc<Known>>,
}

impl OfTeam {
    fn len(&self) -> usize {
        usize::from(self.own.is_some()) + self.names.len() + self.executables.len()
    }

    fn get(&self, class: &Class) -> Option<&Arc<Known>> {
        match class {
            Class::Name(_, name) => self.names.get(name),
            Class::Executable(_, executable) => self.executables.get(executable),
            Class::Team(_) => self.own.as_ref(),
        }
    }

    fn put(&mut self, class: Class, known: Arc<Known>) {
        match class {
            Class::Name(_, name) => drop(self.names.insert(name, known)),
            Class::Executable(_, executable) => drop(self.executables.insert(executable, known)),
            Class::Team(_) => self.own = Some(known),
        }
    }
}

impl Learned {
    /// A run of such a job is over. Of the classes that are now known, trusted or forgotten, and
    /// were not, it tells.
    pub fn note(&mut self, spec: &JobSpec, sample: Sample, now: Mono) -> Vec<Class> {
        let mut changed = Vec::new();
        for class in Class::all_of(spec) {
            if matches!(&class, Class::Executable(_, executable) if executable.is_empty()) {
                continue;
            }
            let known = self.teams.get(class.team()).and_then(|team| team.get(&class));
            let mut history = known.map_or_else(History::default, |known| known.history.clone());
            let before = known.map(|known| known.is_trusted());
            history.note(sample);
            let known = Known::new(history, now);
            if before != Some(known.is_trusted()) {
                changed.push(class.clone());
            }
            self.put(class, Arc::new(known));
        }
        changed.extend(self.forget());
        changed
    }

    /// What past runs say of a class.
    pub fn estimate(&self, class: &Class) -> Option<Estimate> {
        Some(self.teams.get(class.team())?.get(class)?.estimate)
    }

    /// What past runs say of a job: those of its name, of its executable, of its team.
    pub fn of(&self, spec: &JobSpec) -> [Option<Estimate>; 3] {
        let Some(team) = self.teams.get(&spec.team) else { return [None; 3] };
        let all =
            [team.names.get(&spec.name), team.executables.get(&spec.executable), team.own.as_ref()];
        all.map(|known| known.map(|known| known.estimate))
    }

    /// How many classes are remembered.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn put(&mut self, class: Class, known: Arc<Known>) {
        let team = self.teams.entry(class.team().clone()).or_default();
        let before = team.len();
        team.put(class, known);
        self.len += team.len() - before;
    }

    /// All of them: teams by name, of each its names, its executables, itself.
    fn all(&self) -> impl Iterator<Item = (Class, &Arc<Known>)> {
        self.teams.iter().flat_map(|(team, of_team)| {
            let named = |(name, known)| (Class::Name(Name::clone(team), Name::clone(name)), known);
            let executed =
                |(name, known)| (Class::Executable(Name::clone(team), Name::clone(name)), known);
            let own = of_team.own.iter().map(|known| (Class::Team(team.clone()), known));
            let names = of_team.names.iter().map(named);
            names.chain(of_team.executables.iter().map(executed)).chain(own)
        })
    }

    /// Forgets the oldest of too many; a tenth at once, so that it does not happen at every run.
    fn forget(&mut self) -> Vec<Class> {
        if self.len <= CLASSES_MAX {
            return Vec::new();
        }
        let mut all: Vec<(Class, Arc<Known>)> =
            self.all().map(|(class, known)| (class, known.clone())).collect();
        all.sort_by(|(a, known_a), (b, known_b)| {
            (Reverse(known_a.last), a).cmp(&(Reverse(known_b.last), b))
        });
        let gone = all.split_off(CLASSES_MAX / 10 * 9);
        *self = Learned::default();
        all.into_iter().for_each(|(class, known)| self.put(class, known));
        gone.into_iter().map(|(class, _)| class).collect()
    }
}

impl Serialize for Learned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.all().map(|(class, known)| (class, known.last, &known.history));
        serializer.collect_seq(all)
    }
}

impl<'de> Deserialize<'de> for Learned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Learned, D::Error> {
        let mut learned = Learned::default();
        for (class, last, history) in Vec::<(Class, Mono, History)>::deserialize(deserializer)? {
            learned.put(class, Arc::new(Known::new(history, last)));
        }
        Ok(learned)
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
        let of = |spec: &JobSpec| learned.of(spec).map(|known| known.map(|known| known.median));
        let (short, long) = (Some(Span::secs(100)), Some(Span::secs(300)));
        assert_eq!(of(&spec("train", "python3")), [short, short, short]);
        assert_eq!(of(&spec("check", "sh")), [long, None, short]);
        let p90 = learned.of(&spec("new", "new"))[2].map(|known| known.p90);
        assert_eq!(p90, long, "nine of ten of the team");
        let web = JobSpec { team: "web".into(), ..spec("train", "python3") };
        assert_eq!(of(&web), [None; 3]);
    }

    #[test]
    fn the_classes_are_bounded_and_the_oldest_go() {
        let mut learned = Learned::default();
        for n in 0..CLASSES_MAX as u64 {
            learned.note(&spec(&format!("job-{n}"), ""), ran(n), Mono(n));
        }
        assert!(learned.len() <= CLASSES_MAX, "{}", learned.len());
        assert_eq!(learned.len(), learned.all().count());
        let named = |n: usize| learned.of(&spec(&format!("job-{n}"), ""))[0];
        assert!(named(0).is_none() && named(CLASSES_MAX - 1).is_some());
        assert!(learned.of(&spec("new", ""))[2].is_some(), "it was used last");
    }

    #[test]
    fn it_reads_back_what_it_wrote() {
        let mut learned = Learned::default();
        learned.note(&spec("train", "python3"), ran(100), Mono(1));
        let text = serde_json::to_string(&learned).unwrap();
        assert_eq!(serde_json::from_str::<Learned>(&text).unwrap(), learned);
    }
}
