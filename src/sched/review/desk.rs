//! All reviews of a world, and what follows from them: who asked what, and what time does next.
//!
//! Facts about reviews are made so here ([`Desk::apply`]); their meaning for the job that asks is
//! in `sched/apply/asking`.

use std::ops::Bound;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::{At, JobId, Name, ReviewId, Span, Wall};
use crate::model::fact::{Requested, ReviewFact};
use crate::model::review::grant::Spent;
use crate::model::review::talk::TALK_MAX;
use crate::model::review::{
    Decision, Delegation, Delivery, LOOK_LEASE, OPEN_FOR_MAX, Review, ReviewState, Step, StepState,
    Vote,
};
use crate::sched::policy::habit::Habit;
use crate::sched::policy::returns::{Answer, Waits, hour_of_week};
use crate::sched::policy::review::{self as policy, Due};

/// Groups of approvers of which waits are remembered at most.
const GROUPS_MAX: usize = 512;

/// All reviews.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Desk {
    reviews: OrdMap<ReviewId, Arc<Review>>,
    /// Numbers used so far.
    used: u64,
    /// Who handed all seats on, to whom.
    away: OrdMap<Name, Delegation>,
    /// How long answers took, by who gives them.
    waits: OrdMap<Name, Arc<Waits>>,
    /// How they are given.
    habits: OrdMap<Name, Arc<Habit>>,
    /// When time next does something, in order.
    due: OrdSet<(Wall, ReviewId)>,
    /// Open ones by when they expire.
    open: OrdSet<(Wall, ReviewId)>,
    of_job: OrdMap<JobId, OrdSet<ReviewId>>,
    /// Open ones that jobs wait for, by who answers and the hour of the week, and when asked.
    awaited: OrdMap<Asked, OrdSet<(Wall, ReviewId)>>,
}

/// Who is asked, and in which hour of the week: such answers take about as long.
type Asked = (Name, u8);

/// What time does next to a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// To one that is open.
    Open(Due),
    /// A no counts that could be taken back until now.
    Count,
    /// Somebody who had it open did not say again that they do.
    Leave,
    /// Its right is over.
    Lapse,
}

/// When time next does something to a review, and what.
pub fn timer(review: &Review) -> Option<(Wall, Timer)> {
    match review.state {
        ReviewState::Open => {
            let leaves = leaves_first(review).map(|(at, _)| (at, Timer::Leave));
            let counts = review.held_no().and_then(|no| no.from).map(|at| (at, Timer::Count));
            // Of what comes at one instant a person's word comes first, the end of time last.
            [counts, leaves, Some(clock(review))].into_iter().flatten().min_by_key(|(at, _)| *at)
        }
        ReviewState::Approved => {
            let until = review.grant.as_ref().and_then(|grant| grant.until);
            until.map(|until| (until, Timer::Lapse))
        }
        _ => None,
    }
}

/// What its own time does next to one that is open.
fn clock(review: &Review) -> (Wall, Timer) {
    if review.stopped.is_some() {
        // Nobody may stop the clock for ever.
        return (review.asked.wall + OPEN_FOR_MAX, Timer::Open(Due::Expire));
    }
    let (at, due) = policy::due(review.deadline, &review.rule, review.level);
    (at, Timer::Open(due))
}

/// Who of those that have it open is the first to be taken to look no more, and when.
pub fn leaves_first(review: &Review) -> Option<(Wall, &Name)> {
    let names = review.opened.keys();
    names.filter_map(|name| Some((review.looks_until(name)?, name))).min()
}

/// Who gives the answers, as far as their speed is learned: a policy's people, or a team's.
pub fn group(review: &Review) -> Name {
    match &review.rule.policy {
        Some(policy) => format!("policy {policy}").into(),
        None => format!("team {}", review.team).into(),
    }
}

fn asked(review: &Review) -> Option<Asked> {
    let awaited = review.is_open() && review.blocks();
    awaited.then(|| (group(review), hour_of_week(review.asked.wall)))
}

impl Desk {
    /// Open reviews that jobs wait for, with when they were asked: of each who is asked in one
    /// hour of the week.
    pub(super) fn awaited(&self) -> impl Iterator<Item = &OrdSet<(Wall, ReviewId)>> {
        self.awaited.values()
    }

    /// A review by number.
    pub fn get(&self, id: ReviewId) -> Option<&Arc<Review>> {
        self.reviews.get(&id)
    }

    /// Nobody asked anything yet.
    pub fn is_empty(&self) -> bool {
        self.reviews.is_empty()
    }

