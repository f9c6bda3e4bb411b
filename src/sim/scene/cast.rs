//! The main figures of the scene: who submitted what how many minutes before the present.

use crate::base::Span;
use crate::model::job::{DependencyKind, Exit};
use crate::model::setup::Tier;
use crate::sim::conduct::Conduct;
use crate::sim::dice::Dice;
use crate::sim::play::Play;
use crate::sim::voice::Voice;

/// Minutes before the present, and what was submitted then.
type Entry = (u64, Play);

/// Everybody, in no order.
pub(super) fn everybody(dice: &mut Dice) -> Vec<Entry> {
    let parts = [
        running(dice),
        agents(dice),
        petitioners(dice),
        ended(dice),
        waits_for_gpus(dice),
        waits_for_an_api(dice),
        waits_otherwise(dice),
    ];
    parts.into_iter().flatten().collect()
}

/// Work of about so many minutes.
fn work(dice: &mut Dice, voice: Voice, minutes: u64) -> Conduct {
    Conduct::of(voice, dice.about(Span::mins(minutes), 2))
}

/// A job of the team `ml` on GPUs, beyond the team's quota too, so it may be stopped for others.
fn gpu_job(name: &str, by: &'static str, gpus: u64, conduct: Conduct) -> Play {
    let line = match conduct.voice {
        Voice::Training => format!("torchrun train.py --config configs/{name}.yaml"),
        Voice::Evaluation => format!("python -m evals {name} --out results.json"),
        _ => format!("python {}.py", name.replace('-', "_")),
    };
    let run = conduct.run;
    Play::new(name, "ml", by, &line, conduct)
        .needs(gpus * 6, gpus * 48)
        .gpus(gpus)
        .times(Some(run), None)
        .label("project", "assistant")
        .preemptible()
}

fn running(dice: &mut Dice) -> Vec<Entry> {
    let finetune = gpu_job("finetune-7b", "dora", 4, work(dice, Voice::Training, 450));
    let finetune =
        finetune.tier(Tier::Deadline).reports(Span::mins(3)).resumable(Span::mins(20)).firm();
    let notebook = work(dice, Voice::Plain, 700);
    let notebook = Play::new("notebook-carl", "ml", "carl", "jupyter lab", notebook).needs(6, 48);
    let distill = gpu_job("distill-q4", "dora", 1, work(dice, Voice::Training, 116));
    let distill = distill.times(Some(Span::mins(115)), Some(Span::mins(120)));
    let distill = distill.tier(Tier::Deadline).reports(Span::mins(5)).resumable(Span::mins(15));
    // Gives way twice: to the evaluation that is more urgent, then to the team that is owed.
    let ablate = gpu_job("ablate-heads", "bob", 1, work(dice, Voice::Training, 300));
    let ablate = ablate.tier(Tier::Deadline).reports(Span::mins(5)).resumable(Span::mins(10));
    let eval = gpu_job("eval-nightly", "dora", 1, work(dice, Voice::Evaluation, 38));
    let eval = eval.tier(Tier::Production).reports(Span::mins(2)).requeue();
    let crawl = gpu_job("crawl-eu", "dora", 1, work(dice, Voice::Crawl, 200)).quiet();
    let crawl = crawl.tier(Tier::Deadline).needs(4, 16).firm();
    let mut sweep = work(dice, Voice::Training, 130);
    sweep.spread = 2;
    let sweep = Play::new("ray-sweep", "ml", "ana", "ray job run sweep.py", sweep)
        .needs(5, 12)
        .gang(4, 2)
        .times(Some(Span::mins(130)), None)
        .reports(Span::mins(6));
    let etl = Play::new("etl-hourly", "ops", "carl", "./etl.sh", work(dice, Voice::Sync, 9));
    vec![
        (302, finetune),
        (180, notebook),
        (100, ablate),
        (110, distill),
        (25, eval),
        (50, crawl),
        (75, sweep),
        (6, etl.needs(2, 4).tier(Tier::Production)),
    ]
}

