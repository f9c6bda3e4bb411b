//! Where everything lies: configuration, data, state, and the runtime directory with the socket.
//!
//! Client and server come to the same answer from different environments (a login, cron, sudo),
//! so the runtime directory does not depend on `XDG_RUNTIME_DIR` alone.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::{Server, keys};
use crate::base::Digest;

/// Bytes of a socket's path; the kernel takes 107.
pub const SOCKET_MAX: usize = 100;

/// What the paths depend on.
pub struct Ground<'a> {
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// Whose paths.
    pub uid: u32,
    /// For what must be reachable by every process of this user: `/tmp`.
    pub tmp: PathBuf,
    /// Where the system keeps runtime directories by uid: `/run/user`.
    pub run: PathBuf,
}

/// The paths of one installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The configuration file.
    pub config: PathBuf,
    /// Journal, logs, checkpoints.
    pub data: PathBuf,
    /// What may be lost: history of the console and the like.
    pub state: PathBuf,
    /// The directory of the socket.
    pub runtime: PathBuf,
    /// `runtime` is ours alone: make it with [`secure_dir`], check it with [`check_dir`]. False
    /// when somebody configured the socket, who then answers for its directory.
    pub runtime_private: bool,
    /// The socket.
    pub socket: PathBuf,
}

impl Ground<'_> {
    fn path(&self, name: &str) -> Option<PathBuf> {
        (self.env)(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    fn project(&self) -> Result<ProjectDirs, String> {
        ProjectDirs::from("", "", "holdshort")
            .ok_or_else(|| "there is no home directory, so no place for data; set HOME".to_owned())
    }

    /// The configuration file, and whether somebody named it: by flag, else by
    /// `HOLDSHORT_CONFIG`, else the usual place.
    ///
    /// # Errors
    /// When there is no home directory.
    pub fn config_file(&self, flag: Option<&Path>) -> Result<(PathBuf, bool), String> {
        let named = flag.map(Path::to_owned).or_else(|| self.path(keys::CONFIG_ENV));
        match named {
            Some(path) => Ok((absolute(&path)?, true)),
            None => Ok((self.project()?.config_dir().join("config.toml"), false)),
        }
    }

    /// The user's runtime directory: the first that is a directory of this user's.
    fn runtime_base(&self) -> Option<PathBuf> {
        let ours = |path: &PathBuf| {
            let about = fs::metadata(path);
            path.is_absolute() && about.is_ok_and(|about| about.is_dir() && about.uid() == self.uid)
        };
        let usual = self.run.join(self.uid.to_string());
        self.path("XDG_RUNTIME_DIR").filter(ours).or(Some(usual).filter(ours))
    }

    /// A directory of our own where there is no runtime directory.
    fn fallback(&self) -> PathBuf {
        self.tmp.join(format!("holdshort-{}", self.uid))
    }

    /// All paths. `config` is the file from [`Ground::config_file`].
    ///
    /// # Errors
    /// When there is no home directory, or a configured socket's path is too long.
    pub fn paths(&self, config: PathBuf, server: &Server) -> Result<Paths, String> {
        let project = self.project()?;
        let usual = project.data_dir().to_owned();
        let data = server.data_dir.as_deref().map_or(Ok(usual.clone()), absolute)?;
        let state = project.state_dir().unwrap_or(project.data_local_dir()).to_owned();
        let socket = match &server.socket {
            Some(path) => configured_socket(path)?,
            None => self.usual_socket(&data, data == usual),
        };
        let runtime = socket.parent().map_or_else(|| self.fallback(), Path::to_owned);
        let runtime_private = server.socket.is_none();
        Ok(Paths { config, data, state, runtime, runtime_private, socket })
    }

    /// Each data directory has a socket of its own; the usual one has the short name.
    fn usual_socket(&self, data: &Path, usual: bool) -> PathBuf {
        let mut digest = Digest::of(data.as_os_str().as_bytes()).to_string();
        digest.truncate(12);
        let name = if usual { "socket".to_owned() } else { format!("socket-{digest}") };
        let base = self.runtime_base().map(|base| base.join("holdshort"));
        let socket = base.unwrap_or_else(|| self.fallback()).join(&name);
        if socket.as_os_str().len() <= SOCKET_MAX { socket } else { self.fallback().join(name) }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|why| format!("{} is no path: {why}", path.display()))
}

fn configured_socket(path: &Path) -> Result<PathBuf, String> {
    let path = absolute(path)?;
    if path.as_os_str().len() > SOCKET_MAX {
        return Err(format!(
            "the socket's path {} is longer than the {SOCKET_MAX} bytes a socket may have; \
             set server.socket to a shorter one",
            path.display()
        ));
    }
    Ok(path)
}

/// Makes a private directory (0700, with its parents) or checks that an existing one is ours:
/// a real directory, owned by `uid`, closed to others.
///
/// # Errors
/// What is wrong with it and what to do. Anything else in its place might be a trap that
/// somebody laid in a shared directory.
pub fn secure_dir(path: &Path, uid: u32) -> Result<(), String> {
    let shown = path.display();
    if let Some(parent) = path.parent() {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(parent);
        made.map_err(|why| format!("{} cannot be made: {why}", parent.display()))?;
    }
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(format!("{shown} cannot be made: {error}")),
    }
    check_dir(path, uid)
}

