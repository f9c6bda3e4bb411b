//! What is wrong with a job.

use super::numbers::Read;
use crate::base::text::sanitise;
use crate::model::Finding;
use crate::model::finding::Signal;
use crate::model::reason::{Code, Reason};
use crate::view::sight::Sight;

/// What was noticed, without the evidence.
pub fn noticed(signal: Signal) -> &'static str {
    match signal {
        Signal::NeverFits => "can never start as things are",
        Signal::NeverStarted => "started and has given no sign of life",
        Signal::LimitNear => "is close to its time limit",
        Signal::LongRunning => "has no time limit and runs very long",
    }
}

/// The sentence of a finding with its evidence, and who has seen it.
pub fn finding(finding: &Finding, sight: &Sight) -> String {
    let evidence = evidence(finding, sight);
    let evidence = if evidence.is_empty() { String::new() } else { format!(" ({evidence})") };
    let acked = finding.acked.as_ref();
    let seen = acked.map_or_else(String::new, |who| format!("; seen by {}", sanitise(who)));
    format!("{}{evidence}{seen}", noticed(finding.signal))
}

/// The evidence: a whole sentence where there is one for it, else name by name.
fn evidence(finding: &Finding, sight: &Sight) -> String {
    if finding.signal == Signal::NeverFits {
        let numbers = finding.evidence.clone();
        return super::reason(&Reason { code: Code::NeverFits, numbers }, sight);
    }
    Read::new(&finding.evidence, sight).all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finding::Level;
    use crate::view::sample::{NOON, at, finding as sample};

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
