//! The thread of one target: takes a message, records that it goes, sends it, records what came
//! of it.
//!
//! What was begun is never begun again, also not by the next server: a crash in the middle leaves
//! it unknown whether it arrived. What was refused is tried again, also by the next server, under
//! the same id.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::base::Span;
use crate::base::text::sanitise;
use crate::model::ports::notify::{Letter, Recorder, Way};
use crate::model::review::Delivery;
use crate::notify::{Address, command, http, letter, sign};

/// The longest pause between two tries.
const PAUSE_MAX: Span = Span::mins(5);
/// Characters of a failure that are kept.
const WHY_MAX: usize = 200;

/// What a try came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tried {
    /// It arrived.
    Arrived,
    /// It did not, and may later.
    Again(String),
    /// It did not, and never will like this.
    Never(String),
}

/// Delivers what comes until nobody can send any more.
pub(super) fn run(address: &Address, letters: &Receiver<Letter>, recorder: &Recorder) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!("cannot tell {} anything: {error}", address.name),
    };
    while let Ok(letter) = letters.recv() {
        deliver(address, &letter, recorder, |letter| runtime.block_on(attempt(address, letter)));
    }
}

/// Sends one message as often as it takes.
fn deliver(
    address: &Address,
    letter: &Letter,
    recorder: &Recorder,
    send: impl Fn(&Letter) -> Tried,
) {
    let mut delivery = Delivery {
        to: letter.to.clone(),
        via: letter.via.clone(),
        moment: letter.moment,
        failed: None,
        tries: 0,
        open: true,
        at: letter.review.asked,
    };
    let record = |delivery: &Delivery| recorder(letter.review.id, delivery.clone());
    if !record(&delivery) {
        return;
    }
    let mut pause = address.backoff;
    loop {
        delivery.tries += 1;
        let (why, again) = match send(letter) {
            Tried::Arrived => (None, false),
            Tried::Again(why) => (Some(why), delivery.tries < address.tries.max(1)),
            Tried::Never(why) => (Some(why), false),
        };
        delivery.failed = why.map(|why| sanitise(&why).chars().take(WHY_MAX).collect());
        delivery.open = again;
        // Recorded as failed for now, it is refused if it is no news any more: that is the end.
        if record(&delivery) && again {
            std::thread::sleep(pause.to_std());
            pause = Span(pause.0.saturating_mul(4)).min(PAUSE_MAX);
            continue;
        }
        if again {
            delivery.open = false;
            record(&delivery);
        }
        return;
    }
}

/// One try, within its time.
async fn attempt(address: &Address, letter: &Letter) -> Tried {
    let limit = Duration::from_millis(address.timeout.0);
    let tried = match &address.way {
        Way::Command { argv } => return command::run(argv, &letter::json(letter), limit).await,
        way => tokio::time::timeout(limit, post(way, letter)).await,
    };
    let late = || format!("no answer within {}", crate::base::duration::exact(address.timeout));
    match tried {
        Err(_) => Tried::Again(late()),
        Ok(Err(never)) => Tried::Never(never),
        Ok(Ok(tried)) => tried,
    }
}

async fn post(way: &Way, letter: &Letter) -> Result<Tried, String> {
    let json = ("content-type", "application/json".to_owned());
    let (url, headers, body) = match way {
        Way::Webhook { url, secret } => {
            let body = letter::json(letter);
            let secret = sign::read(secret, "secret")?;
            let headers = sign::headers(&secret, &letter::id(letter), now(), &body)?;
            (url, headers, body)
        }
        Way::Chat { url } => (url, Vec::new(), letter::chat(letter)),
        Way::Command { .. } => return Err("a program has no address".to_owned()),
    };
    let headers: Vec<(&'static str, String)> = headers.into_iter().chain([json]).collect();
    let url = sign::read(url, "url")?;
    let place = http::Place::read(&url)?;
    Ok(match http::post(&place, &headers, body).await {
        Ok(status @ 200..=299) => {
            tracing::debug!("{} took it: {status}", letter.via);
            Tried::Arrived
        }
        Ok(status @ (408 | 425 | 429 | 500..)) => Tried::Again(status.to_string()),
        Ok(status @ 300..=399) => Tried::Never(format!("{status}: it leads elsewhere")),
        Ok(status) => Tried::Never(status.to_string()),
        Err(why) => Tried::Again(why),
    })
}

/// Seconds since the epoch.
fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::notify::letter::tests::letter;

    /// What is recorded while a target answers so, one answer after the other.
    fn recorded(answers: &[Tried], refuse: fn(&Delivery) -> bool) -> Vec<Delivery> {
        let all: Arc<Mutex<Vec<Delivery>>> = Arc::default();
        let kept = all.clone();
        let recorder: Recorder = Arc::new(move |_, delivery| {
            let taken = !refuse(&delivery);
            kept.lock().unwrap().push(delivery);
            taken
        });
        let address = Address {
            name: "chat".into(),
            way: Way::Command { argv: vec![] },
            timeout: Span::secs(1),
            tries: 3,
            backoff: Span::ZERO,
        };
        let answers = RefCell::new(answers.iter());
        deliver(&address, &letter(), &recorder, |_| answers.borrow_mut().next().unwrap().clone());
        all.lock().unwrap().clone()
    }

    fn said(all: &[Delivery]) -> Vec<(u32, bool, Option<&str>)> {
        all.iter().map(|one| (one.tries, one.open, one.failed.as_deref())).collect()
    }

    fn again() -> Tried {
        Tried::Again("503".into())
    }

    #[test]
    fn what_goes_is_recorded_before_and_after_and_a_failure_in_between() {
        let all = recorded(&[again(), Tried::Arrived], |_| false);
        assert_eq!(said(&all), [(0, true, None), (1, true, Some("503")), (2, false, None)]);
    }

    #[test]
    fn it_is_given_up_after_so_many_tries_and_at_once_where_it_can_never_arrive() {
        let all = recorded(&[again(), again(), again()], |_| false);
        assert_eq!(said(&all)[3], (3, false, Some("503")));
        let all = recorded(&[Tried::Never("404\u{1b}[2J".into())], |_| false);
        assert_eq!(said(&all), [(0, true, None), (1, false, Some("404"))]);
    }

    #[test]
    fn what_was_begun_before_or_is_no_news_any_more_is_not_sent() {
        assert_eq!(recorded(&[], |_| true).len(), 1);
        let all = recorded(&[again()], |delivery| delivery.open && delivery.failed.is_some());
        assert_eq!(said(&all)[2], (1, false, Some("503")), "and no second try");
    }
}
