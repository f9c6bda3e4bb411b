//! Rust text as words and signs, without comments and without the inside of literals.

/// One token and the line it stands on, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub line: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword.
    Word(String),
    /// A number with a point, an exponent or a float's suffix.
    Float,
    /// `::`
    PathSep,
    /// Any other sign.
    Sign(char),
}

impl Token {
    /// The word, or nothing for anything else.
    pub fn word(&self) -> &str {
        match &self.kind {
            Kind::Word(word) => word,
            _ => "",
        }
    }

    pub fn is(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Splits a text.
pub fn of(text: &str) -> Vec<Token> {
    let mut scanner = Scanner { chars: text.chars().collect(), at: 0, line: 1, out: Vec::new() };
    scanner.run();
    scanner.out
}

struct Scanner {
    chars: Vec<char>,
    at: usize,
    line: usize,
    out: Vec<Token>,
}

impl Scanner {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn next(&mut self) -> char {
        let c = self.peek(0);
        self.at += 1;
        if c == '\n' {
            self.line += 1;
        }
        c
    }

    fn push(&mut self, kind: Kind) {
        self.out.push(Token { line: self.line, kind });
    }

    fn run(&mut self) {
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '/') => self.skip_while(|c| c != '\n'),
                ('/', '*') => self.skip_block_comment(),
                ('"', _) => self.skip_string(0, true),
                ('\'', _) => self.skip_char_or_lifetime(),
                (':', ':') => {
                    self.at += 2;
                    self.push(Kind::PathSep);
                }
                (c, _) if c.is_ascii_digit() => self.number(),
                (c, _) if c.is_alphabetic() || c == '_' => self.word(),
                (c, _) => {
                    if !c.is_whitespace() {
                        self.push(Kind::Sign(c));
                    }
                    self.next();
                }
            }
        }
    }

    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        while self.at < self.chars.len() && wanted(self.peek(0)) {
            self.next();
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    self.next();
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
    }

    /// Stands on the opening quote.
    fn skip_string(&mut self, hashes: usize, escapes: bool) {
        self.next();
        while self.at < self.chars.len() {
            match self.next() {
                '\\' if escapes => {
                    self.next();
                }
                '"' if (0..hashes).all(|n| self.peek(n) == '#') => {
                    self.at += hashes;
                    return;
                }
                _ => {}
            }
        }
    }

    fn skip_char_or_lifetime(&mut self) {
        self.next();
        if self.peek(0) == '\\' {
            self.at += 2;
            self.skip_while(|c| c != '\'');
            self.next();
        } else if self.peek(1) == '\'' {
            self.next();
            self.next();
        } else {
            self.skip_while(|c| c.is_alphanumeric() || c == '_');
        }
    }

    fn number(&mut self) {
        let field = self.out.last().is_some_and(|token| token.is('.'));
        let start = self.at;
        let mut point = false;
        loop {
            self.skip_while(|c| c.is_alphanumeric() || c == '_');
            let exponent = matches!(self.chars[self.at - 1], 'e' | 'E');
            if !field && self.peek(0) == '.' && self.peek(1).is_ascii_digit() {
                point = true;
            } else if !(exponent && matches!(self.peek(0), '-' | '+') && !self.is_hex(start)) {
                break;
            }
            self.next();
        }
        let text: String = self.chars[start..self.at].iter().collect();
        let trailing = !field
            && self.peek(0) == '.'
            && !(self.peek(1) == '.' || self.peek(1).is_alphabetic() || self.peek(1) == '_');
        let decimal = !self.is_hex(start) && !text.starts_with("0b") && !text.starts_with("0o");
        let suffix = text.ends_with("f32") || text.ends_with("f64");
        let exponent = text.trim_end_matches(char::is_alphabetic).contains(['e', 'E']);
        if decimal && (point || trailing || suffix || exponent) {
            self.push(Kind::Float);
        }
    }

    fn is_hex(&self, start: usize) -> bool {
        self.chars.get(start + 1) == Some(&'x')
    }

    /// A name; or the prefix of a string, which is then skipped.
    fn word(&mut self) {
        let start = self.at;
        self.skip_while(|c| c.is_alphanumeric() || c == '_');
        let word: String = self.chars[start..self.at].iter().collect();
        let hashes = self.chars[self.at..].iter().take_while(|c| **c == '#').count();
        let quote = self.peek(hashes) == '"';
        match word.as_str() {
            "r" | "br" | "cr" if quote => {
                self.at += hashes;
                self.skip_string(hashes, false);
            }
            "b" | "c" if quote && hashes == 0 => self.skip_string(0, true),
            "b" if self.peek(0) == '\'' => self.skip_char_or_lifetime(),
            "r" if hashes == 1 => self.at += 1,
            _ => self.push(Kind::Word(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        of(text).iter().map(|token| token.word().to_owned()).filter(|w| !w.is_empty()).collect()
    }

    fn floats(text: &str) -> usize {
        of(text).iter().filter(|token| token.kind == Kind::Float).count()
    }

    #[test]
    fn comments_and_literals_say_nothing() {
        assert_eq!(words("a // b\n/* c /* d */ e */ f"), ["a", "f"]);
        assert_eq!(
            words(r####"x("b \" c", r#"d " e"#, b"f", 'g', '\'', '\u{41}', b'h') i"####),
            ["x", "i"]
        );
        assert_eq!(words("fn f<'a>(x: &'a str) -> r#type"), ["fn", "f", "x", "str", "type"]);
    }

    #[test]
    fn lines_are_counted_through_strings() {
        assert_eq!(of("\"a\nb\"\nword")[0].line, 3);
    }

    #[test]
    fn floats_are_told_from_integers_fields_and_ranges() {
        assert_eq!(floats("1.5 1e3 2f64 1. 1e-3"), 5);
        assert_eq!(floats("1 0x1e3 x.0.1 0..5 1.max(2) 7usize 0xe-1 1_000 3u32 0b1 2.pow(1)"), 0);
    }
}
