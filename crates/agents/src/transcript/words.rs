//! Texts of transcripts, as people read them.

use serde_json::Value;

use super::entry::{MOST_TEXT_BYTES, Words};

/// What says most about a tool's call, the first one that is there.
const MAIN_KEYS: &[&str] = &[
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "questions",
    "question",
    "prompt",
    "description",
];

/// A deeper value is not shown.
const MOST_DEPTH: usize = 8;

/// A text without the escape sequences that programs colour it with.
pub(super) fn plain(text: &str) -> Words {
    if !text.contains('\u{1b}') {
        return Words::new(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('[') => {
                rest.by_ref().find(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            Some(']') => {
                let end = rest.by_ref().find(|&c| c == '\u{7}' || c == '\u{1b}');
                if end == Some('\u{1b}') {
                    rest.next();
                }
            }
            _ => {}
        }
    }
    Words::new(&plain)
}

/// The text of a message: a text, or the texts among its blocks, each a text itself or with one in `text`.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => {
            let text = |block: &Value| match block {
                Value::String(text) => Some(text.clone()),
                block => block.get("text").and_then(Value::as_str).map(str::to_owned),
            };
            let texts: Vec<String> = blocks.iter().filter_map(text).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// What a tool is given, in lines: what matters most stands first, without its name.
pub(super) fn input(value: &Value) -> Words {
    let mut text = String::new();
    match value {
        Value::Object(fields) => {
            let main = MAIN_KEYS.iter().find(|key| fields.contains_key(**key));
            if let Some(main) = main {
                write(&mut text, &fields[*main], 0);
                text.push('\n');
            }
            for (key, value) in fields.iter().filter(|(key, _)| main.is_none_or(|main| key != main)) {
                field(&mut text, key, value, 0);
            }
        }
        other => write(&mut text, other, 0),
    }
    plain(&text)
}

/// Any value, in lines.
pub(super) fn readable(value: &Value) -> Words {
    let mut text = String::new();
    write(&mut text, value, 0);
    plain(&text)
}

/// Strings stand as they are, not in JSON's quotes: masking must find what is secret in them.
fn write(text: &mut String, value: &Value, depth: usize) {
    if text.len() > MOST_TEXT_BYTES || depth > MOST_DEPTH {
        return;
    }
    match value {
        Value::Null => text.push_str("null"),
        Value::String(string) => text.push_str(string),
        Value::Bool(_) | Value::Number(_) => text.push_str(&value.to_string()),
        Value::Array(values) => {
            let is_short = values.iter().all(|value| !value.is_object() && !value.is_array());
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    text.push(if is_short { ' ' } else { '\n' });
                }
                write(text, value, depth + 1);
            }
        }
        Value::Object(fields) => {
            for (at, (key, value)) in fields.iter().enumerate() {
                if at > 0 && !text.ends_with('\n') {
                    text.push('\n');
                }
                field(text, key, value, depth);
            }
        }
    }
}

fn field(text: &mut String, key: &str, value: &Value, depth: usize) {
    if value.is_null() || text.len() > MOST_TEXT_BYTES {
        return;
    }
    text.push_str(key);
    text.push_str(": ");
    write(text, value, depth + 1);
    text.push('\n');
}

/// Whether an error says that a limit on the use is reached.
pub(super) fn is_limit(error: &str) -> bool {
    let error = error.to_lowercase();
    ["usage limit", "rate limit", "rate_limit", "quota", "limit reached"]
        .iter()
        .any(|words| error.contains(words))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_tool_is_given_begins_with_what_matters() {
        let given = json!({"description": "Write the date", "command": "date > \"when.txt\"", "timeout": 30});
        assert_eq!(input(&given).text, "date > \"when.txt\"\ndescription: Write the date\ntimeout: 30");
        assert_eq!(input(&json!({"command": ["bash", "-lc", "ls"]})).text, "bash -lc ls");
        assert_eq!(input(&json!("*** Begin Patch")).text, "*** Begin Patch");
        let edits = json!({"edits": [{"old": "a", "new": "b\nc"}, {"old": "d", "new": null}]});
        assert_eq!(input(&edits).text, "edits: new: b\nc\nold: a\n\nold: d");
    }

    #[test]
    fn escape_sequences_are_left_out() {
        assert_eq!(
            plain("\u{1b}[31mred\u{1b}[0m \u{1b}]8;;x\u{1b}\\link\u{1b}]8;;\u{7}!\u{1b}").text,
            "red link!"
        );
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let words = plain(&"ü".repeat(MOST_TEXT_BYTES));
        assert!(words.is_cut && words.text.len() <= MOST_TEXT_BYTES && words.text.ends_with('ü'));
    }
}
