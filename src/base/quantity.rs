//! Amounts of CPU, memory and GPU as people write them: the rules of Kubernetes quantities.
//!
//! Reading is integer arithmetic throughout. What is printed for people is short; bytes are
//! rounded to two or three digits and do not read back exactly unless they are round.

/// Thousandths of a core from `2`, `1.5` or `500m`.
///
/// # Errors
/// What is wrong and what to write instead; an amount finer than `1m` is refused.
pub fn parse_cpu(text: &str) -> Result<u64, String> {
    let number = Number::read(text)?;
    let (times, per) = match number.suffix {
        "" => (1000, 1),
        "m" => (1, 1),
        other => match decimal_factor(other) {
            Some(factor) => (factor * 1000, 1),
            None => return Err(format!("{text:?} is not a number of cores; write 2, 1.5 or 500m")),
        },
    };
    match number.scaled(times, per) {
        Some((milli, true)) => Ok(milli),
        Some((_, false)) => Err(format!("{text:?} is finer than 1m, a thousandth of a core")),
        None => Err(format!("{text:?} is more cores than can be counted")),
    }
}

/// Bytes from `4Gi`, `500M` or `1024`; a fraction of a byte is rounded up.
///
/// # Errors
/// What is wrong and what to write instead. Thousandths of a byte (`400m`) are always a slip.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let number = Number::read(text)?;
    let suffix = number.suffix;
    let digits = text.trim().strip_suffix(suffix).unwrap_or(text);
    let factor = match suffix {
        "" if number.has_fraction() => {
            return Err(format!("{text:?} is a fraction of a byte; did you mean {digits}Gi?"));
        }
        "" => 1,
        "m" => {
            return Err(format!(
                "{text:?} is too little memory: m means thousandths of a byte; \
                 did you mean {digits}Mi?"
            ));
        }
        other => match decimal_factor(other).or_else(|| binary_factor(other)) {
            Some(factor) => factor,
            None => {
                return Err(format!(
                    "{text:?} is not an amount of memory; {}",
                    hint(digits, other)
                ));
            }
        },
    };
    match number.scaled(factor, 1) {
        Some((bytes, _)) => Ok(bytes),
        None => Err(format!("{text:?} is more memory than can be counted")),
    }
}

/// Thousandths of a GPU from `1`, `2` or `0.5`.
///
/// # Errors
/// Above one only whole devices can be had, below one at most three decimals.
pub fn parse_gpu(text: &str) -> Result<u64, String> {
    let number = Number::read(text)?;
    let wrong = || format!("{text:?} is not a number of GPUs; write 1, 2 or a share such as 0.5");
    if number.suffix == "m" {
        let milli = number.scaled(1, 1).filter(|(_, exact)| *exact).ok_or_else(wrong)?.0;
        return Err(format!("{}; did you mean {}?", wrong(), format_gpu(milli)));
    }
    if !number.suffix.is_empty() {
        return Err(wrong());
    }
    let Some((milli, exact)) = number.scaled(1000, 1) else { return Err(wrong()) };
    if !exact {
        return Err(format!("{text:?} is finer than a thousandth of a GPU; write 0.125"));
    }
    if milli > 1000 && milli % 1000 != 0 {
        let (below, above) = (milli / 1000, milli / 1000 + 1);
        return Err(format!(
            "{text:?} GPUs cannot be had: a share is below 1, more are whole devices; \
             write {below} or {above}"
        ));
    }
    Ok(milli)
}

/// Thousandths from a plain number such as `2` or `0.5`: a weight, or an amount of GPUs that is
/// shared out and not handed over, so that `2.5` makes sense.
///
/// # Errors
/// Anything but a number with at most three decimals.
pub fn parse_thousandths(text: &str) -> Result<u64, String> {
    let number = Number::read(text)?;
    match number.scaled(1000, 1) {
        _ if !number.suffix.is_empty() => {
            Err(format!("{text:?} is not a plain number; write 2 or 0.5"))
        }
        Some((milli, true)) => Ok(milli),
        Some((_, false)) => Err(format!("{text:?} is finer than a thousandth; write 0.125")),
        None => Err(format!("{text:?} is more than can be counted")),
    }
}

/// Whole units of a countable thing from `6` or `1k`.
///
/// # Errors
/// Anything but a whole number.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let number = Number::read(text)?;
    let factor = if number.suffix.is_empty() { Some(1) } else { decimal_factor(number.suffix) };
    match factor.and_then(|factor| number.scaled(factor, 1)) {
        Some((count, true)) => Ok(count),
        _ => Err(format!("{text:?} is not a whole number of units; write 6")),
    }
}

