//! What panes are drawn with: a clipped canvas, a scrolled window, a line of text being typed.

pub mod canvas;
pub mod input;
pub mod spark;
pub mod window;

pub use canvas::Canvas;
pub use input::Input;
pub use window::Window;
