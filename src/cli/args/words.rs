//! Splits a header line into words the way a shell would, without running anything.

/// Words of `text`: separated by blanks, `'…'` and `"…"` quote, `\` quotes one character, a `#`
/// at the start of a word begins a comment.
///
/// # Errors
/// When a quote is not closed.
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\r' => words.extend(word.take()),
            '#' if word.is_none() => break,
            '\'' | '"' => quoted(c, &mut chars, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().extend(chars.next()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(quote: char, chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    while let Some(c) = chars.next() {
        match c {
            _ if c == quote => return Ok(()),
            '\\' if quote == '"' => word.extend(chars.next()),
            _ => word.push(c),
        }
    }
    Err(format!("a {quote} is not closed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_escapes_and_comments_are_what_a_shell_makes_of_them() {
        let words = split(r#"--name 'a b' --label k="v \"w\"" x\ y --env E='' # rest"#).unwrap();
        assert_eq!(words, ["--name", "a b", "--label", "k=v \"w\"", "x y", "--env", "E="]);
        assert_eq!(split("a#b  c").unwrap(), ["a#b", "c"]);
        assert_eq!(split("''").unwrap(), [""]);
        assert!(split("--name 'a").is_err());
    }
}
