//! The hooks that an agent is given when it is started, and the answers that it takes through them.

use serde_json::{Map, Value, json};

use crate::reply::Reply;

/// So long an agent waits for a hook that only takes in an event, and for one through which a person may answer.
const EVENT_SECONDS: u32 = 10;
const ANSWER_SECONDS: u32 = 24 * 60 * 60;

/// How an agent is given hooks, in a file of settings that it reads besides the user's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Arguments that name the file, behind the command; `{file}` is its path.
    pub arguments: Vec<String>,
    /// The events that it shall tell.
    pub events: Vec<String>,
    /// Those of them that a person may answer.
    pub answers: Vec<String>,
}

/// The place of the file's path.
pub(crate) const FILE: &str = "{file}";

impl Hooks {
    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.arguments.is_empty() || self.events.is_empty()
    }

    /// The arguments that name the file.
    pub fn arguments(&self, file: &str) -> Vec<String> {
        self.arguments.iter().map(|argument| argument.replace(FILE, file)).collect()
    }

    /// The settings in which each event runs a command for a shell. For an event that may be answered, the command is
    /// another one.
    pub fn settings(&self, command: &str, answering: &str) -> Value {
        let hooks = self.events.iter().map(|event| {
            let (command, seconds) = match self.answers.contains(event) {
                true => (answering, ANSWER_SECONDS),
                false => (command, EVENT_SECONDS),
            };
            let hook = json!({"type": "command", "command": command, "timeout": seconds});
            (event.clone(), json!([{ "hooks": [hook] }]))
        });
        json!({ "hooks": hooks.collect::<Map<_, _>>() })
    }
}

/// The answer that an agent takes through the hook of a question; nothing if it takes none like that.
pub fn hook_answer(event: &Value, reply: &Reply) -> Option<Value> {
    if event.get("hook_event_name")? != "PermissionRequest" {
        return None;
    }
    let decision = match event.get("tool_input")?.get("questions") {
        Some(questions) => answered(event, questions.as_array()?, reply)?,
        None => match reply {
            Reply::Yes => json!({ "behavior": "allow" }),
            Reply::Always => {
                let suggested =
                    event.get("permission_suggestions")?.as_array().filter(|all| !all.is_empty())?;
                json!({ "behavior": "allow", "updatedPermissions": suggested })
            }
            Reply::No(None) => {
                json!({ "behavior": "deny", "interrupt": true, "message": "The user said no." })
            }
            Reply::No(Some(words)) => json!({ "behavior": "deny", "message": words }),
            // The choices stand on the screen alone.
            Reply::Choose(_) | Reply::Words(_) => return None,
        },
    };
    Some(json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }))
}

/// One question can be answered with one reply.
fn answered(event: &Value, questions: &[Value], reply: &Reply) -> Option<Value> {
    let [question] = questions else { return None };
    let answer = match reply {
        Reply::Choose(index) => question.get("options")?.get(index)?.get("label")?.as_str()?.to_owned(),
        Reply::Words(words) => words.clone(),
        Reply::No(Some(words)) => return Some(json!({ "behavior": "deny", "message": words })),
        Reply::No(None) => {
            return Some(json!({ "behavior": "deny", "interrupt": true, "message": "The user said no." }));
        }
        Reply::Yes | Reply::Always => return None,
    };
    let mut input = event.get("tool_input")?.clone();
    let answers = Map::from_iter([(question.get("question")?.as_str()?.to_owned(), Value::String(answer))]);
    input.as_object_mut()?.insert("answers".to_owned(), Value::Object(answers));
    Some(json!({ "behavior": "allow", "updatedInput": input }))
}

/// Whether what a worker asks, in all the words that are known of it, is what an event asks for. Terminals wrap and cut
/// long texts, so only the beginning is compared, without spaces.
pub fn is_asked_by(event: &Value, known: &str) -> bool {
    let Some(input) = event.get("tool_input") else { return false };
    let question = input.get("questions").and_then(|all| all.get(0)?.get("question")?.as_str());
    let about = ["command", "file_path", "notebook_path", "path", "url", "query", "pattern", "description"];
    let subject = question.or_else(|| about.into_iter().find_map(|key| input.get(key)?.as_str()));
    let subject = subject.or_else(|| event.get("tool_name")?.as_str());
    // A path is shown from the directory on.
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let start =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).take(MOST_COMPARED).collect() };
    let known: String = known.chars().filter(|c| c.is_alphanumeric()).collect();
    subject.is_some_and(|subject| {
        let (whole, last) = (start(subject), start(&name(subject)));
        [whole, last].iter().any(|start| !start.is_empty() && known.contains(start.as_str()))
    })
}

/// So many letters of a question are compared.
const MOST_COMPARED: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(input: Value) -> Value {
        json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": input,
            "permission_suggestions": [{"type": "addRules"}]})
    }

    fn decision(event: &Value, reply: &Reply) -> Option<Value> {
        Some(hook_answer(event, reply)?["hookSpecificOutput"]["decision"].clone())
    }

    #[test]
    fn a_permission_is_given_refused_or_refused_with_words() {
        let event = asks(json!({"command": "date"}));
        assert_eq!(decision(&event, &Reply::Yes), Some(json!({"behavior": "allow"})));
        let always = decision(&event, &Reply::Always).expect("it is suggested");
        assert_eq!(always["updatedPermissions"], json!([{"type": "addRules"}]));
        let no = decision(&event, &Reply::No(None)).expect("a no");
        assert_eq!((no["behavior"].as_str(), no["interrupt"].as_bool()), (Some("deny"), Some(true)));
        let words = decision(&event, &Reply::No(Some("use make".into())));
        assert_eq!(words, Some(json!({"behavior": "deny", "message": "use make"})));
        assert_eq!(decision(&event, &Reply::Choose(0)), None);
    }

    #[test]
    fn one_question_is_answered_with_a_choice_or_words() {
        let question =
            json!({"question": "Which?", "options": [{"label": "SQLite"}, {"label": "PostgreSQL"}]});
        let event = asks(json!({"questions": [question.clone()]}));
        let answer = decision(&event, &Reply::Choose(1)).expect("an answer");
        assert_eq!(answer["updatedInput"]["answers"], json!({"Which?": "PostgreSQL"}));
        assert_eq!(answer["updatedInput"]["questions"][0], question);
        let words = decision(&event, &Reply::Words("neither".into())).expect("an answer");
        assert_eq!(words["updatedInput"]["answers"], json!({"Which?": "neither"}));
        for reply in [Reply::Choose(2), Reply::Yes] {
            assert_eq!(decision(&event, &reply), None, "{reply:?}");
        }
        let two = asks(json!({"questions": [question.clone(), question]}));
        assert_eq!(decision(&two, &Reply::Choose(0)), None);
    }

    #[test]
    fn an_event_is_about_what_is_asked() {
        let event = asks(json!({"command": "rm -rf target && make"}));
        assert!(is_asked_by(&event, "approve Bash: rm -rf target && make"));
        assert!(is_asked_by(&event, "Do you want to proceed?\nrm -rf\n  target && make"));
        assert!(!is_asked_by(&event, "approve Bash: date"));
        let edit = asks(json!({"file_path": "/home/me/project/notes.md"}));
        assert!(is_asked_by(&edit, "Do you want to make this edit to notes.md?"));
    }
}
