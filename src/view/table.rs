//! Fits cells into columns and columns into a width.

use crate::base::text::{pad, pad_left};
use crate::view::line::{Cell, Line, Role};

/// Spaces between columns: fewer where room is dear.
fn gap(room: Option<usize>) -> usize {
    if room.is_some_and(|room| room < 100) { 1 } else { 2 }
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its title; may be empty.
    pub title: &'static str,
    /// Numbers stand at the right.
    pub right: bool,
    /// It is made no narrower than this when room is short.
    pub least: usize,
    /// It is made no wider than this, however long its cells are.
    pub most: usize,
}

/// A table under construction.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

#[derive(Debug)]
enum Row {
    Cells(Vec<Cell>),
    /// A line across all columns.
    Across(Line),
}

impl Column {
    /// Text from the left, as wide as its cells need.
    pub const fn text(title: &'static str, least: usize, most: usize) -> Column {
        Column { title, right: false, least, most }
    }

    /// Numbers from the right; never narrowed.
    pub const fn number(title: &'static str) -> Column {
        Column { title, right: true, least: usize::MAX, most: usize::MAX }
    }

    /// A column that is never narrowed.
    pub const fn fixed(title: &'static str) -> Column {
        Column { title, right: false, least: usize::MAX, most: usize::MAX }
    }
}

impl Table {
    /// A table with these columns. The last one takes what room is left.
    pub fn new(columns: Vec<Column>) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row of one cell for each column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(Row::Cells(cells));
    }

    /// Adds a line across all columns.
    pub fn across(&mut self, line: Line) {
        self.rows.push(Row::Across(line));
    }

    /// Lines of at most `room` columns; `None` where there is no limit, as in a pipe. Titles
    /// come first unless all are empty.
    pub fn lines(self, room: Option<usize>) -> Vec<Line> {
        let widths = self.widths(room);
        let titled = self.columns.iter().any(|column| !column.title.is_empty());
        let titles = self.columns.iter().map(|column| Cell::new(column.title, Role::Head));
        let head = titled.then(|| Row::Cells(titles.collect()));
        let (columns, gap) = (&self.columns, gap(room));
        let line = |row: Row| {
            let line = match row {
                Row::Across(line) => line,
                Row::Cells(cells) => spread(columns, &widths, gap, cells),
            };
            room.map_or_else(|| line.clone(), |room| line.clone().cut(room))
        };
        head.into_iter().chain(self.rows).map(line).collect()
    }

    /// The width of each column: what its cells need, and where room is short first the columns
    /// that may be narrowed, widest first.
    fn widths(&self, room: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<_> =
            self.columns.iter().map(|column| crate::base::text::width(column.title)).collect();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.width());
            }
        }
        let Some(room) = room else { return widths };
        let last = widths.len().saturating_sub(1);
        for (at, (width, column)) in widths.iter_mut().zip(&self.columns).enumerate() {
            if at != last {
                *width = (*width).min(column.most);
            }
        }
        // The last column is entitled to a readable piece of itself.
        let wanted = self.columns.last().map_or(0, |column| column.least.min(room));
        let gaps = gap(Some(room)) * last;
        loop {
            let others: usize = widths.iter().take(last).sum();
            let over = (others + gaps + wanted).saturating_sub(room);
            let shrinkable = widths.iter_mut().zip(&self.columns).take(last);
            let widest = shrinkable.filter(|(width, column)| **width > column.least);
            let Some((width, column)) = widest.max_by_key(|(width, _)| **width) else { break };
            if over == 0 {
                break;
            }
            *width = column.least.max(width.saturating_sub(over));
        }
        let others: usize = widths.iter().take(last).sum();
        if let Some(width) = widths.last_mut() {
            *width = (*width).min(room.saturating_sub(others + gaps));
        }
        widths
    }
}

fn spread(columns: &[Column], widths: &[usize], gap: usize, cells: Vec<Cell>) -> Line {
    let last = columns.len().saturating_sub(1);
    let mut line = Vec::with_capacity(cells.len() * 2);
    for (at, ((column, width), cell)) in columns.iter().zip(widths).zip(cells).enumerate() {
        let text = match (column.right, at == last) {
            (true, _) => pad_left(&cell.text, *width),
            (false, true) => crate::base::text::cut(&cell.text, *width).into_owned(),
            (false, false) => pad(&cell.text, *width),
        };
        line.push(Cell { text, role: cell.role });
        if at != last {
            line.push(Cell { text: " ".repeat(gap), role: Role::Plain });
        }
    }
    Line(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::width;
    use crate::view::line::plain;
    use proptest::prelude::*;

    fn table(rows: &[[&str; 3]]) -> Table {
        let columns =
            vec![Column::number("ID"), Column::text("WHAT", 4, 20), Column::text("NEXT", 6, 99)];
        let mut table = Table::new(columns);
        for row in rows {
            table.row(row.iter().map(|text| Cell::plain(*text)).collect());
        }
        table
    }

    #[test]
    fn columns_are_as_wide_as_needed_and_narrowed_when_room_is_short() {
        let rows = [["7", "crawl", "ends 05:40"], ["4711", "finetune-70b", "waits for room"]];
        let wide = plain(&table(&rows).lines(None));
        assert_eq!(
            wide,
            "  ID  WHAT          NEXT\n   7  crawl         ends 05:40\n4711  \
                          finetune-70b  waits for room\n"
        );
        let narrow = plain(&table(&rows).lines(Some(22)));
        assert_eq!(
            narrow,
            "  ID WHAT       NEXT\n   7 crawl      ends …\n4711 finetune-… waits…\n"
        );
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_its_room(
            cells in proptest::collection::vec(["\\PC{0,9}", "\\PC{0,30}", "\\PC{0,40}"], 0..5),
            room in 0usize..60,
        ) {
            let rows: Vec<[&str; 3]> =
                cells.iter().map(|row| row.each_ref().map(String::as_str)).collect();
            for line in table(&rows).lines(Some(room)) {
                prop_assert!(line.0.iter().map(Cell::width).sum::<usize>() <= room);
                prop_assert!(width(&line.plain()) <= room);
            }
        }
    }
}
