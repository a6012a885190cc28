//! The forms in which agents write their transcripts.

/// The form of a transcript file: one JSON record in each line, in the words of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscriptForm {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// GitHub Copilot CLI.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// pi.
    Pi,
    /// Qwen Code.
    Qwen,
}

impl TranscriptForm {
    /// All of them, with the words for them.
    pub const ALL: [(TranscriptForm, &'static str); 6] = [
        (TranscriptForm::Claude, "claude"),
        (TranscriptForm::Codex, "codex"),
        (TranscriptForm::Copilot, "copilot"),
        (TranscriptForm::Gemini, "gemini"),
        (TranscriptForm::Pi, "pi"),
        (TranscriptForm::Qwen, "qwen"),
    ];

    /// The form of this name.
    pub fn parse(name: &str) -> Option<TranscriptForm> {
        TranscriptForm::ALL.into_iter().find_map(|(form, word)| (word == name).then_some(form))
    }

    /// Its name in definitions.
    pub fn as_str(self) -> &'static str {
        let found = TranscriptForm::ALL.into_iter().find(|(form, _)| *form == self);
        found.expect("all forms are listed").1
    }
}
