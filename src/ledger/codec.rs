//! Intervals as bytes, as they are stored: a version, the names that occur, then one interval
//! after the other in numbers of seven bits a byte. A short task takes some thirty bytes.

use crate::base::{JobId, Mono, Name, TaskId};
use crate::ledger::amounts::Amounts;
use crate::ledger::interval::{Holder, Interval};
use crate::model::fact::Class;
use crate::model::job::GpuShare;

/// The version of the form below. Stored bytes of a newer one are refused.
const VERSION: u8 = 1;

/// Why bytes are no intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// A newer version wrote them, or a class this one does not know.
    Newer(String),
    /// They are damaged.
    Damaged,
}

/// The bytes of intervals.
pub fn encode(intervals: &[Interval]) -> Vec<u8> {
    let mut names = Names::default();
    let mut body = Vec::with_capacity(intervals.len() * 32);
    for interval in intervals {
        put(&mut body, names.number(interval.class.word()));
        put(&mut body, interval.node.as_ref().map_or(0, |node| names.number(node) + 1));
        put(&mut body, interval.holder.as_ref().map_or(0, |who| names.number(&who.team) + 1));
        if let Some(Holder { task, .. }) = &interval.holder {
            put(&mut body, task.job.0);
            put(&mut body, u64::from(task.attempt));
            put(&mut body, u64::from(task.rank));
        }
        put(&mut body, interval.from.0);
        put(&mut body, interval.span().0);
        let Amounts { cpu_milli, mem_bytes, gpus, custom } = &interval.amounts;
        put(&mut body, *cpu_milli);
        put(&mut body, *mem_bytes);
        put(&mut body, gpus.len() as u64);
        for share in gpus {
            put(&mut body, u64::from(share.index));
            put(&mut body, share.milli);
        }
        put(&mut body, custom.len() as u64);
        for (name, units) in custom {
            put(&mut body, names.number(name));
            put(&mut body, *units);
        }
    }
    let mut bytes = vec![VERSION];
    put(&mut bytes, names.0.len() as u64);
    for name in &names.0 {
        put(&mut bytes, name.len() as u64);
        bytes.extend_from_slice(name.as_bytes());
    }
    put(&mut bytes, intervals.len() as u64);
    bytes.append(&mut body);
    bytes
}

/// The intervals behind bytes.
///
/// # Errors
/// When they are of a newer version or damaged.
pub fn decode(bytes: &[u8]) -> Result<Vec<Interval>, Unreadable> {
    let Some((version, rest)) = bytes.split_first() else { return Err(Unreadable::Damaged) };
    if *version > VERSION {
        return Err(Unreadable::Newer(format!("version {version} of the ledger")));
    }
    let mut input = Input { rest, names: Vec::new() };
    for _ in 0..input.number()? {
        let name = input.name()?;
        input.names.push(name);
    }
    let count = input.number()?;
    let mut intervals = Vec::new();
    for _ in 0..count {
        intervals.push(input.interval()?);
    }
    if input.rest.is_empty() { Ok(intervals) } else { Err(Unreadable::Damaged) }
}

/// Names in the order of their first use.
#[derive(Default)]
struct Names(Vec<Name>);

impl Names {
    fn number(&mut self, name: &str) -> u64 {
        let known = self.0.iter().position(|known| **known == *name);
        let at = known.unwrap_or_else(|| {
            self.0.push(name.into());
            self.0.len() - 1
        });
        at as u64
    }
}

fn put(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(low(n) | 0x80);
        n >>= 7;
    }
    bytes.push(low(n));
}

/// The lowest seven bits.
fn low(n: u64) -> u8 {
    u8::try_from(n & 0x7f).unwrap_or(0)
}

struct Input<'a> {
    rest: &'a [u8],
    names: Vec<Name>,
}

