//! How a job wants to be scheduled, and why it had to give room.

use crate::base::{At, duration};
use crate::model::fact::Eviction;
use crate::model::job::{Grace, Groups};
use crate::model::page::JobDetail;
use crate::view::describe::sheet::Sheet;
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::table::{Column, Table};
use crate::view::words;
use crate::view::words::numbers::Read;

/// Lines about what is not the default.
pub(super) fn scheduling(sheet: &mut Sheet, detail: &JobDetail) {
    let asked = &detail.asked;
    if detail.row.preemptible {
        sheet.pair("preemptible", "yes: it may be stopped to make room for others");
    }
    if !asked.node_labels.is_empty() {
        let labels: Vec<_> = asked.node_labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
        sheet.pair("only on nodes", labels.join(" "));
    }
    if asked.spot {
        sheet.pair("spot", "it may run on nodes that can vanish");
    }
    if let Some(service) = &asked.service {
        let health = service.health.as_deref();
        let health =
            health.map_or_else(String::new, |cmd| format!(", health {}", words::quote(cmd)));
        let most = service.most.map_or_else(String::new, |most| format!(", at most {most}"));
        sheet.pair("service", format!("baseline {}{most}{health}", service.baseline));
    }
    sheet.maybe("idle timeout", asked.idle_timeout.map(duration::exact));
    sheet.maybe(
        "stale grace",
        asked.stale_grace.map(|grace| match grace {
            Grace::After(span) => duration::exact(span),
            Grace::Never => "never".to_owned(),
        }),
    );
    sheet.maybe("preempt delay", asked.preemption_delay.map(duration::exact));
    let may_ask: Vec<&str> = asked.may_ask.iter().map(|effect| effect.word()).collect();
    sheet.maybe("may ask", Some(may_ask.join(", ")).filter(|words| !words.is_empty()));
}

/// Who took its place, by which rule, and what was compared.
pub(super) fn evicted(eviction: &Eviction, at: At, sight: &Sight) -> String {
    let why = words::event::eviction(eviction);
    let ago = sight.since(at.now);
    let numbers = Read::new(&eviction.numbers, sight).all();
    let numbers = if numbers.is_empty() { numbers } else { format!(" ({numbers})") };
    format!("{why}, {ago} ago{numbers} ({})", eviction.rule.word())
}

/// The task groups, then the sets they stand in.
pub(super) fn groups(groups: &Groups, room: Option<usize>) -> Vec<Line> {
    let mut table = Table::new(vec![
        Column::text("NAME", 4, 24),
        Column::number("TASKS"),
        Column::number("NEEDS"),
        Column::text("IN", 3, 24),
        Column::text("EACH ASKS FOR", 8, usize::MAX),
    ]);
    let within =
        |outer: Option<&crate::base::Name>| Cell::plain(outer.map_or("-", |outer| outer.as_ref()));
    for group in &groups.groups {
        let mut each = words::amounts(&group.request);
        if !group.node_labels.is_empty() {
            let labels = group.node_labels.iter().map(|(k, v)| format!("{k}={v}"));
            each = format!("{each}, on {}", labels.collect::<Vec<_>>().join(" "));
        }
        table.row(vec![
            Cell::plain(group.name.as_ref()),
            Cell::plain(group.gang.size.to_string()),
            Cell::plain(group.gang.min.to_string()),
            within(group.within.as_ref()),
            Cell::plain(each),
        ]);
    }
    let needs = |min: Option<u32>| match min {
        Some(min) => format!("{min} of its members"),
        None => "all of its members".to_owned(),
    };
    for set in &groups.sets {
        table.row(vec![
            Cell::plain(set.name.as_ref()),
            Cell::plain("-"),
            Cell::plain("-"),
            within(set.within.as_ref()),
            Cell::new(needs(set.min_members), Role::Muted),
        ]);
    }
    let mut lines = table.lines(room);
    if let Some(min) = groups.min_members {
        lines.push(Line::of(format!("{min} of the topmost are enough"), Role::Muted));
    }
    lines
}
