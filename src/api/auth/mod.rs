//! Who asks: from the credentials of a socket, and a token if one is shown, to an
//! [`Actor`]. What that actor may do is decided elsewhere.
//!
//! A process in a job's tree acts as that job for every verb, with or without a token and
//! whatever its uid says; so does whoever shows a job's token from outside its tree.
//!
//! [`signature`] checks what a vote was signed with, against the file of [`signers`].

mod pattern;
pub mod signature;
pub mod signers;
mod written;

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use crate::base::{JobId, Name};
use crate::engine::Handle;
use crate::model::Actor;
use crate::model::people::Evidence;

/// Knows processes, tokens and people.
pub trait Registry: Clone + Send + Sync + 'static {
    /// The job in whose process tree `pid` lives, if any.
    fn job_of_process(&self, pid: u32) -> Option<JobId>;

    /// The job a token was given to; `None` if it is forged or over.
    fn job_of_token(&self, token: &str) -> Option<JobId>;

    /// The name shown for a uid.
    fn user_of(&self, uid: u32) -> Name;
}

impl Registry for Handle {
    fn job_of_process(&self, pid: u32) -> Option<JobId> {
        Handle::job_of_process(self, pid)
    }

    fn job_of_token(&self, token: &str) -> Option<JobId> {
        Handle::job_of_token(self, token)
    }

    fn user_of(&self, uid: u32) -> Name {
        Handle::user_of(self, uid)
    }
}

/// The process at the other end of a connection, as the kernel knew it when it connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Its user.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Its number; none when it lives in a namespace that this one cannot see.
    pub pid: Option<u32>,
    /// The job in whose tree it lives.
    pub in_job: Option<JobId>,
    /// It ended before its place in the process tree was known.
    pub gone: bool,
}

/// Why nobody can be made of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stranger {
    /// The process ended; it cannot be told any more whether it ran in a job.
    Gone,
    /// The token is forged or over.
    BadToken,
    /// The header is not `Bearer TOKEN`.
    NotBearer,
}

/// Places a process that just connected.
pub fn meet(registry: &impl Registry, uid: u32, gid: u32, pid: Option<i32>) -> Peer {
    let pid = pid.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid != 0);
    let in_job = pid.and_then(|pid| registry.job_of_process(pid));
    // Asked after the tree was walked: one that ended meanwhile may have been missed.
    let gone = in_job.is_none() && pid.is_some_and(has_ended);
    Peer { uid, gid, pid, in_job, gone }
}

fn has_ended(pid: u32) -> bool {
    i32::try_from(pid).is_ok_and(|pid| kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH))
}

/// Who asks. `header` is the value of `Authorization`, if there is one.
///
/// # Errors
/// When the caller cannot be placed, or shows a token that is not good.
pub fn actor(
    registry: &impl Registry,
    peer: &Peer,
    header: Option<&str>,
) -> Result<Actor, Stranger> {
    if peer.gone {
        return Err(Stranger::Gone);
    }
    let by_token = header.map(|header| token_job(registry, header)).transpose()?;
    // The tree says more than a token, which may have been handed on.
    let of_tree = peer.in_job.map(|job| (job, Evidence::Tree));
    let of_job = of_tree.or(by_token.map(|job| (job, Evidence::Token)));
    let (in_job, job_by) = of_job.unzip();
    Ok(Actor { user: registry.user_of(peer.uid), uid: Some(peer.uid), in_job, job_by })
}

fn token_job(registry: &impl Registry, header: &str) -> Result<JobId, Stranger> {
    let (scheme, token) = header.split_once(' ').ok_or(Stranger::NotBearer)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Stranger::NotBearer);
    }
    registry.job_of_token(token.trim()).ok_or(Stranger::BadToken)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A registry of fixed answers: processes below 1,000,000 that are ours are in no job.
    #[derive(Clone)]
    pub(crate) struct Fixed {
        pub(crate) in_job: Option<(u32, JobId)>,
        pub(crate) token: Option<(&'static str, JobId)>,
    }

    impl Registry for Fixed {
        fn job_of_process(&self, pid: u32) -> Option<JobId> {
            self.in_job.filter(|(known, _)| *known == pid).map(|(_, job)| job)
        }

        fn job_of_token(&self, token: &str) -> Option<JobId> {
            self.token.filter(|(known, _)| *known == token).map(|(_, job)| job)
        }

        fn user_of(&self, uid: u32) -> Name {
            format!("user{uid}").into()
        }
    }

    const NOBODY: Fixed = Fixed { in_job: None, token: None };

    fn own_pid() -> Option<i32> {
        i32::try_from(std::process::id()).ok()
    }

    #[test]
    fn a_person_is_known_by_uid() {
        let peer = meet(&NOBODY, 7, 8, own_pid());
        let ana = Actor { user: "user7".into(), uid: Some(7), in_job: None, job_by: None };
        assert_eq!(actor(&NOBODY, &peer, None), Ok(ana));
    }

    #[test]
    fn a_process_in_a_jobs_tree_is_that_job_even_with_anothers_token() {
        let pid = std::process::id();
        let token = Some(("t", JobId(9)));
        let registry = Fixed { in_job: Some((pid, JobId(4))), token };
        let peer = meet(&registry, 0, 0, own_pid());
        for header in [None, Some("Bearer t")] {
            let found = actor(&registry, &peer, header).unwrap();
            assert_eq!((found.in_job, found.job_by), (Some(JobId(4)), Some(Evidence::Tree)));
        }
    }

    #[test]
    fn a_token_makes_a_job_of_a_caller_outside_its_tree() {
        let registry = Fixed { in_job: None, token: Some(("t", JobId(9))) };
        let peer = meet(&registry, 0, 0, None);
        let by = |header| actor(&registry, &peer, Some(header)).map(|actor| actor.in_job);
        assert_eq!(by("Bearer t"), Ok(Some(JobId(9))));
        assert_eq!(by("bearer  t "), Ok(Some(JobId(9))));
        let found = actor(&registry, &peer, Some("Bearer t")).unwrap();
        assert_eq!(found.job_by, Some(Evidence::Token));
        assert_eq!(by("Bearer x"), Err(Stranger::BadToken));
        assert_eq!(by("Basic t"), Err(Stranger::NotBearer));
        assert_eq!(by("t"), Err(Stranger::NotBearer));
    }

    #[test]
    fn a_process_that_ended_before_it_was_placed_is_nobody() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        child.wait().unwrap();
        let peer = meet(&NOBODY, 7, 7, Some(pid));
        assert_eq!(actor(&NOBODY, &peer, None), Err(Stranger::Gone));
    }
}
