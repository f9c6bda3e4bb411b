//! What machines look at: is it there, does it answer, numbers.

use std::fmt;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::app::App;
use super::control::may_look;
use super::extract::Caller;
use super::fault::{Answer, Fault};
use crate::engine::Metric;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The process lives.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = String)))]
pub async fn alive() -> &'static str {
    "ok\n"
}

/// The engine answers.
#[utoipa::path(get, path = "/readyz", tag = "health", responses((status = 200, body = String)))]
pub async fn ready(State(app): State<App>) -> &'static str {
    app.handle.status().await;
    "ok\n"
}

/// Numbers in the OpenMetrics text format.
#[utoipa::path(get, path = "/metrics", tag = "health", responses((status = 200, body = String)))]
pub async fn metrics(State(app): State<App>, Caller(by): Caller) -> Answer<impl IntoResponse> {
    may_look(&app, &by).await?;
    let text = exposition(app.handle.metrics().await).map_err(|_| Fault::panicked())?;
    Ok(([(header::CONTENT_TYPE, OPENMETRICS)], text))
}

fn exposition(metrics: Vec<Metric>) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Numbers(metrics)));
    let mut out = String::new();
    text::encode(&mut out, &registry)?;
    Ok(out)
}

#[derive(Debug)]
struct Numbers(Vec<Metric>);

impl Collector for Numbers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        // All values of one name stand together under one description.
        let mut done: Vec<&str> = Vec::new();
        for first in &self.0 {
            if done.contains(&first.name) {
                continue;
            }
            done.push(first.name);
            // The format adds these itself.
            let name = first.name.strip_suffix("_total").unwrap_or(first.name);
            let kind = if first.counter { MetricType::Counter } else { MetricType::Gauge };
            let mut family = encoder.encode_descriptor(name, first.help, None, kind)?;
            for metric in self.0.iter().filter(|metric| metric.name == first.name) {
                let value = family.encode_family(&metric.labels)?;
                if first.counter {
                    ConstCounter::new(metric.value).encode(value)?;
                } else {
                    ConstGauge::new(metric.value).encode(value)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_name_stand_together() {
        let metric = |name, counter, state: Option<&str>, value| Metric {
            name,
            help: "How many.",
            counter,
            labels: state.map(|state| ("state", state.to_owned())).into_iter().collect(),
            value,
        };
        let text = exposition(vec![
            metric("holdshort_jobs", false, Some("queued"), 3.0),
            metric("holdshort_records_total", true, None, 7.0),
            metric("holdshort_jobs", false, Some("a\"b"), 1.5),
        ]);
        assert_eq!(
            text.unwrap(),
            "# HELP holdshort_jobs How many.\n\
             # TYPE holdshort_jobs gauge\n\
             holdshort_jobs{state=\"queued\"} 3.0\n\
             holdshort_jobs{state=\"a\\\"b\"} 1.5\n\
             # HELP holdshort_records How many.\n\
             # TYPE holdshort_records counter\n\
             holdshort_records_total 7.0\n\
             # EOF\n"
        );
    }
}