/// An agent that holds one of six API slots.
fn agent(name: &str, team: &str, by: &'static str, line: &str, conduct: Conduct) -> Play {
    Play::new(name, team, by, line, conduct)
        .needs(1, 4)
        .holds("api:anthropic")
        .reports(Span::mins(4))
        .terminal()
}

fn agents(dice: &mut Dice) -> Vec<Entry> {
    let mut make = |name, team, by, line, minutes| {
        agent(name, team, by, line, work(dice, Voice::Agent, minutes))
    };
    let claude = "claude --permission-mode acceptEdits";
    let triage = make("triage-inbox", "ops", "dora", "claude -p triage.md", 60);
    let triage = triage.resumable(Span::mins(10));
    let auth = make("fix-auth", "web", "ana", claude, 75)
        .asks(Span::mins(36), "A: rotate the keys now, or B: patch the session check? [A/B]", None)
        .asks(Span::mins(50), "Run the migration against staging? [y/N]", None);
    let migrate = make("migrate-sessions", "web", "bob", "codex exec migrate.md", 40).asks(
        Span::mins(24),
        "Drop table sessions_old (2.1 M rows)? [y/N]",
        Some(Span::mins(25)),
    );
    let billing = make("refactor-billing", "web", "bob", claude, 45);
    let docs = make("docs-writer", "web", "bob", "claude -p docs.md", 70);
    let hunt = make("bug-hunt-1182", "web", "ana", "claude -p issues/1182.md", 62);
    vec![(70, triage), (58, auth), (31, migrate), (20, billing), (35, docs), (17, hunt)]
}

/// Agents that ask people and hold nothing of what others wait for.
fn petitioners(dice: &mut Dice) -> Vec<Entry> {
    let mut make = |name: &str, team, by, minutes| {
        let conduct = work(dice, Voice::Agent, minutes);
        let line = format!("claude -p {name}.md");
        let play = Play::new(name, team, by, &line, conduct).needs(1, 4).reports(Span::mins(4));
        play.resumable(Span::mins(10))
    };
    vec![
        (400, make("pay-suppliers", "ops", "dora", 95)),
        (29, make("notify-customers", "ops", "carl", 20)),
        (22, make("rotate-keys", "ops", "carl", 15)),
    ]
}

fn ended(dice: &mut Dice) -> Vec<Entry> {
    // Each of these gives its GPU to one that runs now.
    let tokenise = gpu_job("tokenise-wiki", "dora", 1, work(dice, Voice::Embedding, 128));
    let images = gpu_job("embed-images", "bob", 1, work(dice, Voice::Embedding, 194));
    let speech = gpu_job("asr-calls", "dora", 1, work(dice, Voice::Embedding, 204));
    let mut entries = vec![(230, tokenise), (225, images), (215, speech)];
    for hour in 1..=4 {
        let etl = Play::new("etl-hourly", "ops", "carl", "./etl.sh", work(dice, Voice::Sync, 6));
        entries.push((6 + 60 * hour, etl.needs(2, 4).tier(Tier::Production)));
    }
    let thumbs = work(dice, Voice::Plain, 3);
    entries.push((150, Play::new("thumbnails", "web", "bob", "make thumbs", thumbs).needs(2, 4)));
    let lint = work(dice, Voice::Build, 4);
    entries.push((95, Play::new("lint-web", "web", "bob", "make lint", lint).needs(2, 4)));
    let sync = Play::new("sync-crm", "ops", "carl", "./sync.py --crm", work(dice, Voice::Sync, 4));
    let sync = sync.ends(Exit::Code(1), "GET /v2/contacts: 401 from crm\nerror: token expired");
    entries.push((44, sync));
    let index = work(dice, Voice::Plain, 9);
    let index = Play::new("index-rebuild", "web", "bob", "./index --all", index).needs(4, 16);
    entries.push((88, index.ends(Exit::Signal(9), "Killed")));
    let missing = Exit::NotStarted("/opt/scrape/run.sh: no such file or directory".into());
    let scrape = work(dice, Voice::Crawl, 9);
    let scrape = Play::new("nightly-scrape", "ops", "carl", "/opt/scrape/run.sh", scrape);
    entries.push((170, scrape.ends(missing, "")));
    entries
}

