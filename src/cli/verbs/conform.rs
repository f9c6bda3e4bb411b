//! `conform FILE…`: replay tables of scheduling cases through the policies.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::cli::exit::{FAILED, Failure, OK, Outcome};
use crate::cli::output::Output;
use crate::cli::tree::Globals;
use crate::sim::conform::{self, Failed, IN_FORCE, Report};

/// `conform`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  holdshort conform fairshare.json decisions.json
  holdshort --json conform cases.json | jq .failures")]
#[command(after_help = "Each file has cases in one of the formats aiops-fairshare/1, \
                        decision-tables-1 and scheduler-scenarios/1. Exits with 1 if a case \
                        fails, with 2 if a file cannot be read.")]
pub struct Conform {
    /// Files of cases
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

impl Conform {
    /// Replays all files, names each case that fails, ends with `N passed, M failed`.
    ///
    /// # Errors
    /// When a file cannot be read or has no cases; then nothing is printed.
    pub fn run(self, globals: &Globals) -> Outcome {
        let mut reports = Vec::new();
        for file in self.files {
            let report = replay(&file)?;
            reports.push((file, report));
        }
        let output = Output { color: globals.color };
        if globals.json {
            output.line(&document(&reports))?;
        } else {
            output.out(&text(&reports))?;
        }
        let failed = reports.iter().any(|(_, report)| !report.failed.is_empty());
        Ok(if failed { FAILED } else { OK })
    }
}

fn replay(file: &Path) -> Result<Report, Failure> {
    let shown = file.display();
    let text = fs::read_to_string(file).map_err(|error| {
        Failure::usage(format!("cannot read {shown}: {error}"), "give files of cases")
    })?;
    conform::run(&text).map_err(|why| {
        let hint = "`holdshort conform --help` names the formats";
        Failure::usage(format!("cannot replay {shown}: {why}"), hint)
    })
}

fn whole(reports: &[(PathBuf, Report)]) -> Report {
    let mut whole = Report::default();
    for (_, report) in reports {
        whole.extend(report.clone());
    }
    whole
}

fn text(reports: &[(PathBuf, Report)]) -> String {
    let mut text = String::new();
    let mut line = |words: &str| {
        text.push_str(words);
        text.push('\n');
    };
    line("Policies in force:");
    IN_FORCE.iter().for_each(|policy| line(&format!("  {policy}")));
    line(&format!("Off: {}", conform::off().join(", ")));
    for (file, report) in reports {
        line("");
        line(&format!("{}: {}", file.display(), report.closing()));
        report.failed.iter().for_each(|failed| line(&sentence(failed)));
    }
    let whole = whole(reports);
    line("");
    if whole.idle > 0 {
        line(&format!("{} of those passed need nothing to be done", whole.idle));
    }
    line(&whole.closing());
    text
}

fn sentence(failed: &Failed) -> String {
    let Failed { id, name, what } = failed;
    match name.as_str() {
        "" => format!("  failed {id}: {what}"),
        name => format!("  failed {id} ({name}): {what}"),
    }
}

fn document(reports: &[(PathBuf, Report)]) -> String {
    let failures = reports.iter().flat_map(|(file, report)| {
        report.failed.iter().map(move |Failed { id, name, what }| {
            json!({"file": file.display().to_string(), "id": id, "name": name, "what": what})
        })
    });
    let whole = whole(reports);
    json!({
        "schema_version": 1,
        "passed": whole.passed,
        "failed": whole.failed.len(),
        "idle": whole.idle,
        "failures": failures.collect::<Vec<_>>(),
        "policies": {"in_force": IN_FORCE, "off": conform::off()},
    })
    .to_string()
}
