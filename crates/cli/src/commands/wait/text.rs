//! Looking for a text on a screen that changes.

use regex_lite::Regex;
use terminal::{HistoryLimit, SnapshotForm, Terminal};

use reading::Screen;

/// How much is fed between two looks. All rows that it can scroll away must fit the history.
const PIECE_BYTES: usize = 16 << 10;

/// Rows that one piece can scroll away, with room to spare, and memory for them.
const HISTORY: HistoryLimit = HistoryLimit { lines: 100_000, bytes: 64 << 20 };

/// Rows that are looked at again, since a line on the screen may have begun in them.
const KEPT_ROWS: usize = 100;

/// Whether a line that a terminal shows, or has in its history, matches.
pub(super) fn is_shown(terminal: &Terminal, regex: &Regex) -> bool {
    let is_match = |text: String| text.lines().any(|line| regex.is_match(line));
    // The text of the alternate screen comes without the history.
    let history = terminal.on_alternate_screen().then(|| terminal.history_rows(usize::MAX));
    is_match(terminal.text(usize::MAX)) || history.into_iter().flatten().any(|row| is_match(row.text()))
}

/// A terminal in which a text is looked for. Every line is looked at that is on the screen, or has been scrolled off it,
/// at the end of a piece.
pub(super) struct Text<'a> {
    regex: &'a Regex,
    terminal: Option<Terminal>,
}

impl<'a> Text<'a> {
    pub(super) fn new(regex: &'a Regex) -> Text<'a> {
        Text { regex, terminal: None }
    }

    /// Takes a whole terminal in; true if the text is in it.
    pub(super) fn redraw(&mut self, screen: &Screen) -> bool {
        let terminal = self.terminal.insert(screen.terminal(HISTORY));
        is_shown(terminal, self.regex)
    }

    /// Takes output in; true if the text has appeared.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> bool {
        let Some(terminal) = &mut self.terminal else { return false };
        for piece in bytes.chunks(PIECE_BYTES) {
            terminal.feed(piece);
            terminal.take_replies();
            terminal.take_signals();
            if is_shown(terminal, self.regex) {
                return true;
            }
            if terminal.history_len() > KEPT_ROWS {
                forget_history(terminal);
            }
        }
        false
    }
}

/// Builds a terminal anew with little history, so that the rest is looked at only once.
fn forget_history(terminal: &mut Terminal) {
    let snapshot = terminal.snapshot(SnapshotForm::Full { history: KEPT_ROWS / 2 });
    let mut next = Terminal::new(terminal.size(), HISTORY);
    next.feed(&snapshot);
    *terminal = next;
}

#[cfg(test)]
mod tests {
    use model::{Offset, TermSize};

    use super::*;

    fn check(output: &str, pattern: &str) -> bool {
        let regex = Regex::new(pattern).unwrap();
        let mut text = Text::new(&regex);
        let screen = Screen { size: TermSize::clamped(20, 4), at: Offset(0), snapshot: Vec::new() };
        text.redraw(&screen) || text.feed(output.as_bytes())
    }

    #[test]
    fn a_text_is_found_on_both_screens_and_in_the_history() {
        assert!(check("one\r\ntwo", "^two$"));
        assert!(check(&format!("needle\r\n{}", "hay\r\n".repeat(50_000)), "^needle$"));
        assert!(check(&"0123456789".repeat(3), "^(0123456789){3}$"), "a line that wraps is one line");
        assert!(check("scrolled\r\n\r\n\r\n\r\n\r\n\x1b[?1049hother", "^scrolled$"));
        assert!(!check("one\rtwo", "one"), "overwritten text is not shown");
    }
}
