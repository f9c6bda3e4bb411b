//! What a command line runs besides the program it begins with: the commands behind `sudo`, `env`,
//! `nice`, `timeout` and their kin. Words in, words out; whether there is such a file is for
//! others to see.

use std::path::Path;

/// A command line inside another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inner<'a> {
    /// Its words, the program's first; never empty.
    pub argv: &'a [String],
    /// The directory that the wrapper changes to, if it says so.
    pub dir: Option<&'a str>,
    /// The `PATH` that the wrapper sets, if it does.
    pub path: Option<&'a str>,
}

/// A program that runs what stands behind its own words.
struct Wrapper {
    name: &'static str,
    /// Short options with a value.
    short: &'static str,
    /// Long options with a value.
    long: &'static [&'static str],
    /// Words of its own before the command.
    own: usize,
    /// The options by which it changes its directory.
    chdir: &'static [&'static str],
}

const fn wrapper(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    own: usize,
) -> Wrapper {
    Wrapper { name, short, long, own, chdir: &[] }
}

/// Their options are those of sudo 1.9, GNU coreutils 9, util-linux 2.40 and GNU time.
const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        chdir: &["D", "--chdir"],
        ..wrapper(
            "sudo",
            "aCcDghpRrTtUu",
            &[
                "--auth-type",
                "--close-from",
                "--chdir",
                "--group",
                "--host",
                "--prompt",
                "--chroot",
                "--role",
                "--command-timeout",
                "--type",
                "--other-user",
                "--user",
            ],
            0,
        )
    },
    wrapper("doas", "aCu", &[], 0),
    Wrapper { chdir: &["C", "--chdir"], ..wrapper("env", "uC", &["--unset", "--chdir"], 0) },
    wrapper("nice", "n", &["--adjustment"], 0),
    wrapper("ionice", "cn", &["--class", "--classdata"], 0),
    wrapper("chrt", "TPD", &["--sched-runtime", "--sched-period", "--sched-deadline"], 1),
    wrapper("taskset", "", &[], 1),
    wrapper("timeout", "ks", &["--kill-after", "--signal"], 1),
    wrapper("stdbuf", "ioe", &["--input", "--output", "--error"], 0),
    wrapper("nohup", "", &[], 0),
    wrapper("setsid", "", &[], 0),
    wrapper("time", "fo", &["--format", "--output"], 0),
    wrapper("flock", "wE", &["--wait", "--timeout", "--conflict-exit-code"], 1),
    wrapper(
        "setpriv",
        "",
        &[
            "--reuid",
            "--regid",
            "--groups",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
            "--securebits",
            "--selinux-label",
            "--apparmor-profile",
            "--pdeathsig",
        ],
        0,
    ),
    wrapper("strace", "aAbeEIoOpPsSuUX", &[], 0),
];

/// Wrappers inside each other that are looked through.
const DEPTH_MAX: usize = 16;

/// The command lines inside one, the outermost first.
pub fn inside(argv: &[String]) -> Vec<Inner<'_>> {
    let mut found: Vec<Inner<'_>> = Vec::new();
    let mut outer = Inner { argv, dir: None, path: None };
    while found.len() < DEPTH_MAX {
        let Some(inner) = next(outer) else { break };
        found.push(inner);
        outer = inner;
    }
    found
}

/// What a command line runs if it begins with a wrapper.
fn next(outer: Inner<'_>) -> Option<Inner<'_>> {
    let (program, mut rest) = outer.argv.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == name)?;
    let (mut dir, mut path) = (outer.dir, outer.path);
    // Options, and what it sets for the command.
    while let Some((word, after)) = rest.split_first() {
        if let Some((set, value)) = assignment(word).filter(|_| wrapper.sets()) {
            path = if set == "PATH" { Some(value) } else { path };
            rest = after;
        } else if word == "--" {
            rest = after;
            break;
        } else if word.starts_with('-') && (word.len() > 1 || wrapper.sets()) {
            let (option, value, after) = wrapper.option(word, after);
            dir = if wrapper.chdir.contains(&option) { value.or(dir) } else { dir };
            rest = after;
        } else {
            break;
        }
    }
    let mut rest = rest.get(wrapper.own..)?;
    // `sudo -- A=1 cmd`, `env -- A=1 cmd`
    while let Some((set, value)) =
        rest.first().and_then(|w| assignment(w)).filter(|_| wrapper.sets())
    {
        path = if set == "PATH" { Some(value) } else { path };
        rest = rest.get(1..)?;
    }
    (!rest.is_empty()).then_some(Inner { argv: rest, dir, path })
}

