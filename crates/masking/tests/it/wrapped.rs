//! Secrets over several rows.

use masking::{Masker, apply};

use crate::common::{Example, Stream, examples, masked, rules, size};

#[test]
fn the_terminals_own_wrap_does_not_matter() {
    for example in examples() {
        let length = example.text.len() as u16;
        for cols in [7, 10, 16, 31, length.saturating_sub(1).max(2), length + 3, length + 4] {
            for rows in [1, 4, 24] {
                for before in ["", "some words "] {
                    let mut stream = Stream::new();
                    stream.plain("x\r\n").plain(before).example(&example).plain("\r\nmore\r\n\r\n");
                    let what = format!("{} in {cols}x{rows} after {before:?}", example.rule);
                    stream.check_hidden(size(cols, rows), &what);
                }
            }
        }
    }
}

#[test]
fn every_width_around_a_secret_gives_the_same_mask() {
    let example = Example::of("github", &examples()[0].text);
    for cols in 8..140 {
        let mut stream = Stream::new();
        stream.plain("key ").example(&example).plain(" end\r\n");
        stream.check(size(cols, 24), &format!("{cols} columns"));
    }
}

/// The examples of patterns that say how a key looks, whose ends are known by nothing but their characters.
fn keys() -> impl Iterator<Item = Example> {
    let known = ["anthropic", "openai", "github", "gitlab", "google-api", "stripe", "jwt", "slack", "vault"];
    examples().into_iter().filter(move |example| known.contains(&example.rule.as_str()))
}

/// An example as a program wraps it: in rows of `width`, each between `left` and `right`.
fn boxed(example: &Example, width: usize, left: &str, right: &str) -> Stream {
    let mut stream = Stream::new();
    let mut from = 0;
    while from < example.text.len() {
        let to = example.text.len().min(from + width);
        stream.plain(left).part(example, from..to);
        stream.plain(" ".repeat(width - (to - from))).plain(right).plain("\r\n");
        from = to;
    }
    stream
}

#[test]
fn a_programs_own_wrap_does_not_matter() {
    for example in keys() {
        for width in [30, 41, 60] {
            if example.text.len() % width < 5 {
                continue;
            }
            for (left, right) in [("│ ", " │"), ("| ", " |"), ("", ""), ("  ", "  "), ("┃  ", "")] {
                let cols = width + left.chars().count() + right.chars().count();
                let stream = boxed(&example, width, left, right);
                stream
                    .check_hidden(size(cols as u16, 24), &format!("{} at {width} in {left:?}", example.rule));
                stream
                    .check_hidden(size(cols as u16, 2), &format!("{} at {width} in {left:?}", example.rule));
            }
        }
    }
}

#[test]
fn a_box_that_is_drawn_from_below_is_masked() {
    for example in keys() {
        let width = 40;
        if example.text.len() % width < 5 {
            continue;
        }
        let rows: Vec<usize> = (0..example.text.len().div_ceil(width)).collect();
        let mut stream = Stream::new();
        for &row in rows.iter().rev() {
            let part = row * width..example.text.len().min((row + 1) * width);
            stream
                .plain(format!("\x1b[{};1H│ ", row + 3))
                .part(&example, part)
                .plain(format!("\x1b[{};44H│", row + 3));
        }
        stream.check_hidden(size(44, 24), &example.rule);
    }
}

#[test]
fn ordinary_words_after_a_secret_at_the_edge_stay() {
    let example = keys().next().expect("there are keys");
    let width = example.text.len();
    for (left, right) in [("│ ", " │"), ("", "")] {
        for words in ["and then", "The next", "x", "- item", "error: no", "README.md is"] {
            let cols = width + left.chars().count() + right.chars().count();
            let mut stream = Stream::new();
            stream
                .plain(left)
                .example(&example)
                .plain(right)
                .plain("\r\n")
                .plain(left)
                .plain(words)
                .plain("\r\n");
            stream.check(size(cols as u16, 24), words);
        }
    }
}

#[test]
fn a_word_away_from_the_edge_does_not_go_on() {
    let text = format!("password=aB3{}\r\nq7Zt2XbK9m\r\n", "x1".repeat(5));
    assert!(masked(size(80, 24), &text).ends_with("\r\nq7Zt2XbK9m\r\n"));
}

#[test]
fn a_private_key_is_masked_wherever_its_lines_go() {
    let body: Vec<String> = (0..26).map(|line| format!("{line:02}abcdEFGH{}", "x9Y/".repeat(13))).collect();
    let key = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n",
        body.join("\n")
    );
    let whole = key.replace('\n', "\r\n");
    for (cols, rows) in [(80, 24), (80, 3), (40, 24), (80, 1), (200, 60)] {
        let masked =
            masked(size(cols, rows), format!("$ cat key\r\n{whole}$ done abcdefghijklmnopqrstuvwxyz\r\n"));
        for line in &body {
            assert!(!masked.contains(&line[..8]), "{cols}x{rows}: {line} is in {masked}");
        }
        assert!(masked.contains("-----END OPENSSH PRIVATE KEY-----\r\n$ done abcdefghijklmnopqrstuvwxyz"));
    }
    // A full-screen program that draws it twice, and scrolls.
    let mut drawn = String::from("\x1b[?1049h");
    for _ in 0..2 {
        for (row, line) in key.lines().take(20).enumerate() {
            drawn += &format!("\x1b[{};1H\x1b[K{row:3} \x1b[33m{line}\x1b[m", row + 1);
        }
    }
    for line in key.lines().skip(20) {
        drawn += &format!("\x1b[1;20r\x1b[20;1H\n    {line}\x1b[r");
    }
    let masked = masked(size(80, 24), drawn);
    for line in &body {
        assert!(!masked.contains(&line[..12]), "{line} is in {masked}");
    }
}

#[test]
fn a_private_key_whose_beginning_is_drawn_last_is_masked() {
    let body = format!("abcdEFGH{}", "x9Y/".repeat(13));
    let mut masker = Masker::new(rules(), size(80, 24));
    let mut bytes = Vec::new();
    for (row, line) in
        [(4, "-----END PRIVATE KEY-----"), (3, &body), (2, &body), (1, "-----BEGIN PRIVATE KEY-----")]
    {
        let drawn = format!("\x1b[{row};1H{line}");
        masker.feed(drawn.as_bytes());
        masker.look();
        bytes.extend(drawn.into_bytes());
    }
    apply(&masker.take_masks(), 0, &mut bytes);
    let masked = String::from_utf8(bytes).expect("masks are characters");
    assert!(!masked.contains("abcdEFGH") && masked.contains("END PRIVATE KEY"), "{masked}");
}
