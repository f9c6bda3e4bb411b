//! The answer to `why`: the dominant reason, the others, and what would change it.

use super::sheet::Sheet;
use crate::model::page::Why;
use crate::model::reason::Code;
use crate::model::{Reason, State};
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// The lines of `why`. Each reason has its stable code beside the sentence.
pub fn why(why: &Why, sight: &Sight) -> Vec<Line> {
    let mut sheet = Sheet::default();
    let state = words::state_long(&why.state, false);
    // Ends are verbs of their own: it succeeded, it timed out.
    let is = if matches!(why.state, State::Ended(_)) { "" } else { "is " };
    let head = Line::of(why.job.to_string(), Role::Id).then(format!(" {is}{state}"), Role::Head);
    sheet.line(head);
    // What is wrong with it stands above, with what helps: `trouble`.
    let said = |reason: &&Reason| reason.code != Code::Found;
    let reasons = std::iter::once(&why.reason).chain(&why.also).filter(said);
    for (reason, lead) in reasons.zip(std::iter::once("").chain(std::iter::repeat("also "))) {
        sheet.line(coded(lead, &words::reason(reason, sight), reason));
    }
    // A place in the queue means nothing where more than room is missing.
    let no_room_helps = matches!(
        why.reason.code,
        Code::NeverFits | Code::AllPaused | Code::TeamPaused | Code::NodesUnavailable
    );
    if let Some(position) = why.position.filter(|_| !no_room_helps) {
        let ahead = position.saturating_sub(1);
        let text = match ahead {
            0 => "next in line for such room".to_owned(),
            ahead => format!("{} ahead of it for such room", words::counted(ahead, "job")),
        };
        sheet.line(Line::of(format!("  {text}"), Role::Plain));
    }
    if let Some(forecast) = &why.expected_start {
        let text = format!("  {}", words::forecast(forecast, sight));
        let worth = format!("  ({})", words::worth(forecast));
        sheet.line(Line::of(text, Role::Plain).then(worth, Role::Muted));
    }
    for reason in why.would_change.iter().filter(said) {
        let lead = if reason.code == Code::Ended { "next: " } else { "changes when: " };
        sheet.line(coded(lead, &words::change(reason, sight), reason));
    }
    sheet.done()
}

fn coded(lead: &str, sentence: &str, reason: &Reason) -> Line {
    Line::of(format!("  {lead}"), Role::Muted)
        .then(sentence, Role::Plain)
        .then(format!(" ({})", reason.code.word()), Role::Muted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::JobId;
    use crate::view::line::plain;
    use crate::view::sample::at;

    #[test]
    fn what_can_never_start_is_not_next_in_line() {
        let answer = Why {
            job: JobId(42),
            state: State::Queued,
            reason: Reason::bare(Code::NeverFits),
            also: vec![],
            would_change: vec![],
            expected_start: None,
            position: Some(1),
        };
        assert_eq!(why(&answer, &Sight::utc(at(0))).len(), 2);
    }

    #[test]
    fn each_sentence_has_its_code_beside_it() {
        let short = Reason::bare(Code::NoRoom)
            .with("need_gpu_milli", 4000u64)
            .with("best_gpu_milli", 3000u64);
        let answer = Why {
            job: JobId(42),
            state: State::Queued,
            reason: short,
            also: vec![Reason::bare(Code::TeamPaused).with("team", "ml").with("by", "ana")],
            would_change: vec![
                Reason::bare(Code::Running).with("job", 17u64),
                Reason::bare(Code::Paused).with("job", 42u64),
            ],
            expected_start: None,
            position: Some(3),
        };
        insta::assert_snapshot!(plain(&why(&answer, &Sight::utc(at(0)))), @r"
    42 is queued
      needs 4 GPUs on one node: best has 3 free (no_room)
      also team ml is paused by ana (team_paused)
      2 jobs ahead of it for such room
      changes when: 17 ends (running)
      changes when: holdshort resume 42 (paused)
    ");
    }
}
