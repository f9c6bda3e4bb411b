//! Reviews for readers: lists and cards, made from the published world beside the loop, and the
//! way from what somebody does with a review to the command that says it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{At, JobId, Name, ReviewId, Wall};
use crate::engine::Receipt;
use crate::engine::handle::Handle;
use crate::engine::pages::holds;
use crate::engine::submit::print_of;
use crate::model::access::Right;
use crate::model::command::{Command, Key};
use crate::model::job::{State, state};
use crate::model::page::reviews::{
    Back, Beside, Reader, ReviewCard, ReviewCursor, ReviewPage, ReviewQuery, ReviewRow, Same, Which,
};
use crate::model::program::Environment;
use crate::model::refusal::{Refusal, RefusalCode};
use crate::model::review::{Ask, Review, ReviewAct, ReviewCommand, ReviewState, ReviewVerb, Wait};
use crate::model::team::is_within;
use crate::model::{Actor, Job};
use crate::sched::future::forecast::{FORECASTS, forecasts};
use crate::sched::review::compare::compare;
use crate::sched::review::{returns, who};
use crate::sched::{World, decide, rights};

/// Other reviews about the same that a card names.
const SAME_MAX: usize = 10;

/// A page of those reviews that a reader may see and the query names.
pub fn page(world: &World, seq: u64, at: At, by: &Actor, query: &ReviewQuery) -> ReviewPage {
    let mut eyes = Eyes { world, by, wall: at.wall, seats: BTreeMap::new() };
    let (mut open, mut mine) = (0, 0);
    for review in world.desk().open() {
        let seen = eyes.sees(review);
        open += u64::from(seen);
        mine += u64::from(seen && eyes.may_decide(review));
    }
    let mut reviews = Vec::new();
    let mut next = None;
    for review in listed(world, query) {
        if !belongs(query, by, review) || !eyes.sees(review) {
            continue;
        }
        if query.mine && !eyes.may_decide(review) {
            continue;
        }
        if reviews.len() == query.limit {
            next = reviews.last().map(place);
            break;
        }
        reviews.push(row(world, by, review, at));
    }
    let away = world.desk().away(&by.user, at.wall).cloned();
    ReviewPage { reviews, next, open, mine, away, seq, at }
}

/// The place of a row in its list.
fn place(row: &ReviewRow) -> ReviewCursor {
    match row.state {
        ReviewState::Open => ReviewCursor::Open(row.deadline, row.id),
        _ => ReviewCursor::Closed(row.id),
    }
}

/// Reviews in the order of the list, behind the cursor.
fn listed<'a>(
    world: &'a World,
    query: &ReviewQuery,
) -> Box<dyn Iterator<Item = &'a Arc<Review>> + 'a> {
    let desk = world.desk();
    let open_wanted = match query.which {
        Which::Open | Which::All => true,
        Which::In(state) => state == ReviewState::Open,
    };
    let first = (Wall(i64::MIN), ReviewId(0));
    let (from, below) = match query.cursor {
        None => (Some(first), ReviewId(u64::MAX)),
        Some(ReviewCursor::Open(wall, id)) => (Some((wall, id)), ReviewId(u64::MAX)),
        Some(ReviewCursor::Closed(id)) => (None, id),
    };
    let open = from.filter(|_| open_wanted).into_iter().flat_map(|from| desk.open_after(from));
    let state = match query.which {
        Which::Open => return Box::new(open),
        Which::All => None,
        Which::In(state) => Some(state),
    };
    let fits = move |review: &&Arc<Review>| {
        !review.is_open() && state.is_none_or(|state| review.state == state)
    };
    if let Some(job) = query.job {
        let of_job = desk.of_job(job).rev().filter(move |review| review.id < below);
        return Box::new(open.chain(of_job.filter(fits)));
    }
    Box::new(open.chain(desk.back_from(below).filter(fits)))
}

fn belongs(query: &ReviewQuery, by: &Actor, review: &Review) -> bool {
    let owned = |name: &Name| match &**name {
        "me" => owns(by, review),
        name => *review.owner == *name,
    };
    query.by.as_ref().is_none_or(owned)
        && query.job.is_none_or(|job| review.job == job)
        && query.team.as_ref().is_none_or(|team| is_within(&review.team, team))
        && query.effect.is_none_or(|effect| review.ask.effect == effect)
        && (!query.mine || review.is_open())
}

fn owns(by: &Actor, review: &Review) -> bool {
    match review.owner_uid {
        Some(uid) => by.uid == Some(uid),
        None => review.owner == by.user,
    }
}

/// What a reader may see and decide. Reviews of one rule, team and owner are alike for a reader
/// unless a seat was handed on, so the same question is not asked ten thousand times.
struct Eyes<'a> {
    world: &'a World,
    by: &'a Actor,
    wall: Wall,
    seats: BTreeMap<Alike<'a>, bool>,
}

