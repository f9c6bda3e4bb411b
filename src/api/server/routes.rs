//! The addresses.

use axum::middleware::from_fn_with_state;
use axum::routing::{get, patch, post, put};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;

use super::app::App;
use super::extract::BodyMax;
use super::fault::Fault;
use super::{
    acts, control, events, guard, health, holds, jobs, logs, nodes, openapi, plan, reviews, submit,
    teams, terminal, usage,
};

/// Bytes of a request.
const BODY_MAX: usize = 4 * 1024 * 1024;
/// Bytes of a submission: a batch says its environment once and each command in full.
const SUBMIT_MAX: usize = 32 * 1024 * 1024;

/// Everything the server answers.
pub fn router(app: App) -> Router {
    let quick = quick().route_layer(from_fn_with_state(app.clone(), guard::in_time));
    let api = quick.merge(lasting()).layer(Extension(BodyMax(BODY_MAX)));
    Router::new()
        .nest("/api/v1", api)
        .merge(beside().route_layer(from_fn_with_state(app.clone(), guard::in_time)))
        .fallback(|| async { Fault::no_such_address() })
        .method_not_allowed_fallback(|| async { Fault::no_such_method() })
        .layer(CatchPanicLayer::custom(guard::panicked))
        .with_state(app)
}

/// What is answered at once.
fn quick() -> Router<App> {
    let submit = post(submit::submit).layer(Extension(BodyMax(SUBMIT_MAX)));
    let again = post(submit::again).layer(Extension(BodyMax(SUBMIT_MAX)));
    review()
        .route("/jobs", get(jobs::list).merge(submit))
        .route("/jobs/actions", post(acts::act))
        .route("/jobs/{id}", get(jobs::show))
        .route("/jobs/{id}/why", get(jobs::why))
        .route("/jobs/{id}/again", again)
        .route("/jobs/{id}/input", post(terminal::input))
        .route("/jobs/{id}/resize", post(terminal::resize))
        .route("/jobs/{id}/reports", post(acts::report))
        .route("/nodes", get(nodes::list))
        .route("/nodes/{name}/drain", post(nodes::drain))
        .route("/nodes/{name}/undrain", post(nodes::undrain))
        .route("/nodes/{name}/warning", post(nodes::warning))
        .route("/teams", get(teams::list).post(teams::add))
        // A path has slashes, written as they are or as %2F.
        .route("/teams/{*name}", patch(teams::change).delete(teams::remove))
        .route("/summary", get(nodes::summary))
        .route("/history", get(nodes::history))
        .route("/pause", post(holds::pause))
        .route("/resources/{name}/limit", post(holds::limit))
        .route("/resume", post(holds::resume))
        .route("/usage", get(usage::usage))
        .route("/server", get(control::status))
        .route("/plan", post(plan::plan))
        .route("/looked", get(control::looked).put(control::look))
}

/// Reviews, but for looking at one, which may wait.
fn review() -> Router<App> {
    Router::new()
        .route("/reviews", get(reviews::list).post(reviews::ask))
        .route("/reviews/rules", get(reviews::rules))
        .route("/reviews/{id}/booth", get(reviews::booth))
        .route("/reviews/{id}/vote", post(reviews::vote))
        .route("/reviews/{id}/edit", post(reviews::edit))
        .route("/reviews/{id}/ask-back", post(reviews::ask_back))
        .route("/reviews/{id}/answer", post(reviews::answer))
        .route("/reviews/{id}/delegate", post(reviews::delegate))
        .route("/reviews/{id}/escalate", post(reviews::escalate))
        .route("/reviews/{id}/extend", post(reviews::extend))
        .route("/reviews/{id}/withdraw", post(reviews::withdraw))
        .route("/reviews/{id}/revoke", post(reviews::revoke))
        .route("/reviews/{id}/redeem", post(reviews::redeem))
        .route("/reviews/{id}/look", post(reviews::look))
        .route("/reviews/{id}/leave", post(reviews::leave))
        .route("/away", put(reviews::away))
}

/// What goes on, or may take as long as it needs.
fn lasting() -> Router<App> {
    Router::new()
        .route("/jobs/{id}/logs", get(logs::logs))
        .route("/events", get(events::events))
        .route("/reviews/{id}", get(reviews::show))
        .route("/server/stop", post(control::stop))
        .route("/server/compact", post(control::compact))
}

/// What machines look at.
fn beside() -> Router<App> {
    Router::new()
        .route("/metrics", get(health::metrics))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/openapi.json", get(openapi::document))
}
