//! The status line.

mod line;

use model::TermSize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::replaying::Span;
use super::signs::Sign;
use crate::duration::clock;
use crate::moment;
use crate::table::Tint;
use line::{Line, cut};

/// Hints, of which the longest that fits is shown.
const HINTS: [&str; 3] =
    ["? keys", "? keys  q quit", "space pause  ←→ 5 s  [ ] marks  / find  ? keys  q quit"];

/// Says that long pauses are shortened, where there is room.
const IDLE: &str = " idle≤2s";

/// Spaces between two parts.
const GAP: usize = 2;

/// The least and the most columns of the time line.
const LEAST_BAR: usize = 8;
const MOST_BAR: usize = 60;

/// The columns that words have for themselves.
const LEAST_WORDS: usize = 14;
const MOST_WORDS: usize = 40;

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
        let (date, time_of_day) = local.split_once(' ').unwrap_or_default();
        let (date, time_of_day) = (date.to_owned(), time_of_day.to_owned());
        let mut speed = format!("{}×{}", self.speed, if self.skips_idle { "»" } else { "" });

        // The words change often and have a place of their own, so that nothing else moves when they do.
        let mut room = Room(cols.saturating_sub(3 + times.width() + GAP + (cols / 7).max(LEAST_BAR) + 1));
        let mut words_cols = (cols * 3 / 10).clamp(LEAST_WORDS, MOST_WORDS);
        if !room.takes(words_cols) {
            words_cols = 0;
        }
        let mut parts = Vec::new();
        let takes_speed = room.takes(speed.width());
        let takes_time = room.takes(time_of_day.width());
        let size = self.cropped.map(|size| format!("{}×{}", size.cols(), size.rows()));
        let size = size.filter(|size| room.takes(size.width()));
        let mut hint = "";
        for longer in &HINTS[..2] {
            if room.takes_instead(hint.width(), longer.width()) {
                hint = longer;
            }
        }
        if takes_speed && self.skips_idle && room.takes_instead(speed.width(), speed.width() + IDLE.width()) {
            speed.push_str(IDLE);
        }
        if takes_time && room.takes(date.width()) {
            parts.push(date);
        }
        if room.takes_instead(hint.width(), HINTS[2].width()) {
            hint = HINTS[2];
        }
        parts.extend(takes_time.then_some(time_of_day));
        parts.extend(takes_speed.then_some(speed));
        parts.extend(size);

        let after = [words_cols, hint.width()].into_iter().chain(parts.iter().map(|part| part.width()));
        let after: usize = after.filter(|cols| *cols > 0).map(|cols| cols + GAP).sum();
        let mut line = Line::new(cols, colours);
        line.add(
            if self.is_playing { " ▶" } else { " ⏸" },
            if self.is_playing { Tint::Green } else { Tint::Yellow },
        );
        // Terminals do not agree on how wide these are.
        line.go_to(3);
        line.add(&times, Tint::Bold);
        line.blank(GAP);
        let bar_cols = line.left().saturating_sub(after + 1).min(MOST_BAR);
        self.bar(&mut line, bar_cols);
        for part in parts {
            line.blank(GAP);
            line.add(&part, Tint::Plain);
        }
        line.blank(GAP);
        if self.words.width() > words_cols && words_cols > 0 {
            // Long words are worth more than a hint.
            hint = "";
            words_cols = line.left().saturating_sub(1);
        }
        line.add(&cut(&self.words, words_cols), self.tint);
        line.blank(line.left().saturating_sub(hint.width() + 1));
        line.add(hint, Tint::Faint);
        line.end()
    }

    /// The time line: the played part, the part to come, and marks.
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
                // The head hides no mark.
                (Some(tint), _) if col == here => line.add("◉", tint),
                (None, _) if col == here => line.add("●", Tint::Bold),
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
    /// Whether a part of so many columns fits; then it has its place.
    fn takes(&mut self, cols: usize) -> bool {
        self.takes_instead(0, cols)
    }

    /// Whether a part fits in the place of another.
    fn takes_instead(&mut self, other: usize, cols: usize) -> bool {
        let with_gap = |cols: usize| if cols == 0 { 0 } else { cols + GAP };
        let left = (self.0 + with_gap(other)).checked_sub(with_gap(cols));
        if let Some(left) = left {
            self.0 = left;
        }
        left.is_some()
    }
}

#[cfg(test)]
mod tests;
