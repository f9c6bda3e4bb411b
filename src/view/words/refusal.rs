//! Why a command changed nothing.

use crate::base::text::sanitise;
use crate::model::Refusal;

/// What and why on the first line, what to do on the second if there is something.
pub fn refusal(refusal: &Refusal) -> Vec<String> {
    let mut lines = vec![sanitise(&refusal.what).into_owned()];
    if !refusal.hint.is_empty() {
        lines.push(sanitise(&refusal.hint).into_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::refusal::RefusalCode;

    #[test]
    fn a_hint_is_a_line_of_its_own() {
        let no_hint = Refusal::new(RefusalCode::NotFound, "there is no job 7", "");
        assert_eq!(refusal(&no_hint), ["there is no job 7"]);
        let hint = Refusal::new(RefusalCode::NotFound, "no\x07", "see ls");
        assert_eq!(refusal(&hint), ["no␇", "see ls"]);
    }
}
