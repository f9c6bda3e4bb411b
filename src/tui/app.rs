//! The console's memory and what events do to it. Pure: what shall happen outside is returned.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::layout::Rect;

use crate::base::{JobId, ReviewId, Span, duration};
use crate::link::LinkError;
use crate::model::Fact;
use crate::model::page::EventRow;
use crate::model::review::{LOOK_LEASE, ReviewVerb};
use crate::tui::actions::{self, cancel, losses, undo::Undo};
use crate::tui::event::{Deed, Effect, Event, Mouse};
use crate::tui::feed::{Answer, Connection, Data, From, Rows, Want};
use crate::tui::ground::{Ground, Open, Options};
use crate::tui::guard::EscapeGuard;
use crate::tui::keys::{Code, Key};
use crate::tui::known::people::is_mine;
use crate::tui::known::{Alarms, Looked, alarm};
use crate::tui::layout::Layout;
use crate::tui::panes::{self, Command, Elements, Kind, Motion, Pane, Target};
use crate::tui::popups::{Outcome, Popup, Then};
use crate::tui::section::Section;

/// Rows of each section that are always fetched.
const ROWS: usize = 200;
/// That somebody looks at a review is said again after this: thrice before it is forgotten.
const SAID_AGAIN: Span = Span(LOOK_LEASE.0 / 3);

/// The console.
pub struct App {
    /// What every pane stands on.
    pub ground: Ground,
    /// Open panes, the home list first.
    pub stack: Vec<Box<dyn Pane>>,
    /// What stands in front of them.
    pub popup: Option<Popup>,
    /// What can be taken back.
    pub undo: Undo,
    guard: EscapeGuard,
    alarms: Alarms,
    title: String,
    /// Reviews of which was said that somebody here looks at them, and when.
    glances: BTreeMap<ReviewId, Span>,
    focused: Option<bool>,
    ended: bool,
}

impl App {
    /// A console of this size that knows nothing yet.
    pub fn new(options: Options, size: (u16, u16)) -> App {
        let open = options.open.clone();
        let mut home = panes::home::Home::default();
        if let Open::Filter(filter) = &open {
            home.set_filter(filter);
        }
        let mut stack: Vec<Box<dyn Pane>> = vec![Box::new(home)];
        match open {
            Open::Job(job) => stack.push(panes::open(Kind::Job, &job.into())),
            Open::Review(review) => stack.push(panes::open(Kind::Review, &review.into())),
            Open::Home | Open::Filter(_) => {}
        }
        App {
            ground: Ground::new(options, size),
            stack,
            popup: None,
            undo: Undo::default(),
            guard: EscapeGuard::default(),
            alarms: Alarms::default(),
            title: String::new(),
            glances: BTreeMap::new(),
            focused: None,
            ended: false,
        }
    }

    /// Takes an event at a time on the console's clock; what shall happen outside.
    pub fn update(&mut self, event: Event, now: Span) -> Vec<Effect> {
        self.ground.known.clock.tell(now);
        let mut out = Vec::new();
        match event {
            Event::Key(key) => self.key(key, &mut out),
            Event::Paste(text) => self.paste(&text, &mut out),
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Resize { columns, rows } => {
                self.ground.size = (columns, rows);
                self.settle();
                let effects = self.stack.last_mut().map(|pane| pane.resized()).unwrap_or_default();
                self.all(effects, &mut out);
            }
            Event::Focus(focused) => self.focused = Some(focused),
            Event::Data(data) => self.data(data, &mut out),
            Event::Tick => {}
            Event::Continued => out.push(Effect::Redraw),
            Event::End => self.leave(&mut out),
            Event::Edited(editing, result) => actions::review::edited(self, &editing, result),
        }
        self.settle();
        self.glance(&mut out);
        out
    }

