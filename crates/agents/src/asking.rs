//! What an agent asks for.

use model::display_safe_unmasked;
use protocol::BlockedKind;
use serde::{Deserialize, Serialize};

/// What an agent waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asking {
    /// What kind of answer it needs, if it said so.
    pub kind: Option<AskedFor>,
    /// Its own words, safe to show; not masked.
    pub message: Option<String>,
}

/// What kind of answer an agent needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskedFor {
    /// Leave to do something.
    Permission,
    /// An answer to a question.
    Question,
    /// A login.
    Auth,
    /// Whether it may work in this directory.
    Trust,
    /// A key for its model, or leave to use one.
    ApiKey,
    /// What to do now that a limit on its use is reached.
    Limit,
    /// What to do about a conversation that another program has open.
    Conflict,
}

impl AskedFor {
    /// The kind that a program status names; nothing for one that we do not know.
    fn of(kind: &BlockedKind) -> Option<AskedFor> {
        match kind {
            BlockedKind::Permission => Some(AskedFor::Permission),
            BlockedKind::Question => Some(AskedFor::Question),
            BlockedKind::Auth => Some(AskedFor::Auth),
            BlockedKind::Unknown(_) => None,
        }
    }

    /// The kind of a word; nothing for one that we do not know.
    pub(crate) fn parse(word: &str) -> Option<AskedFor> {
        let all = [
            AskedFor::Permission,
            AskedFor::Question,
            AskedFor::Auth,
            AskedFor::Trust,
            AskedFor::ApiKey,
            AskedFor::Limit,
            AskedFor::Conflict,
        ];
        all.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether it stands in a program's way outside of its conversation: no other source of the program speaks of it.
    pub(crate) fn is_at_the_door(self) -> bool {
        matches!(
            self,
            AskedFor::Auth | AskedFor::Trust | AskedFor::ApiKey | AskedFor::Limit | AskedFor::Conflict
        )
    }

    /// The word for it, in the API and on the screen.
    pub fn as_str(self) -> &'static str {
        match self {
            AskedFor::Permission => "permission",
            AskedFor::Question => "question",
            AskedFor::Auth => "auth",
            AskedFor::Trust => "trust",
            AskedFor::ApiKey => "api-key",
            AskedFor::Limit => "limit",
            AskedFor::Conflict => "conflict",
        }
    }
}

impl Asking {
    /// What a program status asks for.
    pub(crate) fn of_status(kind: Option<&BlockedKind>, message: Option<&str>) -> Asking {
        Asking { kind: kind.and_then(AskedFor::of), message: message.map(display_safe_unmasked) }
    }
}
