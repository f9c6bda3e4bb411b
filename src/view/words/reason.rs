//! Why a job is where it is, and what would change that.

mod standing;

use super::numbers::Read;
use super::{cores, exit, gpus};
use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::base::{Span, duration};
use crate::model::Reason;
use crate::model::job::Exit;
use crate::model::reason::Code;
use crate::view::sight::Sight;

/// The sentence of a reason.
pub fn reason(reason: &Reason, sight: &Sight) -> String {
    let read = Read::new(&reason.numbers, sight);
    match reason.code {
        Code::Ended => ended(&read),
        Code::Running => running(&read),
        Code::Starting => "its processes are being started".to_owned(),
        Code::Stopping => stopping(&read),
        Code::AtPrompt => at_prompt(&read),
        Code::InReview => in_review(&read),
        Code::AnswerExpected => answer_expected(&read),
        Code::Paused => held("paused", &read),
        Code::AllPaused => held("everything is paused", &read),
        Code::TeamPaused => held(&of("team", &read, "team", "is paused"), &read),
        Code::AfterJobs => {
            let jobs = read.text("jobs").or_else(|| read.text("job"));
            format!("comes after {}", jobs.unwrap_or_else(|| "other jobs".to_owned()))
        }
        Code::DependencyFailed => {
            let job = read.text("job").or_else(|| read.text("jobs"));
            let job = job.unwrap_or_else(|| "a job it depends on".to_owned());
            format!("{job} ended the wrong way, so it can never start")
        }
        Code::StartAt => at("starts", "its start time has not come", &read, "start_at"),
        Code::Children => {
            let count = read
                .amount("count")
                .map(|n| if n == 1 { "its child".to_owned() } else { format!("its {n} children") });
            let jobs = read.aside("", "jobs");
            format!("waits for {}{jobs}", count.unwrap_or_else(|| "its children".to_owned()))
        }
        Code::Backoff => backoff(&read),
        Code::ArrayThrottle => match (read.amount("running"), read.amount("throttle")) {
            (Some(running), Some(most)) => {
                format!("its array runs {running} of at most {most} elements at once")
            }
            (_, Some(most)) => format!("its array runs at most {most} elements at once"),
            _ => "its array runs as many elements at once as it may".to_owned(),
        },
        Code::NeverFits => never_fits(&read),
        Code::OverLimit => bound(&read, "the limit", ""),
        Code::OverQuota => bound(&read, "the quota", " for jobs that never give way"),
        Code::Promised => promised(&read),
        Code::RoomReserved => room_reserved(&read),
        Code::ResourceBusy => resource_busy(&read),
        Code::RateLimited => rate_limited(&read),
        Code::Limited => limited(&read),
        Code::NodesUnavailable => {
            let node = read.aside("", "node");
            format!("every node that could hold it is drained or lost{node}")
        }
        Code::GpuForeign => gpu_foreign(&read),
        Code::NoRoom => {
            let short = short(&read, "best").unwrap_or_else(|| "waits for room".to_owned());
            let (on, by) = (read.aside("on ", "node"), read.aside("held by ", "jobs"));
            format!("{short}{on}{by}{}", standing::nodes(&read))
        }
        Code::GangIncomplete => gang_incomplete(&read),
        Code::ThawWaits => match short(&read, "best") {
            Some(short) => format!("frozen, {short}"),
            None => "frozen, the cores it needs to go on are taken".to_owned(),
        },
        code => standing::reason(code, &read),
    }
}

/// What it asks at its prompt.
fn at_prompt(read: &Read) -> String {
    let since = read.day("since_at").map_or_else(String::new, |at| format!(", since {at}"));
    let asks = read.text("text").map_or_else(
        || "asked a question".to_owned(),
        |text| format!("asks {}", super::quote(&text)),
    );
    format!("{asks} at its prompt{since}")
}

/// How it ended.
fn ended(read: &Read) -> String {
    if let Some(why) = read.text("text") {
        return format!("it could not be started: {why}");
    }
    let signal = read.amount("signal").and_then(|signal| i32::try_from(signal).ok());
    match (signal, read.amount("code")) {
        (Some(signal), _) => format!("it ended by {}", exit(&Exit::Signal(signal))),
        (None, Some(code)) => format!("it ended with exit code {code}"),
        (None, None) => "it ended without an exit code".to_owned(),
    }
}