    /// All reviews by number.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Arc<Review>> {
        self.reviews.values()
    }

    /// Open reviews, those that expire first first.
    pub fn open(&self) -> impl Iterator<Item = &Arc<Review>> {
        self.open.iter().filter_map(|(_, id)| self.reviews.get(id))
    }

    /// Open reviews behind a place in that order.
    pub fn open_after(&self, after: (Wall, ReviewId)) -> impl Iterator<Item = &Arc<Review>> {
        let behind = (Bound::Excluded(after), Bound::Unbounded);
        self.open.range(behind).filter_map(|(_, id)| self.reviews.get(id))
    }

    /// Reviews with a smaller number, the latest first.
    pub fn back_from(&self, id: ReviewId) -> impl Iterator<Item = &Arc<Review>> {
        self.reviews.range(..id).rev().map(|(_, review)| review)
    }

    /// How many are open.
    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// All reviews of a job that are still known, oldest first.
    pub fn of_job(&self, job: JobId) -> impl DoubleEndedIterator<Item = &Arc<Review>> {
        let ids = self.of_job.get(&job).into_iter().flatten();
        ids.filter_map(|id| self.reviews.get(id))
    }

    /// Jobs that have asked something that is still known.
    pub fn jobs(&self) -> impl Iterator<Item = JobId> + '_ {
        self.of_job.keys().copied()
    }

    /// The number of the next review.
    pub fn next(&self) -> ReviewId {
        ReviewId(self.used + 1)
    }

    /// Reviews to which time does something up to `wall`, in order.
    pub fn due(&self, wall: Wall) -> impl Iterator<Item = ReviewId> + '_ {
        self.due.range(..=(wall, ReviewId(u64::MAX))).map(|(_, id)| *id)
    }

    /// When time next does something after `wall`.
    pub fn next_due(&self, wall: Wall) -> Option<Wall> {
        self.due.range((wall, ReviewId(u64::MAX))..).map(|(at, _)| *at).find(|at| *at > wall)
    }

    /// Open reviews that expire before `wall`.
    pub fn open_before(&self, wall: Wall) -> impl Iterator<Item = &Arc<Review>> {
        let ids = self.open.range(..(wall, ReviewId(0)));
        ids.filter_map(|(_, id)| self.reviews.get(id))
    }

    /// Who sits on a person's seats at `wall`, if they were handed on.
    pub fn away(&self, from: &str, wall: Wall) -> Option<&Delegation> {
        self.away.get(from).filter(|handed| handed.holds(wall))
    }

    /// How long a group takes to answer, as far as it is known.
    pub fn waits(&self, group: &str) -> Option<&Waits> {
        self.waits.get(group).map(|waits| &**waits)
    }

    /// How each group answers, by its name.
    pub fn habits(&self) -> impl Iterator<Item = (&Name, &Habit)> {
        self.habits.iter().map(|(group, habit)| (group, &**habit))
    }

    /// The same with everything that is derived made anew; equal to this one.
    pub fn rebuilt(&self) -> Desk {
        let mut desk = Desk {
            used: self.used,
            away: self.away.clone(),
            waits: self.waits.clone(),
            habits: self.habits.clone(),
            ..Desk::default()
        };
        self.reviews.values().for_each(|review| desk.put(Arc::clone(review)));
        desk
    }

    /// Makes a fact so.
    pub(in crate::sched) fn apply(&mut self, at: At, id: ReviewId, job: JobId, fact: &ReviewFact) {
        if let ReviewFact::Requested(asked) = fact {
            self.used = self.used.max(id.0);
            if let Some(old) = asked.replaces {
                self.change(old, |old| old.replaced_by = Some(id));
            }
            return self.put(Arc::new(requested(id, job, asked, at)));
        }
        if let ReviewFact::Decided { decision, .. } = fact {
            self.learn(id, decision, at);
        }
        self.change(id, |review| change(review, fact, at));
    }

    /// Somebody handed all seats on, or took them back.
    pub(in crate::sched) fn hand_on(
        &mut self,
        from: &Name,
        to: Option<&Name>,
        until: Option<Wall>,
    ) {
        match to {
            Some(to) => {
                let (from, to) = (from.clone(), to.clone());
                self.away.insert(from.clone(), Delegation { from, to, until });
            }
            None => {
                self.away.remove(from);
            }
        }
    }

    /// A job left the world, and what it asked with it.
    pub(in crate::sched) fn forget(&mut self, job: JobId) {
        for id in self.of_job.get(&job).cloned().unwrap_or_default() {
            if let Some(old) = self.reviews.remove(&id) {
                self.take_out(&old);
            }
        }
    }

    fn change(&mut self, id: ReviewId, change: impl FnOnce(&mut Review)) {
        if let Some(old) = self.reviews.get(&id) {
            let mut review = Review::clone(old);
            change(&mut review);
            self.put(Arc::new(review));
        }
    }

    fn put(&mut self, review: Arc<Review>) {
        if let Some(old) = self.reviews.get(&review.id).cloned() {
            self.take_out(&old);
        }
        self.due.extend(timer(&review).map(|(at, _)| (at, review.id)));
        if review.is_open() {
            self.open.insert((review.deadline, review.id));
        }
        self.of_job.entry(review.job).or_default().insert(review.id);
        if let Some(asked) = asked(&review) {
            self.awaited.entry(asked).or_default().insert((review.asked.wall, review.id));
        }
        self.reviews.insert(review.id, review);
    }

    fn take_out(&mut self, old: &Review) {
        if let Some((at, _)) = timer(old) {
            self.due.remove(&(at, old.id));
        }
        self.open.remove(&(old.deadline, old.id));
        if let Some(asked) = asked(old)
            && let Some(ids) = self.awaited.get_mut(&asked)
        {
            ids.remove(&(old.asked.wall, old.id));
            if ids.is_empty() {
                self.awaited.remove(&asked);
            }
        }
        if let Some(ids) = self.of_job.get_mut(&old.job) {
            ids.remove(&old.id);
            if ids.is_empty() {
                self.of_job.remove(&old.job);
            }
        }
    }

    /// What an answer says of how fast the next will come, and of how its people look at what they
    /// decide. One that never came took at least so long; one the job did not wait for says
    /// nothing, nor does one by rule.
    fn learn(&mut self, id: ReviewId, decision: &Decision, at: At) {
        let Some(review) = self.reviews.get(&id).filter(|review| review.blocks()) else { return };
        let complete = match decision.state {
            ReviewState::Approved | ReviewState::Denied => !decision.by.is_empty(),
            ReviewState::Expired => false,
            _ => return,
        };
        let key = group(review);
        if self.waits.len() >= GROUPS_MAX && !self.waits.contains_key(&key) {
            return;
        }
        let took = Span(review.asked.wall.0.abs_diff(at.wall.0));
        let answer = Answer { hour: hour_of_week(review.asked.wall), took, complete };
        let mut waits = self.waits.get(&key).map(|w| Waits::clone(w)).unwrap_or_default();
        waits.note(answer);
        let mut habit = self.habits.get(&key).map(|h| Habit::clone(h)).unwrap_or_default();
        match complete {
            true => habit.decided(decision.state == ReviewState::Approved, looked(review, at)),
            false => habit.expired = habit.expired.saturating_add(1),
        }
        self.waits.insert(key.clone(), Arc::new(waits));
        self.habits.insert(key, Arc::new(habit));
    }
}

