//! The loop: take everything that waits, update, fetch what is wanted, draw once.
//!
//! Nothing is awaited but events; nothing wakes while nothing changes.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{Event as TermEvent, EventStream, MouseEventKind};
use futures::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::base::Span;
use crate::link::Link;
use crate::tui::app::App;
use crate::tui::editor;
use crate::tui::event::{Editing, Effect, Event, Mouse};
use crate::tui::feed::{Data, Feed};
use crate::tui::ground::{Options, Starter};
use crate::tui::keys::Key;
use crate::tui::outside::Outside;
use crate::tui::term::{self, Term};

/// Answers that may wait for the loop.
const WAITING_MAX: usize = 256;
/// Events taken before the screen is drawn.
const DRAIN_MAX: usize = 512;
/// Between two drawings that no key asked for.
const FRAME: Duration = Duration::from_millis(16);

/// Why the console ended other than by a person's wish.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// There is no terminal that could show it.
    #[error("{0}")]
    Unusable(String),
    /// The terminal failed.
    #[error("the terminal cannot be used: {0}; holdshort ls prints the list")]
    Terminal(#[from] std::io::Error),
    /// The terminal went away; jobs go on.
    #[error("the terminal is gone; jobs go on")]
    Gone,
    /// A part of the program panicked; the message stands above.
    #[error("the console broke, see above; jobs go on")]
    Broken,
}

/// Shows the console until it is left.
///
/// # Errors
/// See [`Problem`]. The terminal is restored in every case.
pub async fn run(link: Arc<dyn Link>, options: Options) -> Result<(), Problem> {
    term::check().map_err(Problem::Unusable)?;
    let mut term = Term::enter()?;
    if options.mouse {
        term.mouse(true)?;
    }
    let app = App::new(options, term.size());
    let (data_in, data) = mpsc::channel(WAITING_MAX);
    let feed = Feed::start(&link, &data_in);
    let signals = Signals::new()?;
    let loop_ = Loop {
        app,
        feed,
        data,
        told: data_in,
        signals,
        keys: Keys::read(),
        gone: term::gone(),
        began: Instant::now(),
        outside: Outside::of_environment(),
        link,
    };
    loop_.run(&mut term).await
}

/// Reads the terminal beside the loop. The library's stream forgets to wake whoever polls it
/// twice in different ways, so only this task ever polls it.
struct Keys {
    events: mpsc::Receiver<std::io::Result<TermEvent>>,
    reader: JoinHandle<()>,
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Keys {
    fn read() -> Keys {
        let (sender, events) = mpsc::channel(WAITING_MAX);
        Keys { events, reader: read_keys(sender) }
    }
}

fn read_keys(sender: mpsc::Sender<std::io::Result<TermEvent>>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut stream = EventStream::new();
        loop {
            let event = tokio::select! {
                event = stream.next() => event,
                () = sender.closed() => return,
            };
            let Some(event) = event else { return };
            if sender.send(event).await.is_err() {
                return;
            }
        }
    })
}

struct Signals {
    end: Signal,
    hang_up: Signal,
    interrupt: Signal,
    quit: Signal,
    go_on: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals {
            end: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            go_on: signal(SignalKind::from_raw(nix::libc::SIGCONT))?,
        })
    }
}

struct Loop {
    app: App,
    feed: Feed,
    data: mpsc::Receiver<Data>,
    told: mpsc::Sender<Data>,
    signals: Signals,
    keys: Keys,
    gone: oneshot::Receiver<()>,
    began: Instant,
    outside: Outside,
    link: Arc<dyn Link>,
}

/// Whether the loop goes on.
enum Go {
    On,
    End,
}

