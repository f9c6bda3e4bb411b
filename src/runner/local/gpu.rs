//! The GPUs of this machine, and the lock by which servers of several users share them out.
//!
//! Real ones are seen through NVML when its library is there; pretend ones come from the
//! options. For each there is a lock file with a fixed name. Whoever holds its lock hands the
//! GPU out. The server takes it for its first task on the GPU and passes it on to the
//! supervisors, which hold the same lock: it is free again when the last of them has ended,
//! whether the server lives or not.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use nvml_wrapper::Nvml;

use crate::base::{Digest, Name};
use crate::model::node::Gpu;
use crate::runner::local::tree;

/// A device that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PretendGpu {
    /// What it calls itself.
    pub name: String,
    /// Its memory.
    pub mem_bytes: u64,
}

/// The lock of one device.
#[derive(Debug)]
pub struct DeviceLock(OwnedFd);

impl AsFd for DeviceLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// What became of a wish for a device.
#[derive(Debug)]
pub enum Claimed {
    /// It is ours; hold this.
    Held(Arc<DeviceLock>),
    /// A supervisor of ours holds it that has not handed us its lock yet.
    Ours,
    /// Somebody else uses it.
    Taken(Name),
}

/// All devices.
pub struct Gpus {
    devices: Vec<Gpu>,
    nvml: Option<Nvml>,
    lock_dir: PathBuf,
    tag: String,
    held: Mutex<BTreeMap<u32, Weak<DeviceLock>>>,
}

impl Gpus {
    /// Looks for devices, or takes the pretended ones. `spool` tells servers apart.
    pub fn detect(pretend: Option<&[PretendGpu]>, lock_dir: PathBuf, spool: &Path) -> Gpus {
        let digest = Digest::of(spool.as_os_str().as_encoded_bytes()).to_string();
        let tag = digest.get(..16).unwrap_or_default().to_owned();
        let (devices, nvml) = match pretend {
            Some(list) => (pretended(list, &tag), None),
            None => detected(),
        };
        Gpus { devices, nvml, lock_dir, tag, held: Mutex::default() }
    }

    /// The devices with who else uses them. `ours` knows our processes.
    pub fn list(&self, ours: impl Fn(u32) -> bool) -> Vec<Gpu> {
        let with_use = |gpu: &Gpu| {
            let foreign = self.locked_by(gpu).or_else(|| self.used_by(gpu.index, &ours));
            Gpu { foreign, ..gpu.clone() }
        };
        self.devices.iter().map(with_use).collect()
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.devices.len() as u64
    }

    /// Takes the lock of a device, or a share in the one we hold.
    pub fn claim(&self, index: u32, ours: impl Fn(u32) -> bool) -> Claimed {
        let Some(gpu) = self.devices.iter().find(|gpu| gpu.index == index) else {
            return Claimed::Taken("this machine has no such GPU".into());
        };
        if let Some(by) = self.used_by(index, ours) {
            return Claimed::Taken(by);
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = held.get(&index).and_then(Weak::upgrade) {
            return Claimed::Held(lock);
        }
        match self.try_lock(gpu) {
            Ok(file) => {
                let lock = Arc::new(DeviceLock(file.into()));
                held.insert(index, Arc::downgrade(&lock));
                Claimed::Held(lock)
            }
            Err(None) => Claimed::Ours,
            Err(Some(by)) => Claimed::Taken(by),
        }
    }

    /// Takes a share in a lock that a supervisor handed back.
    pub fn share(&self, index: u32, lock: OwnedFd) -> Arc<DeviceLock> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = held.get(&index).and_then(Weak::upgrade) {
            return known;
        }
        let lock = Arc::new(DeviceLock(lock));
        held.insert(index, Arc::downgrade(&lock));
        lock
    }

    /// Waits until a device's lock was free for a moment. For a thread of its own.
    pub fn wait_until_free(path: &Path) {
        if let Ok(file) = open_lock(path) {
            let _ = file.lock();
        }
    }

