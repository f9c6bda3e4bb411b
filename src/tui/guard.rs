//! Keeps pieces of an escape sequence from being taken for keys.
//!
//! On a slow line the bytes of an arrow key may arrive one by one. They then look like Esc, `[`
//! and `A`, and `A` would act. After Esc and an introducer everything up to the sequence's last
//! character is dropped.

use crate::tui::keys::{Code, Key};

/// Where in a torn sequence we are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EscapeGuard {
    /// Nowhere.
    #[default]
    Idle,
    /// Esc was the last key.
    Escaped,
    /// An introducer came right after Esc.
    Inside,
}

impl EscapeGuard {
    /// Whether a key is a key.
    pub fn passes(&mut self, key: Key) -> bool {
        let typed = key.typed();
        match (*self, typed) {
            (EscapeGuard::Inside, Some(c)) => {
                // A sequence ends with a character from `@` on.
                let goes_on = c.is_ascii() && c < '@';
                *self = if goes_on { EscapeGuard::Inside } else { EscapeGuard::Idle };
                false
            }
            (EscapeGuard::Escaped, Some('[' | 'O')) => {
                *self = EscapeGuard::Inside;
                false
            }
            _ => {
                let esc = key == Key::plain(Code::Esc);
                // Alt and an introducer is Esc and an introducer in one piece.
                let alt = key.alt && matches!(key.code, Code::Char('[' | 'O'));
                *self = match (esc, alt) {
                    (_, true) => EscapeGuard::Inside,
                    (true, _) => EscapeGuard::Escaped,
                    _ => EscapeGuard::Idle,
                };
                !alt
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(keys: &[Key]) -> String {
        let mut guard = EscapeGuard::default();
        let passing = keys.iter().filter(|key| guard.passes(**key));
        passing.map(|key| key.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_torn_arrow_key_never_acts() {
        let esc = Key::plain(Code::Esc);
        let c = Key::char;
        assert_eq!(passed(&[esc, c('['), c('A'), c('A')]), "esc A");
        assert_eq!(passed(&[esc, c('O'), c('D'), c('K')]), "esc K");
        assert_eq!(passed(&[esc, c('['), c('1'), c(';'), c('5'), c('D'), c('q')]), "esc q");
        assert_eq!(passed(&[esc, c('K')]), "esc K");
        let alt = Key { alt: true, ..c('[') };
        assert_eq!(passed(&[alt, c('B'), c('n')]), "n");
    }
}
