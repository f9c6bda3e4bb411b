//! Follow the sun: which of a team's weekly windows counts now, and when that may next change.

use crate::base::Wall;
use crate::base::calendar::{Open, Weekly};

/// The place of the first window that is open at `at`, and the time it is open.
pub fn in_force<'a>(
    windows: impl IntoIterator<Item = &'a Weekly>,
    at: Wall,
) -> Option<(usize, Open)> {
    let mut windows = windows.into_iter().enumerate();
    windows.find_map(|(place, window)| Some((place, window.open_at(at)?)))
}

/// The next instant after `at` at which one of them opens or closes.
pub fn next_edge<'a>(windows: impl IntoIterator<Item = &'a Weekly>, at: Wall) -> Option<Wall> {
    windows.into_iter().filter_map(|window| window.next_edge(at)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_open_window_counts_and_the_next_edge_of_any_is_looked_at() {
        let weekly = |from, to| Weekly::parse("UTC", "daily", from, to).unwrap();
        let windows = [weekly("08:00", "18:00"), weekly("06:00", "12:00")];
        let hour = |hour: i64| Wall(hour * 3_600_000);
        let found = |at| in_force(&windows, hour(at)).map(|(place, open)| (place, open.until));
        assert_eq!(found(5), None);
        assert_eq!(found(7), Some((1, hour(12))));
        assert_eq!(found(9), Some((0, hour(18))));
        let edges: Vec<_> = [5, 6, 8, 12].map(|at| next_edge(&windows, hour(at))).into();
        assert_eq!(edges, [6, 8, 12, 18].map(|at| Some(hour(at))));
        assert_eq!(next_edge([], hour(1)), None);
    }
}
