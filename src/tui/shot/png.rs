//! A screen as PNG, by a small rasteriser: a glyph of a compiled-in font for each cell.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;

use super::glyphs::shapes;
use super::{Rgb, colours};
use crate::tui::theme::Theme;

/// Pixels of a cell.
const WIDE: usize = 9;
const TALL: usize = 20;
const PAD: usize = 12;

struct Canvas {
    width: usize,
    pixels: Vec<u8>,
}

/// The picture's bytes.
///
/// # Errors
/// The picture could not be encoded: it is larger than a PNG can be.
pub fn png(buffer: &Buffer, theme: &Theme) -> Result<Vec<u8>, String> {
    let columns = usize::from(buffer.area.width);
    let rows = usize::from(buffer.area.height);
    let (width, height) = (columns * WIDE + 2 * PAD, rows * TALL + 2 * PAD);
    let ground = colours(&Cell::default(), theme).1;
    let mut canvas =
        Canvas { width, pixels: [ground.0, ground.1, ground.2].repeat(width * height) };
    // Grounds first, so that none cuts its neighbour's letter.
    for ink in [false, true] {
        for row in 0..buffer.area.height {
            for column in 0..buffer.area.width {
                let Some(cell) = buffer.cell((column, row)) else { continue };
                let at = (PAD + usize::from(column) * WIDE, PAD + usize::from(row) * TALL);
                canvas.cell(cell, at, theme, ink);
            }
        }
    }
    encode(&canvas, width, height).map_err(|error| error.to_string())
}

fn encode(canvas: &Canvas, width: usize, height: usize) -> Result<Vec<u8>, png::EncodingError> {
    let size = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, size(width), size(height));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&canvas.pixels)?;
    Ok(out)
}

impl Canvas {
    fn cell(&mut self, cell: &Cell, (x, y): (usize, usize), theme: &Theme, ink: bool) {
        let (fg, bg) = colours(cell, theme);
        if !ink {
            self.fill((x, y, x + WIDE, y + TALL), bg, 100);
            return;
        }
        let c = cell.symbol().chars().next().unwrap_or(' ');
        if let Some(shapes) = shapes(c) {
            for (left, top, right, bottom, dark) in shapes {
                let wide = |percent: u32| usize::try_from(percent).unwrap_or(0) * WIDE / 100;
                let tall = |percent: u32| usize::try_from(percent).unwrap_or(0) * TALL / 100;
                let (from, to) = (x + wide(left), x + wide(right).max(wide(left) + 1));
                let (over, under) = (y + tall(top), y + tall(bottom).max(tall(top) + 1));
                self.fill((from, over, to, under), fg, dark);
            }
        } else if c != ' ' {
            self.glyph(c, cell.modifier.contains(Modifier::BOLD), (x, y), fg);
        }
        if cell.modifier.contains(Modifier::UNDERLINED) {
            self.fill((x, y + TALL - 2, x + WIDE, y + TALL - 1), fg, 100);
        }
    }

    fn glyph(&mut self, c: char, bold: bool, (x, y): (usize, usize), fg: Rgb) {
        let weight = if bold { FontWeight::Bold } else { FontWeight::Regular };
        let raster = get_raster(c, weight, RasterHeight::Size20);
        let Some(raster) = raster.or_else(|| get_raster('?', weight, RasterHeight::Size20)) else {
            return;
        };
        // The font's boxes are wider than its letters are apart.
        let x = (x + WIDE / 2).saturating_sub(raster.width() / 2);
        for (down, line) in raster.raster().iter().enumerate() {
            for (right, dark) in line.iter().enumerate() {
                self.blend((x + right, y + down), fg, u32::from(*dark) * 100 / 255);
            }
        }
    }

    fn fill(
        &mut self,
        (left, top, right, bottom): (usize, usize, usize, usize),
        c: Rgb,
        dark: u32,
    ) {
        for y in top..bottom {
            for x in left..right {
                self.blend((x, y), c, dark);
            }
        }
    }

    fn blend(&mut self, (x, y): (usize, usize), color: Rgb, percent: u32) {
        let at = (y * self.width + x) * 3;
        let Some(pixel) = self.pixels.get_mut(at..at + 3) else { return };
        for (old, new) in pixel.iter_mut().zip([color.0, color.1, color.2]) {
            let mixed = (u32::from(*old) * (100 - percent) + u32::from(new) * percent) / 100;
            *old = u8::try_from(mixed).unwrap_or(u8::MAX);
        }
    }
}
