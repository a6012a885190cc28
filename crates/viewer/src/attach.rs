//! Attaching to a worker.

use std::path::Path;

use protocol::{Attach, HostMessage, OLDEST_VERSION, Refusal, ViewerMessage, Welcome};

use crate::ask::{AskError, ask};
use crate::connection::Connection;

/// Why a viewer could not attach.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// Host and viewer have no version of the language in common.
    #[error("the host uses {}, but this program uses protocol {ours}", named(*theirs))]
    Version {
        /// What this viewer speaks.
        ours: u32,
        /// What the host speaks, if it said so.
        theirs: Option<u32>,
    },
    /// The host gave no answer, or not a welcome.
    #[error(transparent)]
    Ask(#[from] AskError),
}

fn named(version: Option<u32>) -> String {
    version.map_or_else(|| "another protocol".into(), |version| format!("protocol {version}"))
}

/// Attaches to the worker whose host listens at `path`. After the welcome comes a snapshot, or the output that the
/// viewer missed.
///
/// # Errors
///
/// When there is no host, when it does not answer within a few seconds, refuses, or speaks another version.
pub fn attach(path: &Path, attach: Attach) -> Result<(Connection, Welcome), AttachError> {
    let ours = attach.version;
    match ask(path, &ViewerMessage::Attach(attach)) {
        Ok((connection, answer)) => Ok((connection, welcome(answer, ours)?)),
        Err(AskError::Refused(refused)) if refused.code == Refusal::Version => {
            Err(AttachError::Version { ours, theirs: None })
        }
        Err(error) => Err(error.into()),
    }
}

/// A newer host speaks the viewer's version to it, or refuses; an older one knows only its own.
fn welcome(answer: HostMessage, ours: u32) -> Result<Welcome, AttachError> {
    match answer {
        HostMessage::Welcome(welcome) if welcome.version < OLDEST_VERSION => {
            Err(AttachError::Version { ours, theirs: Some(welcome.version) })
        }
        HostMessage::Welcome(welcome) => Ok(welcome),
        _ => Err(AskError::OutOfTurn.into()),
    }
}

#[cfg(test)]
mod tests {
    use model::{Epoch, Offset, TermSize, WorkerId};
    use protocol::{ChildState, Refused, VERSION, ViewerId};

    use super::*;
    use crate::scripted_host::ScriptedHost;

    fn greeting() -> Attach {
        Attach { since: Some(Offset(7)), ..Attach::screen("test") }
    }

    fn welcome_of(version: u32) -> HostMessage {
        HostMessage::Welcome(Welcome {
            version,
            worker: WorkerId::from_random([7; 8]),
            name: "worker".parse().expect("a name"),
            epoch: Epoch(1),
            offset: Offset(9),
            size: TermSize::clamped(80, 24),
            state: ChildState::Live,
            viewer: ViewerId(1),
            typed: None,
        })
    }

    #[test]
    fn attaching_ends_in_a_welcome() {
        let host = ScriptedHost::answering("welcome", welcome_of(VERSION));
        let (_connection, welcome) = attach(host.path(), greeting()).unwrap();
        assert_eq!(HostMessage::Welcome(welcome), welcome_of(VERSION));
        assert_eq!(host.question(), ViewerMessage::Attach(greeting()));
    }

    #[test]
    fn a_host_of_another_version_has_its_own_error() {
        let host = ScriptedHost::answering("old-version", welcome_of(OLDEST_VERSION - 1));
        let error = attach(host.path(), greeting()).unwrap_err();
        assert_eq!(error.to_string(), "the host uses protocol 0, but this program uses protocol 1");

        let refused = |code| HostMessage::Refused(Refused { code, message: "no".into() });
        let host = ScriptedHost::answering("refused-version", refused(Refusal::Version));
        let error = attach(host.path(), greeting()).unwrap_err();
        assert!(matches!(error, AttachError::Version { ours: VERSION, theirs: None }), "{error:?}");

        let host = ScriptedHost::answering("refused-full", refused(Refusal::Full));
        let error = attach(host.path(), greeting()).unwrap_err();
        assert!(matches!(error, AttachError::Ask(AskError::Refused(_))), "{error:?}");
    }

    #[test]
    fn a_host_whose_first_message_is_not_a_welcome_is_refused() {
        let host = ScriptedHost::answering("out-of-turn", HostMessage::Pong(1));
        let error = attach(host.path(), greeting()).unwrap_err();
        assert!(matches!(error, AttachError::Ask(AskError::OutOfTurn)), "{error:?}");
    }
}