impl Wrapper {
    /// It takes `NAME=value` in front of the command.
    fn sets(&self) -> bool {
        matches!(self.name, "env" | "sudo")
    }

    /// An option, its value, and the words behind both.
    fn option<'a>(
        &self,
        word: &'a str,
        after: &'a [String],
    ) -> (&'a str, Option<&'a str>, &'a [String]) {
        let behind = || (after.first().map(String::as_str), after.get(1..).unwrap_or_default());
        if word.starts_with("--") {
            if let Some((option, value)) = word.split_once('=') {
                return (option, Some(value), after);
            }
            if self.long.contains(&word) {
                let (value, after) = behind();
                return (word, value, after);
            }
            return (word, None, after);
        }
        // `-nu root`, `-uroot`: the first that takes a value takes what follows.
        for (at, letter) in word.char_indices().skip(1) {
            if !self.short.contains(letter) {
                continue;
            }
            let end = at + letter.len_utf8();
            let option = word.get(at..end).unwrap_or_default();
            let stuck = word.get(end..).filter(|value| !value.is_empty());
            let (value, after) = if stuck.is_some() { (stuck, after) } else { behind() };
            return (option, value, after);
        }
        (word, None, after)
    }
}

/// `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(plain)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(ToOwned::to_owned).collect()
    }

    /// The command lines inside, ` | ` between them.
    fn found(line: &str) -> String {
        let argv = words(line);
        let inner: Vec<String> = inside(&argv).iter().map(|inner| inner.argv.join(" ")).collect();
        inner.join(" | ")
    }

    #[test]
    fn the_command_behind_a_wrapper_is_found() {
        for (line, inner) in [
            ("sudo ./wipe.sh now", "./wipe.sh now"),
            ("sudo -nu root ./wipe.sh", "./wipe.sh"),
            ("sudo -uroot -g wheel --preserve-env=A -- ./wipe.sh", "./wipe.sh"),
            ("/usr/bin/sudo --user root A=1 sh wipe.sh", "sh wipe.sh"),
            ("env -i A=1 B= -u C make clean", "make clean"),
            ("nice -n 10 ./a", "./a"),
            ("nice -10 ./a", "./a"),
            ("nice ./a", "./a"),
            ("timeout -k 5 --signal=TERM 10m ./a --timeout 3", "./a --timeout 3"),
            (
                "timeout 10 env X=1 nice -n5 bash go.sh",
                "env X=1 nice -n5 bash go.sh | nice -n5 bash go.sh | bash go.sh",
            ),
            ("taskset -c 0,1 ./a", "./a"),
            ("chrt -f 10 ./a", "./a"),
            ("flock -n /tmp/lock ./a", "./a"),
            ("stdbuf -oL ./a", "./a"),
            ("doas -u root ./a", "./a"),
            ("ionice -c2 -n 7 ./a", "./a"),
            ("nohup setsid ./a", "setsid ./a | ./a"),
        ] {
            assert_eq!(found(line), inner, "{line}");
        }
    }

    #[test]
    fn what_wraps_nothing_has_nothing_inside() {
        for line in [
            "./a sudo ./b",
            "bash go.sh",
            "sudo",
            "sudo -u",
            "timeout 5",
            "env",
            "env A=1",
            "env -u",
            "nice -n",
            "sudo -l --",
            "",
        ] {
            assert_eq!(found(line), "", "{line}");
        }
        let deep = words(&format!("{}./a", "nice ".repeat(40)));
        assert_eq!(inside(&deep).len(), DEPTH_MAX);
    }

    #[test]
    fn where_and_by_which_path_it_is_looked_for_is_said() {
        let argv = words("env -C /srv PATH=/opt/bin nice tool");
        let inner = inside(&argv);
        let of = |at: usize| (inner[at].argv[0].as_str(), inner[at].dir, inner[at].path);
        assert_eq!(of(0), ("nice", Some("/srv"), Some("/opt/bin")));
        assert_eq!(of(1), ("tool", Some("/srv"), Some("/opt/bin")));
        let argv = words("sudo --chdir=/tmp ./x");
        assert_eq!(inside(&argv)[0].dir, Some("/tmp"));
    }
}
