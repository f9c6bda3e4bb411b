//! Taking back: what was done last, as the deed that undoes it.

use crate::base::JobId;
use crate::model::command::{Change, Verb};
use crate::model::review::ReviewVerb;
use crate::model::team::TeamEdit;
use crate::tui::app::App;
use crate::tui::event::{Deed, Effect};
use crate::tui::known::Known;

/// Deeds under way whose undoing is remembered.
const PENDING_MAX: usize = 64;

/// What can be taken back. A deed becomes so only once the server did it.
#[derive(Debug, Default)]
pub struct Undo {
    pending: Vec<(Deed, Deed)>,
    last: Option<Deed>,
}

impl Undo {
    /// A deed is sent: remembers what would undo it.
    pub fn remember(&mut self, deed: &Deed, known: &Known) {
        if let Some(back) = undoing(deed, known) {
            if self.pending.len() == PENDING_MAX {
                self.pending.remove(0);
            }
            self.pending.push((deed.clone(), back));
        }
    }

    /// A deed was done, or not; true if it can be taken back now.
    pub fn settle(&mut self, deed: &Deed, done: bool) -> bool {
        let at = self.pending.iter().position(|(pending, _)| pending == deed);
        let back = at.map(|at| self.pending.remove(at).1);
        let typed = matches!(deed, Deed::Input { .. } | Deed::Size { .. } | Deed::Looked(_));
        let typed = typed || deed.is_glance();
        let can = done && back.is_some();
        if done && !typed {
            self.last = back;
        }
        can
    }
}

/// The deed that undoes another, if there is one.
fn undoing(deed: &Deed, known: &Known) -> Option<Deed> {
    let act = |jobs: &[JobId], verb| Some(Deed::Act { jobs: jobs.to_vec(), verb });
    match deed {
        Deed::Act { jobs, verb: Verb::CancelIn { .. } } => act(jobs, Verb::Keep),
        Deed::Act { jobs, verb: Verb::Pause { .. } } => act(jobs, Verb::Resume),
        Deed::Act { jobs, verb: Verb::Resume } => {
            act(jobs, Verb::Pause { until: None, reason: None })
        }
        Deed::Act { jobs, verb: Verb::Set(Change { priority: Some(_), .. }) } => {
            let before = known.row(*jobs.first()?)?.priority;
            let same = |job: &JobId| known.row(*job).is_some_and(|row| row.priority == before);
            jobs.iter().all(same).then_some(())?;
            let change = Change { priority: Some(before), ..Change::default() };
            act(jobs, Verb::Set(change))
        }
        Deed::Array { array, verb: Verb::CancelIn { .. } } => {
            Some(Deed::Array { array: *array, verb: Verb::Keep })
        }
        Deed::Drain { node, on, .. } => {
            Some(Deed::Drain { node: node.clone(), on: !on, reason: None })
        }
        Deed::PauseAll { .. } => Some(Deed::ResumeAll),
        Deed::PauseTeam { team, .. } => Some(Deed::ResumeTeam(team.clone())),
        Deed::EditTeam { team, edit } => {
            let TeamEdit::Set(change) = &**edit else { return None };
            let page = known.teams.as_ref()?;
            let row = page.teams.iter().find(|row| row.name == *team)?;
            let edit = Box::new(TeamEdit::Set(change.undoing(&row.terms)));
            Some(Deed::EditTeam { team: team.clone(), edit })
        }
        Deed::Review { .. } | Deed::Signed { .. } => {
            let (review, verb) = deed.on_review()?;
            let vote = matches!(verb, ReviewVerb::Vote { .. });
            let verb = Box::new(ReviewVerb::Revoke { reason: None });
            vote.then_some(Deed::Review { review, verb })
        }
        _ => None,
    }
}

/// What `u` would do now: keep the chosen job if its cancellation is on its way, take back what
/// was done last here, or keep whatever else is about to be cancelled, whoever wanted that.
fn next(app: &App) -> Option<Deed> {
    let keep = |jobs: Vec<JobId>| Deed::Act { jobs, verb: Verb::Keep };
    let going: Vec<JobId> = app.ground.known.cancelling().map(|row| row.id).collect();
    let chosen = app.target().job.filter(|job| going.contains(job));
    let own = || app.undo.last.clone();
    chosen
        .map(|job| keep(vec![job]))
        .or_else(own)
        .or_else(|| Some(keep(going)).filter(|deed| *deed != keep(Vec::new())))
}

/// Something can be taken back.
///
/// # Errors
/// Nothing can.
pub fn can(app: &App) -> Result<(), String> {
    match next(app) {
        Some(_) => Ok(()),
        None => Err("nothing that can be taken back was done last".to_owned()),
    }
}

/// Takes it back.
pub fn run(app: &mut App, out: &mut Vec<Effect>) {
    if let Some(back) = next(app) {
        if app.undo.last.as_ref() == Some(&back) {
            app.undo.last = None;
        }
        app.perform(back, out);
    }
}
