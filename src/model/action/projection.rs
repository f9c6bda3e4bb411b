//! What tools say beside what they do.
//!
//! Models word the description of a call anew each time they try it again; a yes that covered it
//! could never be spent. Whatever changes where or how something runs stays covered. A tool that
//! is not listed has all of its arguments covered.

/// Advisory arguments by tool, as coding agents name them.
const ADVISORY: &[(&str, &[&str])] = &[
    ("Bash", &["description", "timeout"]),
    ("bash", &["description", "timeout"]),
    ("shell", &["description", "timeout"]),
    ("local_shell", &["description", "timeout"]),
];

/// The arguments of a tool that change nothing of its effect.
pub fn advisory(tool: Option<&str>) -> &'static [&'static str] {
    let known = ADVISORY.iter().find(|(name, _)| Some(*name) == tool);
    known.map_or(&[], |(_, names)| names)
}
