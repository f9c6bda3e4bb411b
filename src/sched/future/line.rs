//! Free room on one node over time: what comes free as time passes, without what is kept of it.
//!
//! What runs only ever gives room back, so between two changes of what is kept there only comes to
//! be more: no end in between has to be looked at to know that something that fits goes on fitting.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::base::{Mono, Span};
use crate::sched::future::timeline::Parts;
use crate::sched::future::walk::{ONE_DEVICE, Walk};
use crate::sched::policy::capacity::Capacity;
use crate::sched::policy::profile::Profile;

/// Free room on one node over time.
#[derive(Debug, Clone)]
pub struct Line {
    /// What ends gives back; shared by all copies, for it is the same for all of them.
    ends: Rc<RefCell<Walk>>,
    /// What is kept, below zero; `None` as long as nothing ever was.
    kept: Option<Profile<Parts>>,
    /// Until when something that starts here has a share of a device.
    shared: BTreeMap<u32, Mono>,
}

/// A device of which somebody is to get a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// Its index on the node.
    pub index: u32,
    /// Nobody has any of it.
    pub whole: bool,
}

impl Line {
    pub(super) fn new(ends: Walk) -> Line {
        Line { ends: Rc::new(RefCell::new(ends)), kept: None, shared: BTreeMap::new() }
    }

    /// What is free at a time.
    pub fn free_at(&self, at: Mono) -> Parts {
        let mut free = self.ends.borrow_mut().free_at(at);
        free.give(&self.kept_at(at));
        free
    }

    fn kept_at(&self, at: Mono) -> Parts {
        self.kept.as_ref().map_or(Parts::default(), |kept| *kept.free_at(at))
    }

    /// When what is kept next changes.
    fn change_after(&self, at: Mono) -> Option<Mono> {
        self.kept.as_ref().and_then(|kept| kept.next_after(at))
    }

    /// When what is free next changes.
    pub fn next_after(&self, at: Mono) -> Option<Mono> {
        let end = self.ends.borrow_mut().next_after(at);
        end.into_iter().chain(self.change_after(at)).min()
    }

    /// Whether `need` is free all the time in `[from, until)`.
    pub fn fits(&self, need: &Parts, from: Mono, until: Mono) -> bool {
        let mut at = from;
        loop {
            if !self.free_at(at).covers(need) {
                return false;
            }
            match self.change_after(at) {
                Some(next) if next < until => at = next,
                _ => return true,
            }
        }
    }

    /// The earliest start, not before `from`, at which `need` is free for so long. `None` if
    /// there never is.
    pub fn earliest(&self, need: &Parts, length: Span, from: Mono) -> Option<Mono> {
        self.earliest_by(need, length, from, Mono(u64::MAX))
    }

    /// The same, if it is not after `latest`.
    pub fn earliest_by(
        &self,
        need: &Parts,
        length: Span,
        from: Mono,
        latest: Mono,
    ) -> Option<Mono> {
        let (mut start, mut at) = (None, from);
        loop {
            let change = self.change_after(at);
            if self.free_at(at).covers(need) {
                let start = *start.get_or_insert(at);
                match change {
                    Some(next) if next.since(start) < length => at = next,
                    _ => return Some(start),
                }
                continue;
            }
            start = None;
            let within = change.unwrap_or(latest).min(latest);
            let enough = self.ends.borrow_mut().first_with(&self.beside(need, at), at, within);
            at = enough.filter(|enough| *enough <= within).or(change)?;
            if at > latest {
                return None;
            }
        }
    }

    /// Whether a share of a device may be taken in `[from, until)`: for as long as it would else
    /// have been whole, it is one whole device less.
    pub fn may_share(&self, device: Shared, from: Mono, until: Mono) -> bool {
        let whole = self.whole_from(device, from).filter(|whole| *whole < until);
        whole.is_none_or(|whole| self.fits(&ONE_DEVICE, whole, until))
    }

    /// Takes a share of a device in `[from, until)`.
    pub fn share(&mut self, device: Shared, from: Mono, until: Mono) {
        if let Some(whole) = self.whole_from(device, from).filter(|whole| *whole < until) {
            self.reserve(whole, until, &ONE_DEVICE);
            self.shared.insert(device.index, until);
        }
    }

    /// From when on nobody would have a share of a device; `None` if no end of that is known.
    fn whole_from(&self, device: Shared, from: Mono) -> Option<Mono> {
        let before = self.ends.borrow_mut().shared_until(device.index);
        let until = before.max(self.shared.get(&device.index).copied());
        until.map(|until| until.max(from)).or_else(|| device.whole.then_some(from))
    }

    /// What must be free for it beside what is kept at a time.
    fn beside(&self, need: &Parts, at: Mono) -> Parts {
        let mut sum = *need;
        sum.take(&self.kept_at(at));
        // A part that is not asked for may be short.
        std::array::from_fn(|part| if need[part] > 0 { sum[part] } else { 0 })
    }

    /// Keeps an amount in `[from, until)`.
    pub fn reserve(&mut self, from: Mono, until: Mono, amount: &Parts) {
        let kept = self.kept.get_or_insert_with(|| Profile::new(Parts::default()));
        kept.reserve(from, until, amount);
    }

    /// Gives an amount back in `[from, until)`.
    pub fn release(&mut self, from: Mono, until: Mono, amount: &Parts) {
        let kept = self.kept.get_or_insert_with(|| Profile::new(Parts::default()));
        kept.release(from, until, amount);
    }
}
