//! One made-up process: how far it is, what it does next, and what it has written.
//!
//! Progress is counted in *work*, which passes only while it runs and asks nothing: a frozen
//! process and one that waits for an answer stand still.

use std::sync::Arc;

use crate::base::{At, Mono, Name, Span, TaskId, Wall};
use crate::model::job::Exit;
use crate::sim::conduct::{Ask, Conduct};
use crate::sim::dice::Dice;

/// Lines of output that are kept; older ones have been rotated away.
const LINES_MAX: u64 = 2000;
/// Typed lines that are shown; what is typed later is heard but not echoed.
const TYPED_MAX: usize = 200;
/// Characters of one of them.
const LINE_MAX: usize = 400;

/// A process, from the order to start it to long after its end.
#[derive(Debug, Clone)]
pub(super) struct Process {
    pub(super) task: TaskId,
    pub(super) conduct: Arc<Conduct>,
    /// Work to its end.
    pub(super) run: Span,
    /// How it ends then.
    pub(super) exit: Exit,
    /// Counts its turns: what was planned in an earlier one is void.
    pub(super) turn: u64,
    /// It was told to end.
    pub(super) leaving: bool,
    /// It runs, or has run.
    pub(super) began: bool,
    /// How it ended.
    pub(super) over: Option<Exit>,
    name: Name,
    seed: u64,
    work: Span,
    since: Option<Mono>,
    frozen: bool,
    /// Questions asked so far; the last may be open.
    asked: usize,
    asking: bool,
    /// It waits for what people say to a review.
    petitions: bool,
    reported: Span,
    saved: Span,
    /// When which work was begun, for the times in its output.
    stretches: Vec<(Span, Wall)>,
    /// What was typed, by the work done then.
    typed: Vec<(Span, String)>,
}

/// What a process does at a point of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Report,
    Save,
    Ask,
    End,
}

/// A line of output, its end included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sim) struct Line {
    pub(in crate::sim) at: Wall,
    pub(in crate::sim) text: String,
}

/// How far a reader has read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// Output up to this work; `None` before the first line.
    pub(super) work: Option<Span>,
    /// The last line too.
    pub(super) end: bool,
}

impl Process {
    /// A process that takes up work at `from`, which an earlier attempt saved.
    pub(super) fn new(
        task: TaskId,
        name: Name,
        conduct: Arc<Conduct>,
        seed: u64,
        from: Span,
    ) -> Process {
        let mut dice = Dice::of(seed, &[task.job.0, u64::from(task.attempt), u64::from(task.rank)]);
        let (run, exit) = conduct.turn_out(task.attempt, &mut dice);
        let run = run.max(from + Span(1));
        let asked = conduct.asks.iter().filter(|ask| ask.after <= from).count();
        Process {
            task,
            conduct,
            run,
            exit,
            turn: 0,
            leaving: false,
            began: false,
            over: None,
            name,
            seed: dice.roll(),
            work: from,
            since: None,
            frozen: false,
            asked,
            asking: false,
            petitions: false,
            reported: from,
            saved: from,
            stretches: Vec::new(),
            typed: Vec::new(),
        }
    }

    /// Work done by now.
    pub(super) fn work_at(&self, now: Mono) -> Span {
        self.work + self.since.map_or(Span::ZERO, |since| now.since(since))
    }

    /// Work that an attempt after this one need not do again.
    pub(super) fn saved(&self) -> Span {
        self.saved
    }

    /// Hundredths of a percent of its work that are done.
    pub(super) fn basis_points(&self, now: Mono) -> u32 {
        let done = self.work_at(now).0.saturating_mul(10_000) / self.run.0.max(1);
        u32::try_from(done.min(10_000)).unwrap_or(10_000)
    }

    /// It stands still from now on.
    pub(super) fn stand(&mut self, now: Mono) {
        self.work = self.work_at(now);
        self.since = None;
        self.turn += 1;
    }

    /// It works from now on, unless something else holds it.
    pub(super) fn go_on(&mut self, at: At) {
        self.stand(at.now);
        let waits = self.frozen || self.asking || self.petitions;
        if self.began && !self.leaving && !waits && self.over.is_none() {
            self.since = Some(at.now);
            self.stretches.push((self.work, at.wall));
        }
    }

    pub(super) fn freeze(&mut self, now: Mono) {
        self.stand(now);
        self.frozen = true;
    }

    /// The open question to show again, if there is one.
    pub(super) fn thaw(&mut self, at: At) -> Option<String> {
        self.frozen = false;
        self.go_on(at);
        self.question().map(|ask| ask.text.clone())
    }

    /// It was told to end: it saves itself if it knows how.
    pub(super) fn leave(&mut self, now: Mono) {
        self.stand(now);
        self.leaving = true;
        if self.conduct.saves.is_some() {
            self.saved = self.work;
        }
    }

    pub(super) fn end(&mut self, now: Mono, exit: Exit) {
        self.stand(now);
        self.asking = false;
        self.over = Some(exit);
    }

    /// It stands still until people have answered a review.
    pub(super) fn petitions(&mut self, now: Mono) {
        self.stand(now);
        self.petitions = true;
    }

    /// They have.
    pub(super) fn heard(&mut self, at: At) {
        self.petitions = false;
        self.go_on(at);
    }

