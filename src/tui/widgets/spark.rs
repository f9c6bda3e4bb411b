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

/// One bar for each value, the last `columns` of them; `top` is a full bar.
pub fn row(values: &[u64], top: u64, columns: u16) -> String {
    let from = values.len().saturating_sub(usize::from(columns));
    let bar = |value: &u64| match (*value, top) {
        (0, _) | (_, 0) => " ",
        (value, top) => {
            let at = value.min(top).saturating_mul(7) / top;
            BARS.get(usize::try_from(at).unwrap_or(0)).copied().unwrap_or(" ")
        }
    };
    values.get(from..).unwrap_or(&[]).iter().map(bar).collect()
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
        assert_eq!(row(&[0, 1, 4, 8], 8, 3), "▁▄█");
    }
}
