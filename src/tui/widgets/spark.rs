//! Small pictures of numbers: a bar for a part of a whole, a row of bars over time.

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// The used and the free part of a bar of `columns`.
pub fn gauge(used: u64, all: u64, columns: u16) -> (String, String) {
    let columns = u64::from(columns);
    let full = used.min(all).saturating_mul(columns).checked_div(all).unwrap_or(0);
    // A little use is still use.
    let full = if used > 0 && all > 0 { full.clamp(1, columns.max(1)) } else { full };
    let times = |n: u64, text: &str| text.repeat(usize::try_from(n).unwrap_or(0));
    (times(full, "━"), times(columns.saturating_sub(full), "─"))
}

/// A row of bars as wide as asked for the last `span` values, however many there are: a bar is the
/// highest of its share. What lies before the first value is not known: a dot. `top` is a full bar.
pub fn row(values: &[u64], span: usize, top: u64, columns: u16) -> String {
    let columns = usize::from(columns);
    let values = values.get(values.len().saturating_sub(span)..).unwrap_or(values);
    let unknown = span.saturating_sub(values.len());
    let bar = |column: usize| {
        let from = column * span / columns;
        let to = ((column + 1) * span / columns).max(from + 1);
        let share = from.saturating_sub(unknown)..to.saturating_sub(unknown);
        match (values.get(share).and_then(|share| share.iter().max()), top) {
            (None, _) => "·",
            (Some(0), _) | (_, 0) => " ",
            (Some(value), top) => {
                let at = value.min(&top).saturating_mul(7) / top;
                BARS.get(usize::try_from(at).unwrap_or(0)).copied().unwrap_or(" ")
            }
        }
    };
    (0..columns).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_is_as_wide_as_asked() {
        assert_eq!(gauge(1, 2, 4), ("━━".into(), "──".into()));
        assert_eq!(gauge(1, 1000, 4), ("━".into(), "───".into()));
        assert_eq!(gauge(9, 2, 3), ("━━━".into(), String::new()));
        assert_eq!(gauge(1, 0, 3), (String::new(), "───".into()));
    }

    #[test]
    fn a_row_spans_all_of_its_time_at_every_width() {
        assert_eq!(row(&[9, 0, 1, 4, 8], 4, 8, 4), " ▁▄█");
        assert_eq!(row(&[0, 1, 4, 8], 4, 8, 2), "▁█", "a bar is the highest of its share");
        assert_eq!(row(&[4, 8], 4, 8, 4), "··▄█", "before the first value nothing is known");
        assert_eq!(row(&[4, 8], 2, 8, 4), "▄▄██");
        assert_eq!(row(&[4, 8], 2, 0, 2), "  ");
        assert_eq!((row(&[], 4, 8, 2), row(&[4], 4, 8, 0)), ("··".into(), String::new()));
    }
}