fn stopping(read: &Read) -> String {
    let why = read.text("for").and_then(|word| super::state::stop_of_word(&word));
    let why = why.map_or_else(String::new, |why| format!(": {}", super::state::stop(why)));
    format!("its processes are being ended{why}")
}

fn backoff(read: &Read) -> String {
    let which = match (read.amount("retry"), read.amount("retries")) {
        (Some(retry), Some(retries)) => format!("retry {retry} of {retries}"),
        _ => "it tries again".to_owned(),
    };
    let when = read.soon("until_at").unwrap_or_else(|| "soon".to_owned());
    format!("failed, {which} {when}")
}

fn running(read: &Read) -> String {
    match (read.amount("running").or_else(|| read.amount("count")), read.amount("gang")) {
        (Some(running), Some(gang)) if gang > 1 => format!("runs with {running} of {gang} tasks"),
        _ => "it runs".to_owned(),
    }
}

/// `word NAME rest`, without the name if there is none.
fn of(word: &str, read: &Read, name: &str, rest: &str) -> String {
    match read.text(name) {
        Some(name) => format!("{word} {name} {rest}"),
        None => format!("its {word} {rest}"),
    }
}

fn at(with: &str, without: &str, read: &Read, name: &str) -> String {
    read.day(name).map_or_else(|| without.to_owned(), |at| format!("{with} {at}"))
}

fn held(what: &str, read: &Read) -> String {
    let part = |word: &str, text: Option<String>| {
        text.map_or_else(String::new, |text| format!("{word}{text}"))
    };
    let by = part(" by ", read.text("by"));
    let since = part(" since ", read.day("since_at"));
    let until = part(" until ", read.day("until_at"));
    let why = part(": ", read.text("why"));
    format!("{what}{by}{since}{until}{why}")
}

/// What is asked for and what there is, one kind of resource at a time.
const KINDS: [Kind; 3] = [
    Kind { unit: "gpu_milli", long: gpus, brief: format_gpu },
    Kind { unit: "cpu_milli", long: cores, brief: format_cpu },
    Kind { unit: "mem_bytes", long: format_bytes, brief: format_bytes },
];

/// A kind of resource: how its numbers are named, and how they are written with and without
/// the kind's name.
struct Kind {
    unit: &'static str,
    long: fn(u64) -> String,
    brief: fn(u64) -> String,
}

/// `needs 4 GPUs on one node: best has 3 free`; kinds that suffice are left out unless all do.
fn short(read: &Read, there: &str) -> Option<String> {
    let pair = |kind: &'static Kind| {
        let need = read.amount(&format!("need_{}", kind.unit)).filter(|need| *need > 0)?;
        Some((kind, need, read.amount(&format!("{there}_{}", kind.unit))))
    };
    let mut told: Vec<_> = KINDS.iter().filter_map(pair).collect();
    let lacks = |need: u64, has: Option<u64>| has.is_some_and(|has| has < need);
    if told.iter().any(|(_, need, has)| lacks(*need, *has)) {
        told.retain(|(_, need, has)| lacks(*need, *has));
    }
    let needs: Vec<_> = told.iter().map(|(kind, need, _)| (kind.long)(*need)).collect();
    if needs.is_empty() {
        return None;
    }
    // With several kinds a bare number would not say of what.
    let write =
        |kind: &Kind, has| if told.len() == 1 { (kind.brief)(has) } else { (kind.long)(has) };
    let has: Vec<_> =
        told.iter().filter_map(|(kind, _, has)| has.map(|has| write(kind, has))).collect();
    let needs = format!("needs {} on one node", needs.join(" and "));
    Some(match (has.is_empty(), there) {
        (true, _) => needs,
        (false, "best") => format!("{needs}: best has {} free", has.join(" and ")),
        (false, _) => format!("{needs}: the largest has {}", has.join(" and ")),
    })
}

