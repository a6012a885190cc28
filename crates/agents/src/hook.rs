//! What the hooks of agents tell: JSON objects that name their event.

use model::{Activity, display_safe_unmasked};
use serde_json::Value;

use crate::asking::AskedFor;
use crate::question::Question;
use crate::turn::TurnEnd;

/// What a hook's event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookWord {
    /// The agent works.
    Works,
    /// The agent asks.
    Asks(Question),
    /// The agent is done.
    Done { how: TurnEnd, message: Option<String> },
    /// The session is over.
    Over,
}

impl HookWord {
    pub(crate) fn activity(&self) -> Activity {
        match self {
            HookWord::Works => Activity::Active,
            HookWord::Asks(_) => Activity::Asking,
            HookWord::Done { .. } => Activity::Idle,
            HookWord::Over => Activity::Unknown,
        }
    }

    /// Reads what an agent handed its hook; nothing for an event that says nothing about the activity.
    pub(crate) fn read(event: &Value) -> Option<HookWord> {
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        Some(match text("hook_event_name")? {
            "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PostToolBatch"
            | "SubagentStart" | "PreCompact" | "BeforeAgent" | "BeforeModel" | "BeforeTool" | "AfterTool" => {
                HookWord::Works
            }
            "PermissionRequest" => HookWord::Asks(asked_by_tool(event)),
            "Elicitation" => HookWord::Asks(Question {
                kind: Some(AskedFor::Question),
                text: text("message").map(display_safe_unmasked),
                ..Question::default()
            }),
            "Notification" => match text("notification_type")? {
                "permission_prompt" | "ToolPermission" => {
                    HookWord::Asks(Question { kind: Some(AskedFor::Permission), ..Question::default() })
                }
                "idle_prompt" => HookWord::Done { how: TurnEnd::Finished, message: None },
                _ => return None,
            },
            "Stop" | "AfterAgent" => HookWord::Done {
                how: TurnEnd::Finished,
                message: text("last_assistant_message").map(display_safe_unmasked),
            },
            "StopFailure" => {
                let error = text("error").or_else(|| text("error_type")).unwrap_or("");
                let message = text("last_assistant_message").filter(|text| !text.is_empty()).or(Some(error));
                HookWord::Done { how: TurnEnd::of_error(error), message: message.map(display_safe_unmasked) }
            }
            "SessionStart" => HookWord::Done { how: TurnEnd::Finished, message: None },
            "SessionEnd" => HookWord::Over,
            _ => return None,
        })
    }
}

fn asked_by_tool(event: &Value) -> Question {
    let tool = event.get("tool_name").and_then(Value::as_str).unwrap_or("a tool");
    let input = event.get("tool_input");
    let first = input.and_then(|input| input.get("questions")?.get(0));
    if let Some(first) = first {
        let label = |option: &Value| option.get("label").and_then(Value::as_str).map(display_safe_unmasked);
        let options = first.get("options").and_then(Value::as_array);
        return Question {
            kind: Some(AskedFor::Question),
            text: first.get("question").and_then(Value::as_str).map(display_safe_unmasked),
            choices: options.into_iter().flatten().filter_map(label).collect(),
            ..Question::default()
        };
    }
    let about = ["command", "file_path", "path", "url", "query", "description"].into_iter();
    let subject = input.and_then(|input| about.filter_map(|key| input.get(key)?.as_str()).next());
    let text = subject.map_or(format!("approve {tool}"), |subject| format!("approve {tool}: {subject}"));
    Question {
        kind: Some(AskedFor::Permission),
        text: Some(display_safe_unmasked(&text)),
        ..Question::default()
    }
}
