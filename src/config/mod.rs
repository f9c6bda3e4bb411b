//! The configuration file, the environment and flags as one set of typed values.
//!
//! May use: `base`, `model`, files and the environment. [`keys`] is the one table of what can
//! be configured: it drives reading, suggestions, defaults, `config show` and the schema.
//! [`document`] reads a file against it, [`layers`] puts flag over environment over file over
//! default, [`nodes`] divides the machine, [`setup`] makes of it what the core must know,
//! [`paths`] says where everything lies.

pub mod document;
pub mod keys;
pub mod layers;
pub mod nodes;
pub mod paths;
pub mod problem;
pub mod schema;
pub mod setup;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::base::{Name, Span};
use crate::model::node::Traits;
use crate::model::people::Grant;
use crate::model::pool::Pool;
use crate::model::ports::notify::Way;
use crate::model::review::{ReviewPolicy, Target};
use crate::model::setup::{Countable, Cycle, Defaults};
use crate::model::team::Team;
use crate::model::window::Window;

pub use layers::{Given, Origin, Shown, load};
pub use paths::Paths;
pub use problem::{Problem, Problems};

/// Everything that is configured, defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The server itself.
    pub server: Server,
    /// What a submission gets if it does not say.
    pub defaults: Defaults,
    /// Teams, in the order of the file.
    pub teams: Vec<Team>,
    /// Terms of teams that hold for some hours of the week.
    pub windows: Vec<Window>,
    /// Who decides what agents ask for.
    pub review_policies: Vec<ReviewPolicy>,
    /// Who is told of that.
    pub notify: Vec<NotifyEntry>,
    /// Elastic pools.
    pub pools: Vec<Pool>,
    /// How the cycle decides.
    pub cycle: Cycle,
    /// The nodes on this machine; none is the machine as it is.
    pub nodes: Vec<NodeEntry>,
    /// Countable resources.
    pub resources: BTreeMap<Name, Countable>,
    /// People.
    pub users: Vec<UserEntry>,
    /// The console.
    pub console: Console,
    /// Every effective value with its origin, in the order of the table of keys.
    pub shown: Vec<Shown>,
}

/// `[server]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Where it listens, if not at the usual place.
    pub socket: Option<PathBuf>,
    /// Where its journal lies, if not at the usual place.
    pub data_dir: Option<PathBuf>,
    /// The system's group whose members may connect to a server that was started with `serve`.
    pub group: Option<String>,
    /// OpenSSH's file of allowed signers, if not `allowed_signers` beside the configuration.
    pub allowed_signers: Option<PathBuf>,
    /// It ends after this time with nothing to do; `None` is never.
    pub idle_exit: Option<Span>,
    /// Bytes in one log file of a job; three are kept.
    pub log_bytes: u64,
    /// Journal records between two snapshots.
    pub snapshot_records: u64,
    /// Who used what when is kept so long, then by the day only; `None` is for ever.
    pub keep_ledger: Option<Span>,
}

/// `[[notify]]`: who is told of reviews, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifyEntry {
    /// Who, of what, when.
    pub target: Target,
    /// How.
    pub way: Way,
    /// One try takes no longer.
    pub timeout: Span,
    /// Tries in all.
    pub tries: u32,
    /// The wait after the first try.
    pub backoff: Span,
}

/// `[console]`. Names of themes, actions and keys are checked by the console that knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Console {
    /// The name of its theme.
    pub theme: String,
    /// ASCII only.
    pub ascii: bool,
    /// Times in UTC.
    pub utc: bool,
    /// The mouse is used.
    pub mouse: bool,
    /// Nothing moves that need not.
    pub reduced_motion: bool,
    /// When votes are signed: `needed`, `always` or `never`.
    pub sign: String,
    /// The key file that signs them.
    pub sign_key: Option<PathBuf>,
    /// Keys by action, where they differ.
    pub keys: Vec<(String, Vec<String>)>,
}

/// `[[node]]`: this machine with corrections to what is detected, or one of several nodes that
/// it is divided into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeEntry {
    /// Its name, if not the machine's.
    pub name: Option<Name>,
    /// Thousandths of a core.
    pub cpu_milli: Option<u64>,
    /// Bytes.
    pub mem_bytes: Option<u64>,
    /// Its devices.
    pub devices: Devices,
    /// What it is beside its amounts.
    pub traits: Traits,
}

/// Which devices a node has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Devices {
    /// All that are detected.
    #[default]
    All,
    /// Those with these indices.
    These(Vec<u32>),
    /// So many, the first that no other node has.
    Some(usize),
    /// Pretend ones in place of the detected; an empty list means no device at all.
    Pretend(Vec<PretendGpu>),
}

/// A device that only the books know: for trying things out, and for tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PretendGpu {
    /// Its name.
    pub name: Name,
    /// Device memory in bytes.
    pub mem_bytes: u64,
}

/// `[[user]]`, before the system was asked for the uid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserEntry {
    /// The name that is shown.
    pub name: Name,
    /// The system's user.
    pub os_user: Name,
    /// What they may do.
    pub grants: Vec<Grant>,
}