fn never_fits(read: &Read) -> String {
    if let (Some(resource), Some(need)) = (read.text("resource"), read.amount("need")) {
        let most = read.amount("count").map_or_else(String::new, |n| {
            format!(": there {} {n}", if n == 1 { "is" } else { "are" })
        });
        return format!("needs {need} of {resource}{most}, so it can never start");
    }
    let tasks = read.amount("min").or_else(|| read.amount("gang")).filter(|n| *n > 1);
    match (short(read, "largest"), tasks) {
        (Some(short), None) => format!("{short}, so it can never start"),
        (Some(short), Some(tasks)) => {
            let placed = read.amount("placed");
            let all = placed.map_or_else(String::new, |n| {
                format!(", all nodes together have room for {n} of them")
            });
            format!("{tasks} tasks, each {short}{all}, so it can never start")
        }
        (None, _) => "no node could ever hold it".to_owned(),
    }
}

/// Each task has a node it would fit on, but there is no room for all of them.
fn enough_on_one(read: &Read) -> bool {
    let fits = |kind: &Kind| {
        let need = read.amount(&format!("need_{}", kind.unit));
        let has = read.amount(&format!("largest_{}", kind.unit));
        need.zip(has).is_none_or(|(need, has)| need <= has)
    };
    read.amount("gang").is_some_and(|n| n > 1) && KINDS.iter().all(fits)
}

fn resource_busy(read: &Read) -> String {
    let resource = read.text("resource").unwrap_or_else(|| "a countable resource".to_owned());
    let need = read.amount("need").map_or_else(String::new, |n| format!("{n} of "));
    match (read.amount("free"), read.amount("count")) {
        (Some(free), Some(count)) => format!("needs {need}{resource}: {free} of {count} free"),
        (Some(free), None) => format!("needs {need}{resource}: {free} free"),
        (None, _) => format!("needs {need}{resource}: all are held"),
    }
}

/// A bound of a team that its next tasks would break.
fn bound(read: &Read, what: &str, whose: &str) -> String {
    let team = read.text("team").map_or_else(String::new, |team| format!(" of team {team}"));
    type Write = fn(u64) -> String;
    let kinds: [(&str, &str, Write); 3] = [
        ("gpu_milli", " GPUs", format_gpu),
        ("cpu_milli", " cores", format_cpu),
        ("mem_bytes", " of memory", format_bytes),
    ];
    let told = kinds.iter().find_map(|(name, unit, write)| {
        let amount = |word: &str| read.amount(&format!("{word}_{name}"));
        let (need, used, most) = (amount("need")?, amount("used")?, amount("bound")?);
        let (need, used, most) = (write(need), write(used), write(most));
        Some(format!(": needs {need}{unit}, {used} of {most} in use"))
    });
    format!("over {what}{team}{whose}{}", told.unwrap_or_default())
}

fn promised(read: &Read) -> String {
    let others = read.text("jobs").unwrap_or_else(|| "others".to_owned());
    let are = if others.chars().all(|c| c.is_ascii_digit()) { "is" } else { "are" };
    let node = read.aside("on ", "node");
    format!("room is promised to it that {others} {are} giving back{node}")
}

fn room_reserved(read: &Read<'_>) -> String {
    let holder = read.text("job").unwrap_or_else(|| "another job".to_owned());
    let from = read.day("start_at").map_or_else(String::new, |at| format!(" from {at} on"));
    let length = match read.amount("need_ms") {
        Some(ms) => format!("which it would delay: it takes up to {}", duration::short(Span(ms))),
        None => "and nobody knows whether it is over by then".to_owned(),
    };
    format!("room is kept for {holder}{from}, {length}")
}

fn rate_limited(read: &Read) -> String {
    let resource = read.text("resource").unwrap_or_else(|| "a countable resource".to_owned());
    let rate = read
        .amount("count")
        .map_or_else(|| "this minute's units".to_owned(), |n| format!("{n} a minute"));
    let next = read.day("next_at").map_or_else(String::new, |at| format!(", next {at}"));
    format!("{resource}: {rate} used up{next}")
}