/// How long whoever decided last had it open; since it was asked where nobody recorded that.
fn looked(review: &Review, at: At) -> Span {
    let last = review.votes.iter().rev().find(|vote| vote.back.is_none());
    let opened = last.and_then(|vote| review.opened.get(&vote.by));
    // Until a no counts that could be taken back nobody looks any longer.
    let decided = last.map_or(at.wall, |vote| vote.at.wall);
    decided.since(opened.map_or(review.asked.wall, |opened| opened.wall))
}

fn requested(id: ReviewId, job: JobId, asked: &Requested, at: At) -> Review {
    Review {
        id,
        job,
        attempt: asked.attempt,
        owner: asked.owner.clone(),
        owner_uid: asked.owner_uid,
        team: asked.team.clone(),
        ask: Arc::new(asked.ask.clone()),
        edited: None,
        hash: asked.hash,
        rule: Arc::new(asked.rule.clone()),
        asked: at,
        state: ReviewState::Open,
        since: at,
        deadline: asked.deadline,
        stopped: None,
        level: 0,
        version: 1,
        votes: Vec::new(),
        talk: Vec::new(),
        delegations: Vec::new(),
        opened: Default::default(),
        leases: Default::default(),
        told: Vec::new(),
        decision: None,
        grant: asked.grant.clone().map(Box::new),
        step: None,
        replaces: asked.replaces,
        denied_before: asked.denied_before,
        replaced_by: None,
    }
}

