//! How a job stands against others: shares, places, boosts, who gave room to whom.

use super::super::{counted, event};
use super::{KINDS, Read, gpus};
use crate::base::quantity::format_gpu;
use crate::model::fact::Rule;
use crate::model::finding::Signal;
use crate::model::job::BoostCause;
use crate::model::reason::Code;

/// The sentence of a reason that is about standing; of any other its code.
pub(super) fn reason(code: Code, read: &Read) -> String {
    match code {
        Code::Found => found(read),
        Code::AtShare => at_share(read),
        Code::Owed => owed(read),
        Code::WindowOpen => window(read),
        Code::PreemptionDelay => {
            let until = read.day("until_at").map_or_else(String::new, |at| format!(" until {at}"));
            format!("it makes nobody give room{until}")
        }
        Code::Evicted => evicted(read),
        Code::Turn => turn(read),
        Code::Boosted => boosted(read),
        Code::Inherits => inherits(read),
        Code::Deadline => deadline(read),
        Code::Displaced => displaced(read),
        Code::MayGiveWay => may_give_way(read),
        Code::KeepsRoom => keeps_room(read),
        Code::QuotaWouldDo | Code::PriorityWouldDo => would_do(read),
        other => other.word().replace('_', " "),
    }
}

/// Of a kind of resource, the amounts that are known by these words, written with its unit:
/// `6 of 4 GPUs`.
fn pair(read: &Read, first: &str, second: &str) -> Option<String> {
    KINDS.iter().find_map(|kind| {
        let amount = |word: &str| read.amount(&format!("{word}_{}", kind.unit));
        let (first, second) = (amount(first)?, amount(second)?);
        Some(match kind.unit {
            "gpu_milli" => format!("{} of {}", format_gpu(first), gpus(second)),
            _ => format!("{} of {}", (kind.brief)(first), (kind.long)(second)),
        })
    })
}

fn one(read: &Read, word: &str) -> Option<String> {
    KINDS.iter().find_map(|kind| Some((kind.long)(read.amount(&format!("{word}_{}", kind.unit))?)))
}

fn team(read: &Read) -> String {
    read.text("team").map_or_else(|| "its team".to_owned(), |team| format!("team {team}"))
}

fn at_share(read: &Read) -> String {
    let holds = pair(read, "used", "share").map_or_else(String::new, |p| format!(" ({p} in use)"));
    let need = one(read, "need").map_or_else(String::new, |need| format!("; this needs {need}"));
    format!("{} has its share{holds}, so it takes from no other{need}", team(read))
}

fn owed(read: &Read) -> String {
    let holds = pair(read, "used", "share").map_or_else(String::new, |p| format!(" ({p} in use)"));
    let why = match (read.text("teams"), read.amount("giving")) {
        (None, _) => "no other team is over its share".to_owned(),
        (Some(teams), Some(0)) => format!("what {teams} holds over its share never gives way"),
        (Some(teams), _) => {
            format!("what {teams} holds over its share may not be taken yet, or would be no help")
        }
    };
    format!("{} may have more{holds}, but {why}", team(read))
}

/// Which window is open, and what holds once it is not.
fn window(read: &Read) -> String {
    let name = read.text("window").map_or_else(String::new, |name| format!(" {name}"));
    let until = read.clock("until_at", "zone");
    let until = until.map_or_else(String::new, |until| format!(" until {until}"));
    let after = |word: &str| {
        let now = one(read, word);
        let own = one(read, &format!("own_{word}"));
        let said = |bound: Option<String>| bound.unwrap_or_else(|| "no bound".to_owned());
        (now.is_some() || own.is_some())
            .then(|| format!("{word} {} instead of {}", said(own), said(now)))
    };
    let after: Vec<String> = ["quota", "limit"].into_iter().filter_map(after).collect();
    let after = match after.is_empty() {
        true => String::new(),
        false => format!("; afterwards {}", after.join(", ")),
    };
    format!("window{name} of {} is open{until}{after}", team(read))
}

fn rule(read: &Read) -> Option<&'static str> {
    let word = read.text("rule")?;
    let rule = Rule::ALL.into_iter().find(|rule| rule.word() == word)?;
    Some(event::rule(rule))
}

fn evicted(read: &Read) -> String {
    let what = match read.amount("tasks") {
        Some(tasks) => format!("the room of {}", counted(tasks, "task")),
        None => "its room".to_owned(),
    };
    let whom = read.text("job").map_or_else(String::new, |job| format!(" to {job}"));
    let at = read.day("since_at").map_or_else(String::new, |at| format!(" at {at}"));
    let rule = rule(read).map_or_else(String::new, |rule| format!(": {rule}"));
    let by = read.text("by").map_or_else(String::new, |by| format!(", says {by}"));
    let side = |who: &str| {
        let team = read.text(&format!("{who}_team"))?;
        let holds = pair(read, &format!("{who}_use"), &format!("{who}_share"))?;
        let quota = one(read, &format!("{who}_quota"));
        let quota = quota.map_or_else(String::new, |quota| format!(", quota {quota}"));
        Some(format!("{team} had {holds} of its share{quota}"))
    };
    let sides: Vec<String> = ["taker", "victim"].into_iter().filter_map(side).collect();
    let priorities = read.amount("taker_priority").zip(read.amount("victim_priority"));
    let numbers = match (sides.is_empty(), priorities) {
        (false, _) => format!(" ({})", sides.join("; ")),
        (true, Some((taker, own))) => format!(" ({taker} over {own})"),
        (true, None) => String::new(),
    };
    format!("it gave {what}{whom}{at}{rule}{by}{numbers}")
}

