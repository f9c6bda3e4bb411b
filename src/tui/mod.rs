//! The console: one screen that says what needs somebody, what runs, what waits and why.
//!
//! May use: `base`, `model`, `view`, `config`, `link`. The only room that names ratatui and
//! crossterm. [`run`] owns the terminal; everything else is pure: [`App`] takes an
//! [`event::Event`] and answers with effects, [`draw()`] paints it. Start with [`app`], then
//! [`actions::table`] (the one table of keys) and [`panes`]. A new pane is a file and a line
//! there; looks are in `themes/`.

pub mod actions;
pub mod app;
pub mod counts;
pub mod draw;
pub mod editing;
mod editor;
pub mod event;
pub mod feed;
pub mod ground;
pub mod guard;
pub mod header;
pub mod keys;
pub mod known;
pub mod layout;
pub mod main_loop;
pub mod outside;
pub mod panes;
pub mod popups;
pub mod section;
pub mod shot;
pub mod stage;
pub mod term;
pub mod theme;
pub mod widgets;

pub use app::App;
pub use draw::draw;
pub use ground::{Open, Options, Signs, Starter};
pub use main_loop::{Problem, run};
pub use stage::Stage;
