//! Small values: pairs, names, priorities, `--after`.

use crate::base::Name;
use crate::cli::args::target::Target;
use crate::model::action::EffectClass;
use crate::model::job::DependencyKind;
use crate::model::setup::{PRIORITY_MAX, Tier};

/// Longest name of a job, team, label or resource, in bytes.
pub const NAME_MAX: usize = 256;

/// A name: not empty, no control characters, not endless.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn name(text: &str) -> Result<Name, String> {
    if text.is_empty() {
        return Err("a name cannot be empty".into());
    }
    if text.len() > NAME_MAX {
        return Err(format!("a name has at most {NAME_MAX} bytes, this one has {}", text.len()));
    }
    if text.chars().any(char::is_control) {
        return Err("a name cannot hold control characters".into());
    }
    Ok(text.into())
}

/// A team's path: names between single slashes.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn team(text: &str) -> Result<Name, String> {
    let path = text.strip_prefix("team:").unwrap_or(text);
    if path.split('/').any(str::is_empty) {
        return Err("a team is a path of names such as `ml` or `org/ml/research`".into());
    }
    name(path)
}

/// A tier's name.
///
/// # Errors
/// A sentence that lists them.
pub fn tier(text: &str) -> Result<Tier, String> {
    text.parse().map_err(|()| {
        let names = Tier::ALL.map(Tier::word).join(", ");
        format!("`{text}` is no tier; there are {names}")
    })
}

/// An effect class by its word.
///
/// # Errors
/// A sentence that lists them.
pub fn effect(text: &str) -> Result<EffectClass, String> {
    EffectClass::of(text).ok_or_else(|| {
        let words = EffectClass::ALL.map(EffectClass::word).join(", ");
        format!("`{text}` is no effect; there are {words}")
    })
}

/// A priority, 0 to 1000.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn priority(text: &str) -> Result<u16, String> {
    match text.parse::<u16>() {
        Ok(n) if n <= PRIORITY_MAX => Ok(n),
        _ => Err(format!("a priority is a whole number from 0 to {PRIORITY_MAX}")),
    }
}

/// `NAME=N`, or `NAME` for one unit.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn resource(text: &str) -> Result<(Name, u64), String> {
    let (key, count) = text.split_once('=').unwrap_or((text, "1"));
    let count = count
        .parse::<u64>()
        .map_err(|_| format!("`{count}` is no whole number; write api:anthropic=1"))?;
    if matches!(key, "cpu" | "mem" | "memory" | "gpu") {
        let option = if key == "memory" { "mem" } else { key };
        return Err(format!("`{key}` is not a countable resource; use --{option}"));
    }
    Ok((name(key)?, count))
}

/// `KEY=VALUE`; `KEY` alone has an empty value.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn label(text: &str) -> Result<(Name, Name), String> {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let value = if value.is_empty() { Name::from("") } else { name(value)? };
    Ok((name(key)?, value))
}

/// A job that must end first, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    /// The job.
    pub target: Target,
    /// How it must end.
    pub kind: DependencyKind,
}

/// `12`, `12:ok`, `12:any`, `40_7:failed`.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn after(text: &str) -> Result<After, String> {
    let (target, kind) = text.split_once(':').unwrap_or((text, "ok"));
    let kind = match kind {
        "ok" => DependencyKind::Ok,
        "any" => DependencyKind::Any,
        "failed" => DependencyKind::Failed,
        _ => return Err(format!("`{kind}` is not ok, any or failed")),
    };
    match target.parse::<Target>() {
        Ok(target @ (Target::Job(_) | Target::Element(..))) => Ok(After { target, kind }),
        Ok(_) => Err(format!("`{target}` is no job; write 12, 12:any or 40_7:failed")),
        Err(problem) => Err(problem),
    }
}

/// A count of at least one.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn at_least_one(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("a whole number from 1 on is needed".into()),
    }
}

/// A fraction of 1 (`0.4`) or of 100 (`40%`), in hundredths of a percent.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn basis_points(text: &str) -> Result<u32, String> {
    let bad = || format!("`{text}` is no fraction; write 0.4 or 40%");
    let (digits, places) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 2),
        None => (text, 4),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let numeric = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !numeric(whole) || !numeric(part) {
        return Err(bad());
    }
    // Exact decimals: the part behind the point is cut or filled to the places that count.
    let part: String = part.chars().chain("0000".chars()).take(places).collect();
    let points = format!("{whole}{part}").parse::<u32>().map_err(|_| bad())?;
    if points > 10_000 {
        return Err(format!("`{text}` is more than all of it"));
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read_exactly() {
        for (text, points) in [
            ("0", 0),
            ("1", 10_000),
            ("0.4", 4_000),
            (".25", 2_500),
            ("1.0000", 10_000),
            ("0.12345", 1_234),
            ("40%", 4_000),
            ("99.95%", 9_995),
        ] {
            assert_eq!(basis_points(text), Ok(points), "{text}");
        }
        for bad in ["", ".", "%", "-1", "1.1", "101%", "x", "1e-1", "0,4", "nan"] {
            assert!(basis_points(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn resources_and_labels_are_pairs() {
        assert_eq!(resource("api:anthropic=2"), Ok(("api:anthropic".into(), 2)));
        assert_eq!(resource("licence"), Ok(("licence".into(), 1)));
        assert!(resource("gpu=1").unwrap_err().contains("--gpu"));
        assert!(resource("=1").is_err());
        assert!(resource("a=-1").is_err());
        assert_eq!(label("k=v=w"), Ok(("k".into(), "v=w".into())));
        assert_eq!(label("k"), Ok(("k".into(), "".into())));
        assert!(label("=v").is_err());
        assert!(label("k=\x1b[2J").is_err());
    }

    #[test]
    fn what_comes_after_names_a_job_and_an_end() {
        let job = |n| Target::Job(crate::base::JobId(n));
        assert_eq!(after("12"), Ok(After { target: job(12), kind: DependencyKind::Ok }));
        assert_eq!(after("#12:any"), Ok(After { target: job(12), kind: DependencyKind::Any }));
        assert_eq!(after("40_7:failed").unwrap().kind, DependencyKind::Failed);
        for bad in ["", "x", "12:maybe", "all", "team:ml", "node:n1"] {
            assert!(after(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_priorities_and_teams_have_bounds() {
        assert!(name(&"x".repeat(NAME_MAX + 1)).is_err());
        assert!(name("a\nb").is_err());
        assert_eq!(priority("1000"), Ok(1000));
        assert!(priority("1001").is_err());
        assert_eq!(team("team:org/ml"), Ok("org/ml".into()));
        assert!(team("org//ml").is_err());
        assert!(tier("gold").unwrap_err().contains("production"));
    }
}
