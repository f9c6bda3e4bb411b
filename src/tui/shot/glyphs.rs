//! Shapes for the characters that are no letters: lines between things, bars, gauges.

/// What of a cell is filled, as a rectangle in hundredths of it: left, top, right, bottom; and
/// how dark, in percent.
pub type Shape = (u32, u32, u32, u32, u32);

/// The rectangles of a drawing character; nothing for letters.
pub fn shapes(c: char) -> Option<Vec<Shape>> {
    const MID: (u32, u32) = (46, 56);
    const LEVEL: (u32, u32) = (48, 53);
    let right = (MID.0, LEVEL.0, 100, LEVEL.1, 100);
    let left = (0, LEVEL.0, MID.1, LEVEL.1, 100);
    let up = (MID.0, 0, MID.1, LEVEL.1, 100);
    let down = (MID.0, LEVEL.0, MID.1, 100, 100);
    Some(match c {
        '─' => vec![left, right],
        '–' => vec![(15, 50, 85, 56, 100)],
        '╷' => vec![down],
        '━' => vec![(0, 42, 100, 60, 100)],
        '═' => vec![(0, 40, 100, 46, 100), (0, 56, 100, 62, 100)],
        '╍' => vec![(6, 42, 44, 60, 100), (56, 42, 94, 60, 100)],
        '┄' => vec![(4, 48, 26, 53, 100), (38, 48, 60, 53, 100), (72, 48, 94, 53, 100)],
        '│' => vec![up, down],
        '┌' => vec![right, down],
        '┐' => vec![left, down],
        '└' => vec![right, up],
        '┘' => vec![left, up],
        '▁'..='█' => {
            let eighths = u32::from(c) - u32::from('▁') + 1;
            vec![(0, 100 - eighths * 100 / 8, 100, 100, 100)]
        }
        '▒' => vec![(0, 0, 100, 100, 55)],
        '░' => vec![(0, 0, 100, 100, 25)],
        '●' => vec![(18, 42, 82, 66, 100), (30, 36, 70, 72, 100)],
        '⎿' => vec![(30, 0, 40, 56, 100), (30, 50, 90, 56, 100)],
        '…' => vec![(10, 80, 24, 88, 100), (43, 80, 57, 88, 100), (76, 80, 90, 88, 100)],
        '›' => vec![(36, 36, 50, 44, 100), (50, 44, 64, 54, 100), (36, 54, 50, 62, 100)],
        '⏎' => vec![(70, 30, 80, 60, 100), (20, 52, 80, 60, 100), (20, 44, 34, 68, 100)],
        _ => return None,
    })
}
