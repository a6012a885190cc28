//! Output as it is shown: bytes as they are, or lines of text, with secrets masked.

use std::sync::Arc;

use masking::{Rules, TextMasker};
use model::TermSize;
use playback::{Finished, Lines};

use super::{LogError, LogForm, Sink};
use crate::pieces::Missing;
use crate::screen::Screen;
use crate::{HeldBack, LiveMask};

/// Writes output to a sink.
pub(super) struct Show<'a> {
    sink: &'a mut dyn Sink,
    form: Form,
    /// The terminal's size, as far as it was told.
    size: Option<TermSize>,
    /// Masks output that is followed. Without following, all output comes from the recording, masked.
    mask: Option<Box<LiveMask>>,
    /// Whether what comes now is wanted.
    is_wanted: bool,
}

enum Form {
    /// Bytes as they were printed.
    Raw,
    /// Lines of text.
    Text {
        /// When a line is shown.
        finished: Finished,
        /// The lines, once the first screen was told.
        lines: Option<Box<Lines>>,
        /// Masks them once more: what a program drew in pieces all over the screen is a line only here.
        masker: TextMasker,
    },
}

impl<'a> Show<'a> {
    pub(super) fn new(rules: Arc<Rules>, form: LogForm, follows: bool, sink: &'a mut dyn Sink) -> Show<'a> {
        let form = match form {
            LogForm::Raw => Form::Raw,
            LogForm::Text => {
                let masker = TextMasker::new(Arc::clone(&rules));
                Form::Text { finished: Finished::Passed, lines: None, masker }
            }
        };
        let mask = follows.then(|| Box::new(LiveMask::new(rules, TermSize::clamped(80, 24))));
        Show { sink, form, size: None, mask, is_wanted: true }
    }

    /// The terminal's size, if it was told.
    pub(super) fn size(&self) -> Option<TermSize> {
        self.size
    }

    /// Says whether what comes from now on is wanted; the rest is read and not written.
    pub(super) fn want(&mut self, is_wanted: bool) -> Result<(), LogError> {
        if self.is_wanted == is_wanted {
            return Ok(());
        }
        self.give_held()?;
        match (&mut self.form, is_wanted) {
            (_, false) => self.rest_of_lines()?,
            (Form::Text { lines: Some(lines), .. }, true) => lines.pass_over_screen(),
            (_, true) => {}
        }
        self.is_wanted = is_wanted;
        Ok(())
    }

    /// Output, as it was printed and as far as it is masked already.
    pub(super) fn output(&mut self, printed: &[u8], masked: &[u8]) -> Result<(), LogError> {
        match &mut self.mask {
            Some(mask) => {
                let ready = mask.feed(printed, masked);
                self.put(&ready)
            }
            None => self.put(masked),
        }
    }

    /// What is held back because it is not known yet whether it is secret.
    pub(super) fn held_back(&self) -> Option<HeldBack> {
        self.mask.as_ref()?.held_back()
    }

    /// Shows what is held back.
    pub(super) fn give_held(&mut self) -> Result<(), LogError> {
        let held = self.mask.as_mut().map(|mask| mask.rest()).unwrap_or_default();
        self.put(&held)
    }

    pub(super) fn resize(&mut self, size: TermSize) -> Result<(), LogError> {
        if self.size == Some(size) {
            return Ok(());
        }
        if matches!(self.form, Form::Text { .. }) {
            // Lines wrap as the terminal was when they were printed.
            self.give_held()?;
        }
        self.size = Some(size);
        if let Some(mask) = &mut self.mask {
            mask.resize(size);
        }
        if let Form::Text { finished, lines, .. } = &mut self.form {
            lines.get_or_insert_with(|| Box::new(Lines::new(size, *finished))).resize(size);
        }
        Ok(())
    }

    /// The terminal as it was: at the beginning, or behind what is missing.
    pub(super) fn screen(&mut self, screen: &Screen) -> Result<(), LogError> {
        self.give_held()?;
        let Screen { size, snapshot, .. } = screen;
        self.size = Some(*size);
        let masked = self.mask.as_mut().map(|mask| mask.draw(*size, snapshot));
        let snapshot = masked.as_ref().unwrap_or(snapshot);
        match &mut self.form {
            Form::Raw => Ok(()),
            Form::Text { lines: Some(lines), .. } => {
                let rest = lines.rest();
                lines.skip_to(*size, snapshot);
                self.write_lines(&rest)
            }
            Form::Text { finished, lines, .. } => {
                let lines = lines.insert(Box::new(Lines::new(*size, *finished)));
                let text = lines.restart(*size, snapshot);
                self.write_lines(&text)
            }
        }
    }

    /// Shows what is left.
    pub(super) fn finish(&mut self) -> Result<(), LogError> {
        self.give_held()?;
        self.rest_of_lines()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        match &mut self.form {
            Form::Raw => self.write(bytes),
            Form::Text { lines: Some(lines), .. } => {
                let text = lines.feed(bytes);
                self.write_lines(&text)
            }
            // A recording begins with a screen, so this is what follows one that is damaged.
            Form::Text { lines: None, .. } => Ok(()),
        }
    }

    fn rest_of_lines(&mut self) -> Result<(), LogError> {
        match &mut self.form {
            Form::Text { lines: Some(lines), .. } => {
                let rest = lines.rest();
                self.write_lines(&rest)
            }
            Form::Raw | Form::Text { lines: None, .. } => Ok(()),
        }
    }

    /// The masker reads unwanted lines too: a private key may begin in one.
    fn write_lines(&mut self, text: &str) -> Result<(), LogError> {
        let Form::Text { masker, .. } = &mut self.form else { return Ok(()) };
        let masked: String = text
            .split_inclusive('\n')
            .flat_map(|line| [masker.line(line.trim_end_matches('\n')).text, "\n".into()])
            .collect();
        self.write(masked.as_bytes())
    }

    /// Says what is missing, behind everything that comes before it.
    pub(super) fn missing(&mut self, missing: Missing) -> Result<(), LogError> {
        self.give_held()?;
        self.sink.missing(missing).map_err(LogError::Sink)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        match self.is_wanted && !bytes.is_empty() {
            true => self.sink.write(bytes).map_err(LogError::Sink),
            false => Ok(()),
        }
    }
}