fn limited(read: &Read) -> String {
    let resource = read.text("resource").unwrap_or_else(|| "a countable resource".to_owned());
    let until = read.day("until_at").map_or_else(String::new, |at| format!(" until {at}"));
    let who = read.text("job").map(|job| format!("job {job} was told so"));
    let who = who.or_else(|| read.text("by").map(|by| format!("says {by}")));
    let who = who.map_or_else(String::new, |who| format!(", {who}"));
    let why = read.text("why").map_or_else(String::new, |why| format!(": {why}"));
    format!("nobody may take {resource}{until}{who}{why}")
}

fn gpu_foreign(read: &Read) -> String {
    let count = read.amount("count").map_or_else(|| "some".to_owned(), |n| n.to_string());
    let by = read.text("by").unwrap_or_else(|| "programs that are not ours".to_owned());
    let short = short(read, "best").unwrap_or_else(|| "needs GPUs".to_owned());
    format!("{short}, {count} used by {by}{}", read.aside("on ", "node"))
}

fn gang_incomplete(read: &Read) -> String {
    let (gang, min) = (read.amount("gang"), read.amount("min"));
    let tasks = match (min, gang) {
        (Some(min), Some(gang)) if min < gang => format!("{min} of its {gang} tasks"),
        (Some(n), _) | (None, Some(n)) => format!("all {n} tasks"),
        (None, None) => "all its tasks".to_owned(),
    };
    let fit = read.amount("placed");
    let fit = fit
        .map_or_else(String::new, |n| format!(": {n} {} now", if n == 1 { "fits" } else { "fit" }));
    format!("needs room for {tasks} at once{fit}{}", standing::nodes(read))
}

/// What gives units of a countable resource back.
fn given_back(read: &Read<'_>, jobs: Option<String>) -> String {
    match (read.text("resource"), jobs) {
        (Some(resource), Some(jobs)) => format!("{jobs} gives {resource} back"),
        (Some(resource), None) => format!("a job gives {resource} back, or a higher count"),
        (None, _) => "a job gives it back".to_owned(),
    }
}

/// What it waits for people for: `asks R17 (money), since 13:00; denied at 14:00`.
fn in_review(read: &Read<'_>) -> String {
    let review = read.text("review").unwrap_or_else(|| "people".to_owned());
    let effect = read.aside("", "effect");
    let since = read.day("since_at").map_or_else(String::new, |at| format!(", since {at}"));
    if read.day("asked_back_at").is_some() {
        return format!("asks {review}{effect}{since}; it was asked back, and its clock stands");
    }
    let then = match read.text("then").as_deref() {
        Some("keep_waiting") => "asked again",
        Some("approve") => "done",
        Some("deny_and_cancel") => "denied and cancelled",
        _ => "denied",
    };
    let then = read.day("until_at").map_or_else(String::new, |at| format!("; {then} at {at}"));
    format!("asks {review}{effect}{since}{then}")
}

/// When people will probably have answered, and from what that is known.
fn answer_expected(read: &Read<'_>) -> String {
    let review = read.text("review").unwrap_or_else(|| "people".to_owned());
    let latest =
        read.day("latest_at").map_or_else(String::new, |at| format!(", {at} at the latest"));
    let (Some(from), Some(to)) = (read.day("from_at"), read.day("to_at")) else {
        let nothing =
            "nobody can say yet when it is answered: such people have not answered before";
        return format!("{review}: {nothing}{latest}");
    };
    let answers = read.amount("answers").unwrap_or(0);
    let asked = match read.text("basis").as_deref() {
        Some("hour") => " to what was asked at this hour of the week",
        Some("day") => " to what was asked at this hour of such a day",
        _ => "",
    };
    let when = if from == to { format!("~{from}") } else { format!("{from}–{to}") };
    let answers = super::counted(answers, "answer");
    let kept = match (read.text("node"), read.day("kept_at")) {
        (Some(node), Some(at)) => format!("; room is kept for it on {node} from {at} on"),
        _ => String::new(),
    };
    format!("{review} is answered {when} as a rule (from {answers}{asked}{latest}){kept}")
}

/// What people can do for a job that waits for them.
fn answer(read: &Read<'_>) -> String {
    let review = read.text("review").unwrap_or_else(|| "REVIEW".to_owned());
    format!("an answer: holdshort approve {review}, or deny {review} --reason …")
}

