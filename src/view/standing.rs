//! How a team stands: what it holds of its quota and its share, what it borrows, what it is owed,
//! and what would happen to it next. Numbers for bars, and the words beside them.

use crate::base::Name;
use crate::base::quantity::{format_bytes, format_cpu, format_gpu};
use crate::model::Resources;
use crate::model::page::{JobRow, NodeRow, TeamRow};
use crate::model::team::{Bounds, DEFAULT_QUEUE_PRIORITY, Weights};
use crate::view::describe;
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// A resource that teams share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    /// Devices.
    Gpu,
    /// Cores.
    Cpu,
    /// Memory.
    Mem,
}

impl Shared {
    /// All of them, the dearest first.
    pub const ALL: [Shared; 3] = [Shared::Gpu, Shared::Cpu, Shared::Mem];

    /// The one to begin with: devices where there are any.
    pub fn first(nodes: &[NodeRow]) -> Shared {
        let gpus = nodes.iter().any(|node| node.capacity.gpu_milli > 0);
        if gpus { Shared::Gpu } else { Shared::Cpu }
    }

    /// Its word: `GPU`.
    pub const fn word(self) -> &'static str {
        match self {
            Shared::Gpu => "GPU",
            Shared::Cpu => "CPU",
            Shared::Mem => "MEM",
        }
    }

    /// Its amount among others.
    pub fn of(self, amounts: &Resources) -> u64 {
        match self {
            Shared::Gpu => amounts.gpu_milli,
            Shared::Cpu => amounts.cpu_milli,
            Shared::Mem => amounts.mem_bytes,
        }
    }

    /// Its bound, if there is one.
    pub fn bound(self, bounds: &Bounds) -> Option<u64> {
        match self {
            Shared::Gpu => bounds.gpu_milli,
            Shared::Cpu => bounds.cpu_milli,
            Shared::Mem => bounds.mem_bytes,
        }
    }

    /// An amount in figures: `8`, `16Gi`.
    pub fn figure(self, amount: u64) -> String {
        match self {
            Shared::Gpu => format_gpu(amount),
            Shared::Cpu => format_cpu(amount),
            Shared::Mem => format_bytes(amount),
        }
    }

    /// An amount in words: `8 GPUs`.
    pub fn amount(self, amount: u64) -> String {
        match self {
            Shared::Gpu => words::gpus(amount),
            Shared::Cpu => words::cores(amount),
            Shared::Mem => format_bytes(amount),
        }
    }
}

/// How a team stands in one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// What it holds.
    pub held: u64,
    /// What it is owed whenever it asks; none is no bound.
    pub quota: Option<u64>,
    /// What it may hold now, if that is known.
    pub share: Option<u64>,
    /// What it holds above its quota.
    pub borrowed: u64,
    /// What it holds above its share.
    pub over: u64,
    /// What it wants, may have, and does not hold.
    pub owed: u64,
    /// What it still wants.
    pub pending: u64,
}

impl Standing {
    /// How a team stands.
    pub fn of(row: &TeamRow, what: Shared) -> Standing {
        let (held, pending) = (what.of(&row.held), what.of(&row.pending));
        let quota = what.bound(&row.terms.quota);
        let share = row.share.as_ref().map(|share| what.of(share));
        Standing {
            held,
            quota,
            share,
            borrowed: quota.map_or(0, |quota| held.saturating_sub(quota)),
            over: share.map_or(0, |share| held.saturating_sub(share)),
            owed: row.owed().map_or(0, |owed| what.of(&owed)),
            pending,
        }
    }
}

/// The state of a team in a few words, as in `over by 3`, with what it means.
pub fn brief(row: &TeamRow, what: Shared) -> (String, Role) {
    let standing = Standing::of(row, what);
    let by = |word: &str, amount| format!("{word} {}", what.figure(amount));
    if row.paused.is_some() {
        ("paused".to_owned(), Role::NeedsYou)
    } else if standing.over > 0 {
        (by("over by", standing.over), Role::Stuck)
    } else if row.over_since.is_some() {
        ("over".to_owned(), Role::Stuck)
    } else if standing.owed > 0 {
        (by("owed", standing.owed), Role::Queued)
    } else if standing.borrowed > 0 {
        (by("borrows", standing.borrowed), Role::Running)
    } else if row.running + row.queued == 0 {
        ("idle".to_owned(), Role::Muted)
    } else {
        ("within".to_owned(), Role::Good)
    }
}

