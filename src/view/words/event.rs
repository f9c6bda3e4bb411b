//! One sentence for each kind of fact.

use std::collections::BTreeMap;

use super::state::{exit, outcome, stop};
use super::{amounts, because, cores, counted, finding, gpus, quote};
use crate::base::calendar::clock_in;
use crate::base::quantity::{format_bytes, format_gpu};
use crate::base::text::sanitise;
use crate::base::{JobId, Mono, Name, TaskId, duration};
use crate::model::command::Report;
use crate::model::fact::{Class, Eviction, Rule};
use crate::model::job::{Cause, Hold, JobSpec, Placement};
use crate::model::page::EvictedBy;
use crate::model::team::Terms;
use crate::model::{Fact, Resources};
use crate::view::sight::Sight;

/// What became so; begins with the job's number if it is about a job.
pub fn event(fact: &Fact, sight: &Sight) -> String {
    match fact {
        Fact::JobSubmitted { job, spec, owner, .. } => {
            format!("{job} submitted by {}: {}", sanitise(owner), asked_for(spec))
        }
        Fact::KeyUsed { first, count, .. } => {
            let jobs = counted(u64::from(*count), "job");
            format!("an idempotency key stands for {jobs} from {first} on")
        }
        Fact::JobQueued { job } => format!("{job} queued"),
        Fact::JobWaits { job, cause } => format!("{job} waits {}", cause_words(*cause, sight)),
        Fact::JobHeld { job, hold } => format!("{job} paused {}", hold_words(hold, sight)),
        Fact::JobReleased { job, by } => format!("{job} resumed by {}", sanitise(by)),
        Fact::JobPaused { job } => format!("{job} is paused"),
        Fact::JobFrozen { job, class } => format!("{job} frozen{}", booked(*class)),
        Fact::JobThawed { job, .. } => format!("{job} goes on"),
        Fact::AttemptBegan { job, attempt, resume } => {
            let back = if *resume { ", comes back" } else { "" };
            format!("{job} begins attempt {attempt}{back}")
        }
        Fact::JobRunning { job } => format!("{job} runs"),
        Fact::JobStopping { job, why, by, reason, .. } => {
            let reason = reason.as_deref().map_or_else(String::new, |r| format!(": {}", quote(r)));
            format!("{job} is told to end by {}, {}{reason}", sanitise(by), stop(*why))
        }
        Fact::AttemptEnded { job, stopped_for, exit: ended } => {
            let how = ended.as_ref().map_or_else(String::new, |e| format!(": {}", exit(e)));
            let why = stopped_for.map_or_else(String::new, |why| format!(", {}", stop(why)));
            format!("{job} ended its attempt{how}{why}")
        }
        Fact::RetryCounted { job } => format!("{job} is tried again"),
        Fact::JobEnded { job, outcome: how } => format!("{job} {}", outcome(*how)),
        Fact::JobForgotten { job } => format!("{job} left the list of jobs at hand"),
        Fact::JobChanged { job, spec, by } => {
            format!("{job} changed by {}: {}", sanitise(by), asked_for(spec))
        }
        Fact::JobMovedUp { job, by, .. } => {
            format!("{job} moved to the front of its team by {}", sanitise(by))
        }
        Fact::CancelScheduled { job, due, by, reason } => {
            let why =
                reason.as_ref().map_or_else(String::new, |why| format!(": {}", sanitise(why)));
            format!("{job} will be cancelled at {} by {}{why}", sight.day(due.wall), sanitise(by))
        }
        Fact::CancelRevoked { job, by } => format!("{job} is kept, says {}", sanitise(by)),
        Fact::JobAcked { job, by } => format!("{job} seen by {}", sanitise(by)),
        Fact::JobReported { job, report } => reported(*job, report),
        Fact::PromptOver { job, by } => match by {
            Some(by) => format!("{job} was answered by {}", sanitise(by)),
            None => format!("{job} asks no more"),
        },
        Fact::Found { job, signal, level, evidence } => {
            let found = crate::model::Finding {
                signal: *signal,
                level: *level,
                since: sight.now,
                evidence: evidence.clone(),
                acked: None,
            };
            format!("{job} {} [{}]", finding(&found, sight), level.word())
        }
        Fact::FindingOver { job, signal } => format!("{job} is well again: {}", signal.word()),
        Fact::ReservationMade { .. }
        | Fact::ReservationMoved { .. }
        | Fact::ReservationOver { .. } => reservation(fact, sight),
        _ => marked(fact, sight).unwrap_or_else(|| task_or_place(fact, sight)),
    }
}

