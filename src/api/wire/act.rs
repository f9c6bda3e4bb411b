//! Something to do with jobs.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::WireError;
use super::time::Time;
use crate::base::{JobId, Span};
use crate::model::command::{Change, Verb};

/// Do something with jobs: all of them or, if one refuses, none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActRequest {
    /// The jobs.
    pub jobs: Vec<u64>,
    /// `cancel`, `keep`, `pause`, `resume`, `requeue`, `preempt`, `next`, `ack`, `set` or
    /// `answered`.
    pub verb: String,
    /// `cancel`, `pause`, `resume`, `requeue`, `preempt`, `next`, `set`: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `cancel`: takes effect after this many milliseconds, unless `keep` takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// `pause`: lifts by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// `set`: what changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<Set>,
}

/// What changes; a missing key leaves a thing as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Set {
    /// New priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u16>,
    /// New team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// New time limit in milliseconds; null removes it.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub time_limit_ms: Option<Option<u64>>,
    /// New deadline; null removes it.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Time>)]
    pub deadline: Option<Option<Time>>,
    /// Whether it may be stopped to make room for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemptible: Option<bool>,
}

/// Tells null from a missing key.
fn given<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

impl ActRequest {
    /// The document of a verb on jobs.
    pub fn new(jobs: &[JobId], verb: Verb) -> ActRequest {
        let mut made =
            ActRequest { jobs: jobs.iter().map(|job| job.0).collect(), ..ActRequest::default() };
        let verb = match verb {
            Verb::Because { verb, reason } => {
                made.reason = Some(reason);
                *verb
            }
            verb => verb,
        };
        let word = match verb {
            // A reason for a reason says no more.
            Verb::Because { verb, .. } => return ActRequest::new(jobs, *verb),
            Verb::Cancel { reason } => {
                made.reason = reason;
                "cancel"
            }
            Verb::CancelIn { after, reason } => {
                (made.after_ms, made.reason) = (Some(after.0), reason);
                "cancel"
            }
            Verb::Keep => "keep",
            Verb::Pause { until, reason } => {
                (made.until, made.reason) = (until.map(Time), reason);
                "pause"
            }
            Verb::Resume => "resume",
            Verb::Requeue => "requeue",
            Verb::Preempt => "preempt",
            Verb::Next => "next",
            Verb::Ack => "ack",
            Verb::Set(change) => {
                made.set = Some(Set {
                    priority: change.priority,
                    team: change.team.map(|team| team.to_string()),
                    time_limit_ms: change.time_limit.map(|limit| limit.map(|span| span.0)),
                    deadline: change.deadline.map(|deadline| deadline.map(Time)),
                    preemptible: change.preemptible,
                });
                "set"
            }
            Verb::Answered => "answered",
        };
        made.verb = word.to_owned();
        made
    }

    /// The jobs and the verb.
    ///
    /// # Errors
    /// When no job is named, the verb is unknown, or a key does not belong to it.
    pub fn into_model(self) -> Result<(Vec<JobId>, Verb), WireError> {
        if self.jobs.is_empty() {
            return Err(WireError("jobs is empty: every act needs a target".to_owned()));
        }
        let foreign = match self.verb.as_str() {
            "cancel" => self.until.map(|_| "until").or(self.set.as_ref().map(|_| "set")),
            "pause" => self.set.as_ref().map(|_| "set").or(self.after_ms.map(|_| "after_ms")),
            verb => {
                let set = self.set.as_ref().filter(|_| verb != "set").map(|_| "set");
                let takes = matches!(verb, "requeue" | "preempt" | "next" | "set" | "resume");
                let reason = self.reason.as_ref().filter(|_| !takes).map(|_| "reason");
                let after = self.after_ms.map(|_| "after_ms");
                self.until.map(|_| "until").or(reason).or(set).or(after)
            }
        };
        if let Some(key) = foreign {
            return Err(WireError(format!("{key:?} does not belong to verb {:?}", self.verb)));
        }
        let verb = match self.verb.as_str() {
            "cancel" => match self.after_ms {
                Some(ms) => Verb::CancelIn { after: Span(ms), reason: self.reason },
                None => Verb::Cancel { reason: self.reason },
            },
            "keep" => Verb::Keep,
            "pause" => Verb::Pause { until: self.until.map(|time| time.0), reason: self.reason },
            "resume" => Verb::Resume.because(self.reason),
            "requeue" => Verb::Requeue.because(self.reason),
            "preempt" => Verb::Preempt.because(self.reason),
            "next" => Verb::Next.because(self.reason),
            "ack" => Verb::Ack,
            "set" => {
                let change = self.set.ok_or_else(|| WireError::missing("set"))?.into();
                Verb::Set(change).because(self.reason)
            }
            "answered" => Verb::Answered,
            other => return Err(WireError::unknown("verb", other)),
        };
        Ok((self.jobs.into_iter().map(JobId).collect(), verb))
    }
}

impl From<Set> for Change {
    fn from(from: Set) -> Change {
        Change {
            priority: from.priority,
            team: from.team.map(Into::into),
            time_limit: from.time_limit_ms.map(|limit| limit.map(Span)),
            deadline: from.deadline.map(|deadline| deadline.map(|time| time.0)),
            preemptible: from.preemptible,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Wall;

    #[test]
    fn every_verb_reads_back() {
        let verbs = [
            Verb::Cancel { reason: Some("wrong data".into()) },
            Verb::Pause { until: Some(Wall(60_000)), reason: None },
            Verb::Resume,
            Verb::Requeue,
            Verb::Preempt,
            Verb::Next,
            Verb::Ack,
            Verb::Set(Change { priority: Some(7), ..Change::default() }),
            Verb::Set(Change { time_limit: Some(None), ..Change::default() }),
            Verb::Set(Change { time_limit: Some(Some(Span(9))), ..Change::default() }),
            Verb::Set(Change { preemptible: Some(true), ..Change::default() }),
            Verb::Set(Change { deadline: Some(None), ..Change::default() }),
            Verb::Answered,
            Verb::Next.because(Some("demo at noon".into())),
            Verb::Set(Change { priority: Some(7), ..Change::default() })
                .because(Some("demo".into())),
        ];
        for verb in verbs {
            let request = ActRequest::new(&[JobId(4), JobId(2)], verb.clone());
            let text = serde_json::to_string(&request).unwrap();
            let back: ActRequest = serde_json::from_str(&text).unwrap();
            assert_eq!(back.into_model(), Ok((vec![JobId(4), JobId(2)], verb)), "{text}");
        }
    }

    #[test]
    fn what_does_not_belong_is_refused() {
        let read = |text: &str| {
            serde_json::from_str::<ActRequest>(text)
                .map_err(|error| error.to_string())
                .and_then(|act| act.into_model().map_err(|error| error.0))
        };
        assert!(read(r#"{"jobs":[],"verb":"cancel"}"#).unwrap_err().contains("target"));
        assert!(read(r#"{"jobs":[1],"verb":"explode"}"#).unwrap_err().contains("explode"));
        assert!(read(r#"{"jobs":[1],"verb":"ack","reason":"x"}"#).unwrap_err().contains("reason"));
        assert!(read(r#"{"jobs":[1],"verb":"set"}"#).unwrap_err().contains("missing"));
        assert!(read(r#"{"jobs":[1],"verb":"ack","force":true}"#).unwrap_err().contains("force"));
    }
}
