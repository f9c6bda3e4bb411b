//! The task's processes: reaped, asked to end, killed, frozen.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::model::job::StopFor;
use crate::runner::local::supervise::stopping::Action;
use crate::runner::local::supervise::watch::Watch;
use crate::runner::local::sys::Reaped;
use crate::runner::local::wire::Up;
use crate::runner::local::{sys, tree};

/// Passes of one kill: each ends what the one before left to us. What still lives then is
/// killed again a little later.
const KILL_PASSES: usize = 200;

impl Watch {
    pub(super) fn take_signals(&mut self) {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            if i32::try_from(signal.ssi_signo) == Ok(libc::SIGTERM) {
                // Somebody ends this session or this machine.
                let action = self.stopping.stop(StopFor::Cancel, self.task.grace, Instant::now());
                self.act_on(action);
            }
        }
        self.reap();
        if self.status.is_some() && !self.alone {
            let action = self.stopping.left_over(Instant::now());
            self.act_on(action);
        }
    }

    fn reap(&mut self) {
        loop {
            match sys::reap() {
                Reaped::One(pid, status) if pid == self.task.main => self.status = Some(status),
                Reaped::One(..) => {}
                Reaped::NoChildren => self.alone = true,
                Reaped::NoneYet => return,
            }
            if self.alone {
                return;
            }
        }
    }

    /// Kills the whole tree. Without a group this races against processes that fork: whoever is
    /// killed leaves its children to us, so it goes on as long as new ones appear.
    fn kill(&mut self) {
        if self.task.group.as_ref().is_some_and(|group| group.kill().is_ok()) {
            tree::kill(self.task.supervisor.pid);
            return;
        }
        sys::hurry();
        let mut killed = BTreeSet::new();
        for _ in 0..KILL_PASSES {
            let found = tree::kill(self.task.supervisor.pid);
            let news = found.iter().any(|pid| !killed.contains(pid));
            killed = found.into_iter().collect();
            self.reap();
            if !news || self.alone {
                return;
            }
        }
    }

    pub(super) fn act_on(&mut self, action: Option<Action>) {
        if let Some(action) = action {
            self.act(action);
        }
    }

    pub(super) fn act(&mut self, action: Action) {
        let own = self.task.supervisor.pid;
        match action {
            Action::Warn => {
                if let Some(signal) = self.task.warn_signal {
                    tree::signal(own, signal);
                    self.thaw(Instant::now());
                }
            }
            Action::Term => {
                tree::signal(own, libc::SIGTERM);
                self.thaw(Instant::now());
            }
            Action::Kill => self.kill(),
            Action::GiveUp => {
                let left = tree::descendants(own).len();
                self.log.note(&format!("{left} processes of this task could not be ended"));
                self.status = self.status.or(Some(libc::SIGKILL));
                self.alone = true;
            }
        }
    }

    pub(super) fn freeze(&mut self, now: Instant) {
        if self.stopping.is_ending() {
            return;
        }
        self.frozen = true;
        self.stopping.freeze(now);
        let by_group = self.task.group.as_ref().is_some_and(|group| group.freeze(true).is_ok());
        if !by_group {
            tree::freeze(self.task.supervisor.pid);
        }
        self.say(&Up::Froze);
    }

    pub(super) fn thaw(&mut self, now: Instant) {
        if !std::mem::take(&mut self.frozen) {
            return;
        }
        self.stopping.thaw(now);
        let by_group = self.task.group.as_ref().is_some_and(|group| group.freeze(false).is_ok());
        if !by_group {
            tree::thaw(self.task.supervisor.pid);
        }
        if !self.stopping.is_ending() {
            self.ask_again();
        }
    }
}
