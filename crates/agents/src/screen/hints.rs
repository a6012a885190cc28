//! The row of key hints with which a dialog ends: `Enter to select · ↑/↓ to navigate · Esc to cancel`.

use std::sync::LazyLock;

use regex_lite::Regex;

/// What keys do, in the words of many programs.
static SELECT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(enter|return|↵|⏎|space(bar)?)\]?\s*(key )?(to|:|=|-)?\s*(confirm|select|submit|choose|continue|accept|proceed|approve|answer|toggle|allow|ok\b)",
    )
});
static LEAVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(esc(ape)?|ctrl[+-]c|q)\b\]?\s*(key )?(to|:|=|-)?\s*(cancel|dismiss|exit|go back|back|close|interrupt|reject|decline|quit|skip|deny|stop)",
    )
});
static MOVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(↑|↓|⇆|↕|←|→|\b(up|down|arrows?|arrow keys|tab|j/k|shift\+tab)\b)[^·•|,]{0,12}?(to|:|=|-)?\s*(navigate|select|move|amend|choose|change|switch|browse|cycle|add notes)",
    )
});

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("a constant that tests use")
}

/// Whether a row is such a row: it says how to choose, how to leave and how to move, or at least two of these.
pub(super) fn is_footer(row: &str) -> bool {
    let said = [&SELECT, &LEAVE, &MOVE].iter().filter(|regex| regex.is_match(row)).count();
    said >= 2 && !is_of_work(row)
}

/// Whether a row says how to choose and how to move, or how to leave: what a row of buttons stands in.
pub(super) fn selects(row: &str) -> bool {
    SELECT.is_match(row) && (MOVE.is_match(row) || LEAVE.is_match(row))
}

/// Whether a row is of a program at work: `(3s · esc to interrupt)`.
fn is_of_work(row: &str) -> bool {
    !SELECT.is_match(row) && !MOVE.is_match(row)
}

/// Where the hints of a row begin, in bytes.
pub(super) fn start(row: &str) -> Option<usize> {
    [&SELECT, &LEAVE, &MOVE].iter().filter_map(|regex| regex.find(row)).map(|found| found.start()).min()
}