fn waits_for_gpus(dice: &mut Dice) -> Vec<Entry> {
    let mut make =
        |name, by, gpus, voice, minutes| gpu_job(name, by, gpus, work(dice, voice, minutes));
    let large = make("finetune-70b", "dora", 8, Voice::Training, 540).tier(Tier::Deadline);
    let mut embed = make("batch-embed", "carl", 1, Voice::Embedding, 9).array(500, Some(8));
    embed.submission.team = Some("ops".into());
    embed.conduct.spread = 25;
    let sweep = make("sweep-lr", "dora", 1, Voice::Training, 25).array(12, Some(3));
    let gang = make("allreduce-bench", "ana", 4, Voice::Training, 20).gang(2, 2);
    vec![
        (130, large.resumable(Span::mins(20)).reports(Span::mins(5))),
        (115, embed.tier(Tier::Batch).retry(1)),
        (80, sweep),
        (72, make("rerank-train", "dora", 2, Voice::Training, 80)),
        (65, gang),
        (61, make("quantise-13b", "ana", 1, Voice::Plain, 30)),
        (55, make("bench-vllm", "bob", 1, Voice::Evaluation, 15)),
        (47, make("ocr-archive", "carl", 1, Voice::Embedding, 90).tier(Tier::Batch)),
        (41, make("finetune-405b", "ana", 16, Voice::Training, 900)),
        (33, make("vision-eval", "dora", 1, Voice::Evaluation, 25)),
        (28, make("lora-sql", "bob", 2, Voice::Training, 45)),
        (9, make("red-team", "dora", 1, Voice::Evaluation, 20).tier(Tier::Deadline)),
    ]
}

fn waits_for_an_api(dice: &mut Dice) -> Vec<Entry> {
    const NAMES: [(&str, &str); 8] = [
        ("fix-flaky-tests", "bob"),
        ("review-pr-8812", "ana"),
        ("write-changelog", "bob"),
        ("port-to-py313", "bob"),
        ("summarise-tickets", "dora"),
        ("audit-deps", "ana"),
        ("translate-docs", "bob"),
        ("compare-vendors", "dora"),
    ];
    let mut minutes = 18;
    let mut entries = Vec::new();
    for (name, by) in NAMES {
        minutes -= 2;
        let length = dice.between(12, 50);
        let conduct = work(dice, Voice::Agent, length);
        entries.push((minutes, agent(name, "web", by, &format!("claude -p {name}.md"), conduct)));
    }
    entries
}

fn waits_otherwise(dice: &mut Dice) -> Vec<Entry> {
    let mut make = |name: &str, team, by, minutes| {
        let conduct = work(dice, Voice::Plain, minutes);
        Play::new(name, team, by, &format!("/srv/{team}/bin/{name}"), conduct)
    };
    let publish = make("publish-model", "ml", "dora", 5).after("finetune-7b", DependencyKind::Ok);
    let report = make("report-weekly", "ml", "dora", 4).after("eval-nightly", DependencyKind::Ok);
    let backup = make("backup-nightly", "ops", "carl", 25).starts_in(Span::secs(2876));
    let close = make("billing-close", "ops", "carl", 15).starts_in(Span::secs(10_076));
    let mut ingest = make("ingest-logs", "ops", "carl", 2);
    ingest.conduct.run = Span::mins(2);
    let ingest = ingest.retry(30).ends(Exit::Code(74), "read shard 17: input/output error");
    vec![
        (290, publish),
        (24, report),
        (180, backup),
        (175, close),
        (66, ingest),
        (53, make("build-llvm", "web", "bob", 45).needs(50, 64)),
        (38, make("simulate-grid", "ops", "carl", 60).needs(28, 48).gang(2, 2)),
        (52, make("reconcile-bank", "fin", "dora", 12)),
        (27, make("dunning-run", "fin", "dora", 8)),
    ]
}