/// What would let something fit that never does.
fn ask_for_less(read: &Read<'_>) -> &'static str {
    match short(read, "largest") {
        _ if enough_on_one(read) => "ask for fewer tasks at once, or add a node",
        Some(_) => "ask for no more than the largest node has, or add a node",
        None => "ask for less, or add a node",
    }
}

/// What ends the limit of a countable resource.
fn lifted(read: &Read<'_>) -> String {
    let resource = read.text("resource").unwrap_or_else(|| "RESOURCE".to_owned());
    let when = at("it is", "its limit ends", read, "until_at");
    format!("{when}, or holdshort limit {resource} --lift")
}

/// What would change it: a condition that can come true, or what a person can do.
pub fn change(reason: &Reason, sight: &Sight) -> String {
    let read = Read::new(&reason.numbers, sight);
    let jobs = || read.text("jobs").or_else(|| read.text("job"));
    let job = || read.text("job").unwrap_or_else(|| "JOB".to_owned());
    match reason.code {
        Code::Ended => format!("holdshort again {} runs it as a new job", job()),
        Code::Running => match jobs() {
            Some(job) => format!("{job} ends"),
            None => "nothing: it is under way".to_owned(),
        },
        Code::Starting | Code::Stopping => "nothing: it is under way".to_owned(),
        Code::AtPrompt => format!("an answer: holdshort send {} TEXT", job()),
        Code::InReview => answer(&read),
        Code::Paused => format!("holdshort resume {}", job()),
        Code::AllPaused => "holdshort resume all".to_owned(),
        Code::TeamPaused => {
            let team = read.text("team").unwrap_or_else(|| "NAME".to_owned());
            format!("holdshort resume team:{team}")
        }
        Code::AfterJobs => {
            let jobs = jobs().unwrap_or_else(|| "those jobs".to_owned());
            let one = jobs.chars().all(|c| c.is_ascii_digit());
            format!("{jobs} {}", if one { "ends" } else { "end" })
        }
        Code::DependencyFailed => "cancel it, or submit it again without --after".to_owned(),
        Code::StartAt => at("it is", "its start time comes", &read, "start_at"),
        Code::Children => "its children end".to_owned(),
        Code::Backoff => at("it is", "the pause is over", &read, "until_at"),
        Code::ArrayThrottle => "an element of its array ends".to_owned(),
        Code::NeverFits => ask_for_less(&read).to_owned(),
        Code::ResourceBusy => given_back(&read, jobs()),
        Code::Limited => lifted(&read),
        Code::RateLimited => at("it is", "a minute passes", &read, "next_at"),
        Code::NodesUnavailable => {
            let node = read.text("node").unwrap_or_else(|| "NODE".to_owned());
            format!("holdshort undrain {node}")
        }
        Code::GpuForeign => "the other programs end".to_owned(),
        Code::OverLimit => "jobs of the team end, or a higher limit".to_owned(),
        Code::OverQuota => "jobs of the team end, --preemptible, or a higher quota".to_owned(),
        Code::Promised => "those others end".to_owned(),
        Code::Found => format!("a look: holdshort show {0}, holdshort logs {0}", job()),
        Code::PreemptionDelay => at("it is", "the delay is over", &read, "until_at"),
        Code::QuotaWouldDo | Code::PriorityWouldDo => standing::would_do(&read),
        Code::AnswerExpected
        | Code::AtShare
        | Code::Owed
        | Code::WindowOpen
        | Code::Evicted
        | Code::Turn
        | Code::Boosted
        | Code::Inherits
        | Code::Deadline
        | Code::Displaced
        | Code::MayGiveWay
        | Code::KeepsRoom => "nothing by itself".to_owned(),
        Code::RoomReserved => match read.amount("need_ms") {
            Some(_) => "that job starts, or it is expected to end sooner".to_owned(),
            None => "that job starts, or say with --estimate how long it runs".to_owned(),
        },
        Code::NoRoom | Code::GangIncomplete | Code::ThawWaits => match jobs() {
            Some(jobs) => format!("{jobs} {}", if jobs.contains(',') { "end" } else { "ends" }),
            None => "running jobs end, or it asks for less".to_owned(),
        },
    }
}

#[cfg(test)]
#[path = "reason/tests.rs"]
mod tests;