/// Everything about how a team stands. `job` looks up what is known of a job.
pub fn lines<'a>(
    row: &TeamRow,
    sight: &Sight,
    job: &dyn Fn(crate::base::JobId) -> Option<&'a JobRow>,
) -> Vec<Line> {
    let mut lines = vec![head(row)];
    for what in Shared::ALL {
        lines.extend(resource(row, what));
    }
    if let Some(hold) = &row.paused {
        lines.push(describe::held(&format!("team {}", row.name), hold, sight));
    }
    if let Some(since) = row.over_since {
        let text = format!("over what it may hold since {}", sight.day(since.wall));
        lines.push(Line::of(text, Role::Stuck));
    }
    if let Some(since) = row.owed_since {
        let text = format!("owed room, its oldest job waits since {}", sight.day(since.wall));
        lines.push(Line::of(text, Role::Queued));
    }
    if let Some(victim) = row.next_victim {
        lines.push(first_to_go(victim, job(victim), sight));
    }
    lines
}

fn head(row: &TeamRow) -> Line {
    let mut parts = vec![format!("{} running, {} waiting for room", row.running, row.queued)];
    if row.terms.priority != DEFAULT_QUEUE_PRIORITY {
        parts.push(format!("priority {}", row.terms.priority));
    }
    if row.terms.weight != Weights::default() {
        parts.push(format!("weight {}", describe::weights(&row.terms.weight)));
    }
    Line::of(row.name.as_ref(), Role::Head).then(format!("  {}", parts.join(", ")), Role::Muted)
}

/// What it holds, may hold and wants of one resource; nothing if it has to do with none of it.
fn resource(row: &TeamRow, what: Shared) -> Option<Line> {
    let standing = Standing::of(row, what);
    let limit = what.bound(&row.terms.limit);
    if standing.held + standing.pending == 0 && standing.quota.is_none() && limit.is_none() {
        return None;
    }
    let mut parts = vec![format!("holds {}", what.figure(standing.held))];
    let firm = what.of(&row.firm);
    if firm > 0 && firm < standing.held {
        parts.push(format!("{} of it firm", what.figure(firm)));
    }
    parts.push(
        standing
            .quota
            .map_or("no quota set".to_owned(), |quota| format!("quota {}", what.figure(quota))),
    );
    if standing.borrowed > 0 {
        parts.push(format!("{} borrowed", what.figure(standing.borrowed)));
    }
    parts.extend(standing.share.map(|share| format!("share {}", what.figure(share))));
    parts.extend(limit.map(|limit| format!("limit {}", what.figure(limit))));
    if standing.pending > 0 {
        parts.push(format!("wants {} more", what.figure(standing.pending)));
    }
    if standing.owed > 0 {
        parts.push(format!("owed {}", what.figure(standing.owed)));
    }
    Some(Line::of(format!("{}  ", what.word()), Role::Muted).then(parts.join(", "), Role::Plain))
}

/// Which job would have to give room first, and what would become of it.
fn first_to_go(id: crate::base::JobId, row: Option<&JobRow>, sight: &Sight) -> Line {
    let line = Line::of("first to give room: ", Role::Muted).then(id.to_string(), Role::Id);
    let Some(row) = row else { return line };
    let since = row
        .started
        .map_or_else(String::new, |started| format!(", running {}", sight.since(started.now)));
    let text = format!(" {} of {}{since}; it comes back by itself", row.name, row.owner);
    line.then(text, Role::Plain)
}

