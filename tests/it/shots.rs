//! The pictures in the repository are what the console draws now.

use std::path::Path;

use crate::place::Place;

#[test]
fn the_screenshots_are_what_the_console_draws_now() {
    let place = Place::with_slots(1);
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    let ran = place.run(&format!("shots --check {}", pictures.display()));
    assert_eq!(ran.code, 0, "draw them anew with `holdshort shots`:\n{}{}", ran.out, ran.err);
}
