//! An office: carl's agents ask, ana, bob and dora may decide, olga runs the place.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdshort::base::{JobId, ReviewId, Span};
use holdshort::model::action::{Action, Amount, Args, EffectClass, Json};
use holdshort::model::command::Key;
use holdshort::model::people::{Grant, Role, User};
use holdshort::model::refusal::{Refusal, RefusalCode};
use holdshort::model::review::{
    Ask, Review, ReviewAct, ReviewCommand, ReviewPolicy, ReviewState, ReviewVerb, Verdict, Wait,
};
use holdshort::model::{Actor, Command, JobSpec};
use holdshort::sched::decide;

use crate::sched::given::person;
use crate::sched::world::Site;

/// A site with people.
pub struct Office {
    pub site: Site,
}

pub const HOUR: Span = Span::hours(1);

pub fn ana() -> Actor {
    person("ana", 11)
}

pub fn bob() -> Actor {
    person("bob", 12)
}

pub fn dora() -> Actor {
    person("dora", 13)
}

pub fn carl() -> Actor {
    person("carl", 20)
}

/// A process in the tree of a job of carl's.
pub fn agent(job: JobId) -> Actor {
    Actor { in_job: Some(job), ..carl() }
}

pub fn user(name: &str, uid: u32, role: Role) -> User {
    let grants = vec![Grant { team: "".into(), role }];
    User { name: name.into(), os_user: name.into(), uid: Some(uid), grants }
}