impl Input<'_> {
    fn number(&mut self) -> Result<u64, Unreadable> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or(Unreadable::Damaged)?;
            self.rest = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(Unreadable::Damaged)
    }

    fn small(&mut self) -> Result<u32, Unreadable> {
        u32::try_from(self.number()?).map_err(|_| Unreadable::Damaged)
    }

    fn name(&mut self) -> Result<Name, Unreadable> {
        let length = usize::try_from(self.number()?).map_err(|_| Unreadable::Damaged)?;
        let (name, rest) = self.rest.split_at_checked(length).ok_or(Unreadable::Damaged)?;
        self.rest = rest;
        std::str::from_utf8(name).map(Name::from).map_err(|_| Unreadable::Damaged)
    }

    fn named(&self, number: u64) -> Result<Name, Unreadable> {
        let at = usize::try_from(number).map_err(|_| Unreadable::Damaged)?;
        self.names.get(at).cloned().ok_or(Unreadable::Damaged)
    }

    /// The name one before the next number; zero stands for none.
    fn known(&mut self) -> Result<Option<Name>, Unreadable> {
        let number = self.number()?;
        number.checked_sub(1).map(|number| self.named(number)).transpose()
    }

    fn interval(&mut self) -> Result<Interval, Unreadable> {
        let number = self.number()?;
        let word = self.named(number)?;
        let class = Class::of(&word);
        let class = class.ok_or_else(|| Unreadable::Newer(format!("the class {word:?}")))?;
        let node = self.known()?;
        let holder = match self.known()? {
            None => None,
            Some(team) => {
                let (job, attempt, rank) = (JobId(self.number()?), self.small()?, self.small()?);
                Some(Holder { task: TaskId { job, attempt, rank }, team })
            }
        };
        let from = Mono(self.number()?);
        let to = Mono(from.0.checked_add(self.number()?).ok_or(Unreadable::Damaged)?);
        let (cpu_milli, mem_bytes) = (self.number()?, self.number()?);
        let mut amounts = Amounts { cpu_milli, mem_bytes, ..Amounts::default() };
        for _ in 0..self.number()? {
            let (index, milli) = (self.small()?, self.number()?);
            amounts.gpus.push(GpuShare { index, milli });
        }
        for _ in 0..self.number()? {
            let number = self.number()?;
            let (name, units) = (self.named(number)?, self.number()?);
            amounts.custom.insert(name, units);
        }
        Ok(Interval { node, holder, class, from, to, amounts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<Interval> {
        let holder = Holder {
            task: TaskId { job: JobId(u64::MAX), attempt: 2, rank: u32::MAX },
            team: "org/ml".into(),
        };
        let amounts = Amounts {
            cpu_milli: 1500,
            mem_bytes: 64 << 30,
            gpus: vec![GpuShare { index: 3, milli: 250 }],
            custom: [("api:x".into(), 2)].into(),
        };
        let one = |class: &Class| Interval {
            node: Some("n1".into()),
            holder: Some(holder.clone()),
            class: *class,
            from: Mono(5),
            to: Mono(u64::MAX),
            amounts: amounts.clone(),
        };
        let mut all: Vec<Interval> = Class::ALL.iter().map(one).collect();
        let (node, holder, amounts) = (None, None, Amounts::default());
        all.push(Interval {
            node,
            holder,
            class: Class::Idle,
            from: Mono(0),
            to: Mono(1),
            amounts,
        });
        all
    }

    #[test]
    fn intervals_read_back_and_a_short_task_is_small() {
        assert_eq!(decode(&encode(&sample())), Ok(sample()));
        assert_eq!(decode(&encode(&[])), Ok(Vec::new()));
        let task = TaskId { job: JobId(100_000), attempt: 1, rank: 0 };
        let short = Interval {
            holder: Some(Holder { task, team: "default".into() }),
            from: Mono(1_000_000_000),
            to: Mono(1_000_060_000),
            ..sample()[0].clone()
        };
        let two = [short.clone(), short.clone()];
        assert!(encode(&two).len() - encode(&[short]).len() <= 40);
    }

    #[test]
    fn what_a_newer_version_wrote_is_told_from_damage() {
        assert_eq!(decode(&[]), Err(Unreadable::Damaged));
        assert!(matches!(decode(&[VERSION + 1, 9, 9]), Err(Unreadable::Newer(_))));
        let mut bytes = encode(&sample());
        let at = bytes.windows(4).position(|four| four == b"held").unwrap();
        bytes[at] = b'w';
        assert!(matches!(decode(&bytes), Err(Unreadable::Newer(_))));
        for length in 0..bytes.len() {
            assert!(decode(&encode(&sample())[..length]).is_err(), "{length}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
            let _ = decode(&[&[VERSION], &*bytes].concat());
        }
    }
}
