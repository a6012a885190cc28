//! Output as it is shown: bytes as they are, or lines of text, with secrets masked.

use std::sync::Arc;

use masking::Rules;
use model::TermSize;
use playback::{Finished, Lines};

use crate::failure::Failure;
use crate::live_mask::LiveMask;
use crate::output;
use crate::recorded::Missing;
use crate::watch::Screen;

/// Shows output on standard output.
pub(super) struct Show {
    rules: Arc<Rules>,
    form: Form,
    /// Whether what comes now is wanted.
    is_wanted: bool,
}

enum Form {
    /// Bytes as they were printed.
    Raw {
        /// The terminal's size, as far as it was told.
        size: Option<TermSize>,
        /// Masks what comes live; what was recorded is masked already.
        mask: Option<Box<LiveMask>>,
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
    pub(super) fn new(rules: Arc<Rules>, raw: bool, follow: bool) -> Show {
        let finished = if follow { Finished::Passed } else { Finished::Scrolled };
        let form =
            if raw { Form::Raw { size: None, mask: None } } else { Form::Text { finished, lines: None } };
        Show { rules, form, is_wanted: true }
    }

    /// The terminal's size, if it was told.
    pub(super) fn size(&self) -> Option<TermSize> {
        match &self.form {
            Form::Raw { size, .. } => *size,
            Form::Text { lines, .. } => lines.as_ref().map(|lines| lines.size()),
        }
    }

    /// Says whether what comes from now on is wanted; the rest is taken in without a word.
    pub(super) fn want(&mut self, is_wanted: bool) -> Result<(), Failure> {
        match (&mut self.form, is_wanted) {
            _ if self.is_wanted == is_wanted => {}
            (_, false) => self.rest_of_lines()?,
            (Form::Text { lines: Some(lines), .. }, true) => lines.pass_over_screen(),
            (_, true) => {}
        }
        self.is_wanted = is_wanted;
        Ok(())
    }

    /// Output from the recording, which is masked.
    pub(super) fn recorded(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.form {
            Form::Raw { mask, .. } => {
                let mut all = mask.take().map(|mut mask| mask.rest()).unwrap_or_default();
                all.extend(bytes);
                self.write(&all)
            }
            Form::Text { lines: Some(lines), .. } => {
                let text = lines.feed(bytes);
                self.write_lines(&text)
            }
            // A recording begins with a screen, so this is what follows one that is damaged.
            Form::Text { lines: None, .. } => Ok(()),
        }
    }

    /// Output from the host, which is not.
    pub(super) fn live(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.form {
            Form::Raw { mask, size } => {
                let size = size.unwrap_or(TermSize::clamped(80, 24));
                let mask = mask.get_or_insert_with(|| Box::new(LiveMask::new(&self.rules, size)));
                let bytes = mask.feed(bytes);
                self.write(&bytes)
            }
            Form::Text { .. } => self.recorded(bytes),
        }
    }

    pub(super) fn resize(&mut self, new: TermSize) {
        match &mut self.form {
            Form::Raw { size, mask } => {
                *size = Some(new);
                if let Some(mask) = mask {
                    mask.resize(new);
                }
            }
            Form::Text { finished, lines } => {
                lines.get_or_insert_with(|| Box::new(Lines::new(new, *finished))).resize(new);
            }
        }
    }

    /// The terminal as it was: at the beginning, or behind what is missing.
    pub(super) fn screen(&mut self, screen: &Screen) -> Result<(), Failure> {
        match &mut self.form {
            Form::Raw { size, .. } => {
                *size = Some(screen.size);
                Ok(())
            }
            Form::Text { lines: Some(lines), .. } => {
                let rest = lines.rest();
                lines.skip_to(screen.size, &screen.snapshot);
                self.write_lines(&rest)
            }
            Form::Text { finished, lines } => {
                let lines = lines.insert(Box::new(Lines::new(screen.size, *finished)));
                let text = lines.restart(screen.size, &screen.snapshot);
                self.write_lines(&text)
            }
        }
    }

    /// Shows what is left.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        match &mut self.form {
            Form::Text { .. } => self.rest_of_lines(),
            Form::Raw { mask, .. } => {
                let rest = mask.take().map(|mut mask| mask.rest()).unwrap_or_default();
                self.write(&rest)
            }
        }
    }

    fn rest_of_lines(&mut self) -> Result<(), Failure> {
        match &mut self.form {
            Form::Text { lines: Some(lines), .. } => {
                let rest = lines.rest();
                self.write_lines(&rest)
            }
            Form::Raw { .. } | Form::Text { lines: None, .. } => Ok(()),
        }
    }

    /// What was masked in the recording stays so; what came live is masked here.
    fn write_lines(&self, text: &str) -> Result<(), Failure> {
        let masked: String = text
            .split_inclusive('\n')
            .flat_map(|line| [self.rules.mask_text(line.trim_end_matches('\n')), "\n".into()])
            .collect();
        self.write(masked.as_bytes())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        if self.is_wanted && !bytes.is_empty() { output::write(bytes) } else { Ok(()) }
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
