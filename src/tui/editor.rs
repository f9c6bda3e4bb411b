//! Has a text changed in the user's editor: `$VISUAL`, else `$EDITOR`, else `vi`.
//!
//! The text lies in a file that only the user can read, and is gone afterwards.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tokio::process::Command;

/// Bytes that are read back at most.
const LONGEST: u64 = 1 << 20;

/// A file that is removed when it is no longer needed.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // It lies in the directory for such files: there is nobody to tell.
        let _ = fs::remove_file(&self.0);
    }
}

/// The changed text. Waits until the editor ends; the terminal must have been given back.
///
/// # Errors
/// Why there is none, in words.
pub async fn change(text: &str, name: &str) -> Result<String, String> {
    let draft = draft(text, name).map_err(|why| format!("no file for the editor: {why}"))?;
    let editor = editor();
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let ended = Command::new(program).args(words).arg(&draft.0).status().await;
    match ended {
        Ok(status) if status.success() => read(&draft.0),
        Ok(status) => Err(format!("the editor {program} ended with {status}")),
        Err(why) => Err(format!("the editor {program} did not start: {why}; set EDITOR")),
    }
}

fn editor() -> String {
    let of = |name| std::env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
    of("VISUAL").or_else(|| of("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

fn draft(text: &str, name: &str) -> std::io::Result<Draft> {
    /// Names that are tried.
    const TRIES: u32 = 100;
    let pid = std::process::id();
    let mut last = None;
    for n in 0..TRIES {
        let path = std::env::temp_dir().join(format!("holdshort-{name}-{pid}-{n}.json"));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                let draft = Draft(path);
                file.write_all(text.as_bytes())?;
                return Ok(draft);
            }
            Err(why) => last = Some(why),
        }
    }
    Err(last.unwrap_or_else(|| std::io::ErrorKind::AlreadyExists.into()))
}

fn read(path: &Path) -> Result<String, String> {
    let unread = |why: std::io::Error| format!("what the editor wrote cannot be read: {why}");
    let mut file = fs::File::open(path).map_err(unread)?.take(LONGEST + 1);
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unread)?;
    if text.len() as u64 > LONGEST {
        return Err("the text is too long".to_owned());
    }
    Ok(text)
}