    /// The open question.
    pub(super) fn question(&self) -> Option<&Ask> {
        let index = self.asked.checked_sub(1).filter(|_| self.asking)?;
        self.conduct.asks.get(index)
    }

    /// Bytes came for its terminal; whether they end a line.
    pub(super) fn hear(&mut self, now: Mono, text: &str) -> bool {
        let work = self.work_at(now);
        let room = self.typed.len() < TYPED_MAX;
        let shown: String = text.chars().filter(|c| !c.is_control()).take(LINE_MAX).collect();
        match self.typed.last_mut().filter(|(then, _)| *then == work) {
            Some((_, typed)) if typed.len() < LINE_MAX => typed.push_str(&shown),
            None if room => self.typed.push((work, shown)),
            _ => {}
        }
        text.contains(['\r', '\n'])
    }

    /// The question is answered: it goes on.
    pub(super) fn answered(&mut self, at: At) {
        self.asking = false;
        self.go_on(at);
    }

    /// What it does next, and when if nothing comes between; nothing while it stands still.
    pub(super) fn next(&self) -> Option<(Mono, Step)> {
        let since = self.since?;
        let first = self.task.rank == 0;
        let ask = self.conduct.asks.get(self.asked).map(|ask| (ask.after, Step::Ask));
        let report = self.conduct.reports.map(|each| (self.reported + each, Step::Report));
        let save = self.conduct.saves.map(|each| (self.saved + each, Step::Save));
        // Rank 0 speaks for all of a gang.
        let said = [ask, report, save].into_iter().flatten().filter(|_| first);
        let (work, step) = said.chain([(self.run, Step::End)]).min()?;
        Some((since + (work - self.work), step))
    }

    /// Notes that a step is done.
    pub(super) fn done(&mut self, step: Step, now: Mono) {
        let work = self.work_at(now);
        match step {
            Step::Report => self.reported = work,
            Step::Save => self.saved = work,
            Step::Ask => {
                self.stand(now);
                self.asked += 1;
                self.asking = true;
            }
            Step::End => {}
        }
    }

    /// What it wrote since a reader last looked, and how far that reader is then.
    pub(super) fn output(&self, read: Read, now: Mono) -> (Vec<Line>, Read) {
        let to = self.work_at(now);
        let mut out = Vec::new();
        if !self.conduct.quiet && self.began {
            self.lines(read, to, &mut out);
        }
        let ends = self.over.as_ref().filter(|_| !read.end);
        if let Some(exit) = ends {
            self.ending(exit, &mut out);
        }
        let work = if self.began { Some(to) } else { read.work };
        (out, Read { work, end: self.over.is_some() })
    }

    fn lines(&self, read: Read, to: Span, out: &mut Vec<Line>) {
        let pace = self.conduct.voice.pace().0;
        let started = self.stretches.first().map_or(Span::ZERO, |(work, _)| *work);
        let kept = Span(to.0.saturating_sub(LINES_MAX * pace));
        let from = read.work.unwrap_or(started).max(kept);
        if read.work.is_none() && from == started {
            self.write(started, &self.conduct.voice.opening(&self.name), out);
        }
        let mut due: Vec<(Span, u8, String)> = Vec::new();
        for n in from.0 / pace..to.0 / pace {
            let mut dice = Dice::of(self.seed, &[n]);
            let line = self.conduct.voice.line(n, self.run.0 / pace, &mut dice);
            due.push((Span((n + 1) * pace), 0, line));
        }
        let asked = self.conduct.asks.iter().take(self.asked).filter(|_| self.task.rank == 0);
        let fresh = |at: Span| at > from && at <= to;
        due.extend(asked.filter(|a| fresh(a.after)).map(|a| (a.after, 1, a.text.clone())));
        // What is typed stands right behind the question, once work goes on.
        let typed = self.typed.iter().map(|(work, text)| (*work + Span(1), text));
        let typed = typed.filter(|(work, _)| fresh(*work));
        due.extend(typed.map(|(work, text)| (work, 2, format!("> {}", text.trim_end()))));
        due.sort();
        for (work, _, text) in due {
            self.write(work, &text, out);
        }
    }

    fn ending(&self, exit: &Exit, out: &mut Vec<Line>) {
        let words = &self.conduct.last_words;
        match exit {
            Exit::Code(0) if self.conduct.quiet => {}
            Exit::Code(0) => self.write(self.work, self.conduct.voice.closing(), out),
            Exit::Code(75) => self.write(self.work, "saved; exiting to come back later", out),
            Exit::NotStarted(_) | Exit::Unknown => {}
            Exit::Signal(15) if self.leaving => self.write(self.work, "terminated", out),
            _ if words.is_empty() => self.write(self.work, "error: giving up", out),
            _ => words.lines().for_each(|line| self.write(self.work, line, out)),
        }
    }

    fn write(&self, work: Span, text: &str, out: &mut Vec<Line>) {
        // What is written at the very end of a stretch is not written when the next one begins.
        let before = self.stretches.iter().rev().find(|(from, _)| *from < work);
        let stretch = before.or(self.stretches.first());
        let wall = stretch.map_or(Wall(0), |(from, wall)| *wall + (work - *from));
        out.push(Line { at: wall, text: format!("{text}\n") });
    }
}

#[cfg(test)]
#[path = "process/tests.rs"]
mod tests;
