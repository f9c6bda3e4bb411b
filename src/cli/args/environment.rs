//! The environment a job is given: the caller's, minus what must not travel.

use std::ffi::OsString;

use crate::model::program::{EXEC_BYTES_MAX, EXEC_STRING_MAX, Environment};

/// What the whole of a caller's environment is reduced to by `--clean-env`: the variables
/// without which shells and language runtimes misbehave.
const BASICS: &[&str] = &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TZ", "USER"];

/// Names that tell a job about itself. A job that submits another one has its own in its
/// environment, and they would lie to the child.
const OF_A_JOB: &[&str] = &[
    "HOLDSHORT_JOB_ID",
    "HOLDSHORT_ATTEMPT",
    "HOLDSHORT_TASK_RANK",
    "HOLDSHORT_GANG_SIZE",
    "HOLDSHORT_ARRAY_INDEX",
    "HOLDSHORT_CHECKPOINT_DIR",
    "HOLDSHORT_RESUME",
    "HOLDSHORT_DECISION_FILE",
    "HOLDSHORT_REQUEST_ID",
    "HOLDSHORT_DEADLINE",
    "HOLDSHORT_OUTPUT",
    "HOLDSHORT_API",
    "HOLDSHORT_SOCKET",
];

/// Where the environment comes from.
pub trait Source {
    /// Every variable, in any order.
    fn all(&self) -> Vec<(OsString, OsString)>;
}

/// This process's own environment.
pub struct Own;

impl Source for Own {
    fn all(&self) -> Vec<(OsString, OsString)> {
        std::env::vars_os().collect()
    }
}

/// An environment for a job, and the names that had to be left out because their value is not
/// text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gathered {
    /// For the job.
    pub environment: Environment,
    /// Left out.
    pub not_text: Vec<String>,
}

/// Builds it from the caller's environment, `--env` and `--clean-env`.
///
/// # Errors
/// A sentence: a name that makes no sense, one that is never passed on, one that is not set.
pub fn gather(source: &dyn Source, env: &[String], clean: bool) -> Result<Gathered, String> {
    let mut gathered = Gathered::default();
    let mut pairs = Vec::new();
    let mut texts = Vec::new();
    for (name, value) in source.all() {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => texts.push((name, value)),
            (Ok(name), Err(_)) => {
                if !is_kept_back(&name) && (!clean || BASICS.contains(&name.as_str())) {
                    gathered.not_text.push(name);
                }
            }
            (Err(name), _) => gathered.not_text.push(name.to_string_lossy().into_owned()),
        }
    }
    for (name, value) in &texts {
        let wanted = !clean || BASICS.contains(&name.as_str());
        if wanted && !is_kept_back(name) && !OF_A_JOB.contains(&name.as_str()) {
            pairs.push((name.clone(), value.clone()));
        }
    }
    for word in env {
        pairs.push(explicit(word, &texts)?);
    }
    gathered.environment = Environment::new(pairs);
    Ok(gathered)
}

/// `K=V`, or `K` with the value it has here.
fn explicit(word: &str, texts: &[(String, String)]) -> Result<(String, String), String> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (word, texts.iter().find(|(k, _)| k == word).map(|(_, v)| v.clone())),
    };
    if name.is_empty() || name.contains('\0') {
        return Err(format!("`{word}` names no variable; write --env NAME or --env NAME=VALUE"));
    }
    if is_kept_back(name) {
        return Err(format!("{name} is never passed to a job: it could speak for its owner"));
    }
    match value {
        Some(value) if value.contains('\0') => Err(format!("the value of {name} holds a NUL byte")),
        Some(value) => Ok((name.to_owned(), value)),
        None => Err(format!("{name} is not set here; write --env {name}=VALUE")),
    }
}

/// Secrets with which a job could act as its owner.
pub fn is_kept_back(name: &str) -> bool {
    name == "SSH_AUTH_SOCK"
        || name.starts_with("HOLDSHORT_APPROVER")
        || (name.starts_with("HOLDSHORT_") && name.ends_with("TOKEN"))
}

