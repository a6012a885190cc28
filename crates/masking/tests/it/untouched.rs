//! Texts that look like secrets, but are not.

use crate::common::{masked_with, rules, size};

#[test]
fn ordinary_texts_stay_as_they_are() {
    let text = include_str!("untouched.txt");
    let mut wrong = Vec::new();
    for finding in rules().find(text) {
        let start = text[..finding.range.start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next().unwrap_or("");
        wrong.push(format!("{}: {:?} in {line}", finding.rule, &text[finding.range]));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ordinary_texts_stay_as_they_are_on_a_screen() {
    let text = include_str!("untouched.txt").replace('\n', "\r\n");
    for cols in [40, 80, 120] {
        let masked = masked_with(&rules(), size(cols, 24), text.as_bytes());
        for (line, is) in text.lines().zip(String::from_utf8_lossy(&masked).lines()) {
            assert_eq!(line, is, "{cols} columns");
        }
    }
}
