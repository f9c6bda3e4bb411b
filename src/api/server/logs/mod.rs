//! A job's output as one stream of bytes, over its attempts and over rotated files.
//!
//! [`live`] reads a file that is still written and rotated, [`follow`] goes from attempt to
//! attempt. Nothing polls: the kernel tells of new bytes, the engine of ends.

mod follow;
mod live;
mod pour;
mod times;

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::IntoParams;

use super::app::App;
use super::extract::{Caller, Params, Place};
use super::fault::{Answer, Fault};
use crate::api::wire::problem::Problem;
use crate::api::wire::timed::MEDIA_TYPE;
use crate::base::JobId;
use crate::model::page::LogQuery;
use crate::model::refusal::{Refusal, RefusalCode};
use follow::Follower;
use pour::Pour;

/// Chunks that wait for a slow reader; the rest waits in the files.
const AHEAD: usize = 4;

/// Which part of the output.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LogParams {
    /// One attempt; all of them in order if not given.
    attempt: Option<u32>,
    /// One task; 0 if not given.
    rank: Option<u32>,
    /// Go on until the job ends.
    follow: bool,
    /// Start this many bytes before the end.
    tail_bytes: Option<u64>,
    /// Frames that say when each piece was written (to the second) instead of plain bytes.
    times: bool,
}

/// A job's output, byte for byte as it was written, or in frames with times.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/logs", tag = "jobs",
    params(("id" = u64, Path), LogParams), responses(
    (status = 200, body = Vec<u8>, content_type = "application/octet-stream"),
    (status = "default", body = Problem, content_type = "application/problem+json")))]
pub async fn logs(
    State(app): State<App>,
    Caller(by): Caller,
    Place(id): Place<u64>,
    Params(params): Params<LogParams>,
) -> Answer<impl IntoResponse> {
    let query = LogQuery {
        attempt: params.attempt,
        rank: params.rank,
        follow: params.follow,
        tail_bytes: params.tail_bytes,
        times: params.times,
    };
    if query.follow && app.watches.is_none() {
        return Err(cannot_follow());
    }
    let room = app.stream()?;
    let (out, stream) = mpsc::channel(AHEAD);
    // Heard from before the files are looked up, so that no end is missed.
    let bell = app.handle.follow();
    let files = app.handle.log_files(&by, JobId(id), query).await?;
    let pour = Pour::new(out).with_times(query.times);
    let follower = Follower { app, by, job: JobId(id), query, bell, pour };
    tokio::spawn(async move {
        let _room = room;
        follower.run(files).await;
    });
    let headers = [
        (header::CONTENT_TYPE, if query.times { MEDIA_TYPE } else { "application/octet-stream" }),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, Body::from_stream(ReceiverStream::new(stream))))
}

fn cannot_follow() -> Fault {
    Refusal::new(
        RefusalCode::Internal,
        "output cannot be followed: the system had no inotify instance left for the server",
        "raise fs.inotify.max_user_instances and restart the server, or ask without follow",
    )
    .into()
}
