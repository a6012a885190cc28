//! Claude Code: `projects/<directory>/<session>.jsonl`. An answer is a line for each of its blocks; all of them have the
//! answer's usage, and the last one is right.

use serde_json::Value;

use super::entry::{Content, Context, Entry, Tokens, Usage};
use super::record::{Made, count, list, owned, text};
use super::words::{input, plain, text_of};

/// How its own notes begin that it writes as if the person had.
const OWN_NOTES: &[&str] =
    &["<task-notification>", "<local-command-", "<bash-", "<system-reminder>", "Caveat: The messages"];

pub(super) fn read(record: &Value, entries: &mut Vec<Entry>) {
    let mut made = Made::of(record, entries);
    let is_ours = |key| record.get(key).and_then(Value::as_bool) != Some(true);
    match text(record, "type") {
        Some("user") if is_ours("isMeta") && is_ours("isSidechain") => user(record, &mut made),
        Some("assistant") => assistant(record, is_ours("isSidechain"), &mut made),
        Some("system") if text(record, "subtype") == Some("compact_boundary") => {
            made.say(Content::Note, Some("The conversation was shortened to a summary."));
        }
        Some("cost-state") if record.get("hasUnknownModelCost").and_then(Value::as_bool) != Some(true) => {
            if let Some(cost) = record.get("totalCostUSD").and_then(Value::as_f64) {
                made.put("cost", Content::CostSoFar(cost));
            }
        }
        _ => {}
    }
}

fn user(record: &Value, made: &mut Made<'_>) {
    let Some(content) = record.get("message").and_then(|message| message.get("content")) else { return };
    for block in content.as_array().map_or(&[][..], Vec::as_slice) {
        if text(block, "type") == Some("tool_result") {
            let output = block.get("content").and_then(text_of).unwrap_or_default();
            let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
            made.add(Content::Result { call: owned(block, "tool_use_id"), output: plain(&output), failed });
        }
    }
    let Some(said) = text_of(content) else { return };
    let said = said.trim();
    if said.starts_with("[Request interrupted") {
        made.say(Content::Note, Some(said.trim_matches(['[', ']'])));
    } else if record.get("isCompactSummary").and_then(Value::as_bool) == Some(true) {
        made.say(Content::Note, Some(said));
    } else if let Some(command) = command(said) {
        made.say(Content::Prompt, Some(&command));
    } else if !OWN_NOTES.iter().any(|note| said.starts_with(note)) {
        made.say(Content::Prompt, Some(said));
    }
}

/// A command of Claude's own, as the person typed it.
fn command(said: &str) -> Option<String> {
    let between = |tag: &str| {
        let behind = said.split_once(&format!("<{tag}>"))?.1;
        Some(behind.split_once(&format!("</{tag}>"))?.0.trim())
    };
    let name = said.starts_with("<command-").then(|| between("command-name"))??;
    Some(format!("{name} {}", between("command-args").unwrap_or_default()).trim_end().to_owned())
}

fn assistant(record: &Value, is_shown: bool, made: &mut Made<'_>) {
    let Some(message) = record.get("message") else { return };
    if record.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true) {
        let said = message.get("content").and_then(text_of);
        let is_limit = text(record, "error") == Some("rate_limit");
        match is_limit {
            true => made.say(Content::Limit, said.as_deref()),
            false => made.fail(said.as_deref()),
        }
        return;
    }
    for block in list(message, "content").iter().filter(|_| is_shown) {
        match text(block, "type") {
            Some("text") => made.say(Content::Answer, text(block, "text")),
            Some("thinking") => made.say(Content::Thinking, text(block, "thinking")),
            Some("tool_use" | "server_tool_use") => made.add(Content::Call {
                call: owned(block, "id"),
                tool: owned(block, "name"),
                input: block.get("input").map(input).unwrap_or_default(),
            }),
            _ => {}
        }
    }
    if let Some(used) = message.get("usage") {
        let tokens = Tokens {
            input: count(used, "input_tokens"),
            output: count(used, "output_tokens"),
            thinking: used
                .get("output_tokens_details")
                .map_or(0, |details| count(details, "thinking_tokens")),
            cache_read: count(used, "cache_read_input_tokens"),
            cache_write: count(used, "cache_creation_input_tokens"),
        };
        let all = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;
        let context = is_shown.then_some(Context { used: all, window: None });
        let model = text(message, "model").map(str::to_owned);
        made.used(text(message, "id"), Usage { model, tokens, context, ..Usage::default() });
    }
}
