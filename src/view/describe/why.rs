//! The answer to `why`: the dominant reason, the others, and what would change it.

use super::sheet::Sheet;
use crate::base::Name;
use crate::model::Reason;
use crate::model::page::Why;
use crate::model::reason::Value;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// The lines of `why`. Each reason has its stable code beside the sentence.
pub fn why(why: &Why, sight: &Sight) -> Vec<Line> {
    let mut sheet = Sheet::default();
    let state = words::state_long(&why.state, false);
    let head = Line::of(why.job.to_string(), Role::Id).then(format!(" is {state}"), Role::Head);
    sheet.line(head);
    sheet.line(coded("", &words::reason(&why.reason, sight), &why.reason));
    for reason in &why.also {
        sheet.line(coded("also ", &words::reason(reason, sight), reason));
    }
    if let Some(position) = why.position {
        let ahead = position.saturating_sub(1);
        let text = match ahead {
            0 => "next in line for such room".to_owned(),
            ahead => format!("{} ahead of it for such room", words::counted(ahead, "job")),
        };
        sheet.line(Line::of(format!("  {text}"), Role::Plain));
    }
    for reason in &why.would_change {
        // Commands are shown ready to paste, so they need the job they are about.
        let about = with_job(reason, why.job.0);
        sheet.line(coded("changes when: ", &words::change(&about, sight), reason));
    }
    sheet.done()
}

fn coded(lead: &str, sentence: &str, reason: &Reason) -> Line {
    Line::of(format!("  {lead}"), Role::Muted)
        .then(sentence, Role::Plain)
        .then(format!("  [{}]", reason.code.word()), Role::Muted)
}

fn with_job(reason: &Reason, job: u64) -> Reason {
    let mut reason = reason.clone();
    reason.numbers.entry(Name::from("job")).or_insert_with(|| Value::from(job));
    reason
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::JobId;
    use crate::model::State;
    use crate::model::reason::Code;
    use crate::view::line::plain;
    use crate::view::sample::at;

    #[test]
    fn each_sentence_has_its_code_beside_it() {
        let short = Reason::bare(Code::NoRoom)
            .with("need_gpu_milli", 4000u64)
            .with("best_gpu_milli", 3000u64);
        let answer = Why {
            job: JobId(42),
            state: State::Queued,
            reason: short.clone(),
            also: vec![Reason::bare(Code::TeamPaused).with("team", "ml").with("by", "ana")],
            would_change: vec![short.with("jobs", "17"), Reason::bare(Code::Paused)],
            position: Some(3),
        };
        insta::assert_snapshot!(plain(&why(&answer, &Sight::utc(at(0)))), @r"
    42 is queued, waits for room
      needs 4 GPUs on one node: best has 3 free  [no_room]
      also team ml is paused by ana  [team_paused]
      2 jobs ahead of it for such room
      changes when: 17 ends  [no_room]
      changes when: holdshort resume 42  [paused]
    ");
    }
}
