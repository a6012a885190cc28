//! Signs of work around the place where the person types.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::input::Input;
use super::rows::Rows;

/// Rows with text above the place to type in which programs show that they work.
const STATUS_ROWS: usize = 5;
/// Rows with text below it.
const FOOTER_ROWS: usize = 6;
/// A row of work begins near the left edge.
const MOST_INDENT: usize = 8;

/// How to stop the work. A program says it only while it works.
static STOPS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(esc(ape)?|ctrl[+-]c)\b( again| twice| esc)?\]?\s*(to )?(interrupt|cancel|stop|abort)")
        .expect("a constant that tests use")
});
/// How to stop it, and for how long it has worked: `(12s · esc to interrupt)`.
static LASTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\([^()]*(\b\d+(\.\d+)?s\b[^()]*\b(esc|ctrl)|\b(esc|ctrl)[^()]*\b\d+(\.\d+)?s)\b")
        .expect("a constant that tests use")
});
/// One word, and no more of a sentence: `* Pondering…`.
static ONE_WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\S \S+…( \(|$)").expect("a constant that tests use"));

/// The rows above and below the place to type; without one, the last rows.
pub(super) fn rows_of(rows: &Rows<'_>, input: Option<Input>) -> (Vec<usize>, Vec<usize>) {
    let Some(last) = rows.last() else { return (Vec::new(), Vec::new()) };
    let with_text = |row: &usize| rows.has_text(*row);
    match input {
        Some(input) => (
            (rows.first()..input.top).rev().filter(with_text).take(STATUS_ROWS).collect(),
            (input.bottom + 1..=last).filter(with_text).take(FOOTER_ROWS).collect(),
        ),
        None => ((rows.first()..=last).rev().filter(with_text).take(STATUS_ROWS).collect(), Vec::new()),
    }
}

/// Whether one of these rows shows work, as many programs do.
pub(super) fn is_shown(rows: &Rows<'_>, status: &[usize], footer: &[usize]) -> bool {
    // What stands further right is a status of another kind.
    let status = status.iter().filter(|&&row| rows.indent(row) <= MOST_INDENT);
    let in_status = status.map(|&row| rows.bare(row)).any(|text| {
        let moves = match spinner(text) {
            Spinner::Only => true,
            Spinner::Star => text.contains('…'),
            Spinner::Bullet => ONE_WORD.is_match(text),
            Spinner::None => false,
        };
        moves || STOPS.is_match(text) && LASTS.is_match(text)
    });
    in_status || footer.iter().any(|&row| STOPS.is_match(rows.bare(row)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Spinner {
    /// A sign that stands for nothing else.
    Only,
    /// A sign that stays when the work is done.
    Star,
    /// A sign that is also used for the items of lists.
    Bullet,
    None,
}

fn spinner(text: &str) -> Spinner {
    let mut chars = text.chars();
    let (first, second) = (chars.next().unwrap_or(' '), chars.next().unwrap_or(' '));
    if second != ' ' && second != '\u{fe0e}' && !matches!(first, '\u{2801}'..='\u{28ff}') {
        return Spinner::None;
    }
    match first {
        '\u{2801}'..='\u{28ff}' => Spinner::Only,
        '◐' | '◑' | '◒' | '◓' | '◴' | '◵' | '◶' | '◷' | '◜' | '◝' | '◞' | '◟' | '✢' | '✣' | '✤' | '✥'
        | '✦' | '✧' | '✱' | '✲' | '✳' | '✴' | '✵' | '✶' | '✷' | '✸' | '✹' | '✺' | '✻' | '✼' | '✽' | '✾' => {
            Spinner::Star
        }
        '·' | '∗' | '*' | '•' | '●' | '○' | '◉' | '◎' | '∴' => Spinner::Bullet,
        _ => Spinner::None,
    }
}