    /// Says whose cards are looked at here: others who may decide see that somebody does.
    fn glance(&mut self, out: &mut Vec<Effect>) {
        let cards = self.stack.iter().filter(|pane| pane.kind() == Kind::Review);
        let shown = cards.filter_map(|pane| pane.target(&self.ground).review);
        let may = |id: &ReviewId| {
            let card = self.ground.known.cards.get(id);
            card.is_some_and(|card| card.review.is_open() && is_mine(&card.beside))
        };
        let known = &self.glances;
        let shown: BTreeSet<ReviewId> = match (self.ended, self.ground.may_act()) {
            (true, _) => BTreeSet::new(),
            (false, Ok(())) => shown.filter(|id| known.contains_key(id) || may(id)).collect(),
            (false, Err(_)) => return,
        };
        let now = self.ground.known.clock.console();
        let fresh = |id: &ReviewId| known.get(id).is_some_and(|said| *said + SAID_AGAIN > now);
        let deed = |review, verb| Effect::Do(Deed::Review { review, verb: Box::new(verb) });
        let stays = shown.iter().filter(|id| !fresh(id)).map(|id| deed(*id, ReviewVerb::Look));
        let went = known.keys().filter(|id| !shown.contains(id));
        let went = went.map(|id| deed(*id, ReviewVerb::Leave));
        let said: Vec<Effect> = stays.chain(went).collect();
        // Before the end of everything, if this is it.
        let at = out.iter().position(|effect| *effect == Effect::Quit).unwrap_or(out.len());
        out.splice(at..at, said);
        let when = |id: &ReviewId| known.get(id).copied().filter(|_| fresh(id)).unwrap_or(now);
        self.glances = shown.iter().map(|id| (*id, when(id))).collect();
    }

    /// What is shown and so has to be fetched.
    pub fn wants(&self) -> BTreeSet<Want> {
        let mut wants = BTreeSet::from([Want::Summary, Want::Reviews]);
        // What needs somebody is always known: the header, the title and alarms speak of it.
        let rows = |section| {
            let (filter, from) = (String::new(), From::Start);
            Rows { section, filter, since: None, from, limit: ROWS, again: 0, watch: true }
        };
        wants.insert(Want::Rows(rows(Section::People)));
        if self.ground.known.may_have(Section::Stuck) {
            wants.insert(Want::Rows(rows(Section::Stuck)));
        }
        if let Some(Popup::Confirm(confirm)) = &self.popup {
            // The question says what would be lost, and that is more than a row knows.
            wants.extend(confirm.jobs.iter().take(losses::NAMED).copied().map(Want::Job));
        }
        wants.extend(self.stack.last().into_iter().flat_map(|pane| pane.wants(&self.ground)));
        wants
    }

    /// The pane in front.
    pub fn front(&self) -> Option<&dyn Pane> {
        self.stack.last().map(|pane| &**pane)
    }

    /// The kind of the pane in front.
    pub fn kind(&self) -> Kind {
        self.front().map_or(Kind::Home, Pane::kind)
    }

    /// What an action would work on in the pane in front.
    pub fn target(&self) -> Target {
        self.front().map(|pane| pane.target(&self.ground)).unwrap_or_default()
    }

    /// The jobs an action would work on: the marked ones in the list, else the chosen one.
    pub fn jobs(&self) -> Vec<JobId> {
        if self.kind() == Kind::Home && !self.ground.marks.is_empty() {
            return self.ground.marks.iter().copied().collect();
        }
        self.target().job.into_iter().collect()
    }

