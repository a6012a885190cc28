//! Signals as they are on the wire: states are words, and what belongs to a state stands beside it.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BlockedKind, ProgressMessage, PromptMessage, SignalMessage, StatusMessage, StatusState};

type Word<'a> = Cow<'a, str>;

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Wire<'a> {
    Title {
        text: Word<'a>,
    },
    Cwd {
        text: Word<'a>,
    },
    Prompt {
        mark: Word<'a>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
    },
    Progress {
        state: Word<'a>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        percent: Option<u8>,
    },
    Notification {
        title: Word<'a>,
        text: Word<'a>,
    },
    Status {
        id: Word<'a>,
        state: Word<'a>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocked: Option<Word<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Word<'a>>,
    },
    Bell,
    #[serde(other)]
    Unknown,
}

impl Serialize for SignalMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let wire = match self {
            SignalMessage::Title { text } => Wire::Title { text: text.into() },
            SignalMessage::Cwd { text } => Wire::Cwd { text: text.into() },
            SignalMessage::Prompt(prompt) => {
                let (mark, code) = prompt.words();
                Wire::Prompt { mark: mark.into(), code }
            }
            SignalMessage::Progress(progress) => {
                let (state, percent) = progress.words();
                Wire::Progress { state: state.into(), percent }
            }
            SignalMessage::Notification { title, text } => {
                Wire::Notification { title: title.into(), text: text.into() }
            }
            SignalMessage::Status { id, status } => {
                let (state, blocked) = status.state.words();
                let message = status.message.as_deref().map(Cow::from);
                Wire::Status { id: id.into(), state: state.into(), blocked: blocked.map(Cow::from), message }
            }
            SignalMessage::Bell => Wire::Bell,
            SignalMessage::Unknown => Wire::Unknown,
        };
        wire.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SignalMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SignalMessage, D::Error> {
        Ok(match Wire::<'static>::deserialize(deserializer)? {
            Wire::Title { text } => SignalMessage::Title { text: text.into_owned() },
            Wire::Cwd { text } => SignalMessage::Cwd { text: text.into_owned() },
            Wire::Prompt { mark, code } => SignalMessage::Prompt(PromptMessage::read(mark, code)),
            Wire::Progress { state, percent } => {
                SignalMessage::Progress(ProgressMessage::read(state, percent))
            }
            Wire::Notification { title, text } => {
                SignalMessage::Notification { title: title.into_owned(), text: text.into_owned() }
            }
            Wire::Status { id, state, blocked, message } => {
                let status = StatusMessage {
                    state: StatusState::read(state, blocked),
                    message: message.map(Cow::into_owned),
                };
                SignalMessage::Status { id: id.into_owned(), status }
            }
            Wire::Bell => SignalMessage::Bell,
            Wire::Unknown => SignalMessage::Unknown,
        })
    }
}

impl PromptMessage {
    fn read(mark: Word<'_>, code: Option<i32>) -> PromptMessage {
        match &*mark {
            "prompt" => PromptMessage::Prompt,
            "input" => PromptMessage::Input,
            "output" => PromptMessage::Output,
            "done" => PromptMessage::Done { code },
            _ => PromptMessage::Unknown { mark: mark.into_owned(), code },
        }
    }

    fn words(&self) -> (&str, Option<i32>) {
        match self {
            PromptMessage::Prompt => ("prompt", None),
            PromptMessage::Input => ("input", None),
            PromptMessage::Output => ("output", None),
            PromptMessage::Done { code } => ("done", *code),
            PromptMessage::Unknown { mark, code } => (mark, *code),
        }
    }
}

impl ProgressMessage {
    fn read(state: Word<'_>, percent: Option<u8>) -> ProgressMessage {
        match &*state {
            "none" => ProgressMessage::None,
            "normal" => ProgressMessage::Normal { percent },
            "error" => ProgressMessage::Error { percent },
            "indeterminate" => ProgressMessage::Indeterminate,
            "paused" => ProgressMessage::Paused { percent },
            _ => ProgressMessage::Unknown { state: state.into_owned(), percent },
        }
    }

    fn words(&self) -> (&str, Option<u8>) {
        match self {
            ProgressMessage::None => ("none", None),
            ProgressMessage::Normal { percent } => ("normal", *percent),
            ProgressMessage::Error { percent } => ("error", *percent),
            ProgressMessage::Indeterminate => ("indeterminate", None),
            ProgressMessage::Paused { percent } => ("paused", *percent),
            ProgressMessage::Unknown { state, percent } => (state, *percent),
        }
    }
}

impl StatusState {
    fn read(state: Word<'_>, blocked: Option<Word<'_>>) -> StatusState {
        match &*state {
            "idle" => StatusState::Idle,
            "working" => StatusState::Working,
            "blocked" => StatusState::Blocked { on: blocked.map(BlockedKind::read) },
            "done" => StatusState::Done,
            "error" => StatusState::Error,
            "clear" => StatusState::Clear,
            _ => StatusState::Unknown { state: state.into_owned(), blocked: blocked.map(Cow::into_owned) },
        }
    }

    fn words(&self) -> (&str, Option<&str>) {
        match self {
            StatusState::Idle => ("idle", None),
            StatusState::Working => ("working", None),
            StatusState::Blocked { on } => ("blocked", on.as_ref().map(BlockedKind::word)),
            StatusState::Done => ("done", None),
            StatusState::Error => ("error", None),
            StatusState::Clear => ("clear", None),
            StatusState::Unknown { state, blocked } => (state, blocked.as_deref()),
        }
    }
}

impl BlockedKind {
    fn read(word: Word<'_>) -> BlockedKind {
        match &*word {
            "permission" => BlockedKind::Permission,
            "question" => BlockedKind::Question,
            "auth" => BlockedKind::Auth,
            _ => BlockedKind::Unknown(word.into_owned()),
        }
    }

    fn word(&self) -> &str {
        match self {
            BlockedKind::Permission => "permission",
            BlockedKind::Question => "question",
            BlockedKind::Auth => "auth",
            BlockedKind::Unknown(word) => word,
        }
    }
}

/// A [`StatusMessage`] in a report, where the word for what blocks a program is called `kind`.
pub(crate) mod activity {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Activity<'a> {
        state: Word<'a>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<Word<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Word<'a>>,
    }

    pub(crate) fn serialize<S: Serializer>(
        status: &Option<StatusMessage>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let activity = status.as_ref().map(|status| {
            let (state, kind) = status.state.words();
            let message = status.message.as_deref().map(Cow::from);
            Activity { state: state.into(), kind: kind.map(Cow::from), message }
        });
        activity.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<StatusMessage>, D::Error> {
        let activity = Option::<Activity<'static>>::deserialize(deserializer)?;
        Ok(activity.map(|Activity { state, kind, message }| StatusMessage {
            state: StatusState::read(state, kind),
            message: message.map(Cow::into_owned),
        }))
    }
}
