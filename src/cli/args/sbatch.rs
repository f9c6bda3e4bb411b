//! The common dozen of Slurm's `#SBATCH` options, translated into ours.
//!
//! A Slurm script runs once, on the first of its tasks' cores; so its tasks become cores of one
//! task here, never a gang. What has no counterpart is warned about, never silently dropped.

/// Our words for Slurm's, and what was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Translated {
    /// Our options.
    pub words: Vec<String>,
    /// A sentence for each option without a counterpart.
    pub warnings: Vec<String>,
}

/// Short options and their long names.
const SHORT: &[(char, &str)] = &[
    ('A', "account"),
    ('C', "constraint"),
    ('a', "array"),
    ('b', "begin"),
    ('c', "cpus-per-task"),
    ('D', "chdir"),
    ('d', "dependency"),
    ('e', "error"),
    ('G', "gpus"),
    ('J', "job-name"),
    ('N', "nodes"),
    ('n', "ntasks"),
    ('o', "output"),
    ('p', "partition"),
    ('q', "qos"),
    ('t', "time"),
];

/// Options that take no value.
const FLAGS: &[&str] = &["requeue", "no-requeue", "exclusive", "hold", "parsable", "wait"];

/// Translates all `#SBATCH` words of a script.
pub fn translate(words: &[String]) -> Translated {
    let mut out = Translated::default();
    let mut sums = Sums::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some((name, inline)) = option_of(word) else {
            out.warnings.push(format!("#SBATCH {word}: this is no option; it is ignored"));
            continue;
        };
        let flag = FLAGS.contains(&name.as_str());
        let value = match inline {
            Some(value) => value,
            None if flag => String::new(),
            None => rest.next().cloned().unwrap_or_default(),
        };
        one(&name, &value, &mut sums, &mut out);
    }
    sums.finish(&mut out);
    out
}

/// The long name and the value written together with it: `--mem=4G`, `-c4`.
fn option_of(word: &str) -> Option<(String, Option<String>)> {
    if let Some(long) = word.strip_prefix("--") {
        return Some(match long.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (long.to_owned(), None),
        });
    }
    let mut chars = word.strip_prefix('-')?.chars();
    let letter = chars.next()?;
    let value = chars.as_str().trim_start_matches('=');
    let known = SHORT.iter().find(|(short, _)| *short == letter);
    let name = known.map_or_else(|| letter.to_string(), |(_, long)| (*long).to_owned());
    Some((name, (!value.is_empty()).then(|| value.to_owned())))
}

/// Amounts that belong together.
#[derive(Default)]
struct Sums {
    tasks: Option<u64>,
    cpus: Option<u64>,
    mem_per_cpu: Option<u64>,
    mem: Option<u64>,
}

impl Sums {
    fn finish(&self, out: &mut Translated) {
        let cores = self.tasks.unwrap_or(1).saturating_mul(self.cpus.unwrap_or(1));
        if self.tasks.is_some() || self.cpus.is_some() {
            out.words.extend(["--cpu".to_owned(), cores.to_string()]);
        }
        let each = self.mem_per_cpu.map(|bytes| bytes.saturating_mul(cores));
        if let Some(bytes) = self.mem.or(each) {
            out.words.extend(["--mem".to_owned(), bytes.to_string()]);
        }
    }
}

fn one(name: &str, value: &str, sums: &mut Sums, out: &mut Translated) {
    let ours = match name {
        "ntasks" => return store(name, value, value.parse().ok(), &mut sums.tasks, out),
        "cpus-per-task" => return store(name, value, value.parse().ok(), &mut sums.cpus, out),
        "mem" => return store(name, value, mem_bytes(value), &mut sums.mem, out),
        "mem-per-cpu" => {
            return store(name, value, mem_bytes(value), &mut sums.mem_per_cpu, out);
        }
        "job-name" => pair("--name", value),
        "time" => minutes_first(value).and_then(|text| pair("--time-limit", &text)),
        "gpus" => gpus(value).and_then(|n| pair("--gpu", n)),
        "gres" => gres(value).and_then(|n| pair("--gpu", n)),
        "array" => pair("--array", value),
        "begin" => pair("--start-at", &begin(value)),
        "deadline" => pair("--deadline", &begin(value)),
        "constraint" => features(value),
        "chdir" => pair("--cwd", value),
        "dependency" => dependency(value),
        "comment" => pair("--label", &format!("comment={value}")),
        "signal" => signal(value),
        "requeue" => Some(vec!["--requeue".to_owned()]),
        "export" if value == "NONE" => Some(vec!["--clean-env".to_owned()]),
        "export" if value == "ALL" => Some(Vec::new()),
        "nodes" if value == "1" => Some(Vec::new()),
        "no-requeue" => Some(Vec::new()),
        "output" | "error" => {
            let hint = "output is kept by job: `holdshort logs`";
            out.warnings.push(format!("#SBATCH --{name}={value} is ignored; {hint}"));
            return;
        }
        _ => None,
    };
    match ours {
        Some(words) => out.words.extend(words),
        None => out.warnings.push(ignored(name, value)),
    }
}

fn ignored(name: &str, value: &str) -> String {
    let shown = if value.is_empty() { String::new() } else { format!("={value}") };
    format!("#SBATCH --{name}{shown} has no meaning here and is ignored")
}

