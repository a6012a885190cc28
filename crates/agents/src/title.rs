//! Titles of windows, as people are shown them.

/// A title without the spaces around it: some programs pad it to a fixed length.
pub fn shown_title(title: &str) -> &str {
    title.trim()
}

/// What stays the same of a title while its spinner turns. Words before the title's own words that have no letters are a
/// spinner: `⠋ demo` and `⠙ demo` are the same, and so are `[ ! ] demo` and `[ . ] demo`; `demo` is another.
pub fn still_title(title: &str) -> String {
    let is_glyph = |word: &&str| !word.contains(char::is_alphanumeric);
    let words: Vec<&str> = title.split_whitespace().collect();
    let glyphs = words.iter().take_while(|word| is_glyph(word)).count();
    let still = words[..glyphs].iter().map(|word| word.chars().map(still_glyph).collect::<String>());
    still.chain(words[glyphs..].iter().map(|word| (*word).to_owned())).collect::<Vec<_>>().join(" ")
}

/// One of each group of characters that follow each other in a spinner.
fn still_glyph(c: char) -> char {
    match c {
        '\u{2800}'..='\u{28ff}' => '⠿',
        '◐'..='◓' | '◴'..='◷' => '◐',
        '[' | ']' => c,
        c if c.is_ascii_punctuation() => '!',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_only_spins_stays_the_same() {
        for (before, after) in [
            ("⠋ demo", "⠙ demo"),
            ("⠙ ⠙ | demo", "⠹ ⠸ | demo"),
            ("[ ! ] Action Required | demo", "[ . ] Action Required | demo"),
            ("◐ Claude Code", "◑ Claude Code"),
            ("Ready (demo)", "  Ready (demo)         "),
        ] {
            assert_eq!(still_title(before), still_title(after));
        }
        for (before, after) in [
            ("⠋ demo", "demo"),
            ("◐ Claude Code", "✳ Claude Code"),
            ("⠋ one", "⠋ two"),
            ("◇  Ready (demo)", "✋  Action Required (demo)"),
            ("~/one", "/one"),
        ] {
            assert_ne!(still_title(before), still_title(after));
        }
        assert_eq!(shown_title("  ◇  Ready (demo)   "), "◇  Ready (demo)");
    }
}
