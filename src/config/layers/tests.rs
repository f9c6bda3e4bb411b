//! Which layer wins, and what becomes of it.

use super::*;
use crate::config::{Devices, PretendGpu};
use crate::model::people::{Grant, Role};
use crate::model::setup::{Countable, Tier};
use crate::model::team::{Bounds, Team, Weights};

const WHOLE: &str = r#"
[server]
idle_exit = "never"
log_bytes = "1Gi"
[defaults]
cpu = 0.5
mem = "1Gi"
tier = "batch"
grace = "5s"
[[team]]
name = "org/ml"
[[node]]
cpu = 8
gpus = 2
[[resource]]
name = "api:anthropic"
count = 6
per_minute = 50
[[user]]
name = "ana"
os_user = "ana.b"
role = "operator"
team = "org/ml"
[[user]]
name = "bob"
grants = [{role = "viewer"}, {role = "admin", team = "org/ml"}]
"#;

fn given<'a>(env: &'a dyn Fn(&str) -> Option<String>, flags: &'a [(&'a str, String)]) -> Given<'a> {
    Given { file: Path::new("c.toml"), must_exist: false, env, flags }
}

fn with_file(text: &str) -> Result<Config, Problems> {
    merge(&given(&|_| None, &[]), text)
}

fn origin(config: &Config, key: &str) -> (String, String) {
    let shown = config.shown.iter().find(|shown| shown.key == key).unwrap();
    (shown.value.clone(), shown.origin.to_string())
}

#[test]
fn without_a_file_the_documented_defaults_hold() {
    let config = with_file("").unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(config.defaults, Defaults::default());
    assert_eq!(config.cycle, Cycle::default());
    assert_eq!(config.server.idle_exit, Some(Span::mins(10)));
    assert_eq!(config.server.log_bytes, 100_000_000);
    assert!(!config.stays());
}

#[test]
fn a_whole_file_is_understood() {
    let config = with_file(WHOLE).unwrap();
    assert!(config.stays());
    assert_eq!(config.server.log_bytes, 1 << 30);
    assert_eq!(config.defaults.request.cpu_milli, 500);
    assert_eq!(config.defaults.tier, Tier::Batch);
    assert_eq!(config.defaults.grace, Span::secs(5));
    assert_eq!(config.teams, [Team::named("org/ml")]);
    assert_eq!(config.nodes[0].cpu_milli, Some(8000));
    let Devices::Pretend(gpus) = &config.nodes[0].devices else { panic!("{:?}", config.nodes) };
    assert_eq!(gpus[1], PretendGpu { name: "pretend-1".into(), mem_bytes: 24 << 30 });
    assert_eq!(config.resources["api:anthropic"], Countable { count: 6, per_minute: Some(50) });
    assert_eq!(config.users[0].os_user.as_ref(), "ana.b");
    assert_eq!(config.users[1].grants[0], Grant { team: "".into(), role: Role::Viewer });
    assert_eq!(origin(&config, "team[0].name"), ("org/ml".into(), "c.toml:11".into()));
    assert_eq!(origin(&config, "node[0].gpus"), ("2".into(), "c.toml:14".into()));
}

#[test]
fn teams_nodes_and_the_cycle_are_understood_in_full() {
    let text = r#"
[scheduler]
off = ["reclaim", "backfill"]
place_gpu = "spread"
stale_grace = "never"
usage_half_life = "1d"
saturation = 0.9
move_victims = false
consolidation_victims = 4
[[team]]
name = "ml"
quota = {gpu = 8, cpu = "64", mem = "256Gi"}
limit = {gpu = 12.5}
weight = {gpu = 2.5}
priority = 200
preempt_min_runtime = "10m"
[[node]]
name = "a"
cpu = 2
gpu = [0, 3]
labels = {zone = "eu", disk = "fast"}
spot = true
max_tasks = 3
[[node]]
name = "b"
pool = "burst"
"#;
    let config = with_file(text).unwrap();
    let cycle = &config.cycle;
    assert!(!cycle.on("reclaim") && !cycle.on("backfill") && cycle.on("preempt"));
    assert_eq!((cycle.place_gpu, cycle.place_cpu), (PlaceBy::Spread, PlaceBy::BinPack));
    assert_eq!((cycle.stale_grace, cycle.saturation), (Grace::Never, 900));
    assert_eq!(cycle.usage_half_life, Some(Span::hours(24)));
    assert_eq!((cycle.move_victims, cycle.consolidation_victims), (false, Some(4)));
    let terms = &config.teams[0].terms;
    let quota =
        Bounds { cpu_milli: Some(64_000), mem_bytes: Some(256 << 30), gpu_milli: Some(8000) };
    assert_eq!((terms.quota, terms.limit.gpu_milli), (quota, Some(12_500)));
    assert_eq!(terms.weight, Weights { gpu: 2500, ..Weights::default() });
    assert_eq!((terms.priority, terms.preempt_min_runtime), (200, Some(Span::mins(10))));
    let [a, b] = config.nodes.as_slice() else { panic!("{:?}", config.nodes) };
    assert_eq!(a.devices, Devices::These(vec![0, 3]));
    assert_eq!(&*a.traits.labels["zone"], "eu");
    assert_eq!((a.traits.spot, a.traits.max_tasks), (true, Some(3)));
    assert_eq!((&b.devices, b.traits.pool.as_deref()), (&Devices::Some(0), Some("burst")));
    assert_eq!(origin(&config, "scheduler.saturation"), ("0.9".into(), "c.toml:7".into()));
}