/// Refuses what the kernel would refuse at the start of the job.
///
/// # Errors
/// A sentence with the sizes.
pub fn check_size(argv: &[String], environment: &Environment) -> Result<(), String> {
    let args = argv.iter().map(|arg| (arg.as_str(), arg.len() + 1));
    let vars = environment.0.iter().map(|(k, v)| (k.as_str(), k.len() + v.len() + 2));
    let mut total = 0usize;
    for (name, size) in args.chain(vars) {
        if size > EXEC_STRING_MAX {
            let name: String = name.chars().take(40).collect();
            let kib = EXEC_STRING_MAX / 1024;
            return Err(format!(
                "`{name}` has {size} bytes and the system takes {kib} KiB at most; \
                 pass it in a file"
            ));
        }
        total = total.saturating_add(size);
    }
    if total > EXEC_BYTES_MAX {
        let mib = EXEC_BYTES_MAX / (1024 * 1024);
        return Err(format!(
            "command and environment have {total} bytes and the system takes {mib} MiB at most; \
             try --clean-env"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    struct Fake(Vec<(&'static str, &'static [u8])>);

    impl Source for Fake {
        fn all(&self) -> Vec<(OsString, OsString)> {
            let os = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
            self.0.iter().map(|(k, v)| (os(k.as_bytes()), os(v))).collect()
        }
    }

    const CALLER: &[(&str, &[u8])] = &[
        ("PATH", b"/bin"),
        ("EDITOR", b"ed"),
        ("SSH_AUTH_SOCK", b"/s"),
        ("HOLDSHORT_TOKEN", b"t"),
        ("HOLDSHORT_REVIEW_TOKEN", b"t"),
        ("HOLDSHORT_APPROVER_KEY", b"k"),
        ("HOLDSHORT_RESUME", b"1"),
        ("HOLDSHORT_DATA_DIR", b"/d"),
        ("LATIN", b"caf\xe9"),
    ];

    fn names(gathered: &Gathered) -> Vec<&str> {
        gathered.environment.names().collect()
    }

    #[test]
    fn the_whole_environment_goes_along_but_secrets_and_the_parents_context_do_not() {
        let gathered = gather(&Fake(CALLER.to_vec()), &[], false).unwrap();
        assert_eq!(names(&gathered), ["EDITOR", "HOLDSHORT_DATA_DIR", "PATH"]);
        assert_eq!(gathered.not_text, ["LATIN"]);
    }

    #[test]
    fn a_clean_environment_has_the_basics_and_what_was_asked_for() {
        let ask = ["EDITOR".to_owned(), "X=1=2".to_owned(), "PATH=/opt".to_owned()];
        let gathered = gather(&Fake(CALLER.to_vec()), &ask, true).unwrap();
        let pairs = [("EDITOR", "ed"), ("PATH", "/opt"), ("X", "1=2")];
        assert_eq!(*gathered.environment.0, pairs.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert_eq!(gathered.not_text, [] as [&str; 0]);
    }

    #[test]
    fn asking_for_a_secret_or_for_nothing_is_refused() {
        let fails = |word: &str| gather(&Fake(CALLER.to_vec()), &[word.to_owned()], false).is_err();
        assert!(fails("SSH_AUTH_SOCK"));
        assert!(fails("HOLDSHORT_TOKEN=x"));
        assert!(fails("MISSING"));
        assert!(fails("=v"));
        assert!(fails(""));
    }

    #[test]
    fn what_the_kernel_would_not_start_is_refused_before_it_is_queued() {
        let env = |n: usize, size| {
            Environment::new((0..n).map(|i| (format!("V{i:04}"), "x".repeat(size))))
        };
        assert_eq!(check_size(&["sh".to_owned()], &env(100, 100)), Ok(()));
        assert!(check_size(&["x".repeat(EXEC_STRING_MAX)], &env(0, 0)).is_err());
        assert!(check_size(&[], &env(1, EXEC_STRING_MAX)).is_err());
        assert!(check_size(&[], &env(200, 20_000)).unwrap_err().contains("--clean-env"));
    }
}