impl Loop {
    async fn run(mut self, term: &mut Term) -> Result<(), Problem> {
        let mut dirty = true;
        let mut drawn: Option<Instant> = None;
        let mut by_hand = true;
        loop {
            self.feed.want(self.app.wants());
            let wants = self.app.wants();
            self.app.ground.known.keep(&wants);
            let may_draw = drawn.is_none_or(|at| by_hand || at.elapsed() >= FRAME);
            if dirty && may_draw {
                term.draw(&self.app)?;
                (dirty, by_hand, drawn) = (false, false, Some(Instant::now()));
            }
            let next_frame = drawn.filter(|_| dirty).map(|at| at + FRAME);
            let Some(events) = self.next(next_frame).await? else { continue };
            by_hand |= events.iter().any(|event| !matches!(event, Event::Data(_) | Event::Tick));
            for event in events {
                dirty |= !matches!(event, Event::Focus(_));
                let effects = self.app.update(event, self.now());
                for effect in effects {
                    if let Go::End = self.perform(effect, term).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn now(&self) -> Span {
        Span(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Waits for something, then takes all that waits; nothing if it is only time to draw.
    async fn next(&mut self, next_frame: Option<Instant>) -> Result<Option<Vec<Event>>, Problem> {
        let tick = self.app.next_tick().map(|at| self.began + at.to_std());
        let far = Instant::now() + Duration::from_secs(86_400);
        let first = tokio::select! {
            biased;
            () = term::broken() => return Err(Problem::Broken),
            _ = &mut self.gone => return Err(Problem::Gone),
            _ = self.signals.hang_up.recv() => return Err(Problem::Gone),
            _ = self.signals.end.recv() => Event::End,
            _ = self.signals.interrupt.recv() => Event::End,
            _ = self.signals.quit.recv() => Event::End,
            _ = self.signals.go_on.recv() => Event::Continued,
            key = self.keys.events.recv() => match key {
                Some(Ok(event)) => match translated(&event) {
                    Some(event) => event,
                    None => return Ok(None),
                },
                Some(Err(error)) => return Err(Problem::Terminal(error)),
                None => return Err(Problem::Gone),
            },
            Some(data) = self.data.recv() => Event::Data(data),
            () = sleep_until(next_frame.unwrap_or(far)), if next_frame.is_some() => {
                return Ok(None);
            }
            () = sleep_until(tick.unwrap_or(far)), if tick.is_some() => Event::Tick,
        };
        let mut events = vec![first];
        while events.len() < DRAIN_MAX {
            if let Ok(Ok(event)) = self.keys.events.try_recv() {
                events.extend(translated(&event));
            } else if let Ok(data) = self.data.try_recv() {
                events.push(Event::Data(data));
            } else {
                break;
            }
        }
        Ok(Some(events))
    }

    async fn perform(&mut self, effect: Effect, term: &mut Term) -> Result<Go, Problem> {
        match effect {
            Effect::Do(deed) if self.app.has_ended() => {
                // The console is leaving: this is not worth waiting for longer than a moment.
                let call = crate::tui::feed::deeds::perform(&*self.link, &deed);
                let _ = tokio::time::timeout(Duration::from_millis(500), call).await;
            }
            Effect::Do(deed) => {
                if !self.feed.act(deed) {
                    self.app.ground.complain("not done: too much waits to be sent already");
                }
            }
            Effect::Copy(text) => term.write(self.outside.copy(&text).as_bytes())?,
            Effect::Notify(text) => term.write(self.outside.notify(&text).as_bytes())?,
            Effect::Title(text) => term.write(self.outside.title(&text).as_bytes())?,
            Effect::Mouse(on) => term.mouse(on)?,
            Effect::Suspend => {
                term.suspend()?;
                self.resize(term);
            }
            Effect::Start => self.start(),
            Effect::Edit(editing) => self.edit(&editing, term).await?,
            Effect::Redraw => {
                term.again()?;
                self.resize(term);
            }
            Effect::Quit => return Ok(Go::End),
        }
        Ok(Go::On)
    }

    /// Gives the terminal to the editor until it ends. Nobody else reads keys meanwhile.
    async fn edit(&mut self, editing: &Editing, term: &mut Term) -> Result<(), Problem> {
        self.keys.reader.abort();
        // Only once the reader is gone are keys the editor's.
        let _ = (&mut self.keys.reader).await;
        term.lend();
        let changed = editor::change(&editing.text, &editing.review.to_string()).await;
        term.again()?;
        self.keys = Keys::read();
        self.signals = Signals::new()?;
        self.resize(term);
        let event = Event::Edited(Box::new(editing.clone()), changed);
        let now = self.now();
        for effect in self.app.update(event, now) {
            if let Effect::Do(deed) = effect {
                self.feed.act(deed);
            }
        }
        Ok(())
    }

    /// Starts the server beside the loop.
    fn start(&self) {
        let Some(Starter(start)) = self.app.ground.options.starter.clone() else { return };
        let out = self.told.clone();
        tokio::spawn(async move {
            let done = tokio::task::spawn_blocking(move || start()).await;
            let done = done.unwrap_or_else(|_| Err("starting it broke".to_owned()));
            let _ = out.send(Data::Started(done)).await;
        });
    }

    /// The size may have changed while somebody else had the terminal.
    fn resize(&mut self, term: &Term) {
        let (columns, rows) = term.size();
        let now = self.now();
        for effect in self.app.update(Event::Resize { columns, rows }, now) {
            if let Effect::Do(deed) = effect {
                self.feed.act(deed);
            }
        }
    }
}

/// What the terminal library saw, in our words; nothing for what means nothing here.
fn translated(event: &TermEvent) -> Option<Event> {
    match event {
        TermEvent::Key(key) => Key::from_terminal(key).map(Event::Key),
        TermEvent::Paste(text) => Some(Event::Paste(text.clone())),
        TermEvent::Resize(columns, rows) => Some(Event::Resize { columns: *columns, rows: *rows }),
        TermEvent::FocusGained => Some(Event::Focus(true)),
        TermEvent::FocusLost => Some(Event::Focus(false)),
        TermEvent::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollDown => Some(Event::Mouse(Mouse::Wheel(3))),
            MouseEventKind::ScrollUp => Some(Event::Mouse(Mouse::Wheel(-3))),
            MouseEventKind::Down(_) => Some(Event::Mouse(Mouse::Click(mouse.column, mouse.row))),
            _ => None,
        },
    }
}
