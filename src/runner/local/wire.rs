//! What server and supervisor say to each other: JSON behind a length of four bytes.
//!
//! A server may meet supervisors of an older or newer build, so fields are only ever added,
//! with a default, and a message nobody knows is skipped.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::base::TaskId;
use crate::model::job::{Exit, StopFor};

/// The longest message that is read; an environment is far shorter.
pub const FRAME_MAX: usize = 64 << 20;

/// A process, told apart from a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Its id.
    pub pid: u32,
    /// When it started, in clock ticks since boot.
    pub start: u64,
}

/// From the server down to a supervisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Down {
    /// The first message to a new supervisor.
    Start(Box<Order>),
    /// End the tree.
    Stop {
        /// Why; decides whether the warn signal comes first.
        why: StopFor,
        /// Between TERM and KILL, in milliseconds.
        grace_ms: u64,
        /// The grace counts from now on, the warning included.
        #[serde(default)]
        in_all: bool,
    },
    /// Freeze the tree.
    Freeze,
    /// Let it go on.
    Thaw,
    /// What is left of the time limit, in milliseconds.
    Limit {
        /// None: no limit.
        left_ms: Option<u64>,
    },
    /// Bytes typed at the terminal.
    Input {
        /// Any bytes.
        bytes: Vec<u8>,
    },
    /// A new size of the terminal.
    Resize {
        /// Lines.
        rows: u16,
        /// Columns.
        cols: u16,
    },
}

/// From a supervisor up to the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Up {
    /// It does not start: another supervisor claimed the task, or another server came.
    Lost,
    /// The command runs. Also the first message to a server that connects later.
    Started {
        /// Process id of the command.
        pid: u32,
        /// The supervisor itself.
        supervisor: Stamp,
        /// Its GPUs, in the order in which their locks come along.
        #[serde(default)]
        gpus: Vec<u32>,
        /// Where its output goes.
        #[serde(default)]
        log: PathBuf,
        /// It has a terminal.
        #[serde(default)]
        pty: bool,
        /// Bytes of output in log files that were rotated away.
        #[serde(default)]
        rotated: u64,
    },
    /// It ended, and that is written down.
    Ended {
        /// How.
        note: ExitNote,
    },
    /// All of its processes stand still.
    Froze,
    /// A question stands at its prompt.
    Prompt {
        /// The last line.
        text: String,
    },
    /// No longer.
    PromptOver,
    /// The log was rotated.
    Rotated {
        /// Bytes of output in log files that were rotated away, in all.
        bytes: u64,
    },
    /// The terminal took this much of what was typed.
    Taken {
        /// Bytes.
        bytes: usize,
    },
}

/// How a task ended, as its supervisor wrote it down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitNote {
    /// How.
    pub exit: Exit,
    /// When, in milliseconds since the Unix epoch.
    pub wall_ms: i64,
    /// The supervisor ended it by itself, because its time limit was over.
    #[serde(default)]
    pub by_limit: bool,
}

/// Everything a supervisor needs to know about its task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The task.
    pub task: TaskId,
    /// Command and arguments.
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Where its output goes.
    pub log: PathBuf,
    /// Bytes in one log file.
    pub log_max: u64,
    /// It gets a terminal.
    pub pty: bool,
    /// What is left of its time limit.
    pub limit_ms: Option<u64>,
    /// Between TERM and KILL when the supervisor enforces the limit.
    pub grace_ms: u64,
    /// Signal number and how many milliseconds before a stop.
    pub warn: Option<(i32, u64)>,
    /// Directory of all tasks.
    pub spool: PathBuf,
    /// Name of a spare directory there that may become the task's.
    #[serde(default)]
    pub spare: Option<String>,
    /// The server's turn; a later one makes this order void.
    pub epoch: u64,
    /// The kernel's id of this boot.
    pub boot: String,
    /// Its own cgroup with the limits to write there, if there is a delegated tree.
    pub cgroup: Option<CgroupOrder>,
    /// Bytes of data each process may allocate, where no cgroup can limit them together.
    pub data_max: Option<u64>,
    /// Its GPUs; their locks came along in this order.
    pub gpus: Vec<u32>,
}

/// A cgroup to make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CgroupOrder {
    /// Its directory.
    pub dir: PathBuf,
    /// Files and what to write into them.
    pub limits: Vec<(String, String)>,
}

/// One message with its length.
///
/// # Errors
/// When a path in it is not UTF-8, or it is too long.
pub fn encode<M: Serialize>(message: &M) -> io::Result<Vec<u8>> {
    let mut out = vec![0; 4];
    serde_json::to_writer(&mut out, message)?;
    let length = out.len() - 4;
    match u32::try_from(length) {
        Ok(n) if length <= FRAME_MAX => out[..4].copy_from_slice(&n.to_le_bytes()),
        _ => return Err(io::Error::other(format!("a message of {length} bytes is too long"))),
    }
    Ok(out)
}

/// Cuts a stream of bytes into messages.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
}

impl Decoder {
    /// Takes bytes as they came.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole message; one that is not understood is skipped.
    ///
    /// # Errors
    /// When the stream cannot be a stream of messages.
    pub fn take<M: for<'de> Deserialize<'de>>(&mut self) -> io::Result<Option<M>> {
        while let Some((head, rest)) = self.bytes.split_first_chunk::<4>() {
            let length = usize::try_from(u32::from_le_bytes(*head)).unwrap_or(usize::MAX);
            if length > FRAME_MAX {
                return Err(io::Error::other("not a message of ours"));
            }
            let Some(body) = rest.get(..length) else { return Ok(None) };
            let message = serde_json::from_slice(body).ok();
            self.bytes.drain(..4 + length);
            if self.bytes.is_empty() && self.bytes.capacity() > 4096 {
                self.bytes = Vec::new();
            }
            if message.is_some() {
                return Ok(message);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_any_cut_and_unknown_ones_are_skipped() {
        let sent = [Up::Lost, Up::Prompt { text: "go on? [y/N]".into() }, Up::PromptOver];
        let mut stream = encode(&serde_json::json!({"from_the_future": 1})).unwrap();
        for message in &sent {
            stream.extend(encode(message).unwrap());
        }
        let mut decoder = Decoder::default();
        let mut got = Vec::new();
        for byte in stream {
            decoder.feed(&[byte]);
            while let Some(message) = decoder.take::<Up>().unwrap() {
                got.push(message);
            }
        }
        assert_eq!(got, sent);
    }

    #[test]
    fn a_stream_of_something_else_is_an_error_and_not_an_allocation() {
        let mut decoder = Decoder::default();
        decoder.feed(b"GET / HTTP/1.1");
        assert!(decoder.take::<Up>().is_err());
    }
}
