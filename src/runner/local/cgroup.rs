//! Control groups, version 2: one per task, below a directory this user may write.
//!
//! A group freezes and kills a whole tree at once and, where its controllers are handed down,
//! limits it. Everything goes through files below a path, so that a plain directory can play a
//! tree in tests. Start with [`Groups::find`].

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::base::TaskId;
use crate::model::Resources;

/// Processes in the group of a task whose requests are limits.
const PIDS_MAX: u64 = 4096;
/// Length of the period in which `cpu.max` is counted, in microseconds.
const CPU_PERIOD_US: u64 = 100_000;
/// Attempts to take a group away whose processes are about to vanish.
const REMOVALS_MAX: usize = 100;
/// The group of the server itself inside a delegated unit.
pub const SERVER_GROUP: &str = "server";
/// Controllers we use.
const WANTED: [&str; 3] = ["cpu", "memory", "pids"];

/// The place where the groups of all tasks are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    root: PathBuf,
    controllers: Vec<String>,
}

impl Groups {
    /// Finds the version 2 tree this process lives in and makes a group called `name` there,
    /// or takes the one that is there.
    ///
    /// # Errors
    /// Why it cannot be used, for people.
    pub fn find(name: &str) -> Result<Groups, String> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|e| e.to_string())?;
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|e| e.to_string())?;
        let base = own_group(&mounts, &own).ok_or("no cgroup v2 mounted")?;
        // Controllers can be handed down only by a group without processes. A unit that says
        // `DelegateSubgroup=server` puts us one level below what was delegated.
        let unit = base.parent().filter(|_| base.file_name().is_some_and(|n| n == SERVER_GROUP));
        if let Some(groups) = unit.and_then(|unit| Groups::below(unit, name).ok()) {
            return Ok(groups);
        }
        Groups::below(&base, name)
    }

    /// Makes the place below `base`.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn below(base: &Path, name: &str) -> Result<Groups, String> {
        let root = base.join(name);
        match fs::create_dir(&root) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(format!("no cgroup v2 delegated: {}: {error}", root.display()));
            }
            _ => {}
        }
        if !root.join("cgroup.kill").exists() {
            let _ = fs::remove_dir(&root);
            return Err("the kernel's cgroup v2 has no cgroup.kill".to_owned());
        }
        hand_down(base);
        hand_down(&root);
        let controllers = words(&root.join("cgroup.subtree_control"));
        Ok(Groups { root, controllers })
    }

    /// The directory of a task's group; nothing is made yet.
    pub fn dir(&self, task: TaskId) -> PathBuf {
        self.root.join(task.to_string())
    }

    /// Files and contents that make `request` a limit, as far as controllers are there.
    pub fn limits(&self, request: &Resources) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let mut add = |controller: &str, file: &str, text: String| {
            if self.has(controller) {
                files.push((file.to_owned(), text));
            }
        };
        if request.cpu_milli > 0 {
            // The kernel takes no quota below a millisecond.
            let quota = (request.cpu_milli.saturating_mul(CPU_PERIOD_US) / 1000).max(1000);
            add("cpu", "cpu.max", format!("{quota} {CPU_PERIOD_US}"));
        }
        if request.mem_bytes > 0 {
            add("memory", "memory.max", request.mem_bytes.to_string());
            add("memory", "memory.swap.max", "0".to_owned());
            add("memory", "memory.oom.group", "1".to_owned());
        }
        add("pids", "pids.max", PIDS_MAX.to_string());
        files
    }

    /// This controller is handed down to tasks.
    pub fn has(&self, controller: &str) -> bool {
        self.controllers.iter().any(|name| name == controller)
    }

    /// What it can do, for people.
    pub fn describe(&self) -> String {
        let limits: Vec<&str> = WANTED.into_iter().filter(|name| self.has(name)).collect();
        if limits.is_empty() {
            "cgroup v2 (freeze and kill; no controllers for limits)".to_owned()
        } else {
            format!("cgroup v2 (freeze, kill, limits on {})", limits.join(", "))
        }
    }

    /// Takes the place away if no task has a group in it any more.
    pub fn remove_if_empty(&self) {
        let _ = fs::remove_dir(&self.root);
    }
}

/// One task's group.
#[derive(Debug)]
pub struct Group {
    dir: PathBuf,
}

