//! The console: on this machine's server, on a simulated one (`demo`), and in pictures (`shots`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::Offset as _;
use clap::Args;

use crate::base::Span;
use crate::cli::args::target::Target;
use crate::cli::exit::{FAILED, Failure, OK, Outcome};
use crate::cli::output::Output;
use crate::cli::session::{Session, block_on};
use crate::config::Config;
use crate::link::Link;
use crate::sim::demo::Demo;
use crate::tui::actions::Keymap;
use crate::tui::{self, Open, Options, Signs, Stage, shot, theme};

/// How the console shall look.
#[derive(Debug, Clone, Default, Args)]
pub struct Look {
    /// Colours: terminal, dark, light, high-contrast, colour-blind or mono
    #[arg(long, value_name = "NAME", help_heading = "Console")]
    pub theme: Option<String>,
    /// Look only: nothing can be done from this console
    #[arg(long, help_heading = "Console")]
    pub read_only: bool,
    /// Draw with ASCII characters only
    #[arg(long, help_heading = "Console", value_name = "true|false", num_args = 0..=1,
        require_equals = true, default_missing_value = "true")]
    pub ascii: Option<bool>,
    /// Show times in UTC
    #[arg(long, help_heading = "Console", value_name = "true|false", num_args = 0..=1,
        require_equals = true, default_missing_value = "true")]
    pub utc: Option<bool>,
    /// Use the mouse
    #[arg(long, help_heading = "Console", value_name = "true|false", num_args = 0..=1,
        require_equals = true, default_missing_value = "true")]
    pub mouse: Option<bool>,
    /// Move nothing that need not move
    #[arg(long, help_heading = "Console", value_name = "true|false", num_args = 0..=1,
        require_equals = true, default_missing_value = "true")]
    pub still: Option<bool>,
}

/// `demo`.
#[derive(Debug, Clone, Args)]
pub struct DemoVerb {
    #[command(flatten)]
    look: Look,
    /// Another night: the same number shows the same one
    #[arg(long, default_value_t = 7, value_name = "N")]
    seed: u64,
    /// Virtual seconds in a real one
    #[arg(long, default_value_t = 1.0, value_name = "X")]
    speed: f64,
}

/// `shots`.
#[derive(Debug, Clone, Args)]
pub struct Shots {
    /// Where the pictures go
    #[arg(default_value = "screenshots", value_name = "DIR")]
    dir: PathBuf,
    /// Change nothing; fail if a picture is not what it would be now
    #[arg(long)]
    check: bool,
}

impl Look {
    /// Flags over what is configured.
    fn options(&self, config: &Config) -> Result<Options, Failure> {
        let mut options = configured(config, self.theme.as_deref())?;
        options.read_only = self.read_only;
        options.ascii = self.ascii.unwrap_or(options.ascii);
        options.utc = self.utc.unwrap_or(options.utc);
        options.mouse = self.mouse.unwrap_or(options.mouse);
        options.reduced_motion = self.still.unwrap_or(options.reduced_motion);
        Ok(options.fitted(&|name| std::env::var(name).ok()))
    }
}

/// The console as it is configured; `theme` is a flag's.
///
/// # Errors
/// An unknown theme, action or key, or a key that would mean two things, with where it stands.
pub fn configured(config: &Config, theme: Option<&str>) -> Result<Options, Failure> {
    let console = &config.console;
    let wrong = |key: &str, what: String| {
        let origin = config.origin(key).map_or_else(String::new, |origin| format!("{origin}: "));
        Failure::usage(format!("{origin}{key}: {what}"), "`holdshort config show --origin`")
    };
    let theme = match theme {
        Some(name) => theme::load(name).map_err(|what| Failure::usage(what, ""))?,
        None => theme::load(&console.theme).map_err(|what| wrong("console.theme", what))?,
    };
    let keymap = Keymap::new(&console.keys).map_err(|what| wrong("console.keys", what))?;
    Ok(Options {
        theme,
        keymap,
        ascii: console.ascii,
        utc: console.utc,
        mouse: console.mouse,
        reduced_motion: console.reduced_motion,
        signs: match console.sign.as_str() {
            "always" => Signs::Always,
            "never" => Signs::Never,
            _ => Signs::Needed,
        },
        pen: crate::cli::signing::pen(console.sign_key.clone()),
        ..Options::default()
    })
}

