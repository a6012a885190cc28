//! Frames of full-screen programs.

use std::collections::HashSet;

use recording::LineKind;
use terminal::Terminal;

use super::out::Out;
use super::text;

/// What was given of the frame before.
#[derive(Default)]
pub(crate) struct Frame {
    given: HashSet<String>,
}

impl Frame {
    /// Begins with a frame that was given out.
    pub(crate) fn begin(&mut self, lines: Vec<String>) {
        self.given = lines.into_iter().collect();
    }

    /// Gives out the lines of a frame that the one before had not, each once.
    pub(crate) fn settle(&mut self, lines: Vec<String>, out: &mut Out) {
        let before = std::mem::take(&mut self.given);
        for line in lines {
            if !self.given.contains(&line) {
                if !before.contains(&line) {
                    out.give(LineKind::Frame, line.clone());
                }
                self.given.insert(line);
            }
        }
    }
}

/// The lines that stand on the screen, without blank ones.
pub(crate) fn lines(terminal: &Terminal) -> Vec<String> {
    let mut lines = text::lines(terminal.text_rows(), terminal.size().cols());
    lines.retain(|line| !line.is_empty());
    lines
}