/// Policy, team, escalated, owner, the owner's uid.
type Alike<'a> = (Option<&'a str>, &'a str, bool, &'a str, Option<u32>);

impl<'a> Eyes<'a> {
    fn sees(&self, review: &Review) -> bool {
        let job = self.world.job(review.job);
        job.is_some_and(|job| rights::on_job(self.world, self.by, job, Right::See).is_ok())
    }

    fn may_decide(&mut self, review: &'a Review) -> bool {
        let (world, by, wall) = (self.world, self.by, self.wall);
        let ask = || who::seat(world, review, by, wall).is_ok();
        if !review.is_open() || by.in_job.is_some() {
            return false;
        }
        if !review.delegations.is_empty() {
            return ask();
        }
        let policy = review.rule.policy.as_deref();
        let reached = review.level >= 2;
        let alike = (policy, &*review.team, reached, &*review.owner, review.owner_uid);
        *self.seats.entry(alike).or_insert_with(ask)
    }
}

/// One row.
pub fn row(world: &World, by: &Actor, review: &Review, at: At) -> ReviewRow {
    ReviewRow {
        id: review.id,
        job: review.job,
        team: review.team.clone(),
        owner: review.owner.clone(),
        agent: review.ask.agent.clone(),
        effect: review.ask.effect,
        subject: review.action().subject(),
        summary: review.ask.summary.clone(),
        hash: review.hash,
        state: review.state,
        since: review.since,
        asked: review.asked,
        deadline: review.deadline,
        stopped: review.stopped,
        level: review.level,
        version: review.version,
        fallback: review.rule.fallback.clone(),
        wait: review.ask.wait,
        votes: review.votes.clone(),
        needed: review.rule.need,
        demand: review.rule.assurance,
        opened: review.opened.clone(),
        decision: review.decision.as_deref().cloned(),
        beside: beside(world, by, review, at),
    }
}

fn beside(world: &World, by: &Actor, review: &Review, at: At) -> Beside {
    let job = world.job(review.job);
    let (yes, no) = who::tally(world, review, at.wall);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let word = |job: &Arc<Job>| state::word(&job.state, job.asking.returning).into();
    Beside {
        job_name: job.map(|job| job.spec.name.clone()).unwrap_or_default(),
        job_state: job.map(word).unwrap_or_default(),
        holds: job.map(|job| holds(job)).unwrap_or_default(),
        yes: number(yes.len()),
        no: number(no.iter().filter(|vote| !vote.is_held()).count()),
        reader: reader(world, by, review, at.wall),
    }
}

/// How somebody stands to a review.
fn reader(world: &World, by: &Actor, review: &Review, wall: Wall) -> Reader {
    let assurance = who::assurance(world, review, by, None);
    let sure = who::is_sure_enough(assurance, review.rule.assurance);
    let own = review.standing_votes().filter(|vote| vote.by == by.user).last();
    let voted = own.map(|vote| vote.verdict).filter(|_| by.in_job.is_none());
    let nobody =
        |why: String| Reader { seat: None, own: false, why_not: Some(why), assurance, sure, voted };
    match who::seat(world, review, by, wall) {
        Err(refusal) => nobody(refusal.to_string()),
        Ok(_) if !review.is_open() => nobody(format!("it is {}", review.state.word())),
        Ok(seat) => {
            let lacks = "a yes needs a signature of a hardware key that you touch";
            let why_not = (!sure).then(|| lacks.to_owned());
            Reader { seat: Some(seat.of), own: seat.own, why_not, assurance, sure, voted }
        }
    }
}

/// Everything that somebody needs to decide a review.
pub fn card(world: &World, seq: u64, at: At, by: &Actor, review: &Review) -> ReviewCard {
    let eyes = Eyes { world, by, wall: at.wall, seats: BTreeMap::new() };
    let may_see = |other: &Review| eyes.sees(other);
    let listed = who::listed(world, review, false);
    let next = who::listed(world, review, true);
    let next = next.into_iter().filter(|name| !listed.contains(name)).collect();
    let same = world.desk().back_from(ReviewId(u64::MAX));
    let same = same.filter(|r| r.hash == review.hash && r.id != review.id && may_see(r));
    let job = world.job(review.job);
    ReviewCard {
        review: review.clone(),
        beside: beside(world, by, review, at),
        listed,
        next,
        compared: compare(world, review, &may_see),
        same: same.take(SAME_MAX).map(|review| same_as(review)).collect(),
        answer: job.and_then(|job| returns::answer(world, job, at)).filter(|_| review.is_open()),
        back: job.filter(|_| review.is_open()).and_then(|job| back(world, job, review, at)),
        seq,
        at,
    }
}

fn same_as(review: &Review) -> Same {
    Same {
        review: review.id,
        job: review.job,
        state: review.state,
        used: review.grant.as_ref().map_or(0, |grant| grant.used),
        asked: review.asked,
    }
}

