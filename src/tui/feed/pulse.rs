//! Asks the server now and then whether it is there: one that hangs closes no connection.
//!
//! A small question every few seconds, and one beside every deed. What counts is that there is
//! an answer, not which.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

use super::Data;
use crate::base::Span;
use crate::link::Link;

/// Between two questions.
const PAUSE: Duration = Duration::from_secs(5);
/// Without an answer for so long it is said.
pub const SILENCE: Span = Span::secs(3);

/// Asks until nobody listens; `now` asks at once.
pub async fn run(link: Arc<dyn Link>, now: Arc<Notify>, out: mpsc::Sender<Data>) {
    loop {
        // Whichever comes first.
        let _ = timeout(PAUSE, now.notified()).await;
        let mut call = link.status();
        if timeout(SILENCE.to_std(), &mut call).await.is_ok() {
            continue;
        }
        if out.send(Data::Silent(true)).await.is_err() {
            return;
        }
        let _ = call.await;
        if out.send(Data::Silent(false)).await.is_err() {
            return;
        }
    }
}