    /// Where a device's lock is.
    pub fn lock_path(&self, index: u32) -> Option<PathBuf> {
        let gpu = self.devices.iter().find(|gpu| gpu.index == index)?;
        Some(self.path_of(gpu))
    }

    fn path_of(&self, gpu: &Gpu) -> PathBuf {
        self.lock_dir.join(format!("holdshort-gpu-{}.lock", gpu.uuid))
    }

    /// Who else hands this device out now.
    fn locked_by(&self, gpu: &Gpu) -> Option<Name> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.get(&gpu.index).is_some_and(|lock| lock.strong_count() > 0) {
            return None;
        }
        if !self.path_of(gpu).exists() {
            return None;
        }
        self.try_lock(gpu).err().flatten()
    }

    /// The error is who has it; None: we ourselves, from before a restart.
    fn try_lock(&self, gpu: &Gpu) -> Result<File, Option<Name>> {
        let path = self.path_of(gpu);
        let said = |error: &io::Error| Some(format!("{}: {error}", path.display()).into());
        let mut file = open_lock(&path).map_err(|error| said(&error))?;
        if file.try_lock().is_ok() {
            let user = nix::unistd::geteuid();
            let line = format!("{} a holdshort server of uid {user}\n", self.tag);
            // Only for people and for ourselves after a restart.
            let _ = file.set_len(0);
            let _ = file.write_all_at(line.as_bytes(), 0);
            return Ok(file);
        }
        let mut text = String::new();
        let _ = (&mut file).take(256).read_to_string(&mut text);
        match text.trim_end().split_once(' ') {
            Some((tag, _)) if tag == self.tag => Err(None),
            Some((_, who)) if !who.is_empty() => Err(Some(who.into())),
            _ => Err(Some("another server".into())),
        }
    }

    /// One of these processes has something in the device's memory. Where that cannot be told, it
    /// has. Of a pretend device the memory is a file ([`Gpus::pretend_memory`]): who has it open
    /// has something in it.
    pub fn has_memory_of(&self, index: u32, pids: &[u32]) -> bool {
        let Some(nvml) = &self.nvml else {
            let Some(file) = self.pretend_memory(index) else { return true };
            return pids.iter().any(|pid| tree::has_open(*pid, &file));
        };
        let users = nvml.device_by_index(index).and_then(|device| {
            let mut users = device.running_compute_processes()?;
            users.extend(device.running_graphics_processes()?);
            Ok(users)
        });
        // The number of one that lives in another namespace says nothing here.
        let may_be = |pid: u32| pids.contains(&pid) || tree::name(pid).is_none();
        users.map_or(true, |users| users.iter().any(|user| may_be(user.pid)))
    }

    /// The file that stands for the memory of a pretend device.
    pub fn pretend_memory(&self, index: u32) -> Option<PathBuf> {
        let path = self.lock_path(index).filter(|_| self.nvml.is_none())?;
        Some(path.with_extension("memory"))
    }

    /// A process on the device that is not ours.
    pub fn used_by(&self, index: u32, ours: impl Fn(u32) -> bool) -> Option<Name> {
        let device = self.nvml.as_ref()?.device_by_index(index).ok()?;
        let users = device.running_compute_processes().ok()?;
        let other = users.into_iter().find(|user| !ours(user.pid))?;
        let name = tree::name(other.pid).unwrap_or_else(|| "a process".to_owned());
        Some(format!("{name} (pid {})", other.pid).into())
    }
}

fn pretended(list: &[PretendGpu], tag: &str) -> Vec<Gpu> {
    let one = |(index, gpu): (u32, &PretendGpu)| Gpu {
        index,
        uuid: format!("pretend-{tag}-{index}").into(),
        model: gpu.name.as_str().into(),
        mem_bytes: gpu.mem_bytes,
        foreign: None,
    };
    (0..).zip(list).map(one).collect()
}

