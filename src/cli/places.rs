//! Where things lie and what is configured, for this command line.
//!
//! The rules are in `config`; here the process's own environment and flags are put into them.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use super::exit::{Failure, REFUSED};
use super::tree::Globals;
use crate::config::paths::{Ground, check_dir, secure_dir};
use crate::config::{Config, Given, Paths, Problems, load};

/// Where things lie, and what is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Everything that is configured.
    pub config: Config,
    /// The paths.
    pub paths: Paths,
    /// Somebody named the configuration file.
    pub config_named: bool,
    /// Where a server in the background writes.
    pub log: PathBuf,
    /// Whose they are.
    pub uid: u32,
}

impl Places {
    /// Reads the configuration and finds the paths.
    ///
    /// # Errors
    /// A usage failure with every mistake in the configuration.
    pub fn find(globals: &Globals) -> Result<Places, Failure> {
        let uid = nix::unistd::geteuid().as_raw();
        let raw = |name: &str| -> Option<OsString> { std::env::var_os(name) };
        let ground =
            Ground { env: &raw, uid, tmp: PathBuf::from("/tmp"), run: PathBuf::from("/run/user") };
        let text = |name: &str| std::env::var(name).ok();
        let usage = |problem: String| Failure::usage(problem, "");
        let (file, config_named) = ground.config_file(globals.config.as_deref()).map_err(usage)?;
        let flags = flags(globals)?;
        let given = Given { file: &file, must_exist: config_named, env: &text, flags: &flags };
        let config = load(&given).map_err(|problems| mistakes(&problems))?;
        let paths = ground.paths(file, &config.server).map_err(usage)?;
        let log = log_of(&config, &paths);
        Ok(Places { config, paths, config_named, log, uid })
    }

    /// Makes the directories that belong to this user alone, or checks that they do.
    ///
    /// # Errors
    /// When one cannot be made, or is somebody else's.
    pub fn prepare(&self) -> Result<(), Failure> {
        let refused = |problem: String| Failure::new(REFUSED, problem, "");
        if self.paths.runtime_private {
            secure_dir(&self.paths.runtime, self.uid).map_err(refused)?;
        }
        for dir in [Some(self.paths.data.as_path()), self.log.parent()].into_iter().flatten() {
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
            made.map_err(|why| refused(format!("{} cannot be made; {why}", dir.display())))?;
        }
        Ok(())
    }

    /// A socket in a shared place is trusted only if its directory is this user's own.
    ///
    /// # Errors
    /// What is wrong with the directory.
    pub fn check_socket(&self) -> Result<(), Failure> {
        if !self.paths.runtime_private || !self.paths.runtime.exists() {
            return Ok(());
        }
        let refused = |problem: String| Failure::new(REFUSED, problem, "");
        check_dir(&self.paths.runtime, self.uid).map_err(refused)
    }

    /// Flags that make another process come to the same places from another directory.
    pub fn as_flags(&self) -> Vec<OsString> {
        let mut flags = Vec::new();
        let mut pair = |flag: &str, path: &std::path::Path| {
            flags.extend([OsString::from(flag), path.as_os_str().to_owned()]);
        };
        if self.config_named {
            pair("--config", &self.paths.config);
        }
        if self.config.server.data_dir.is_some() {
            pair("--data-dir", &self.paths.data);
        }
        if self.config.server.socket.is_some() {
            pair("--socket", &self.paths.socket);
        }
        flags
    }
}

/// A data directory of one's own keeps its log, so that two servers never share one.
fn log_of(config: &Config, paths: &Paths) -> PathBuf {
    let dir = if config.server.data_dir.is_some() { &paths.data } else { &paths.state };
    dir.join("server.log")
}

fn flags(globals: &Globals) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut flags = Vec::new();
    for (key, path) in [("server.socket", &globals.socket), ("server.data_dir", &globals.data_dir)]
    {
        let Some(path) = path else { continue };
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let text = path.to_str().ok_or_else(|| {
            Failure::usage(format!("{} is not UTF-8 text", path.display()), "give another path")
        })?;
        flags.push((key, text.to_owned()));
    }
    Ok(flags)
}

/// Every mistake, one on each line.
fn mistakes(problems: &Problems) -> Failure {
    Failure::usage(
        format!("the configuration makes no sense\n{problems}"),
        "`holdshort config check` looks again, `holdshort config schema` says what there is",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(dir: &std::path::Path, config: Option<&str>) -> Result<Places, Failure> {
        let file = dir.join("config.toml");
        if let Some(text) = config {
            std::fs::write(&file, text).unwrap();
        }
        Places::find(&Globals {
            data_dir: Some(dir.join("data")),
            socket: Some(dir.join("sock")),
            config: Some(file),
            ..Globals::default()
        })
    }

    #[test]
    fn flags_win_and_another_process_comes_to_the_same_places() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path(), Some("[server]\nsocket = \"/tmp/else\"\n")).unwrap();
        assert_eq!(places.paths.socket, dir.path().join("sock"));
        assert_eq!(places.log, dir.path().join("data/server.log"));
        let flags = places.as_flags();
        assert_eq!(flags.len(), 6, "{flags:?}");
        places.prepare().unwrap();
        assert!(dir.path().join("data").is_dir());
    }

    #[test]
    fn a_named_file_must_exist_and_every_mistake_is_told() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(places(dir.path(), None).unwrap_err().code, crate::cli::exit::USAGE);
        let failure = places(dir.path(), Some("[server]\nsokcet = \"x\"\n")).unwrap_err();
        assert!(failure.what.contains("sokcet") && failure.what.contains(":2:"), "{failure}");
    }
}
