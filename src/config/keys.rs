//! The table of everything that can be configured.
//!
//! A new key is one line here and one line where its value is used ([`super::layers`]).

use crate::model::review::{Fallback, Moment};
use crate::model::setup::SWITCHES;

/// What a key's value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text without control characters.
    Text,
    /// A path; a relative one is relative to where the command was given.
    Path,
    /// A short name: letters, digits and `._:@-`.
    Word,
    /// A path of names: `org/ml/research`.
    Team,
    /// A length of time.
    Duration,
    /// A length of time, or `never`.
    DurationOrNever,
    /// Cores.
    Cpu,
    /// An amount of memory.
    Bytes,
    /// GPUs.
    Gpu,
    /// A whole number from the first on.
    Count(u64),
    /// A tier.
    Tier,
    /// A role.
    Role,
    /// A number of pretend devices, or a list of tables of the named section.
    Devices(&'static str),
    /// A list of tables of the named section.
    Tables(&'static str),
    /// Amounts by resource: `{gpu = 8, cpu = "64", mem = "256Gi"}`.
    Bounds,
    /// A weight, or one by resource.
    Weights,
    /// A number from 0 to 1000.
    Priority,
    /// A number with at most three decimals.
    Thousandths,
    /// true or false.
    Flag,
    /// Names and texts: `{zone = "a"}`.
    Labels,
    /// How many of the machine's devices, or which: `2`, `[0, 3]`.
    Indices,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of these words.
    Words(&'static [&'static str]),
    /// A list of names.
    Names,
    /// A list of texts without control characters.
    Texts,
    /// A table: the name of an action and its key or list of keys.
    Keys,
}

/// How often a section may stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `[name]`.
    One,
    /// `[[name]]`, any number of times.
    Many,
    /// Inside a key of another section.
    Inner,
}

/// A section of the file.
#[derive(Debug)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// How often.
    pub shape: Shape,
    /// What it is for, one sentence.
    pub about: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of a section.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// Its value if nobody sets it, as it would be written; empty for none.
    pub default: &'static str,
    /// The variable that overrides the file, if there is one.
    pub env: Option<&'static str>,
    /// A section with it missing is a mistake.
    pub required: bool,
    /// What it is for, one sentence.
    pub about: &'static str,
}

const fn key(name: &'static str, kind: Kind, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, default, env: None, required: false, about }
}

impl Key {
    const fn env(mut self, name: &'static str) -> Key {
        self.env = Some(name);
        self
    }

    const fn required(mut self) -> Key {
        self.required = true;
        self
    }
}

/// The variable that names the configuration file.
pub const CONFIG_ENV: &str = "HOLDSHORT_CONFIG";

/// Device memory of a pretend GPU that does not say.
pub const PRETEND_MEM: &str = "24Gi";

const SERVER: &[Key] = &[
    key("socket", Kind::Path, "", "Where the server listens; by default in the runtime directory.")
        .env("HOLDSHORT_SOCKET"),
    key("data_dir", Kind::Path, "", "Where journal, logs and checkpoints lie.")
        .env("HOLDSHORT_DATA_DIR"),
    key("group", Kind::Text, "", "Group whose members may connect under `serve`."),
    key("allowed_signers", Kind::Path, "", "OpenSSH file of who may sign votes with which key."),
    key("idle_exit", Kind::DurationOrNever, "10m", "It ends after this time with nothing to do.")
        .env("HOLDSHORT_IDLE_EXIT"),
    key("log_bytes", Kind::Bytes, "100M", "Size of one log file of a job; three are kept."),
    key("keep_ended", Kind::Count(0), "2000", "Ended jobs kept at hand; all stay in the store."),
    key(
        "keep_ledger",
        Kind::DurationOrNever,
        "400d",
        "Single uses are kept so long, then daily sums.",
    ),
    key("snapshot_records", Kind::Count(100), "20000", "Journal records between two snapshots."),
];

const DEFAULTS: &[Key] = &[
    key("cpu", Kind::Cpu, "1", "Cores of a job that does not say."),
    key("mem", Kind::Bytes, "2Gi", "Memory of a job that does not say."),
    key("gpu", Kind::Gpu, "0", "GPUs of a job that does not say."),
    key("tier", Kind::Tier, "research", "Tier of a job that does not say."),
    key("grace", Kind::Duration, "30s", "Time between TERM and KILL."),
    key("long_running", Kind::Duration, "12h", "A job without a time limit is noticed after this."),
];

