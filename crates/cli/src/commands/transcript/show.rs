//! Entries of a conversation as text for people.

use api::{TranscriptContent, TranscriptEntry, TranscriptText};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::table::Tint;

/// An entry; nothing for one that says only what was used. What comes between a prompt and an answer is folded to a line.
pub(super) fn text(entry: &TranscriptEntry, full: bool, colours: bool) -> String {
    let folded = |mark: &str, text: &TranscriptText, tint: Tint| {
        let lines: Vec<&str> = text.text.lines().collect();
        let shown = if full { lines.len() } else { 1 };
        let mut out = String::new();
        for (at, line) in lines.iter().take(shown.max(1)).enumerate() {
            let begin = if at == 0 { mark } else { "    " };
            let more = lines.len() - at - 1;
            let rest = match (full, more) {
                (false, 1) => " … (1 more line)".to_owned(),
                (false, 2..) => format!(" … ({more} more lines)"),
                (true, 0) if text.cut => " …".to_owned(),
                _ => String::new(),
            };
            out.push_str(&tint.paint(&format!("{begin}{line}{rest}"), colours));
            out.push('\n');
        }
        out
    };
    match &entry.content {
        TranscriptContent::Prompt(text) => {
            let at = entry.at.map(|at| Tint::Faint.paint(&clock(at), colours) + "\n").unwrap_or_default();
            let lines = text.text.lines().map(|line| Tint::Bold.paint(&format!("> {line}"), colours));
            format!("\n{at}{}\n\n", lines.collect::<Vec<_>>().join("\n"))
        }
        TranscriptContent::Answer(text) => format!("{}\n\n", text.text.trim_end()),
        TranscriptContent::Thinking(text) => folded("  · ", text, Tint::Faint),
        TranscriptContent::Call { tool, input, .. } => folded(&format!("  * {tool}: "), input, Tint::Plain),
        TranscriptContent::Result { failed: false, output, .. } => folded("    = ", output, Tint::Faint),
        TranscriptContent::Result { failed: true, output, .. } => folded("    ! ", output, Tint::Red),
        TranscriptContent::Error(text) => folded("  ! ", text, Tint::Red),
        TranscriptContent::Limit(text) => folded("  ! ", text, Tint::Red),
        TranscriptContent::Note(text) => folded("  - ", text, Tint::Faint),
        TranscriptContent::TooLong { bytes } => {
            Tint::Faint.paint(&format!("  - a record of {bytes} bytes is too long to be shown"), colours)
                + "\n"
        }
        TranscriptContent::Usage(_) | TranscriptContent::CostSoFar { .. } => String::new(),
    }
}

/// A moment in the user's own time zone.
fn clock(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str, full: bool) -> String {
        text(&serde_json::from_str(json).unwrap(), full, false)
    }

    #[test]
    fn prompts_and_answers_are_whole_and_the_rest_is_folded() {
        let prompt = r#"{"id":null,"at":null,"kind":"prompt","text":"one\ntwo","cut":false}"#;
        assert_eq!(shown(prompt, false), "\n> one\n> two\n\n");
        let call = r#"{"id":null,"at":null,"kind":"call","callId":"c","tool":"Bash","text":"ls\ndescription: look","cut":false}"#;
        assert_eq!(shown(call, false), "  * Bash: ls … (1 more line)\n");
        assert_eq!(shown(call, true), "  * Bash: ls\n    description: look\n");
        let result = r#"{"id":null,"at":null,"kind":"result","callId":"c","failed":true,"text":"no such file","cut":true}"#;
        assert_eq!(shown(result, false), "    ! no such file\n");
        assert_eq!(shown(result, true), "    ! no such file …\n");
        let nothing =
            r#"{"id":null,"at":null,"kind":"result","callId":"c","failed":false,"text":"","cut":false}"#;
        assert_eq!(shown(nothing, false), "");
    }
}
