//! Those who wait for news of a review: woken by the facts, never by looking again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::base::ReviewId;
use crate::engine::handle::{Handle, lock};
use crate::model::Fact;
use crate::model::fact::{Record, ReviewFact};

/// Who waits for news, by review.
#[derive(Default)]
pub(super) struct Listeners {
    waiting: Mutex<BTreeMap<ReviewId, (Arc<Notify>, usize)>>,
}

/// Somebody who waits for news of one review; dropped when it does not any more.
pub struct Listener {
    handle: Handle,
    review: ReviewId,
    news: Arc<Notify>,
}

impl Listeners {
    /// Tells those who wait what became so.
    pub(super) fn tell(&self, record: &Record) {
        let waiting = lock(&self.waiting);
        if waiting.is_empty() {
            return;
        }
        for fact in &record.facts {
            let Fact::Review { review, fact, .. } = fact else { continue };
            if let Some((news, _)) = waiting.get(review).filter(|_| is_news(fact)) {
                news.notify_waiters();
            }
        }
    }
}

/// Who looks at it and who was told is nothing to come back for; nor is that it was asked, which
/// whoever waits for it knows.
const fn is_news(fact: &ReviewFact) -> bool {
    !matches!(
        fact,
        ReviewFact::Requested(_)
            | ReviewFact::Opened { .. }
            | ReviewFact::LooksOn { .. }
            | ReviewFact::Left { .. }
            | ReviewFact::Told { .. }
            | ReviewFact::JobBooked { .. }
    )
}

impl Handle {
    /// Listens for news of a review. Look at the review after this, and then wait.
    pub fn listen(&self, review: ReviewId) -> Listener {
        let mut waiting = lock(&self.inner.shared.listeners.waiting);
        let (news, count) = waiting.entry(review).or_default();
        *count += 1;
        Listener { handle: self.clone(), review, news: news.clone() }
    }
}

impl Listener {
    /// The next piece of news: one that comes after this call.
    pub fn next(&self) -> tokio::sync::futures::Notified<'_> {
        self.news.notified()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut waiting = lock(&self.handle.inner.shared.listeners.waiting);
        let Some((_, count)) = waiting.get_mut(&self.review) else { return };
        *count -= 1;
        if *count == 0 {
            waiting.remove(&self.review);
        }
    }
}