const NODE: &[Key] = &[
    key("name", Kind::Word, "", "Its name; by default the machine's."),
    key("cpu", Kind::Cpu, "", "Cores to hand out; by default those this process may use."),
    key("mem", Kind::Bytes, "", "Memory to hand out; by default what the machine has."),
    key("gpu", Kind::Indices, "", "Which of the machine's GPUs: how many, or a list of indices."),
    key("gpus", Kind::Devices("node.gpus"), "", "Pretend GPUs: how many, or one table for each."),
    key("labels", Kind::Labels, "", "What jobs may ask for with --node-label."),
    key(
        "spot",
        Kind::Flag,
        "false",
        "It may vanish: only jobs that can stop and come back go there.",
    ),
    key("max_tasks", Kind::Count(1), "", "Tasks it takes at most."),
    key("pool", Kind::Word, "", "The elastic pool it belongs to."),
];

const POOL: &[Key] = &[
    key("name", Kind::Word, "", "Its name; its nodes are NAME-1 and so on.").required(),
    key("min", Kind::Count(0), "0", "Nodes it always has."),
    key("max", Kind::Count(1), "", "Nodes it has at most.").required(),
    key("cpu", Kind::Cpu, "", "Cores of a node.").required(),
    key("mem", Kind::Bytes, "", "Memory of a node.").required(),
    key("gpus", Kind::Count(0), "0", "Pretend GPUs of a node."),
    key("labels", Kind::Labels, "", "What jobs may ask for with --node-label."),
    key("spot", Kind::Flag, "false", "Its nodes may vanish."),
    key("max_tasks", Kind::Count(1), "", "Tasks a node takes at most."),
    key("grow_after", Kind::Duration, "1m", "It grows for what has waited so long for its room."),
    key("shrink_after", Kind::Duration, "10m", "A node that nobody used for so long goes."),
    key("price", Kind::Thousandths, "0", "Price of a node per hour."),
    key("cost_cap", Kind::Thousandths, "", "It never costs more per hour."),
    key("up", Kind::Text, "", "Makes the node HOLDSHORT_NODE; without it one is there at once."),
    key("down", Kind::Text, "", "Takes the node HOLDSHORT_NODE away."),
];

const TEAM: &[Key] = &[
    key("name", Kind::Team, "", "Its path, such as org/ml/research.").required(),
    key("quota", Kind::Bounds, "", "What it is owed whenever it asks; by default all it holds."),
    key("limit", Kind::Bounds, "", "What it may never hold more than."),
    key("weight", Kind::Weights, "1", "Its part of what nobody is owed, against its siblings."),
    key("priority", Kind::Priority, "100", "What nobody is owed goes to the highest first."),
    key(
        "preempt_min_runtime",
        Kind::Duration,
        "",
        "A job runs so long before its own team stops it.",
    ),
    key(
        "reclaim_min_runtime",
        Kind::Duration,
        "",
        "A job runs so long before another team stops it.",
    ),
];

const WINDOW: &[Key] = &[
    key("name", Kind::Word, "", "Its name.").required(),
    key("team", Kind::Team, "", "The team whose terms it replaces while it is open.").required(),
    key("zone", Kind::Text, "", "Time zone of its hours, such as Europe/Berlin.").required(),
    key("days", Kind::Text, "daily", "Days on which it opens: mon-fri, sat,sun, daily."),
    key("from", Kind::Text, "", "When it opens: 08:00.").required(),
    key("to", Kind::Text, "", "When it closes: 18:00; not after `from`: the next day.").required(),
    key("quota", Kind::Bounds, "", "What the team is owed meanwhile."),
    key("limit", Kind::Bounds, "", "What it may never hold more than meanwhile."),
    key("weight", Kind::Weights, "", "Its part of what nobody is owed meanwhile."),
    key("priority", Kind::Priority, "", "Its queue priority meanwhile."),
];

const SCHEDULER: &[Key] = &[
    key("off", Kind::Words(SWITCHES), "", "Actions and policies that are switched off, by name."),
    key("place_gpu", Kind::OneOf(PLACES), "bin_pack", "How nodes are chosen for tasks with GPUs."),
    key("place_cpu", Kind::OneOf(PLACES), "bin_pack", "How nodes are chosen for tasks without."),
    key("stale_grace", Kind::DurationOrNever, "60s", "How long a gang may stay below its minimum."),
    key("usage_weight", Kind::Thousandths, "1", "How much past use counts against a team."),
    key(
        "usage_half_life",
        Kind::DurationOrNever,
        "never",
        "Past use counts half after this; never: not at all.",
    ),
    key(
        "reclaim_protection",
        Kind::OneOf(PROTECTIONS),
        "lca",
        "Whose reclaim_min_runtime holds: lca or queue.",
    ),
    key(
        "saturation",
        Kind::Thousandths,
        "1",
        "How far below its victims a team must stay that takes back.",
    ),
    key(
        "move_victims",
        Kind::Flag,
        "true",
        "A job may be moved to another node instead of stopped.",
    ),
    key(
        "consolidation_victims",
        Kind::Count(0),
        "",
        "Jobs that may be moved at once to make one room.",
    ),
    key("patience", Kind::Duration, "30m", "Who waits longer gets a reservation first."),
    key(
        "large",
        Kind::Count(0),
        "20000",
        "Kinds of waiting jobs times nodes from which on full cycles are a second apart.",
    ),
];

