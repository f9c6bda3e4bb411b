//! Numbers for `/metrics`: names in the way of Prometheus, labels with few values.

use crate::engine::Metric;
use crate::engine::assemble::{Counters, Published};

/// All numbers of a published world.
pub(super) fn all(published: &Published, counters: Counters) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let counts = published.world.index().counts();
    for (lane, count) in [
        ("human", counts.human),
        ("running", counts.running),
        ("queued", counts.queued),
        ("ended", counts.ended),
    ] {
        let labels = vec![("lane", lane.to_owned())];
        metrics.push(gauge("holdshort_jobs", "Jobs by lane.", labels, count));
    }
    metrics.push(gauge("holdshort_jobs_stuck", "Jobs that are stuck.", vec![], counts.stuck));
    for node in published.world.nodes() {
        let used = published.world.index().used(&node.name);
        for (resource, there, held) in [
            ("cpu_cores", node.capacity.cpu_milli, used.held.cpu_milli),
            ("gpus", node.capacity.gpu_milli, used.held.gpu_milli),
        ] {
            let labels =
                || vec![("node", node.name.to_string()), ("resource", resource.to_owned())];
            let help = "What a node has.";
            let mut capacity = gauge("holdshort_node_capacity", help, labels(), there);
            capacity.value /= 1000.0;
            let mut usage = gauge("holdshort_node_used", "What jobs hold.", labels(), held);
            usage.value /= 1000.0;
            metrics.extend([capacity, usage]);
        }
    }
    let counter =
        |name, help, value: u64| Metric { counter: true, ..gauge(name, help, vec![], value) };
    metrics.push(counter("holdshort_commits", "Journal commits.", counters.commits));
    metrics.push(counter("holdshort_records", "Journal records.", counters.records));
    metrics.push(counter("holdshort_refusals", "Refused commands.", counters.refusals));
    metrics.push(gauge(
        "holdshort_loop_pause_longest_milliseconds",
        "Longest time the owner loop took for one batch.",
        vec![],
        counters.longest_pause_ms,
    ));
    metrics.push(gauge("holdshort_journal_seq", "Last record.", vec![], published.seq));
    metrics
}

fn gauge(
    name: &'static str,
    help: &'static str,
    labels: Vec<(&'static str, String)>,
    value: u64,
) -> Metric {
    // Counts stay far below 2^52, where a float is exact.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    let value = value as f64;
    Metric { name, help, counter: false, labels, value }
}
