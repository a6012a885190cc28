//! What the JSON sockets carry: `/ws/session/{sid}/worker/{wid}` and `/ws/terminals`.
//!
//! Every message is one text message with a field `type`. A client skips types that it does not know; the server closes the
//! socket of a client that sends one.

use model::{Epoch, Offset, SessionId, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Activity, Worker};

/// What a client says on `/ws/session/{sid}/worker/{wid}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WorkerClientMessage {
    /// Something was typed.
    Input {
        /// The keys, as an emulator writes them. Its answers to questions of the program are left out: the program has
        /// been answered already.
        data: String,
    },
    /// The client's screen has this size now, and the terminal gets it.
    Resize {
        /// Columns; fewer than 2 and more than 1000 are brought within.
        cols: u16,
        /// Rows; fewer than 1 and more than 1000 are brought within.
        rows: u16,
    },
    /// A picture for the program: it is kept beside the worker, and its path is typed as if pasted.
    #[serde(rename_all = "camelCase")]
    Image {
        /// The file in base64, at most 10 MiB before that. A `data:` URL is understood as well.
        data: String,
        /// What it is: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        mime_type: String,
    },
}

/// What the server says on `/ws/session/{sid}/worker/{wid}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WorkerServerMessage {
    /// The screen and its history begin anew with this: clear the old screen, then write it. It comes first, after a
    /// change of size, and when the client was too slow to be shown everything.
    History {
        /// What draws it, or its first part; the rest follows as output.
        data: String,
    },
    /// What comes next on the screen.
    Output {
        /// Whole characters and whole sequences.
        data: String,
    },
    /// The program has ended, and everything it printed was sent.
    #[serde(rename_all = "camelCase")]
    Exit {
        /// Its code, or 128 and the signal's number.
        exit_code: u8,
        /// The signal that ended it, as in `SIGTERM`.
        signal: Option<String>,
    },
    /// What the agent is doing now. Plain terminals have none.
    Activity {
        /// What it is doing.
        state: Activity,
    },
    /// Something that the client asked for was not done.
    Error {
        /// Why, for programs: the same codes as elsewhere, or those of the host.
        code: String,
        /// Why, for people.
        message: String,
    },
}

/// What a client says on `/ws/terminals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TerminalsClientMessage {
    /// Starts a terminal and attaches to it. The answer is `session_created` or `error`, with the same `id`.
    #[serde(rename_all = "camelCase")]
    CreateSession {
        /// A word of the client's choice by which it recognises the answer; at most 100 characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The session it shall be in; by default a quick one of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>)]
        session_id: Option<SessionId>,
        /// The directory of the quick session, as an absolute path; by default the home directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// The program and its arguments; by default the user's shell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<Vec<String>>,
        /// Columns, together with rows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cols: Option<u16>,
        /// Rows, together with columns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rows: Option<u16>,
    },
    /// Attaches to a terminal that is there. The answer is `session_reattached` or `error`; then comes `scrollback`, or
    /// just the output that was missed.
    #[serde(rename_all = "camelCase")]
    ReattachSession {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// The offset of the last message that the client has shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<u64>)]
        since: Option<Offset>,
        /// The epoch that it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<u32>)]
        epoch: Option<Epoch>,
    },
    /// Ends a terminal for good. The answer is `session_closed` or `error`.
    #[serde(rename_all = "camelCase")]
    CloseSession {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
    },
    /// Asks what there is. The answer is `session_list`.
    ListSessions,
    /// Something was typed into a terminal that the client is attached to.
    #[serde(rename_all = "camelCase")]
    Input {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// The keys, as an emulator writes them.
        data: String,
    },
    /// The client's screen for this terminal has this size now, and the terminal gets it.
    #[serde(rename_all = "camelCase")]
    Resize {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Columns; fewer than 2 and more than 1000 are brought within.
        cols: u16,
        /// Rows; fewer than 1 and more than 1000 are brought within.
        rows: u16,
    },
    /// Asks whether the server is there. The answer is `pong`.
    Ping,
}

