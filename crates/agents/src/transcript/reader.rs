//! Reads a transcript as it comes and grows.

use serde_json::Value;

use super::entry::{Content, Entry};
use super::form::TranscriptForm;
use super::lines::{Line, Lines};
use super::{claude, codex, copilot, gemini, pi, qwen};

/// Reads the entries of one transcript. It holds one line, not the file.
///
/// It may begin at any offset that another reader of the same file told. What a reader knows from earlier lines is missing
/// then: entries may come again, with the same id, and a model may be unknown.
#[derive(Debug)]
pub struct TranscriptReader {
    form: TranscriptForm,
    lines: Lines,
    codex: codex::Known,
}

impl TranscriptReader {
    /// A reader from the beginning of a file.
    pub fn new(form: TranscriptForm) -> TranscriptReader {
        TranscriptReader::from(form, 0)
    }

    /// A reader from an offset on.
    pub fn from(form: TranscriptForm, offset: u64) -> TranscriptReader {
        TranscriptReader { form, lines: Lines::from(offset), codex: codex::Known::default() }
    }

    /// Takes in bytes of the file, behind those before. Call [`next`](TranscriptReader::next) until it gives nothing before
    /// feeding more.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.lines.feed(bytes);
    }

    /// What the next whole line holds; often nothing. `None` if the rest of a line is not there yet.
    #[expect(clippy::should_implement_trait, reason = "after nothing, there is more when more was fed")]
    pub fn next(&mut self) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        match self.lines.next()? {
            Line::TooLong { bytes } => {
                entries.push(Entry { id: None, at: None, content: Content::TooLong { bytes } });
            }
            Line::Whole(line) => {
                if let Ok(record) = serde_json::from_slice::<Value>(line) {
                    match self.form {
                        TranscriptForm::Claude => claude::read(&record, &mut entries),
                        TranscriptForm::Codex => self.codex.read(&record, &mut entries),
                        TranscriptForm::Copilot => copilot::read(&record, &mut entries),
                        TranscriptForm::Gemini => gemini::read(&record, &mut entries),
                        TranscriptForm::Pi => pi::read(&record, &mut entries),
                        TranscriptForm::Qwen => qwen::read(&record, &mut entries),
                    }
                }
            }
        }
        Some(entries)
    }

    /// Where the line ended that was read last: where another reader may go on.
    pub fn offset(&self) -> u64 {
        self.lines.offset()
    }

    /// Drops what was fed of a line that is not whole yet. The next bytes to feed begin at the [`offset`](Self::offset).
    pub fn forget_pending(&mut self) {
        self.lines = Lines::from(self.offset());
    }

    /// How much was fed of a line that is not whole yet. The next bytes to feed are those behind it.
    pub fn pending(&self) -> u64 {
        self.lines.pending()
    }
}