/// Facts that change what is asked of people or what lifts a job.
fn marked(fact: &Fact, sight: &Sight) -> Option<String> {
    asked(fact, sight).or_else(|| lifted(fact, sight))
}

/// Facts about what is asked of people.
fn asked(fact: &Fact, sight: &Sight) -> Option<String> {
    Some(match fact {
        Fact::JobInReview { job } => format!("{job} waits for people"),
        Fact::Review { review, job, fact } => super::review::fact(*job, *review, fact, sight),
        Fact::SeatsHandedOn { from, to, until, .. } => {
            let from = sanitise(from);
            let until = until.map_or_else(String::new, |at| format!(" until {}", sight.day(at)));
            match to {
                Some(to) => format!("{} decides for {from}{until}", sanitise(to)),
                None => format!("{from} decides again"),
            }
        }
        _ => return None,
    })
}

/// Facts about room that is kept.
fn reservation(fact: &Fact, sight: &Sight) -> String {
    match fact {
        Fact::ReservationMade { job, at, room, .. } => {
            format!("{job} has room reserved {}", reserved(*at, room, sight))
        }
        Fact::ReservationMoved { job, at, room, .. } => {
            format!("{job} now has room reserved {}", reserved(*at, room, sight))
        }
        Fact::ReservationOver { job } => format!("{job} has no room reserved any more"),
        _ => String::new(),
    }
}

/// Facts about what lifts a job, and about resources that are closed.
fn lifted(fact: &Fact, sight: &Sight) -> Option<String> {
    Some(match fact {
        Fact::ReasonGiven { job, by, reason } => {
            format!("{job} has a reason from {}: {}", sanitise(by), quote(reason))
        }
        Fact::JobBoosted { job, cause, steps } => {
            let why = super::urgency::boost(*cause);
            match steps {
                0 => format!("{job} is no longer sorted higher {why}"),
                steps => {
                    let steps = counted(u64::from(*steps), "step");
                    format!("{job} is sorted {steps} higher {why}")
                }
            }
        }
        Fact::JobDue { job, latest_start } => match latest_start {
            Some(at) => format!("{job} must start by {} to meet its deadline", sight.day(*at)),
            None => format!("{job} has no deadline to meet"),
        },
        Fact::JobInherits { job, from } => super::urgency::inherits(*job, from.as_ref()),
        Fact::ResourceLimited { resource, limited } => {
            format!("{} is {}", sanitise(resource), super::urgency::closed(limited, sight))
        }
        Fact::LimitLifted { resource, by } => {
            format!("{} may be taken again, says {}", sanitise(resource), sanitise(by))
        }
        _ => return None,
    })
}

/// From when on, and what where.
fn reserved(at: Mono, room: &BTreeMap<Name, Resources>, sight: &Sight) -> String {
    let each = room.iter().map(|(node, kept)| format!("{} on {}", amounts(kept), sanitise(node)));
    let room = each.collect::<Vec<_>>().join("; ");
    let room = if room.is_empty() { room } else { format!(": {room}") };
    format!("from {}{room}", sight.day(sight.wall_at(at)))
}

