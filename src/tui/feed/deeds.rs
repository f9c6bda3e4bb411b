//! Does what was decided, one after the other, and says how it went.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Data;
use super::news::News;
use super::tasks::{PAGE, PATIENCE, slow};
use crate::base::JobId;
use crate::link::{JobQuery, Link, LinkError, Pen};
use crate::model::State;
use crate::model::command::Verb;
use crate::model::page::{Ended, JobRow, ReviewCard};
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Cast, Review, ReviewVerb};
use crate::model::submission::Submission;
use crate::tui::event::Deed;

/// Works until the console is gone.
pub async fn run(
    link: Arc<dyn Link>,
    mut to_do: mpsc::Receiver<Deed>,
    news: Arc<News>,
    out: mpsc::Sender<Data>,
) {
    // Ended with this task: a vote that nobody waits for any more is not sent.
    let mut signing = JoinSet::new();
    while let Some(deed) = to_do.recv().await {
        if matches!(deed, Deed::Signed { .. }) {
            // A person has to touch a key: other deeds do not wait for that.
            let (link, news, out) = (link.clone(), news.clone(), out.clone());
            signing.spawn(async move {
                let done = perform(&*link, &deed).await;
                news.of_jobs([]);
                let _ = out.send(Data::Did(deed, done)).await;
            });
            continue;
        }
        let done = timeout(PATIENCE, perform(&*link, &deed)).await.unwrap_or_else(|_| Err(slow()));
        // What was done shows at once, not only when its fact comes by.
        match &deed {
            Deed::Act { jobs, .. } => news.of_jobs(jobs.iter().copied()),
            Deed::Input { job, .. } => news.of_jobs([*job]),
            // The facts that follow say which job it was about.
            Deed::Review { .. } | Deed::Signed { .. } => news.of_jobs([]),
            Deed::Again(_) | Deed::Size { .. } | Deed::Looked(_) => {}
            Deed::Array { .. }
            | Deed::PauseAll { .. }
            | Deed::ResumeAll
            | Deed::PauseTeam { .. }
            | Deed::ResumeTeam(_)
            | Deed::EditTeam { .. }
            | Deed::Drain { .. } => news.of_all(),
        }
        if out.send(Data::Did(deed, done)).await.is_err() {
            return;
        }
    }
}

/// Asks the server for one thing; the number of a new job if there is one.
///
/// # Errors
/// The server's answer, or that there was none.
pub async fn perform(link: &dyn Link, deed: &Deed) -> Result<Option<JobId>, LinkError> {
    match deed.clone() {
        Deed::Act { jobs, verb } => link.act(jobs, verb).await.map(|()| None),
        Deed::Array { array, verb } => {
            let jobs = elements(link, array, &verb).await?;
            link.act(jobs, verb).await.map(|()| None)
        }
        Deed::Again(job) => link.again(job, Submission::default()).await.map(Some),
        Deed::PauseAll { reason } => link.pause(None, None, reason).await.map(|()| None),
        Deed::ResumeAll => link.resume(None).await.map(|()| None),
        Deed::PauseTeam { team, reason } => {
            link.pause(Some(team), None, reason).await.map(|()| None)
        }
        Deed::ResumeTeam(team) => link.resume(Some(team)).await.map(|()| None),
        Deed::EditTeam { team, edit } => link.edit_team(team, *edit).await.map(|()| None),
        Deed::Drain { node, on, reason } => link.drain(node, on, reason).await.map(|()| None),
        Deed::Input { job, rank, bytes } => {
            link.input(job, rank, Bytes::from(bytes)).await.map(|()| None)
        }
        Deed::Size { job, rank, rows, columns } => {
            link.resize(job, rank, rows, columns).await.map(|()| None)
        }
        Deed::Looked(mark) => link.looked(Some(mark)).await.map(|_| None),
        Deed::Review { review, verb } => link.review_act(review, *verb).await.map(|_| None),
        Deed::Signed { review, verb, pen } => vote(link, &review, *verb, &pen).await.map(|_| None),
    }
}

/// Signs a vote and sends it. Signing takes as long as a person takes.
async fn vote(
    link: &dyn Link,
    review: &Review,
    mut verb: ReviewVerb,
    pen: &Pen,
) -> Result<ReviewCard, LinkError> {
    if let ReviewVerb::Vote { verdict, reason, uses, until, signature, .. } = &mut verb {
        let (verdict, uses, until) = (*verdict, *uses, *until);
        let cast = Cast { verdict, reason: reason.as_deref(), uses, until };
        *signature = Some(link.sign(review, cast, pen).await?);
    }
    let sent = timeout(PATIENCE, link.review_act(review.id, verb)).await;
    sent.unwrap_or_else(|_| Err(slow()))
}

/// The live elements of an array to which a verb applies, whatever the list shows of them.
async fn elements(link: &dyn Link, array: JobId, verb: &Verb) -> Result<Vec<JobId>, LinkError> {
    let filter = format!("array={array}");
    let mut query = JobQuery { filter, ended: Ended::None, limit: PAGE, ..JobQuery::default() };
    let mut jobs = Vec::new();
    loop {
        let page = link.jobs(query.clone()).await?;
        jobs.extend(page.jobs.iter().filter(|row| applies(verb, row)).map(|row| row.id));
        query.cursor = page.next.filter(|_| !page.jobs.is_empty());
        if query.cursor.is_none() {
            break;
        }
    }
    if jobs.is_empty() {
        let what = format!("no element of array {array} is left for that");
        return Err(Refusal::new(RefusalCode::Conflict, what, "unfold it with f and look").into());
    }
    Ok(jobs)
}

/// A verb would not be refused for this job.
pub fn applies(verb: &Verb, row: &JobRow) -> bool {
    let live = !matches!(row.state, State::Ended(_));
    live && match verb {
        Verb::CancelIn { .. } => row.cancel_at.is_none(),
        Verb::Keep => row.cancel_at.is_some(),
        Verb::Pause { .. } => row.hold.is_none(),
        Verb::Resume => row.hold.is_some(),
        Verb::Requeue => matches!(row.state, State::Running | State::Starting | State::Paused),
        Verb::Preempt => matches!(row.state, State::Running | State::Starting),
        _ => true,
    }
}
