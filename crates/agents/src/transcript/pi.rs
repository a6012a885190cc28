//! pi: `sessions/<directory>/<time>_<id>.jsonl`. It states the price of each request.

use serde_json::Value;

use super::entry::{Content, Context, Entry, Tokens, Usage};
use super::record::{Made, count, list, owned, text};
use super::words::{input, plain, text_of};

pub(super) fn read(record: &Value, entries: &mut Vec<Entry>) {
    let mut made = Made::of(record, entries);
    match (text(record, "type"), record.get("message")) {
        (Some("message"), Some(message)) => read_message(record, message, &mut made),
        (Some("compaction"), _) => {
            made.say(Content::Note, Some("The conversation was shortened to a summary."));
        }
        _ => {}
    }
}

fn read_message(record: &Value, message: &Value, made: &mut Made<'_>) {
    let said = || message.get("content").and_then(text_of);
    match text(message, "role") {
        Some("user") => made.say(Content::Prompt, said().as_deref()),
        Some("toolResult") => {
            let failed = message.get("isError").and_then(Value::as_bool) == Some(true);
            let output = plain(&said().unwrap_or_default());
            made.add(Content::Result { call: owned(message, "toolCallId"), output, failed });
        }
        Some("assistant") => {
            for block in list(message, "content") {
                match text(block, "type") {
                    Some("text") => made.say(Content::Answer, text(block, "text")),
                    Some("thinking") => made.say(Content::Thinking, text(block, "thinking")),
                    Some("toolCall") => made.add(Content::Call {
                        call: owned(block, "id"),
                        tool: owned(block, "name"),
                        input: block.get("arguments").map(input).unwrap_or_default(),
                    }),
                    _ => {}
                }
            }
            match text(message, "stopReason") {
                Some("error") => made.fail(text(message, "errorMessage")),
                Some("aborted") => made.say(Content::Note, Some("The turn was stopped.")),
                _ => {}
            }
            if let Some(used) = message.get("usage") {
                let model = text(message, "model").map(str::to_owned);
                made.used(text(record, "id"), usage(used, model));
            }
        }
        _ => {}
    }
}

fn usage(used: &Value, model: Option<String>) -> Usage {
    let tokens = Tokens {
        input: count(used, "input"),
        output: count(used, "output"),
        thinking: 0,
        cache_read: count(used, "cacheRead"),
        cache_write: count(used, "cacheWrite"),
    };
    let cost = used.get("cost").and_then(|cost| cost.get("total")).and_then(Value::as_f64);
    let context = Some(Context { used: count(used, "totalTokens"), window: None });
    Usage { model, tokens, cost_usd: cost.filter(|cost| cost.is_finite()), context, limits: Vec::new() }
}
