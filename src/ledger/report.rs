//! Sums of intervals over a window, by what a reader wants to see them by.

use std::collections::BTreeMap;

use crate::base::{JobId, Mono, Name, Span};
use crate::ledger::amounts::Amounts;
use crate::ledger::days::Day;
use crate::ledger::interval::Interval;
use crate::model::fact::Class;
use crate::model::page::usage::{UsageBy, UsageRow, Used};

/// What a sum is of: team, job, node, and the place of its class in [`Class::ALL`].
type Key = (Option<Name>, Option<JobId>, Option<Name>, usize);

/// Sums in the making.
#[derive(Debug, Clone)]
pub struct Report {
    by: UsageBy,
    sums: BTreeMap<Key, (Class, Used)>,
}

impl Report {
    /// Nothing yet.
    pub fn new(by: UsageBy) -> Report {
        Report { by, sums: BTreeMap::new() }
    }

    /// Adds what of an interval lies in a window.
    pub fn add(&mut self, interval: &Interval, from: Mono, to: Mono) {
        let Some(span) = interval.within(from, to) else { return };
        let order = Class::ALL.iter().position(|class| *class == interval.class);
        let order = order.unwrap_or(Class::ALL.len());
        let holder = interval.holder.as_ref();
        let team = holder.map(|holder| holder.team.clone());
        let key = match self.by {
            UsageBy::Team => (team, None, None, order),
            UsageBy::Job => (team, holder.map(|holder| holder.task.job), None, order),
            UsageBy::Node => return self.add_by_node(interval, span, order),
            UsageBy::Class => (None, None, None, order),
        };
        self.put(key, interval.class, &interval.amounts, span);
    }

    /// Adds a whole day. Which jobs its sums are of nobody knows any more.
    pub fn add_day(&mut self, day: &Day, may_see: impl Fn(Option<&Name>) -> bool) {
        for (of, sums) in day.sums().iter().filter(|(of, _)| may_see(of.team.as_ref())) {
            let order = Class::ALL.iter().position(|class| *class == of.class);
            let order = order.unwrap_or(Class::ALL.len());
            let mut used = sums.used();
            let key = match self.by {
                UsageBy::Team | UsageBy::Job => (of.team.clone(), None, None, order),
                UsageBy::Class => (None, None, None, order),
                UsageBy::Node => {
                    let custom_ms = std::mem::take(&mut used.custom_ms);
                    if !custom_ms.is_empty() {
                        let units = Used { custom_ms, ..Used::default() };
                        self.sum((None, None, None, order), of.class, units);
                    }
                    (None, None, of.node.clone(), order)
                }
            };
            if used != Used::default() {
                self.sum(key, of.class, used);
            }
        }
    }

    fn sum(&mut self, key: Key, class: Class, more: Used) {
        let (_, used) = self.sums.entry(key).or_insert_with(|| (class, Used::default()));
        used.cpu_milli_ms += more.cpu_milli_ms;
        used.mem_byte_ms += more.mem_byte_ms;
        used.gpu_milli_ms += more.gpu_milli_ms;
        for (name, sum) in more.custom_ms {
            *used.custom_ms.entry(name).or_default() += sum;
        }
    }

    /// Countable resources are no node's.
    fn add_by_node(&mut self, interval: &Interval, span: Span, order: usize) {
        let mut local = interval.amounts.clone();
        let custom = std::mem::take(&mut local.custom);
        for (node, amounts) in
            [(interval.node.clone(), local), (None, Amounts { custom, ..Amounts::default() })]
        {
            if !amounts.is_empty() {
                self.put((None, None, node, order), interval.class, &amounts, span);
            }
        }
    }

    fn put(&mut self, key: Key, class: Class, amounts: &Amounts, span: Span) {
        let (_, used) = self.sums.entry(key).or_insert_with(|| (class, Used::default()));
        add(used, amounts, span);
    }

    /// The sums; what nobody held comes last.
    pub fn rows(self) -> Vec<UsageRow> {
        let rows = self.sums.into_iter().map(|((team, job, node, _), (class, used))| UsageRow {
            team,
            job,
            node,
            class,
            used,
        });
        let nameless = |row: &UsageRow| row.team.is_none() && row.node.is_none();
        let (last, mut first): (Vec<_>, Vec<_>) = rows.partition(nameless);
        first.extend(last);
        first
    }
}

/// Adds amounts for so long.
pub(super) fn add(used: &mut Used, amounts: &Amounts, span: Span) {
    let times = |amount: u64| u128::from(amount) * u128::from(span.0);
    used.cpu_milli_ms += times(amounts.cpu_milli);
    used.mem_byte_ms += times(amounts.mem_bytes);
    used.gpu_milli_ms += amounts.gpus.iter().map(|share| times(share.milli)).sum::<u128>();
    for (name, units) in &amounts.custom {
        *used.custom_ms.entry(name.clone()).or_default() += times(*units);
    }
}
