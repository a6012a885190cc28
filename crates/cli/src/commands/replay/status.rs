//! The status line.

use std::fmt::Write;

use model::TermSize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::replaying::Span;
use super::signs::Sign;
use crate::moment;
use crate::table::Tint;

/// Hints, the longest that fits.
const HINTS: [&str; 3] =
    ["space pause  ←→ 5 s  [ ] marks  / find  ? keys  q quit", "? keys  q quit", "? keys"];

/// Spaces between two parts.
const GAP: usize = 2;

/// The least and the most columns of the time line.
const LEAST_BAR: usize = 8;
const MOST_BAR: usize = 60;

/// The least of the words that is worth showing.
const LEAST_WORDS: usize = 10;

/// All that the status line tells.
pub(super) struct Status<'a> {
    pub(super) is_playing: bool,
    pub(super) at_us: u64,
    pub(super) span: Span,
    pub(super) speed: f64,
    pub(super) skips_idle: bool,
    /// The recorded size, if not all of the screen is seen.
    pub(super) cropped: Option<TermSize>,
    pub(super) signs: &'a [Sign],
    /// What is to be said: of the nearest mark, or of what happened.
    pub(super) words: String,
    pub(super) tint: Tint,
}

/// The line with a prompt in which a pattern is typed, and the column of the cursor.
pub(super) fn prompt(typed: &str, cols: u16, colours: bool) -> (String, u16) {
    let hint = "Enter finds  Esc leaves";
    let room = usize::from(cols).saturating_sub(1);
    let typed = format!("/{}", model::display_safe(typed));
    // The end is what is being typed.
    let skipped =
        (0..typed.chars().count()).find(|&skipped| width_from(&typed, skipped) <= room.saturating_sub(1));
    let typed: String = typed.chars().skip(skipped.unwrap_or(0)).collect();
    let mut line = Line::new(usize::from(cols), colours);
    line.add(&typed, Tint::Bold);
    let col = line.used;
    if line.left() > hint.width() + GAP {
        line.blank(line.left() - hint.width() - 1);
        line.add(hint, Tint::Faint);
    }
    (line.end(), u16::try_from(col).unwrap_or(0).min(cols.saturating_sub(1)))
}

fn width_from(text: &str, skipped: usize) -> usize {
    text.chars().skip(skipped).map(|c| c.width().unwrap_or(0)).sum()
}

