//! The verbs and options as clap sees them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::output::Color;
use super::verbs::{
    act, again, ask, attach, audit, completions, config, conform, console, enable, events, gate,
    help, journal, lab, limit, logs, ls, nodes, pause, plan, policy, report, reviews, send, serve,
    server, set, show, steer, step, submit, team, usage, verify, vote, wait,
};

/// What stands before everything else in `--help`.
const EXAMPLES: &str = "\
Examples:
  holdshort submit -- ./agent.sh            queue it; prints its number
  holdshort submit --gpu 1 --time-limit 2h -- python train.py
  holdshort ls                              what runs, waits, ended
  holdshort logs 42 -f                      its output as it comes
  holdshort why 42                          why it does not run yet
  holdshort submit -t -- bash               with a terminal: holdshort attach 42
  holdshort wait 42                         until it ends; exits with its code
  holdshort reviews --mine                  what waits for you: approve R17, deny R17
  holdshort cancel 42";

const TEMPLATE: &str = "{before-help}{about}\n\n{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Queues jobs on this machine, runs them, loses nothing.
#[derive(Debug, Parser)]
#[command(name = "holdshort", version, before_help = EXAMPLES, help_template = TEMPLATE)]
#[command(disable_help_subcommand = true, args_override_self = true)]
#[command(
    after_help = "`holdshort help all` lists every verb, `holdshort help VERB` explains one."
)]
#[command(subcommand_value_name = "VERB", subcommand_help_heading = "Daily verbs")]
pub struct Cli {
    /// Options every verb has.
    #[command(flatten)]
    pub globals: Globals,
    /// How the console shall look.
    #[command(flatten)]
    pub look: console::Look,
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// Options every verb has.
#[derive(Debug, Clone, Default, Args)]
pub struct Globals {
    /// Print one JSON document
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// When to use colour: auto, always or never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true,
        hide_default_value = true,
        help_heading = "Everywhere"
    )]
    pub color: Color,
    /// Socket of the server to talk to
    #[arg(long, global = true, value_name = "PATH", help_heading = "Everywhere")]
    pub socket: Option<PathBuf>,
    /// Directory of the journal; one server for each
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub data_dir: Option<PathBuf>,
    /// Configuration file
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub config: Option<PathBuf>,
}

/// The verbs, by what they need; those that are not hidden are the daily ones.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a process")]
pub enum Verb {
    /// They talk to the server, which is started if none runs.
    #[command(flatten)]
    Linked(Linked),
    /// They need to know where things lie.
    #[command(flatten)]
    Placed(Placed),
    /// They need nothing.
    #[command(flatten)]
    Plain(Plain),
}

