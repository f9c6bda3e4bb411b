//! Reads the text of a configuration file against the table of keys.
//!
//! All mistakes are collected, so that one look at the answer is enough.

mod value;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, Key, LATER, SECTIONS, Section, Shape};
use super::problem::{Place, Problem};
use crate::base::nearest;

pub use value::{Value, read_text};

/// A file that was read: the tables of each section, in the order of the file.
#[derive(Debug, Default)]
pub struct Document {
    sections: BTreeMap<&'static str, Vec<Entries>>,
}

/// The keys of one table that were given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entries {
    /// The line the table begins at, from 1.
    pub line: usize,
    found: BTreeMap<&'static str, Found>,
}

/// One value of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it means.
    pub value: Value,
    /// As it was written.
    pub written: String,
    /// Where, from 1.
    pub line: usize,
}

impl Document {
    /// The tables of a section.
    pub fn tables(&self, section: &str) -> &[Entries] {
        self.sections.get(section).map_or(&[], Vec::as_slice)
    }

    /// A key of a section that stands once.
    pub fn find(&self, section: &str, key: &str) -> Option<&Found> {
        self.tables(section).first()?.get(key)
    }
}

impl Entries {
    /// What was given for a key.
    pub fn get(&self, key: &str) -> Option<&Found> {
        self.found.get(key)
    }

    /// What a key means, with the default of the table of keys if it was not given.
    pub fn value(&self, section: &str, key: &str) -> Option<Value> {
        let given = self.get(key).map(|found| found.value.clone());
        given.or_else(|| {
            let key = keys::section(section)?.key(key)?;
            read_text(key.kind, key.default).ok().filter(|_| !key.default.is_empty())
        })
    }
}

/// Reads a file's text.
///
/// # Errors
/// Every mistake in it, with its line.
pub fn read(path: &Path, text: &str) -> Result<Document, Vec<Problem>> {
    let mut reader = Reader { path, text, problems: Vec::new() };
    let mut document = Document::default();
    match DeTable::parse(text) {
        Err(error) => {
            let line = reader.line(error.span().unwrap_or_default());
            reader.say(line, format!("{}; this is not TOML", error.message()));
        }
        Ok(root) => {
            for (name, value) in root.get_ref() {
                reader.section(name, value, &mut document);
            }
        }
    }
    if reader.problems.is_empty() {
        Ok(document)
    } else {
        reader.problems.sort_by_key(|problem| match &problem.place {
            Place::File(_, line) => *line,
            _ => 0,
        });
        Err(reader.problems)
    }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    problems: Vec<Problem>,
}

type DeName<'i> = Spanned<std::borrow::Cow<'i, str>>;

