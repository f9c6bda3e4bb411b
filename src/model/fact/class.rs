//! How time on a device is booked.

use serde::{Deserialize, Serialize};

/// How a device-second is booked. Every second of every resource is in exactly one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Room assigned, process not yet running; or being ended.
    StartStop,
    /// It runs.
    Productive,
    /// Frozen by a person: memory and devices stay held.
    Held,
    /// Held while a person is asked.
    Parked,
    /// The machine was off or asleep.
    Down,
    /// Kept free by a person.
    Drained,
    /// Kept free for a job that has a reservation.
    Reserved,
    /// A device that a program outside of holdshort uses.
    Foreign,
    /// Nobody's.
    Idle,
}

impl Class {
    /// All of them, in the order reports show them.
    pub const ALL: &[Class] = &[
        Class::Productive,
        Class::StartStop,
        Class::Held,
        Class::Parked,
        Class::Reserved,
        Class::Idle,
        Class::Drained,
        Class::Foreign,
        Class::Down,
    ];

    /// Its stable word, as facts and reports say it.
    pub const fn word(self) -> &'static str {
        match self {
            Class::StartStop => "start_stop",
            Class::Productive => "productive",
            Class::Held => "held",
            Class::Parked => "parked",
            Class::Down => "down",
            Class::Drained => "drained",
            Class::Reserved => "reserved",
            Class::Foreign => "foreign",
            Class::Idle => "idle",
        }
    }

    /// The class behind a word.
    pub fn of(word: &str) -> Option<Class> {
        Class::ALL.iter().copied().find(|class| class.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_listed_under_the_word_that_facts_use() {
        for class in Class::ALL {
            let written = serde_json::to_string(class).unwrap();
            assert_eq!(written, format!("{:?}", class.word()));
            assert_eq!(Class::of(class.word()), Some(*class));
        }
        assert_eq!(Class::of("lost"), None);
        // A class that is not listed would be missing here.
        let last = Class::ALL.iter().map(|class| *class as usize).max();
        assert_eq!(last, Some(Class::ALL.len() - 1));
    }
}