#[test]
fn the_console_is_configured_too() {
    let file = "[console]\ntheme = \"dark\"\nutc = true\n[console.keys]\nlog = \"v\"\n\
                cancel = [\"C\", \"X\"]\nmark = []\n";
    let config = with_file(file).unwrap();
    let keys =
        |name: &str, keys: &[&str]| (name.to_owned(), keys.iter().map(|k| k.to_string()).collect());
    let mut got = config.console.keys.clone();
    got.sort();
    assert_eq!(got, [keys("cancel", &["C", "X"]), keys("log", &["v"]), keys("mark", &[])]);
    assert!(config.console.utc && !config.console.ascii);
    assert_eq!(origin(&config, "console.theme"), ("dark".into(), "c.toml:2".into()));
    assert_eq!(origin(&config, "console.mouse"), ("false".into(), "default".into()));
    let env = |name: &str| (name == "HOLDSHORT_THEME").then(|| "mono".to_owned());
    let config = merge(&given(&env, &[]), file).unwrap();
    assert_eq!(config.console.theme, "mono");
}

#[test]
fn flag_beats_environment_beats_file_beats_default() {
    let file = "[server]\nidle_exit = \"1m\"\nsocket = \"/f\"\ndata_dir = \"/f\"\n";
    let env = |name: &str| match name {
        "HOLDSHORT_SOCKET" | "HOLDSHORT_DATA_DIR" => Some("/e".to_owned()),
        "HOLDSHORT_IDLE_EXIT" => Some(String::new()),
        _ => None,
    };
    let config = merge(&given(&env, &[("server.socket", "/x".to_owned())]), file).unwrap();
    assert_eq!(origin(&config, "server.socket"), ("/x".into(), "flag".into()));
    let env_origin = "environment HOLDSHORT_DATA_DIR".to_owned();
    assert_eq!(origin(&config, "server.data_dir"), ("/e".into(), env_origin));
    assert_eq!(origin(&config, "server.idle_exit"), ("1m".into(), "c.toml:2".into()));
    assert_eq!(origin(&config, "server.log_bytes"), ("100M".into(), "default".into()));
    assert_eq!(config.server.socket, Some("/x".into()));
    assert_eq!(config.server.data_dir, Some("/e".into()));
}

#[test]
fn mistakes_in_every_layer_name_the_layer() {
    let env = |name: &str| (name == "HOLDSHORT_IDLE_EXIT").then(|| "5".to_owned());
    let flags = [("server.log_bytes", "1m".to_owned()), ("server.zzz", "1".to_owned())];
    let said = merge(&given(&env, &flags), "[x]\n").unwrap_err().to_string();
    for part in [
        "c.toml:1: \"x\" is no section",
        "HOLDSHORT_IDLE_EXIT in the environment: \"5\" has no unit",
        "flag for server.log_bytes: ",
        "there is no key \"server.zzz\"",
    ] {
        assert!(said.contains(part), "{part} not in {said}");
    }
}

/// A team with a limit of 2 GPUs and a window of it.
fn window(zone: &str, days: &str, terms: &str) -> String {
    let team = "[[team]]\nname=\"ml\"\nlimit={gpu=2}\n[[window]]\nname=\"w\"\nteam=\"ml\"";
    format!("{team}\n{zone}\n{days}\nfrom=\"08:00\"\nto=\"18:00\"\n{terms}\n")
}