/// Facts about a task, a node, a team or the server.
fn task_or_place(fact: &Fact, sight: &Sight) -> String {
    match fact {
        Fact::TaskPlaced { task, placement, .. } => {
            format!("{} has room on {}", named(*task), place(placement))
        }
        Fact::TaskNominated { task, placement } => {
            format!("{} is promised room on {}", named(*task), place(placement))
        }
        Fact::NominationOver { task } => format!("{} is promised no room now", named(*task)),
        Fact::TaskStopping { task, .. } => format!("{} gives its room back", named(*task)),
        Fact::DevicesLent { task } => format!("{} lends its devices out", named(*task)),
        Fact::JobEvicted { job, eviction } => evicted(*job, eviction),
        Fact::TeamSet { team, terms, by } => {
            let (team, by) = (sanitise(team), sanitise(by));
            format!("team {team} has {} (set by {by})", terms_words(terms))
        }
        Fact::TeamRemoved { team, by } => {
            format!("team {} removed by {}", sanitise(team), sanitise(by))
        }
        Fact::TaskStarted { task, pid, .. } => format!("{} runs as process {pid}", named(*task)),
        Fact::TaskEnded { task, exit: how, ended } => {
            let then = ended.map_or_else(String::new, |at| format!(" at {}", sight.day(at.wall)));
            format!("{} ended{then}: {}", named(*task), exit(how))
        }
        Fact::Looked { user, .. } => format!("{} has looked at what ended", sanitise(user)),
        Fact::AtPrompt { task, text } => format!("{} asks {}", named(*task), quote(text)),
        Fact::CycleDue { at: Some(_) } => "what could be moved or stopped is looked at soon".into(),
        Fact::CycleDue { at: None } => "what could be moved or stopped was looked at".into(),
        Fact::RateUsed { resource, units } => {
            format!("{} of {} taken", counted(*units, "unit"), sanitise(resource))
        }
        Fact::TeamPaused { team, hold } => {
            format!("{} paused {}", team_words(team.as_deref()), hold_words(hold, sight))
        }
        Fact::TeamResumed { team, by } => {
            format!("{} resumed by {}", team_words(team.as_deref()), sanitise(by))
        }
        Fact::NodeSeen { name, capacity, .. } => {
            format!("node {} has {}", sanitise(name), amounts(capacity))
        }
        Fact::NodeDrained { node, on, by, reason } => {
            let what = if *on { "drained" } else { "takes work again, said" };
            let by_word = if *on { " by" } else { "" };
            let why = because(reason.as_deref());
            format!("node {} {what}{by_word} {}{why}", sanitise(node), sanitise(by))
        }
        Fact::NodeWarned { node, due, by } => {
            let (node, by) = (sanitise(node), sanitise(by));
            format!("node {node} vanishes at {}, says {by}", sight.second(due.wall))
        }
        Fact::GpuForeign { node, index, by } => {
            let node = sanitise(node);
            match by {
                Some(by) => format!("GPU {index} of {node} is used by {}", sanitise(by)),
                None => format!("GPU {index} of {node} is free for us again"),
            }
        }
        Fact::Configured(setup) => {
            let teams = counted(setup.teams.len() as u64, "team");
            let resources = counted(setup.resources.len() as u64, "resource");
            let users = counted(setup.users.len() as u64, "user");
            format!("configuration took effect: {teams}, {resources}, {users}")
        }
        Fact::Started { .. } => "the server started".to_owned(),
        Fact::Down { from, to, .. } => {
            format!("the machine was off or asleep for {}", between(*from, *to))
        }
        other => coming_and_going(other, sight),
    }
}

/// Facts about windows of teams, nodes of pools and services.
fn coming_and_going(fact: &Fact, sight: &Sight) -> String {
    match fact {
        Fact::WindowOpened { team, window, zone, until, terms } => {
            let (team, window) = (sanitise(team), sanitise(window));
            let until = clock_in(zone, *until, sight.now.wall);
            format!("window {window} of team {team}: {} until {until}", terms_words(terms))
        }
        Fact::WindowClosed { team, window } => {
            let (team, window) = (sanitise(team), sanitise(window));
            format!("window {window} of team {team} is over: its own terms hold again")
        }
        Fact::PoolGrew { pool, node } => {
            format!("pool {} grows by {}", sanitise(pool), sanitise(node))
        }
        Fact::PoolShrank { pool, node } => {
            format!("pool {} gives {} back", sanitise(pool), sanitise(node))
        }
        Fact::PoolFailed { pool, node, up, said } => {
            let what = if *up { "made" } else { "taken away" };
            let (pool, node) = (sanitise(pool), sanitise(node));
            format!("{node} of pool {pool} could not be {what}: {}", sanitise(said))
        }
        Fact::ServiceRestarts { job, short } => match short {
            0 | 1 => format!("{job} is a service and starts again"),
            short => format!("{job} is a service and starts again; {short} short runs in a row"),
        },
        // Facts about jobs are said above; a new kind still shows by its word.
        other => other.word().replace('_', " "),
    }
}

/// Who takes its room, by which rule.
fn evicted(job: JobId, eviction: &Eviction) -> String {
    let what = match eviction.ranks.as_slice() {
        [] => format!("{job}"),
        [rank] => format!("{job} task {rank}"),
        ranks => format!("{} tasks of {job}", ranks.len()),
    };
    format!("{what} {}", self::eviction(eviction))
}

/// What a job does at an eviction: `gives room to 7: a more urgent job of its team`.
pub fn eviction(eviction: &Eviction) -> String {
    let moved = if eviction.moved { "moves" } else { "gives room" };
    let whom = eviction.taker.map_or_else(String::new, |taker| format!(" to {taker}"));
    let by = eviction.by.as_ref().map_or_else(String::new, |by| format!(", says {}", sanitise(by)));
    format!("{moved}{whom}: {}{by}", rule(eviction.rule))
}

/// The same in a row: `evicted by 12 (preempt)`.
pub fn evicted_by(by: &EvictedBy) -> String {
    let whom = match (&by.taker, &by.by) {
        (Some(taker), _) => format!(" by {taker}"),
        (None, Some(person)) => return format!("evicted by {}", sanitise(person)),
        (None, None) => String::new(),
    };
    let rule = match by.rule {
        Rule::ReclaimFairness | Rule::ReclaimQuota => "reclaim".to_owned(),
        rule => rule.word().replace('_', " "),
    };
    format!("evicted{whom} ({rule})")
}