fn detected() -> (Vec<Gpu>, Option<Nvml>) {
    let Ok(nvml) = Nvml::init() else { return (Vec::new(), None) };
    let count = nvml.device_count().unwrap_or(0);
    let look = |index| {
        let device = nvml.device_by_index(index).ok()?;
        Some(Gpu {
            index,
            uuid: device.uuid().ok()?.into(),
            model: device.name().unwrap_or_else(|_| "GPU".to_owned()).into(),
            mem_bytes: device.memory_info().map_or(0, |memory| memory.total),
            foreign: None,
        })
    };
    let devices = (0..count).filter_map(look).collect();
    (devices, Some(nvml))
}

/// Opens a lock file that any user may lock. Never through a link, never anything but a file.
fn open_lock(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let open = |write| OpenOptions::new().read(true).write(write).custom_flags(flags).open(path);
    // A file of another user in a sticky directory may be opened, but not "created".
    let file = match open(true).or_else(|_| open(false)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut make = OpenOptions::new();
            make.read(true).write(true).create_new(true).mode(0o666).custom_flags(flags);
            match make.open(path) {
                Ok(file) => {
                    fs::File::set_permissions(&file, Permissions::from_mode(0o666))?;
                    file
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open(true)?,
                Err(error) => return Err(error),
            }
        }
        opened => opened?,
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("is not a plain file"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(dir: &Path, spool: &str) -> Gpus {
        let pretend = [40, 80].map(|n| PretendGpu { name: "H100".into(), mem_bytes: n << 30 });
        Gpus::detect(Some(&pretend), dir.to_owned(), Path::new(spool))
    }

    #[test]
    fn fractions_of_one_server_share_a_lock_that_keeps_others_out() {
        let dir = tempfile::tempdir().unwrap();
        let gpus = two(dir.path(), "/a");
        assert_eq!(gpus.count(), 2);
        let Claimed::Held(first) = gpus.claim(0, |_| true) else { panic!("must be free") };
        let Claimed::Held(second) = gpus.claim(0, |_| true) else { panic!("must be shared") };
        assert!(Arc::ptr_eq(&first, &second));
        assert!(gpus.list(|_| true).iter().all(|gpu| gpu.foreign.is_none()));

        let path = gpus.lock_path(0).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
        drop(first);
        assert!(open_lock(&path).unwrap().try_lock().is_err(), "the second still holds it");
        drop(second);
        assert!(open_lock(&path).unwrap().try_lock().is_ok());
        assert!(matches!(gpus.claim(7, |_| true), Claimed::Taken(_)));
    }

    #[test]
    fn a_lock_of_another_server_is_foreign_and_one_of_our_own_past_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let gpus = two(dir.path(), "/a");
        let other = open_lock(&gpus.lock_path(1).unwrap()).unwrap();
        other.lock().unwrap();
        other.write_all_at(b"0123456789abcdef a holdshort server of uid 7\n", 0).unwrap();
        assert!(matches!(gpus.claim(1, |_| true), Claimed::Taken(by) if by.contains("uid 7")));
        let foreign = gpus.list(|_| true).into_iter().map(|gpu| gpu.foreign.is_some());
        assert_eq!(foreign.collect::<Vec<_>>(), [false, true]);

        let Claimed::Held(_old) = gpus.claim(0, |_| true) else { panic!("must be free") };
        let again = two(dir.path(), "/a");
        assert!(matches!(again.claim(0, |_| true), Claimed::Ours));
    }

    #[test]
    fn a_link_in_place_of_a_lock_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let gpus = two(dir.path(), "/a");
        std::os::unix::fs::symlink("/etc/passwd", gpus.lock_path(0).unwrap()).unwrap();
        assert!(matches!(gpus.claim(0, |_| true), Claimed::Taken(_)));
    }
}