#[test]
fn a_window_says_what_a_team_has_meanwhile() {
    let config =
        with_file(&window("zone=\"europe/berlin\"", "days=\"mon-fri\"", "quota={gpu=2}")).unwrap();
    let window = &config.windows[0];
    assert_eq!((&*window.name, &*window.team), ("w", "ml"));
    assert_eq!(window.weekly.words(), "mon-fri 08:00-18:00 Europe/Berlin");
    assert_eq!(window.terms.quota.and_then(|quota| quota.gpu_milli), Some(2000));
    assert_eq!((window.terms.limit, window.terms.priority), (None, None));
}

fn pool(more: &str) -> String {
    format!("[[pool]]\nname=\"p\"\nmax=2\ncpu=4\nmem=\"8Gi\"\n{more}\n")
}

#[test]
fn a_pool_has_a_template_bounds_and_a_cap() {
    let text = pool("gpus=2\nprice=2.5\ncost_cap=4\nspot=true\nshrink_after=\"1h\"");
    let pool = &with_file(&text).unwrap().pools[0];
    assert_eq!((pool.min, pool.max, pool.most()), (0, 2, 1));
    assert_eq!((pool.capacity.gpu_milli, pool.gpus().len()), (2000, 2));
    assert_eq!((pool.traits.spot, pool.traits.pool.as_deref()), (true, Some("p")));
    assert_eq!((pool.grow_after, pool.shrink_after), (Span::mins(1), Span::hours(1)));
}

#[test]
fn contradictions_between_tables_are_refused() {
    for (text, part) in [
        (
            "[[team]]\nname=\"a\"\n[[team]]\nname=\"a\"",
            "c.toml:4: team with name \"a\" stands twice",
        ),
        (
            "[[team]]\nname=\"a\"\nquota={gpu=2}\nlimit={gpu=1}",
            "c.toml:1: team a: its gpu quota is above its gpu limit",
        ),
        ("[[node]]\nname=\"a\"\n[[node]]\n", "c.toml:3: node needs \"name\""),
        ("[[node]]\nname=\"a\"\n[[node]]\nname=\"a\"", "c.toml:4: node with name \"a\""),
        (
            "[[node]]\nname=\"a\"\ngpu=[0]\n[[node]]\nname=\"b\"\ngpu=[1,0]",
            "c.toml:4: GPU 0 is in two nodes",
        ),
        (
            "[[node]]\nname=\"a\"\ngpu=1\n[[node]]\nname=\"b\"\ngpus=1",
            "c.toml:6: pretend GPUs (gpus) and real ones (gpu) cannot be mixed",
        ),
        (&window("zone=\"Berlin\"", "days=\"mon\"", "quota={gpu=1}"), "such as Europe/Berlin"),
        (&window("zone=\"UTC\"", "days=\"x\"", "quota={gpu=1}"), "window w: \"x\" are no days"),
        (&window("zone=\"UTC\"", "", ""), "it changes nothing"),
        (
            &window("zone=\"UTC\"", "", "quota={gpu=3}"),
            "the gpu quota of ml is above its gpu limit",
        ),
        (
            &window("zone=\"UTC\"", "", "weight=2").replace("m=\"ml\"", "m=\"m\""),
            "did you mean ml?",
        ),
        (&window("zone=\"UTC\"", "", "weight=2").replace("18:00", "8:00"), "never opens"),
        (&pool("min=3"), "pool p: min is above max"),
        (&pool("cost_cap=3"), "cost_cap needs the price"),
        (&pool("min=2\nprice=2.5\ncost_cap=4"), "its minimum costs more"),
        (&pool("up=\"x\""), "up and down belong together"),
        ("[[user]]\nname=\"a\"", "c.toml:1: user a may do nothing"),
        ("[[user]]\nname=\"a\"\nteam=\"x\"", "may do nothing; add role"),
        ("[[user]]\nname=\"a\"\nrole=\"admin\"\ngrants=[]", "keep one form"),
    ] {
        let said = with_file(text).unwrap_err().to_string();
        assert!(said.contains(part), "{text}: {said}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_a_mistake_only_if_it_was_named_or_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none.toml");
    let at = |file, must_exist| load(&Given { file, must_exist, env: &|_| None, flags: &[] });
    assert!(at(&missing, false).is_ok());
    assert!(at(&missing, true).unwrap_err().to_string().contains("cannot be read"));
    assert!(at(dir.path(), false).is_err());
    let binary = dir.path().join("binary.toml");
    std::fs::write(&binary, b"\xff\xfe").unwrap();
    assert!(at(&binary, false).unwrap_err().to_string().contains("UTF-8"));
}
