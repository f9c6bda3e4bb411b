//! What a command line would run, read from the disk: the executable, what stands behind a wrapper
//! such as `sudo`, and for an interpreter the files that it is told to run.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::base::{Digest, Name};
use crate::cli::exit::Failure;
use crate::model::action::FileLine;
use crate::model::action::command::{CommandLine, scripts};
use crate::model::action::wrapped::{Inner, inside};

/// Where executables are looked for if nobody says.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A command line with its files as they are now.
#[derive(Debug)]
pub struct Covered {
    /// What a yes is bound to.
    pub line: CommandLine,
    /// What is executed.
    pub program: PathBuf,
    /// Files that it would run and that cannot be read: they are not covered.
    pub unreadable: Vec<String>,
    seen: Vec<(PathBuf, Print)>,
}

/// What tells a file from itself after a change, without reading it.
type Print = (u64, u64, u64, i64, i64, i64, i64);

/// Reads what a command line would run. `env` are the variables that the rule lists.
///
/// # Errors
/// When nothing would be run, or what would be run cannot be read.
pub fn look(argv: Vec<String>, cwd: &Path, env: &[Name]) -> Result<Covered, Failure> {
    let Some(name) = argv.first().filter(|name| !name.is_empty()) else {
        return Err(Failure::usage(
            "there is no command",
            "holdshort gate --effect external -- CMD",
        ));
    };
    let program = find(name, cwd, None).ok_or_else(|| {
        let what = format!("there is no executable `{name}`");
        Failure::usage(what, "what would run must be there when it is asked for")
    })?;
    let unreadable = |path: &Path, error: &std::io::Error| {
        let what = format!("cannot read {}: {error}", path.display());
        Failure::usage(what, "a yes is bound to the bytes that would run")
    };
    let mut seen = Vec::new();
    let executable = read(&program, &mut seen).map_err(|error| unreadable(&program, &error))?;
    let (mut covered, mut not_covered) = (Vec::new(), Vec::new());
    for (word, path) in files(&argv, cwd) {
        match path.map(|path| read(&path, &mut seen)) {
            Some(Ok(line)) => covered.push(line),
            Some(Err(_)) | None => not_covered.push(word),
        }
    }
    let value = |name: &Name| (name.clone(), std::env::var(&**name).ok());
    let cwd = text(cwd)?;
    let env = env.iter().map(value).collect();
    let line = CommandLine { argv, cwd, executable, scripts: covered, env };
    Ok(Covered { line, program, unreadable: not_covered, seen })
}

/// The files that would be run besides the executable, with the words that name them: those of an
/// interpreter, and what stands behind wrappers with theirs.
fn files(argv: &[String], cwd: &Path) -> Vec<(String, Option<PathBuf>)> {
    let mut found: Vec<(String, Option<PathBuf>)> = Vec::new();
    let mut add = |word: &str, path: Option<PathBuf>| {
        if !found.iter().any(|(_, known)| known.is_some() && *known == path) {
            found.push((word.to_owned(), path));
        }
    };
    let outer = Inner { argv, dir: None, path: None };
    for (depth, inner) in std::iter::once(outer).chain(inside(argv)).enumerate() {
        let dir = inner.dir.map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir));
        if let Some(program) = inner.argv.first().filter(|_| depth > 0) {
            add(program, find(program, &dir, inner.path));
        }
        for word in scripts(inner.argv, |word: &str| dir.join(word).is_file()) {
            add(word, Some(dir.join(word)));
        }
    }
    found
}

impl Covered {
    /// Nothing of it was touched since it was read.
    pub fn is_as_it_was(&self) -> bool {
        let same = |(path, print): &(PathBuf, Print)| {
            path.metadata().is_ok_and(|now| print_of(&now) == *print)
        };
        self.seen.iter().all(same)
    }

    /// The files that are covered, for people.
    pub fn files(&self) -> String {
        let scripts = self.line.scripts.iter().map(|script| script.path.as_str());
        let all = std::iter::once(self.line.executable.path.as_str()).chain(scripts);
        all.collect::<Vec<_>>().join(", ")
    }
}

fn print_of(file: &std::fs::Metadata) -> Print {
    let (changed, nsec) = (file.ctime(), file.ctime_nsec());
    (file.dev(), file.ino(), file.size(), file.mtime(), file.mtime_nsec(), changed, nsec)
}

