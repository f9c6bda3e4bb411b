//! The only file that touches the terminal: enter, leave, suspend, and every way out.
//!
//! Whatever ends the console, the terminal is as it was: the normal way, an error, a panic in
//! any thread, a signal, a terminal that is gone.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, raise};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use tokio::sync::{Notify, oneshot};

use crate::tui::app::App;
use crate::tui::draw::draw;

/// The terminal is ours and has to be given back.
static OURS: AtomicBool = AtomicBool::new(false);
/// Something panicked outside a pane.
static BROKEN: Notify = Notify::const_new();
static HOOK: Once = Once::new();

thread_local! {
    /// A panic here is dealt with: it must not touch the terminal.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Remembers and restores the window's title.
const PUSH_TITLE: &[u8] = b"\x1b[22;2t";
const POP_TITLE: &[u8] = b"\x1b[23;2t";

/// Held while bytes go to the terminal, so that a thread that panics does not give the terminal
/// back in the middle of a frame, nor a frame land on what the panic says.
static WRITING: Mutex<()> = Mutex::new(());

/// Writes to the terminal as long as it is ours: whole frames, and nothing after that.
#[derive(Default)]
struct Pen {
    frame: Vec<u8>,
}

impl Write for Pen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let frame = std::mem::take(&mut self.frame);
        let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        if !OURS.load(Ordering::SeqCst) {
            return Ok(());
        }
        let mut out = io::stdout();
        out.write_all(&frame)?;
        out.flush()
    }
}

/// The terminal, while the console has it.
pub struct Term {
    terminal: Terminal<CrosstermBackend<Pen>>,
}

/// Whether there is a terminal that can show the console.
///
/// # Errors
/// Why not, and what to do instead.
pub fn check() -> Result<(), String> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err("the console needs a terminal; holdshort ls prints the list".to_owned());
    }
    if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        return Err("TERM=dumb can show no console; holdshort ls prints the list".to_owned());
    }
    Ok(())
}

impl Term {
    /// Takes the terminal.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn enter() -> io::Result<Term> {
        hook();
        // NO_COLOR is dealt with by the theme. The library's own way would wipe bold and reverse
        // from every cell that has a colour.
        crossterm::style::force_color_output(true);
        take()?;
        let terminal = Terminal::new(CrosstermBackend::new(Pen::default()))?;
        Ok(Term { terminal })
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        crossterm::terminal::size().unwrap_or((80, 24))
    }

    /// Draws what has changed.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn draw(&mut self, app: &App) -> io::Result<()> {
        self.terminal.draw(|frame| draw(app, frame)).map(|_| ())
    }

    /// Writes bytes that are no drawing.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut pen = Pen { frame: bytes.to_vec() };
        pen.flush()
    }

    /// Takes the mouse, or leaves it to the terminal.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn mouse(&mut self, on: bool) -> io::Result<()> {
        match on {
            true => execute!(Pen::default(), EnableMouseCapture),
            false => execute!(Pen::default(), DisableMouseCapture),
        }
    }

    /// Gives the terminal back and stops until the shell says go on.
    ///
    /// # Errors
    /// The terminal cannot be taken again.
    pub fn suspend(&mut self) -> io::Result<()> {
        leave();
        raise(Signal::SIGTSTP)?;
        self.again()
    }

    /// Gives the terminal to a program that runs now; [`Term::again`] takes it back.
    pub fn lend(&mut self) {
        leave();
    }

    /// Takes the terminal after somebody else had it.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn again(&mut self) -> io::Result<()> {
        take()?;
        // The library's own way to clear asks the terminal where the cursor is, and the answer
        // would be read as keys.
        execute!(Pen::default(), Clear(ClearType::All))?;
        self.terminal = Terminal::new(CrosstermBackend::new(Pen::default()))?;
        Ok(())
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        leave();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    let first = !OURS.swap(true, Ordering::SeqCst);
    let mut out = io::stdout();
    if first {
        out.write_all(PUSH_TITLE)?;
    }
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, cursor::Hide)
}

/// Gives the terminal back; may be called from anywhere, any number of times.
pub fn leave() {
    let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if !OURS.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    // A terminal that is gone cannot be restored, and there is nobody to tell.
    let _ = execute!(
        out,
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = out.write_all(POP_TITLE).and_then(|()| out.flush());
    let _ = disable_raw_mode();
}

/// A panic in any thread gives the terminal back before it is printed, and ends the console.
fn hook() {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CAUGHT.get() {
                return;
            }
            let ours = OURS.load(Ordering::SeqCst);
            if ours {
                leave();
            }
            before(info);
            // Only now: whoever hears of it may end the process.
            if ours {
                BROKEN.notify_one();
            }
        }));
    });
}

/// Runs something whose panic is caught and shown in its place.
pub fn quietly<T>(run: impl FnOnce() -> T) -> T {
    CAUGHT.set(true);
    let result = run();
    CAUGHT.set(false);
    result
}

/// Waits for a panic outside a pane.
pub async fn broken() {
    BROKEN.notified().await;
}

/// Tells when the terminal is gone. A thread waits for the hang-up alone, so that nothing wakes
/// while all is well; the reader of keys would not notice, it would spin.
pub fn gone() -> oneshot::Receiver<()> {
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        let stdin = io::stdin();
        loop {
            let mut wait = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
            match poll(&mut wait, PollTimeout::NONE) {
                Err(nix::errno::Errno::EINTR) => {}
                _ => break,
            }
        }
        let _ = tell.send(());
    });
    told
}
