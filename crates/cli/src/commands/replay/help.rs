//! The keys, on a card over the screen.

use unicode_width::UnicodeWidthStr;

/// Keys and what they do.
const KEYS: [(&str, &str); 13] = [
    ("space", "play, pause"),
    ("← →", "5 seconds back, forward"),
    ("shift ← →, PgUp PgDn", "a minute back, forward"),
    (", .", "one output back, forward"),
    ("[ ]", "the previous mark, the next mark"),
    ("< >, - +", "slower, faster"),
    ("Home End, g G", "the beginning, the end"),
    ("0 … 9", "so many tenths into it"),
    ("i", "shorten long pauses (»), or not"),
    ("/", "find a text (a regular expression)"),
    ("n N", "the next match, the previous match"),
    ("?", "these keys"),
    ("q, Esc, Ctrl-C", "leave"),
];

/// The lines of the card, all of the same width.
pub(super) fn card() -> Vec<String> {
    let keys_cols = KEYS.iter().map(|(keys, _)| keys.width()).max().unwrap_or(0);
    let words_cols = KEYS.iter().map(|(_, words)| words.width()).max().unwrap_or(0);
    let pad = |text: &str, cols: usize| format!("{text}{}", " ".repeat(cols - text.width()));
    let rule = "─".repeat(keys_cols + words_cols + 4);
    let rows =
        KEYS.iter().map(|(keys, words)| format!("│ {}  {} │", pad(keys, keys_cols), pad(words, words_cols)));
    [format!("╭{rule}╮")].into_iter().chain(rows).chain([format!("╰{rule}╯")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_is_a_rectangle_that_fits_a_common_window() {
        let card = card();
        assert!(card.iter().all(|line| line.width() == card[0].width()), "{card:#?}");
        assert!(card[0].width() <= 70 && card.len() <= 23);
    }
}
