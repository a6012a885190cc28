//! What the terminal model found, in the words of the protocol.

use model::Offset;
use protocol::{
    BlockedKind, CursorReport, ProgramReport, ProgressMessage, PromptMessage, SignalMessage, StatusMessage,
    StatusState,
};
use terminal::{BlockedOn, ProgramState, Progress, PromptMark, Signal, Terminal};

use crate::snapshots::Ticket;
use crate::told::DrawnRows;

/// A screen with more text than this is cut at its top: a frame holds no more, with all that JSON adds.
const MOST_TEXT_BYTES: usize = 256 << 10;

/// A signal as viewers are told of it.
pub(crate) fn signal(signal: Signal) -> SignalMessage {
    match signal {
        Signal::Title(text) => SignalMessage::Title { text },
        Signal::Cwd(text) => SignalMessage::Cwd { text },
        Signal::Prompt(mark) => SignalMessage::Prompt(match mark {
            PromptMark::Prompt => PromptMessage::Prompt,
            PromptMark::Input => PromptMessage::Input,
            PromptMark::Output => PromptMessage::Output,
            PromptMark::Finished(code) => PromptMessage::Done { code },
        }),
        Signal::Progress(progress) => SignalMessage::Progress(progress_message(progress)),
        Signal::Notification(notification) => {
            SignalMessage::Notification { title: notification.title, text: notification.body }
        }
        Signal::Status(status) => {
            let state = status_state(status.state);
            SignalMessage::Status {
                id: status.id.join("/"),
                status: StatusMessage { state, message: status.message },
            }
        }
        Signal::Bell => SignalMessage::Bell,
    }
}

/// What the program said about itself so far.
pub(crate) fn program(terminal: &Terminal) -> ProgramReport {
    let whole = terminal.program_statuses().iter().find(|status| status.id.is_empty());
    ProgramReport {
        title: terminal.title().to_owned(),
        cwd: terminal.cwd().to_owned(),
        alternate_screen: terminal.on_alternate_screen(),
        activity: whole.map(|status| StatusMessage {
            state: status_state(status.state),
            message: status.message.clone(),
        }),
        signals: signals(terminal),
    }
}

/// What the program said that still holds: the statuses of its parts, its progress.
fn signals(terminal: &Terminal) -> Vec<SignalMessage> {
    let parts = terminal.program_statuses().iter().filter(|status| !status.id.is_empty());
    let parts = parts.map(|status| signal(Signal::Status(status.clone())));
    let progress = Some(terminal.progress()).filter(|progress| *progress != Progress::None);
    parts.chain(progress.map(|progress| SignalMessage::Progress(progress_message(progress)))).collect()
}

/// The text of the screen.
pub(crate) fn rows(terminal: &Terminal, at: Offset, ticket: Ticket) -> DrawnRows {
    let mut rows: Vec<String> = terminal.text_rows().map(|row| row.text).collect();
    let mut room = MOST_TEXT_BYTES;
    for row in rows.iter_mut().rev() {
        room = room.saturating_sub(row.len());
        if room == 0 {
            row.clear();
        }
    }
    let cursor = terminal.cursor();
    DrawnRows {
        ticket,
        at,
        size: terminal.size(),
        rows,
        cursor: CursorReport { row: cursor.row, col: cursor.col, shown: cursor.visible },
        alternate_screen: terminal.on_alternate_screen(),
    }
}

fn progress_message(progress: Progress) -> ProgressMessage {
    match progress {
        Progress::None => ProgressMessage::None,
        Progress::Normal(percent) => ProgressMessage::Normal { percent: Some(percent) },
        Progress::Error(percent) => ProgressMessage::Error { percent: Some(percent) },
        Progress::Busy => ProgressMessage::Indeterminate,
        Progress::Paused(percent) => ProgressMessage::Paused { percent: Some(percent) },
    }
}

fn status_state(state: ProgramState) -> StatusState {
    match state {
        ProgramState::Idle => StatusState::Idle,
        ProgramState::Working => StatusState::Working,
        ProgramState::Blocked(on) => StatusState::Blocked { on: on.map(blocked_kind) },
        ProgramState::Done => StatusState::Done,
        ProgramState::Error => StatusState::Error,
        ProgramState::Clear => StatusState::Clear,
    }
}

fn blocked_kind(on: BlockedOn) -> BlockedKind {
    match on {
        BlockedOn::Permission => BlockedKind::Permission,
        BlockedOn::Question => BlockedKind::Question,
        BlockedOn::Auth => BlockedKind::Auth,
    }
}