/// What a word on the command line opens, if it is a target rather than a verb.
pub fn opens(word: &str) -> Option<Open> {
    if let Ok(review) = word.parse() {
        return Some(Open::Review(review));
    }
    match word.parse().ok()? {
        Target::Job(job) => Some(Open::Job(job)),
        Target::Team(team) => Some(Open::Filter(format!("team={team}"))),
        _ => None,
    }
}

/// The console on this machine's server, which is started if none runs and the console may act.
///
/// # Errors
/// When there is no terminal, or no server.
pub fn console(session: &Session, look: &Look, open: Open) -> Outcome {
    let place = crate::cli::serve::machine_name().to_string();
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten();
    let user = user.map(|user| user.name);
    let options = look.options(&session.places.config)?;
    let (link, starter) = session.console_link(options.read_only)?;
    let options = Options { place, user, open, starter, ..options };
    let link: Arc<dyn Link> = Arc::from(link);
    show(link, options)
}

fn show(link: Arc<dyn Link>, options: Options) -> Outcome {
    block_on(async {
        tui::run(link, options).await.map_err(|problem| {
            Failure::failed(problem.to_string(), "`holdshort ls` works without a terminal")
        })?;
        Ok(OK)
    })
}

impl DemoVerb {
    /// The console on a simulated fleet; nothing is on disk and nothing runs.
    ///
    /// # Errors
    /// When there is no terminal.
    pub fn run(&self, session: &Session) -> Outcome {
        let (place, user) = ("DEMO".to_owned(), Some("ana".to_owned()));
        let options = Options { place, user, ..self.look.options(&session.places.config)? };
        block_on(async {
            let link: Arc<dyn Link> = Arc::new(Demo::live(self.seed, self.speed));
            tui::run(link, options).await.map_err(|p| Failure::failed(p.to_string(), ""))?;
            Ok(OK)
        })
    }
}

/// A picture: what it is called, its size, its theme, and the keys pressed before it is taken.
struct Scene {
    name: &'static str,
    size: (u16, u16),
    theme: &'static str,
    keys: &'static str,
}

const SCENES: &[Scene] = &[
    Scene { name: "home-80x24", size: (80, 24), theme: "dark", keys: "" },
    Scene { name: "home-120x40", size: (120, 40), theme: "dark", keys: "" },
    Scene { name: "home-200x60", size: (200, 60), theme: "dark", keys: "" },
    Scene { name: "home-light", size: (120, 40), theme: "light", keys: "" },
    Scene { name: "home-high-contrast", size: (80, 24), theme: "high-contrast", keys: "" },
    Scene { name: "review", size: (120, 40), theme: "dark", keys: "<enter>" },
    Scene { name: "review-answer", size: (120, 40), theme: "dark", keys: "<enter>A4180.0" },
    Scene { name: "review-80x24", size: (80, 24), theme: "dark", keys: "<enter>" },
    Scene { name: "review-60x30", size: (60, 30), theme: "dark", keys: "<enter>" },
    Scene { name: "review-200x60", size: (200, 60), theme: "dark", keys: "<enter>" },
    Scene { name: "stuck-why", size: (120, 40), theme: "dark", keys: "2w" },
    Scene { name: "job", size: (120, 40), theme: "dark", keys: "3<enter>" },
    Scene { name: "log", size: (120, 40), theme: "dark", keys: "3l" },
    Scene { name: "teams", size: (120, 40), theme: "dark", keys: "d" },
    Scene { name: "hours", size: (120, 40), theme: "dark", keys: "v" },
    Scene { name: "cancel", size: (80, 24), theme: "dark", keys: "3K" },
    Scene { name: "help", size: (120, 40), theme: "dark", keys: "?" },
];

