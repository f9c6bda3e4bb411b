//! `attach` and `send` on a real terminal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex};

use nix::pty::{Winsize, openpty};
use nix::sys::termios::{Termios, tcgetattr};

use crate::cli_world::{World, end_of};

/// A person's terminal with a command in it.
struct Person {
    child: std::process::Child,
    keys: File,
    line: OwnedFd,
    before: Termios,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Person {
    fn sits_at(world: &World, words: &[&str]) -> Person {
        let size = Winsize { ws_row: 33, ws_col: 111, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let before = tcgetattr(&pty.slave).unwrap();
        let line = || pty.slave.try_clone().unwrap();
        let mut command = world.command(words);
        command.stdin(line()).stdout(line()).stderr(line());
        let child = command.spawn().unwrap();
        let keys = File::from(pty.master);
        let screen: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (mut reader, drawn) = (keys.try_clone().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let mut bytes = [0u8; 4096];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                drawn.lock().unwrap().extend(&bytes[..n]);
            }
        });
        Person { child, keys, line: pty.slave, before, screen }
    }

    fn types(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    fn sees(&self, world: &World, text: &str) {
        world.until(text, || String::from_utf8_lossy(&self.screen.lock().unwrap()).contains(text));
    }

    /// The command ends, and the terminal is as it was.
    fn leaves(self) -> i32 {
        let code = end_of(self.child).code;
        let after = tcgetattr(self.line.as_fd()).unwrap();
        assert_eq!(after.local_flags, self.before.local_flags);
        assert_eq!(after.input_flags, self.before.input_flags);
        code
    }
}

#[test]
fn a_shell_is_looked_at_typed_into_left_and_found_again() {
    let world = World::new();
    let job = world.ok(&["submit", "-t", "--", "sh"]);
    let job = job.trim();
    world.until_state(job, "running");
    let mut person = Person::sits_at(&world, &["attach", job]);
    person.sees(&world, "looking only");
    person.types("no such key\r");
    person.types("i");
    person.types("echo $((40+2)); stty size\r");
    person.sees(&world, "42\r\n");
    person.sees(&world, "33 111");
    person.types("\x1c");
    assert_eq!(person.leaves(), 0);
    assert_eq!(world.json(&["show", job])["job"]["state"], "running", "looking typed nothing");

    world.ok(&["send", job, "echo", "sent"]);
    world.until("the answer", || world.ok(&["logs", job]).contains("\nsent"));
    world.ok(&["send", job, "exit 4"]);
    assert_eq!(world.run(&["wait", job]).code, 4);
}

#[test]
fn a_terminal_is_put_right_when_the_job_ends_in_the_middle_of_a_screen() {
    let world = World::new();
    let draw = "printf '\\033[?1049h\\033[?25l'; echo drawn; read x";
    let job = world.submit(&["-t"], draw);
    world.until_state(&job, "running");
    let mut person = Person::sits_at(&world, &["attach", &job]);
    person.sees(&world, "drawn");
    person.types("i\r");
    person.sees(&world, "\x1b[?1049l");
    person.sees(&world, "\x1b[?25h");
    person.sees(&world, "succeeded");
    assert_eq!(person.leaves(), 0);
}

#[test]
fn a_job_without_a_terminal_takes_no_input() {
    let world = World::new();
    let job = world.submit(&[], "exec sleep 600");
    world.until_state(&job, "running");
    let said = world.run(&["send", &job, "yes"]);
    assert_eq!(said.code, 4, "{said:?}");
}
