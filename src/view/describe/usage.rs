//! Who used how much: one row for each sum, in hours of a GPU, a core and a GiB.

use crate::model::page::usage::{
    BYTE_MS_PER_GIB_HOUR, MILLI_MS_PER_HOUR, MS_PER_HOUR, UsageBy, UsagePage, UsageRow, Used, hours,
};
use crate::model::team::DEFAULT_TEAM;
use crate::view::line::{Cell, Line, Role};
use crate::view::sight::Sight;
use crate::view::table::{Column, Table};

/// Digits of hours after the point.
const PLACES: u32 = 2;

/// The lines of `usage`. A person without teams sees none.
pub fn usage(page: &UsagePage, sight: &Sight, room: Option<usize>) -> Vec<Line> {
    let from = page.from.map_or("the beginning".to_owned(), |from| sight.day(from));
    let title = format!("from {from} to {}, in hours", sight.day(page.to));
    let mut lines = vec![Line::of(title, Role::Muted)];
    if page.rows.is_empty() {
        lines.push(Line::of("nothing was metered", Role::Plain));
        return lines;
    }
    let known = |row: &UsageRow| row.team.as_ref().is_some_and(|team| &**team != DEFAULT_TEAM);
    let shown = Shown {
        teams: page.rows.iter().any(known),
        by: page.by,
        gpus: page.rows.iter().any(|row| row.used.gpu_milli_ms > 0),
    };
    let mut table = Table::new(shown.columns());
    let mut all = Used::default();
    for row in &page.rows {
        add(&mut all, &row.used);
        let mut cells = shown.names(row);
        cells.push(Cell::plain(row.class.word().replace('_', "/")));
        shown.amounts(&mut cells, &row.used);
        table.row(cells);
    }
    let mut cells: Vec<Cell> = shown.titles().iter().map(|_| Cell::plain("")).collect();
    cells.push(Cell::new("all", Role::Head));
    shown.amounts(&mut cells, &all);
    table.row(cells);
    lines.extend(table.lines(room));
    lines
}

struct Shown {
    teams: bool,
    by: UsageBy,
    gpus: bool,
}

impl Shown {
    /// Titles of the columns before the class.
    fn titles(&self) -> Vec<&'static str> {
        let team = self.teams.then_some("TEAM");
        match self.by {
            UsageBy::Team => team.into_iter().collect(),
            UsageBy::Job => team.into_iter().chain(["JOB"]).collect(),
            UsageBy::Node => vec!["NODE"],
            UsageBy::Class => Vec::new(),
        }
    }

    fn columns(&self) -> Vec<Column> {
        let titles = self.titles().into_iter().map(|title| Column::text(title, 6, 32));
        let gpu = self.gpus.then_some(Column::number("GPU"));
        let rest = [Column::number("CORE"), Column::number("GIB")];
        let other = Column::text("", 0, usize::MAX);
        let class = Column::fixed("CLASS");
        titles.chain([class]).chain(gpu).chain(rest).chain([other]).collect()
    }

    fn names(&self, row: &UsageRow) -> Vec<Cell> {
        let nobody = || Cell::new("-", Role::Muted);
        let name = |name: &Option<crate::base::Name>| {
            name.as_ref().map_or_else(nobody, |name| Cell::plain(name.as_ref()))
        };
        let of = |title: &&str| match *title {
            "TEAM" => name(&row.team),
            "NODE" => name(&row.node),
            _ => row.job.map_or_else(nobody, |job| Cell::new(job.to_string(), Role::Id)),
        };
        self.titles().iter().map(of).collect()
    }

    fn amounts(&self, cells: &mut Vec<Cell>, used: &Used) {
        let plain = |sum, per_hour| Cell::plain(hours(sum, per_hour, PLACES));
        if self.gpus {
            cells.push(plain(used.gpu_milli_ms, MILLI_MS_PER_HOUR));
        }
        cells.push(plain(used.cpu_milli_ms, MILLI_MS_PER_HOUR));
        cells.push(plain(used.mem_byte_ms, BYTE_MS_PER_GIB_HOUR));
        let custom = used.custom_ms.iter();
        let custom =
            custom.map(|(name, sum)| format!("{name} {}", hours(*sum, MS_PER_HOUR, PLACES)));
        cells.push(Cell::plain(custom.collect::<Vec<_>>().join("  ")));
    }
}

fn add(all: &mut Used, used: &Used) {
    all.cpu_milli_ms += used.cpu_milli_ms;
    all.mem_byte_ms += used.mem_byte_ms;
    all.gpu_milli_ms += used.gpu_milli_ms;
    for (name, sum) in &used.custom_ms {
        *all.custom_ms.entry(name.clone()).or_default() += sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{At, Mono, Wall};
    use crate::model::fact::Class;
    use crate::view::line::plain;

    fn page(team: &str) -> UsagePage {
        let row = |team: Option<&str>, class, hours: u128| UsageRow {
            team: team.map(Into::into),
            job: None,
            node: None,
            class,
            used: Used {
                cpu_milli_ms: hours * MILLI_MS_PER_HOUR,
                mem_byte_ms: hours * BYTE_MS_PER_GIB_HOUR * 2,
                custom_ms: team.map(|_| ("lic".into(), MS_PER_HOUR / 2)).into_iter().collect(),
                ..Used::default()
            },
        };
        let rows = vec![
            row(Some(team), Class::Productive, 3),
            row(Some(team), Class::StartStop, 0),
            row(None, Class::Idle, 5),
        ];
        let at = At { now: Mono(0), wall: Wall(1_800_000_000_000) };
        UsagePage { by: UsageBy::Team, from: None, to: at.wall, rows, seq: 1, at }
    }

    fn text(page: &UsagePage) -> String {
        plain(&usage(page, &Sight::new(page.at, chrono::Utc), None))
    }

    #[test]
    fn a_lone_user_sees_no_team_and_no_gpu_that_is_not_there() {
        let text = text(&page("default"));
        assert!(!text.contains("TEAM") && !text.contains("GPU"), "{text}");
        let rows: Vec<Vec<&str>> =
            text.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["CLASS", "CORE", "GIB"]);
        assert_eq!(rows[1], ["productive", "3.00", "6.00", "lic", "0.50"]);
        assert_eq!(rows[3], ["idle", "5.00", "10.00"]);
        assert_eq!(rows[4], ["all", "8.00", "16.00", "lic", "1.00"]);
    }

    #[test]
    fn teams_are_shown_once_there_are_any() {
        let text = text(&page("org/ml"));
        assert!(text.contains("TEAM") && text.contains("org/ml  productive"), "{text}");
    }
}
