//! `--array 0-499%8`, `1,3,10-20:5`.

use std::collections::BTreeSet;

use crate::model::submission::{ARRAY_MAX, ArrayRequest};

/// Reads indices and ranges, each with an optional `:STEP`, and an optional `%LIMIT` at the end.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn parse(text: &str) -> Result<ArrayRequest, String> {
    let (list, throttle) = match text.split_once('%') {
        None => (text, None),
        Some((list, limit)) => match limit.parse::<u32>() {
            Ok(n) if n > 0 => (list, Some(n)),
            _ => return Err(format!("`%{limit}` is not a number of elements at once")),
        },
    };
    let mut indices = BTreeSet::new();
    for part in list.split(',') {
        add_part(part.trim(), &mut indices)?;
    }
    Ok(ArrayRequest { indices: indices.into_iter().collect(), throttle })
}

fn add_part(part: &str, indices: &mut BTreeSet<u32>) -> Result<(), String> {
    let number = |text: &str| {
        text.parse::<u32>().map_err(|_| format!("`{text}` is not an index; write 0-499%8 or 1,3,5"))
    };
    let (range, step) = match part.split_once(':') {
        None => (part, 1),
        Some((range, step)) => (range, number(step)?),
    };
    let (from, to) = match range.split_once('-') {
        None => (number(range)?, number(range)?),
        Some((from, to)) => (number(from)?, number(to)?),
    };
    if step == 0 {
        return Err(format!("`{part}` has a step of 0"));
    }
    if from > to {
        return Err(format!("`{part}` runs backwards; write {to}-{from}"));
    }
    let step_by = usize::try_from(step).unwrap_or(usize::MAX);
    for index in (from..=to).step_by(step_by) {
        indices.insert(index);
        if indices.len() > ARRAY_MAX {
            return Err(format!("an array has at most {ARRAY_MAX} elements"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_ranges_steps_and_a_throttle_are_read() {
        let request = parse("0-3,9,20-30:5%2").unwrap();
        assert_eq!(request.indices, [0, 1, 2, 3, 9, 20, 25, 30]);
        assert_eq!(request.throttle, Some(2));
        assert_eq!(parse("5").unwrap(), ArrayRequest { indices: vec![5], throttle: None });
        assert_eq!(parse("3,1,3").unwrap().indices, [1, 3]);
    }

    #[test]
    fn nonsense_is_refused_with_a_reason_and_without_using_memory() {
        for bad in ["", "a", "1-", "-3", "5-1", "0-9%0", "0-9%", "0-9:0", "1,,2", "0-4294967295"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse("5-1").unwrap_err().contains("1-5"));
    }
}
