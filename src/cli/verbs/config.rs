//! `config check|show|schema` and `paths`.

use clap::{Args, Subcommand};

use crate::cli::exit::{OK, Outcome};
use crate::cli::output::Output;
use crate::cli::serve::machine_name;
use crate::cli::session::Session;
use crate::cli::tree::Globals;
use crate::config;
use crate::config::nodes::{excess, pretended};
use crate::config::schema::schema;
use crate::model::Resources;
use crate::model::ports::runner::Machine;
use crate::runner::local::capacity;
use crate::runner::local::gpu::{Gpus, PretendGpu};

/// `config`.
#[derive(Debug, Args)]
pub struct Config {
    #[command(subcommand)]
    verb: ConfigVerb,
}

/// What is done with the configuration.
#[derive(Debug, Clone, Copy, Subcommand)]
enum ConfigVerb {
    /// Read it and name every mistake
    Check,
    /// Print every effective value
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print the JSON Schema of the file
    Schema,
}

/// `paths`.
#[derive(Debug, Args)]
pub struct Paths {}

impl Config {
    /// Does it.
    ///
    /// # Errors
    /// Every mistake in the configuration.
    pub fn run(self, globals: Globals) -> Outcome {
        let output = Output { color: globals.color };
        match self.verb {
            ConfigVerb::Schema => output.line(schema().trim_end())?,
            ConfigVerb::Check => {
                let session = Session::new(globals)?;
                super::console::configured(&session.places.config, None)?;
                let file = &session.places.paths.config;
                let state = if file.exists() { "is right" } else { "does not exist: defaults" };
                session.output.line(&format!("{} {state}", file.display()))?;
                for excess in excess(&session.places.config.nodes, &detected(&session)) {
                    session.output.warn(&excess);
                }
            }
            ConfigVerb::Show { origin } => show(&Session::new(globals)?, origin)?,
        }
        Ok(OK)
    }
}

/// The machine as a server would find it.
fn detected(session: &Session) -> Machine {
    let nodes = &session.places.config.nodes;
    let pretend = |gpu: &config::PretendGpu| PretendGpu {
        name: gpu.name.to_string(),
        mem_bytes: gpu.mem_bytes,
    };
    let pretend: Option<Vec<_>> = pretended(nodes).map(|list| list.iter().map(pretend).collect());
    let locks = session.places.paths.runtime.clone();
    let gpus = Gpus::detect(pretend.as_deref(), locks, &session.places.paths.data);
    let capacity = Resources {
        cpu_milli: capacity::cpu_milli(),
        mem_bytes: capacity::mem_bytes(),
        gpu_milli: gpus.count() * 1000,
        ..Resources::default()
    };
    Machine { name: machine_name(), capacity, gpus: gpus.list(|_| true) }
}

fn show(session: &Session, origin: bool) -> Result<(), crate::cli::exit::Failure> {
    let shown = &session.places.config.shown;
    if session.globals.json {
        let values: Vec<_> = shown
            .iter()
            .map(|entry| {
                let origin = entry.origin.to_string();
                let value = Some(&entry.value).filter(|value| !value.is_empty());
                serde_json::json!({"key": entry.key, "value": value, "origin": origin})
            })
            .collect();
        return session.json(&serde_json::json!({"schema_version": 1, "values": values}));
    }
    let mut text = String::new();
    for entry in shown {
        let value = if entry.value.is_empty() { "(not set)" } else { &entry.value };
        text.push_str(&format!("{} = {value}", entry.key));
        if origin {
            text.push_str(&format!("  # {}", entry.origin));
        }
        text.push('\n');
    }
    session.output.out(&text)
}

impl Paths {
    /// Prints where things lie.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub fn run(self, session: &Session) -> Outcome {
        let paths = &session.places.paths;
        let all = [
            ("config", &paths.config),
            ("data", &paths.data),
            ("state", &paths.state),
            ("runtime", &paths.runtime),
            ("socket", &paths.socket),
            ("log", &session.places.log),
        ];
        if session.globals.json {
            let mut document = serde_json::Map::new();
            document.insert("schema_version".into(), 1.into());
            for (name, path) in all {
                document.insert(name.into(), path.to_string_lossy().into());
            }
            session.json(&document)?;
            return Ok(OK);
        }
        let lines = all.map(|(name, path)| format!("{name:<8} {}\n", path.display()));
        session.output.out(&lines.concat())?;
        Ok(OK)
    }
}
