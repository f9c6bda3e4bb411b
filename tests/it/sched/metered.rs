//! The meter beside the driver's world: after every step what was booked must be what there was,
//! and a meter made of the world and what a snapshot saves must be the one that was led here.

use holdshort::base::{At, Mono};
use holdshort::engine::metering::{meter_of, places};
use holdshort::ledger::{Audit, Interval, Meter, Saved, codec};
use holdshort::model::Fact;
use holdshort::sched::World;

/// Everything metered since the site began.
#[derive(Clone, Default)]
pub struct Metered {
    meter: Meter,
    audit: Audit,
    pub closed: Vec<Interval>,
}

impl Metered {
    /// Everything that does not hold after a step.
    pub fn step(&mut self, before: &World, at: At, facts: &[Fact], after: &World) -> Vec<String> {
        if facts.is_empty() {
            return Vec::new();
        }
        let now = at.now.max(before.at().now);
        self.audit.pass(&places(before), now.since(before.at().now));
        let mut closed = Vec::new();
        facts.iter().for_each(|fact| self.meter.apply(at, fact, &mut closed));
        let mut broken = Vec::new();
        if codec::decode(&codec::encode(&closed)).as_ref() != Ok(&closed) {
            broken.push("intervals do not survive being stored".to_owned());
        }
        closed.iter().for_each(|interval| self.audit.book(interval));
        broken.extend(closed.iter().filter_map(impossible));
        broken.extend(self.audit.balance(&self.meter.settle(now)));
        let saved = serde_json::to_string(&self.meter.save()).unwrap();
        let saved: Saved = serde_json::from_str(&saved).unwrap();
        if meter_of(after, Some(&saved)) != self.meter {
            broken.push("the meter of the world is another one".to_owned());
        }
        self.closed.append(&mut closed);
        broken
    }

    /// Everything so far, what is open included.
    pub fn all(&self, now: Mono) -> Vec<Interval> {
        let mut all = self.closed.clone();
        all.extend(self.meter.settle(now));
        all
    }
}

fn impossible(interval: &Interval) -> Option<String> {
    let empty = interval.from >= interval.to || interval.amounts.is_empty();
    empty.then(|| format!("an interval of nothing: {interval:?}"))
}
