//! `enable`: a user service, so that queues survive a reboot.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use crate::cli::exit::{FAILED, Failure, OK, Outcome};
use crate::cli::session::Session;
use crate::cli::verbs::server;

/// Name of the unit.
const UNIT: &str = "holdshort.service";

/// `enable`.
#[derive(Debug, Args)]
#[command(after_help = "Writes ~/.config/systemd/user/holdshort.service and starts it. Jobs \
                        outlive the service, whatever happens to it.")]
pub struct Enable {}

impl Enable {
    /// Writes the unit and starts it, if there is a systemd for this user.
    ///
    /// # Errors
    /// When the unit cannot be written or systemd refuses it.
    pub fn run(self, session: &Session) -> Outcome {
        let path = unit_path()?;
        let program = std::env::current_exe()
            .map_err(|error| Failure::failed(format!("cannot find this program; {error}"), ""))?;
        let flags = session.places.as_flags();
        let flags = flags.iter().map(|flag| flag.to_string_lossy().into_owned());
        write(&path, &unit(&program, flags))?;
        session.output.note(&format!("wrote {}", path.display()));
        if !systemctl_answers() {
            return Err(Failure::new(
                FAILED,
                "there is no systemd for this user, so nothing starts the service",
                "start `holdshort serve` from whatever starts programs here",
            ));
        }
        hand_over(session)?;
        for args in [["daemon-reload"].as_slice(), &["enable", "--now", UNIT]] {
            systemctl(args)?;
            session.output.note(&format!("ran systemctl --user {}", args.join(" ")));
        }
        if !lingers() {
            session
                .output
                .note("it runs while you are logged in; for reboots: loginctl enable-linger");
        }
        Ok(OK)
    }
}

/// Offers the service, once.
pub fn offer(session: &Session) {
    let mark = session.places.paths.state.join("enable-offered");
    if mark.exists() || unit_path().is_ok_and(|path| path.exists()) || !systemctl_answers() {
        return;
    }
    let _ = fs::create_dir_all(&session.places.paths.state);
    if fs::write(&mark, b"").is_ok() {
        session.output.note("queues survive a reboot with: holdshort enable");
    }
}

/// A server in the background makes room for the service; jobs go on.
fn hand_over(session: &Session) -> Result<(), Failure> {
    if session.running_link().is_none() {
        return Ok(());
    }
    server::stop(session, false)?;
    session.output.note("the server in the background made room; jobs go on");
    Ok(())
}

fn unit_path() -> Result<PathBuf, Failure> {
    let dirs = directories::BaseDirs::new()
        .ok_or_else(|| Failure::failed("there is no home directory", "set HOME"))?;
    Ok(dirs.config_dir().join("systemd/user").join(UNIT))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}; {error}", path.display()), "")
    };
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

/// The unit. `KillMode=process` leaves the supervisors and their jobs alone when the service
/// stops; `Delegate=yes` gives us the cgroups below it.
fn unit(program: &Path, flags: impl Iterator<Item = String>) -> String {
    let mut exec = quoted(&program.to_string_lossy());
    exec.push_str(" serve");
    for flag in flags {
        exec.push(' ');
        exec.push_str(&quoted(&flag));
    }
    format!(
        "[Unit]\n\
         Description=holdshort: queues and runs jobs\n\
         \n\
         [Service]\n\
         Type=notify\n\
         ExecStart={exec}\n\
         KillMode=process\n\
         Delegate=yes\n\
         Restart=on-failure\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    )
}

/// A word of a command line as systemd reads it: quotes, backslashes, `%` and `$` have a meaning
/// there.
fn quoted(word: &str) -> String {
    let mut out = String::from('"');
    for c in word.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '%' | '$' => out.extend([c, c]),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

fn systemctl_answers() -> bool {
    let mut command = Command::new("systemctl");
    command.args(["--user", "show-environment"]).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

fn systemctl(args: &[&str]) -> Result<(), Failure> {
    let shown = format!("systemctl --user {}", args.join(" "));
    let run = Command::new("systemctl").arg("--user").args(args).stdin(Stdio::null()).output();
    let output =
        run.map_err(|error| Failure::failed(format!("cannot run {shown}; {error}"), ""))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = crate::base::text::sanitise(said.trim()).into_owned();
    Err(Failure::failed(
        format!("{shown} failed; {said}"),
        format!("systemctl --user status {UNIT} says more"),
    ))
}

/// Services of this user run without a login.
fn lingers() -> bool {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten();
    user.is_some_and(|user| Path::new("/var/lib/systemd/linger").join(user.name).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_keeps_jobs_alive_and_quotes_paths() {
        let flags = ["--data-dir", "/d/100% \"x\""].map(str::to_owned);
        let text = unit(Path::new("/opt/my tools/holdshort"), flags.into_iter());
        for line in ["KillMode=process", "Delegate=yes", "Restart=on-failure", "Type=notify"] {
            assert!(text.lines().any(|have| have == line), "{line}");
        }
        let exec = r#"ExecStart="/opt/my tools/holdshort" serve "--data-dir" "/d/100%% \"x\"""#;
        assert!(text.lines().any(|line| line == exec), "{text}");
    }
}
