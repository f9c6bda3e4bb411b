//! What is expected, in words.

use crate::base::duration;
use crate::model::estimate::{Confidence, Estimate, Origin};

/// How long it will run, and how that is known.
pub fn estimate(estimate: &Estimate) -> String {
    let (median, p90) = (duration::exact(estimate.median), duration::exact(estimate.p90));
    let length = match estimate.median == estimate.p90 {
        true => median,
        false => format!("{median}, nine of ten within {p90}"),
    };
    let origin = match estimate.origin {
        Origin::Own => "as submitted",
        Origin::Name => "from earlier runs of that name",
        Origin::Executable => "from earlier runs of that program",
        Origin::Team => "from earlier runs of the team",
        Origin::Limit => "its time limit",
        Origin::Prior => "nothing is known of such jobs",
    };
    match estimate.confidence {
        Confidence::None if estimate.origin != Origin::Prior => {
            format!("outlived, taken for {length} by now ({origin})")
        }
        Confidence::None => format!("unknown, taken for {length} ({origin})"),
        Confidence::Low => format!("{length} ({origin}; rough)"),
        Confidence::High => format!("{length} ({origin})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Span;

    #[test]
    fn an_estimate_says_where_it_comes_from_and_what_it_is_worth() {
        let of = |median, p90, origin, confidence| {
            let (median, p90) = (Span::mins(median), Span::mins(p90));
            estimate(&Estimate { median, p90, origin, confidence })
        };
        let learned = of(12, 20, Origin::Name, Confidence::High);
        assert_eq!(learned, "12m, nine of ten within 20m (from earlier runs of that name)");
        assert_eq!(of(5, 5, Origin::Own, Confidence::Low), "5m (as submitted; rough)");
        let unknown = of(30, 30, Origin::Prior, Confidence::None);
        assert_eq!(unknown, "unknown, taken for 30m (nothing is known of such jobs)");
        let outlived = of(10, 10, Origin::Own, Confidence::None);
        assert_eq!(outlived, "outlived, taken for 10m by now (as submitted)");
    }
}