impl Reader<'_> {
    fn line(&self, span: Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        1 + before.iter().filter(|b| **b == b'\n').count()
    }

    fn say(&mut self, line: usize, text: String) {
        self.problems.push(Problem { place: Place::File(self.path.to_owned(), line), text });
    }

    fn section(&mut self, name: &DeName, value: &Spanned<DeValue>, document: &mut Document) {
        let line = self.line(name.span());
        let word = name.get_ref().as_ref();
        let known = SECTIONS.iter().filter(|section| section.shape != Shape::Inner);
        let Some(section) = known.clone().find(|section| section.name == word) else {
            if LATER.contains(&word) {
                let text = format!("[{word}] is not part of this version; remove the section");
                return self.say(line, text);
            }
            let near = nearest(word, known.clone().map(|section| section.name));
            let all: Vec<_> = known.map(|section| section.name).collect();
            let text = match near {
                Some(near) => format!("{word:?} is no section; did you mean {near:?}?"),
                None => format!("{word:?} is no section; there are {}", all.join(", ")),
            };
            return self.say(line, text);
        };
        let tables = match (section.shape, value.get_ref()) {
            (Shape::One, DeValue::Table(table)) => vec![self.table(section, table, line)],
            (Shape::Many, DeValue::Array(_)) => self.tables(section, value),
            (Shape::One, _) => {
                return self.say(line, format!("{word} is a section; write [{word}]"));
            }
            _ => return self.say(line, format!("{word} is a list of sections; write [[{word}]]")),
        };
        document.sections.insert(section.name, tables);
    }

    /// The tables of an array; anything else in it is a mistake.
    fn tables(&mut self, section: &'static Section, value: &Spanned<DeValue>) -> Vec<Entries> {
        let mut out = Vec::new();
        for item in value.get_ref().as_array().into_iter().flat_map(|array| array.iter()) {
            let line = self.line(item.span());
            match item.get_ref() {
                DeValue::Table(table) => out.push(self.table(section, table, line)),
                other => {
                    let what = other.type_str();
                    let text = format!("{} holds a {what}; write tables", section.name);
                    self.say(line, text);
                }
            }
        }
        out
    }

    fn table(&mut self, section: &'static Section, table: &DeTable, line: usize) -> Entries {
        let mut entries = Entries { line, found: BTreeMap::new() };
        let mut unknown = false;
        for (name, value) in table {
            let line = self.line(name.span());
            let word = name.get_ref().as_ref();
            let Some(key) = section.key(word) else {
                unknown = true;
                self.unknown_key(section, word, line);
                continue;
            };
            match self.value(key, value) {
                Ok(value_read) => {
                    let written = value::written(value.get_ref());
                    entries.found.insert(key.name, Found { value: value_read, written, line });
                }
                Err(why) => {
                    unknown = true;
                    self.say(line, format!("{}.{word}: {why}", section.name));
                }
            }
        }
        let missing = section.keys.iter().find(|k| k.required && entries.get(k.name).is_none());
        // A mistyped key is most likely the missing one; saying both would confuse.
        if let Some(missing) = missing.filter(|_| !unknown) {
            let about = missing.about;
            self.say(line, format!("{} needs {:?}: {about}", section.name, missing.name));
        }
        entries
    }

    fn unknown_key(&mut self, section: &Section, word: &str, line: usize) {
        let names = || section.keys.iter().map(|key| key.name);
        let place = section.name;
        let text = match nearest(word, names()) {
            Some(near) => format!("{word:?} is no key of {place}; did you mean {near:?}?"),
            None => {
                let all: Vec<_> = names().collect();
                format!("{word:?} is no key of {place}; there are {}", all.join(", "))
            }
        };
        self.say(line, text);
    }

    fn value(&mut self, key: &Key, value: &Spanned<DeValue>) -> Result<Value, String> {
        use keys::Kind;
        let inner = match key.kind {
            Kind::Devices(inner) | Kind::Tables(inner) => keys::section(inner),
            _ => None,
        };
        match (value.get_ref(), inner) {
            (DeValue::Array(_), Some(section)) => Ok(Value::Tables(self.tables(section, value))),
            (other, _) => value::read(key.kind, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> String {
        let problems = read(Path::new("c.toml"), text).unwrap_err();
        problems.iter().map(|p| format!("{p}\n")).collect()
    }

    #[test]
    fn each_mistake_says_its_line_and_the_way_out() {
        for (text, parts) in [
            ("[servr]\n", "c.toml:1: \"servr\" is no section; did you mean \"server\"?"),
            ("\n[server]\nidle_exti = \"5m\"", "c.toml:3: \"idle_exti\" is no key of server; did"),
            ("[server]\nzzz = 1", "there are socket, data_dir, group"),
            ("[[price]]\n", "[price] is not part of this version"),
            ("[console]\nasci = true", "no key of console; did you mean \"ascii\"?"),
            ("[console]\nascii = 1", "a integer is not true or false"),
            ("[console.keys]\nlog = 1", "console.keys: log: a integer is no key"),
            ("[console]\nkeys = \"v\"", "is not a table of keys"),
            ("[server]\nidle_exit = \"5\"", "c.toml:2: server.idle_exit: \"5\" has no unit"),
            ("[defaults]\nmem = \"400m\"", "did you mean 400Mi?"),
            ("[defaults]\ntier = \"reserch\"", "did you mean \"research\"?"),
            ("[defaults]\ncpu = true", "a boolean is not a number of cores"),
            ("[[server]]\n", "server is a section; write [server]"),
            ("[team]\nname = \"a\"", "team is a list of sections; write [[team]]"),
            ("[[team]]\n", "team needs \"name\""),
            ("[scheduler]\noff = [\"reclam\"]", "did you mean \"reclaim\"?"),
            ("[scheduler]\nplace_gpu = \"binpack\"", "did you mean \"bin_pack\"?"),
            ("[scheduler]\nmove_victims = 1", "a integer is not true or false"),
            ("[[team]]\nname = \"a\"\nquota = {gpus = 1}", "there are gpu, cpu and mem"),
            ("[[team]]\nname = \"a\"\nweight = -1", "less than nothing"),
            ("[[team]]\nname = \"a\"\npriority = 1001", "from 0 to 1000"),
            ("[[node]]\ngpu = [0, 0]", "a device stands twice"),
            ("[[node]]\nlabels = [1]", "a list is not labels"),
            ("[[node]]\ngpus = [3]", "node.gpus holds a integer; write tables"),
            ("[[node]]\ngpus = [{nme = \"a\"}]", "no key of node.gpus; did you mean \"name\"?"),
            ("[[team]]\nname = \"a//b\"", "is not a path of a team"),
            ("[[resource]]\nname = \"a\"\ncount = -1", "c.toml:3: resource.count"),
            ("[server\n", "c.toml:1: "),
            ("a = 1\na = 2\n", "c.toml:2: "),
        ] {
            let said = mistakes(text);
            assert!(said.contains(parts), "{text:?}: {said}");
        }
    }

    #[test]
    fn all_mistakes_are_said_at_once_in_the_order_of_the_file() {
        let said = mistakes("[zzz]\n[defaults]\ntier = 3\n[server]\nx = 1\n");
        let lines: Vec<_> = said.lines().map(|l| l.split(':').nth(1).unwrap()).collect();
        assert_eq!(lines, ["1", "3", "5"], "{said}");
    }

    #[test]
    fn inner_tables_are_read() {
        let text = "[[node]]\ngpus = [{name = \"a\", mem = \"1Gi\"}, {}]\n";
        let document = read(Path::new("c.toml"), text).unwrap();
        let Some(Value::Tables(gpus)) = document.find("node", "gpus").map(|f| f.value.clone())
        else {
            panic!("a list of devices")
        };
        assert_eq!(gpus.len(), 2);
        assert_eq!(gpus[0].value("node.gpus", "mem"), Some(Value::Amount(1 << 30)));
        assert_eq!(gpus[1].value("node.gpus", "mem"), Some(Value::Amount(24 << 30)));
    }
}
