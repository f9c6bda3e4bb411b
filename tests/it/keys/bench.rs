//! Keys, a file of allowed signers and an agent of one's own for a test.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use holdshort::api::auth::signature::{Claimed, check};
use holdshort::api::auth::signers::Signers;
use holdshort::base::{Digest, JobId, ReviewId, Wall};
use holdshort::model::refusal::Refusal;
use holdshort::model::review::{Ballot, Signature, Verdict};

use crate::place::wait_for;

/// An instant at which the keys of these tests are valid.
pub const NOON: Wall = Wall(1_790_000_000_000);

/// A directory with keys.
pub struct Bench {
    dir: tempfile::TempDir,
}

/// Says so, and gives nothing, where OpenSSH is missing.
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn bench() -> Option<Bench> {
    let there = |program: &str| {
        let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        found.is_ok_and(|output| output.status.success())
    };
    if !["ssh-keygen", "ssh-agent", "ssh-add"].iter().all(|program| there(program)) {
        eprintln!("skipped: no ssh-keygen, ssh-agent and ssh-add (package openssh-client)");
        return None;
    }
    Some(Bench { dir: tempfile::Builder::new().prefix("hs").tempdir_in("/tmp").unwrap() })
}

/// The vote that is signed in these tests.
pub fn ballot() -> Ballot {
    Ballot {
        installation: Digest([7; 32]),
        voter: "ana".into(),
        ballot: 1,
        review: ReviewId(17),
        version: 2,
        job: JobId(42),
        hash: Digest::of(b"pay 10 EUR"),
        policy: Some("large-payments".into()),
        policy_version: "0011aabb".into(),
        verdict: Verdict::Approve,
        reason: Some("the invoice is right".into()),
        uses: None,
        until: None,
    }
}

impl Bench {
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Makes a key; its private half is at the path.
    pub fn key(&self, name: &str, kind: &str, passphrase: &str) -> PathBuf {
        let path = self.path(name);
        let mut command = Command::new("ssh-keygen");
        command.args(["-q", "-t", kind, "-C", name, "-N", passphrase, "-f"]).arg(&path);
        done(&mut command);
        path
    }

    /// A line of allowed signers for a key.
    pub fn line(&self, who: &str, key: &Path) -> String {
        let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
        format!("{who} {public}")
    }

    /// The file of allowed signers.
    pub fn allow(&self, lines: &str) -> PathBuf {
        let path = self.path("allowed");
        write_own(&path, lines);
        path
    }

    pub fn check(&self, ballot: &Ballot, armoured: &str, wall: Wall) -> Result<Signature, Refusal> {
        let signers = Signers::open(&self.path("allowed")).unwrap();
        let claimed = Claimed { text: ballot.text(), armoured: armoured.to_owned() };
        check(&signers, ballot, &claimed, wall)
    }

    /// What `ssh-keygen -Y sign` makes of a text.
    pub fn keygen_signs(&self, key: &Path, namespace: &str, text: &str) -> String {
        let file = self.path("to-sign");
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new("ssh-keygen");
        command.args(["-Y", "sign", "-q", "-n", namespace, "-f"]).arg(key).arg(&file);
        done(&mut command);
        let signed = self.path("to-sign.sig");
        let armoured = std::fs::read_to_string(&signed).unwrap();
        std::fs::remove_file(signed).unwrap();
        armoured
    }

    /// What `ssh-keygen -Y verify` says.
    pub fn keygen_verifies(&self, who: &str, armoured: &str, text: &str) -> Output {
        let signature = self.path("vote.sig");
        std::fs::write(&signature, armoured).unwrap();
        let mut command = Command::new("ssh-keygen");
        command.args(["-Y", "verify", "-n", "holdshort-review", "-I", who, "-f"]);
        command.arg(self.path("allowed")).arg("-s").arg(signature);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// An agent with these keys; a passphrase is `secret`.
    pub fn agent(&self, keys: &[&Path]) -> Agent {
        let socket = self.path("agent");
        let mut command = Command::new("ssh-agent");
        command.arg("-D").arg("-a").arg(&socket).stdout(Stdio::null()).stderr(Stdio::null());
        let agent = Agent { child: command.spawn().unwrap(), socket };
        wait_for("the agent's socket", || agent.socket.exists());
        let ask = self.path("askpass");
        std::fs::write(&ask, "#!/bin/sh\necho secret\n").unwrap();
        done(Command::new("chmod").arg("700").arg(&ask));
        for key in keys {
            let mut add = Command::new("ssh-add");
            add.arg("-q").arg(key).env("SSH_AUTH_SOCK", &agent.socket).stdin(Stdio::null());
            add.env("SSH_ASKPASS", &ask).env("SSH_ASKPASS_REQUIRE", "force");
            done(&mut add);
        }
        agent
    }
}

/// Writes a file that its owner alone may write to, whatever the umask is.
pub fn write_own(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
}

/// An agent, ended with the test.
pub struct Agent {
    child: Child,
    pub socket: PathBuf,
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn done(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}