fn turn(read: &Read) -> String {
    let place = match (read.amount("position"), read.amount("queued")) {
        (Some(at), Some(of)) => format!("number {at} of {of} in {}", team(read)),
        _ => format!("waits in {}", team(read)),
    };
    let mut keys = Vec::new();
    keys.extend(read.amount("priority").map(|n| format!("priority {n}")));
    keys.extend(read.amount("sorted").map(|n| format!("sorted as {n}")));
    keys.extend(read.amount("next").map(|_| "moved to the front".to_owned()));
    keys.extend(read.amount("resumed").map(|_| "comes back".to_owned()));
    keys.extend(read.day("submitted_at").map(|at| format!("submitted {at}")));
    if keys.is_empty() { place } else { format!("{place}: {}", keys.join(", ")) }
}

fn boosted(read: &Read) -> String {
    let priority = read.amount("priority").map_or_else(String::new, |n| format!(" {n}"));
    let steps = read.amount("steps").unwrap_or(0);
    let word = read.text("cause");
    let cause = BoostCause::ALL.into_iter().find(|cause| Some(cause.word()) == word.as_deref());
    let why = match cause {
        Some(BoostCause::Ageing) => {
            let since = read.day("since_at").map_or_else(String::new, |at| format!(" since {at}"));
            format!("it has waited{since}")
        }
        Some(BoostCause::Deadline) => {
            let at = read.day("deadline_at").map_or_else(String::new, |at| format!(" at {at}"));
            format!("its deadline{at} is near")
        }
        Some(BoostCause::Retry) => "it was tried before".to_owned(),
        None => "for a reason this version does not know".to_owned(),
    };
    let sorted = read.amount("sorted").map_or_else(String::new, |n| format!(", sorted as {n}"));
    format!("priority{priority} +{}: {why}{sorted}", counted(steps, "step"))
}

fn inherits(read: &Read) -> String {
    let priority = read.amount("priority").map_or_else(String::new, |n| format!(" {n}"));
    let own = read.amount("own").map_or_else(String::new, |n| format!(" instead of {n}"));
    let job = read.text("job").unwrap_or_else(|| "another job".to_owned());
    let waits = match read.text("resource") {
        Some(resource) => format!("which waits for its {resource}"),
        None => "which comes after it".to_owned(),
    };
    format!("has priority{priority}{own} from {job}, {waits}")
}

fn deadline(read: &Read) -> String {
    let deadline = read.day("deadline_at").map_or_else(String::new, |at| format!(" by {at}"));
    match read.day("latest_start_at") {
        Some(latest) => format!("should have ended{deadline}: must start by {latest}"),
        None => format!("should have ended{deadline}"),
    }
}

fn displaced(read: &Read) -> String {
    let jobs = read.text("jobs").unwrap_or_else(|| "other jobs".to_owned());
    let more = read
        .amount("count")
        .map_or(0, |count| count.saturating_sub(jobs.split(", ").count() as u64));
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let rule = rule(read).map_or_else(String::new, |rule| format!(": {rule}"));
    format!("{jobs}{more} gave room for it{rule}")
}

fn may_give_way(read: &Read) -> String {
    let above = read.amount("priority").map_or_else(String::new, |n| format!(" above {n}"));
    let from = |name: &str| read.day(name).map_or_else(String::new, |at| format!(" from {at} on"));
    let reclaim = match pair(read, "used", "share") {
        Some(pair) => format!(
            "to teams below their share{}, for {} is over its own ({pair})",
            from("reclaim_from_at"),
            team(read)
        ),
        None => format!("not to other teams, for {} is within its share", team(read)),
    };
    format!(
        "may give way to jobs of its team with a priority{above}{}; {reclaim}",
        from("preempt_from_at")
    )
}

fn keeps_room(read: &Read) -> String {
    match read.text("for").as_deref() {
        Some("no_way_back") => "no rule takes its room: nothing says how it would come back",
        _ => "no rule takes its room: it is not preemptible",
    }
    .to_owned()
}

pub(super) fn would_do(read: &Read) -> String {
    let jobs = read.text("jobs").map_or_else(String::new, |jobs| format!(", in place of {jobs}"));
    match (one(read, "quota"), read.amount("priority")) {
        (Some(quota), _) => format!("the quota of {} is {quota}{jobs}", team(read)),
        (None, Some(priority)) => format!("its priority is {priority}{jobs}"),
        (None, None) => "its team is owed more".to_owned(),
    }
}

fn found(read: &Read) -> String {
    let word = read.text("signal");
    let signal = Signal::ALL.into_iter().find(|signal| Some(signal.word()) == word.as_deref());
    let said = signal.map_or("something is wrong with it", crate::view::words::finding::noticed);
    let evidence = read.all_but(&["signal", "level"]);
    if evidence.is_empty() { said.to_owned() } else { format!("{said} ({evidence})") }
}

/// Of several nodes, why they do not take it: `; of 12 nodes 3 lack GPUs, 2 are drained`.
pub(super) fn nodes(read: &Read) -> String {
    let Some(all) = read.amount("nodes") else { return String::new() };
    let ways = [
        ("nodes_fit", "would do"),
        ("nodes_short_gpu", "lack GPUs"),
        ("nodes_short_cpu", "lack cores"),
        ("nodes_short_mem", "lack memory"),
        ("nodes_full", "have all the tasks they take"),
        ("nodes_unfit", "are of another kind"),
        ("nodes_drained", "are drained"),
        ("nodes_down", "are lost"),
    ];
    let told = ways.iter().filter_map(|(name, what)| Some((read.amount(name)?, *what)));
    let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
    format!("; of {} {}", counted(all, "node"), told.join(", "))
}
