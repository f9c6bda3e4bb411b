//! Sentences: what a code, a state, a finding or a fact means, with its numbers.
//!
//! A sentence is lower case and has no full stop, so that it fits a table's last column as well
//! as a line of its own. A number that is missing leaves its part of the sentence out.

pub mod estimate;
pub mod event;
pub mod finding;
pub mod kept;
pub mod numbers;
pub mod reason;
pub mod refusal;
pub mod review;
pub mod state;
pub mod urgency;

pub use estimate::{back, estimate, forecast, kept, worth};
pub use event::event;
pub use finding::finding;
pub use kept::{kept_for, kept_idle, kept_now};
pub use reason::{change, reason};
pub use refusal::refusal;
pub use state::{exit, state_long, state_short};

use crate::base::text::sanitise;
use crate::base::{quantity, text};
use crate::model::Resources;

/// `1 GPU`, `3 GPUs`.
pub fn counted(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// Amounts in words: `2 GPUs, 4 cores, 8Gi, 1 api:x`; `nothing` without any.
pub fn amounts(resources: &Resources) -> String {
    let mut parts = Vec::new();
    if resources.gpu_milli > 0 {
        parts.push(gpus(resources.gpu_milli));
    }
    if resources.cpu_milli > 0 {
        parts.push(cores(resources.cpu_milli));
    }
    if resources.mem_bytes > 0 {
        parts.push(quantity::format_bytes(resources.mem_bytes));
    }
    for (name, n) in &resources.custom {
        parts.push(format!("{n} {}", sanitise(name)));
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

/// `1 GPU`, `0.5 GPU`, `3 GPUs`.
pub fn gpus(milli: u64) -> String {
    let plural = if milli > 1000 || milli == 0 { "s" } else { "" };
    format!("{} GPU{plural}", quantity::format_gpu(milli))
}

/// `1 core`, `500m core`, `1.5 cores`.
pub fn cores(milli: u64) -> String {
    let plural = if milli > 1000 || milli == 0 { "s" } else { "" };
    format!("{} core{plural}", quantity::format_cpu(milli))
}

/// Hundredths of a percent as a percentage: `42.5%`.
pub fn percent(basis_points: u32) -> String {
    let (whole, tenth) = (basis_points / 100, basis_points % 100 / 10);
    if tenth == 0 { format!("{whole}%") } else { format!("{whole}.{tenth}%") }
}

/// A quotation of foreign text, cut to a bearable length.
pub fn quote(foreign: &str) -> String {
    format!("\"{}\"", text::cut(&sanitise(foreign), 120))
}

/// What somebody gave as the reason, behind what they did: `: "disk swap"`; nothing without one.
pub fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |text| format!(": {}", quote(text)))
}

/// A command as a shell would take it.
pub fn command(argv: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%^".contains(c);
    let word = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", sanitise(word).replace('\'', "'\\''"))
        }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_commands_read_well() {
        let all = Resources {
            cpu_milli: 1500,
            mem_bytes: 8 << 30,
            gpu_milli: 500,
            custom: [("api:x".into(), 1)].into(),
        };
        assert_eq!(amounts(&all), "0.5 GPU, 1.5 cores, 8Gi, 1 api:x");
        assert_eq!(amounts(&Resources::default()), "nothing");
        let argv = ["sh", "-c", "echo 'hi'", "", "\x1b[2J"].map(str::to_owned);
        assert_eq!(command(&argv), r"sh -c 'echo '\''hi'\''' '' ''");
    }
}