fn store(name: &str, value: &str, n: Option<u64>, to: &mut Option<u64>, out: &mut Translated) {
    match n {
        Some(n) => *to = Some(n),
        None => out.warnings.push(ignored(name, value)),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the arms that call it are options of words")]
fn pair(option: &str, value: &str) -> Option<Vec<String>> {
    Some(vec![option.to_owned(), value.to_owned()])
}

/// Slurm counts memory in units of 1024 and takes megabytes if none is named.
fn mem_bytes(text: &str) -> Option<u64> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let shift = match unit {
        "K" | "k" => 10,
        "" | "M" | "m" | "MB" => 20,
        "G" | "g" | "GB" => 30,
        "T" | "t" | "TB" => 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Slurm's times are ours, except that a number alone is minutes.
fn minutes_first(text: &str) -> Option<String> {
    if text.is_empty() || matches!(text, "UNLIMITED" | "INFINITE") {
        return None;
    }
    let bare = text.bytes().all(|b| b.is_ascii_digit());
    Some(if bare { format!("{text}m") } else { text.to_owned() })
}

/// `2`, `a100:2`.
fn gpus(text: &str) -> Option<&str> {
    let n = text.rsplit(':').next()?;
    n.parse::<u64>().ok().map(|_| n)
}

/// `gpu:2`, `gpu:a100:2`, `gpu`.
fn gres(text: &str) -> Option<&str> {
    match text.strip_prefix("gpu")? {
        "" => Some("1"),
        rest => gpus(rest.strip_prefix(':')?),
    }
}

/// `now+1hour` becomes `+1h`; the rest is a time of ours.
fn begin(text: &str) -> String {
    let Some(rest) = text.strip_prefix("now+") else { return text.to_owned() };
    let at = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, unit) = rest.split_at(at);
    let unit = match unit.trim_end_matches('s') {
        "" | "second" => "s",
        "minute" => "m",
        "hour" => "h",
        "day" => "d",
        "week" => "w",
        other => other,
    };
    format!("+{digits}{unit}")
}

/// `a100&nvme`: features that must all be there become labels of nodes. Choices (`a|b`) and
/// counts (`[a*2]`) have no counterpart.
fn features(text: &str) -> Option<Vec<String>> {
    let plain = |c: char| c.is_alphanumeric() || "-_.:=".contains(c);
    let features: Vec<&str> = text.split(['&', ',']).collect();
    let good = |feature: &&str| !feature.is_empty() && feature.chars().all(plain);
    let words = features.iter().flat_map(|f| ["--node-label".to_owned(), (*f).to_owned()]);
    features.iter().all(good).then(|| words.collect())
}

/// `afterok:12:13,afterany:14`.
fn dependency(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for part in text.split(',') {
        let mut fields = part.split(':');
        let kind = match fields.next()? {
            "afterok" => "ok",
            "afterany" => "any",
            "afternotok" => "failed",
            _ => return None,
        };
        for job in fields {
            words.extend(["--after".to_owned(), format!("{job}:{kind}")]);
        }
    }
    (!words.is_empty()).then_some(words)
}

/// `B:USR1@120`: the number is seconds.
fn signal(text: &str) -> Option<Vec<String>> {
    let name = text.rsplit(':').next()?;
    let (signal, seconds) = name.split_once('@').unwrap_or((name, "60"));
    seconds.parse::<u64>().ok()?;
    pair("--warn-signal", &format!("{signal}@{seconds}s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> Translated {
        translate(&crate::cli::args::words::split(line).unwrap())
    }

    #[test]
    fn the_common_dozen_is_translated() {
        for (theirs, ours) in [
            ("-J train", "--name train"),
            ("--job-name=train", "--name train"),
            ("-t 90", "--time-limit 90m"),
            ("--time=1-02:00:00", "--time-limit 1-02:00:00"),
            ("-c4", "--cpu 4"),
            ("-n 2 --cpus-per-task=4", "--cpu 8"),
            ("--mem=4G", "--mem 4294967296"),
            ("--mem 512", "--mem 536870912"),
            ("-c 2 --mem-per-cpu=1G", "--cpu 2 --mem 2147483648"),
            ("--gres=gpu:a100:2", "--gpu 2"),
            ("--gres=gpu", "--gpu 1"),
            ("-G 1", "--gpu 1"),
            ("-a 0-9%2", "--array 0-9%2"),
            ("-d afterok:12:13,afterany:14", "--after 12:ok --after 13:ok --after 14:any"),
            ("--begin=now+2hours", "--start-at +2h"),
            ("-b 16:00", "--start-at 16:00"),
            ("-D /tmp", "--cwd /tmp"),
            ("--deadline=now+6hours", "--deadline +6h"),
            ("-C a100", "--node-label a100"),
            ("--constraint=a100&disk=nvme", "--node-label a100 --node-label disk=nvme"),
            ("--requeue", "--requeue"),
            ("--signal=B:USR1@120", "--warn-signal USR1@120s"),
            ("--export=NONE", "--clean-env"),
            ("-N 1 --export=ALL --no-requeue", ""),
        ] {
            let out = translated(theirs);
            assert_eq!(out.words.join(" "), ours, "{theirs}");
            assert_eq!(out.warnings, [] as [&str; 0], "{theirs}");
        }
    }

    #[test]
    fn what_has_no_counterpart_is_warned_about() {
        for theirs in [
            "--partition=gpu",
            "-p gpu",
            "--constraint=a|b",
            "-C [rack1*2]",
            "--output=x.log",
            "-N 2",
            "--mem=lots",
            "-c many",
            "-d singleton",
            "--gres=tmp:5",
            "-X",
            "stray",
            "--time=UNLIMITED",
        ] {
            let out = translated(theirs);
            assert_eq!(out.words, [] as [&str; 0], "{theirs}");
            assert_eq!(out.warnings.len(), 1, "{theirs}: {:?}", out.warnings);
        }
    }
}