/// Cores for people: `500m`, `2`, `1.5`.
pub fn format_cpu(milli: u64) -> String {
    if milli > 0 && milli < 1000 { format!("{milli}m") } else { thousandths(milli) }
}

/// GPUs for people: `0.5`, `4`.
pub fn format_gpu(milli: u64) -> String {
    thousandths(milli)
}

/// Bytes for people, in binary units and at most one decimal: `512`, `4Gi`, `1.5Gi`, `23Mi`.
pub fn format_bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut shift = 0u32;
    let mut unit = 0;
    loop {
        let tenths = (u128::from(bytes) * 10 + ((1u128 << shift) >> 1)) >> shift;
        let rounded = (u128::from(bytes) + ((1u128 << shift) >> 1)) >> shift;
        if rounded >= 1024 && unit + 1 < UNITS.len() {
            shift += 10;
            unit += 1;
            continue;
        }
        let name = UNITS.get(unit).copied().unwrap_or("");
        return match (tenths / 10, tenths % 10) {
            (whole, tenth) if whole < 10 && tenth != 0 => format!("{whole}.{tenth}{name}"),
            _ => format!("{rounded}{name}"),
        };
    }
}

fn thousandths(milli: u64) -> String {
    let (whole, rest) = (milli / 1000, milli % 1000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{}", format!("{rest:03}").trim_end_matches('0'))
}

/// A decimal number and what stands behind it.
struct Number<'a> {
    /// All digits, without the point.
    digits: u128,
    /// How many of them stand behind the point, less the exponent.
    scale: i32,
    suffix: &'a str,
}

impl<'a> Number<'a> {
    fn read(text: &'a str) -> Result<Number<'a>, String> {
        let text = text.trim();
        let body = text.strip_prefix('+').unwrap_or(text);
        if body.starts_with('-') {
            return Err(format!("{text:?} is less than nothing; write a number from 0 on"));
        }
        let end = body.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(body.len());
        let (number, rest) = body.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return Err(format!("{text:?} is not an amount; it starts with a number such as 2"));
        }
        let fraction = fraction.trim_end_matches('0');
        let joined = [whole, fraction].concat();
        let significant = joined.trim_start_matches('0');
        if significant.len() > 24 {
            return Err(format!("{text:?} has more digits than an amount can have"));
        }
        let (exponent, suffix) = split_exponent(rest);
        let digits = if significant.is_empty() { 0 } else { significant.parse().unwrap_or(0) };
        let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
        Ok(Number { digits, scale: places.saturating_sub(exponent), suffix })
    }

    fn has_fraction(&self) -> bool {
        self.scaled(1, 1).is_some_and(|(_, exact)| !exact)
    }

    /// The number times `times / per`, rounded up, and whether that is exact; `None` when it is
    /// more than fits (an `i64`, so that every store and wire can hold it).
    fn scaled(&self, times: u128, per: u128) -> Option<(u64, bool)> {
        let (mut up, mut down) = (self.digits.checked_mul(times)?, per);
        if up == 0 {
            return Some((0, true));
        }
        let power = 10u128.checked_pow(self.scale.unsigned_abs());
        match (self.scale < 0, power) {
            (true, power) => up = up.checked_mul(power?)?,
            (false, Some(power)) => down = down.checked_mul(power)?,
            (false, None) => return Some((1, false)),
        }
        let value = u64::try_from(up.div_ceil(down)).ok()?;
        (i64::try_from(value).is_ok()).then_some((value, up % down == 0))
    }
}

/// `e3`, `E-2` in front of nothing else; a lone `E` is the unit.
fn split_exponent(rest: &str) -> (i32, &str) {
    let exponent = rest.strip_prefix(['e', 'E']).and_then(|digits| digits.parse::<i16>().ok());
    exponent.map_or((0, rest), |exponent| (i32::from(exponent), ""))
}

fn decimal_factor(suffix: &str) -> Option<u128> {
    let power = ["k", "M", "G", "T", "P", "E"].iter().position(|s| *s == suffix)?;
    1000u128.checked_pow(u32::try_from(power).ok()? + 1)
}

fn binary_factor(suffix: &str) -> Option<u128> {
    let power = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].iter().position(|s| *s == suffix)?;
    1024u128.checked_pow(u32::try_from(power).ok()? + 1)
}

