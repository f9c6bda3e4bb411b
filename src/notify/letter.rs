//! What is said: the same JSON for webhooks and programs, a text for a chat.
//!
//! Neither the action's arguments nor an environment are in it, and what the agent says of itself
//! is marked as that. All texts are made harmless for whoever draws them.

use serde::Serialize;

use crate::base::Name;
use crate::base::text::sanitise;
use crate::model::ports::notify::Letter;
use crate::model::review::Review;

/// Characters of what an agent says that a chat gets to read.
const SAID_MAX: usize = 500;

/// The document, as `docs/REVIEW.md` describes it.
#[derive(Serialize)]
struct Document {
    r#type: String,
    timestamp: String,
    data: Data,
}

#[derive(Serialize)]
struct Data {
    review: String,
    state: &'static str,
    job: u64,
    job_name: String,
    team: String,
    owner: String,
    effect: &'static str,
    amount: Option<String>,
    said_by_agent: String,
    action_hash: String,
    asked_at: String,
    deadline: String,
    fallback: &'static str,
    asked: Vec<String>,
    needed: u32,
    answer: String,
    decided_by: Vec<String>,
    reason: Option<String>,
}

/// What tells one message from all others, also from another try of itself: the same for each.
pub(super) fn id(letter: &Letter) -> String {
    let Letter { review, moment, .. } = letter;
    format!("{}-{}-{}", review.id, moment.word(), review.asked.wall.0)
}

/// The JSON of a message.
pub(super) fn json(letter: &Letter) -> Vec<u8> {
    let review = &letter.review;
    let decision = review.decision.as_deref();
    let document = Document {
        r#type: format!("review.{}", letter.moment.word()),
        timestamp: letter.wall.rfc3339(),
        data: Data {
            review: review.id.to_string(),
            state: review.state.word(),
            job: review.job.0,
            job_name: clean(&letter.job_name),
            team: clean(&review.team),
            owner: clean(&review.owner),
            effect: review.ask.effect.word(),
            amount: review.action().amount.as_ref().map(ToString::to_string),
            said_by_agent: clean(&review.ask.summary),
            action_hash: review.hash_text(),
            asked_at: review.asked.wall.rfc3339(),
            deadline: review.deadline.rfc3339(),
            fallback: review.rule.fallback.word(),
            asked: names(&letter.asked),
            needed: review.rule.need,
            answer: answer(review),
            decided_by: decision.map(|decision| names(&decision.by)).unwrap_or_default(),
            reason: decision.and_then(|decision| decision.reason.as_deref()).map(clean),
        },
    };
    serde_json::to_vec(&document).unwrap_or_default()
}

/// The JSON that incoming webhooks of chats take: `{"text": …}`.
pub(super) fn chat(letter: &Letter) -> Vec<u8> {
    let text = text(letter);
    serde_json::to_vec(&serde_json::json!({ "text": text })).unwrap_or_default()
}

/// What a channel gets to read. Foreign words stand in it as text: they mention nobody and link
/// nowhere.
fn text(letter: &Letter) -> String {
    let review = &letter.review;
    let job = format!("job {} {} ({})", review.job, plain(&letter.job_name), plain(&review.team));
    let amount = review.action().amount.as_ref();
    let amount =
        amount.map_or_else(String::new, |amount| format!(" {}", plain(&amount.to_string())));
    let what = format!("{} by {job}: {}{amount}", review.id, review.ask.effect.word());
    if !letter.moment.asks() {
        let by = review.decision.as_ref().map(|decision| names(&decision.by).join(", "));
        let by = by
            .filter(|by| !by.is_empty())
            .map_or_else(String::new, |by| format!(" by {}", plain(&by)));
        return format!("{what} — {}{by}", review.state.word());
    }
    let state = match letter.moment.word() {
        "asked" => "asks".to_owned(),
        word => word.to_owned(),
    };
    let said: String = plain(&review.ask.summary).chars().take(SAID_MAX).collect();
    let said = match said.is_empty() {
        true => "the agent says nothing of it".to_owned(),
        false => format!("the agent says: {said}"),
    };
    let then = format!("{} at {}", review.rule.fallback.word(), review.deadline.rfc3339());
    let asked: Vec<String> = letter.asked.iter().map(|name| plain(name)).collect();
    format!(
        "{what} — {state} {}\n{said}\n{then} if nobody answers; hash {}\n{}",
        asked.join(", "),
        review.hash_text(),
        answer(review)
    )
}

