//! `policy stats`: how the rules for reviews are answered, and which of them nobody looks at.

use clap::Args;

use crate::api::wire::review::habit::HabitList;
use crate::base::duration;
use crate::base::text::sanitise;
use crate::cli::exit::{OK, Outcome};
use crate::cli::session::Session;
use crate::link::Link;
use crate::model::page::habits::HabitRow;
use crate::view::words::counted;

/// `policy stats`.
#[derive(Debug, Args)]
#[command(
    after_help = "A rule is blind when more than 95 of a hundred decisions were yes and half \
                        of them took less than 3 s, of 20 or more: it asks for nothing, or too \
                        often."
)]
pub struct Stats {}

impl Stats {
    /// Prints it.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn run(self, session: &Session, link: &dyn Link) -> Outcome {
        let rows = link.habits().await?;
        if session.globals.json {
            session.json(&HabitList::new(&rows))?;
        } else {
            session.output.out(&text(&rows))?;
        }
        Ok(OK)
    }
}

fn text(rows: &[HabitRow]) -> String {
    if rows.is_empty() {
        return "nobody was asked anything so far\n".to_owned();
    }
    rows.iter().map(|row| format!("{}\n", sentence(row))).collect()
}

fn sentence(row: &HabitRow) -> String {
    let asks = row.yes.saturating_add(row.no).saturating_add(row.expired);
    let group = sanitise(&row.group);
    let yes = row.yes_percent.map_or_else(String::new, |percent| format!(", {percent}% yes"));
    let median = row.median;
    let median = median.map_or_else(String::new, |median| {
        format!(", looked at for {} as a rule", duration::short(median))
    });
    let expired = match row.expired {
        0 => String::new(),
        expired => format!(", {expired} unanswered"),
    };
    let blind = if row.blind { "; BLIND: always yes, and nobody looks" } else { "" };
    format!("{group}: {}{yes}{median}{expired}{blind}", counted(asks, "ask"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Span;

    #[test]
    fn a_rule_that_nobody_looks_at_stands_out() {
        let row = HabitRow {
            group: "policy pay\u{7}".into(),
            yes: 40,
            no: 0,
            expired: 2,
            yes_percent: Some(100),
            median: Some(Span::secs(2)),
            blind: true,
        };
        assert_eq!(
            text(&[row]),
            "policy pay␇: 42 asks, 100% yes, looked at for 2s as a rule, 2 unanswered; BLIND: \
             always yes, and nobody looks\n"
        );
        assert_eq!(text(&[]), "nobody was asked anything so far\n");
    }
}
