//! The loop and whoever is told of reviews: hands messages over after the commit that made them
//! true, and records what came of them.
//!
//! What is to be told follows from the world (`sched/review/telling`), so a server that was killed
//! between an ask and its message sends it when it is back. What was being sent then is not sent
//! again: nobody knows whether it arrived, and the record says so.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::base::{At, Name, ReviewId};
use crate::engine::Receipt;
use crate::engine::intake::{Door, Request};
use crate::engine::owner::{Owner, Turn};
use crate::model::ports::Notify;
use crate::model::ports::notify::{Letter, Recorder};
use crate::model::refusal::Refusal;
use crate::model::review::{Delivery, Moment, Review, ReviewCommand};
use crate::model::{Command, Fact};
use crate::sched::review::telling::{self, Message};

/// What is recorded of a message that a dead server was sending.
const CUT_OFF: &str = "the server ended while it was sent: it may have arrived";

/// Who delivers, and what is on its way.
pub(super) struct Teller {
    notify: Arc<dyn Notify>,
    /// Messages that were handed over and have not come to their end.
    on_the_way: BTreeSet<(ReviewId, Moment, Name)>,
    /// Reviews of which something became so since the last look.
    news: BTreeSet<ReviewId>,
    /// All are to be looked at: the configuration changed, or a message found no room.
    all: bool,
}

/// What the recorder is told.
type Answer = Result<Receipt, Refusal>;

/// A message that is about to be sent, or was.
pub(super) struct Told {
    pub review: ReviewId,
    pub delivery: Delivery,
    pub reply: oneshot::Sender<Answer>,
}

impl Door {
    /// Where whoever delivers records what comes of messages.
    pub fn recorder(&self) -> Recorder {
        let door = self.clone();
        Arc::new(move |review, delivery| {
            let (reply, answer) = oneshot::channel();
            door.send(Request::Told(Told { review, delivery, reply }));
            answer.blocking_recv().is_ok_and(|answer| answer.is_ok())
        })
    }
}

impl Teller {
    /// Nothing is on its way, and all is looked at first.
    pub(super) fn new(notify: Arc<dyn Notify>) -> Teller {
        Teller { notify, on_the_way: BTreeSet::new(), news: BTreeSet::new(), all: true }
    }

    /// Notes which reviews facts are about.
    pub(super) fn hear(&mut self, facts: &[Fact]) {
        for fact in facts {
            match fact {
                Fact::Review { review, .. } => drop(self.news.insert(*review)),
                Fact::Configured(_) => self.all = true,
                _ => {}
            }
        }
    }
}

impl Owner {
    /// Hands over what is to be told now. Only after the commit.
    pub(super) fn tell(&mut self, at: At) {
        let desk = self.world.desk();
        let news = std::mem::take(&mut self.teller.news);
        if self.world.setup().notify.is_empty() || desk.is_empty() {
            return;
        }
        let mut reviews: Vec<Arc<Review>> = match std::mem::take(&mut self.teller.all) {
            true => desk.all().cloned().collect(),
            false => news.iter().filter_map(|id| desk.get(*id)).cloned().collect(),
        };
        reviews.extend(telling::expiring(&self.world, at.wall).cloned());
        for review in reviews {
            for message in telling::missing(&self.world, &review, at.wall) {
                self.hand_over(message, at);
            }
        }
    }

    fn hand_over(&mut self, message: Message, at: At) {
        let key = (message.review.id, message.moment, message.via.clone());
        if self.teller.on_the_way.contains(&key) {
            return;
        }
        let job = self.world.job(message.review.job);
        let letter = Letter {
            via: message.via,
            to: message.to,
            moment: message.moment,
            job_name: job.map(|job| job.spec.name.clone()).unwrap_or_default(),
            review: message.review,
            asked: message.asked,
            wall: at.wall,
        };
        match self.teller.notify.send(letter) {
            true => drop(self.teller.on_the_way.insert(key)),
            // Looked at again when another one has come to its end.
            false => self.teller.all = !self.teller.on_the_way.is_empty(),
        }
    }

    /// Records that a message is about to be sent, or what came of it.
    pub(super) fn told(&mut self, turn: &mut Turn, told: Told, at: At) {
        let Told { review, delivery, reply } = told;
        let delivery = Delivery { at, ..delivery };
        let key = (review, delivery.moment, delivery.via.clone());
        let over = !delivery.open;
        let command = ReviewCommand::Told { review, delivery };
        let answer = self.decide(turn, Command::Review(Box::new(command)), at);
        if over || answer.is_err() {
            self.teller.on_the_way.remove(&key);
        }
        turn.answer(reply, answer);
    }

    /// What a dead server was sending is not sent again.
    pub(super) fn cut_off(&mut self, turn: &mut Turn, at: At) {
        let mut lost = Vec::new();
        for review in self.world.desk().all() {
            let flying = review.told.iter().filter(|told| told.is_in_flight());
            lost.extend(flying.map(|told| (review.id, told.clone())));
        }
        for (review, told) in lost {
            let failed = Some(CUT_OFF.to_owned());
            let delivery = Delivery { failed, open: false, at, ..told };
            let command = ReviewCommand::Told { review, delivery };
            let _ = self.decide(turn, Command::Review(Box::new(command)), at);
        }
    }
}
