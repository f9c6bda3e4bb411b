//! What is wrong with a job.

use super::numbers::Read;
use crate::base::text::sanitise;
use crate::model::finding::Signal;
use crate::model::reason::Code;
use crate::model::{Finding, Reason};
use crate::view::sight::Sight;

/// What was noticed, without the evidence.
pub fn noticed(signal: Signal) -> &'static str {
    match signal {
        Signal::NeverFits => "can never start as things are",
        Signal::NeverStarted => "started and has given no sign of life",
        Signal::LimitNear => "is close to its time limit",
        Signal::LongRunning => "has no time limit and runs very long",
        Signal::Unhealthy => "does not answer its health check",
        Signal::Idle => "has been quiet for long: nobody seems to use it",
        Signal::DeadlineAtRisk => "will probably miss its deadline",
        Signal::Unasked => "asks at its prompt and opened no review: nobody was told",
        Signal::ReviewAgeing => "waits for an answer that is late",
        Signal::ResumeLoop => "asks the same again after a yes that it did not use",
        Signal::DeniedAgain => "tries again what was denied",
        Signal::NobodyTold => "asked people, and nobody could be told",
        Signal::StepLost => "had a step that was lost: what it did may have taken effect",
    }
}

/// The sentence of a finding with its evidence, and who has seen it.
pub fn finding(finding: &Finding, sight: &Sight) -> String {
    let acked = finding.acked.as_ref();
    let seen = acked.map_or_else(String::new, |who| format!("; seen by {}", sanitise(who)));
    if finding.signal == Signal::NeverFits && !finding.evidence.is_empty() {
        // Its evidence is that of the reason, which has a sentence for it.
        let reason = Reason { code: Code::NeverFits, numbers: finding.evidence.clone() };
        return format!("{}{seen}", super::reason(&reason, sight));
    }
    let evidence = Read::new(&finding.evidence, sight).all();
    let evidence = if evidence.is_empty() { String::new() } else { format!(" ({evidence})") };
    format!("{}{evidence}{seen}", noticed(finding.signal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finding::Level;
    use crate::view::sample::{NOON, at, finding as sample};

    #[test]
    fn what_never_fits_is_said_like_the_reason() {
        let mut found = sample(Signal::NeverFits, Level::Stuck);
        found.evidence = [
            ("need_gpu_milli".into(), 8000u64.into()),
            ("largest_gpu_milli".into(), 4000u64.into()),
        ]
        .into();
        assert_eq!(
            finding(&found, &Sight::utc(at(0))),
            "needs 8 GPUs on one node: the largest has 4, so it can never start"
        );
    }

    #[test]
    fn evidence_is_written_by_the_unit_in_its_name() {
        let mut found = sample(Signal::LimitNear, Level::Suspect);
        found.evidence = [
            ("left_ms".into(), 300_000u64.into()),
            ("ends_at".into(), NOON.into()),
            ("need_mem_bytes".into(), (1u64 << 30).into()),
            ("node".into(), "n1".into()),
        ]
        .into();
        found.acked = Some("ana".into());
        let said = finding(&found, &Sight::utc(at(0)));
        assert_eq!(
            said,
            "is close to its time limit (ends 13:00, left 5m, need mem 1Gi, node n1); seen by ana"
        );
    }
}