fn change(review: &mut Review, fact: &ReviewFact, at: At) {
    match fact {
        // What becomes of the job is said of the job.
        ReviewFact::Requested(_) | ReviewFact::JobBooked { .. } | ReviewFact::JobReturns => {}
        ReviewFact::Voted { vote } => review.votes.push((**vote).clone()),
        ReviewFact::Counts { by, seat } => {
            last_of(review, by, seat).into_iter().for_each(|vote| vote.from = None);
        }
        ReviewFact::TakenBack { by, seat } => {
            last_of(review, by, seat).into_iter().for_each(|vote| vote.back = Some(at));
        }
        ReviewFact::Edited { action, hash, .. } => {
            review.edited = Some(Arc::new((**action).clone()));
            review.hash = *hash;
            review.version += 1;
        }
        ReviewFact::AskedBack { said } => {
            keep(&mut review.talk, said.clone());
            review.stopped = review.stopped.or(Some(at.wall));
        }
        ReviewFact::Answered { said, deadline } => {
            keep(&mut review.talk, said.clone());
            review.stopped = None;
            review.deadline = *deadline;
        }
        ReviewFact::Delegated { delegation } => {
            review.delegations.retain(|handed| handed.from != delegation.from);
            review.delegations.push(delegation.clone());
        }
        ReviewFact::Escalated { level, .. } => review.level = *level,
        ReviewFact::Extended { deadline, .. } => review.deadline = *deadline,
        ReviewFact::Opened { by, until } => {
            review.opened.entry(by.clone()).or_insert(at);
            review.leases.insert(by.clone(), until.unwrap_or(at.wall + LOOK_LEASE));
        }
        ReviewFact::LooksOn { by, until } => {
            review.leases.insert(by.clone(), *until);
        }
        ReviewFact::Left { by } => {
            review.opened.remove(by);
            review.leases.remove(by);
        }
        ReviewFact::Told { delivery } => tell(&mut review.told, delivery.clone()),
        ReviewFact::Decided { decision, grant } => {
            review.state = decision.state;
            review.since = at;
            review.version += 1;
            review.stopped = None;
            review.opened.clear();
            review.leases.clear();
            review.decision = Some(decision.clone());
            review.grant.clone_from(grant);
        }
        ReviewFact::GrantRuns { until } => {
            if let Some(grant) = &mut review.grant {
                grant.until = *until;
            }
        }
        ReviewFact::Redeemed { attempt } => redeem(review, *attempt, None, at),
        ReviewFact::StepMade { step } => {
            let (job, state, since) = (*step, StepState::Waits, at);
            review.step = Some(Box::new(Step { job, state, since }));
        }
        ReviewFact::RedeemedByStep { step, attempt } => {
            redeem(review, *attempt, Some(*step), at);
            come_to(review, *step, StepState::Runs, at);
        }
        ReviewFact::StepEnded { step, state } => come_to(review, *step, state.clone(), at),
    }
}

/// What somebody said last on a seat.
fn last_of<'a>(review: &'a mut Review, by: &Name, seat: &Name) -> Option<&'a mut Vote> {
    review.votes.iter_mut().rev().find(|vote| vote.by == *by && vote.seat == *seat)
}

fn redeem(review: &mut Review, attempt: u32, step: Option<JobId>, at: At) {
    let Some(grant) = &mut review.grant else { return };
    grant.used = grant.used.saturating_add(1);
    grant.spent.push(Spent { attempt, at, step });
    if grant.left() == 0 && review.state == ReviewState::Approved {
        review.state = ReviewState::Redeemed;
        review.since = at;
        review.version += 1;
    }
}

fn come_to(review: &mut Review, job: JobId, state: StepState, at: At) {
    if let Some(step) = review.step.as_mut().filter(|step| step.job == job) {
        step.state = state;
        step.since = at;
    }
}

/// What came of a message takes the place of what was known of it.
fn tell(told: &mut Vec<Delivery>, delivery: Delivery) {
    match told.iter_mut().find(|known| known.is_of(delivery.moment, &delivery.via)) {
        Some(known) => *known = delivery,
        None => keep(told, delivery),
    }
}

/// Appends to a list that is bounded: the oldest goes first.
fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= TALK_MAX {
        list.remove(0);
    }
    list.push(item);
}

#[derive(Serialize, Deserialize)]
struct Saved {
    reviews: Vec<Arc<Review>>,
    used: u64,
    away: Vec<Delegation>,
    waits: Vec<(Name, Arc<Waits>)>,
    #[serde(default)]
    habits: Vec<(Name, Arc<Habit>)>,
}

impl Serialize for Desk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Saved {
            reviews: self.reviews.values().cloned().collect(),
            used: self.used,
            away: self.away.values().cloned().collect(),
            waits: self.waits.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            habits: self.habits.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Desk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Desk, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        let mut desk = Desk {
            used: saved.used,
            away: saved.away.into_iter().map(|handed| (handed.from.clone(), handed)).collect(),
            waits: saved.waits.into_iter().collect(),
            habits: saved.habits.into_iter().collect(),
            ..Desk::default()
        };
        saved.reviews.into_iter().for_each(|review| desk.put(review));
        Ok(desk)
    }
}
