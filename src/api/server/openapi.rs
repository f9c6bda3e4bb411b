//! The description of the API for machines: `/openapi.json`.

use axum::Json;
use utoipa::OpenApi;

use super::{
    acts, control, events, health, holds, jobs, logs, nodes, plan, reviews, submit, teams,
    terminal, usage,
};

/// Collects the descriptions of all handlers.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "holdshort",
        description = "A scheduler for agent workloads. Every document has schema_version 1; \
            what goes wrong is application/problem+json with a stable code.",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        jobs::list,
        submit::submit,
        acts::act,
        jobs::show,
        jobs::why,
        plan::plan,
        submit::again,
        logs::logs,
        terminal::input,
        terminal::resize,
        acts::report,
        nodes::list,
        nodes::drain,
        nodes::undrain,
        nodes::warning,
        nodes::summary,
        holds::limit,
        nodes::history,
        teams::list,
        teams::add,
        teams::change,
        teams::remove,
        usage::usage,
        reviews::list,
        reviews::show,
        reviews::ask,
        reviews::booth,
        reviews::rules,
        reviews::vote,
        reviews::edit,
        reviews::ask_back,
        reviews::answer,
        reviews::delegate,
        reviews::escalate,
        reviews::extend,
        reviews::withdraw,
        reviews::revoke,
        reviews::redeem,
        reviews::look,
        reviews::leave,
        reviews::away,
        holds::pause,
        holds::resume,
        events::events,
        control::status,
        control::stop,
        control::compact,
        control::looked,
        control::look,
        health::metrics,
        health::alive,
        health::ready,
    )
)]
pub struct Description;

/// The description.
pub async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_of_the_description_leads_somewhere() {
        let text = Description::openapi().to_json().unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let schemas = json["components"]["schemas"].as_object().unwrap();
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(schemas.contains_key(name), "{name}");
        }
        assert_eq!(json["paths"].as_object().unwrap().len(), 47);
        let status = &schemas["ServerStatus"]["properties"]["since"];
        assert!(status.to_string().contains("Time") || status["format"] == "date-time");
    }
}
