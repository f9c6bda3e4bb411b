//! Puts the engine together: brings a data directory back to life and starts the loop.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{broadcast, oneshot, watch};

use crate::base::{Span, TaskId};
use crate::config::NodeEntry;
use crate::engine::alarm::Alarm;
use crate::engine::clock::Timeline;
use crate::engine::foresight::Foresight;
use crate::engine::handle::{Handle, Inner};
use crate::engine::intake::{Door, Inbox};
use crate::engine::launch::Launcher;
use crate::engine::listeners::Listeners;
use crate::engine::output::Output;
use crate::engine::owner::Owner;
use crate::engine::reads::Programs;
use crate::engine::recover;
use crate::engine::retention::Retention;
use crate::engine::telling::Teller;
use crate::engine::tokens::Tokens;
use crate::ledger::Meter;
use crate::model::fact::Record;
use crate::model::history::History;
use crate::model::ports::journal::StorageError;
use crate::model::ports::{Clock, Environments, Journal, Notify, Papers, Runner};
use crate::model::setup::Setup;
use crate::sched::World;
use crate::sched::health::Signals;

/// Committed records a slow follower may be behind before it has to read the journal.
const FOLLOW_MAX: usize = 1024;

/// What the loop is made of.
pub struct Parts {
    /// Durable bytes.
    pub journal: Box<dyn Journal>,
    /// Values of environments.
    pub environments: Arc<dyn Environments>,
    /// What jobs get to read of their answers.
    pub papers: Arc<dyn Papers>,
    /// The clocks.
    pub clock: Arc<dyn Clock>,
    /// Whoever tells people of reviews.
    pub notify: Arc<dyn Notify>,
    /// Processes. Built with the same door.
    pub runner: Arc<dyn Runner>,
    /// Configuration.
    pub setup: Setup,
    /// The nodes that the machine is divided into; none is the machine as it is.
    pub nodes: Vec<NodeEntry>,
    /// Where things are.
    pub places: Places,
}

/// Where things are.
#[derive(Debug, Clone)]
pub struct Places {
    /// Journal, spool, logs.
    pub data_dir: PathBuf,
    /// The server's socket.
    pub socket: PathBuf,
    /// OpenSSH's file of who may sign votes with which key.
    pub allowed_signers: PathBuf,
    /// The directory of our own executable, for `PATH`.
    pub bin_dir: PathBuf,
    /// Bytes in one log file.
    pub log_bytes_max: u64,
    /// Output of this many jobs is kept.
    pub keep_logs: u64,
    /// A snapshot is taken after this many records, or after as many as there are jobs if more.
    pub snapshot_records: u64,
    /// How long the ledger keeps intervals before they become daily sums; `None` is for ever.
    pub keep_ledger: Option<Span>,
}

/// Why a loop ended.
#[derive(Debug)]
pub enum Stopped {
    /// It was asked to.
    Asked,
    /// Storage failed: the process must end, since memory is ahead of the disk.
    Failed(StorageError),
}

/// What readers see: the world as of the last commit.
#[derive(Clone)]
pub(super) struct Published {
    pub world: World,
    pub meter: Meter,
    pub seq: u64,
    pub notes: Vec<String>,
    /// Tells what time it is for a reader who looks later than the commit.
    pub timeline: Timeline,
}

/// Shared between the loop and the handles.
pub(super) struct Shared {
    pub published: Mutex<Published>,
    pub follow: broadcast::Sender<Arc<Record>>,
    pub counters: Mutex<Counters>,
    /// Tasks to which somebody typed since the loop last looked.
    pub typed: Mutex<BTreeSet<TaskId>>,
    /// Use and queue over the last two hours; lost with the process, and no harm done.
    pub history: Mutex<History>,
    /// Those who wait for news of a review.
    pub listeners: Listeners,
    /// True once the first turn is durable and published.
    pub awake: watch::Sender<bool>,
}

/// Numbers for `/metrics`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub commits: u64,
    pub records: u64,
    pub refusals: u64,
    pub longest_pause_ms: u64,
}

impl Shared {
    fn new(first: Published) -> Shared {
        Shared {
            published: Mutex::new(first),
            follow: broadcast::channel(FOLLOW_MAX).0,
            counters: Mutex::default(),
            typed: Mutex::default(),
            history: Mutex::default(),
            listeners: Listeners::default(),
            awake: watch::channel(false).0,
        }
    }

    pub fn published(&self) -> Published {
        self.published.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Brings a data directory back to life and starts the loop on a thread of its own. The handle
/// is usable at once; the receiver says why the loop ended.
///
/// # Errors
/// When the journal can't be read, or was written by a newer version.
pub fn start(
    parts: Parts,
    door: &Door,
    inbox: Inbox,
) -> Result<(Handle, oneshot::Receiver<Stopped>), StorageError> {
    let state = recover::load(parts.journal.as_ref())?;
    let failed = |error: std::io::Error| StorageError::Failed(error.to_string());
    let tokens = Tokens::open(&parts.places.data_dir).map_err(failed)?;
    let ring = door.clone();
    let alarm = Alarm::start(move || ring.ring()).map_err(failed)?;
    let (reader, launch_reader) = (parts.journal.reader()?, parts.journal.reader()?);
    let retention = Retention::new(parts.places.keep_ledger, parts.journal.reader()?);
    let (reading, boot) = (parts.clock.read(), parts.clock.boot_id());
    let offset = (state.world.boot() == boot).then(|| state.world.boot_offset());
    let timeline = Timeline::resume(state.world.at(), offset, reading);
    let (world, meter, notes) = (state.world.clone(), state.meter.clone(), Vec::new());
    let first = Published { world, meter, seq: state.seq, notes, timeline: timeline.clone() };
    let shared = Arc::new(Shared::new(first));
    let (environments, places) = (parts.environments.clone(), parts.places.clone());
    let launcher = Launcher::new(places, tokens.clone(), launch_reader, environments.clone());
    let launcher = launcher.with_papers(parts.papers);
    let inner = Inner {
        installation: parts.journal.installation(),
        door: door.clone(),
        shared: shared.clone(),
        runner: parts.runner.clone(),
        environments,
        stored: Mutex::new(Programs::new(reader)),
        foresight: Foresight::default(),
        day: Mutex::default(),
        output: Output::new(&parts.places.data_dir),
        places: parts.places.clone(),
        tokens,
        since: reading.wall,
        clock: parts.clock.clone(),
    };
    let handle = Handle { inner: Arc::new(inner) };
    let mut owner = Owner {
        world: state.world,
        meter: state.meter,
        seq: state.seq,
        snapshot_seq: state.snapshot_seq,
        journal: parts.journal,
        door: door.clone(),
        clock: parts.clock,
        runner: parts.runner,
        launcher,
        timeline,
        alarm,
        shared,
        signals: Signals::default(),
        teller: Teller::new(parts.notify),
        next_health: None,
        notes: Vec::new(),
        ballast_out: false,
        keep_logs: parts.places.keep_logs,
        snapshot_records: parts.places.snapshot_records,
        retention,
        unlaunched: Vec::new(),
        nodes: parts.nodes,
    };
    let (tell, stopped) = oneshot::channel();
    let (door, setup) = (door.clone(), parts.setup);
    let loop_body = move || {
        let end = owner.wake(&inbox, &door, setup, boot).and_then(|()| owner.run(&inbox));
        let _ = tell.send(end.unwrap_or_else(Stopped::Failed));
    };
    std::thread::Builder::new().name("owner".into()).spawn(loop_body).map_err(failed)?;
    Ok((handle, stopped))
}
