//! The composition root: config, store, runner, engine and api become a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};

use super::autostart::{self, Ready};
use super::exit::{FAILED, Failure, OK, Outcome, REFUSED, UNREACHABLE};
use super::places::Places;
use super::session::Session;
use super::verbs::serve::Serve;
use crate::api::server::{Socket, bind};
use crate::base::Name;
use crate::config::nodes::pretended;
use crate::config::{self, Config};
use crate::engine::{self, Handle, Parts, Stopped};
use crate::model::setup::Setup;
use crate::notify::{Address, Post};
use crate::runner::local::gpu::PretendGpu;
use crate::runner::local::{LocalRunner, Options};
use crate::store::{DataDir, LockError, Spool, Store};

/// Output of this many jobs before the last one that left the world is kept.
const KEEP_LOGS: u64 = 10_000;
/// How long a dying server may hold the data directory.
const DYING: Duration = Duration::from_secs(5);
/// Between two looks at it.
const DYING_PAUSE: Duration = Duration::from_millis(5);
/// Threads that answer requests; the loop has its own.
const ANSWERING_THREADS: usize = 2;

/// Runs the server until it is told to end, or has had nothing to do for long enough.
///
/// # Errors
/// When it cannot start; a caller in the background is told the same words.
pub fn serve(session: &Session, options: &Serve) -> Outcome {
    let ready = match options.ready_fd {
        Some(fd) => Some(autostart::detach(fd).map_err(|error| {
            Failure::failed(format!("cannot detach from the caller; {error}"), "")
        })?),
        None => None,
    };
    log_to_stderr();
    let shared = !options.background;
    match prepare(&session.places, shared) {
        Ok(prepared) => prepared.run(ready, session),
        Err(failure) => {
            if let Some(ready) = ready {
                ready.gave_up(&failure.to_string());
            }
            Err(failure)
        }
    }
}

fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("HOLDSHORT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
    // A second logger in one process is refused, which only tests could notice.
    let _ = log.with_writer(std::io::stderr).try_init();
}

/// A server that has everything it needs.
struct Prepared {
    runtime: tokio::runtime::Runtime,
    socket: Socket,
    handle: Handle,
    post: Arc<Post>,
    stopped: tokio::sync::oneshot::Receiver<Stopped>,
    /// Held as long as the server lives.
    _lock: DataDir,
}

