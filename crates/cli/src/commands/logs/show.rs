//! Output as it is shown: bytes as they are, or lines of text.

use model::TermSize;

use crate::failure::Failure;
use crate::lines::{Finished, Lines};
use crate::output;
use crate::recorded::Missing;
use crate::watch::Screen;

/// Shows output on standard output.
pub(super) enum Show {
    /// Bytes as they were printed.
    Raw {
        /// The terminal's size, as far as it was told.
        size: Option<TermSize>,
    },
    /// Lines of text.
    Text {
        /// When a line is shown.
        finished: Finished,
        /// The lines, once the first screen was told.
        lines: Option<Box<Lines>>,
    },
}

impl Show {
    pub(super) fn new(raw: bool, follow: bool) -> Show {
        let finished = if follow { Finished::Passed } else { Finished::Scrolled };
        if raw { Show::Raw { size: None } } else { Show::Text { finished, lines: None } }
    }

    /// The terminal's size, if it was told.
    pub(super) fn size(&self) -> Option<TermSize> {
        match self {
            Show::Raw { size } => *size,
            Show::Text { lines, .. } => lines.as_ref().map(|lines| lines.size()),
        }
    }

    pub(super) fn output(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Show::Raw { .. } => output::write(bytes),
            Show::Text { lines: Some(lines), .. } => output::write(lines.feed(bytes)),
            // A recording begins with a screen, so this is what follows one that is damaged.
            Show::Text { lines: None, .. } => Ok(()),
        }
    }

    pub(super) fn resize(&mut self, new: TermSize) {
        match self {
            Show::Raw { size } => *size = Some(new),
            Show::Text { finished, lines } => {
                lines.get_or_insert_with(|| Box::new(Lines::new(new, *finished))).resize(new);
            }
        }
    }

    /// The terminal as it was: at the beginning, or behind what is missing.
    pub(super) fn screen(&mut self, screen: &Screen) -> Result<(), Failure> {
        match self {
            Show::Raw { size } => {
                *size = Some(screen.size);
                Ok(())
            }
            Show::Text { lines: Some(lines), .. } => {
                let rest = lines.rest();
                lines.skip_to(screen);
                output::write(rest)
            }
            Show::Text { finished, lines } => {
                output::write(lines.insert(Box::new(Lines::new(screen.size, *finished))).restart(screen))
            }
        }
    }

    /// Shows what is left.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        match self {
            Show::Text { lines: Some(lines), .. } => output::write(lines.rest()),
            Show::Raw { .. } | Show::Text { lines: None, .. } => Ok(()),
        }
    }
}

/// What is missing, in words.
pub(super) fn words(missing: Missing) -> String {
    match missing {
        Missing { from, to: Some(to) } if from.0 == 0 => format!("(the first {to} bytes are no longer kept)"),
        Missing { from, to: Some(to) } => format!("({} bytes missing from byte {from} on)", to - from),
        Missing { from, to: None } => {
            format!(
                "(some bytes missing from byte {from} on: the host was killed, and nobody knows how many)"
            )
        }
    }
}
