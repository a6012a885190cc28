//! Plain text, whole and line by line.

use masking::{Finding, TextMasker};
use testkit::Random;

use crate::common::{examples, rules};

const BODY: &str = "MIIEvQdwDHkQ7nBz4xWvYcR9sTfLgJ3aKpE5uXoZ1iMqNbVhCy8";

/// A text of ordinary lines, secrets, and private keys with and without their ends.
fn text(random: &mut Random) -> String {
    let examples = examples();
    let mut text = String::new();
    for _ in 0..random.between(1, 30) {
        match random.below(7) {
            0 => text += &examples[random.below(examples.len())].text,
            1 => text += "-----BEGIN RSA PRIVATE KEY-----",
            2 => text += "-----END RSA PRIVATE KEY-----",
            3 | 4 => text += BODY,
            5 => text += "ein Wort, zwei Wörter, 三つの言葉",
            _ => {}
        }
        text += random.pick(&["\n", "\r\n", "\n\n"]);
    }
    text + random.pick(&["", "no end", BODY])
}

#[test]
fn a_private_key_is_masked_line_by_line() {
    let mut masker = TextMasker::new(rules());
    let lines = ["-----BEGIN PRIVATE KEY-----", BODY, BODY, "-----END PRIVATE KEY-----", BODY];
    let masked = lines.map(|line| masker.line(line).text);
    assert_eq!([&masked[0], &masked[3], &masked[4]], [lines[0], lines[3], BODY]);
    for line in &masked[1..3] {
        assert_eq!(line, &format!("***REDACTED***{}", "*".repeat(BODY.len() - 14)));
    }
}

#[test]
fn masking_line_by_line_equals_masking_the_whole_text() {
    let rules = rules();
    for seed in 0..300 {
        let text = text(&mut Random::new(seed));
        let mut masker = TextMasker::new(rules.clone());
        let (mut masked, mut findings, mut at) = (String::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            // With its line end or without, a line says the same.
            let bare = line.trim_end_matches(['\r', '\n']);
            let (given, end) = if seed % 2 == 0 { (line, "") } else { line.split_at(bare.len()) };
            let found = masker.line(given);
            masked += &found.text;
            masked += end;
            findings.extend(
                found
                    .findings
                    .into_iter()
                    .map(|Finding { rule, range }| Finding { rule, range: at + range.start..at + range.end }),
            );
            at += line.len();
        }
        assert_eq!(masked, rules.mask_text(&text), "seed {seed}");
        assert_eq!(findings, rules.find(&text), "seed {seed}");
    }
}

#[test]
fn a_text_that_is_masked_stays_so_when_it_is_masked_again() {
    let rules = rules();
    let key = format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY}\nabc=\n-----END PRIVATE KEY-----\n");
    for text in examples().into_iter().map(|example| example.text).chain([key]) {
        let masked = rules.mask_text(&text).into_owned();
        assert_eq!(rules.mask_text(&masked), masked);
    }
}
