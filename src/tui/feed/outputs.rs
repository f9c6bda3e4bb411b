//! Output that is being looked at: a task for each, as long as it is wanted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;

use super::tasks::Wants;
use super::{Data, Output, Want};
use crate::link::{Link, LinkError};
use crate::model::page::LogQuery;

/// Before output is asked for again after the connection was lost.
const AGAIN: Duration = Duration::from_secs(1);

/// Starts and ends streams as wants come and go.
pub async fn run(link: Arc<dyn Link>, mut wanted: watch::Receiver<Wants>, out: mpsc::Sender<Data>) {
    let mut tasks = JoinSet::new();
    let mut open: BTreeMap<Output, AbortHandle> = BTreeMap::new();
    while wanted.changed().await.is_ok() {
        let wants = wanted.borrow_and_update().clone();
        let outputs = wants.iter().filter_map(|want| match want {
            Want::Output(output) => Some(*output),
            _ => None,
        });
        let now: Vec<Output> = outputs.collect();
        open.retain(|output, handle| {
            let keep = now.contains(output);
            if !keep {
                handle.abort();
            }
            keep
        });
        for output in now {
            open.entry(output)
                .or_insert_with(|| tasks.spawn(follow(link.clone(), output, out.clone())));
        }
        while tasks.try_join_next().is_some() {}
    }
}

async fn follow(link: Arc<dyn Link>, output: Output, out: mpsc::Sender<Data>) {
    let query = LogQuery {
        attempt: output.attempt,
        rank: Some(output.rank),
        follow: true,
        tail_bytes: Some(output.tail),
        times: true,
    };
    loop {
        if out.send(Data::OutputBegins(output)).await.is_err() {
            return;
        }
        let end = once(&*link, output, query, &out).await;
        let again = matches!(end, Some(LinkError::Unreachable(_)));
        let why = end.map(|error| error.to_string());
        if out.send(Data::OutputEnds(output, why)).await.is_err() || !again {
            return;
        }
        sleep(AGAIN).await;
    }
}

async fn once(
    link: &dyn Link,
    output: Output,
    query: LogQuery,
    out: &mpsc::Sender<Data>,
) -> Option<LinkError> {
    let mut stream = match link.logs(output.job, query).await {
        Ok(stream) => stream,
        Err(error) => return Some(error),
    };
    while let Some(item) = stream.next().await {
        match item {
            Ok(piece) => {
                if out.send(Data::More(output, piece)).await.is_err() {
                    return None;
                }
            }
            Err(error) => return Some(error),
        }
    }
    None
}