/// Checks a directory as [`secure_dir`] does, making nothing. A client calls this before it
/// trusts a socket in a shared place.
///
/// # Errors
/// As [`secure_dir`], and when it is not there.
pub fn check_dir(path: &Path, uid: u32) -> Result<(), String> {
    let shown = path.display();
    let about =
        fs::symlink_metadata(path).map_err(|why| format!("{shown} cannot be read: {why}"))?;
    if !about.is_dir() {
        return Err(format!("{shown} is not a directory; move it away"));
    }
    if about.uid() != uid {
        return Err(format!(
            "{shown} belongs to uid {}, not to you; move it away or set HOLDSHORT_SOCKET",
            about.uid()
        ));
    }
    if about.mode() & 0o077 != 0 {
        return Err(format!("{shown} is open to others; run: chmod 700 {shown}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::os::unix::fs::PermissionsExt;

    struct Case {
        dir: tempfile::TempDir,
        uid: u32,
    }

    fn case() -> Case {
        let dir = tempfile::tempdir().unwrap();
        let uid = fs::metadata(dir.path()).unwrap().uid();
        Case { dir, uid }
    }

    impl Case {
        fn paths(&self, xdg: Option<&Path>, server: &Server) -> Result<Paths, String> {
            let env = |name: &str| match name {
                "XDG_RUNTIME_DIR" => xdg.map(|path| path.as_os_str().to_owned()),
                _ => None,
            };
            let ground = Ground {
                env: &env,
                uid: self.uid,
                tmp: self.dir.path().join("tmp"),
                run: self.dir.path().join("run"),
            };
            ground.paths("/c.toml".into(), server)
        }
    }

    #[test]
    fn the_runtime_directory_is_found_with_and_without_the_variable() {
        let case = case();
        let mut server = Config::default().server;
        server.data_dir = None;
        let usual = case.dir.path().join("run").join(case.uid.to_string());
        let fallback = case.dir.path().join("tmp").join(format!("holdshort-{}", case.uid));
        let absent = case.dir.path().join("absent");
        assert_eq!(case.paths(None, &server).unwrap().runtime, fallback);
        assert_eq!(case.paths(Some(&absent), &server).unwrap().runtime, fallback);
        fs::create_dir_all(&usual).unwrap();
        let paths = case.paths(None, &server).unwrap();
        assert_eq!(paths.socket, usual.join("holdshort/socket"));
        assert_eq!(case.paths(Some(&usual), &server).unwrap(), paths);
    }

    #[test]
    fn each_data_directory_has_its_own_socket_and_no_path_is_too_long() {
        let case = case();
        let mut server = Config::default().server;
        let usual = case.paths(None, &server).unwrap().socket;
        server.data_dir = Some("/srv/a".into());
        let other = case.paths(None, &server).unwrap().socket;
        assert_ne!(usual, other);
        let deep = case.dir.path().join("d".repeat(90));
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(case.paths(Some(&deep), &server).unwrap().socket, other);
        server.socket = Some(Path::new("/").join("s".repeat(120)));
        assert!(case.paths(None, &server).unwrap_err().contains("server.socket"));
    }

    #[test]
    fn a_private_directory_is_made_or_must_be_ours_and_closed() {
        let case = case();
        let path = case.dir.path().join("x/private");
        secure_dir(&path, case.uid).unwrap();
        secure_dir(&path, case.uid).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        assert!(secure_dir(&path, case.uid + 1).unwrap_err().contains("not to you"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(secure_dir(&path, case.uid).unwrap_err().contains("chmod 700"));
        let link = case.dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(secure_dir(&link, case.uid).unwrap_err().contains("not a directory"));
    }

    #[test]
    fn a_named_configuration_file_is_known_to_be_named() {
        let env = |name: &str| (name == "HOLDSHORT_CONFIG").then(|| "/e.toml".into());
        let ground = Ground { env: &env, uid: 0, tmp: "/tmp".into(), run: "/run/user".into() };
        assert_eq!(ground.config_file(None), Ok(("/e.toml".into(), true)));
        assert_eq!(ground.config_file(Some(Path::new("/f"))), Ok(("/f".into(), true)));
    }
}
