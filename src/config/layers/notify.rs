//! `[[notify]]`: who is told of reviews, and how.

use std::path::PathBuf;

use super::Layers;
use super::tables::{amount, name, span};
use crate::base::{Name, Span};
use crate::config::NotifyEntry;
use crate::config::document::{Entries, Value};
use crate::model::action::EffectClass;
use crate::model::ports::notify::{Held, Way};
use crate::model::review::telling::TARGETS_MAX;
use crate::model::review::{Moment, Target};

/// A try takes no longer than this.
const TIMEOUT_MAX: Span = Span::mins(5);
/// Tries at most.
const TRIES_MAX: u64 = 20;

impl Layers<'_> {
    pub(super) fn notify(&mut self) -> Vec<NotifyEntry> {
        self.distinct("notify", "name");
        let mut entries = Vec::new();
        for table in self.file.tables("notify") {
            let Some(named) = name(table, "name") else { continue };
            if entries.len() >= TARGETS_MAX {
                self.say(table.line, format!("more than {TARGETS_MAX} of notify; leave some out"));
                break;
            }
            match entry(table, named.clone()) {
                Ok(entry) => entries.push(entry),
                Err(why) => self.say(table.line, format!("notify {named}: {why}")),
            }
        }
        entries
    }
}

fn entry(table: &Entries, named: Name) -> Result<NotifyEntry, String> {
    let tries = amount(table, "tries").unwrap_or(5);
    if tries > TRIES_MAX {
        return Err(format!("tries is above {TRIES_MAX}"));
    }
    let timeout = span(table, "timeout").unwrap_or(Span::secs(10));
    if timeout > TIMEOUT_MAX || timeout == Span::ZERO {
        return Err("timeout is not between 1ms and 5m".to_owned());
    }
    let words = |key| match table.get(key).map(|found| &found.value) {
        Some(Value::Words(words)) => words.clone(),
        _ => Default::default(),
    };
    let target = Target {
        name: named,
        teams: names(table, "teams"),
        effects: words("effects").iter().filter_map(|word| EffectClass::of(word)).collect(),
        moments: words("moments").iter().filter_map(|word| Moment::of(word)).collect(),
        people: names(table, "people"),
    };
    let tries = u32::try_from(tries).unwrap_or(u32::MAX);
    let backoff = span(table, "backoff").unwrap_or(Span::secs(1));
    Ok(NotifyEntry { target, way: way(table)?, timeout, tries, backoff })
}

fn way(table: &Entries) -> Result<Way, String> {
    let kind = name(table, "kind").unwrap_or_else(|| "".into());
    let argv: Vec<String> = names(table, "command").iter().map(ToString::to_string).collect();
    let (url, secret) = (held(table, "url")?, held(table, "secret")?);
    match (&*kind, url, secret) {
        ("command", None, None) if !argv.is_empty() => Ok(Way::Command { argv }),
        ("command", None, None) => {
            Err("needs command: the program and its arguments, such as [\"/usr/bin/tell\"]".into())
        }
        ("command", ..) => Err("a command has no url and no secret".to_owned()),
        (_, None, _) => Err("needs url, url_env or url_file".to_owned()),
        _ if !argv.is_empty() => Err("command belongs to kind = \"command\"".to_owned()),
        ("webhook", Some(url), Some(secret)) => Ok(Way::Webhook { url, secret }),
        ("webhook", Some(_), None) => {
            Err("a webhook is signed: needs secret_env or secret_file".to_owned())
        }
        (_, Some(url), None) => Ok(Way::Chat { url }),
        (_, Some(_), Some(_)) => Err("a chat is not signed: leave out the secret".to_owned()),
    }
}

/// A value that stands in the file, in a variable or in another file.
fn held(table: &Entries, what: &str) -> Result<Option<Held>, String> {
    let of = |key: &str| name(table, key).map(|text| text.to_string());
    let here = if what == "url" { of("url").map(Held::Here) } else { None };
    let env = of(&format!("{what}_env")).map(Held::Env);
    let file = of(&format!("{what}_file")).map(|path| Held::File(PathBuf::from(path)));
    let mut found = [here, env, file].into_iter().flatten();
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => Err(format!("{what} stands in two places; keep one")),
    }
}

