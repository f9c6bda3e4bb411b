//! The kinds of jobs that people of the simulation submit all day.

use crate::base::Span;
use crate::model::job::{DependencyKind, Exit};
use crate::model::setup::Tier;
use crate::sim::conduct::Conduct;
use crate::sim::dice::Dice;
use crate::sim::play::Play;
use crate::sim::voice::Voice;

/// A kind of job: how often among a hundred, and how to make one.
struct Kind {
    weight: u64,
    /// Needs no GPU, no resource that is scarce, and is over in a quarter of an hour.
    small: bool,
    make: fn(&mut Dice) -> Play,
}

const KINDS: &[Kind] = &[
    Kind { weight: 20, small: true, make: housekeeping },
    Kind { weight: 16, small: true, make: checks },
    Kind { weight: 14, small: true, make: sync },
    Kind { weight: 18, small: false, make: agent },
    Kind { weight: 10, small: false, make: training },
    Kind { weight: 8, small: false, make: evaluation },
    Kind { weight: 4, small: false, make: array },
    Kind { weight: 4, small: false, make: gang },
    Kind { weight: 3, small: false, make: chained },
    Kind { weight: 2, small: false, make: broken },
    Kind { weight: 1, small: false, make: silent },
];

/// A job of some kind.
pub(super) fn draw(dice: &mut Dice, small: bool) -> Play {
    let kinds = KINDS.iter().filter(|kind| kind.small || !small);
    let total: u64 = kinds.clone().map(|kind| kind.weight).sum();
    let mut left = dice.below(total);
    for kind in kinds {
        match left.checked_sub(kind.weight) {
            Some(rest) => left = rest,
            None => return (kind.make)(dice),
        }
    }
    housekeeping(dice)
}

