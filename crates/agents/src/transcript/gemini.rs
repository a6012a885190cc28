//! Gemini CLI: `tmp/<project>/chats/session-<time>-<id>.jsonl`. A message that changes is written again, and all messages
//! when a conversation goes on; the last one of an id counts.

use serde_json::Value;

use super::entry::{Content, Context, Entry, Tokens, Usage};
use super::record::{Made, count, list, owned, text};
use super::words::{input, plain, readable, text_of};

pub(super) fn read(record: &Value, entries: &mut Vec<Entry>) {
    match record.get("$set") {
        Some(set) => list(set, "messages").iter().for_each(|message| read_message(message, entries)),
        None => read_message(record, entries),
    }
}

fn read_message(message: &Value, entries: &mut Vec<Entry>) {
    let Some(id) = text(message, "id") else { return };
    let mut made = Made::of(message, entries);
    let said = message.get("content").and_then(text_of).filter(|said| !said.trim().is_empty());
    match text(message, "type") {
        Some("user") => {
            if let Some(said) = said.filter(|said| !said.starts_with("<session_context>")) {
                made.put(id, Content::Prompt(plain(&said)));
            }
        }
        Some("gemini") => {
            for (at, thought) in list(message, "thoughts").iter().enumerate() {
                let said = [text(thought, "subject"), text(thought, "description")];
                let said: Vec<&str> = said.into_iter().flatten().collect();
                made.put(&format!("{id} thought {at}"), Content::Thinking(plain(&said.join("\n"))));
            }
            if let Some(said) = said {
                made.put(id, Content::Answer(plain(&said)));
            }
            list(message, "toolCalls").iter().for_each(|call| tool(call, &mut made));
            if let Some(used) = message.get("tokens") {
                let model = text(message, "model").map(str::to_owned);
                made.used(Some(&format!("{id} usage")), usage(used, model));
            }
        }
        Some("error") => {
            if let Some(said) = said {
                made.fail(Some(&said));
            }
        }
        _ => {}
    }
}

fn tool(asked: &Value, made: &mut Made<'_>) {
    let call = owned(asked, "id");
    let given = asked.get("args").map(input).unwrap_or_default();
    made.put(&call, Content::Call { call: call.clone(), tool: owned(asked, "name"), input: given });
    let answers =
        list(asked, "result").iter().filter_map(|part| part.get("functionResponse")?.get("response"));
    let outputs =
        answers.map(|response| match text(response, "output").or_else(|| text(response, "error")) {
            Some(output) => unwrapped(output).to_owned(),
            None => readable(response).text,
        });
    let outputs: Vec<String> = outputs.collect();
    let status = text(asked, "status");
    if !outputs.is_empty() || matches!(status, Some("error" | "cancelled")) {
        let failed = matches!(status, Some("error" | "cancelled"));
        let output = plain(&outputs.join("\n"));
        made.put(&format!("{call} result"), Content::Result { call, output, failed });
    }
}

/// The output without the marks that Gemini puts round it for the model.
fn unwrapped(output: &str) -> &str {
    let inner = output
        .trim()
        .strip_prefix("<untrusted_context>")
        .and_then(|rest| rest.strip_suffix("</untrusted_context>"));
    inner.unwrap_or(output).trim()
}

fn usage(used: &Value, model: Option<String>) -> Usage {
    let cached = count(used, "cached");
    let thinking = count(used, "thoughts");
    let tokens = Tokens {
        input: (count(used, "input") + count(used, "tool")).saturating_sub(cached),
        output: count(used, "output") + thinking,
        thinking,
        cache_read: cached,
        cache_write: 0,
    };
    let context = Some(Context { used: count(used, "total"), window: None });
    Usage { model, tokens, context, ..Usage::default() }
}
