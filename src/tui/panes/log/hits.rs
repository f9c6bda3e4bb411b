//! The lines that a search found, kept while output comes.

use std::collections::VecDeque;

use super::buffer::Buffer;

/// Numbers of lines with a match, in order.
#[derive(Debug, Default)]
pub struct Hits {
    lines: VecDeque<u64>,
    /// Lines before this one were looked through and are complete.
    scanned: u64,
}

impl Hits {
    /// Begins anew.
    pub fn restart(&mut self) {
        *self = Hits::default();
    }

    /// Looks through the lines that are new; an unfinished one is looked at again.
    pub fn scan(&mut self, buffer: &Buffer, has: impl Fn(&str) -> bool) {
        let from = self.scanned.max(buffer.first());
        while self.lines.back().is_some_and(|line| *line >= from) {
            self.lines.pop_back();
        }
        while self.lines.front().is_some_and(|line| *line < buffer.first()) {
            self.lines.pop_front();
        }
        let found = (from..buffer.end()).filter(|n| buffer.line(*n).is_some_and(|line| has(&line)));
        self.lines.extend(found);
        self.scanned = buffer.closed();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// The place of a line among them, from 1.
    pub fn place(&self, line: u64) -> Option<usize> {
        self.lines.binary_search(&line).ok().map(|at| at + 1)
    }

    /// The first from a line on; after the last one the first.
    pub fn at_or_after(&self, line: u64) -> Option<u64> {
        let at = self.lines.partition_point(|hit| *hit < line);
        self.lines.get(at).or(self.lines.front()).copied()
    }

    /// The last before a line; before the first one the last.
    pub fn before(&self, line: u64) -> Option<u64> {
        let at = self.lines.partition_point(|hit| *hit < line);
        at.checked_sub(1).and_then(|at| self.lines.get(at)).or(self.lines.back()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_is_found_and_what_goes_is_forgotten() {
        let (mut buffer, mut hits) = (Buffer::default(), Hits::default());
        let has = |line: &str| line.contains("12");
        buffer.push(None, b"12\n1");
        hits.scan(&buffer, has);
        assert_eq!((hits.len(), hits.at_or_after(1)), (1, Some(0)));
        buffer.push(None, b"2\n3\n");
        hits.scan(&buffer, has);
        assert_eq!((hits.len(), hits.place(1), hits.at_or_after(1)), (2, Some(2), Some(1)));
        assert_eq!(
            (hits.at_or_after(2), hits.before(0), hits.before(1)),
            (Some(0), Some(1), Some(0))
        );
    }
}
