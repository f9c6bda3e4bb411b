//! The table of actions.

use super::{Action, Danger, act, look, review, team, undo};
use crate::tui::panes::Kind;

const EVERYWHERE: &[Kind] = &[];
const HOME: &[Kind] = &[Kind::Home];
const LOG: &[Kind] = &[Kind::Log];
const TERMINAL: &[Kind] = &[Kind::Terminal];
const NODES: &[Kind] = &[Kind::Nodes];
const TEAMS: &[Kind] = &[Kind::Teams];
const HOURS: &[Kind] = &[Kind::Hours];
const REVIEW: &[Kind] = &[Kind::Review];
const LOGS_FROM: &[Kind] =
    &[Kind::Home, Kind::Job, Kind::Terminal, Kind::Events, Kind::Hours, Kind::Review];
const TERMINALS_FROM: &[Kind] = &[Kind::Home, Kind::Job, Kind::Log, Kind::Events, Kind::Review];
/// Panes with a job in them.
const JOBS: &[Kind] = &[Kind::Home, Kind::Job, Kind::Log, Kind::Terminal, Kind::Events];
const LISTS: &[Kind] = &[Kind::Home, Kind::Events, Kind::Nodes, Kind::Teams, Kind::Hours];
const JOB: &[Kind] = &[Kind::Job];
/// Where `r` is not another task's output.
const NOT_OUTPUT: &[Kind] = &[
    Kind::Home,
    Kind::Job,
    Kind::Nodes,
    Kind::Teams,
    Kind::Hours,
    Kind::Events,
    Kind::Messages,
    Kind::Review,
];
/// Where `v` does not show the bytes of a review.
const NOT_REVIEW: &[Kind] = &[
    Kind::Home,
    Kind::Job,
    Kind::Log,
    Kind::Terminal,
    Kind::Nodes,
    Kind::Teams,
    Kind::Hours,
    Kind::Events,
    Kind::Messages,
];
const SEARCHED: &[Kind] = &[Kind::Home, Kind::Log, Kind::Events];

macro_rules! action {
    ($name:literal, [$($key:literal),*], $danger:ident, $panes:expr, $footer:literal, $help:literal,
     $when:expr, $run:expr) => {
        Action {
            name: $name,
            keys: &[$($key),*],
            help: $help,
            footer: $footer,
            danger: Danger::$danger,
            panes: $panes,
            when: $when,
            run: $run,
        }
    };
}

