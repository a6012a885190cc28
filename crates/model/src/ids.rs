//! The names that abide itself gives things.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Digits and lower-case letters without `i`, `l`, `o` and `u`, which are read as something else.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many letters an id has: forty random bits.
const LETTERS: usize = 8;

/// Why a text is no id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not an id: an id has eight digits and letters")]
pub struct ParseIdError(String);

/// Each id is a type of its own, so that none is taken for another; they all look the same.
macro_rules! ids {
    ($($(#[$words:meta])* $Id:ident)*) => {$(
        $(#[$words])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $Id([u8; LETTERS]);

        impl $Id {
            /// How many random bytes an id is made of.
            pub const RANDOM_BYTES: usize = LETTERS;

            /// The id that these random bytes stand for.
            pub fn from_random(bytes: [u8; Self::RANDOM_BYTES]) -> $Id {
                $Id(bytes.map(|byte| ALPHABET[usize::from(byte) % ALPHABET.len()]))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                str::from_utf8(&self.0).expect("the alphabet is ASCII")
            }
        }

        impl FromStr for $Id {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<$Id, ParseIdError> {
                let letters = <[u8; LETTERS]>::try_from(text.as_bytes()).ok();
                letters
                    .filter(|letters| letters.iter().all(|letter| ALPHABET.contains(letter)))
                    .map($Id)
                    .ok_or_else(|| ParseIdError(crate::display_safe(text)))
            }
        }

        impl TryFrom<String> for $Id {
            type Error = ParseIdError;

            fn try_from(text: String) -> Result<$Id, ParseIdError> {
                text.parse()
            }
        }

        impl From<$Id> for String {
            fn from(id: $Id) -> String {
                id.as_str().to_owned()
            }
        }

        impl fmt::Display for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl fmt::Debug for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )*};
}

ids! {
    /// Identifies a worker for ever; paths are made of it.
    WorkerId
    /// Identifies a session.
    SessionId
    /// Identifies a task.
    TaskId
    /// Identifies a registered repository.
    RepositoryId
    /// Identifies a worktree; the paths of those that abide makes are made of it.
    WorktreeId
    /// Identifies one past run of a task's session.
    SessionLogId
    /// Identifies an entry of the inbox.
    InboxItemId
    /// Identifies a prompt that is sent to a worker.
    PromptId
    /// Identifies a token without being one.
    TokenId
    /// Identifies the user to whom repositories, tasks, sessions and everything in them belong.
    OwnerId
}

impl OwnerId {
    /// The owner of everything, as long as there is one user.
    pub const ONLY: OwnerId = OwnerId([ALPHABET[0]; LETTERS]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_from_its_text() {
        let id = WorkerId::from_random([0, 31, 32, 255, 7, 8, 9, 10]);
        assert_eq!(id.to_string(), "0z0z789a");
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn a_text_that_is_not_an_id_is_refused() {
        for text in ["", "0z0z789", "0z0z789ab", "0z0z789l", "../../..", "0Z0Z789A"] {
            assert!(text.parse::<WorkerId>().is_err(), "{text}");
        }
    }
}