fn prepare(places: &Places, shared: bool) -> Result<Prepared, Failure> {
    let failed = |what: String| Failure::failed(what, "");
    places.prepare()?;
    let dir = lock(&places.paths.data)?;
    let journal = Store::open(&dir).map_err(|error| failed(error.to_string()))?;
    let environments = Spool::open(dir.path()).map_err(|error| failed(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(ANSWERING_THREADS)
        .enable_all()
        .build()
        .map_err(|error| failed(format!("cannot start threads; {error}")))?;
    let (mode, group) = match &places.config.server.group {
        Some(name) if shared => (0o660, Some(group_id(name)?)),
        _ => (0o600, None),
    };
    let socket = {
        let _inside = runtime.enter();
        bind(&places.paths.socket, mode, group)
            .map_err(|error| Failure::new(REFUSED, error.to_string(), ""))?
    };
    let own = std::env::current_exe()
        .map_err(|error| failed(format!("cannot find our own program; {error}")))?;
    let (door, inbox) = engine::door();
    let runner = LocalRunner::new(runner_options(places, own.clone()), door.events())
        .map_err(|error| failed(error.to_string()))?;
    let post = Arc::new(Post::new(door.recorder()));
    post.set(addresses(&places.config));
    let parts = Parts {
        notify: post.clone(),
        journal: Box::new(journal),
        environments: Arc::new(environments),
        papers: Arc::new(crate::api::wire::review::decision::JsonPapers),
        clock: Arc::new(engine::clock::SystemClock),
        runner: Arc::new(runner),
        setup: setup(&places.config, places.uid),
        nodes: places.config.nodes.clone(),
        places: engine::Places {
            data_dir: dir.path().to_owned(),
            socket: places.paths.socket.clone(),
            allowed_signers: allowed_signers(places),
            bin_dir: own.parent().map(PathBuf::from).unwrap_or_default(),
            log_bytes_max: places.config.server.log_bytes,
            keep_logs: KEEP_LOGS,
            snapshot_records: places.config.server.snapshot_records,
            keep_ledger: places.config.server.keep_ledger,
        },
    };
    let (handle, stopped) =
        engine::start(parts, &door, inbox).map_err(|error| failed(error.to_string()))?;
    Ok(Prepared { runtime, socket, handle, post, stopped, _lock: dir })
}

/// Where it is configured, else beside the configuration.
fn allowed_signers(places: &Places) -> PathBuf {
    let configured = places.config.server.allowed_signers.clone();
    configured.unwrap_or_else(|| places.paths.config.with_file_name("allowed_signers"))
}

/// Locks the data directory. A server that was just killed holds it for a moment longer, until
/// the kernel has closed its files; one that lives keeps it.
fn lock(path: &Path) -> Result<DataDir, Failure> {
    let until = Instant::now() + DYING;
    loop {
        match DataDir::lock(path) {
            Ok(dir) => return Ok(dir),
            Err(LockError::Taken { pid: Some(pid), .. })
                if Instant::now() < until && is_dying(pid) =>
            {
                std::thread::sleep(DYING_PAUSE);
            }
            Err(error) => return Err(Failure::new(REFUSED, error.to_string(), "")),
        }
    }
}

fn is_dying(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_none_or(|state| matches!(state, 'Z' | 'X'))
}

fn runner_options(places: &Places, own: PathBuf) -> Options {
    let pretend = |gpu: &config::PretendGpu| PretendGpu {
        name: gpu.name.to_string(),
        mem_bytes: gpu.mem_bytes,
    };
    Options {
        gpus: pretended(&places.config.nodes).map(|gpus| gpus.iter().map(pretend).collect()),
        log_bytes: places.config.server.log_bytes,
        ..Options::new(places.paths.data.join("spool"), own, machine_name())
    }
}

/// What the machine calls itself, up to the first dot.
pub(super) fn machine_name() -> Name {
    let name = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok());
    let name = name.unwrap_or_default();
    name.split('.').next().filter(|name| !name.is_empty()).unwrap_or("here").into()
}

/// What the core must know of the configuration.
pub(super) fn setup(config: &Config, owner: u32) -> Setup {
    config.to_setup(owner, |name| {
        let user = nix::unistd::User::from_name(name).ok().flatten();
        user.map(|user| user.uid.as_raw())
    })
}

/// Where those are who are told of reviews.
fn addresses(config: &Config) -> Vec<Address> {
    let address = |entry: &config::NotifyEntry| Address {
        name: entry.target.name.clone(),
        way: entry.way.clone(),
        timeout: entry.timeout,
        tries: entry.tries,
        backoff: entry.backoff,
    };
    config.notify.iter().map(address).collect()
}

fn group_id(name: &str) -> Result<u32, Failure> {
    match nix::unistd::Group::from_name(name) {
        Ok(Some(group)) => Ok(group.gid.as_raw()),
        _ => Err(Failure::usage(
            format!("there is no group {name} on this machine"),
            "server.group in the configuration names the group that shares the socket",
        )),
    }
}

impl Prepared {
    fn run(self, ready: Option<Ready>, session: &Session) -> Outcome {
        let Prepared { runtime, socket, handle, post, mut stopped, _lock } = self;
        let end = runtime.block_on(async {
            // Nobody is answered before the tasks of earlier servers are known: a process in
            // a job's tree could not be told from others.
            tokio::select! {
                () = handle.awake() => {}
                end = &mut stopped => return end,
            }
            let (close, closing) = tokio::sync::oneshot::channel::<()>();
            let serving = crate::api::server::serve(handle.clone(), socket, async {
                let _ = closing.await;
            });
            let serving = tokio::spawn(serving);
            if let Some(ready) = ready {
                ready.ready();
            }
            // Without a service manager there is nobody to notify.
            let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
            let watching = tokio::spawn(until_told(handle.clone(), post, session.globals.clone()));
            let idle = session.places.config.server.idle_exit;
            let idling = tokio::spawn(until_idle(handle, idle.map(crate::base::Span::to_std)));
            let end = stopped.await;
            watching.abort();
            idling.abort();
            let _ = close.send(());
            let _ = serving.await;
            end
        });
        match end {
            Ok(Stopped::Asked) => Ok(OK),
            Ok(Stopped::Failed(error)) => Err(Failure::new(
                FAILED,
                format!("the server ends: {error}"),
                "jobs run on; the next server finds them",
            )),
            Err(_) => Err(Failure::new(UNREACHABLE, "the scheduler's loop ended by itself", "")),
        }
    }
}

/// Waits for a signal to end, and ends the loop; jobs run on. HUP reads the configuration anew.
async fn until_told(handle: Handle, post: Arc<Post>, globals: super::tree::Globals) {
    let streams = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
        signal(SignalKind::hangup()),
    );
    let (Ok(mut term), Ok(mut int), Ok(mut hup)) = streams else { return };
    loop {
        tokio::select! {
            _ = term.recv() => break,
            _ = int.recv() => break,
            _ = hup.recv() => reload(&handle, &post, &globals).await,
        }
    }
    handle.shut_down().await;
}

async fn reload(handle: &Handle, post: &Post, globals: &super::tree::Globals) {
    match Places::find(globals) {
        Ok(places) => {
            let setup = setup(&places.config, places.uid);
            post.set(addresses(&places.config));
            if let Err(refusal) = handle.configure(setup, places.config.nodes.clone()).await {
                tracing::error!("the configuration was not taken: {refusal}");
            }
        }
        Err(failure) => tracing::error!("the configuration was not taken: {failure}"),
    }
}

/// Ends the loop once there was nothing to do for long enough.
async fn until_idle(handle: Handle, after: Option<Duration>) {
    let Some(after) = after else { return };
    loop {
        let mut news = handle.follow();
        let quiet = handle.is_idle();
        tokio::select! {
            // News, or a gap in it: look again.
            _ = news.recv() => {}
            () = tokio::time::sleep(after), if quiet => {
                if handle.is_idle() {
                    return handle.shut_down().await;
                }
            }
        }
    }
}
