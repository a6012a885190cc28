//! Secrets that are typed, and redrawn by the shell with every key.

use crate::common::{Example, Stream, examples, size};

/// A trigger's worth: what is drawn before a secret can be told from any other word.
const FEW: usize = 17;

/// Fails if in any one drawing more than a few characters of a secret are left.
fn check(stream: &Stream, what: &str) {
    let covered = stream.covered(size(500, 24));
    let mut left = 0;
    for (at, (secret, covered)) in stream.secret.iter().zip(&covered).enumerate() {
        left = if *secret && !covered { left + 1 } else { 0 };
        assert!(left < FEW, "{what}: {}", String::from_utf8_lossy(&stream.bytes[at.saturating_sub(60)..=at]));
    }
}

/// Those that can be told early: not by what comes last in them.
fn typed() -> impl Iterator<Item = Example> {
    examples().into_iter().filter(|example| {
        !["mailchimp", "terraform", "telegram", "jwt", "attribute-before"].contains(&example.rule.as_str())
    })
}

#[test]
fn a_line_that_is_redrawn_with_every_key_is_masked_in_every_drawing() {
    for example in typed() {
        let mut stream = Stream::new();
        for character in example.characters() {
            stream.plain("\r\x1b[1;32m$\x1b[0m ").part(&example, 0..character.bytes.end).plain("\x1b[K");
        }
        stream.plain("\r\nok\r\n");
        check(&stream, &example.rule);
    }
}

#[test]
fn backspaces_and_rewritten_words_are_masked() {
    for example in typed() {
        let mut stream = Stream::new();
        stream.plain("% ");
        let (mut word, mut col) = (0, 0);
        for character in example.characters() {
            let (end, columns) = (character.bytes.end, character.columns.end);
            if &example.text[character.bytes.clone()] == " " {
                (word, col) = (end, columns);
            }
            stream.part(&example, character.bytes);
            // As zsh does to colour a word: back to its start, and all of it again.
            stream
                .plain("\x08".repeat(columns - col))
                .plain("\x1b[4m")
                .part(&example, word..end)
                .plain("\x1b[24m");
        }
        stream.plain("\r\n");
        check(&stream, &example.rule);
    }
}

#[test]
fn an_echo_without_redraw_is_masked_exactly() {
    for example in examples() {
        let mut stream = Stream::new();
        stream.plain("$ ").example(&example).plain("\r\nok\r\n");
        stream.check(size(500, 24), &example.rule);
    }
}
