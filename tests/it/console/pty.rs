//! The console in a real terminal: this test binary runs itself there with a fleet in memory.
//! Every way out leaves the terminal as it was.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use holdshort::link::Link;
use holdshort::link::local::Local;
use holdshort::tui::Options;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::fleet;
use super::grid::options;
use super::link::Fake;
use crate::place::Place;

/// Set in the process that shows the console; says what shall go wrong there.
const ROLE: &str = "HOLDSHORT_TEST_CONSOLE";
const PATIENCE: Duration = Duration::from_secs(20);

/// Not a test of its own: the console that the others look at.
#[test]
fn host() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let theme = holdshort::tui::theme::load("dark").unwrap();
    let fleet = if role == "quiet" { fleet::Fleet::default() } else { fleet::many() };
    let fake = Fake::new(fleet);
    let link: Arc<dyn Link> = match role.strip_prefix("socket ") {
        Some(socket) => Arc::new(Local::new(socket)),
        None => fake.clone(),
    };
    let result = runtime.block_on(async {
        if role == "panic" {
            tokio::spawn(async move {
                // The terminal is entered before the first page is asked for.
                while fake.queries().is_empty() {
                    tokio::task::yield_now().await;
                }
                panic!("a part broke");
            });
        }
        let options = Options { theme, ..options() };
        let options = options.fitted(&|name| std::env::var(name).ok());
        holdshort::tui::run(link, options).await
    });
    // Straight out: the harness would print its own report over the shell's lines.
    match result {
        Ok(()) => std::process::exit(0),
        Err(problem) => {
            // There may be no terminal left to write to.
            let _ = writeln!(std::io::stderr(), "ended: {problem}");
            std::process::exit(3);
        }
    }
}

fn console(role: &str) -> CommandBuilder {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["console::pty::host", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role);
    command.env("TERM", "xterm-256color");
    command.env_remove("TMUX");
    // A backtrace would push what a panic says off the screen.
    command.env("RUST_BACKTRACE", "0");
    command.env_remove("NO_COLOR");
    command.cwd(std::env::temp_dir());
    command
}

/// A terminal with the console in it.
pub struct Screen {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    parser: Arc<Mutex<(vt100::Parser, Vec<u8>)>>,
}

fn show(role: &str, size: (u16, u16)) -> Screen {
    run(console(role), size)
}

pub fn run(command: CommandBuilder, size: (u16, u16)) -> Screen {
    let (columns, rows) = size;
    let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let writer = pair.master.take_writer().unwrap();
    let both = [rows, columns].map(|n| std::num::NonZeroU16::new(n).unwrap());
    let parser = Arc::new(Mutex::new((vt100::Parser::new(both[0], both[1], 0), Vec::new())));
    let seen = parser.clone();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(n) = reader.read(&mut bytes) {
            if n == 0 {
                return;
            }
            let mut seen = seen.lock().unwrap();
            seen.0.process(&bytes[..n]);
            seen.1.extend_from_slice(&bytes[..n]);
        }
    });
    Screen { master: pair.master, writer, child, parser }
}

