//! Codex: `sessions/<date>/rollout-<time>-<id>.jsonl`. What the person and the model wrote are `response_item`s, what
//! happened are `event_msg`s. Many things are in it in both ways; each is read in one of them.

use serde_json::Value;

use super::entry::{Content, Context, Entry, Tokens, Usage};
use super::record::{Made, count, list, owned, rate_limit, text, time};
use super::words::{input, plain, text_of};

/// What earlier lines said.
#[derive(Debug, Default)]
pub(super) struct Known {
    model: Option<String>,
}

impl Known {
    pub(super) fn read(&mut self, record: &Value, entries: &mut Vec<Entry>) {
        let Some(payload) = record.get("payload") else { return };
        let mut made = Made::of(record, entries);
        match text(record, "type") {
            Some("turn_context") => {
                self.model = text(payload, "model").map(str::to_owned).or(self.model.take());
            }
            Some("response_item") => item(payload, &mut made),
            Some("event_msg") => self.event(record, payload, &mut made),
            Some("compacted") => {
                made.say(Content::Note, Some("The conversation was shortened to a summary."));
            }
            _ => {}
        }
    }

    fn event(&self, record: &Value, payload: &Value, made: &mut Made<'_>) {
        match text(payload, "type") {
            // Before 0.166.
            Some("user_message") => made.say(Content::Prompt, text(payload, "message")),
            Some("item_completed") => {
                let item = payload.get("item").filter(|item| text(item, "type") == Some("UserMessage"));
                let said = item.and_then(|item| text_of(item.get("content")?));
                made.say(Content::Prompt, said.as_deref());
            }
            Some("token_count") => self.used(record, payload, made),
            Some("error") => made.fail(text(payload, "message")),
            Some("task_complete") => {
                let Some(error) = payload.get("error") else { return };
                let is_limit = text(error, "codex_error_info") == Some("usage_limit_exceeded");
                let message = text(error, "message").or_else(|| error.as_str());
                match is_limit {
                    true => made.say(Content::Limit, message),
                    false => made.fail(message),
                }
            }
            Some("turn_aborted") => {
                let why = text(payload, "reason").unwrap_or("interrupted");
                made.say(Content::Note, Some(&format!("The turn was stopped: {why}.")));
            }
            _ => {}
        }
    }

    /// It says the same again when nothing was used, so what it says is known by the sum.
    fn used(&self, record: &Value, payload: &Value, made: &mut Made<'_>) {
        let at = time(record.get("timestamp"));
        let limits = payload.get("rate_limits");
        let limit = |name| rate_limit(name, limits?.get(name), at);
        let limits = ["primary", "secondary"].into_iter().filter_map(limit).collect();
        let Some(info) = payload.get("info").filter(|info| info.is_object()) else {
            return made.used(None, Usage { limits, ..Usage::default() });
        };
        let Some(last) = info.get("last_token_usage") else { return };
        let cached = count(last, "cached_input_tokens");
        let written = count(last, "cache_write_input_tokens");
        let tokens = Tokens {
            input: count(last, "input_tokens").saturating_sub(cached + written),
            output: count(last, "output_tokens"),
            thinking: count(last, "reasoning_output_tokens"),
            cache_read: cached,
            cache_write: written,
        };
        let window = info.get("model_context_window").and_then(Value::as_u64);
        let context = Some(Context { used: count(last, "total_tokens"), window });
        let total = info.get("total_token_usage").map_or(0, |total| count(total, "total_tokens"));
        let usage = Usage { model: self.model.clone(), tokens, cost_usd: None, context, limits };
        made.used(Some(&format!("total {total}")), usage);
    }
}

fn item(payload: &Value, made: &mut Made<'_>) {
    let call = || owned(payload, "call_id");
    match text(payload, "type") {
        Some("message") if text(payload, "role") == Some("assistant") => {
            made.say(Content::Answer, payload.get("content").and_then(text_of).as_deref());
        }
        Some("reasoning") => {
            let said: Vec<&str> =
                list(payload, "summary").iter().filter_map(|part| text(part, "text")).collect();
            made.say(Content::Thinking, Some(&said.join("\n")));
        }
        Some("function_call") => {
            let arguments = text(payload, "arguments").unwrap_or_default();
            let input =
                serde_json::from_str(arguments).map_or_else(|_| plain(arguments), |value| input(&value));
            made.add(Content::Call { call: call(), tool: owned(payload, "name"), input });
        }
        Some("custom_tool_call") => {
            let input = payload.get("input").map(input).unwrap_or_default();
            made.add(Content::Call { call: call(), tool: owned(payload, "name"), input });
        }
        Some("local_shell_call") => {
            let input = payload.get("action").map(input).unwrap_or_default();
            made.add(Content::Call { call: call(), tool: "shell".to_owned(), input });
        }
        Some("web_search_call") => {
            let input = payload.get("action").map(input).unwrap_or_default();
            made.add(Content::Call { call: owned(payload, "id"), tool: "web_search".to_owned(), input });
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            let (output, failed) = payload.get("output").map(output).unwrap_or_default();
            made.add(Content::Result { call: call(), output: plain(&output), failed });
        }
        _ => {}
    }
}

/// What a tool gave back: a text, texts, or JSON in a text with the text and an exit code in it.
fn output(value: &Value) -> (String, bool) {
    let said = text_of(value).unwrap_or_default();
    let Some(inner) = said.starts_with('{').then(|| serde_json::from_str::<Value>(&said).ok()).flatten()
    else {
        return (said, false);
    };
    let code = inner.get("metadata").and_then(|metadata| metadata.get("exit_code")).and_then(Value::as_i64);
    match text(&inner, "output") {
        Some(output) => (output.to_owned(), code.is_some_and(|code| code != 0)),
        None => (said, false),
    }
}