/// A command line and where it runs.
pub fn shell(command: &str) -> Action {
    tool("Bash", &format!(r#"{{"command":{command:?}}}"#))
}

pub fn tool(name: &str, args: &str) -> Action {
    let args = Args::Here(Json::read(args).unwrap().canonical());
    let target = Some("prod".to_owned());
    Action { kind: "tool".into(), tool: Some(name.into()), args, target, amount: None }
}

pub fn asks(effect: EffectClass, wait: Wait) -> Ask {
    let amount = (effect == EffectClass::Money).then(|| Amount::parse("4180", "EUR").unwrap());
    Ask {
        step: None,
        effect,
        action: Action { amount, ..shell("rm -rf /srv/old") },
        summary: "it is due today".into(),
        agent: None,
        alternatives: Vec::new(),
        conditions: BTreeMap::new(),
        wait,
        key: None,
        undeclared: false,
    }
}

pub fn hold() -> Wait {
    Wait::Hold { most: Span::mins(10) }
}

pub fn yes(hash: &str) -> ReviewVerb {
    vote(Verdict::Approve, None, Some(hash))
}

pub fn no(reason: &str) -> ReviewVerb {
    vote(Verdict::Deny { stop: false }, Some(reason), None)
}

pub fn vote(verdict: Verdict, reason: Option<&str>, hash: Option<&str>) -> ReviewVerb {
    ReviewVerb::Vote {
        verdict,
        reason: reason.map(ToOwned::to_owned),
        hash: hash.map(ToOwned::to_owned),
        version: None,
        undo: Span::ZERO,
        uses: None,
        until: None,
        signature: None,
    }
}

impl Office {
    /// One node with four cores and a GPU. Ana, bob and dora are approvers.
    pub fn new() -> Office {
        let mut office = Office::alone();
        office.site.configure(|setup| {
            for (name, uid) in [("ana", 11), ("bob", 12), ("dora", 13)] {
                setup.users.push(user(name, uid, Role::Approver));
            }
        });
        office
    }

    /// The same without approvers: carl is on his own.
    pub fn alone() -> Office {
        let mut site = Site::new(4, 1);
        site.configure(|setup| setup.users.push(user("carl", 20, Role::Submitter)));
        Office { site }
    }

    pub fn policy(&mut self, change: impl FnOnce(&mut ReviewPolicy)) {
        let mut policy = ReviewPolicy { name: "rule".into(), ..ReviewPolicy::default() };
        change(&mut policy);
        self.site.configure(|setup| setup.review_policies.push(policy));
    }

    /// A running job of carl's.
    pub fn job(&mut self) -> JobId {
        self.job_with(|_| {})
    }

    pub fn job_with(&mut self, change: impl FnOnce(&mut JobSpec)) -> JobId {
        let job = self.site.try_submit(carl(), change).unwrap();
        self.site.start(job);
        job
    }

    /// Decides a command about reviews and says which one it was about.
    pub fn command(&mut self, command: ReviewCommand) -> Result<ReviewId, Refusal> {
        let command = Command::Review(Box::new(command));
        let review = decide(&self.site.world, &command, self.site.at)?.review;
        self.site.attempt(command)?;
        Ok(review.unwrap_or(ReviewId(0)))
    }

    pub fn try_ask(&mut self, job: JobId, ask: Ask) -> Result<ReviewId, Refusal> {
        let by = agent(job);
        self.command(ReviewCommand::Ask { job, ask: Box::new(ask), by })
    }

    pub fn ask(&mut self, job: JobId, effect: EffectClass, wait: Wait) -> ReviewId {
        self.try_ask(job, asks(effect, wait)).unwrap()
    }

    pub fn act(
        &mut self,
        by: Actor,
        review: ReviewId,
        verb: ReviewVerb,
    ) -> Result<ReviewId, Refusal> {
        self.command(ReviewCommand::Act(ReviewAct { review, verb, by, key: None }))
    }

    pub fn act_once(
        &mut self,
        by: Actor,
        review: ReviewId,
        verb: ReviewVerb,
        key: &str,
    ) -> Result<ReviewId, Refusal> {
        let key = Some(Key { key: key.to_owned(), body: verb.word().to_owned() });
        self.command(ReviewCommand::Act(ReviewAct { review, verb, by, key }))
    }

    /// Says yes to what the review is about now.
    pub fn approve(&mut self, by: Actor, review: ReviewId) -> Result<ReviewId, Refusal> {
        let hash = self.review(review).hash.to_string();
        self.act(by, review, yes(&hash))
    }

    pub fn deny(&mut self, by: Actor, review: ReviewId) -> Result<ReviewId, Refusal> {
        self.act(by, review, no("not today"))
    }

    /// The job uses its right for exactly what was approved.
    pub fn redeem(&mut self, review: ReviewId) -> Result<ReviewId, Refusal> {
        let (job, hash) = (self.review(review).job, self.review(review).hash);
        let (hash, action, conditions) = (Some(hash), None, BTreeMap::new());
        self.act(agent(job), review, ReviewVerb::Redeem { hash, action, conditions })
    }

    pub fn redeem_action(&mut self, id: ReviewId, action: Action) -> Result<ReviewId, Refusal> {
        let job = self.review(id).job;
        let (hash, action, conditions) = (None, Some(Box::new(action)), BTreeMap::new());
        self.act(agent(job), id, ReviewVerb::Redeem { hash, action, conditions })
    }

    /// The job saves itself and ends with 75.
    pub fn park(&mut self, job: JobId) {
        self.site.end(job, 75);
    }

    pub fn review(&self, id: ReviewId) -> Arc<Review> {
        Arc::clone(self.site.world.desk().get(id).unwrap())
    }

    pub fn state(&self, id: ReviewId) -> ReviewState {
        self.review(id).state
    }

    /// Who decided, as the record says it.
    pub fn decided_by(&self, id: ReviewId) -> Vec<String> {
        let review = self.review(id);
        review.decision.as_ref().unwrap().by.iter().map(ToString::to_string).collect()
    }
}

/// The code and the words of a refusal.
pub fn refused<T: std::fmt::Debug>(result: Result<T, Refusal>) -> (RefusalCode, String) {
    let refusal = result.unwrap_err();
    (refusal.code, refusal.what)
}
