//! What jobs of the simulation ask people, and what people answer: each is a command to the core.

use std::collections::BTreeMap;

use crate::base::{Name, Span};
use crate::model::action::{Action, Amount, Args, EffectClass, Json};
use crate::model::review::{Ask, ReviewAct, ReviewCommand, ReviewVerb, Verdict, Wait};
use crate::model::{Actor, Command};
use crate::sim::fleet::{Due, Fleet};
use crate::sim::site;

/// Whoever looks at a review says so again, as a console does.
const LOOKS_AGAIN: Span = Span::secs(20);

/// Something with the reviews of a job, which is the newest of its name.
#[derive(Debug, Clone)]
pub(super) struct Petition {
    /// The job's name.
    pub(super) job: &'static str,
    /// What.
    pub(super) step: Move,
}

/// What somebody does with the latest review of a job.
#[derive(Debug, Clone)]
pub(super) enum Move {
    /// The job asks.
    Ask(Box<Ask>),
    /// Somebody says yes.
    Yes(&'static str),
    /// Somebody says no, and why.
    No(&'static str, &'static str),
    /// Somebody asks back.
    AskBack(&'static str, &'static str),
    /// The job answers.
    Answer(&'static str),
    /// Somebody opens it.
    Look(&'static str),
}

/// A request, built word by word.
pub(super) fn request(effect: EffectClass, tool: &str, args: &str, wait: Wait) -> Ask {
    let args = Json::read(args).map_or_else(|_| "{}".to_owned(), |args| args.canonical());
    let action = Action {
        kind: "tool".into(),
        tool: Some(tool.into()),
        args: Args::Here(args),
        target: None,
        amount: None,
    };
    Ask {
        effect,
        action,
        summary: String::new(),
        agent: None,
        alternatives: Vec::new(),
        conditions: BTreeMap::new(),
        wait,
        key: None,
        step: None,
        undeclared: false,
    }
}

/// On what, said by whom, in which words.
pub(super) fn told(mut ask: Ask, target: &str, agent: &str, summary: &str) -> Ask {
    ask.action.target = Some(target.to_owned());
    ask.agent = Some(agent.into());
    summary.clone_into(&mut ask.summary);
    ask
}

/// So much money.
pub(super) fn worth(mut ask: Ask, value: &str) -> Ask {
    ask.action.amount = Amount::parse(value, "EUR").ok();
    ask
}

impl Fleet {
    /// Has somebody do something with the reviews of a job.
    pub(super) fn petition(&mut self, petition: &Petition) {
        let Some(job) = self.named(petition.job).cloned() else { return };
        let own = Actor {
            user: job.owner.clone(),
            uid: job.owner_uid,
            in_job: Some(job.id),
            job_by: None,
        };
        if let Move::Ask(ask) = &petition.step {
            let (job, ask) = (job.id, ask.clone());
            let command = ReviewCommand::Ask { job, ask, by: own };
            return self.say(Command::Review(Box::new(command)));
        }
        let last = self.world.desk().of_job(job.id).next_back();
        let Some((review, hash)) = last.map(|last| (last.id, last.hash.to_string())) else {
            return;
        };
        let vote = |verdict, reason: Option<&str>| ReviewVerb::Vote {
            verdict,
            reason: reason.map(str::to_owned),
            hash: Some(hash.clone()),
            version: None,
            undo: Span::ZERO,
            uses: None,
            until: None,
            signature: None,
        };
        let (by, verb) = match petition.step {
            Move::Ask(_) => return,
            Move::Yes(who) => (site::person(who), vote(Verdict::Approve, None)),
            Move::No(who, why) => {
                (site::person(who), vote(Verdict::Deny { stop: false }, Some(why)))
            }
            Move::AskBack(who, text) => {
                (site::person(who), ReviewVerb::AskBack { text: text.to_owned() })
            }
            Move::Answer(text) => (own, ReviewVerb::Answer { text: text.to_owned() }),
            Move::Look(who) => (site::person(who), ReviewVerb::Look),
        };
        if matches!(petition.step, Move::Look(_)) {
            if !self.world.desk().get(review).is_some_and(|review| review.is_open()) {
                return;
            }
            let again = Due::Petition(Box::new(petition.clone()));
            self.agenda.put(self.at.now + LOOKS_AGAIN, again);
        }
        let act = ReviewAct { review, verb, by, key: None };
        self.say(Command::Review(Box::new(ReviewCommand::Act(act))));
    }
}

/// A list of names.
pub(super) fn names<const N: usize>(names: [&str; N]) -> Vec<Name> {
    names.iter().map(|name| Name::from(*name)).collect()
}
