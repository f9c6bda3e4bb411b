//! The console without a terminal: keys in, a screen out. For pictures and tests.
//!
//! Everything is fetched when asked, so the same link, keys and times give the same screen.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::StreamExt;
use ratatui::buffer::Buffer;

use crate::base::Span;
use crate::link::Link;
use crate::model::page::LogQuery;
use crate::tui::app::App;
use crate::tui::event::{Effect, Event};
use crate::tui::feed::{Connection, Data, Output, Want, deeds, tasks};
use crate::tui::ground::Options;
use crate::tui::keys::Key;
use crate::tui::shot;

/// Records before now that are fetched.
const BEFORE: u64 = 300;

/// A console on a stage.
pub struct Stage {
    /// The console.
    pub app: App,
    /// Time on its clock.
    pub now: Span,
    /// Everything it wanted done outside, oldest first.
    pub effects: Vec<Effect>,
    link: Arc<dyn Link>,
    /// The last record that was fetched.
    seen: u64,
}

impl Stage {
    /// Opens a console of this size and fetches what it shows.
    pub async fn open(link: Arc<dyn Link>, options: Options, size: (u16, u16)) -> Stage {
        let app = App::new(options, size);
        let mut stage = Stage { app, now: Span::ZERO, effects: Vec::new(), link, seen: 0 };
        stage.connect().await;
        stage.fetch().await;
        stage
    }

    /// Presses keys: characters, and names in angle brackets: `jj<enter>/team=ml<enter>`. After
    /// each key everything shown is fetched. A second passes before it, so that a question that
    /// has just opened listens.
    pub async fn press(&mut self, keys: &str) {
        for key in parsed(keys) {
            self.pass(Span::secs(1)).await;
            self.event(Event::Key(key)).await;
            self.fetch().await;
        }
    }

    /// Lets time pass.
    pub async fn pass(&mut self, time: Span) {
        self.now = self.now + time;
        self.event(Event::Tick).await;
    }

    /// Takes an event and does what follows from it.
    pub async fn event(&mut self, event: Event) {
        let effects = self.app.update(event, self.now);
        for effect in effects {
            self.effects.push(effect.clone());
            if let Effect::Do(deed) = effect {
                let done = deeds::perform(&*self.link, &deed).await;
                let more = self.app.update(Event::Data(Data::Did(deed, done)), self.now);
                self.effects.extend(more);
            }
        }
    }

    /// Fetches everything shown; an answer may show that there is more to show.
    pub async fn fetch(&mut self) {
        /// Answers that lead to further wants.
        const ROUNDS: usize = 3;
        let mut fetched = BTreeSet::new();
        self.facts().await;
        for _ in 0..ROUNDS {
            let wants = self.app.wants();
            self.app.ground.known.keep(&wants);
            for want in wants.difference(&fetched.clone()) {
                self.fetch_one(want).await;
                fetched.insert(want.clone());
            }
        }
    }

    async fn fetch_one(&mut self, want: &Want) {
        if let Want::Output(output) = want {
            self.output(*output).await;
        } else if let Some(call) = tasks::fetch(&*self.link.clone(), want) {
            let data = call.await;
            self.event(Event::Data(data)).await;
        }
    }

    /// The screen.
    pub fn buffer(&self) -> Buffer {
        shot::screen(&self.app)
    }

    async fn connect(&mut self) {
        let mark = self.link.looked(None).await;
        self.event(Event::Data(Data::Looked(mark.ok()))).await;
        self.seen = match self.link.summary().await {
            Ok(summary) => summary.seq.saturating_sub(BEFORE),
            Err(error) => {
                let lost = Connection::Lost { why: error.to_string(), attempt: 1 };
                self.event(Event::Data(Data::Link(lost))).await;
                return;
            }
        };
        self.event(Event::Data(Data::Link(Connection::Live))).await;
        if let Ok(past) = self.link.history().await {
            self.event(Event::Data(Data::Past(past))).await;
        }
    }

    /// The facts that are new.
    async fn facts(&mut self) {
        let Ok(stream) = self.link.events(Some(self.seen), false).await else { return };
        let rows: Vec<_> = stream.filter_map(|row| async { row.ok() }).collect().await;
        if let Some(last) = rows.last() {
            self.seen = last.seq;
            self.event(Event::Data(Data::Facts(rows, false))).await;
        }
    }

    async fn output(&mut self, output: Output) {
        let query = LogQuery {
            attempt: output.attempt,
            rank: Some(output.rank),
            follow: false,
            tail_bytes: Some(output.tail),
            times: true,
        };
        let begins = Data::OutputBegins(output);
        self.event(Event::Data(begins)).await;
        match self.link.logs(output.job, query).await {
            Ok(stream) => {
                let pieces: Vec<_> =
                    stream.filter_map(|piece| async { piece.ok() }).collect().await;
                for piece in pieces {
                    self.event(Event::Data(Data::More(output, piece))).await;
                }
            }
            Err(error) => {
                let ends = Data::OutputEnds(output, Some(error.to_string()));
                self.event(Event::Data(ends)).await;
            }
        }
    }
}

/// Keys from their written form; what cannot be read is left out.
pub fn parsed(text: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let key = named.and_then(|(name, after)| Some((Key::parse(name)?, after)));
        match key {
            Some((key, after)) => {
                keys.push(key);
                rest = after;
            }
            None => {
                keys.push(Key::char(c));
                rest = rest.get(c.len_utf8()..).unwrap_or("");
            }
        }
    }
    keys
}