/// What somebody meant who wrote `4GB`, `4gb`, `4g` or `4GiB`.
fn hint(digits: &str, suffix: &str) -> String {
    let general = "write 4Gi, 500M or bytes";
    let Some(first) = suffix.chars().next().map(|c| c.to_ascii_uppercase()) else {
        return general.to_owned();
    };
    let rest = suffix.get(1..).unwrap_or("").to_ascii_lowercase();
    if !"KMGTPE".contains(first) || !["", "b", "i", "ib"].contains(&rest.as_str()) {
        return general.to_owned();
    }
    let decimal = if first == 'K' { 'k' } else { first };
    format!("did you mean {digits}{first}i (powers of 1024) or {digits}{decimal} (of 1000)?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_read_to_the_thousandth() {
        assert_eq!(parse_thousandths("2"), Ok(2000));
        assert_eq!(parse_thousandths("2.5"), Ok(2500));
        assert_eq!(parse_thousandths("0"), Ok(0));
        for bad in ["", "-1", "2x", "0.0005", "1Gi", "x"] {
            assert!(parse_thousandths(bad).is_err(), "{bad}");
        }
    }

    use proptest::prelude::*;

    #[test]
    fn cores_are_read_to_the_thousandth() {
        for (text, milli) in [
            ("500m", 500),
            ("2", 2000),
            ("1.5", 1500),
            ("0.001", 1),
            (".5", 500),
            ("0", 0),
            ("1k", 1_000_000),
            ("1e2", 100_000),
            ("1500e-3", 1500),
            (" 2 ", 2000),
        ] {
            assert_eq!(parse_cpu(text), Ok(milli), "{text}");
        }
        for text in ["", "x", "-1", "1.2.3", "0.0001", "0.5m", "4Gi", "2 cores", "9e30", "1e-400"] {
            assert!(parse_cpu(text).is_err(), "{text}");
        }
    }

    #[test]
    fn memory_knows_powers_of_a_thousand_and_of_1024() {
        for (text, bytes) in [
            ("4Gi", 4 << 30),
            ("500M", 500_000_000),
            ("16G", 16_000_000_000),
            ("1024", 1024),
            ("1.5Gi", 3 << 29),
            ("0.1Ki", 103),
            ("1E", 1_000_000_000_000_000_000),
            ("1e3", 1000),
            ("1Ei", 1 << 60),
            ("0", 0),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["8Ei", "9E99", "99999999999999999999999999", "10E", "-4Gi"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn slips_get_a_hint() {
        for (text, part) in [
            ("400m", "did you mean 400Mi?"),
            ("4GB", "4Gi (powers of 1024) or 4G (of 1000)"),
            ("4g", "did you mean 4Gi"),
            ("4K", "or 4k (of 1000)"),
            ("1.5", "did you mean 1.5Gi?"),
            ("4 Gi", "write 4Gi"),
        ] {
            let error = parse_bytes(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(parse_gpu("500m").unwrap_err().contains("did you mean 0.5?"));
        assert!(parse_gpu("2.5").unwrap_err().contains("write 2 or 3"));
    }

    #[test]
    fn gpus_are_whole_or_a_share_of_one() {
        for (text, milli) in [("1", 1000), ("0.5", 500), ("2", 2000), ("0.125", 125), ("1.0", 1000)]
        {
            assert_eq!(parse_gpu(text), Ok(milli), "{text}");
        }
        for text in ["1.5", "0.1234", "a100", "-1", "1k", "1e300"] {
            assert!(parse_gpu(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_are_whole() {
        assert_eq!(parse_count("6"), Ok(6));
        assert_eq!(parse_count("1k"), Ok(1000));
        assert!(parse_count("1.5").is_err());
        assert!(parse_count("4Gi").is_err());
    }

    #[test]
    fn amounts_print_short() {
        let cpu = [(0, "0"), (500, "500m"), (1000, "1"), (1500, "1.5"), (64_000, "64")];
        cpu.iter().for_each(|(n, text)| assert_eq!(&format_cpu(*n), text));
        let gpu = [(0, "0"), (125, "0.125"), (500, "0.5"), (2500, "2.5"), (4000, "4")];
        gpu.iter().for_each(|(n, text)| assert_eq!(&format_gpu(*n), text));
        for (bytes, text) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1Ki"),
            (1536, "1.5Ki"),
            (4 << 30, "4Gi"),
            (16_000_000_000, "15Gi"),
            ((1 << 30) - 1, "1Gi"),
            (u64::MAX, "16Ei"),
        ] {
            assert_eq!(format_bytes(bytes), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_printed_reads_back(text in "[0-9.eEmkKMGi+-]{0,40}", n: u32) {
            let _ = (parse_cpu(&text), parse_bytes(&text), parse_gpu(&text), parse_count(&text));
            let n = u64::from(n);
            prop_assert_eq!(parse_cpu(&format_cpu(n)), Ok(n));
            prop_assert!(parse_bytes(&format_bytes(n)).is_ok());
        }
    }
}
