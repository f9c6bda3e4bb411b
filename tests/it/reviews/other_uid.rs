//! Somebody with an account of their own answers: the real command line under another uid, at a
//! socket that a group shares.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::unistd::{Group, User};
use serde_json::Value;

use super::{digits, draft, id, payment};
use crate::place::{Place, Ran, wait_for};

/// Who is there on every machine and owns nothing.
const SOMEBODY: &str = "nobody";

/// A shared server, and somebody else.
struct Shared {
    place: Place,
    server: Child,
    socket: PathBuf,
    program: PathBuf,
    uid: u32,
    gid: u32,
}

fn open_to_all(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Says so, and gives nothing, where nobody could become somebody else.
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn shared(policy: &str) -> Option<Shared> {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped, needs root: only root can run a program as another user");
        return None;
    }
    let user = User::from_name(SOMEBODY).unwrap();
    let known = user.and_then(|user| Some((Group::from_gid(user.gid).ok()??, user)));
    let Some((group, user)) = known else {
        eprintln!("skipped: there is no user {SOMEBODY} with a group on this machine");
        return None;
    };
    let place = Place::new("");
    let (doors, home) = (place.path("doors"), place.path("guest"));
    for dir in [&doors, &home] {
        std::fs::create_dir(dir).unwrap();
    }
    // The way to the socket is open to others, what lies beside it is not.
    open_to_all(&place.path(""), 0o711);
    open_to_all(&doors, 0o755);
    nix::unistd::chown(&home, Some(user.uid), Some(user.gid)).unwrap();
    let program = doors.join("holdshort");
    std::fs::copy(env!("CARGO_BIN_EXE_holdshort"), &program).unwrap();
    open_to_all(&program, 0o755);
    let socket = doors.join("socket");
    let config = format!(
        "[server]\nsocket = {socket:?}\ngroup = \"{}\"\n\
         [[user]]\nname = \"guest\"\nos_user = \"{SOMEBODY}\"\nrole = \"approver\"\n{policy}\
         [[node]]\nname = \"n1\"\ncpu = \"8\"\nmem = \"64Gi\"\n",
        group.name
    );
    std::fs::write(place.path("config/holdshort/config.toml"), config).unwrap();
    let mut serve = place.command(["serve"]);
    let server = serve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the server", || UnixStream::connect(&socket).is_ok());
    let (uid, gid) = (user.uid.as_raw(), user.gid.as_raw());
    Some(Shared { place, server, socket, program, uid, gid })
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _ = self.place.run("server stop --with-jobs");
        let _ = self.server.wait();
    }
}

impl Shared {
    /// The command line as somebody with this uid.
    fn runs_as(&self, uid: u32, args: &[&str]) -> Ran {
        let mut command = Command::new(&self.program);
        command.arg("--socket").arg(&self.socket).args(args);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.place.path("guest"));
        command.current_dir("/").uid(uid).gid(self.gid).stdin(Stdio::null());
        command.output().unwrap().into()
    }

    fn guest(&self, args: &[&str]) -> Ran {
        self.runs_as(self.uid, args)
    }

    /// A job of root's asks.
    fn asks(&self, mut what: Value) -> Value {
        let job = self.place.submit("", "exec sleep 300");
        self.place.until_state(job, "running");
        what["job"] = job.into();
        let http = reqwest::Client::builder().unix_socket(self.socket.as_path()).build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let url = "http://holdshort/api/v1/reviews";
            let document: Value =
                http.post(url).json(&what).send().await.unwrap().json().await.unwrap();
            assert_eq!(document["review"]["state"], "open", "{document}");
            document["review"].clone()
        })
    }

    fn review(&self, id: &str) -> Value {
        self.place.json(&format!("show {id}"))["review"].clone()
    }
}

#[test]
fn a_vote_from_another_account_is_recorded_as_such_and_sure_enough_for_high() {
    let high = "[[review_policy]]\nname = \"sure\"\neffects = [\"money\"]\nassurance = \"high\"\n";
    let Some(shared) = shared(high) else { return };
    let review = shared.asks(payment());
    let (review, hash) = (id(&review), digits(&review));
    let owner = shared.place.args(["approve", &review, "--hash", &hash]);
    assert_eq!(owner.code, 4, "the owner never decides where somebody else can: {owner:?}");
    let stranger = shared.runs_as(shared.uid - 1, &["approve", &review, "--hash", &hash]);
    assert_ne!(stranger.code, 0, "{stranger:?}");
    assert_eq!(shared.review(&review)["votes"].as_array().unwrap().len(), 0);
    let seen = shared.guest(&["reviews", "--mine"]);
    assert!(seen.out.contains(&review), "{seen:?}");
    let yes = shared.guest(&["approve", &review, "--hash", &hash]);
    assert_eq!(yes.code, 0, "{yes:?}");
    let after = shared.review(&review);
    assert_eq!(after["state"], "approved", "{after}");
    let vote = &after["votes"][0];
    assert_eq!((&vote["by"], &vote["uid"]), (&"guest".into(), &shared.uid.into()));
    assert_eq!((&vote["assurance"], &vote["self"]), (&"other-user".into(), &false.into()));
    let audit = shared.place.ok(&format!("audit show {review}"));
    assert!(audit.contains("assurance: other-user"), "{audit}");
    assert_eq!(shared.place.json("verify audit")["faults"], serde_json::json!([]));
}

#[test]
fn somebody_else_may_think_again_for_as_long_as_they_said() {
    let Some(shared) = shared("") else { return };
    let review = id(&shared.asks(draft()));
    let no = shared.guest(&["deny", &review, "--reason", "2", "--undo", "1m"]);
    assert!(no.code == 0 && no.out.contains("takes it back"), "{no:?}");
    let owner = shared.place.args(["revoke", &review]);
    assert_eq!(owner.code, 4, "nobody takes back what another said: {owner:?}");
    let back = shared.guest(&["revoke", &review]);
    assert_eq!(back.code, 0, "{back:?}");
    let after = shared.review(&review);
    assert_eq!(
        (&after["state"], after["votes"][0]["taken_back"].is_null()),
        (&"open".into(), false)
    );
    let now = shared.guest(&["deny", &review, "--reason", "2", "--undo", "10ms"]);
    assert_eq!(now.code, 0, "{now:?}");
    wait_for("the no to count", || shared.review(&review)["state"] == "denied");
}