/// Every action.
#[rustfmt::skip]
pub const TABLE: &[Action] = &[
    // What needs somebody, and the way around.
    action!("next-needing", ["n"], Looks, HOME, "next",
        "to the next thing that needs somebody", look::always, look::next_needing),
    action!("open", ["enter", "w"], Looks, LISTS, "open",
        "open what is chosen: why, timeline, attempts", look::always, look::open),
    action!("review", ["enter"], Looks, JOB, "review",
        "what the job asks, or asked last", look::has_review, look::open),
    action!("back", ["esc"], Looks, EVERYWHERE, "",
        "one step back", look::always, look::back),
    action!("close", ["q"], Looks, EVERYWHERE, "",
        "close the pane; in the list: leave, jobs go on", look::always, look::close),
    action!("approve", ["A"], Acts, REVIEW, "approve",
        "say yes to exactly these bytes: asks first", review::can_approve, review::approve),
    action!("deny", ["D"], Acts, REVIEW, "deny",
        "say no, with a reason; the job may stop", review::can_answer, review::deny),
    action!("edit", ["E"], Acts, REVIEW, "edit",
        "change what it is about: new hash, all votes are void", review::can_answer, review::edit),
    action!("ask-back", ["C"], Acts, REVIEW, "ask back",
        "ask the job something; the clock stops until it answers", review::can_answer,
        review::ask_back),
    action!("delegate", ["T"], Acts, REVIEW, "delegate",
        "hand your seat to somebody else", review::can_answer, review::delegate),
    action!("escalate", ["X"], Acts, REVIEW, "",
        "ask the next people too", review::is_open, review::escalate),
    action!("extend", ["N"], Acts, REVIEW, "",
        "not yet: more time before silence decides", review::is_open, review::extend),
    action!("revoke", ["R"], Acts, REVIEW, "take back",
        "take back a yes that was not used yet, or your own vote", review::can_revoke, review::revoke),
    action!("bytes", ["v"], Looks, REVIEW, "bytes",
        "only the bytes, or everything again", look::always, review::bytes),
    action!("review-job", ["w"], Looks, REVIEW, "",
        "the job that asks", look::has_job, look::job),
    action!("log", ["l"], Looks, LOGS_FROM, "log",
        "output of the job", look::has_job, look::log),
    action!("terminal", ["t"], Looks, TERMINALS_FROM, "terminal",
        "terminal of the job", look::has_terminal, look::terminal),
    action!("send", ["S"], Acts, JOBS, "answer",
        "answer at the job's prompt", act::can_send, act::send),
    action!("pause", ["P"], Acts, JOBS, "pause",
        "hold back: parks what can resume, freezes the rest", act::can_pause, act::pause),
    action!("resume", ["R"], Acts, JOBS, "resume",
        "lift a hold", act::can_resume, act::resume),
    action!("cancel", ["K"], Destroys, JOBS, "cancel",
        "end for good", act::can_cancel, act::cancel),
    action!("filter", ["/"], Looks, SEARCHED, "filter",
        "filter (in a log: search) as you type", look::always, look::filter),
    action!("requeue", ["Q"], Destroys, JOBS, "",
        "stop and queue again", act::can_requeue, act::requeue),
    action!("preempt", ["X"], Destroys, JOBS, "",
        "give its room to others: it stops, queues again and comes back", act::can_preempt,
        act::preempt),
    action!("again", ["A"], Acts, JOBS, "",
        "submit the same once more, as a new job", look::has_job, act::again),
    action!("next", ["N"], Acts, JOBS, "",
        "to the front of its team", act::can_move, act::next),
    action!("tier-up", ["+"], Acts, JOBS, "",
        "one tier up", act::can_move, act::tier_up),
    action!("tier-down", ["-"], Acts, JOBS, "",
        "one tier down", act::can_move, act::tier_down),
    action!("seen", ["z"], Acts, JOBS, "seen",
        "seen: its alarm is silent for everybody", act::can_ack, act::ack),
    action!("drain", ["D"], Acts, NODES, "drain",
        "keep new work from the node, or let it come again", act::can_drain, act::drain),
    action!("pause-team", ["P"], Acts, TEAMS, "pause",
        "hold back the team and all below it", team::can_pause, team::pause),
    action!("resume-team", ["R"], Acts, TEAMS, "resume",
        "lift the team's hold", team::can_resume, team::resume),
    action!("quota", ["E"], Acts, TEAMS, "edit quota",
        "change what the team is owed: gpu=8,cpu=64", team::can_edit, team::quota),
    action!("undo", ["u"], Acts, EVERYWHERE, "undo",
        "take back what was just done", undo::can, undo::run),
    action!("pause-all", [], Acts, EVERYWHERE, "",
        "pause everything, with a reason", act::can_pause_all, act::pause_all),
    action!("resume-all", [], Acts, EVERYWHERE, "",
        "lift the pause of everything", act::can_resume_all, act::resume_all),

    // The list.
    action!("all", ["0"], Looks, HOME, "",
        "show every section", look::always, look::narrow_0),
    action!("people", ["1"], Looks, HOME, "",
        "only what waits on people", look::always, look::narrow_1),
    action!("stuck", ["2"], Looks, HOME, "",
        "only what is stuck", look::always, look::narrow_2),
    action!("running", ["3"], Looks, HOME, "",
        "only what runs", look::always, look::narrow_3),
    action!("queued", ["4"], Looks, HOME, "",
        "only what waits for room", look::always, look::narrow_4),
    action!("ended", ["5"], Looks, HOME, "",
        "only what ended", look::always, look::narrow_5),
    action!("history", ["h"], Looks, HOME, "",
        "everything that ended, or only since you last looked", look::always, look::all_ended),
    action!("order", ["o"], Looks, HOME, "",
        "another order: urgency, longest, name, size", look::always, look::order),
    action!("fold", ["f"], Looks, HOME, "",
        "unfold the section and its arrays, or fold", look::always, look::fold),
    action!("mark", ["space"], Looks, HOME, "",
        "mark for an action on many", look::has_job, look::mark),
    action!("unmark", ["x"], Looks, HOME, "",
        "remove all marks", look::has_marks, look::unmark),

    // Movement.
    action!("down", ["down", "j"], Looks, EVERYWHERE, "",
        "one line down", look::always, look::down),
    action!("up", ["up", "k"], Looks, EVERYWHERE, "",
        "one line up", look::always, look::up),
    action!("page-down", ["pgdn", "ctrl-f"], Looks, EVERYWHERE, "",
        "one page down", look::always, look::page_down),
    action!("page-up", ["pgup", "ctrl-b"], Looks, EVERYWHERE, "",
        "one page up", look::always, look::page_up),
    action!("half-down", ["ctrl-d"], Looks, EVERYWHERE, "",
        "half a page down", look::always, look::half_down),
    action!("half-up", ["ctrl-u"], Looks, EVERYWHERE, "",
        "half a page up", look::always, look::half_up),
    action!("first", ["home", "g"], Looks, EVERYWHERE, "",
        "to the first line", look::always, look::first),
    action!("last", ["end", "G"], Looks, EVERYWHERE, "",
        "to the last line", look::always, look::last),
    action!("right", ["right", "tab"], Looks, EVERYWHERE, "",
        "to the right: next section, or columns", look::always, look::right),
    action!("left", ["left", "shift-tab"], Looks, EVERYWHERE, "",
        "to the left", look::always, look::left),

    // Logs and terminals.
    action!("match-next", ["n"], Looks, LOG, "next",
        "to the next match", look::can_match, look::match_next),
    action!("match-before", ["p"], Looks, LOG, "previous",
        "to the match before", look::can_match, look::match_before),
    action!("follow", ["f"], Looks, &[Kind::Log, Kind::Events], "follow",
        "follow the end, or stay", look::can_follow, look::follow),
    action!("wrap", ["w"], Looks, LOG, "wrap",
        "break long lines, or not", look::always, look::wrap),
    action!("stamps", ["s"], Looks, LOG, "times",
        "when each line was written, or not", look::always, look::stamps),
    action!("attempt", ["a"], Looks, LOG, "attempt",
        "output of one attempt, or of all", look::can_attempt, look::attempt),
    action!("rank", ["r"], Looks, &[Kind::Log, Kind::Terminal], "",
        "another task of the gang", look::can_rank, look::rank),
    action!("type", ["i"], Acts, TERMINAL, "type",
        "type to the program; ctrl-\\ leaves it", act::can_type, act::start_typing),

    // Other panes.
    action!("job", ["enter"], Looks, &[Kind::Log, Kind::Terminal], "",
        "everything about the job", look::has_job, look::job),
    action!("nodes", ["b"], Looks, EVERYWHERE, "",
        "boxes: nodes and countable resources", look::always, look::nodes),
    action!("teams", ["d"], Looks, EVERYWHERE, "",
        "divided how: who holds, borrows, is owed", look::has_teams, look::teams),
    action!("hours", ["v"], Looks, NOT_REVIEW, "",
        "view of the next hours: what runs until when", look::always, look::hours),
    action!("nearer", ["+"], Looks, HOURS, "nearer",
        "fewer hours", look::always, look::nearer),
    action!("farther", ["-"], Looks, HOURS, "farther",
        "more hours", look::always, look::farther),
    action!("lines", ["f"], Looks, HOURS, "fold",
        "fewer lines for each node: devices, jobs, one line", look::always, look::fold),
    action!("events", ["e"], Looks, EVERYWHERE, "",
        "facts as they come", look::always, look::events),
    action!("messages", ["m"], Looks, EVERYWHERE, "",
        "what the console said", look::always, look::messages),
    action!("copy", ["c", "y"], Looks, EVERYWHERE, "",
        "copy id, line or message to the clipboard", look::always, look::copy),
    action!("utc", ["ctrl-t"], Looks, EVERYWHERE, "",
        "times in UTC, or in the local zone", look::always, look::utc),
    action!("mouse", [], Looks, EVERYWHERE, "",
        "use the mouse here, or leave it to the terminal", look::always, look::mouse),
    action!("theme", [], Looks, EVERYWHERE, "",
        "the next theme", look::always, look::theme),
    action!("start-server", ["r"], Looks, NOT_OUTPUT, "start the server",
        "start the server after it was stopped", look::is_stopped, look::start_server),
    action!("redraw", ["ctrl-l"], Looks, EVERYWHERE, "",
        "draw the screen anew", look::always, look::redraw),
    action!("suspend", ["ctrl-z"], Looks, EVERYWHERE, "",
        "to the shell; fg comes back", look::always, look::suspend),
    action!("palette", [":"], Looks, EVERYWHERE, "",
        "every action by name", look::always, look::palette),
    action!("help", ["?", "f1"], Looks, EVERYWHERE, "all keys",
        "the keys that work here", look::always, look::help),
    action!("quit", ["ctrl-c"], Looks, EVERYWHERE, "",
        "leave the console; jobs go on", look::always, look::quit),
];
