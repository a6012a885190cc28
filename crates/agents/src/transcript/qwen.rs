//! Qwen Code: `projects/<directory>/chats/<id>.jsonl`. What its helpers have used is in records about the program.

use serde_json::Value;

use super::entry::{Content, Context, Entry, Tokens, Usage};
use super::record::{Made, count, list, owned, text};
use super::words::{input, plain, readable};

pub(super) fn read(record: &Value, entries: &mut Vec<Entry>) {
    let mut made = Made::of(record, entries);
    let parts = record.get("message").map_or(&[][..], |message| list(message, "parts"));
    match text(record, "type") {
        Some("user") if text(record, "provenance").is_none_or(|from| from == "real_user") => {
            let said: Vec<&str> = parts.iter().filter_map(|part| text(part, "text")).collect();
            made.say(Content::Prompt, Some(&said.join("\n")));
        }
        Some("assistant") => {
            parts.iter().for_each(|part| answered(part, &mut made));
            if let Some(used) = record.get("usageMetadata") {
                let model = text(record, "model").map(str::to_owned);
                made.used(text(record, "uuid"), usage(used, model));
            }
        }
        Some("tool_result") => {
            let result = record.get("toolCallResult");
            let failed =
                result.and_then(|result| text(result, "status")).is_some_and(|status| status != "success");
            for part in parts.iter().filter_map(|part| part.get("functionResponse")) {
                let response = part.get("response");
                let output = response.map(|response| {
                    match text(response, "output").or_else(|| text(response, "error")) {
                        Some(output) => plain(output),
                        None => readable(response),
                    }
                });
                made.add(Content::Result {
                    call: owned(part, "id"),
                    output: output.unwrap_or_default(),
                    failed,
                });
            }
        }
        Some("system") => {
            let event = record.get("systemPayload").and_then(|payload| payload.get("uiEvent"));
            if let Some(event) = event {
                told(event, &mut made);
            }
        }
        _ => {}
    }
}

fn answered(part: &Value, made: &mut Made<'_>) {
    let is_thought = part.get("thought").and_then(Value::as_bool) == Some(true);
    made.say(if is_thought { Content::Thinking } else { Content::Answer }, text(part, "text"));
    if let Some(asked) = part.get("functionCall") {
        made.add(Content::Call {
            call: owned(asked, "id"),
            tool: owned(asked, "name"),
            input: asked.get("args").map(input).unwrap_or_default(),
        });
    }
}

fn told(event: &Value, made: &mut Made<'_>) {
    match text(event, "event.name") {
        Some("qwen-code.api_error") => made.fail(text(event, "error_message")),
        Some("qwen-code.api_response") if event.get("subagent_name").is_some() => {
            let cached = count(event, "cached_content_token_count");
            let tokens = Tokens {
                input: count(event, "input_token_count").saturating_sub(cached),
                output: count(event, "output_token_count"),
                thinking: count(event, "thoughts_token_count"),
                cache_read: cached,
                cache_write: 0,
            };
            let model = text(event, "model").map(str::to_owned);
            made.used(text(event, "response_id"), Usage { model, tokens, ..Usage::default() });
        }
        _ => {}
    }
}

/// All tokens that are not the prompt's are output, whether what it thought is counted with it or not.
fn usage(used: &Value, model: Option<String>) -> Usage {
    let (prompt, cached) = (count(used, "promptTokenCount"), count(used, "cachedContentTokenCount"));
    let (written, total) = (count(used, "candidatesTokenCount"), count(used, "totalTokenCount"));
    let tokens = Tokens {
        input: prompt.saturating_sub(cached),
        output: if total > prompt { total - prompt } else { written },
        thinking: count(used, "thoughtsTokenCount"),
        cache_read: cached,
        cache_write: 0,
    };
    let context = Some(Context { used: prompt + tokens.output, window: None });
    Usage { model, tokens, context, ..Usage::default() }
}
