//! Whole-cycle cases (`scheduler-scenarios/1`): nodes, teams and jobs in, statuses out.
//!
//! [`case`] is what a file says, [`sound`] whether that makes sense, [`stage`] makes a world of
//! it with the [`kinds`] of tasks each job has, [`round`] lets the core decide and then the world
//! go on, [`check`] compares. The core is the real one: a case of one action runs that step of the
//! cycle, any other the whole cycle.

mod case;
mod check;
mod kinds;
mod round;
mod sound;
mod stage;

use serde_json::Value;

use case::{Case, Kind};
use round::Work;
use stage::Stage;

/// Runs one scenario.
///
/// # Errors
/// What differed, or why it can't be run.
pub fn judge(case: &Value) -> Result<(), String> {
    let case: Case = super::typed(case)?;
    sound::check(&case)?;
    let mut stage = Stage::of(&case)?;
    match case.kind {
        Kind::SingleAction => {
            let mut done = Work::default();
            for action in &case.actions {
                done.add(stage.decide(Some(action))?);
            }
            check::limits(&case, &done)?;
            check::expectations(&case, &stage)
        }
        Kind::Integration => {
            for round in 1..=case.rounds_until_match {
                let done = stage.decide(None)?;
                check::limits(&case, &done).map_err(|what| format!("round {round}: {what}"))?;
                stage.go_on()?;
            }
            check::expectations(&case, &stage)?;
            for round in 1..=case.rounds_after_match {
                let done = stage.decide(None)?;
                if done != Work::default() {
                    return Err(format!("round {round} after the match still does {done:?}"));
                }
                stage.go_on()?;
                check::expectations(&case, &stage)
                    .map_err(|what| format!("round {round} after the match: {what}"))?;
            }
            Ok(())
        }
    }
}
