//! What somebody meant who mistyped a word.

/// The known word nearest to a mistyped one, if any is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&lower, known), known))
        .filter(|(distance, known)| *distance <= (known.len().max(lower.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["queued", "running", "gpu"];
        assert_eq!(nearest("Quueed", known), Some("queued"));
        assert_eq!(nearest("gpus", known), Some("gpu"));
        assert_eq!(nearest("zebra", known), None);
    }
}
