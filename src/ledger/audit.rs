//! The conservation law, checked from outside: what was booked for each node and each resource
//! must be what there was, times time.
//!
//! What there was is not taken from the meter: whoever audits says for each stretch of time what
//! a place had and what was held there. Where more is held than there is, because capacity
//! shrank, what is held counts.

use std::collections::BTreeMap;
use std::fmt;

use crate::base::{Mono, Name, Span};
use crate::ledger::amounts::Amounts;
use crate::ledger::interval::Interval;
use crate::model::fact::Class;

/// What is conserved: one resource of a node, or a countable one of the whole installation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Thousandths of a core.
    Cpu(Name),
    /// Bytes.
    Mem(Name),
    /// Thousandths of a device.
    Gpu(Name, u32),
    /// Units.
    Custom(Name),
}

/// A place at one instant: a node, or, without a name, all countable resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct There {
    /// The node.
    pub node: Option<Name>,
    /// What it has.
    pub capacity: Amounts,
    /// What tasks hold there.
    pub held: Amounts,
}

/// What there was of a resource and how it was booked: amounts times milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// Capacity.
    pub capacity: u128,
    /// What was held beyond it.
    pub over: u128,
    /// Booked, by class.
    pub booked: BTreeMap<Class, u128>,
}

/// Adds up both sides.
#[derive(Debug, Clone, Default)]
pub struct Audit {
    from: Mono,
    sums: BTreeMap<Resource, Sums>,
}

impl Sums {
    /// Everything that was booked.
    pub fn booked(&self) -> u128 {
        self.booked.values().sum()
    }
}

impl Audit {
    /// An audit of what is later than an instant; of what began before only the rest counts.
    pub fn since(from: Mono) -> Audit {
        Audit { from, sums: BTreeMap::new() }
    }

    /// Lets time pass in which every place was so.
    pub fn pass(&mut self, places: &[There], span: Span) {
        for There { node, capacity, held } in places.iter().filter(|_| span > Span::ZERO) {
            let held: BTreeMap<Resource, u64> = parts(node.as_ref(), held).collect();
            let has: BTreeMap<Resource, u64> = parts(node.as_ref(), capacity).collect();
            for (resource, amount) in &has {
                self.sums.entry(resource.clone()).or_default().capacity += times(*amount, span);
            }
            for (resource, amount) in held {
                let over = amount.saturating_sub(has.get(&resource).copied().unwrap_or(0));
                self.sums.entry(resource).or_default().over += times(over, span);
            }
        }
    }

    /// Books an interval.
    pub fn book(&mut self, interval: &Interval) {
        book(&mut self.sums, interval, self.from);
    }

    /// Every resource for which the sides differ once what is open is booked too; in words.
    pub fn balance(&self, open: &[Interval]) -> Vec<String> {
        let mut sums = self.sums.clone();
        open.iter().for_each(|interval| book(&mut sums, interval, self.from));
        let wrong = sums.iter().filter(|(_, sums)| sums.booked() != sums.capacity + sums.over);
        wrong
            .map(|(resource, sums)| {
                format!(
                    "{resource}: {} booked, but there were {} (capacity {}, held beyond it {})",
                    sums.booked(),
                    sums.capacity + sums.over,
                    sums.capacity,
                    sums.over
                )
            })
            .collect()
    }

    /// The sums, by resource.
    pub fn sums(&self) -> &BTreeMap<Resource, Sums> {
        &self.sums
    }
}

fn book(sums: &mut BTreeMap<Resource, Sums>, interval: &Interval, from: Mono) {
    let Some(span) = interval.within(from, interval.to) else { return };
    for (resource, amount) in parts(interval.node.as_ref(), &interval.amounts) {
        let booked = &mut sums.entry(resource).or_default().booked;
        *booked.entry(interval.class).or_default() += times(amount, span);
    }
}

fn times(amount: u64, span: Span) -> u128 {
    u128::from(amount) * u128::from(span.0)
}

/// Amounts by resource. Countable ones are no node's; of a nameless place nothing else counts.
fn parts<'a>(
    node: Option<&'a Name>,
    amounts: &'a Amounts,
) -> impl Iterator<Item = (Resource, u64)> + 'a {
    let local = node.into_iter().flat_map(move |node| {
        let named = |resource: fn(Name) -> Resource| resource(node.clone());
        let plain =
            [(named(Resource::Cpu), amounts.cpu_milli), (named(Resource::Mem), amounts.mem_bytes)];
        let gpus = amounts.gpus.iter();
        let gpus = gpus.map(|share| (Resource::Gpu(node.clone(), share.index), share.milli));
        plain.into_iter().chain(gpus)
    });
    let custom = amounts.custom.iter();
    let custom = custom.map(|(name, units)| (Resource::Custom(name.clone()), *units));
    local.chain(custom).filter(|(_, amount)| *amount > 0)
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Cpu(node) => write!(f, "{node} cpu"),
            Resource::Mem(node) => write!(f, "{node} memory"),
            Resource::Gpu(node, index) => write!(f, "{node} GPU {index}"),
            Resource::Custom(name) => write!(f, "{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(cpu_milli: u64) -> Amounts {
        Amounts { cpu_milli, ..Amounts::default() }
    }

    fn booked(class: Class, cpu_milli: u64, to: u64) -> Interval {
        let (node, from, to) = (Some("n1".into()), Mono(0), Mono(to));
        Interval { node, holder: None, class, from, to, amounts: cores(cpu_milli) }
    }

    #[test]
    fn a_millisecond_too_much_or_too_little_is_named() {
        let mut audit = Audit::default();
        let there = There { node: Some("n1".into()), capacity: cores(4000), held: cores(1000) };
        audit.pass(&[there], Span(10));
        audit.book(&booked(Class::Productive, 1000, 10));
        assert_eq!(audit.balance(&[booked(Class::Idle, 3000, 10)]), [""; 0]);
        for to in [9, 11] {
            let wrong = audit.balance(&[booked(Class::Idle, 3000, to)]);
            assert_eq!(wrong.len(), 1, "{wrong:?}");
            assert!(wrong[0].starts_with("n1 cpu: "), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_held_beyond_capacity_counts() {
        let mut audit = Audit::default();
        let there = There { node: Some("n1".into()), capacity: cores(100), held: cores(300) };
        audit.pass(&[there], Span(2));
        audit.book(&booked(Class::Productive, 300, 2));
        assert_eq!(audit.balance(&[]), [""; 0]);
        let sums = audit.sums().values().next().unwrap();
        assert_eq!((sums.capacity, sums.over, sums.booked()), (200, 400, 600));
    }
}
