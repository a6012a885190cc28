//! Frames of full-screen programs.

use std::collections::HashSet;

use recording::LineKind;
use terminal::Terminal;

use super::out::Out;
use super::text;

/// A line of a frame, and the latest stamp of its rows.
pub(crate) type FrameLine = (String, u32);

/// What is known of the frames before the present one.
#[derive(Default)]
pub(crate) struct Frame {
    /// What the frame had that was given out last.
    given: HashSet<String>,
    /// What the program cleared last.
    cleared: Vec<FrameLine>,
}

impl Frame {
    /// Begins with a frame that was given out.
    pub(crate) fn begin(&mut self, lines: Vec<FrameLine>) {
        self.given = lines.into_iter().map(|(line, _)| line).collect();
    }

    /// The program cleared its screen, of these lines.
    pub(crate) fn cleared(&mut self, lines: Vec<FrameLine>) {
        if !lines.is_empty() {
            self.cleared = lines;
        }
    }

    /// Gives out the last frame of a program. One that cleared its screen before it left has left what it cleared.
    pub(crate) fn settle_last(&mut self, lines: Vec<FrameLine>, out: &mut Out) {
        let cleared = std::mem::take(&mut self.cleared);
        self.settle(if lines.is_empty() { cleared } else { lines }, out);
    }

    /// Gives out the lines of a frame that the one before had not, each once.
    pub(crate) fn settle(&mut self, lines: Vec<FrameLine>, out: &mut Out) {
        let before = std::mem::take(&mut self.given);
        for (line, stamp) in lines {
            if !self.given.contains(&line) {
                if !before.contains(&line) {
                    out.give(LineKind::Frame, line.clone(), stamp);
                }
                self.given.insert(line);
            }
        }
    }
}

/// The lines that stand on the screen, without blank ones.
pub(crate) fn lines(terminal: &Terminal) -> Vec<FrameLine> {
    let mut lines = text::lines(terminal.text_rows(), terminal.size().cols());
    lines.retain(|(line, _)| !line.is_empty());
    lines
}