impl Screen {
    pub fn shows(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    pub fn text(&self) -> String {
        self.parser.lock().unwrap().0.screen().contents()
    }

    fn bytes(&self) -> usize {
        self.parser.lock().unwrap().1.len()
    }

    fn on_alternate(&self) -> bool {
        self.parser.lock().unwrap().0.screen().alternate_screen()
    }

    fn wait(&self, what: &str, fact: impl Fn(&Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !fact(self) {
            assert!(Instant::now() < deadline, "no {what} within {PATIENCE:?}:\n{}", self.text());
            std::thread::yield_now();
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    pub fn until(&self, text: &str) {
        self.wait(text, |screen| screen.text().contains(text));
    }

    pub fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill(Pid::from_raw(pid), signal).unwrap();
    }

    /// Waits for the end; the exit code, after checking that the terminal is as it was.
    pub fn end(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.exit_code();
            }
            assert!(Instant::now() < deadline, "still there:\n{}", self.text());
            std::thread::park_timeout(Duration::from_millis(5));
        };
        self.wait("restored screen", |screen| !screen.on_alternate());
        assert!(!self.parser.lock().unwrap().0.screen().hide_cursor(), "the cursor is back");
        assert!(!self.parser.lock().unwrap().0.screen().bracketed_paste());
        code
    }
}

#[test]
fn one_looks_filters_reads_a_log_and_leaves() {
    let mut screen = show("many", (80, 24));
    screen.until("WAITING ON PEOPLE 2");
    screen.until("live");
    screen.keys("/team=ml");
    screen.wait("filtered list", |screen| !screen.text().contains("invoice-run"));
    screen.keys("\r3jl");
    screen.until("198 finetune-7b log");
    screen.until("step   399");
    screen.keys("q");
    screen.until("RUNNING 3");
    screen.keys("q");
    assert_eq!(screen.end(), 0);
}

#[test]
fn a_cancel_asks_and_is_done() {
    let mut screen = show("many", (80, 24));
    screen.until("WAITING ON PEOPLE 2");
    screen.keys("3jK");
    screen.until("CANCEL 198 finetune-7b");
    // It listens only after a moment; until then the key is ignored, not remembered.
    let deadline = Instant::now() + PATIENCE;
    while !screen.text().contains("198 cancelled in 5s") {
        assert!(Instant::now() < deadline, "{}", screen.text());
        screen.keys("y");
        std::thread::park_timeout(Duration::from_millis(100));
    }
    screen.keys("\x03");
    assert_eq!(screen.end(), 0);
}

#[test]
fn an_arrow_key_in_pieces_never_acts() {
    let mut screen = show("many", (80, 24));
    screen.until("WAITING ON PEOPLE 2");
    for piece in ["\x1b", "[", "D", "\x1b", "O", "A"] {
        screen.keys(piece);
        std::thread::park_timeout(Duration::from_millis(60));
    }
    screen.keys("m");
    screen.until("messages");
    let text = screen.text();
    assert!(!text.contains("submitted again") && !text.contains("drain"), "{text}");
    screen.keys("qq");
    assert_eq!(screen.end(), 0);
}

#[test]
fn a_question_is_answered_on_a_real_server_that_is_then_killed() {
    let place = Place::with_slots(4);
    let script = "printf 'Deploy now? [y/n] '; read answer; echo got $answer; sleep 300";
    let id = place.submit("-t --name deploy", script);
    let status = place.json("server status");
    let socket = status["socket"].as_str().unwrap().to_owned();
    let mut screen = show(&format!("socket {socket}"), (100, 30));
    screen.until("WAITING ON PEOPLE 1");
    screen.until("\"Deploy now? [y/n]\"");
    screen.keys("S");
    screen.until(&format!("answer {id} deploy >"));
    screen.keys("yes\r");
    screen.until("RUNNING 1");
    screen.keys("l");
    screen.until("got yes");
    screen.keys("qP");
    screen.until("paused (u takes it back)");
    screen.keys("u");
    screen.until("resumed");
    screen.keys("\r");
    screen.until("TIMELINE");
    screen.keys("G");
    screen.until("ENVIRONMENT");
    screen.keys("K");
    screen.until("y = yes, do it");
    let deadline = Instant::now() + PATIENCE;
    while !screen.text().contains("u keeps it") {
        assert!(Instant::now() < deadline, "{}", screen.text());
        screen.keys("y");
        std::thread::park_timeout(Duration::from_millis(100));
    }
    screen.keys("u");
    screen.until("kept");
    screen.keys("qt");
    screen.until("looking: i types");
    screen.keys("q");
    place.kill_server();
    screen.until("reconnecting");
    screen.until("deploy");
    screen.keys("P");
    screen.until("no connection");
    screen.keys("q");
    assert_eq!(screen.end(), 0);
    place.run(&format!("cancel {id}"));
}

#[test]
fn any_size_is_fine() {
    let mut screen = show("many", (80, 24));
    screen.until("WAITING ON PEOPLE 2");
    for (cols, rows) in [(1, 1), (300, 90), (13, 4), (40, 10), (7, 50), (120, 40)] {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let both = [rows, cols].map(|n| std::num::NonZeroU16::new(n).unwrap());
        screen.parser.lock().unwrap().0.screen_mut().set_size(both[0], both[1]);
        screen.master.resize(size).unwrap();
    }
    screen.until("TWO HOURS");
    screen.keys("q");
    assert_eq!(screen.end(), 0);
}

#[test]
fn a_panic_anywhere_restores_the_terminal_and_says_why() {
    let mut screen = show("panic", (80, 24));
    assert_eq!(screen.end(), 3);
    screen.until("a part broke");
    screen.until("the console broke, see above; jobs go on");
}

#[test]
fn no_color_keeps_what_stands_out_and_sets_no_colour() {
    let mut command = console("many");
    command.env("NO_COLOR", "1");
    let mut screen = run(command, (80, 24));
    screen.until("WAITING ON PEOPLE 2");
    screen.keys("q");
    assert_eq!(screen.end(), 0);
    let bytes = screen.parser.lock().unwrap().1.clone();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("\x1b[38;") && !text.contains("\x1b[48;"), "a colour was set");
    assert!(text.contains("\x1b[7m"), "what is chosen stands out");
}

