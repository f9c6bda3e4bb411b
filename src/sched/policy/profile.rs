//! How much is free, over time: room for any number of reservations.
//!
//! A step function. Conservative backfilling (Mu'alem and Feitelson 2001) keeps one reservation
//! in it for every waiting job. Searching looks at the steps between two times, one after the
//! other; changing shifts the steps behind. With the tens of thousands of steps of a large
//! installation both are some microseconds.

use super::capacity::Capacity;
use crate::base::{Mono, Span};

/// Free amounts over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile<A> {
    /// By time; never empty; neighbours differ. The first holds for all time before as well.
    steps: Vec<Step<A>>,
}

/// From here on so much is free, until the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step<A> {
    at: Mono,
    free: A,
}

impl<A: Capacity> Profile<A> {
    /// The same amount for ever.
    pub fn new(free: A) -> Profile<A> {
        Profile { steps: vec![Step { at: Mono(0), free }] }
    }

    /// What is free now, and what each end gives back; the earliest end first.
    pub fn with_ends(free: A, ends: impl IntoIterator<Item = (Mono, A)>) -> Profile<A> {
        let mut profile = Profile::new(free.clone());
        let mut then = free;
        for (at, amount) in ends {
            then.give(&amount);
            let step = Step { at, free: then.clone() };
            match profile.steps.last_mut() {
                Some(last) if last.free == then => {}
                Some(last) if last.at >= at => last.free = step.free,
                _ => profile.steps.push(step),
            }
        }
        profile
    }

    /// What is free at a time.
    pub fn free_at(&self, at: Mono) -> &A {
        &self.steps[self.index_at(at)].free
    }

    /// When it next changes after a time.
    pub fn next_after(&self, at: Mono) -> Option<Mono> {
        let next = self.steps.partition_point(|step| step.at <= at);
        self.steps.get(next).map(|step| step.at)
    }

    /// The steps: from when on, and how much.
    pub fn steps(&self) -> impl Iterator<Item = (Mono, &A)> {
        self.steps.iter().map(|step| (step.at, &step.free))
    }

    /// Whether `need` is free all the time in `[from, until)`.
    pub fn fits(&self, need: &A, from: Mono, until: Mono) -> bool {
        let mut steps = self.steps[self.index_at(from)..].iter();
        let first = steps.next().is_none_or(|step| step.free.covers(need));
        first && steps.take_while(|step| step.at < until).all(|step| step.free.covers(need))
    }

    /// The earliest start, not before `from`, at which `need` is free for so long. `None` if
    /// there never is.
    pub fn earliest(&self, need: &A, length: Span, from: Mono) -> Option<Mono> {
        self.search(need, length, from, Mono(u64::MAX), None)
    }

    /// The same, if it is not after `latest`.
    pub fn earliest_by(&self, need: &A, length: Span, from: Mono, latest: Mono) -> Option<Mono> {
        self.search(need, length, from, latest, None)
    }

    /// An earlier start for a reservation of `need` for so long that stands at `held`: the
    /// earliest one if it were taken out first, not before `from`. `None` if it is best where it
    /// is.
    pub fn sooner(&self, need: &A, length: Span, from: Mono, held: Mono) -> Option<Mono> {
        // Its own room continues any free room that reaches it, so what lies behind its present
        // start does not matter.
        let latest = Mono(u64::MAX);
        if held <= from { None } else { self.search(need, length, from, latest, Some(held)) }
    }

    fn search(
        &self,
        need: &A,
        length: Span,
        from: Mono,
        latest: Mono,
        held: Option<Mono>,
    ) -> Option<Mono> {
        let first = self.index_at(from);
        let mut start = Some(from);
        let mut steps = self.steps[first..].iter().peekable();
        while let Some(step) = steps.next() {
            let too_late = start.is_none() && step.at > latest;
            if too_late || held.is_some_and(|held| step.at >= held) {
                return None;
            }
            if !step.free.covers(need) {
                start = None;
                continue;
            }
            let start = *start.get_or_insert(step.at);
            let Some(next) = steps.peek() else { return Some(start) };
            if next.at.since(start) >= length || held.is_some_and(|held| next.at >= held) {
                return Some(start);
            }
        }
        None
    }

    /// Takes an amount in `[from, until)`.
    pub fn reserve(&mut self, from: Mono, until: Mono, amount: &A) {
        self.change(from, until, |free| free.take(amount));
    }

    /// Gives an amount back in `[from, until)`.
    pub fn release(&mut self, from: Mono, until: Mono, amount: &A) {
        self.change(from, until, |free| free.give(amount));
    }

    /// Time has come so far: what was free before need not be known.
    pub fn forget(&mut self, before: Mono) {
        let passed = self.index_at(before);
        self.steps.drain(..passed);
    }

    /// The step that holds at a time.
    fn index_at(&self, at: Mono) -> usize {
        self.steps.partition_point(|step| step.at <= at).saturating_sub(1)
    }

    fn change(&mut self, from: Mono, until: Mono, mut by: impl FnMut(&mut A)) {
        if from >= until {
            return;
        }
        let first = self.split(from);
        let last = self.split(until);
        self.steps[first..last].iter_mut().for_each(|step| by(&mut step.free));
        // Inside, all changed alike: only the edges can have become equal to their neighbours.
        self.join(last);
        self.join(first);
    }