/// When the job goes on if this were answered now: decided on a copy of the world.
fn back(world: &World, job: &Job, review: &Review, at: At) -> Option<Back> {
    if matches!(review.ask.wait, Wait::Hold { .. } | Wait::Go) && !job.asking.waits {
        return Some(Back::Waits);
    }
    let others = job.asking.open.iter().filter(|open| open.review != review.id);
    let others = others.filter(|open| open.wait != Wait::Go).count();
    if others > 0 {
        return Some(Back::Others(u32::try_from(others).unwrap_or(u32::MAX)));
    }
    if job.hold.is_some() {
        return Some(Back::Held);
    }
    let by = Actor { uid: Some(world.setup().owner_uid), ..Actor::system() };
    let verb = ReviewVerb::Withdraw { reason: None, abandoned: false };
    let act = ReviewAct { review: review.id, verb, by, key: None };
    let command = Command::Review(Box::new(ReviewCommand::Act(act)));
    let then = decide(world, &command, at).ok()?.world;
    let job = then.job(job.id)?;
    match job.state {
        State::Starting | State::Running => Some(Back::AtOnce),
        State::Queued => {
            let known = forecasts(&then, at, FORECASTS).get(&job.id).copied();
            Some(known.map_or(Back::Later, Back::Then))
        }
        // It is still saving itself: nobody knows for how long.
        _ => None,
    }
}

fn no_such(id: ReviewId) -> Refusal {
    let what = format!("there is no review {id}");
    Refusal::new(RefusalCode::NotFound, what, "`holdshort reviews --all` lists them")
}

/// A review that somebody may see. Whoever may not learns no more than of one that is not there.
///
/// # Errors
/// When there is none, or the caller may not see it.
pub fn find<'a>(world: &'a World, by: &Actor, id: ReviewId) -> Result<&'a Arc<Review>, Refusal> {
    let review = world.desk().get(id).ok_or_else(|| no_such(id))?;
    let job = world.job(review.job).ok_or_else(|| no_such(id))?;
    let of_step = review.step.as_deref().is_some_and(|step| by.in_job == Some(step.job));
    if of_step {
        return Ok(review);
    }
    rights::on_job(world, by, job, Right::See)?;
    Ok(review)
}

impl Handle {
    /// A page of reviews: those the caller may see.
    pub fn reviews(&self, by: &Actor, query: &ReviewQuery) -> ReviewPage {
        let published = self.published();
        page(&published.world, published.seq, self.at(), by, query)
    }

    /// Everything about one review.
    ///
    /// # Errors
    /// When there is none, or the caller may not see it.
    pub fn review(&self, by: &Actor, id: ReviewId) -> Result<ReviewCard, Refusal> {
        let published = self.published();
        let review = find(&published.world, by, id)?;
        Ok(card(&published.world, published.seq, self.at(), by, review))
    }

    /// The review itself, as it stands.
    ///
    /// # Errors
    /// As [`Handle::review`].
    pub fn plain_review(&self, by: &Actor, id: ReviewId) -> Result<Arc<Review>, Refusal> {
        find(&self.published().world, by, id).cloned()
    }

    /// A job asks; the receipt names the review. With an environment what it asks for may run as
    /// a step, in that environment.
    ///
    /// # Errors
    /// What the core refuses; a step of something that is no command.
    pub async fn ask(
        &self,
        job: JobId,
        mut ask: Ask,
        step: Option<Environment>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        let mut contents = Vec::new();
        if let Some(environment) = step {
            let (digest, bytes) = self.stored_step(&ask.action, environment)?;
            ask.step = Some(digest);
            contents.push((digest, bytes));
        }
        let command = ReviewCommand::Ask { job, ask: Box::new(ask), by };
        self.send(Command::Review(Box::new(command)), contents).await
    }

    /// Does something with a review; a key makes asking again harmless. The receipt names the
    /// review that it was about: another one when what was to be done had changed.
    ///
    /// # Errors
    /// What the core refuses.
    pub async fn review_act(
        &self,
        review: ReviewId,
        verb: ReviewVerb,
        key: Option<String>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        // Whoever may not even look learns nothing from what would be refused.
        self.plain_review(&by, review)?;
        let body = print_of(&(review, &verb));
        let key = key.map(|key| Key { key: format!("{} {key}", by.shown()), body });
        let act = ReviewAct { review, verb, by, key };
        self.command(Command::Review(Box::new(ReviewCommand::Act(act)))).await
    }

    /// Somebody hands all seats on for a while, or takes them back.
    ///
    /// # Errors
    /// What the core refuses.
    pub async fn away(
        &self,
        from: Option<Name>,
        to: Option<Name>,
        until: Option<Wall>,
        by: Actor,
    ) -> Result<Receipt, Refusal> {
        let from = from.unwrap_or_else(|| by.user.clone());
        let command = ReviewCommand::Away { from, to, until, by };
        self.command(Command::Review(Box::new(command))).await
    }
}
