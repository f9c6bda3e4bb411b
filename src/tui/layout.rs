//! Where things stand: header, alert, lanes, body, footer; and whether there is a side panel.

use ratatui::layout::Rect;

use crate::tui::ground::Ground;
use crate::tui::panes::Kind;

/// The smallest screen that is drawn at all.
pub const LEAST: (u16, u16) = (16, 4);
/// From this width on there is room for a panel at the side.
pub const PANEL_FROM: u16 = 110;
/// From this size on lanes stand side by side.
pub const LANES_FROM: (u16, u16) = (190, 45);

/// Areas of the screen; any may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Place, state of the connection, resources, time.
    pub header: Rect,
    /// What needs somebody now, or what is paused.
    pub alert: Rect,
    /// Counts by section, or the way to the pane.
    pub way: Rect,
    /// The pane.
    pub body: Rect,
    /// Keys, or a message, or what is typed.
    pub footer: Rect,
}

impl Layout {
    /// The areas on a screen.
    pub fn of(area: Rect, ground: &Ground, _kind: Kind) -> Layout {
        let mut rest = area;
        let mut take = |rows: u16| {
            let rows = rows.min(rest.height);
            let taken = Rect { height: rows, ..rest };
            rest = Rect { y: rest.y + rows, height: rest.height - rows, ..rest };
            taken
        };
        let roomy = area.height >= 9;
        let header = take(1);
        let alarming = !crate::tui::header::alerts(ground).is_empty();
        let alert = take(u16::from(alarming && roomy));
        let way = take(u16::from(area.height >= 6));
        let footer_rows = u16::from(rest.height > 1);
        let body = Rect { height: rest.height - footer_rows, ..rest };
        let footer = Rect { y: body.bottom(), height: footer_rows, ..rest };
        Layout { header, alert, way, body, footer }
    }
}

/// A body and the panel at its right, if there is room for one.
pub fn with_panel(body: Rect) -> (Rect, Option<Rect>) {
    if body.width < PANEL_FROM || body.height < 12 {
        return (body, None);
    }
    let wide = (body.width / 3).clamp(38, 64);
    let left = Rect { width: body.width - wide - 1, ..body };
    let panel = Rect { x: left.right() + 1, width: wide, ..body };
    (left, Some(panel))
}
