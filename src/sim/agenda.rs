//! What is to happen, by time; at the same time, in the order it was noted.

use std::collections::BTreeMap;

use crate::base::Mono;

/// A queue of things to come.
#[derive(Debug, Clone)]
pub(super) struct Agenda<T> {
    due: BTreeMap<(Mono, u64), T>,
    noted: u64,
}

impl<T> Agenda<T> {
    pub(super) fn new() -> Agenda<T> {
        Agenda { due: BTreeMap::new(), noted: 0 }
    }

    /// Notes something for a time.
    pub(super) fn put(&mut self, at: Mono, what: T) {
        self.noted += 1;
        self.due.insert((at, self.noted), what);
    }

    /// When the next thing is due.
    pub(super) fn next_at(&self) -> Option<Mono> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    /// The next thing, if it is due by `now`.
    pub(super) fn take(&mut self, now: Mono) -> Option<T> {
        let first = self.due.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(first.remove())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_come_by_time_and_then_in_the_order_they_were_noted() {
        let mut agenda = Agenda::new();
        for (at, what) in [(5, 'c'), (1, 'a'), (5, 'd'), (2, 'b')] {
            agenda.put(Mono(at), what);
        }
        assert_eq!(agenda.next_at(), Some(Mono(1)));
        let taken: Vec<char> = std::iter::from_fn(|| agenda.take(Mono(5))).collect();
        assert_eq!(taken, ['a', 'b', 'c', 'd']);
        assert_eq!((agenda.take(Mono(9)), agenda.next_at()), (None, None));
    }
}
