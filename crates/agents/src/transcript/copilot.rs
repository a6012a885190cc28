//! GitHub Copilot CLI: `session-state/<id>/events.jsonl`. It counts credits; what is paid in money is not in it.

use serde_json::Value;

use super::entry::{Content, Context, Entry, Tokens, Usage};
use super::record::{Made, count, list, owned, text};
use super::words::{input, plain, text_of};

pub(super) fn read(record: &Value, entries: &mut Vec<Entry>) {
    let Some(data) = record.get("data") else { return };
    let mut made = Made::of(record, entries);
    match text(record, "type") {
        Some("user.message") => made.say(Content::Prompt, text(data, "content")),
        Some("assistant.reasoning") => made.say(Content::Thinking, text(data, "content")),
        Some("assistant.message") => {
            made.say(Content::Thinking, text(data, "reasoningText"));
            made.say(Content::Answer, text(data, "content"));
            for asked in list(data, "toolRequests") {
                made.add(Content::Call {
                    call: owned(asked, "toolCallId"),
                    tool: owned(asked, "name"),
                    input: asked.get("arguments").map(input).unwrap_or_default(),
                });
            }
        }
        Some("tool.execution_complete") => {
            let failed = data.get("success").and_then(Value::as_bool) == Some(false);
            let result = data.get("result").and_then(|result| text_of(result.get("content")?));
            let error = data.get("error").and_then(|error| text(error, "message"));
            let output = result.as_deref().or(error).map(plain).unwrap_or_default();
            made.add(Content::Result { call: owned(data, "toolCallId"), output, failed });
        }
        Some("session.error") => made.fail(text(data, "message")),
        Some("abort") => made.say(Content::Note, Some("The turn was stopped.")),
        Some("session.usage_record") => {
            if let Some(used) = data.get("usage") {
                made.used(text(used, "apiCallId"), usage(used));
            }
        }
        _ => {}
    }
}

/// Its input holds what was read from the cache.
fn usage(used: &Value) -> Usage {
    let (cache_read, cache_write) = (count(used, "cacheReadTokens"), count(used, "cacheWriteTokens"));
    let tokens = Tokens {
        input: count(used, "inputTokens").saturating_sub(cache_read + cache_write),
        output: count(used, "outputTokens"),
        thinking: count(used, "reasoningTokens"),
        cache_read,
        cache_write,
    };
    let window = used.get("maxPromptTokens").and_then(Value::as_u64);
    let context = Some(Context { used: count(used, "inputTokens") + tokens.output, window });
    Usage { model: text(used, "model").map(str::to_owned), tokens, context, ..Usage::default() }
}