#[test]
fn a_dumb_terminal_is_told_so() {
    let mut command = console("many");
    command.env("TERM", "dumb");
    let mut screen = run(command, (80, 24));
    assert_eq!(screen.end(), 3);
    screen.until("TERM=dumb can show no console");
}

#[test]
fn signals_end_it_cleanly() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT] {
        let mut screen = show("many", (80, 24));
        screen.until("WAITING ON PEOPLE 2");
        screen.signal(signal);
        assert_eq!(screen.end(), 0, "{signal}");
    }
    let mut screen = show("many", (80, 24));
    screen.until("WAITING ON PEOPLE 2");
    screen.signal(Signal::SIGHUP);
    assert_eq!(screen.end(), 3);
}

#[test]
fn it_stops_and_goes_on() {
    // A shell with job control, as a person has one.
    let program = std::env::current_exe().unwrap();
    let arguments = "console::pty::host --exact --nocapture --test-threads=1";
    let script = format!("{} {arguments}; echo in the shell; read line; fg", program.display());
    let mut command = CommandBuilder::new("sh");
    command.args(["-mc", &script]);
    command.env(ROLE, "many");
    command.env("TERM", "xterm-256color");
    command.cwd(std::env::temp_dir());
    let mut screen = run(command, (80, 24));
    screen.until("WAITING ON PEOPLE 2");
    screen.keys("\x1a");
    screen.until("in the shell");
    assert!(!screen.on_alternate());
    screen.keys("\n");
    screen.wait("the console again", |screen| screen.on_alternate());
    screen.until("WAITING ON PEOPLE 2");
    screen.keys("3");
    screen.wait("keys", |screen| !screen.text().contains("WAITING ON PEOPLE 2"));
    screen.keys("q");
    assert_eq!(screen.end(), 0);
}

#[test]
fn a_terminal_that_is_gone_ends_it_even_if_no_signal_says_so() {
    for told in [true, false] {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = console("many");
        // Without a controlling terminal the kernel sends no hang-up.
        command.set_controlling_tty(told);
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let mut seen = String::new();
        while !seen.contains("PEOPLE") {
            let mut bytes = [0; 4096];
            let n = reader.read(&mut bytes).unwrap();
            seen.push_str(&String::from_utf8_lossy(&bytes[..n]));
        }
        drop((reader, pair.master));
        let deadline = Instant::now() + PATIENCE;
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "it lives on without a terminal (told: {told})");
            std::thread::park_timeout(Duration::from_millis(10));
        }
    }
}

#[test]
fn nothing_changes_and_nothing_is_written() {
    let mut screen = show("quiet", (80, 24));
    screen.until("No jobs yet");
    screen.until("live");
    let before = screen.bytes();
    let cpu = ticks(screen.child.process_id().unwrap());
    // Half a minute of quiet would be a benchmark; a second already shows a busy loop.
    std::thread::park_timeout(Duration::from_millis(1200));
    let written = screen.bytes() - before;
    // The clock may turn a minute meanwhile: one line at most.
    assert!(written < 200, "{written} bytes were written");
    let used = ticks(screen.child.process_id().unwrap()) - cpu;
    assert!(used <= 5, "{used} ticks were used");
    screen.keys("q");
    assert_eq!(screen.end(), 0);
}

/// Processor time of a process in hundredths of a second.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let rest = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
