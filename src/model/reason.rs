//! Why something is not (yet) so: a stable code with the numbers behind it. The words are made
//! by `view`, the reasons by `sched/explain`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::Name;

/// Named values behind a reason or finding: `{"need_gpu_milli": 4000, "node": "n1"}`. Amounts
/// carry their unit in the name (`_milli`, `_bytes`, `_ms`, `_at` for wall milliseconds).
pub type Numbers = BTreeMap<Name, Value>;

/// A value inside [`Numbers`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Int(i64),
    /// A name.
    Text(String),
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What kind of reason.
    pub code: Code,
    /// The numbers.
    pub numbers: Numbers,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// Stable codes of reasons; the words are the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code, in order of precedence: what is about the job alone comes before
            /// what is about capacity.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The stable word.
            pub const fn word(self) -> &'static str {
                match self { $(Code::$name => $word,)* }
            }

            /// The code of a stable word.
            pub fn from_word(word: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|code| code.word() == word)
            }
        }
    };
}

codes! {
    /// It ended; nothing is waited for.
    Ended = "ended",
    /// It runs.
    Running = "running",
    /// Its processes are being started.
    Starting = "starting",
    /// It is being stopped.
    Stopping = "stopping",
    /// It asked a question at its prompt.
    AtPrompt = "at_prompt",
    /// It asked people and waits for their answer.
    InReview = "in_review",
    /// When people will probably have answered it, or that nothing is known of that.
    AnswerExpected = "answer_expected",
    /// Something is wrong with it.
    Found = "found",
    /// A person paused the job.
    Paused = "paused",
    /// A person paused everything.
    AllPaused = "all_paused",
    /// A person paused the team.
    TeamPaused = "team_paused",
    /// Other jobs must end first.
    AfterJobs = "after_jobs",
    /// A job it depends on ended the wrong way, so it can never start.
    DependencyFailed = "dependency_failed",
    /// Its time to start has not come.
    StartAt = "start_at",
    /// It waits for its children.
    Children = "children",
    /// It failed and waits before the next attempt.
    Backoff = "backoff",
    /// Its array runs as many elements at once as it may.
    ArrayThrottle = "array_throttle",
    /// No node could ever hold it.
    NeverFits = "never_fits",
    /// Its team, or one above it, may not hold more.
    OverLimit = "over_limit",
    /// It never gives way, and such jobs may hold no more of its team's quota.
    OverQuota = "over_quota",
    /// A countable resource is all held.
    ResourceBusy = "resource_busy",
    /// A countable resource's rate is used up for this minute.
    RateLimited = "rate_limited",
    /// A countable resource may not be taken by anybody for a while.
    Limited = "limited",
    /// Every node that could hold it is drained or lost.
    NodesUnavailable = "nodes_unavailable",
    /// Room is promised to it that others are giving back.
    Promised = "promised",
    /// It would fit, but would delay a job for which the room is kept.
    RoomReserved = "room_reserved",
    /// Foreign programs use the GPUs it needs.
    GpuForeign = "gpu_foreign",
    /// Not enough is free now.
    NoRoom = "no_room",
    /// The gang cannot be placed whole.
    GangIncomplete = "gang_incomplete",
    /// Frozen, and the cores it needs to go on are taken.
    ThawWaits = "thaw_waits",
    /// Its team has its share, so it takes from no other.
    AtShare = "at_share",
    /// Its team may have more, and nobody may be taken from.
    Owed = "owed",
    /// A window of its team, or of one above it, is open.
    WindowOpen = "window_open",
    /// It makes nobody give room yet.
    PreemptionDelay = "preemption_delay",
    /// It gave its room to another.
    Evicted = "evicted",
    /// Its place in the queue of its team, and what put it there.
    Turn = "turn",
    /// It is sorted above its priority.
    Boosted = "boosted",
    /// It has the priority of one that waits for it.
    Inherits = "inherits",
    /// It has a deadline.
    Deadline = "deadline",
    /// Others gave it their room and wait.
    Displaced = "displaced",
    /// Rules may take its room.
    MayGiveWay = "may_give_way",
    /// No rule takes its room.
    KeepsRoom = "keeps_room",
    /// With such a quota of its team it would start.
    QuotaWouldDo = "quota_would_do",
    /// With such a priority it would start.
    PriorityWouldDo = "priority_would_do",
}

impl Reason {
    /// A reason without numbers.
    pub fn bare(code: Code) -> Reason {
        Reason { code, numbers: Numbers::new() }
    }

    /// Adds a number.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Reason {
        self.numbers.insert(name.into(), value.into());
        self
    }
}

impl From<u64> for Value {
    fn from(n: u64) -> Value {
        Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value::Int(n)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}
