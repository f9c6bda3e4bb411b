//! What is free, taken and asked for, so that reservations need not know what they reserve.
//!
//! One number where everything is of one kind (processors), an array where a request has
//! several parts (cores, memory, GPUs) that must all be there.

/// Something of which there is a limited amount.
pub trait Capacity: Clone + PartialEq {
    /// There is at least `need` of every part.
    fn covers(&self, need: &Self) -> bool;
    /// So much more is free.
    fn give(&mut self, amount: &Self);
    /// So much less is free. It may fall below zero, as when a node goes away under its tasks:
    /// nothing fits until as much has come back.
    fn take(&mut self, amount: &Self);
}

impl Capacity for i64 {
    fn covers(&self, need: &i64) -> bool {
        self >= need
    }

    fn give(&mut self, amount: &i64) {
        *self = self.saturating_add(*amount);
    }

    fn take(&mut self, amount: &i64) {
        *self = self.saturating_sub(*amount);
    }
}

impl<const N: usize> Capacity for [i64; N] {
    fn covers(&self, need: &[i64; N]) -> bool {
        // A part that is not asked for may be short.
        self.iter().zip(need).all(|(free, need)| *need <= 0 || free >= need)
    }

    fn give(&mut self, amount: &[i64; N]) {
        self.iter_mut().zip(amount).for_each(|(free, amount)| free.give(amount));
    }

    fn take(&mut self, amount: &[i64; N]) {
        self.iter_mut().zip(amount).for_each(|(free, amount)| free.take(amount));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_covers_only_what_every_part_covers() {
        assert!([4, 8].covers(&[4, 1]) && ![4, 8].covers(&[5, 1]) && ![4, 8].covers(&[1, 9]));
        assert!([-1, 2].covers(&[0, 2]), "what is not asked for may be short");
    }

    #[test]
    fn what_was_taken_beyond_zero_comes_back_exactly() {
        let mut free = [2, 2];
        free.take(&[5, 1]);
        assert_eq!(free, [-3, 1]);
        free.give(&[5, 1]);
        assert_eq!(free, [2, 2]);
    }
}