    /// How many of some jobs are on the screen neither themselves nor in the row that stands for
    /// their array.
    pub fn out_of_sight<'a>(&self, jobs: impl IntoIterator<Item = &'a JobId>) -> usize {
        let jobs: Vec<JobId> = jobs.into_iter().copied().collect();
        self.front().map_or(0, |pane| pane.out_of_sight(&jobs, &self.ground))
    }

    /// What an action would work on is what one looks at: nothing is marked, or the chosen row
    /// is marked and so is nothing that is out of sight.
    pub fn is_plain(&self) -> bool {
        let marks = &self.ground.marks;
        if self.kind() != Kind::Home || marks.is_empty() {
            return true;
        }
        let chosen = self.target().job.is_some_and(|job| marks.contains(&job));
        chosen && self.out_of_sight(marks) == 0
    }

    /// The row for several elements of an array that an action would work on.
    pub fn folded(&self) -> Option<Elements> {
        let marked = self.kind() == Kind::Home && !self.ground.marks.is_empty();
        self.target().folded.filter(|_| !marked)
    }

    /// Opens a pane about a job in front of the others.
    pub fn open(&mut self, kind: Kind, job: Option<JobId>) {
        self.open_about(kind, &Target { job, ..Target::default() });
    }

    /// Opens a pane in front of the others.
    pub fn open_about(&mut self, kind: Kind, about: &Target) {
        /// Open panes at most: the oldest behind the home list goes.
        const DEPTH_MAX: usize = 12;
        let same = |pane: &dyn Pane, ground: &Ground| {
            let of = pane.target(ground);
            pane.kind() == kind
                && (about.job.is_none() || of.job == about.job)
                && (about.review.is_none() || of.review == about.review)
        };
        let ground = &self.ground;
        if let Some(at) = self.stack.iter().position(|pane| same(&**pane, ground)) {
            self.stack.truncate(at + 1);
            return;
        }
        if self.stack.len() >= DEPTH_MAX {
            self.stack.remove(1);
        }
        self.stack.push(panes::open(kind, about));
        self.settle();
    }

    /// Goes one step back; never leaves the console.
    pub fn back(&mut self) {
        if self.command(&Command::Back) {
            return;
        }
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    /// Has the pane in front do something of its own.
    pub fn command(&mut self, command: &Command) -> bool {
        let done = self.stack.last_mut().is_some_and(|p| p.command(command, &mut self.ground));
        self.settle();
        done
    }

    /// Moves in the pane in front.
    pub fn go(&mut self, motion: Motion) {
        if let Some(pane) = self.stack.last_mut() {
            pane.go(motion, &self.ground);
        }
    }

    /// Has something done and remembers how to take it back.
    pub fn perform(&mut self, deed: Deed, out: &mut Vec<Effect>) {
        if deed.changes()
            && let Err(why) = self.ground.may_act()
        {
            self.ground.complain(why);
            return;
        }
        self.undo.remember(&deed, &self.ground.known);
        if let Deed::Signed { review, .. } = &deed {
            self.ground.signing = Some(review.id);
        }
        out.push(Effect::Do(deed));
    }

    /// It was left.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Ends the console: what is shown counts as looked at.
    pub fn leave(&mut self, out: &mut Vec<Effect>) {
        let known = &self.ground.known;
        if let (Some(at), false) = (known.clock.known(), self.ended)
            && known.looked != Looked::Unknown
            && known.lost().is_none()
        {
            out.push(Effect::Do(Deed::Looked(at.wall)));
        }
        self.ended = true;
        out.push(Effect::Quit);
    }

    /// When something shown changes by itself, on the console's clock.
    pub fn next_tick(&self) -> Option<Span> {
        let now = self.ground.known.clock.console();
        let pane = self.front().and_then(|pane| pane.ages_at(&self.ground));
        let message = self.ground.messages.goes_at();
        let popup = self.popup.as_ref().and_then(|popup| popup.opens_at(now));
        // While the connection is gone the header counts the seconds.
        let away = self.ground.known.lost().is_some() || self.ground.known.silent.is_some();
        let lost = away.then(|| now + Span::secs(1));
        // So it does until a cancellation takes effect.
        let going = self.ground.known.cancelling().next().map(|_| now + Span::secs(1));
        let wall = self.ground.known.clock.known().map(|at| at.wall.0.rem_euclid(60_000));
        let minute = wall.map(|past| now + Span(60_000 - u64::try_from(past).unwrap_or(0)));
        let looks = self.glances.values().min().map(|said| *said + SAID_AGAIN);
        let looks = looks.filter(|_| self.ground.may_act().is_ok());
        let all = [pane, message, popup, lost, going, minute, looks];
        all.into_iter().flatten().filter(|at| *at > now).min()
    }

    fn key(&mut self, key: Key, out: &mut Vec<Effect>) {
        if let Some(pane) = self.stack.last_mut().filter(|_| self.popup.is_none())
            && let Some(effects) = pane.raw(key, &self.ground)
        {
            self.all(effects, out);
            return;
        }
        if !self.guard.passes(key) {
            return;
        }
        if let Some(popup) = &mut self.popup {
            let now = self.ground.known.clock.console();
            let outcome = popup.key(key, now);
            self.after_popup(outcome, out);
            return;
        }
        self.ground.messages.seen(key == Key::plain(Code::Esc));
        actions::press(self, key, out);
    }

    /// Effects of a pane; its deeds pass the same gate as everybody's.
    fn all(&mut self, effects: Vec<Effect>, out: &mut Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Do(deed) => self.perform(deed, out),
                effect => out.push(effect),
            }
        }
    }

    fn paste(&mut self, text: &str, out: &mut Vec<Effect>) {
        if let Some(popup) = &mut self.popup {
            let now = self.ground.known.clock.console();
            let outcome = popup.paste(text, now);
            self.after_popup(outcome, out);
            return;
        }
        match self.stack.last_mut().and_then(|pane| pane.paste(text)) {
            Some(effects) => self.all(effects, out),
            None => self.ground.say("pasted text is only taken where something is typed"),
        }
    }

    fn mouse(&mut self, mouse: Mouse) {
        match (mouse, self.popup.is_some()) {
            (Mouse::Wheel(lines), false) => self.go(Motion::Lines(lines.into())),
            (click, false) => {
                if let Some(pane) = self.stack.last_mut() {
                    pane.click(click, &self.ground);
                }
            }
            (_, true) => {}
        }
    }

    fn after_popup(&mut self, outcome: Outcome, out: &mut Vec<Effect>) {
        let then = match outcome {
            Outcome::Stays(then) => then,
            Outcome::Closes(then) => {
                self.popup = None;
                then
            }
        };
        match then {
            None => {}
            Some(Then::Do(deed)) => self.perform(deed, out),
            Some(Then::All(deeds)) => deeds.into_iter().for_each(|deed| self.perform(deed, out)),
            Some(Then::Ask(deed)) => {
                self.popup = Some(Popup::Confirm(actions::team::question(self, deed)));
            }
            Some(Then::Cancel(jobs)) => cancel::confirmed(self, jobs, out),
            Some(Then::Filter(text)) => {
                self.command(&Command::Filter(text));
            }
            Some(Then::Say(text)) => self.ground.say(text),
            Some(Then::Action(name)) => actions::run_named(self, name, out),
        }
    }

    fn data(&mut self, data: Data, out: &mut Vec<Effect>) {
        for pane in &mut self.stack {
            pane.take(&data, &self.ground);
        }
        if let Data::Did(deed, result) = data {
            actions::outcome::tell(self, &deed, result);
            return;
        }
        if let Data::Failed(Want::Rows(_), error) = &data
            && !matches!(error, LinkError::Unreachable(_))
        {
            // Every section of the list fails alike: it is said once.
            let text = format!("the list could not be read: {error}");
            if self.ground.messages.all.back().is_none_or(|last| last.text != text) {
                self.ground.complain(text);
            }
        }
        if let Data::Facts(rows, _) = &data {
            self.drop_marks(rows);
        }
        self.tell_of_link(&data);
        let answers = matches!(&data, Data::Answer(_, Answer::Review(_)));
        let answered = matches!(data, Data::Answer(..) | Data::Changed { .. });
        self.ground.known.take(data);
        if answers {
            // What the pane says of it comes first: why the line closed is what stays.
            self.settle();
            self.close_void();
        }
        if answered {
            self.tell_elsewhere(out);
        }
    }

    /// An answer to a card that is not there any more is not given.
    fn close_void(&mut self) {
        let Some(Popup::Answer(answer)) = &self.popup else { return };
        if let Some(why) = answer.void(&self.ground.known) {
            self.popup = None;
            self.ground.complain(why);
        }
    }

    /// The message log keeps when the server went away and when it came back.
    fn tell_of_link(&mut self, data: &Data) {
        let before = self.ground.known.lost().map(|(since, why)| (since, why.to_owned()));
        let silent = self.ground.known.silent;
        let was_live = matches!(self.ground.known.link, Some((Connection::Live, _)));
        match (data, before) {
            (Data::Started(Err(why)), _) => {
                self.ground.complain(format!("the server was not started: {why}"));
            }
            (Data::Link(Connection::Lost { why, .. }), None) if was_live => {
                self.ground.say(format!("the server went away: {why}"));
            }
            (Data::Link(Connection::Lost { why, .. }), Some((_, before))) if *why != before => {
                self.ground.say(format!("the server is still away: {why}"));
            }
            (Data::Link(Connection::Live), Some((since, _))) => {
                let away = self.ground.known.clock.console().0.saturating_sub(since.0);
                let away = duration::short(Span(away));
                self.ground.say(format!("the server is back after {away}"));
            }
            (Data::Silent(true), _) if silent.is_none() => {
                self.ground.say("the server does not answer, though it is there");
            }
            (Data::Silent(false), _) if silent.is_some() => self.ground.say("the server answers"),
            _ => {}
        }
    }

    /// A mark goes when its job is gone for good; a filter that hides the job keeps it.
    fn drop_marks(&mut self, rows: &[EventRow]) {
        for row in rows {
            if let Fact::JobForgotten { job } = &row.fact {
                self.ground.marks.remove(job);
            }
        }
    }

    fn tell_elsewhere(&mut self, out: &mut Vec<Effect>) {
        if let Some(text) = self.alarms.fresh(&self.ground.known, &self.ground.sight())
            && self.focused != Some(true)
        {
            out.push(Effect::Notify(text));
        }
        let title = alarm::title(&self.ground.known, &self.ground.options.place);
        if title != self.title {
            self.title.clone_from(&title);
            out.push(Effect::Title(title));
        }
    }

    fn settle(&mut self) {
        let area = Rect::new(0, 0, self.ground.size.0, self.ground.size.1);
        let body = Layout::of(area, &self.ground, self.kind()).body;
        if let Some(pane) = self.stack.last_mut() {
            pane.settle(&self.ground, body);
            if let Some(text) = pane.says() {
                self.ground.say(text);
            }
        }
    }
}
