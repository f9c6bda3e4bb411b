//! A fact of the journal as a line.

use crate::base::Wall;
use crate::model::Fact;
use crate::model::page::EventRow;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// `14:05:09  4711  42 runs`, with who caused it at the end if the sentence may not say so.
pub fn event_line(row: &EventRow, sight: &Sight) -> Line {
    let said = words::event(&row.fact, sight);
    let line = Line::of(event_time(row.at.wall, sight), Role::Muted)
        .then(format!("  {:>6}  ", row.seq), Role::Muted)
        .then(said.as_str(), role(&row.fact));
    match &row.by {
        Some(by) if !said.contains(by.as_ref()) => line.then(format!("  ({by})"), Role::Muted),
        _ => line,
    }
}

/// `14:05:09`; another day needs its date.
pub fn event_time(at: Wall, sight: &Sight) -> String {
    let today = sight.full(at).get(..10) == sight.full(sight.now.wall).get(..10);
    if today { sight.second(at) } else { sight.full(at) }
}

/// A fact that the server keeps for itself and that tells a person nothing.
pub fn is_bookkeeping(fact: &Fact) -> bool {
    let said_again = matches!(fact, Fact::Review { fact, .. } if fact.is_said_again());
    said_again
        || matches!(fact, Fact::KeyUsed { .. } | Fact::JobForgotten { .. } | Fact::Looked { .. })
}

fn role(fact: &Fact) -> Role {
    use crate::model::finding::Level;
    use crate::model::job::Outcome;
    match fact {
        Fact::JobEnded { outcome: Outcome::Succeeded, .. } => Role::Good,
        Fact::JobEnded { outcome: Outcome::Cancelled, .. } => Role::Muted,
        Fact::JobEnded { .. } => Role::Bad,
        Fact::AtPrompt { .. } => Role::NeedsYou,
        Fact::Found { level, .. } if *level >= Level::Suspect => Role::Stuck,
        Fact::JobRunning { .. } => Role::Running,
        _ => Role::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::JobId;
    use crate::view::sample::at;

    #[test]
    fn a_line_says_when_what_and_who() {
        let job = JobId(42);
        let by = Some("ana".into());
        let row = |at, fact| EventRow { seq: 7, at, by: Some("ana".into()), fact };
        let queued = row(at(9000), Fact::JobQueued { job });
        let sight = Sight::utc(at(10_000));
        assert_eq!(event_line(&queued, &sight).plain(), "13:00:09       7  42 queued  (ana)");
        let over = row(at(9000), Fact::PromptOver { job, by });
        assert!(event_line(&over, &sight).plain().ends_with("answered by ana"));
        let later = Sight::utc(at(40 * 3_600_000));
        assert!(event_line(&queued, &later).plain().starts_with("2026-11-30 13:00:09 "));
    }
}
