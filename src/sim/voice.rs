//! What programs write: plausible lines, each a function of its place and a stream of chance.

use crate::base::Span;
use crate::sim::dice::Dice;

/// What a program's output sounds like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// A training run: step, loss, rate.
    Training,
    /// An evaluation: suites and scores.
    Evaluation,
    /// An agent that edits code.
    Agent,
    /// Pages fetched.
    Crawl,
    /// Rows copied from one place to another.
    Sync,
    /// Batches of documents embedded.
    Embedding,
    /// A build and its tests.
    Build,
    /// Anything else.
    Plain,
}

const FILES: [&str; 8] = [
    "src/auth/session.rs",
    "src/billing/invoice.py",
    "web/components/Checkout.tsx",
    "src/queue/worker.go",
    "tests/test_login.py",
    "migrations/0042_sessions.sql",
    "src/api/limits.rs",
    "docs/runbook.md",
];
const SUITES: [&str; 6] = ["gsm8k", "mmlu", "humaneval", "swe-lite", "truthfulqa", "ifeval"];
const HOSTS: [&str; 5] =
    ["news.example.eu", "shop.example.de", "docs.example.fr", "blog.example.it", "www.example.pl"];
const TABLES: [&str; 5] = ["contacts", "orders", "invoices", "events", "subscriptions"];
const CRATES: [&str; 6] = ["core", "parser", "storage", "scheduler", "gateway", "cli"];

impl Voice {
    /// Work between two lines.
    pub(super) const fn pace(self) -> Span {
        match self {
            Voice::Training => Span::secs(12),
            Voice::Evaluation => Span::secs(9),
            Voice::Agent => Span::secs(14),
            Voice::Crawl | Voice::Sync => Span::secs(5),
            Voice::Embedding => Span::secs(6),
            Voice::Build => Span::secs(3),
            Voice::Plain => Span::secs(10),
        }
    }

    /// The first line.
    pub(super) fn opening(self, name: &str) -> String {
        match self {
            Voice::Training => format!("{name}: bf16, flash attention, gradient checkpointing"),
            Voice::Evaluation => format!("{name}: {} suites, greedy decoding", SUITES.len()),
            Voice::Agent => format!("● {name}: reading the repository"),
            Voice::Crawl => format!("{name}: {} hosts in the frontier", HOSTS.len()),
            Voice::Sync => format!("{name}: connected, {} tables to look at", TABLES.len()),
            Voice::Embedding => format!("{name}: shard opened, 768 dimensions"),
            Voice::Build => format!("{name}: clean checkout, cache is warm"),
            Voice::Plain => format!("{name}: started"),
        }
    }

    /// Line number `n` (from 0) of about `of`.
    pub(super) fn line(self, n: u64, of: u64, dice: &mut Dice) -> String {
        let permille = (n + 1).saturating_mul(1000) / of.max(1);
        match self {
            Voice::Training => training(n, permille, dice),
            Voice::Evaluation => {
                let suite = word(dice, &SUITES);
                let (good, all) = (dice.between(55, 92), 100);
                format!("{suite:<11} {good}/{all} correct  ({}% done)", permille.min(1000) / 10)
            }
            Voice::Agent => agent(n, dice),
            Voice::Crawl => {
                let (host, page) = (word(dice, &HOSTS), dice.between(10, 99_999));
                let (code, took) = (if dice.chance(40) { 429 } else { 200 }, dice.between(40, 900));
                format!("{code} https://{host}/p/{page} {took}ms")
            }
            Voice::Sync => {
                let (table, rows) = (word(dice, &TABLES), dice.between(100, 5000));
                format!("{table}: {rows} rows copied, {} changed", dice.below(rows / 9 + 1))
            }
            Voice::Embedding => {
                let (docs, rate) = (n.saturating_add(1) * 256, dice.between(900, 1400));
                format!("embedded {docs} documents, {rate} tokens/s")
            }
            Voice::Build => build(n, dice),
            Voice::Plain => format!("working: {}%", permille.min(1000) / 10),
        }
    }

    /// The last line of a good end.
    pub(super) const fn closing(self) -> &'static str {
        match self {
            Voice::Training => "done: weights and optimizer state written",
            Voice::Evaluation => "done: report written to results.json",
            Voice::Agent => "● Done. All tests pass; the branch is pushed.",
            Voice::Crawl => "done: the frontier is empty",
            Voice::Sync => "done: both sides agree",
            Voice::Embedding => "done: shard written",
            Voice::Build => "test result: ok",
            Voice::Plain => "done",
        }
    }
}

fn word<'a>(dice: &mut Dice, from: &'a [&'a str]) -> &'a str {
    dice.pick(from).copied().unwrap_or_default()
}

/// A loss that falls fast at first, with some noise: 2.9 to 1.1 in thousandths.
fn training(n: u64, permille: u64, dice: &mut Dice) -> String {
    let fallen = 1800 * permille / (permille + 180);
    let loss = 2900u64.saturating_sub(fallen) + dice.below(60);
    let (rate, norm) = (dice.between(11_200, 12_100), dice.between(20, 90));
    let step = (n + 1) * 10;
    format!("step {step:>6}  loss {}.{:03}  grad 0.{norm}  {rate} tok/s", loss / 1000, loss % 1000)
}

fn agent(n: u64, dice: &mut Dice) -> String {
    let file = word(dice, &FILES);
    match (n + dice.below(2)) % 7 {
        0 => format!("● Read({file})"),
        1 => format!("  ⎿ {} lines", dice.between(40, 900)),
        2 => format!("● Edit({file})"),
        3 => format!("  ⎿ +{} -{}", dice.between(1, 80), dice.between(0, 40)),
        4 => "● Bash(pytest -q)".to_owned(),
        5 => format!("  ⎿ {} passed, {} failed", dice.between(80, 400), dice.below(4)),
        _ => "● The failing case is a race between refresh and logout.".to_owned(),
    }
}

fn build(n: u64, dice: &mut Dice) -> String {
    let part = word(dice, &CRATES);
    match n % 3 {
        0 => format!("   Compiling {part} v0.{}.{}", dice.between(1, 20), dice.below(10)),
        1 => format!("     Running tests/{part}.rs"),
        _ => format!("test {part}::case_{} ... ok", dice.between(1, 240)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_voice_writes_lines_that_fit_a_screen_and_follow_from_the_seed() {
        use Voice::{Agent, Build, Crawl, Embedding, Evaluation, Plain, Sync, Training};
        for voice in [Training, Evaluation, Agent, Crawl, Sync, Embedding, Build, Plain] {
            for n in 0..40 {
                let line = voice.line(n, 40, &mut Dice::of(1, &[n]));
                assert!((1..=78).contains(&line.chars().count()), "{line}");
                assert!(!line.contains('\n'), "{line}");
                assert_eq!(line, voice.line(n, 40, &mut Dice::of(1, &[n])));
            }
        }
    }

    #[test]
    fn a_loss_falls() {
        let loss = |n| Voice::Training.line(n, 1000, &mut Dice::new(3));
        assert!(loss(0).contains("loss 2."), "{}", loss(0));
        assert!(loss(999).contains("loss 1."), "{}", loss(999));
    }
}
