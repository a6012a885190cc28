//! A terminal as it was at an offset.

use model::{Offset, TermSize};
use terminal::{HistoryLimit, Terminal};

/// A whole terminal, as of an offset.
#[derive(Debug)]
pub struct Screen {
    /// How large it is.
    pub size: TermSize,
    /// The offset it stands for.
    pub at: Offset,
    /// What rebuilds it in a fresh terminal.
    pub snapshot: Vec<u8>,
}

impl Screen {
    /// The terminal.
    pub fn terminal(&self, history: HistoryLimit) -> Terminal {
        let mut terminal = Terminal::new(self.size, history);
        terminal.feed(&self.snapshot);
        terminal
    }
}