/// The rule in words.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Consolidate => "packed closer for a larger job",
        Rule::ReclaimFairness => "its team holds more than its fair share",
        Rule::ReclaimQuota => "its team is over quota, the other within its own",
        Rule::Preempt => "a higher priority in its team",
        Rule::StaleGang => "its gang was below its minimum for too long",
        Rule::Overstayed => "it stayed longer than it said, before a reservation",
        Rule::Spot => "its node is about to vanish",
        Rule::Person => "at a person's order",
    }
}

fn terms_words(terms: &Terms) -> String {
    let amounts = |name: &str, bounds: &crate::model::team::Bounds| {
        let gpu = bounds.gpu_milli.map(|n| format!("{name} {}", gpus(n)));
        let cpu = bounds.cpu_milli.map(|n| format!("{name} {}", cores(n)));
        let mem = bounds.mem_bytes.map(|n| format!("{name} {}", format_bytes(n)));
        gpu.into_iter().chain(cpu).chain(mem).collect::<Vec<_>>()
    };
    let mut parts = amounts("quota", &terms.quota);
    parts.extend(amounts("limit", &terms.limit));
    parts.push(format!("weight {}", format_gpu(terms.weight.gpu)));
    parts.push(format!("priority {}", terms.priority));
    parts.join(", ")
}

fn between(from: Mono, to: Mono) -> String {
    duration::prose(to.since(from))
}

fn named(task: TaskId) -> String {
    let JobId(job) = task.job;
    format!("{job} task {}", task.rank)
}

fn place(placement: &Placement) -> String {
    let node = sanitise(&placement.node);
    if placement.gpus.is_empty() {
        return node.into_owned();
    }
    let devices: Vec<_> = placement.gpus.iter().map(|share| share.index.to_string()).collect();
    format!("{node}, GPU {}", devices.join(" "))
}

fn asked_for(spec: &JobSpec) -> String {
    let gang =
        if spec.gang.size > 1 { format!("{} tasks of ", spec.gang.size) } else { String::new() };
    let name = sanitise(&spec.name);
    let team = sanitise(&spec.team);
    format!("{name} in {team}, priority {}, {gang}{}", spec.priority, amounts(&spec.request))
}

fn team_words(team: Option<&str>) -> String {
    team.map_or_else(|| "everything".to_owned(), |team| format!("team {}", sanitise(team)))
}

fn hold_words(hold: &Hold, sight: &Sight) -> String {
    let until = hold.until.map_or_else(String::new, |at| format!(" until {}", sight.day(at)));
    let reason = because(hold.reason.as_deref());
    format!("by {}{until}{reason}", sanitise(&hold.by))
}

fn cause_words(cause: Cause, sight: &Sight) -> String {
    match cause {
        Cause::After => "for other jobs".to_owned(),
        Cause::StartAt => "for its start time".to_owned(),
        Cause::Children => "for its children".to_owned(),
        Cause::Backoff(until) => format!("until {} before it tries again", sight.day(until)),
    }
}

fn booked(class: Class) -> &'static str {
    if matches!(class, Class::Held | Class::Parked) { ", memory and devices stay held" } else { "" }
}

fn reported(job: JobId, report: &Report) -> String {
    match report {
        Report::Checkpoint { path, basis_points } => {
            let path = path.as_deref().map_or_else(String::new, |p| format!(" to {}", sanitise(p)));
            format!("{job} saved itself{path}{}", percent(*basis_points))
        }
        Report::Progress { basis_points, text } => {
            let text = text.as_deref().map_or_else(String::new, |t| format!(" {}", quote(t)));
            format!("{job} reports progress{}{text}", percent(*basis_points))
        }
        Report::Scale { size } => format!("{job} wants {}", counted(u64::from(*size), "task")),
        Report::Heartbeat => format!("{job} is alive"),
        Report::Limited { resource, .. } => {
            format!("{job} was told to take no more of {} for now", sanitise(resource))
        }
        Report::Usage { amounts, .. } => {
            let parts: Vec<_> =
                amounts.iter().map(|(k, n)| format!("{} {n}", sanitise(k))).collect();
            format!("{job} used {}", parts.join(", "))
        }
    }
}

fn percent(basis_points: Option<u32>) -> String {
    basis_points.map_or_else(String::new, |bp| format!(" at {}", super::percent(bp)))
}

#[cfg(test)]
#[path = "event/tests.rs"]
mod tests;