impl Group {
    /// Makes the group and writes its limits.
    ///
    /// # Errors
    /// Which file was refused and why.
    pub fn create(dir: PathBuf, limits: &[(String, String)]) -> Result<Group, String> {
        let said = |path: &Path, error: &io::Error| format!("{}: {error}", path.display());
        match fs::create_dir(&dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(said(&dir, &error));
            }
            _ => {}
        }
        let group = Group { dir };
        for (file, text) in limits {
            let path = group.dir.join(file);
            match fs::write(&path, text) {
                // Kernels without swap accounting lack this one file.
                Err(error) if file != "memory.swap.max" => return Err(said(&path, &error)),
                _ => {}
            }
        }
        Ok(group)
    }

    /// A group that is there already.
    pub fn at(dir: PathBuf) -> Group {
        Group { dir }
    }

    /// A descriptor of the group, for a fork into it.
    ///
    /// # Errors
    /// When it is gone.
    pub fn open(&self) -> io::Result<OwnedFd> {
        let flags = libc::O_DIRECTORY;
        Ok(fs::OpenOptions::new().read(true).custom_flags(flags).open(&self.dir)?.into())
    }

    /// Moves this process into it.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn join(&self) -> io::Result<()> {
        fs::write(self.dir.join("cgroup.procs"), "0")
    }

    /// Kills every process in it, those that are being forked included.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn kill(&self) -> io::Result<()> {
        fs::write(self.dir.join("cgroup.kill"), "1")
    }

    /// Freezes or thaws every process in it.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn freeze(&self, on: bool) -> io::Result<()> {
        fs::write(self.dir.join("cgroup.freeze"), if on { "1" } else { "0" })
    }

    /// Takes it away, and with it what is still in it: groups that its processes made, and
    /// processes that hid there. One that cannot be emptied stays.
    pub fn end(&self) {
        for _ in 0..REMOVALS_MAX {
            match fs::remove_dir(&self.dir) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                _ => return,
            }
            let _ = self.freeze(false);
            let _ = self.kill();
            remove_groups(&self.dir);
            std::thread::yield_now();
        }
    }
}

fn remove_groups(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_groups(&entry.path());
        }
    }
    let _ = fs::remove_dir(dir);
}

/// Directory of the group this process is in, from the texts of /proc/self/mountinfo and
/// /proc/self/cgroup. None when no version 2 tree is mounted, or not the part we are in.
fn own_group(mounts: &str, own: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        if after.split(' ').next()? != "cgroup2" {
            return None;
        }
        let mut fields = before.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let inside = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(&unescape(point)).join(inside))
    })
}

/// Mount points have spaces, tabs, line ends and backslashes as three octal digits.
fn unescape(text: &str) -> String {
    let plain = text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n");
    plain.replace("\\134", "\\")
}

/// Hands the controllers of a group down to the groups in it, each that can be.
fn hand_down(dir: &Path) {
    let there = words(&dir.join("cgroup.controllers"));
    let down = words(&dir.join("cgroup.subtree_control"));
    for name in WANTED {
        if there.iter().any(|has| has == name) && !down.iter().any(|has| has == name) {
            let _ = fs::write(dir.join("cgroup.subtree_control"), format!("+{name}"));
        }
    }
}

fn words(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &str = "\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
41 31 0:38 / /sys/fs/cgroup/uni\\040fied rw - cgroup2 cgroup2 rw
";

    #[test]
    fn the_own_group_is_found_beside_version_1_and_in_a_namespace() {
        let own = "4:memory:/x\n0::/user.slice/a.service\n";
        let found = own_group(MIXED, own).unwrap();
        assert_eq!(found, Path::new("/sys/fs/cgroup/uni fied/user.slice/a.service"));
        let inner = "41 31 0:38 /user.slice /mnt rw - cgroup2 none rw\n";
        assert_eq!(own_group(inner, own).unwrap(), Path::new("/mnt/a.service"));
        assert_eq!(own_group(inner, "0::/system.slice\n"), None);
        assert_eq!(own_group(MIXED, "4:memory:/x\n"), None);
        assert_eq!(own_group("", own), None);
    }

    /// A directory that looks like a group with these controllers.
    fn fake(dir: &Path, controllers: &str) {
        fs::create_dir_all(dir).unwrap();
        for (file, text) in [
            ("cgroup.kill", ""),
            ("cgroup.controllers", controllers),
            ("cgroup.subtree_control", controllers),
        ] {
            fs::write(dir.join(file), text).unwrap();
        }
    }

    #[test]
    fn requests_become_limit_files_of_the_controllers_that_are_there() {
        let dir = tempfile::tempdir().unwrap();
        fake(&dir.path().join("tasks"), "cpu memory pids");
        let groups = Groups::below(dir.path(), "tasks").unwrap();
        assert_eq!(groups.describe(), "cgroup v2 (freeze, kill, limits on cpu, memory, pids)");
        let request = Resources { cpu_milli: 1500, mem_bytes: 1 << 30, ..Resources::default() };
        let limits = groups.limits(&request);
        let group = Group::create(dir.path().join("tasks/t"), &limits).unwrap();
        let read = |file: &str| fs::read_to_string(group.dir.join(file)).unwrap();
        assert_eq!(read("cpu.max"), "150000 100000");
        assert_eq!(read("memory.max"), "1073741824");
        assert_eq!(read("memory.oom.group"), "1");
        assert_eq!(read("pids.max"), "4096");
        group.freeze(true).unwrap();
        assert_eq!(read("cgroup.freeze"), "1");
        group.kill().unwrap();
        assert_eq!(read("cgroup.kill"), "1");

        fake(&dir.path().join("bare"), "");
        let bare = Groups::below(dir.path(), "bare").unwrap();
        assert!(bare.limits(&request).is_empty());
        assert_eq!(bare.describe(), "cgroup v2 (freeze and kill; no controllers for limits)");
    }

    #[test]
    fn a_tree_that_cannot_kill_or_cannot_be_written_is_refused_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let said = Groups::below(dir.path(), "plain").unwrap_err();
        assert!(said.contains("cgroup.kill"), "{said}");
        let said = Groups::below(&dir.path().join("absent"), "x").unwrap_err();
        assert!(said.contains("delegated") && said.contains("absent"), "{said}");
    }
}
