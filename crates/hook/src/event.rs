//! An event without what abide does not use: the texts of files that were read, the output of commands.

use serde_json::Value;

/// A text of an event is cut at so many characters. An agent's last words and its questions are shorter.
const MOST_CHARACTERS: usize = 8 << 10;

/// So deep an event may be, and so many things a list or an object in it may have.
const MOST_DEPTH: usize = 12;
const MOST_PARTS: usize = 100;

/// What can be long and is never used.
const UNUSED: [&str; 2] = ["tool_response", "prompt"];

/// The event, without what is not used and with long texts cut.
pub(crate) fn shortened(event: Value) -> Value {
    let asks = event.get("hook_event_name").is_some_and(|name| name == "PermissionRequest");
    let mut event = event;
    if let Value::Object(keys) = &mut event {
        keys.retain(|key, _| !UNUSED.contains(&key.as_str()) && (asks || key != "tool_input"));
    }
    // An answer sends the input of a tool back to the agent, so it must be whole.
    let input = event.get_mut("tool_input").map(Value::take);
    let mut event = cut(event, 0);
    if let (Some(input), Some(keys)) = (input, event.as_object_mut()) {
        keys.insert("tool_input".to_owned(), input);
    }
    event
}

/// Whether no question of the agent stands any more after this event. An agent does not end the hook of a question that a
/// person has answered in the terminal.
pub(crate) fn ends_questions(event: &Value) -> bool {
    let name = event.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    // A part of the agent may be done while another one asks.
    let is_of_whole = event.get("agent_id").is_none_or(Value::is_null);
    is_of_whole && matches!(name, "UserPromptSubmit" | "Stop" | "StopFailure" | "SessionStart" | "SessionEnd")
}

fn cut(value: Value, depth: usize) -> Value {
    match value {
        _ if depth > MOST_DEPTH => Value::Null,
        Value::String(text) => Value::String(text.chars().take(MOST_CHARACTERS).collect()),
        Value::Array(parts) => parts.into_iter().take(MOST_PARTS).map(|part| cut(part, depth + 1)).collect(),
        Value::Object(keys) => {
            keys.into_iter().take(MOST_PARTS).map(|(key, value)| (key, cut(value, depth + 1))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_used_is_not_kept() {
        let event = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_input": {"command": "x"},
            "tool_response": {"stdout": "y"}, "last_assistant_message": "z".repeat(10_000)});
        let kept = shortened(event);
        assert_eq!(kept["session_id"], "s");
        assert!(kept.get("tool_input").is_none() && kept.get("tool_response").is_none());
        assert_eq!(kept["last_assistant_message"].as_str().map(str::len), Some(8 << 10));
    }

    #[test]
    fn the_input_of_a_tool_that_is_asked_for_stays_whole() {
        let input = json!({"command": "x".repeat(20_000)});
        let kept = shortened(json!({"hook_event_name": "PermissionRequest", "tool_input": input.clone()}));
        assert_eq!(kept["tool_input"], input);
    }
}
