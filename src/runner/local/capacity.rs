//! What this machine has for us: cores that this process may really use, memory it may have.

use std::fs;
use std::path::{Path, PathBuf};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

/// Thousandths of a core: the smaller of the processors this process may run on and the quota
/// of the groups it is in.
pub fn cpu_milli() -> u64 {
    let allowed = processors().saturating_mul(1000);
    let groups = Places::of_this_process();
    let quotas = groups.levels("cpu").into_iter().filter_map(|dir| quota_milli(&dir));
    quotas.fold(allowed, u64::min).max(1)
}

/// Bytes of memory: the smaller of what is built in and the limit of the groups it is in.
pub fn mem_bytes() -> u64 {
    let info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = total_bytes(&info).unwrap_or(0);
    let groups = Places::of_this_process();
    let limits = groups.levels("memory").into_iter().filter_map(|dir| memory_limit(&dir));
    limits.filter(|limit| *limit > 0).fold(total, u64::min)
}

fn processors() -> u64 {
    let set = sched_getaffinity(Pid::from_raw(0)).unwrap_or_else(|_| CpuSet::new());
    let count = (0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or(false)).count();
    if count > 0 {
        return count as u64;
    }
    std::thread::available_parallelism().map_or(1, |n| n.get() as u64)
}

fn total_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// `cpu.max` is "QUOTA PERIOD" or "max PERIOD"; version 1 has two files and -1.
fn quota_milli(dir: &Path) -> Option<u64> {
    let read = |file: &str| fs::read_to_string(dir.join(file)).ok();
    let (quota, period) = match read("cpu.max") {
        Some(text) => {
            let mut words = text.split_ascii_whitespace();
            (words.next()?.parse::<u64>().ok()?, words.next()?.parse::<u64>().ok()?)
        }
        None => (
            read("cpu.cfs_quota_us")?.trim().parse().ok()?,
            read("cpu.cfs_period_us")?.trim().parse().ok()?,
        ),
    };
    quota.checked_mul(1000)?.checked_div(period)
}

fn memory_limit(dir: &Path) -> Option<u64> {
    let read = |file: &str| fs::read_to_string(dir.join(file)).ok();
    read("memory.max").or_else(|| read("memory.limit_in_bytes"))?.trim().parse().ok()
}

/// Where this process stands in the group trees of both versions.
struct Places {
    mounts: String,
    own: String,
}

impl Places {
    fn of_this_process() -> Places {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Places { mounts: read("/proc/self/mountinfo"), own: read("/proc/self/cgroup") }
    }

    /// Directories from the own group up to the mount point, in every tree that has this
    /// controller.
    fn levels(&self, controller: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for line in self.own.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(names), Some(path)) = (parts.next(), parts.next()) else { continue };
            let second = names.is_empty();
            if !second && !names.split(',').any(|name| name == controller) {
                continue;
            }
            let Some((point, inside)) = self.mount(controller, second, path) else { continue };
            found.extend(inside.ancestors().map(|part| point.join(part)));
        }
        found
    }

    /// Mount point of a tree, and the own path below it.
    fn mount(&self, controller: &str, second: bool, path: &str) -> Option<(PathBuf, PathBuf)> {
        self.mounts.lines().find_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let mut kind = after.split(' ');
            let (kind, options) = (kind.next()?, kind.nth(1)?);
            let fits = if second {
                kind == "cgroup2"
            } else {
                kind == "cgroup" && options.split(',').any(|option| option == controller)
            };
            let mut fields = before.split(' ').skip(3);
            let (root, point) = (fields.next()?, fields.next()?);
            let inside = Path::new(path).strip_prefix(root).ok()?;
            fits.then(|| (PathBuf::from(point), inside.to_owned()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_and_limits_of_both_versions_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let put = |file: &str, text: &str| fs::write(dir.path().join(file), text).unwrap();
        put("cpu.cfs_quota_us", "-1\n");
        put("cpu.cfs_period_us", "100000\n");
        assert_eq!(quota_milli(dir.path()), None);
        put("cpu.cfs_quota_us", "150000\n");
        assert_eq!(quota_milli(dir.path()), Some(1500));
        put("cpu.max", "max 100000\n");
        assert_eq!(quota_milli(dir.path()), None);
        put("cpu.max", "25000 50000\n");
        assert_eq!(quota_milli(dir.path()), Some(500));
        put("memory.limit_in_bytes", "4096\n");
        assert_eq!(memory_limit(dir.path()), Some(4096));
        put("memory.max", "max\n");
        assert_eq!(memory_limit(dir.path()), None);
        assert_eq!(total_bytes("MemTotal:  2 kB\nMemFree: 1 kB\n"), Some(2048));
    }

    #[test]
    fn every_group_on_the_way_up_counts() {
        let places = Places {
            mounts: "\
32 31 0:29 / /c/cpu rw - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 / /c/two rw - cgroup2 cgroup2 rw
"
            .into(),
            own: "1:cpu,cpuacct:/a/b\n0::/u\n".into(),
        };
        let want: Vec<PathBuf> =
            ["/c/cpu/a/b", "/c/cpu/a", "/c/cpu/", "/c/two/u", "/c/two/"].map(PathBuf::from).into();
        assert_eq!(places.levels("cpu"), want);
        assert_eq!(places.levels("memory").len(), 2);
    }

    #[test]
    fn this_machine_has_something() {
        assert!(cpu_milli() >= 1);
        assert!(mem_bytes() > 1 << 20);
    }
}