impl Status<'_> {
    /// The line, as wide as the window. What is beside the point goes first when there is no room.
    pub(super) fn line(&self, cols: u16, colours: bool) -> String {
        let cols = usize::from(cols);
        let Span { start_us, end_us } = self.span;
        let times = format!("{}/{}", clock(self.at_us.saturating_sub(start_us)), clock(end_us - start_us));
        let local = moment::local_time(self.at_us);
        let time_of_day = local.rsplit(' ').next().unwrap_or_default().to_owned();
        let speed = speed(self.speed, self.skips_idle);

        let mut room = Room(cols.saturating_sub(3 + times.width() + GAP + (cols / 5).max(LEAST_BAR) + 1));
        let words_cols = self.words.width().min(room.0.saturating_sub(GAP)).min((cols / 3).max(26));
        let words_cols = if words_cols < LEAST_WORDS.min(self.words.width()) { 0 } else { words_cols };
        let words = cut(&self.words, words_cols);
        room.takes(&words);
        let speed = Some(speed).filter(|speed| room.takes(speed));
        let time_of_day = Some(time_of_day).filter(|time| room.takes(time));
        let size = self
            .cropped
            .map(|size| format!("{}×{}", size.cols(), size.rows()))
            .filter(|size| room.takes(size));
        let hint = HINTS.into_iter().find(|hint| room.takes(hint));
        let date = local.split(' ').next().filter(|date| time_of_day.is_some() && room.takes(date));

        let mut line = Line::new(cols, colours);
        line.add(
            if self.is_playing { " ▶" } else { " ⏸" },
            if self.is_playing { Tint::Green } else { Tint::Yellow },
        );
        // Terminals do not agree on how wide these are.
        line.go_to(3);
        line.add(&times, Tint::Bold);
        line.blank(GAP);
        let after: usize =
            [date, time_of_day.as_deref(), speed.as_deref(), size.as_deref(), hint, Some(&words)]
                .into_iter()
                .flatten()
                .filter(|part| !part.is_empty())
                .map(|part| part.width() + GAP)
                .sum();
        self.bar(&mut line, cols.saturating_sub(line.used + after + 1).min(MOST_BAR));
        for part in [date, time_of_day.as_deref(), speed.as_deref(), size.as_deref()].into_iter().flatten() {
            line.blank(GAP);
            line.add(part, Tint::Plain);
        }
        if !words.is_empty() {
            line.blank(GAP);
            line.add(&words, self.tint);
        }
        if let Some(hint) = hint {
            line.blank(line.left().saturating_sub(hint.width() + 1));
            line.add(hint, Tint::Faint);
        }
        line.end()
    }

    /// The time line: what was played, what is still to come, and marks.
    fn bar(&self, line: &mut Line, cols: usize) {
        if cols == 0 {
            return;
        }
        let Span { start_us, end_us } = self.span;
        let length_us = (end_us - start_us).max(1);
        let place = |time_us: u64| {
            let into = time_us.clamp(start_us, end_us) - start_us;
            (into as f64 / length_us as f64 * (cols - 1) as f64).round() as usize
        };
        let here = place(self.at_us);
        let mut marks = vec![None; cols];
        for sign in self.signs {
            let mark = &mut marks[place(sign.moment.time_us)];
            // Of several at one place, what went wrong is what counts.
            if *mark != Some(Tint::Red) {
                *mark = Some(sign.tint());
            }
        }
        for (col, mark) in marks.into_iter().enumerate() {
            match (mark, col < here) {
                _ if col == here => line.add("●", Tint::Bold),
                (Some(tint), true) => line.add("╋", tint),
                (Some(tint), false) => line.add("┼", tint),
                (None, true) => line.add("━", Tint::Plain),
                (None, false) => line.add("─", Tint::Faint),
            }
        }
    }
}

/// Columns that are still free.
struct Room(usize);

impl Room {
    /// Whether a part fits; then it has its place.
    fn takes(&mut self, part: &str) -> bool {
        let cols = if part.is_empty() { 0 } else { part.width() + GAP };
        let fits = cols <= self.0;
        if fits {
            self.0 -= cols;
        }
        fits
    }
}

/// A line in reverse, or on a background of its own where there are colours.
struct Line {
    text: String,
    used: usize,
    cols: usize,
    colours: bool,
}

impl Line {
    fn new(cols: usize, colours: bool) -> Line {
        Line { text: String::new(), used: 0, cols, colours }
    }

    fn left(&self) -> usize {
        self.cols - self.used
    }

    /// Adds a part; what does not fit is cut.
    fn add(&mut self, part: &str, tint: Tint) {
        let part = cut(part, self.left());
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{}{part}", self.style(tint));
        self.used += part.width();
    }

    fn blank(&mut self, cols: usize) {
        self.add(&" ".repeat(cols.min(self.left())), Tint::Plain);
    }

    fn go_to(&mut self, col: usize) {
        if col < self.cols {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{} \x1b[{}G", self.style(Tint::Plain), col + 1);
            self.used = col;
        }
    }

    fn style(&self, tint: Tint) -> &'static str {
        match (self.colours, tint) {
            (false, Tint::Bold) => "\x1b[0;1;7m",
            (false, _) => "\x1b[0;7m",
            (true, Tint::Plain) => "\x1b[0;38;5;252;48;5;236m",
            (true, Tint::Faint) => "\x1b[0;38;5;245;48;5;236m",
            (true, Tint::Bold) => "\x1b[0;1;38;5;255;48;5;236m",
            (true, Tint::Green) => "\x1b[0;38;5;114;48;5;236m",
            (true, Tint::Yellow) => "\x1b[0;38;5;221;48;5;236m",
            (true, Tint::Red) => "\x1b[0;38;5;210;48;5;236m",
        }
    }

