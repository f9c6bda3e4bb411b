//! The scene, its clock and its driver: the only place of the simulation where real time counts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::base::{Mono, Span};
use crate::link::LinkError;
use crate::model::refusal::Refusal;
use crate::sim::fleet::Fleet;
use crate::sim::scene;

/// Steps of the simulation in one go; if that is not enough (a fast clock, a process that was
/// stopped for an hour), virtual time falls behind rather than hold the screen up.
const STEPS_MAX: u64 = 4_000;
/// The driver sleeps at least this long and at most that long.
const NAP: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(60));
/// Virtual seconds in a real one: between these.
const SPEED: (f64, f64) = (0.01, 100_000.0);

/// What followers wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Beat {
    /// The last record.
    pub(super) seq: u64,
    /// Somebody ended the demo.
    pub(super) over: bool,
}

/// The scene with its clock.
pub(super) struct Pulse {
    state: Mutex<State>,
    beat: watch::Sender<Beat>,
    /// Wakes the driver: something may be due sooner now, or all is over.
    wake: Arc<Notify>,
    seed: u64,
    /// `None` in a still scene.
    speed: Option<f64>,
}

struct State {
    fleet: Fleet,
    clock: Option<Clock>,
    over: bool,
}

/// A real instant, the virtual one it stands for, and how much faster virtual time is.
struct Clock {
    real: Instant,
    shown: Mono,
    speed: f64,
}

impl Clock {
    fn now(&self) -> Mono {
        let passed = self.real.elapsed().as_secs_f64() * self.speed;
        let passed = Duration::try_from_secs_f64(passed).unwrap_or_default();
        self.shown + Span(u64::try_from(passed.as_millis()).unwrap_or(0))
    }

    /// How long it takes until a virtual instant.
    fn until(&self, due: Mono) -> Duration {
        let left = Duration::from_millis(due.since(self.now()).0).as_secs_f64() / self.speed;
        Duration::try_from_secs_f64(left).unwrap_or(NAP.1)
    }
}

impl State {
    fn catch_up(&mut self) {
        let Some(clock) = &mut self.clock else { return };
        if !self.fleet.advance_steps(clock.now(), STEPS_MAX) {
            (clock.real, clock.shown) = (Instant::now(), self.fleet.at().now);
        }
    }
}

impl Pulse {
    pub(super) fn live(seed: u64, speed: f64) -> Arc<Pulse> {
        let sensible = speed.is_finite() && speed > 0.0;
        let speed = if sensible { speed.clamp(SPEED.0, SPEED.1) } else { 1.0 };
        let fleet = scene::open(seed);
        let clock = Clock { real: Instant::now(), shown: fleet.at().now, speed };
        let pulse = Pulse::new(seed, fleet, Some(clock));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(drive(Arc::downgrade(&pulse), pulse.wake.clone()));
        }
        pulse
    }

    pub(super) fn still(seed: u64, at: Span) -> Arc<Pulse> {
        let mut fleet = scene::open(seed);
        fleet.advance(fleet.at().now + at);
        Pulse::new(seed, fleet, None)
    }

    fn new(seed: u64, fleet: Fleet, clock: Option<Clock>) -> Arc<Pulse> {
        let speed = clock.as_ref().map(|clock| clock.speed);
        let beat = watch::channel(Beat { seq: fleet.seq(), over: false }).0;
        let state = Mutex::new(State { fleet, clock, over: false });
        Arc::new(Pulse { state, beat, wake: Arc::new(Notify::new()), seed, speed })
    }

    /// A panic elsewhere leaves the scene as it was between two commands.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the scene as it is now, or changes it.
    pub(super) fn with<T>(
        &self,
        look: impl FnOnce(&mut Fleet) -> Result<T, Refusal>,
    ) -> Result<T, LinkError> {
        let mut state = self.state();
        if state.over {
            let text = "the demo has ended; `holdshort demo` starts another";
            return Err(LinkError::Unreachable(text.into()));
        }
        state.catch_up();
        let before = state.fleet.seq();
        let result = look(&mut state.fleet);
        if state.fleet.seq() != before {
            self.wake.notify_one();
        }
        self.ring(&state);
        Ok(result?)
    }

    fn ring(&self, state: &State) {
        let now = Beat { seq: state.fleet.seq(), over: state.over };
        self.beat.send_if_modified(|beat| {
            let news = *beat != now;
            *beat = now;
            news
        });
    }

    /// Lets time pass at once.
    pub(super) fn pass(&self, span: Span) {
        let mut state = self.state();
        state.catch_up();
        let to = state.fleet.at().now + span;
        state.fleet.advance(to);
        if let Some(clock) = &mut state.clock {
            (clock.real, clock.shown) = (Instant::now(), to);
        }
        self.wake.notify_one();
        self.ring(&state);
    }

    /// Ends the demo.
    pub(super) fn stop(&self) -> Result<(), LinkError> {
        let mut state = self.state();
        state.over = true;
        self.ring(&state);
        self.wake.notify_one();
        Ok(())
    }

    /// Followers wait here.
    pub(super) fn listen(&self) -> watch::Receiver<Beat> {
        self.beat.subscribe()
    }

    /// Time does not pass by itself.
    pub(super) fn is_still(&self) -> bool {
        self.speed.is_none()
    }

    /// What people should know.
    pub(super) fn note(&self) -> String {
        let pace = match self.speed {
            Some(speed) => format!("{speed}x real time"),
            None => "time stands still".into(),
        };
        format!("a demo with seed {}, {pace}: nothing is real, nothing is kept", self.seed)
    }

    /// Does what is due, and says how long nothing else is; `None` when all is over.
    fn beat(&self) -> Option<Duration> {
        let mut state = self.state();
        if state.over {
            return None;
        }
        state.catch_up();
        self.ring(&state);
        let due = state.fleet.next_due();
        let clock = state.clock.as_ref()?;
        Some(due.map_or(NAP.1, |due| clock.until(due)).clamp(NAP.0, NAP.1))
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.wake.notify_one();
    }
}

/// Lets time pass as long as anybody holds the scene.
async fn drive(pulse: Weak<Pulse>, wake: Arc<Notify>) {
    while let Some(nap) = pulse.upgrade().and_then(|pulse| pulse.beat()) {
        tokio::select! {
            () = tokio::time::sleep(nap) => {}
            () = wake.notified() => {}
        }
    }
}