fn names(table: &Entries, key: &str) -> Vec<Name> {
    match table.get(key).map(|found| &found.value) {
        Some(Value::Names(names)) => names.clone(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::layers::{Given, merge};

    fn notify(text: &str) -> Result<Vec<NotifyEntry>, String> {
        let file = Path::new("config.toml");
        let given = Given { file, must_exist: false, env: &|_| None, flags: &[] };
        merge(&given, text).map(|config| config.notify).map_err(|error| error.to_string())
    }

    #[test]
    fn each_kind_is_read_with_its_words() {
        let read = notify(
            r#"
            [[notify]]
            name = "hook"
            kind = "webhook"
            url = "http://127.0.0.1:9/x"
            secret_env = "HOOK_SECRET"
            teams = ["org/fin"]
            effects = ["money", "unknown"]
            moments = ["asked", "expiring"]
            people = ["ana"]
            timeout = "2s"
            tries = 3
            [[notify]]
            name = "pager"
            kind = "command"
            command = ["/usr/bin/page me", "--now"]
            [[notify]]
            name = "chat"
            kind = "chat"
            url_file = "/run/keys/chat"
            "#,
        );
        let read = read.unwrap();
        let target = &read[0].target;
        assert_eq!((&*target.teams[0], &*target.people[0]), ("org/fin", "ana"));
        assert_eq!((target.effects.len(), target.moments.len()), (2, 2));
        assert_eq!((read[0].timeout, read[0].tries), (Span::secs(2), 3));
        let secret = Held::Env("HOOK_SECRET".into());
        let url = Held::Here("http://127.0.0.1:9/x".into());
        assert_eq!(read[0].way, Way::Webhook { url, secret });
        let argv = vec!["/usr/bin/page me".to_owned(), "--now".to_owned()];
        assert_eq!(read[1].way, Way::Command { argv });
        assert_eq!(read[2].way, Way::Chat { url: Held::File("/run/keys/chat".into()) });
        assert_eq!((read[1].tries, read[1].backoff), (5, Span::secs(1)));
    }

    #[test]
    fn what_makes_no_sense_is_refused_when_it_is_loaded() {
        for (text, said) in [
            ("kind = \"webhook\"\nurl = \"http://x\"", "is signed"),
            ("kind = \"chat\"", "needs url"),
            ("kind = \"chat\"\nurl = \"http://x\"\nurl_env = \"X\"", "two places"),
            ("kind = \"chat\"\nurl = \"http://x\"\nsecret_env = \"X\"", "not signed"),
            ("kind = \"chat\"\nurl = \"http://x\"\ncommand = [\"x\"]", "belongs to kind"),
            ("kind = \"command\"", "needs command"),
            ("kind = \"command\"\ncommand = \"rm -rf\"", "list of texts"),
            ("kind = \"command\"\ncommand = [\"x\"]\nurl = \"http://x\"", "no url"),
            ("kind = \"chat\"\nurl = \"http://x\"\ntimeout = \"1h\"", "between"),
            ("kind = \"chat\"\nurl = \"http://x\"\ntries = 99", "above 20"),
            ("kind = \"chat\"\nurl = \"http://x\"\nmoments = [\"askd\"]", "did you mean"),
            ("kind = \"sms\"", "there is no \"sms\""),
        ] {
            let why = notify(&format!("[[notify]]\nname = \"n\"\n{text}")).unwrap_err();
            assert!(why.contains(said), "{text}: {why}");
        }
        let twice = "[[notify]]\nname=\"n\"\nkind=\"command\"\ncommand=[\"x\"]\n".repeat(2);
        assert!(notify(&twice).unwrap_err().contains("stands twice"));
    }
}
