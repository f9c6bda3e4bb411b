//! There is no blind yes: on a terminal somebody types what shows that the card was read, without
//! one the hash is given.

use crate::cli::exit::{Failure, NEEDS_YES};
use crate::cli::output;
use crate::model::action::EffectClass;
use crate::model::review::{HASH_DIGITS, Review};
use crate::view::describe::review::Proof;

/// The hash for which somebody says yes to a review: the one that was given, or that of the card
/// after a question on the terminal.
///
/// # Errors
/// [`NEEDS_YES`] without a terminal and without a hash, and for another answer than was asked for.
pub fn given(review: &Review, hash: Option<&str>) -> Result<String, Failure> {
    let whole = review.hash.to_string();
    if let Some(hash) = hash {
        return checked(review, hash);
    }
    if !output::can_ask() {
        let first = whole.get(..HASH_DIGITS).unwrap_or_default();
        let what =
            format!("a yes to {} needs a terminal, or the hash of what it is for", review.id);
        return Err(Failure::new(NEEDS_YES, what, format!("--hash {first}")));
    }
    let proof = Proof::of(review);
    let answer = output::ask(&question(&proof, review.ask.effect))?;
    if is_yes(&proof, &answer) {
        return Ok(whole);
    }
    let what = format!("that is not it; {} stays open, nothing was voted", review.id);
    Err(Failure::new(NEEDS_YES, what, ""))
}

/// A hash as it was typed is that of the review.
fn checked(review: &Review, hash: &str) -> Result<String, Failure> {
    let digits = hash.strip_prefix("sha256:").unwrap_or(hash);
    if digits.len() < HASH_DIGITS || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        let what = format!("--hash has at least {HASH_DIGITS} hex digits of the action's hash");
        return Err(Failure::new(NEEDS_YES, what, format!("`holdshort show {}`", review.id)));
    }
    if !review.hash_begins(hash) {
        let what = format!("{} is about something else: its hash is {}", review.id, review.hash);
        let hint = "look at it again; nothing was voted";
        return Err(Failure::new(crate::cli::exit::REFUSED, what, hint));
    }
    Ok(hash.to_owned())
}

fn question(proof: &Proof, effect: EffectClass) -> String {
    match proof {
        Proof::Again => "Type yes to say yes: ".to_owned(),
        proof => format!("{}\n> ", proof.asks(effect)),
    }
}

fn is_yes(proof: &Proof, answer: &str) -> bool {
    match proof {
        Proof::Again => answer.trim().eq_ignore_ascii_case("yes"),
        proof => proof.fits(answer),
    }
}