/// What the server says on `/ws/terminals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TerminalsServerMessage {
    /// A terminal was started, and the client is attached to it. Its output follows from the first byte on, without a
    /// `scrollback`.
    #[serde(rename_all = "camelCase")]
    SessionCreated {
        /// What the client wanted to know the answer by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The session it is in.
        #[schema(value_type = String)]
        session_id: SessionId,
        /// Which one it is.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// What it is called in its session.
        name: String,
        /// Which epoch offsets belong to.
        #[schema(value_type = u32)]
        epoch: Epoch,
        /// Its columns.
        cols: u16,
        /// Its rows.
        rows: u16,
    },
    /// The client is attached to a terminal.
    #[serde(rename_all = "camelCase")]
    SessionReattached {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Which epoch offsets belong to.
        #[schema(value_type = u32)]
        epoch: Epoch,
        /// Its columns.
        cols: u16,
        /// Its rows.
        rows: u16,
    },
    /// The screen and its history begin anew with this: clear the old screen, then write it. Comes after
    /// `session_reattached`, unless nothing but the output that was missed is sent.
    #[serde(rename_all = "camelCase")]
    Scrollback {
        /// Which terminal.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// What draws it, or its first part; the rest follows as output.
        data: String,
        /// What to name as `since` to go on after this message. Without it, forget the one before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<u64>)]
        offset: Option<Offset>,
    },
    /// What comes next on the screen. After a change of size, and when the client was too slow to be shown everything,
    /// it begins with a reset (`ESC c`) and draws everything anew.
    #[serde(rename_all = "camelCase")]
    Output {
        /// Which terminal.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Whole characters and whole sequences.
        data: String,
        /// What to name as `since` to go on after this message. Without it, forget the one before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<u64>)]
        offset: Option<Offset>,
    },
    /// The terminal has this size now, whichever viewer set it.
    #[serde(rename_all = "camelCase")]
    Resized {
        /// Which terminal.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Its columns.
        cols: u16,
        /// Its rows.
        rows: u16,
    },
    /// The client is no longer attached to a terminal.
    #[serde(rename_all = "camelCase")]
    SessionClosed {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Why.
        reason: ClosedReason,
        /// With `exited`: the program's code, or 128 and the signal's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<u8>,
    },
    /// What there is: all workers of all open sessions.
    SessionList {
        /// They.
        sessions: Vec<Worker>,
    },
    /// The server is there.
    Pong,
    /// Something that the client asked for was not done.
    #[serde(rename_all = "camelCase")]
    Error {
        /// Why, for programs: the same codes as elsewhere, or those of the host.
        code: String,
        /// Why, for people.
        message: String,
        /// The terminal it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>)]
        worker_id: Option<WorkerId>,
        /// What the client wanted to know the answer by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
}

/// Why a client is no longer attached to a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedReason {
    /// Its program has ended, and everything that was printed was sent.
    Exited,
    /// It was ended for good.
    Closed,
    /// The connection to its host is lost. It may well go on: attach again, with `since`.
    HostGone,
    /// Its host does not want this viewer; an `error` said why.
    Refused,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_written_as_the_clients_expect_them() {
        let image = WorkerClientMessage::Image { data: "QQ==".into(), mime_type: "image/png".into() };
        let written = json!({"type": "image", "data": "QQ==", "mimeType": "image/png"});
        assert_eq!(serde_json::to_value(&image).unwrap(), written);
        let exit = WorkerServerMessage::Exit { exit_code: 0, signal: None };
        assert_eq!(
            serde_json::to_value(&exit).unwrap(),
            json!({"type": "exit", "exitCode": 0, "signal": null})
        );
        let list = serde_json::from_value(json!({"type": "list_sessions"})).unwrap();
        assert_eq!(TerminalsClientMessage::ListSessions, list);
        let output = TerminalsServerMessage::Output {
            worker_id: WorkerId::from_random([7; 8]),
            data: "x".into(),
            offset: Some(Offset(7)),
        };
        assert_eq!(
            serde_json::to_value(&output).unwrap(),
            json!({"type": "output", "workerId": "77777777", "data": "x", "offset": 7})
        );
    }
}
