//! Texts as recordings would have them.

use masking::{PrintedLine, PrintedText};
use testkit::Random;

use crate::common::{examples, rules, size};

/// The lines of a text that comes in parts: those that were handed out before the end, and those at the end.
fn lines<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> (Vec<PrintedLine>, Vec<PrintedLine>, usize) {
    let mut text = PrintedText::new(rules(), size(80, 24));
    let early = parts.into_iter().flat_map(|part| text.print(part)).collect();
    (early, text.end(), text.lines())
}

#[test]
fn a_text_in_any_parts_has_the_same_lines() {
    let mut random = Random::new(7);
    let examples = examples();
    let mut text = String::new();
    for _ in 0..200 {
        text += &examples[random.below(examples.len())].text;
        text += random.pick(&["\n", "\r\n", " \x1b[1mand\x1b[m more\n", "\n密码 ein Wort\n"]);
    }
    let (early, whole, count) = lines([text.as_bytes()]);
    assert!(early.is_empty() && whole.len() > 150, "{}", whole.len());
    assert_eq!(count, text.lines().count());
    for part in [1, 7, 100] {
        assert_eq!(lines(text.as_bytes().chunks(part)), (Vec::new(), whole.clone(), count), "{part} bytes");
    }
}

#[test]
fn the_older_lines_of_a_long_text_are_handed_out_before_its_end() {
    let words = "just some words\n".repeat(4096);
    let text = format!("{words}token=q7Zt2XbK9mR4\n").repeat(50);
    let (mut all, last, count) = lines(text.as_bytes().chunks(60_000));
    assert!(all.len() > 20 && !last.is_empty(), "{} and {}", all.len(), last.len());
    all.extend(last);
    let numbers: Vec<usize> = all.iter().map(|line| line.number).collect();
    assert_eq!(numbers, (1..=50).map(|repeat| repeat * 4097).collect::<Vec<_>>());
    assert!(all.iter().all(|line| line.text == "token=************" && line.findings[0].range == (6..18)));
    assert_eq!(count, 50 * 4097);
}

#[test]
fn a_line_that_never_ends_is_handed_out_in_parts() {
    let text = format!("{} token=q7Zt2XbK9mR4 ", "word ".repeat(20_000)).repeat(30);
    let (early, last, _) = lines([text.as_bytes()]);
    let found = early.iter().chain(&last).map(|line| line.findings.len()).sum::<usize>();
    assert!(!early.is_empty() && (30..=60).contains(&found), "{found}");
    assert!(early.iter().chain(&last).all(|line| !line.text.contains("q7Zt")));
}
