//! Which part of something long is seen: a first line that follows a chosen one.

/// A scrolled window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// The first line that is seen.
    pub first: usize,
}

impl Window {
    /// Moves as little as needed so that `chosen` is seen in `height` lines of `len`, with two
    /// lines of neighbourhood where there is room.
    pub fn follow(&mut self, chosen: usize, len: usize, height: usize) {
        let margin = if height > 8 { 2 } else { 0 };
        if chosen < self.first + margin {
            self.first = chosen.saturating_sub(margin);
        }
        let last = chosen + margin + 1;
        if last > self.first + height {
            self.first = last - height;
        }
        self.keep(len, height);
    }

    /// Scrolls by lines.
    pub fn scroll(&mut self, by: isize, len: usize, height: usize) {
        self.first = self.first.saturating_add_signed(by);
        self.keep(len, height);
    }

    /// Leaves no room below the end.
    pub fn keep(&mut self, len: usize, height: usize) {
        self.first = self.first.min(len.saturating_sub(height));
    }

    /// The lines that are seen.
    pub fn seen(&self, len: usize, height: usize) -> std::ops::Range<usize> {
        let first = self.first.min(len);
        first..len.min(first + height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_chosen_is_seen(
            first in 0usize..200, chosen in 0usize..100, more in 1usize..100, height in 1usize..60,
        ) {
            let len = chosen + more;
            let mut window = Window { first };
            window.follow(chosen, len, height);
            prop_assert!(window.seen(len, height).contains(&chosen));
        }
    }
}