/// How nodes are chosen, by word.
pub const PLACES: &[&str] = &["bin_pack", "spread", "least_fragmentation"];

/// From whose team a minimum run time is read, by word.
pub const PROTECTIONS: &[&str] = &["lca", "queue"];

const NODE_GPUS: &[Key] = &[
    key("name", Kind::Word, "", "Its name; by default pretend-0 and so on."),
    key("mem", Kind::Bytes, PRETEND_MEM, "Device memory."),
];

const RESOURCE: &[Key] = &[
    key("name", Kind::Word, "", "Its name, such as api:anthropic.").required(),
    key("count", Kind::Count(0), "", "Units that may be held at once.").required(),
    key("per_minute", Kind::Count(1), "", "Units that may be taken in any 60 seconds."),
];

const USER: &[Key] = &[
    key("name", Kind::Word, "", "The name that is shown.").required(),
    key("os_user", Kind::Text, "", "The system's user; by default the same name."),
    key("role", Kind::Role, "", "viewer, submitter, operator, admin or approver."),
    key("team", Kind::Team, "", "The role holds in this team and below; by default everywhere."),
    key("grants", Kind::Tables("user.grants"), "", "Several roles: a list of {team, role}."),
];

const USER_GRANTS: &[Key] = &[
    key("team", Kind::Team, "", "The team; by default all."),
    key("role", Kind::Role, "", "viewer, submitter, operator, admin or approver.").required(),
];

const REVIEW_POLICY: &[Key] = &[
    key("name", Kind::Word, "", "Its name.").required(),
    key("team", Kind::Team, "", "It is for this team and those below it; by default for all."),
    key("effects", Kind::Words(EFFECTS), "", "It is for these effect classes; by default all."),
    key("tools", Kind::Names, "", "It is for these tools; by default for all."),
    key("above", Kind::Text, "", "It is for more money than this only, such as \"1000\"."),
    key("currency", Kind::Word, "", "The currency of `above`, such as EUR."),
    key("approvers", Kind::Names, "", "Who may decide; by default the team's approvers."),
    key("escalate_to", Kind::Names, "", "Who may decide too once it is escalated."),
    key("need", Kind::Count(1), "1", "Yeses that are needed."),
    key("deny_at", Kind::Count(1), "1", "Noes that decide."),
    key("within", Kind::Duration, "", "Decided within this; the default depends on the effect."),
    key("remind_at", Kind::Count(0), "50", "Reminded after so many percent of that."),
    key("escalate_at", Kind::Count(0), "80", "Escalated after so many percent of that."),
    key("fallback", Kind::OneOf(FALLBACKS), "deny", "What happens if nobody decides in time."),
    key("alternative", Kind::Word, "", "Which alternative `run_alternative` means."),
    key("assurance", Kind::OneOf(ASSURANCES), "any", "How sure we must be of who votes."),
    key("grant", Kind::Duration, "", "How long a yes is good once the job runs."),
    key("uses", Kind::Count(1), "1", "How often a yes is good, for what may be repeated."),
    key("wait", Kind::OneOf(WAITS), "", "How the job waits, whatever it asked for."),
    key("hold_for", Kind::Duration, "", "How long `hold` holds."),
    key("whole_only", Kind::Flag, "false", "Refuse what is too long to be shown whole."),
    key("env", Kind::Names, "", "Variables that a yes to a command line covers too."),
    key("step", Kind::Flag, "false", "Approved commands of GPU jobs run as steps without one."),
    key("hours", Kind::Text, "", "Approvers at work: \"mon-fri 08:00-18:00 Europe/Berlin\"."),
    key("quiet", Kind::Text, "", "Nobody is reminded then: \"daily 22:00-07:00 Europe/Berlin\"."),
];