    fn end(mut self) -> String {
        self.blank(self.left());
        self.text + "\x1b[m"
    }
}

/// A text of at most so many columns.
fn cut(text: &str, cols: usize) -> String {
    if text.width() <= cols {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= cols
    };
    let cut: String = text.chars().take_while(fits).collect();
    if cols == 0 { cut } else { cut + "…" }
}

/// How far into a recording: `1:05`, `2:00:09`.
pub(super) fn clock(us: u64) -> String {
    let seconds = us / 1_000_000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

fn speed(speed: f64, skips_idle: bool) -> String {
    if skips_idle { format!("{speed}× idle≤2s") } else { format!("{speed}×") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ExitStatus;
    use playback::Moment;
    use terminal::{HistoryLimit, Terminal};

    use super::super::signs::SignKind;

    fn shown(cols: u16, words: &str, colours: bool) -> String {
        let sign = |second: u64, code| Sign {
            moment: Moment { time_us: second * 1_000_000, ..Moment::default() },
            kind: SignKind::Exit(ExitStatus::Exited { code }),
        };
        let status = Status {
            is_playing: true,
            at_us: 50_000_000,
            span: Span { start_us: 0, end_us: 100_000_000 },
            speed: 2.0,
            skips_idle: true,
            cropped: Some(TermSize::clamped(120, 40)),
            signs: &[sign(25, 0), sign(100, 1)],
            words: words.to_owned(),
            tint: Tint::Red,
        };
        let line = status.line(cols, colours);
        let mut terminal = Terminal::new(TermSize::clamped(cols, 2), HistoryLimit { lines: 0, bytes: 0 });
        terminal.feed(line.as_bytes());
        assert_eq!(terminal.cursor().row, 0, "it never wraps: {}", line.escape_debug());
        assert!(terminal.cursor().pending_wrap, "it is as wide as the window");
        terminal.rows().next().unwrap().text()
    }

    #[test]
    fn a_common_window_shows_everything_that_matters() {
        let line = shown(80, "$ cargo test → exit 1", true);
        for part in ["▶ 0:50/1:40", "2× idle≤2s", "●", "━", "─", "╋", "┼", "$ cargo test → exit 1"]
        {
            assert!(line.contains(part), "{part}: {line}");
        }
        let wide = shown(160, "$ cargo test → exit 1", true);
        for part in ["120×40", "1970-01-01", "? keys", "q quit"] {
            assert!(wide.contains(part), "{part}: {wide}");
        }
    }

    #[test]
    fn a_narrow_window_keeps_the_position_and_some_of_the_words() {
        let line = shown(40, "$ cargo test → exit 1", true);
        assert!(line.contains("▶ 0:50/1:40") && line.contains('●') && line.contains("$ cargo"), "{line}");
    }

    #[test]
    fn it_fits_windows_of_every_width() {
        for cols in 2..200 {
            for words in ["", "x", "日本語の長いテキスト、とても長い", &"long ".repeat(100)] {
                shown(cols, words, cols % 2 == 0);
            }
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        let status = Status {
            is_playing: false,
            at_us: 0,
            span: Span { start_us: 0, end_us: 0 },
            speed: 1.0,
            skips_idle: false,
            cropped: None,
            signs: &[],
            words: "words".into(),
            tint: Tint::Red,
        };
        assert!(!status.line(80, false).contains("38;5"));
        assert!(status.line(80, true).contains("38;5"));
    }

    #[test]
    fn of_a_long_pattern_the_end_is_seen() {
        let (line, col) = prompt("short", 80, false);
        assert!(line.contains("/short") && line.contains("Enter finds"), "{line}");
        assert_eq!(col, 6);
        let (line, col) = prompt(&"abc ".repeat(30), 20, false);
        assert!(line.contains("abc abc") && !line.contains('…'), "{line}");
        assert!(col < 20, "{col}");
    }
}