/// What another quota would mean, for a question; `to` is the whole of it.
pub fn quota_change(name: &Name, row: Option<&TeamRow>, to: &Bounds) -> Vec<Line> {
    let mut lines = Vec::new();
    for what in Shared::ALL {
        let before = row.and_then(|row| what.bound(&row.terms.quota));
        let after = what.bound(to);
        if before == after {
            continue;
        }
        let said = |bound: Option<u64>| bound.map_or("no bound".to_owned(), |n| what.amount(n));
        let text = format!("{}: {} now, {} then", what.word(), said(before), said(after));
        lines.push(Line::of(text, Role::Plain));
        let held = row.map_or(0, |row| what.of(&row.held));
        let over = after.map_or(0, |after| held.saturating_sub(after));
        if over > 0 {
            let text = format!("{} of what it holds is then borrowed", what.amount(over));
            lines.push(Line::of(text, Role::Stuck));
        }
    }
    if lines.is_empty() {
        lines.push(Line::of(format!("{name} has this quota already"), Role::Muted));
    }
    lines.push(Line::of("nothing is stopped by it at once: it changes who is over", Role::Muted));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::JobId;
    use crate::model::job::Hold;
    use crate::model::team::Terms;
    use crate::view::line::plain;
    use crate::view::sample::{at, running};

    fn gpus(n: u64) -> Resources {
        Resources { gpu_milli: n * 1000, ..Resources::default() }
    }

    fn team(quota: u64, share: u64, held: u64, pending: u64) -> TeamRow {
        let quota = Bounds { gpu_milli: Some(quota * 1000), ..Bounds::default() };
        TeamRow {
            name: "org/ml".into(),
            terms: Terms { quota, ..Terms::default() },
            paused: None,
            window: None,
            held: gpus(held),
            firm: gpus(1),
            pending: gpus(pending),
            share: Some(gpus(share)),
            running: 2,
            queued: 1,
            over_since: None,
            owed_since: None,
            next_victim: None,
        }
    }

    #[test]
    fn a_few_words_say_what_is_worst() {
        let said = |row: &TeamRow| brief(row, Shared::Gpu).0;
        assert_eq!(said(&team(4, 4, 2, 3)), "owed 2");
        assert_eq!(said(&team(4, 8, 7, 0)), "borrows 3");
        assert_eq!(said(&team(4, 8, 4, 0)), "within");
        let over = TeamRow { over_since: Some(at(0)), ..team(4, 5, 7, 3) };
        assert_eq!(said(&over), "over by 2");
        let hold = Hold { by: "ana".into(), since: at(0), until: None, reason: None };
        assert_eq!(said(&TeamRow { paused: Some(hold), ..over }), "paused");
        let idle = TeamRow { running: 0, queued: 0, ..team(4, 0, 0, 0) };
        assert_eq!(said(&idle), "idle");
    }

    #[test]
    fn all_of_it_names_who_would_go_first() {
        let victim = running(7, "crawl");
        let row =
            TeamRow { over_since: Some(at(0)), next_victim: Some(JobId(7)), ..team(4, 5, 7, 3) };
        let owed = TeamRow { owed_since: Some(at(0)), ..team(4, 4, 2, 3) };
        let text = plain(&lines(&owed, &Sight::utc(at(61_000)), &|_| None));
        assert!(text.contains("owed room, its oldest job waits since 13:00"), "{text}");
        let said = lines(&row, &Sight::utc(at(61_000)), &|_| Some(&victim));
        insta::assert_snapshot!(plain(&said), @r"
        org/ml  2 running, 1 waiting for room
        GPU  holds 7, 1 of it firm, quota 4, 3 borrowed, share 5, wants 3 more
        over what it may hold since 13:00
        first to give room: 7 crawl of ana, running 1m; it comes back by itself
        ");
    }

    #[test]
    fn a_smaller_quota_says_what_is_borrowed_then() {
        let to = Bounds { gpu_milli: Some(2000), cpu_milli: Some(4000), ..Bounds::default() };
        let said = quota_change(&"org/ml".into(), Some(&team(4, 4, 3, 0)), &to);
        insta::assert_snapshot!(plain(&said), @r"
        GPU: 4 GPUs now, 2 GPUs then
        1 GPU of what it holds is then borrowed
        CPU: no bound now, 4 cores then
        nothing is stopped by it at once: it changes who is over
        ");
        assert_eq!(quota_change(&"x".into(), None, &Bounds::default()).len(), 2);
    }
}