const NOTIFY: &[Key] = &[
    key("name", Kind::Word, "", "Its name, as cards show it.").required(),
    key("kind", Kind::OneOf(NOTIFY_KINDS), "", "How it is told.").required(),
    key("url", Kind::Text, "", "Where to, for a webhook or a chat."),
    key("url_env", Kind::Word, "", "The variable of the server that holds the address."),
    key("url_file", Kind::Path, "", "The file that holds the address."),
    key(
        "secret_env",
        Kind::Word,
        "",
        "The variable with the secret that webhooks are signed with.",
    ),
    key("secret_file", Kind::Path, "", "The file with that secret."),
    key("command", Kind::Texts, "", "The program and its arguments; it reads JSON on its input."),
    key("teams", Kind::Texts, "", "Of reviews of these teams and those below; by default all."),
    key("effects", Kind::Words(EFFECTS), "", "Of these effect classes; by default of all."),
    key("moments", Kind::Words(MOMENTS), "", "At these moments; by default at all."),
    key("people", Kind::Names, "", "It reaches these people: told when one of them is asked."),
    key("timeout", Kind::Duration, "10s", "One try takes no longer."),
    key("tries", Kind::Count(1), "5", "It is tried so often."),
    key(
        "backoff",
        Kind::Duration,
        "1s",
        "The wait after the first try; four times as long each time.",
    ),
];

/// How people are told, by word.
pub const NOTIFY_KINDS: &[&str] = &["webhook", "command", "chat"];

/// When people are told, by word.
pub const MOMENTS: &[&str] = &Moment::WORDS;

/// Effect classes, by word.
pub const EFFECTS: &[&str] =
    &["read", "reversible", "irreversible", "external", "money", "unknown"];

/// What happens if nobody decides, by word.
pub const FALLBACKS: &[&str] = &Fallback::WORDS;

/// How sure we must be of who votes, by word.
pub const ASSURANCES: &[&str] = &["any", "high"];

/// How a job waits, by word.
pub const WAITS: &[&str] = &["park", "hold", "freeze", "go"];

/// When the console signs votes, by word.
pub const SIGNS: &[&str] = &["needed", "always", "never"];

const CONSOLE: &[Key] = &[
    key("theme", Kind::Text, "terminal", "Its colours: the name of a theme.")
        .env("HOLDSHORT_THEME"),
    key("ascii", Kind::Flag, "false", "Draw with ASCII characters only."),
    key("utc", Kind::Flag, "false", "Times in UTC instead of the local zone."),
    key("mouse", Kind::Flag, "false", "Use the mouse instead of leaving it to the terminal."),
    key("reduced_motion", Kind::Flag, "false", "Move nothing that need not move."),
    key(
        "sign",
        Kind::OneOf(SIGNS),
        "needed",
        "When votes are signed: where a yes needs it, always or never.",
    ),
    key("sign_key", Kind::Path, "", "The key file that signs votes, if not what the agent has.")
        .env("HOLDSHORT_SIGN_KEY"),
    key("keys", Kind::Keys, "", "Other keys: the name of an action and a key or a list of keys."),
];

/// Every section, in the order in which they are shown.
pub const SECTIONS: &[Section] = &[
    Section { name: "server", shape: Shape::One, about: "The server.", keys: SERVER },
    Section {
        name: "defaults",
        shape: Shape::One,
        about: "What a submission gets if it does not say.",
        keys: DEFAULTS,
    },
    Section { name: "team", shape: Shape::Many, about: "A team.", keys: TEAM },
    Section {
        name: "window",
        shape: Shape::Many,
        about: "Terms of a team for some hours of the week.",
        keys: WINDOW,
    },
    Section {
        name: "scheduler",
        shape: Shape::One,
        about: "How the scheduling cycle decides.",
        keys: SCHEDULER,
    },
    Section {
        name: "node",
        shape: Shape::Many,
        about: "This machine, or with several of them parts of it, each a node of its own.",
        keys: NODE,
    },
    Section { name: "pool", shape: Shape::Many, about: "An elastic pool of nodes.", keys: POOL },
    Section { name: "node.gpus", shape: Shape::Inner, about: "A pretend GPU.", keys: NODE_GPUS },
    Section {
        name: "resource",
        shape: Shape::Many,
        about: "A countable resource.",
        keys: RESOURCE,
    },
    Section {
        name: "user",
        shape: Shape::Many,
        about: "A person and what they may do.",
        keys: USER,
    },
    Section {
        name: "user.grants",
        shape: Shape::Inner,
        about: "A role in a team.",
        keys: USER_GRANTS,
    },
    Section {
        name: "review_policy",
        shape: Shape::Many,
        about: "Who decides what agents ask for; of those that fit the first counts.",
        keys: REVIEW_POLICY,
    },
    Section {
        name: "notify",
        shape: Shape::Many,
        about: "Who is told of reviews, and how.",
        keys: NOTIFY,
    },
    Section { name: "console", shape: Shape::One, about: "The console.", keys: CONSOLE },
];

/// Sections that this version does not know yet.
pub const LATER: &[&str] = &["engine", "price", "budget", "template"];

/// The section of a name.
pub fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

impl Section {
    /// The key of a name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}