/// How to answer: after looking.
fn answer(review: &Review) -> String {
    let id = review.id;
    format!("holdshort show {id}, then holdshort approve {id} or holdshort deny {id} --reason …")
}

fn clean(text: &str) -> String {
    sanitise(text).into_owned()
}

fn names(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| clean(name)).collect()
}

/// Text that a chat draws as it is: no mark-up, no link, no mention.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in sanitise(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A space takes a name its meaning as a mention and a bracket its link.
            '@' => out.push_str("@ "),
            '`' | '*' | '_' | '~' | '[' | ']' | '(' | ')' | '|' | '#' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.replace("://", ":/ /")
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::{At, Digest, JobId, Mono, ReviewId, Span, Wall};
    use crate::model::action::{Action, Args, EffectClass};
    use crate::model::review::{Ask, Demand, Fallback, Moment, ReviewState, Rule, Wait};

    fn rule() -> Rule {
        Rule {
            policy: None,
            version: "default".into(),
            need: 2,
            deny_at: 1,
            within: Span::hours(1),
            remind_at: 50,
            escalate_at: 80,
            fallback: Fallback::Deny,
            assurance: Demand::Any,
            grant: Span::mins(10),
            uses: 1,
            quiet: None,
        }
    }

    /// A message about a review whose agent says all kinds of things.
    pub(crate) fn letter() -> Letter {
        let at = At { now: Mono(5), wall: Wall(1_800_000_000_000) };
        let args = Args::Here(r#"{"token":"s3cret"}"#.into());
        let action = Action {
            kind: "tool".into(),
            tool: Some("payctl".into()),
            args,
            target: None,
            amount: None,
        };
        let ask = Ask {
            step: None,
            effect: EffectClass::Money,
            action,
            summary: "pay\u{1b}[2J <!channel> @here [x](http://evil)".into(),
            agent: None,
            alternatives: Vec::new(),
            conditions: Default::default(),
            wait: Wait::Park,
            key: None,
            undeclared: false,
        };
        let review = Review {
            step: None,
            id: ReviewId(17),
            job: JobId(42),
            attempt: 1,
            owner: "carl".into(),
            owner_uid: None,
            team: "fin".into(),
            ask: Arc::new(ask),
            edited: None,
            hash: Digest::of(b"it"),
            rule: Arc::new(rule()),
            asked: at,
            state: ReviewState::Open,
            since: at,
            deadline: at.wall + Span::hours(1),
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
            grant: None,
            replaces: None,
            denied_before: None,
            replaced_by: None,
        };
        Letter {
            via: "hook".into(),
            to: "ana".into(),
            moment: Moment::Asked,
            review: Arc::new(review),
            job_name: "pay".into(),
            asked: vec!["ana".into(), "bob".into()],
            wall: at.wall,
        }
    }

    #[test]
    fn the_document_says_what_is_asked_and_how_to_answer_and_no_argument() {
        let bytes = json(&letter());
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains("s3cret") && !text.contains('\u{1b}'), "{text}");
        let all: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(all["type"], "review.asked");
        let data = &all["data"];
        assert_eq!((&data["review"], &data["job"]), (&"R17".into(), &42.into()));
        assert_eq!((&data["effect"], &data["needed"]), (&"money".into(), &2.into()));
        assert_eq!(data["deadline"], "2027-01-15T09:00:00Z");
        assert_eq!(data["asked"], serde_json::json!(["ana", "bob"]));
        assert!(data["action_hash"].as_str().unwrap().starts_with("sha256:"));
        assert!(data["answer"].as_str().unwrap().contains("approve R17"));
        assert!(!data["answer"].as_str().unwrap().contains("--hash"), "there is no blind yes");
    }

    #[test]
    fn a_chat_draws_what_an_agent_says_as_text() {
        let all: serde_json::Value = serde_json::from_slice(&chat(&letter())).unwrap();
        let text = all["text"].as_str().unwrap();
        assert!(text.contains("the agent says: pay"), "{text}");
        for live in ["<!", "@here", "](", "http://"] {
            assert!(!text.contains(live), "{live} in {text}");
        }
        assert!(text.contains("asks ana, bob") && text.contains("deny at 2027-01-15"), "{text}");
    }

    #[test]
    fn each_try_of_a_message_has_the_same_id_and_each_moment_another() {
        let first = letter();
        let later = Letter { wall: first.wall + Span::hours(1), ..first.clone() };
        assert_eq!(id(&first), id(&later));
        assert_ne!(id(&first), id(&Letter { moment: Moment::Expiring, ..first }));
    }
}