    /// The step that begins at a time, made if there is none.
    fn split(&mut self, at: Mono) -> usize {
        let after = self.steps.partition_point(|step| step.at < at);
        if self.steps.get(after).is_none_or(|step| step.at != at) {
            let free = self.steps[after.saturating_sub(1)].free.clone();
            self.steps.insert(after, Step { at, free });
        }
        after
    }

    fn join(&mut self, index: usize) {
        if index > 0 && self.steps[index - 1].free == self.steps[index].free {
            self.steps.remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// So many instants, then a steady end.
    const LENGTH: u64 = 40;
    const ALL: i64 = 8;

    /// What is free at each instant, one by one.
    struct Plain(Vec<[i64; 2]>);

    impl Plain {
        fn at(&self, at: u64) -> [i64; 2] {
            let index = usize::try_from(at.min(LENGTH)).unwrap();
            self.0[index]
        }

        fn add(&mut self, from: u64, until: u64, amount: [i64; 2], sign: i64) {
            for at in from..until {
                let free = &mut self.0[usize::try_from(at).unwrap()];
                free[0] += sign * amount[0];
                free[1] += sign * amount[1];
            }
        }

        fn earliest(&self, need: [i64; 2], length: u64, from: u64) -> Option<u64> {
            let fits = |start: &u64| (*start..start + length).all(|at| self.at(at).covers(&need));
            (from..=LENGTH.max(from)).find(fits)
        }
    }

    fn windows() -> impl Strategy<Value = Vec<(u64, u64, [i64; 2])>> {
        vec((0..LENGTH, 1..12u64, [0..4i64, 0..3i64]), 0..24)
    }

    proptest! {
        #[test]
        fn it_is_an_array_of_instants_written_shorter(
            windows in windows(),
            need in [1..10i64, 0..4i64],
            length in 1..15u64,
            from in 0..LENGTH + 5,
            gone in 0..24usize,
        ) {
            let mut profile = Profile::new([ALL, 4]);
            let mut plain = Plain(vec![[ALL, 4]; usize::try_from(LENGTH).unwrap() + 1]);
            for (index, (from, length, amount)) in windows.iter().enumerate() {
                let until = (from + length).min(LENGTH);
                profile.reserve(Mono(*from), Mono(until), amount);
                plain.add(*from, until, *amount, -1);
                if index == gone {
                    profile.release(Mono(*from), Mono(until), amount);
                    plain.add(*from, until, *amount, 1);
                }
            }
            for at in 0..LENGTH + 2 {
                prop_assert_eq!(*profile.free_at(Mono(at)), plain.at(at));
            }
            let steps: Vec<_> = profile.steps().collect();
            prop_assert!(steps.windows(2).all(|p| p[0].0 < p[1].0 && p[0].1 != p[1].1));
            let expected = plain.earliest(need, length, from).map(Mono);
            prop_assert_eq!(profile.earliest(&need, Span(length), Mono(from)), expected);
            let latest = Mono(from + u64::try_from(gone).unwrap());
            let by = profile.earliest_by(&need, Span(length), Mono(from), latest);
            prop_assert_eq!(by, expected.filter(|at| *at <= latest));
            let all = (from..from + length).all(|at| plain.at(at).covers(&need));
            prop_assert_eq!(profile.fits(&need, Mono(from), Mono(from + length)), all);
            profile.forget(Mono(from));
            prop_assert_eq!(profile.earliest(&need, Span(length), Mono(from)), expected);
        }

        #[test]
        fn a_reservation_moves_to_where_it_would_be_made_anew(
            windows in windows(), need in [1..5i64, 0..3i64], length in 1..12u64, from in 0..20u64,
        ) {
            let mut profile = Profile::new([ALL, 4]);
            for (from, length, amount) in &windows {
                // Only what fits, as a scheduler does.
                let length = Span(*length);
                let start = profile.earliest(amount, length, Mono(*from)).unwrap();
                profile.reserve(start, start + length, amount);
            }
            let length = Span(length);
            let held = profile.earliest(&need, length, Mono(from + 9)).unwrap();
            let anew = profile.earliest(&need, length, Mono(from));
            profile.reserve(held, held + length, &need);
            let sooner = profile.sooner(&need, length, Mono(from), held);
            prop_assert_eq!(sooner.or(Some(held)), anew);
        }
    }

    #[test]
    fn ends_give_back_one_after_the_other() {
        let profile = Profile::with_ends(1, [(Mono(5), 2), (Mono(5), 1), (Mono(9), 4)]);
        let steps: Vec<_> = profile.steps().map(|(at, free)| (at.0, *free)).collect();
        assert_eq!(steps, [(0, 1), (5, 4), (9, 8)]);
        assert_eq!(profile.earliest(&9, Span(1), Mono(0)), None);
    }

    #[test]
    fn nothing_fits_while_more_is_held_than_there_is() {
        let mut profile = Profile::new(2);
        profile.reserve(Mono(3), Mono(7), &5);
        assert_eq!(*profile.free_at(Mono(3)), -3);
        assert_eq!(profile.earliest(&1, Span(4), Mono(0)), Some(Mono(7)));
        profile.release(Mono(3), Mono(7), &5);
        assert_eq!(profile, Profile::new(2));
    }
}