/// The night that is shown.
const SEED: u64 = 7;

impl Shots {
    /// Draws every scene as SVG and PNG; with `--check` only compares.
    ///
    /// # Errors
    /// When a picture cannot be drawn or written.
    pub fn run(&self, output: Output) -> Outcome {
        block_on(async {
            let mut stale = Vec::new();
            for scene in SCENES {
                for (ending, bytes) in scene.draw().await? {
                    let path = self.dir.join(format!("{}.{ending}", scene.name));
                    if std::fs::read(&path).is_ok_and(|old| old == bytes) {
                        continue;
                    }
                    stale.push(path.display().to_string());
                    if !self.check {
                        write(&path, &bytes)?;
                    }
                }
            }
            for path in &stale {
                output.line(&format!("{} {path}", if self.check { "stale" } else { "drawn" }))?;
            }
            Ok(if self.check && !stale.is_empty() { FAILED } else { OK })
        })
    }
}

impl Scene {
    async fn draw(&self) -> Result<[(&'static str, Vec<u8>); 2], Failure> {
        let failed = |what: String| Failure::failed(format!("{}: {what}", self.name), "");
        let look = theme::load(self.theme).map_err(failed)?;
        let options = Options {
            place: "gpu-box-3".to_owned(),
            user: Some("ana".to_owned()),
            theme: look.clone(),
            zone: Some(chrono::Utc.fix()),
            ..Options::default()
        };
        let link: Arc<dyn Link> = Arc::new(Demo::still(SEED, Span::ZERO));
        let mut stage = Stage::open(link, options, self.size).await;
        stage.press(self.keys).await;
        let screen = shot::screen(&stage.app);
        let picture = shot::png(&screen, &look).map_err(failed)?;
        Ok([("svg", shot::svg(&screen, &look).into_bytes()), ("png", picture)])
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(path, bytes))
        .map_err(|why| Failure::failed(format!("{} cannot be written; {why}", path.display()), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Result<Options, Failure> {
        let file = Path::new("c.toml");
        let given = crate::config::Given { file, must_exist: false, env: &|_| None, flags: &[] };
        let config = crate::config::layers::merge(&given, text).unwrap();
        let look = Look { ascii: Some(false), ..Look::default() };
        look.options(&config)
    }

    #[test]
    fn the_configuration_shapes_the_console_and_flags_win() {
        let text = "[console]\nascii = true\nutc = true\ntheme = \"light\"\nkeys = {log = \"s\"}\n";
        let options = with(text).unwrap();
        assert_eq!(
            (options.utc, options.mouse, options.theme.name.as_str()),
            (true, false, "light")
        );
        assert_ne!(options.keymap, Keymap::default());
        for (text, part) in [
            ("[console]\ntheme = \"drak\"", "c.toml:2: console.theme: "),
            ("[console.keys]\nlgo = \"s\"", "did you mean log?"),
            ("[console.keys]\nlog = \"n\"", "would be both"),
            ("[console.keys]\ncancel = \"x\"", "c.toml:1: console.keys: cancel only takes"),
        ] {
            let said = with(text).unwrap_err().what;
            assert!(said.contains(part), "{text}: {said}");
        }
    }

    #[test]
    fn a_target_opens_the_console_there_and_a_verb_does_not() {
        assert_eq!(opens("42"), Some(Open::Job(crate::base::JobId(42))));
        assert_eq!(opens("#42"), Some(Open::Job(crate::base::JobId(42))));
        assert_eq!(opens("team:ml"), Some(Open::Filter("team=ml".to_owned())));
        assert_eq!(opens("R17"), Some(Open::Review(crate::base::ReviewId(17))));
        for verb in ["ls", "submit", "R", "run", "reviews", "--help", "nonsense"] {
            assert_eq!(opens(verb), None, "{verb}");
        }
    }
}