fn one(dice: &mut Dice, names: &[&'static str]) -> &'static str {
    dice.pick(names).copied().unwrap_or("job")
}

fn conduct(dice: &mut Dice, voice: Voice, low: u64, high: u64, fails: u64) -> Conduct {
    let run = dice.span(Span::secs(low), Span::secs(high));
    Conduct { fails, last_words: "error: exit status 1".into(), ..Conduct::of(voice, run) }
}

fn housekeeping(dice: &mut Dice) -> Play {
    const NAMES: [&str; 7] = [
        "etl-hourly",
        "thumbnails",
        "rotate-logs",
        "refresh-cache",
        "expire-sessions",
        "mail-digest",
        "reindex-docs",
    ];
    let (name, by) = (one(dice, &NAMES), one(dice, &["carl", "bob"]));
    let conduct = conduct(dice, Voice::Plain, 40, 700, 25);
    let line = format!("/srv/ops/bin/{name} --all");
    let tier = if dice.chance(300) { Tier::Production } else { Tier::Batch };
    Play::new(name, "ops", by, &line, conduct).needs(dice.between(1, 3), 2).tier(tier).requeue()
}

fn checks(dice: &mut Dice) -> Play {
    const NAMES: [&str; 5] = ["lint-web", "unit-tests", "typecheck", "bundle-size", "e2e-checkout"];
    let name = one(dice, &NAMES);
    let estimate = Some(Span::mins(6));
    let conduct = conduct(dice, Voice::Build, 50, 600, 80);
    Play::new(name, "web", "bob", &format!("make {name}"), conduct)
        .needs(dice.between(1, 4), 4)
        .times(estimate, Some(Span::mins(30)))
}

fn sync(dice: &mut Dice) -> Play {
    const NAMES: [&str; 5] =
        ["sync-crm", "import-bank", "export-ledger", "match-payments", "sync-hr"];
    let name = one(dice, &NAMES);
    let (team, by) = if dice.chance(600) { ("fin", "dora") } else { ("ops", "carl") };
    let conduct = conduct(dice, Voice::Sync, 60, 800, 50);
    Play::new(name, team, by, &format!("python -m jobs.{name}"), conduct).needs(1, 2).retry(1)
}

fn agent(dice: &mut Dice) -> Play {
    const NAMES: [&str; 8] = [
        "fix-auth",
        "bug-hunt",
        "write-changelog",
        "review-pr",
        "triage-inbox",
        "port-to-py313",
        "audit-deps",
        "docs-writer",
    ];
    let (name, by) = (one(dice, &NAMES), one(dice, &["bob", "dora", "ana"]));
    let conduct = conduct(dice, Voice::Agent, 300, 3600, 60);
    let asks = dice.chance(250);
    let (after, patience) = (conduct.run.percent(40), dice.span(Span::mins(1), Span::mins(40)));
    let line = format!("claude -p {name} --max-turns 80");
    let play = Play::new(name, "web", by, &line, conduct)
        .needs(1, 4)
        .holds("api:anthropic")
        .reports(Span::mins(5));
    if asks { play.asks(after, "Apply this change? [y/N]", Some(patience)) } else { play }
}

fn training(dice: &mut Dice) -> Play {
    const NAMES: [&str; 5] =
        ["finetune-7b", "finetune-13b", "distill-q4", "rerank-train", "lora-sql"];
    let (name, gpus) = (one(dice, &NAMES), [1, 1, 2, 4, 8]);
    let gpus = dice.pick(&gpus).copied().unwrap_or(1);
    let conduct = conduct(dice, Voice::Training, 900, 10_000, 40);
    let run = conduct.run;
    let line = format!("torchrun train.py --config configs/{name}.yaml");
    let play = Play::new(name, "ml", one(dice, &["dora", "ana"]), &line, conduct)
        .needs(gpus * 6, gpus * 40)
        .gpus(gpus)
        .reports(run.percent(12))
        .resumable(run.percent(20))
        .label("project", "assistant");
    let estimate = Some(dice.about(run, 30));
    let limit = dice.chance(400).then(|| dice.about(run.percent(115), 25));
    play.times(estimate, limit)
}

fn evaluation(dice: &mut Dice) -> Play {
    let name = one(dice, &["eval-nightly", "eval-smoke", "bench-vllm", "red-team"]);
    let conduct = conduct(dice, Voice::Evaluation, 300, 2400, 50);
    let (run, by) = (conduct.run, one(dice, &["dora", "bob"]));
    let tier = if dice.chance(300) { Tier::Deadline } else { Tier::Research };
    let play = Play::new(name, "ml", by, &format!("python -m evals {name}"), conduct)
        .needs(4, 32)
        .tier(tier)
        .times(Some(dice.about(run, 20)), None);
    if dice.chance(250) {
        let mut half = play;
        half.submission.gpu_milli = Some(500);
        return half;
    }
    play.gpus(1).requeue()
}

fn array(dice: &mut Dice) -> Play {
    let name = one(dice, &["batch-embed", "ocr-archive", "score-leads", "sweep-lr"]);
    let (elements, throttle) = (dice.between(6, 40), dice.between(2, 8));
    let mut conduct = conduct(dice, Voice::Embedding, 120, 900, 30);
    conduct.spread = 30;
    let line = format!("python {name}.py --shard $HOLDSHORT_ARRAY_INDEX");
    Play::new(name, "ml", "dora", &line, conduct)
        .needs(1, 4)
        .holds("api:openai")
        .tier(Tier::Batch)
        .retry(1)
        .array(u32::try_from(elements).unwrap_or(6), u32::try_from(throttle).ok())
}

fn gang(dice: &mut Dice) -> Play {
    let size = u32::try_from(dice.between(2, 6)).unwrap_or(2);
    let min = if dice.chance(500) { size } else { size.div_ceil(2) };
    let mut conduct = conduct(dice, Voice::Training, 600, 3600, 60);
    conduct.spread = 3;
    let gpus = u64::from(dice.chance(400));
    Play::new("ray-sweep", "ml", "ana", "ray job run sweep.py", conduct)
        .needs(6, 16)
        .gpus(gpus)
        .gang(size, min)
        .retry(1)
}

fn chained(dice: &mut Dice) -> Play {
    let kinds = [DependencyKind::Ok, DependencyKind::Any, DependencyKind::Failed];
    let kind = dice.pick(&kinds).copied().unwrap_or(DependencyKind::Any);
    let before = one(dice, &["finetune-7b", "eval-nightly", "unit-tests", "etl-hourly"]);
    let conduct = conduct(dice, Voice::Plain, 60, 300, 20);
    let play = Play::new("publish", "ml", "dora", "./publish.sh", conduct).after(before, kind);
    if dice.chance(300) { play.starts_in(dice.span(Span::mins(5), Span::hours(3))) } else { play }
}

fn broken(dice: &mut Dice) -> Play {
    let conduct = conduct(dice, Voice::Plain, 30, 300, 0);
    let play = Play::new("nightly-scrape", "ops", "carl", "/opt/scrape/run.sh --eu", conduct);
    match dice.below(4) {
        0 => play.ends(Exit::NotStarted("/opt/scrape/run.sh: no such file".into()), ""),
        1 => play.ends(Exit::Signal(9), "Killed").retry(2),
        2 => play.ends(Exit::Unknown, "").requeue(),
        _ => {
            let mut deaf = play.times(None, Some(Span::secs(20)));
            deaf.conduct.deaf = true;
            deaf
        }
    }
}

fn silent(dice: &mut Dice) -> Play {
    let conduct = conduct(dice, Voice::Crawl, 600, 7200, 0);
    let line = "python crawl.py --region eu --resume";
    let play = Play::new("crawl-eu", "ml", "dora", line, conduct);
    let play = play.needs(4, 8).holds("browser").quiet();
    // Some give a sign of life after all.
    if dice.chance(600) { play.reports(Span::mins(8)) } else { play }
}
