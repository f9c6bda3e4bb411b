//! Where things lie: configuration, journal, log and socket.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::exit::Failure;
use super::tree::Globals;
use crate::base::Digest;

/// The longest path the kernel binds a socket to, in bytes.
const SOCKET_PATH_MAX: usize = 107;

/// Where things lie for one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The configuration file; it need not exist.
    pub config: PathBuf,
    /// Journal, snapshots, spool.
    pub data_dir: PathBuf,
    /// What is kept for people but is not the journal: the server's log.
    pub state_dir: PathBuf,
    /// What is gone after a reboot: the socket.
    pub runtime_dir: PathBuf,
    /// Where the server listens.
    pub socket: PathBuf,
    /// Where a server in the background writes.
    pub log: PathBuf,
}

/// What the places are found from.
#[derive(Debug, Clone, Default)]
pub struct Base {
    /// `$XDG_CONFIG_HOME` or its default.
    pub config_home: PathBuf,
    /// `$XDG_DATA_HOME` or its default.
    pub data_home: PathBuf,
    /// `$XDG_STATE_HOME` or its default.
    pub state_home: PathBuf,
    /// `$XDG_RUNTIME_DIR`, or the one logind makes for this user.
    pub runtime: Option<PathBuf>,
    /// The caller's directory, which relative paths start from.
    pub cwd: PathBuf,
    /// The caller.
    pub uid: u32,
}

impl Base {
    /// From this process's environment.
    ///
    /// # Errors
    /// When there is no home directory.
    pub fn of_this_process() -> Result<Base, Failure> {
        let dirs = directories::BaseDirs::new().ok_or_else(|| {
            Failure::failed("there is no home directory", "set HOME, or give --data-dir")
        })?;
        let uid = nix::unistd::geteuid().as_raw();
        // A program started by cron or over a bare ssh has no XDG_RUNTIME_DIR although the
        // directory is there; it must still find the same server.
        let usual = PathBuf::from(format!("/run/user/{uid}"));
        let runtime = dirs
            .runtime_dir()
            .map(Path::to_owned)
            .or_else(|| fs::metadata(&usual).is_ok_and(|m| m.uid() == uid).then_some(usual));
        Ok(Base {
            config_home: dirs.config_dir().to_owned(),
            data_home: dirs.data_dir().to_owned(),
            state_home: dirs.state_dir().map_or_else(|| dirs.data_dir().to_owned(), Path::to_owned),
            runtime,
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            uid,
        })
    }
}

impl Places {
    /// The places for these options. A data directory of one's own has log and socket of its
    /// own, so that two servers never meet.
    pub fn new(base: &Base, globals: &Globals) -> Places {
        let usual = base.data_home.join("holdshort");
        let data_dir = globals.data_dir.as_ref().map_or(usual.clone(), |dir| base.cwd.join(dir));
        let own = data_dir != usual;
        let state_dir =
            if own { data_dir.clone() } else { base.state_home.join("holdshort") };
        let runtime_dir = base.runtime.as_ref().map_or_else(
            || PathBuf::from(format!("/tmp/holdshort-{}", base.uid)),
            |dir| dir.join("holdshort"),
        );
        let socket = globals.socket.as_ref().map_or_else(
            || runtime_dir.join(socket_name(&data_dir, own)),
            |path| base.cwd.join(path),
        );
        let config = globals
            .config
            .as_ref()
            .map_or_else(|| base.config_home.join("holdshort/config.toml"), |f| base.cwd.join(f));
        let log = state_dir.join("server.log");
        Places { config, data_dir, state_dir, runtime_dir, socket, log }
    }

    /// Makes the directories that belong to this user alone, and checks that they do.
    ///
    /// # Errors
    /// When one cannot be made, or belongs to somebody else.
    pub fn prepare(&self) -> Result<(), Failure> {
        for dir in [&self.data_dir, &self.state_dir, &self.runtime_dir] {
            private_dir(dir)?;
        }
        if self.socket.as_os_str().len() > SOCKET_PATH_MAX {
            let what = format!(
                "{} has more than {SOCKET_PATH_MAX} bytes, so no socket can have that name",
                self.socket.display()
            );
            return Err(Failure::usage(what, "give a shorter one: --socket PATH"));
        }
        Ok(())
    }
}

fn socket_name(data_dir: &Path, own: bool) -> String {
    if !own {
        return "server.sock".to_owned();
    }
    let digest = Digest::of(data_dir.as_os_str().as_encoded_bytes()).to_string();
    format!("server-{}.sock", digest.get(..12).unwrap_or(&digest))
}

fn private_dir(dir: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        let what = format!("cannot use the directory {}; {error}", dir.display());
        Failure::failed(what, "free it or give another: --data-dir DIR")
    };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(failed)?;
    let meta = fs::metadata(dir).map_err(failed)?;
    if meta.uid() != nix::unistd::geteuid().as_raw() {
        let what = format!("the directory {} belongs to user {}", dir.display(), meta.uid());
        return Err(Failure::new(super::exit::REFUSED, what, "give one of your own: --data-dir"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Base {
        Base {
            config_home: "/h/.config".into(),
            data_home: "/h/.local/share".into(),
            state_home: "/h/.local/state".into(),
            runtime: Some("/run/user/7".into()),
            cwd: "/w".into(),
            uid: 7,
        }
    }

    #[test]
    fn without_options_everything_lies_where_the_desktop_says() {
        let places = Places::new(&base(), &Globals::default());
        assert_eq!(places.config, Path::new("/h/.config/holdshort/config.toml"));
        assert_eq!(places.data_dir, Path::new("/h/.local/share/holdshort"));
        assert_eq!(places.log, Path::new("/h/.local/state/holdshort/server.log"));
        assert_eq!(places.socket, Path::new("/run/user/7/holdshort/server.sock"));
        let bare = Places::new(&Base { runtime: None, ..base() }, &Globals::default());
        assert_eq!(bare.socket, Path::new("/tmp/holdshort-7/server.sock"));
    }

    #[test]
    fn two_data_directories_never_share_a_socket() {
        let with = |dir: &str| {
            let globals = Globals { data_dir: Some(dir.into()), ..Globals::default() };
            Places::new(&base(), &globals)
        };
        assert_eq!(with("a").data_dir, Path::new("/w/a"));
        assert_eq!(with("a").socket, with("/w/a").socket);
        assert_ne!(with("a").socket, with("b").socket);
        assert_eq!(with("a").log, Path::new("/w/a/server.log"));
        let usual = with("/h/.local/share/holdshort");
        assert_eq!(usual, Places::new(&base(), &Globals::default()));
    }

    #[test]
    fn a_socket_path_that_is_too_long_is_refused_before_anything_starts() {
        let dir = tempfile::tempdir().unwrap();
        let globals = Globals {
            data_dir: Some(dir.path().to_owned()),
            socket: Some(format!("/{}", "x".repeat(200)).into()),
            ..Globals::default()
        };
        let own = Base {
            runtime: Some(dir.path().join("run")),
            uid: nix::unistd::geteuid().as_raw(),
            ..base()
        };
        let failure = Places::new(&own, &globals).prepare().unwrap_err();
        assert_eq!(failure.code, crate::cli::exit::USAGE);
    }
}