/// Verbs that talk to the server.
#[derive(Debug, Subcommand)]
pub enum Linked {
    /// Queue a job: a command after `--`, a script, or a batch of lines
    Submit(submit::Submit),
    /// Queue a job, show its output, end with its code
    Run(submit::Run),
    /// List live jobs and those that ended since you last looked
    Ls(ls::Ls),
    /// Show everything about a job
    Show(show::Show),
    /// Say why a job is (not) running, and when it will
    Why(show::Why),
    /// Print a job's output
    Logs(logs::Logs),
    /// Look at a job's terminal, and type into it
    Attach(attach::Attach),
    /// Answer at a job's prompt
    Send(send::Send),
    /// Wait until jobs end
    Wait(wait::Wait),
    /// End jobs for good
    #[command(visible_alias = "stop")]
    Cancel(act::Cancel),
    /// Hold back jobs, a team or everything
    Pause(pause::Pause),
    /// Let what is paused go on
    Resume(pause::Resume),
    /// List what waits for people, and for you
    Reviews(reviews::Reviews),
    /// Say yes to exactly what a review shows
    Approve(vote::Approve),
    /// Say no, with a reason
    Deny(vote::Deny),
    /// Ask a job back before deciding; the clock stands
    #[command(hide = true)]
    AskBack(steer::AskBack),
    /// Answer what a job was asked back
    #[command(hide = true)]
    Answer(steer::Answer),
    /// Hand your seat on, for a review or for a while
    #[command(hide = true)]
    Delegate(steer::Delegate),
    /// Ask the next people too
    #[command(hide = true)]
    Escalate(steer::Escalate),
    /// Give a review more time
    #[command(hide = true)]
    Extend(steer::Extend),
    /// Take back a yes that was not used yet, or your vote on an open review
    #[command(hide = true)]
    Revoke(steer::Revoke),
    /// Queue a copy of a job, changed if you like
    #[command(hide = true)]
    Again(again::Again),
    /// Stop a job's processes and queue it again
    #[command(hide = true)]
    Requeue(act::Requeue),
    /// Stop jobs so that others get their room; they queue again
    #[command(hide = true)]
    Preempt(act::Preempt),
    /// Change priority, team or time limit
    #[command(hide = true)]
    Set(set::Set),
    /// Move a job to the front of its team
    #[command(hide = true)]
    Next(act::Next),
    /// Take back a cancellation that a console has put on its way
    #[command(hide = true)]
    Keep(act::Keep),
    /// Say that you have seen a job's trouble or end
    #[command(hide = true)]
    Ack(act::Ack),
    /// List nodes and countable resources
    #[command(hide = true)]
    Nodes(nodes::Nodes),
    /// Keep new work away from a node
    #[command(hide = true)]
    Drain(nodes::Drain),
    /// Let work come to a node again
    #[command(hide = true)]
    Undrain(nodes::Undrain),
    /// Say that a spot node is about to vanish
    #[command(hide = true)]
    SpotWarning(nodes::SpotWarning),
    /// Let nobody take units of a countable resource for a while
    #[command(hide = true)]
    Limit(limit::Limit),
    /// Say what would happen if, without touching anything
    #[command(hide = true)]
    Plan(plan::Plan),
    /// Show teams: what they are owed, hold and want
    #[command(hide = true)]
    Teams(team::Teams),
    /// Add, change or remove a team
    #[command(hide = true)]
    Team(team::Team),
    /// Show or change what teams are owed
    #[command(hide = true)]
    Quota(team::Quota),
    /// Print what happened
    #[command(hide = true)]
    Events(events::Events),
    /// In a job: ask people before something is done
    #[command(hide = true)]
    Ask(ask::Ask),
    /// In a job: ask people for exactly this command, then run it
    #[command(hide = true)]
    Gate(gate::Gate),
    /// In a job: use the right that a yes gives
    #[command(hide = true)]
    Redeem(ask::Redeem),
    /// What a step of a job executes
    #[command(hide = true)]
    Step(step::Step),
    /// In a job: take back what was asked
    #[command(hide = true)]
    Withdraw(ask::Withdraw),
    /// In a job: a checkpoint was saved
    #[command(hide = true)]
    Checkpoint(report::Checkpoint),
    /// In a job: how far it is
    #[command(hide = true)]
    Progress(report::Progress),
    /// Change how many tasks a service wants; in the job, or by its owner
    #[command(hide = true)]
    Scale(report::Scale),
    /// In a job: it lives
    #[command(hide = true)]
    Heartbeat(report::Heartbeat),
    /// Say who used how much; in a job, with amounts: what it used
    #[command(hide = true)]
    Usage(usage::Usage),
}

/// Verbs that need to know where things lie.
#[derive(Debug, Subcommand)]
pub enum Placed {
    /// Start, stop or look at the server
    #[command(hide = true)]
    Server(server::Server),
    /// Run the server in the foreground
    #[command(hide = true)]
    Serve(serve::Serve),
    /// Keep the server running as a user service
    #[command(hide = true)]
    Enable(enable::Enable),
    /// Check the journal, or ledger and audit against it
    #[command(hide = true)]
    Verify(verify::Verify),
    /// Show who decided a review and how that is known, or export all of it
    #[command(hide = true)]
    Audit(audit::Audit),
    /// Export, replay or compact the journal
    #[command(hide = true)]
    Journal(journal::Journal),
    /// Say which review rule an action would meet, and who would be asked
    #[command(hide = true)]
    Policy(policy::Policy),
    /// Print where things lie
    #[command(hide = true)]
    Paths(config::Paths),
}

/// Verbs that need nothing.
#[derive(Debug, Subcommand)]
pub enum Plain {
    /// Show the console on a simulated fleet; nothing is on disk
    #[command(hide = true)]
    Demo(console::DemoVerb),
    /// Draw the pictures of the console
    #[command(hide = true)]
    Shots(console::Shots),
    /// Replay recorded workloads under a scheduling policy
    #[command(hide = true)]
    Lab(lab::Lab),
    /// Replay tables of scheduling cases through the policies
    #[command(hide = true)]
    Conform(conform::Conform),
    /// Check or show the configuration
    #[command(hide = true)]
    Config(config::Config),
    /// Print a completion script for a shell
    #[command(hide = true)]
    Completions(completions::Completions),
    /// Print the manual page, or write all pages to a directory
    #[command(hide = true)]
    Man(completions::Man),
    /// Explain a verb; `help all` lists every verb
    #[command(hide = true)]
    Help(help::Help),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_tree_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_starts_with_examples_and_shows_the_daily_verbs_only() {
        let help = Cli::command().render_help().to_string();
        assert!(help.starts_with("Examples:"), "{help}");
        for daily in ["submit", "ls", "attach", "cancel", "resume", "reviews", "approve", "deny"] {
            assert!(help.contains(&format!("\n  {daily}")), "{daily}\n{help}");
        }
        for rare in ["journal", "heartbeat", "undrain"] {
            assert!(!help.contains(&format!("\n  {rare}")), "{rare}\n{help}");
        }
    }
}