/// The file that would be executed, as the shell finds it.
fn find(name: &str, cwd: &Path, path: Option<&str>) -> Option<PathBuf> {
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return Some(cwd.join(name)).filter(|path| runs(path));
    }
    let path = path.map(Into::into).or_else(|| std::env::var_os("PATH"));
    let path = path.unwrap_or_else(|| PATH.into());
    std::env::split_paths(&path).map(|dir| cwd.join(dir).join(name)).find(|path| runs(path))
}

fn read(path: &Path, seen: &mut Vec<(PathBuf, Print)>) -> std::io::Result<FileLine> {
    let mut file = File::open(path)?;
    let print = print_of(&file.metadata()?);
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            n => {
                hasher.update(piece.get(..n).unwrap_or_default());
                bytes += n as u64;
            }
        }
    }
    let text = path.to_str().ok_or_else(|| std::io::Error::other("its path is not UTF-8"))?;
    seen.push((path.to_owned(), print));
    Ok(FileLine { path: text.to_owned(), digest: Digest(hasher.finalize().into()), bytes })
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let what = format!("the directory {} is not UTF-8 text", path.display());
        Failure::usage(what, "run it from another directory")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn script(dir: &Path, name: &str, text: &str) {
        fs::write(dir.join(name), text).unwrap();
        fs::set_permissions(dir.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn seen(dir: &Path, line: &str) -> Result<Covered, Failure> {
        look(line.split(' ').map(ToOwned::to_owned).collect(), dir, &["HOME".into()])
    }

    #[test]
    fn the_executable_and_the_script_are_read() {
        let dir = tempfile::tempdir().unwrap();
        script(dir.path(), "go.sh", "#!/bin/sh\necho 1\n");
        let own = seen(dir.path(), "./go.sh x").unwrap();
        assert_eq!(own.line.executable.digest, Digest::of(b"#!/bin/sh\necho 1\n"));
        assert_eq!(own.line.scripts, []);
        assert_eq!(own.line.env.keys().map(|name| &**name).collect::<Vec<_>>(), ["HOME"]);
        let by = seen(dir.path(), "sh go.sh x").unwrap();
        assert_eq!(by.line.scripts[0].digest, own.line.executable.digest);
        assert!(by.files().ends_with("/go.sh") && by.files().contains("/sh, "), "{}", by.files());
        assert!(by.is_as_it_was());
        script(dir.path(), "go.sh", "#!/bin/sh\necho 2\n");
        assert!(!by.is_as_it_was());
        assert_ne!(seen(dir.path(), "sh go.sh x").unwrap().line, by.line);
    }

    #[test]
    fn a_wrapper_hides_nothing() {
        let dir = tempfile::tempdir().unwrap();
        script(dir.path(), "go.sh", "#!/bin/sh\necho 1\n");
        let first = Digest::of(b"#!/bin/sh\necho 1\n");
        let lines = [
            "env A=1 ./go.sh x",
            "nice -n 5 ./go.sh",
            "timeout 5 sh go.sh",
            "nohup env -u B nice sh ./go.sh",
        ];
        let digests = |line: &str| -> Vec<Digest> {
            seen(dir.path(), line).unwrap().line.scripts.iter().map(|file| file.digest).collect()
        };
        for line in lines {
            assert!(digests(line).contains(&first), "{line}: {:?}", digests(line));
        }
        let inner = seen(dir.path(), "timeout 5 sh go.sh").unwrap();
        assert!(inner.files().contains("/timeout, ") && inner.files().contains("/sh, "));
        script(dir.path(), "go.sh", "#!/bin/sh\necho 2\n");
        for line in lines {
            assert!(!digests(line).contains(&first), "{line}");
        }
        let missing = seen(dir.path(), "env A=1 surely-no-such-program").unwrap();
        assert_eq!(missing.unreadable, ["surely-no-such-program"]);
    }

    #[test]
    fn what_is_not_there_or_does_not_run_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("plain"), "x").unwrap();
        for line in ["./plain", "./missing", "surely-no-such-program", "", "./"] {
            assert!(seen(dir.path(), line).is_err(), "{line}");
        }
    }
}
